"""Principal components in the feature space of a kernel."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ._base import KernelEstimator, seed_of
from ._linear import KernelRidge


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Kernel principal component analysis, in the place of ``sklearn.decomposition.KernelPCA``.

    Components whose eigenvalue is nothing but rounding are left out, so there may be fewer than ``n_components``; without it,
    all others are kept. ``tol`` is the residual of an eigenvector relative to the greatest eigenvalue at which an iteration
    ends, 0 for 1e-10, or 1e-5 in single precision; few points, or many components, need no iteration. With
    ``fit_inverse_transform``, ridge regression with the same kernel and ``alpha`` leads from components to points, which must not be sparse.

    ``eigen_solver``, ``iterated_power``, ``copy_X`` and ``n_jobs`` are there for scripts that have them, and change no answer.

    >>> import numpy as np
    >>> from kernrs import KernelPCA
    >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [6.0, 6.0]])
    >>> model = KernelPCA(n_components=2).fit(X)
    >>> model.transform(X).shape, model.eigenvalues_.round(9).tolist()
    ((3, 1), [28.0])
    >>> model.reconstruction_errors([[4.0, 4.0], [5.0, 3.0]]).round(9).tolist()
    [0.0, 2.0]
    """

    _by_distances = True

    _learner = "kernel_pca"
    _least = 2

    @property
    def _sparse(self):
        # Ridge regression leads to dense points.
        return not self.fit_inverse_transform

    def __init__(self, n_components=None, *, kernel="linear", gamma=None, degree=3, coef0=1.0, kernel_params=None, alpha=1.0,
                 fit_inverse_transform=False, eigen_solver="auto", tol=0.0, max_iter=None, iterated_power="auto",
                 random_state=None, copy_X=True, n_jobs=None):
        self.n_components, self.kernel, self.gamma, self.degree, self.coef0 = n_components, kernel, gamma, degree, coef0
        self.kernel_params, self.alpha, self.fit_inverse_transform = kernel_params, alpha, fit_inverse_transform
        self.eigen_solver, self.tol, self.max_iter, self.iterated_power = eigen_solver, tol, max_iter, iterated_power
        self.random_state, self.copy_X, self.n_jobs = random_state, copy_X, n_jobs

    def fit(self, X, y=None):
        """Finds the components."""
        if self.fit_inverse_transform and isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        X = self._check_points(X, reset=True)
        points = self._prepare(X)
        self.gamma_ = self._resolved_gamma(X, None)
        count = len(points) if self.n_components is None else min(int(self.n_components), len(points))
        settings = {"components": count, "seed": seed_of(self.random_state)}
        if self.tol != 0:
            settings["tolerance"] = float(self.tol)
        if self.max_iter is not None:
            settings["max_iterations"] = int(self.max_iter)
        self._learn(points, None, None, **settings)
        self.eigenvalues_, self.explained_variance_ratio_ = self.model_.spectrum
        self._n_features_out = len(self.eigenvalues_)
        if self.fit_inverse_transform:
            self._inverse = self._fitted_inverse(X, points)
        return self

    def _fitted_inverse(self, X, points):
        """Ridge regression from components to points."""
        known = {"alpha": self.alpha, "kernel": self._formula or self.kernel, "kernel_params": self.kernel_params}
        return KernelRidge(**known).fit(self.model_.predict(points), X)

    @property
    def eigenvectors_(self):
        """The eigenvectors of the centred kernel matrix, points x components."""
        check_is_fitted(self, "model_")
        return self._times(np.sqrt(self.eigenvalues_))

    def _times(self, factors):
        """The coefficients of the points of the fit, each component with its factor."""
        coefficients = self.model_.coefficients[:, : self._n_features_out]
        return coefficients * factors.astype(coefficients.dtype)

    def fit_transform(self, X, y=None):
        """Finds the components; those of the points are their coefficients times the eigenvalues, without a kernel value more."""
        return self.fit(X)._times(self.eigenvalues_)

    def transform(self, X):
        """The components of points."""
        queries = self._queries(X)
        return self.model_.predict(queries)

    def inverse_transform(self, X):
        """Points whose components are about those that are given."""
        check_is_fitted(self, "model_")
        if not self.fit_inverse_transform:
            raise NotFittedError("The fit_inverse_transform parameter was not set to True when instantiating and hence the "
                                 "inverse transform is not available.")
        return self._inverse.predict(X)

    def reconstruction_errors(self, X):
        """The squared distances of points from their projections onto the components: great for what is unlike the fit."""
        queries = self._queries(X)
        if not self._formula:
            raise ValueError("kernel values with the points of the fit do not tell how long a point is: give a formula as the kernel")
        return self.model_.reconstruction_errors(queries)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
