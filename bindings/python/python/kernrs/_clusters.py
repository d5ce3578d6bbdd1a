"""k-means on kernels, and clusters by the spectrum of a kernel matrix."""

import numpy as np
from sklearn.base import ClusterMixin

from ._base import KernelEstimator, seed_of, weights_of


class _Clusters(ClusterMixin, KernelEstimator):
    """Clusters of a given number, by runs of k-means from random seeds."""

    def _fit_clusters(self, X, sample_weight, **settings):
        X = self._check_points(X, reset=True)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        points = self._prepare(X, weights)
        if self.n_clusters > len(points):
            raise ValueError(f"n_samples={len(points)} should be >= n_clusters={self.n_clusters}.")
        settings |= {"clusters": int(self.n_clusters), "max_iterations": int(self.max_iter),
                     "restarts": int(self.n_init), "seed": seed_of(self.random_state)}
        self._learn(points, None, weights, **settings)
        self.labels_ = np.asarray(self.model_.labels, dtype=np.int32)
        return self

    def predict(self, X):
        """The nearest clusters of points."""
        queries = self._queries(X)
        return self.model_.predict(queries).astype(np.int32)


class _KMeans(_Clusters):
    """The part that hard and soft k-means share."""

    _by_distances = True

    def _fit_clusters(self, X, sample_weight, **settings):
        super()._fit_clusters(X, sample_weight, **settings)
        self.inertia_ = self.report_["objective"]
        return self


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
        """Finds the clusters.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        return self._fit_clusters(X, sample_weight)


class SoftKernelKMeans(_KMeans):
    """Soft k-means in the feature space of a kernel, with the stiffness β."""

    _learner = "soft_kmeans"

    def __init__(self, n_clusters=8, *, beta=10.0, kernel="rbf", gamma="scale", degree=3, coef0=1.0, n_init=1,
                 max_iter=300, random_state=0):
        self.n_clusters, self.beta, self.kernel, self.gamma = n_clusters, beta, kernel, gamma
        self.degree, self.coef0, self.n_init, self.max_iter, self.random_state = degree, coef0, n_init, max_iter, random_state

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        return self._fit_clusters(X, sample_weight, beta=float(self.beta))


class SpectralClustering(_Clusters):
    """Spectral clustering by the normalised cut, with ``predict`` for points that it has not seen.

    The kernel says how alike points are: its values should be positive, and small between clusters. By default rows of the embedding are
    scaled to length 1 (Ng, Jordan and Weiss, 2001); ``normalize=False, loops=False`` is what
    ``sklearn.cluster.SpectralClustering`` computes, with the diagonal of the kernel matrix as zero. ``kernel="precomputed"`` takes
    affinities if they are a positive semidefinite matrix. The objective of ``report_`` is the normalised cut.

    >>> import numpy as np
    >>> from kernrs import SpectralClustering
    >>> angle = np.arange(80)
    >>> rings = np.where(angle < 40, 1.0, 4.0)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = SpectralClustering(2, gamma=2.0).fit(rings)
    >>> np.unique(model.labels_[:40]).size, np.unique(model.labels_[40:]).size, bool(model.labels_[0] != model.labels_[40])
    (1, 1, True)
    >>> bool(model.predict([[0.9, 0.1]])[0] == model.labels_[0])
    True
    """

    _learner = "spectral_clustering"

    def __init__(self, n_clusters=8, *, kernel="rbf", gamma=1.0, degree=3, coef0=1.0, n_init=10, normalize=True, loops=True,
                 max_iter=300, random_state=0):
        self.n_clusters, self.kernel, self.gamma, self.degree, self.coef0 = n_clusters, kernel, gamma, degree, coef0
        self.n_init, self.normalize, self.loops = n_init, normalize, loops
        self.max_iter, self.random_state = max_iter, random_state

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        self._fit_clusters(X, sample_weight, normalize=bool(self.normalize), loops=bool(self.loops))
        self.eigenvalues_ = self.model_.eigenvalues
        return self
