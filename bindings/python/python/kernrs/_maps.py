"""Feature maps: Nyström and random Fourier features."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _native
from ._base import KernelEstimator, seed_of
from ._kernels import resolve
from ._points import points_of


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """The Nyström map of a kernel by landmarks, in the place of ``sklearn.kernel_approximation.Nystroem``.

    There are fewer features than ``n_components`` if the landmarks have a smaller rank. Of a callable, which takes two points
    and ``kernel_params``, all pairs of points are asked for.
    """

    _learner = "nystroem"

    def __init__(self, kernel="rbf", *, gamma=None, coef0=None, degree=None, kernel_params=None, n_components=100,
                 random_state=None):
        self.kernel, self.gamma, self.coef0, self.degree = kernel, gamma, coef0, degree
        self.kernel_params, self.n_components, self.random_state = kernel_params, n_components, random_state

    def fit(self, X, y=None):
        """Chooses the landmarks."""
        X = self._check_points(X, reset=True)
        given = [name for name in ("gamma", "coef0", "degree") if getattr(self, name) is not None]
        if given and (callable(self.kernel) or self.kernel == "precomputed") and not hasattr(self.kernel, "formula"):
            raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel")
        points = self._prepare(X)
        count = min(int(self.n_components), len(points))
        self.model_ = _native.nystroem(self._formula, points, count, seed_of(self.random_state))
        if self.model_.landmarks is not None:
            self.components_ = self.model_.landmarks
        self._n_features_out = self.model_.dim
        return self

    def transform(self, X):
        """The features of points."""
        queries = self._queries(X)
        return self.model_.transform(queries)


class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Random Fourier features; ``kernel`` may be any formula that has a spectrum, not the RBF kernel only.

    >>> import numpy as np
    >>> from kernrs import RBFSampler
    >>> features = RBFSampler(gamma=1.0, n_components=2000, random_state=0).fit_transform([[0.0], [1.0]])
    >>> bool(abs(features[0] @ features[1] - np.exp(-1)) < 0.1)
    True
    """

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None, kernel="rbf"):
        self.gamma, self.n_components, self.random_state, self.kernel = gamma, n_components, random_state, kernel

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y=None):
        """Draws the frequencies."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C")
        gamma = self.gamma
        if gamma == "scale":
            variance = (X.multiply(X).mean() - X.mean() ** 2) if hasattr(X, "multiply") else X.var()
            gamma = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        formula = resolve(self.kernel, gamma)
        odd = self.n_components % 2 == 1
        self.model_ = _native.random_fourier(formula, X.shape[1], int(self.n_components), odd, seed_of(self.random_state))
        self._n_features_out = self.model_.dim
        return self

    def transform(self, X):
        """The features of points."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        return self.model_.transform(points_of(X))
