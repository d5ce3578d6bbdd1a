"""Kernel principal component analysis."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ._base import KernelEstimator, seed_of
from ._linear import KernelRidge


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Kernel principal component analysis.

    A drop-in replacement of ``sklearn.decomposition.KernelPCA``. The components of x are <phi(x) - mu, v_p>, where the
    v_p are the directions of largest variance of the training samples in the feature space phi of the kernel, and mu is
    their mean. Signs, scales and ``eigenvalues_`` are those of scikit-learn. Components whose eigenvalue is zero but
    for rounding are left out, so there may be fewer than ``n_components``. Beyond scikit-learn there are
    ``explained_variance_ratio_`` and :meth:`reconstruction_errors`. All eigenvectors (a few hundred samples, or many
    components) take 9 n^3 flops and n^2 floats; a few components of many samples take n^2/2 kernel values and some 10
    products of their matrix with 8 to 32 vectors, and the matrix is stored only if it fits the memory budget. For large
    n take ``sklearn.decomposition.PCA`` on the features of :class:`Nystroem` or :class:`RBFSampler`.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components, >= 1. None, or a number above n_samples, takes all whose eigenvalue is more than rounding.
    kernel : str, Kernel, callable or "precomputed", default="linear"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two points, or
        "precomputed" for Gram matrices in the place of X.
    gamma : {"scale", "auto"}, float or None, default=None
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features * X.var()); "auto" is
        1/n_features. Formulas have their own parameters. None is 1/n_features, or 1 for "chi2".
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keyword arguments of a callable kernel. For other kernels its entries "gamma", "degree" and "coef0" replace the
        parameters of these names.
    alpha : float, default=1.0
        Penalty, > 0, of the ridge regression of :meth:`inverse_transform`; used if ``fit_inverse_transform`` is set.
    fit_inverse_transform : bool, default=False
        Learns the inverse transform: ridge regression with the same kernel and ``alpha`` from components to samples,
        which must not be sparse. Not for ``kernel="precomputed"``.
    eigen_solver : str, default="auto"
        Ignored; accepted for scripts written for scikit-learn.
    tol : float, default=0.0
        Residual of an eigenvector, relative to the largest eigenvalue, at which the iteration ends, >= 0. 0 is 1e-10,
        or 1e-5 for float32. Few samples, or many components, need no iteration.
    max_iter : int or None, default=None
        Largest number of products of the kernel matrix with a block of vectors, >= 1; None is 300. Eigenvectors that
        need more are taken as they are, with a ConvergenceWarning.
    iterated_power : int or "auto", default="auto"
        Ignored; accepted for scripts written for scikit-learn.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the first block of vectors. None is the seed 0, so the result is the same in every run; a generator
        draws a seed.
    copy_X : bool, default=True
        Ignored; accepted for scripts written for scikit-learn.
    n_jobs : int or None, default=None
        Ignored; accepted for scripts written for scikit-learn.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix, in descending order.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each component in the variance of all training samples in the feature space.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Eigenvectors of the centred kernel matrix, of length 1.
    gamma_ : float or None
        The value of ``gamma`` of the fit; None for strings.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Iterations of the search for eigenvectors, at least 1.
    kernel_formula_ : str
        The kernel with all of its parameters; "precomputed" for a Gram matrix or a callable.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    Nystroem : Features of landmarks, for large n.
    SpectralClustering : Clusters by the eigenvectors of the normalised kernel matrix.

    Notes
    -----
    The objective of ``report_`` is the sum of the eigenvalues that are left out. The sign of a component is that of its
    largest entry among the training samples, as in scikit-learn. float32 stays float32 in components; eigenvalues are
    float64. The same ``random_state`` gives the same bits for any number of threads.

    References
    ----------
    .. [1] Schoelkopf, Smola & Mueller (1998), "Nonlinear Component Analysis as a Kernel Eigenvalue Problem".
    .. [2] Bakir, Weston & Schoelkopf (2004), "Learning to Find Pre-Images".

    Examples
    --------
    >>> import numpy as np
    >>> from kernrs import KernelPCA
    >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [6.0, 6.0]])
    >>> model = KernelPCA(n_components=2).fit(X)
    >>> model.transform(X).shape, model.eigenvalues_.round(9).tolist()
    ((3, 1), [28.0])
    >>> model.reconstruction_errors([[4.0, 4.0], [5.0, 3.0]]).round(9).tolist()
    [0.0, 2.0]

    The components are those of scikit-learn:

    >>> from sklearn import datasets, decomposition
    >>> X, _ = datasets.load_iris(return_X_y=True)
    >>> theirs = decomposition.KernelPCA(3, kernel="rbf").fit_transform(X)
    >>> bool(np.allclose(KernelPCA(3, kernel="rbf").fit_transform(X), theirs))
    True
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
        """Find the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings; a Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored; accepted for scripts written for scikit-learn.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If ``fit_inverse_transform`` is combined with ``kernel="precomputed"``, a precomputed matrix is not a Gram
            matrix, a parameter is out of its range, or the memory budget is too small.
        """
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
        """Fit ridge regression from components to samples."""
        known = {"alpha": self.alpha, "kernel": self._formula or self.kernel, "kernel_params": self.kernel_params}
        return KernelRidge(**known).fit(self.model_.predict(points), X)

    @property
    def eigenvectors_(self):
        """ndarray of shape (n_samples, n_components): the eigenvectors of the centred kernel matrix."""
        check_is_fitted(self, "model_")
        return self._times(np.sqrt(self.eigenvalues_))

    def _times(self, factors):
        """The coefficients of the training samples, with each component times its factor."""
        coefficients = self.model_.coefficients[:, : self._n_features_out]
        return coefficients * factors.astype(coefficients.dtype)

    def fit_transform(self, X, y=None):
        """Find the components, and return those of the training samples.

        The components are coefficients times eigenvalues, without further kernel values: cheaper than
        ``fit(X).transform(X)``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings; a Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored; accepted for scripts written for scikit-learn.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Components of the training samples.
        """
        return self.fit(X)._times(self.eigenvalues_)

    def transform(self, X):
        """Project samples onto the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, of shape
            (n_queries, n_samples).

        Returns
        -------
        Z : ndarray of shape (n_queries, n_components)
            Components of the samples.
        """
        queries = self._queries(X)
        return self.model_.predict(queries)

    def inverse_transform(self, X):
        """Map components back to samples, approximately.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_components)
            Components.

        Returns
        -------
        X_original : ndarray of shape (n_queries, n_features)
            Samples whose components are close to those that are given.

        Raises
        ------
        NotFittedError
            If ``fit_inverse_transform`` was not set.
        """
        check_is_fitted(self, "model_")
        if not self.fit_inverse_transform:
            raise NotFittedError("The fit_inverse_transform parameter was not set to True when instantiating and hence the "
                                 "inverse transform is not available.")
        return self._inverse.predict(X)

    def reconstruction_errors(self, X):
        """Squared distances, in the feature space, of samples from their projections onto the components.

        They are large for samples unlike the training samples, so they serve novelty detection.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples.

        Returns
        -------
        errors : ndarray of shape (n_queries,)
            Squared distances, >= 0.

        Raises
        ------
        ValueError
            If the kernel is precomputed or a callable: K(x, x) of a new sample is not known.
        """
        queries = self._queries(X)
        if not self._formula:
            raise ValueError("kernel values with the points of the fit do not tell how long a point is: give a formula as the kernel")
        return self.model_.reconstruction_errors(queries)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
