"""Nearest neighbours by the distance in the feature space of a kernel; the linear kernel has the Euclidean distance."""

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._base import KernelClassifier, KernelEstimator


class _Neighbors(KernelEstimator):
    """What both share: the nearest points where there is no formula, whose values lack those of a query with itself."""

    _by_distances = True

    def _prepare(self, points, weights=None):
        points = super()._prepare(points, weights)
        if self.n_neighbors > len(points):
            raise ValueError(f"Expected n_neighbors <= n_samples, got n_neighbors = {self.n_neighbors}, "
                             f"n_samples = {len(points)}")
        return points

    def _given(self, values):
        self._diagonal = values.diagonal().copy()
        return super()._given(values)

    def _learn(self, points, y, weights, **settings):
        self._targets = y
        return super()._learn(points, y, weights, **settings)

    def _nearest(self, X):
        """The targets of the nearest neighbours: queries x neighbours, or queries x neighbours x outputs."""
        check_is_fitted(self, "model_")
        values = self._values_with_fit(self._check_points(X, reset=False))
        if values.shape[1] != len(self._diagonal):
            raise ValueError(f"a query needs the kernel values with all {len(self._diagonal)} points of the fit, got {values.shape[1]}")
        # The value of a query with itself would be the same for all neighbours.
        return self._targets[np.argsort(self._diagonal - 2 * values, axis=1, kind="stable")[:, : int(self.n_neighbors)]]


class KNeighborsClassifier(ClassifierMixin, _Neighbors, KernelClassifier):
    """Classes by the votes of the nearest neighbours.

    ``kernel`` may be ``"precomputed"`` or a callable, too. Of equal votes the first class wins.

    >>> import numpy as np, kernrs
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), [0, 0, 1]
    >>> model = kernrs.KNeighborsClassifier(1, kernel="precomputed").fit(kernrs.gram("linear", X), y)
    >>> model.predict(kernrs.gram("linear", [[4.0]], X))
    array([1])
    """

    _learner = "neighbors"

    def __init__(self, n_neighbors=5, *, kernel="linear", gamma="scale", degree=3, coef0=1.0):
        self.n_neighbors, self.kernel, self.gamma, self.degree, self.coef0 = n_neighbors, kernel, gamma, degree, coef0

    def fit(self, X, y):
        """Keeps the points."""
        return self._fit_classes(X, y, None, neighbors=int(self.n_neighbors))

    def predict(self, X):
        """The classes of points."""
        if getattr(self, "_formula", True):
            return super().predict(X)
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X):
        """The shares of the votes."""
        if getattr(self, "_formula", True):
            return self._probabilities(X)
        codes = self._nearest(X)
        return np.mean(codes[:, :, np.newaxis] == np.arange(len(self.classes_)), axis=1)


class KNeighborsRegressor(MultiOutputMixin, RegressorMixin, _Neighbors):
    """Values by the means of the nearest neighbours; ``kernel`` may be ``"precomputed"`` or a callable, too."""

    _learner = "neighbors"
    _several = True
    _numeric = True

    def __init__(self, n_neighbors=5, *, kernel="linear", gamma="scale", degree=3, coef0=1.0):
        self.n_neighbors, self.kernel, self.gamma, self.degree, self.coef0 = n_neighbors, kernel, gamma, degree, coef0

    def fit(self, X, y):
        """Keeps the points."""
        X, y = self._check_points(X, y, reset=True)
        points = self._prepare(X)
        return self._learn(points, np.ascontiguousarray(y, dtype=np.float64), None, neighbors=int(self.n_neighbors))

    def predict(self, X):
        """The means of the neighbours' values."""
        if not getattr(self, "_formula", True):
            return self._nearest(X).mean(axis=1)
        queries = self._queries(X)
        return self.model_.predict(queries)
