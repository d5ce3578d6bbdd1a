"""k-means on kernels."""

import numpy as np
from sklearn.base import ClusterMixin

from ._base import KernelEstimator, seed_of, weights_of


class _KMeans(ClusterMixin, KernelEstimator):
    """What hard and soft k-means share."""

    def _fit_clusters(self, X, sample_weight, **settings):
        X = self._check_points(X, reset=True)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        points = self._prepare(X, weights)
        settings |= {"clusters": int(self.n_clusters), "max_iterations": int(self.max_iter),
                     "restarts": int(self.n_init), "seed": seed_of(self.random_state)}
        self._learn(points, None, weights, **settings)
        self.labels_ = np.asarray(self.model_.labels, dtype=np.int32)
        self.inertia_ = self.report_["objective"]
        return self

    def predict(self, X):
        """The nearest clusters of points."""
        queries = self._queries(X)
        return self.model_.predict(queries).astype(np.int32)


class KernelKMeans(_KMeans):
    """k-means in the feature space of a kernel.

    >>> from kernrs import KernelKMeans
    >>> labels = KernelKMeans(2, kernel="rbf").fit_predict([[0.0], [0.1], [5.0], [5.1]])
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _learner = "kmeans"

    def __init__(self, n_clusters=8, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, n_init=1, max_iter=300,
                 random_state=0):
        self.n_clusters, self.kernel, self.gamma, self.degree, self.coef0 = n_clusters, kernel, gamma, degree, coef0
        self.n_init, self.max_iter, self.random_state = n_init, max_iter, random_state

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters."""
        return self._fit_clusters(X, sample_weight)


class SoftKernelKMeans(_KMeans):
    """Soft k-means in the feature space of a kernel, with the stiffness β."""

    _learner = "soft_kmeans"

    def __init__(self, n_clusters=8, *, beta=10.0, kernel="rbf", gamma="scale", degree=3, coef0=1.0, n_init=1,
                 max_iter=300, random_state=0):
        self.n_clusters, self.beta, self.kernel, self.gamma = n_clusters, beta, kernel, gamma
        self.degree, self.coef0, self.n_init, self.max_iter, self.random_state = degree, coef0, n_init, max_iter, random_state

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters."""
        return self._fit_clusters(X, sample_weight, beta=float(self.beta))
