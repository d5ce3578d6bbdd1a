"""Nearest neighbours by the distance in the feature space of a kernel; the linear kernel has the Euclidean distance."""

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin

from ._base import KernelClassifier, KernelEstimator


class KNeighborsClassifier(ClassifierMixin, KernelClassifier):
    """Classes by the votes of the nearest neighbours."""

    _learner = "neighbors"

    def __init__(self, n_neighbors=5, *, kernel="linear", gamma="scale", degree=3, coef0=1.0):
        self.n_neighbors, self.kernel, self.gamma, self.degree, self.coef0 = n_neighbors, kernel, gamma, degree, coef0

    def fit(self, X, y):
        """Keeps the points."""
        return self._fit_classes(X, y, None, neighbors=int(self.n_neighbors))

    def predict_proba(self, X):
        """The shares of the votes."""
        return self._probabilities(X)


class KNeighborsRegressor(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Values by the means of the nearest neighbours."""

    _learner = "neighbors"
    _several = True
    _numeric = True

    def __init__(self, n_neighbors=5, *, kernel="linear", gamma="scale", degree=3, coef0=1.0):
        self.n_neighbors, self.kernel, self.gamma, self.degree, self.coef0 = n_neighbors, kernel, gamma, degree, coef0

    def fit(self, X, y):
        """Keeps the points."""
        X, y = self._check_points(X, y, reset=True)
        points = self._prepare(X)
        if self.n_neighbors > len(points):
            raise ValueError(f"Expected n_neighbors <= n_samples, got n_neighbors = {self.n_neighbors}, "
                             f"n_samples = {len(points)}")
        return self._learn(points, np.ascontiguousarray(y, dtype=np.float64), None, neighbors=int(self.n_neighbors))

    def predict(self, X):
        """The means of the neighbours' values."""
        queries = self._queries(X)
        return self.model_.predict(queries)
