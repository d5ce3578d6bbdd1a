"""k-means in the feature space of a kernel, and spectral clustering."""

import numpy as np
from sklearn.base import ClusterMixin

from ._base import KernelEstimator, seed_of, weights_of


class _Clusters(ClusterMixin, KernelEstimator):
    """Base class of estimators of a given number of clusters, by runs of k-means from random seeds."""

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
        """Assign samples to their nearest clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, of shape
            (n_queries, n_samples).

        Returns
        -------
        labels : ndarray of shape (n_queries,), dtype int32
            Index of the nearest cluster of each sample.
        """
        queries = self._queries(X)
        return self.model_.predict(queries).astype(np.int32)


class _KMeans(_Clusters):
    """Base class of hard and soft k-means."""

    _by_distances = True

    def _fit_clusters(self, X, sample_weight, **settings):
        super()._fit_clusters(X, sample_weight, **settings)
        self.inertia_ = self.report_["objective"]
        return self


class KernelKMeans(_KMeans):
    """k-means clustering in the feature space of a kernel.

    Minimises the inertia sum_i w_i ||phi(x_i) - mu_z(i)||^2 over the clusters z(i), where mu_c is the weighted mean of
    cluster c in the feature space phi of the kernel, by Lloyd's algorithm from seeds of k-means++. With
    ``kernel="linear"`` it is the k-means of ``sklearn.cluster.KMeans``, with the same objective, ``inertia_``; there
    are no ``cluster_centers_`` and no ``transform``, since centres lie in the feature space. A fit takes n^2/2 kernel
    values and n^2 floats of memory, or recomputes columns of kernel values if these do not fit the memory budget of
    :func:`config`. For many thousands of samples take ``sklearn.cluster.KMeans`` on the features of :class:`Nystroem`
    or :class:`RBFSampler`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, from 1 to the number of samples.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays that
        returns the matrix of all pairs, or "precomputed" for Gram matrices in the place of X.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features * X.var()), weighted
        by ``sample_weight``; "auto" is 1/n_features. Formulas have their own parameters.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    n_init : int, default=1
        Runs from different seeds, >= 1; the clustering with the smallest inertia is kept.
    max_iter : int, default=300
        Largest number of iterations of a run, >= 0; with 0 the seeds decide. A run that needs more warns with a
        ConvergenceWarning and keeps the clusters that it has reached.
    random_state : int, RandomState, Generator or None, default=0
        Seed of k-means++. None is the seed 0, so the result is the same in every run; a generator draws a seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), dtype int32
        Cluster of each training sample.
    inertia_ : float
        Weighted sum of squared distances to the centres, in the feature space.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Iterations of the best run, at least 1.
    kernel_formula_ : str
        The kernel with all of its parameters; "precomputed" for a Gram matrix or a callable.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    SoftKernelKMeans : Each sample belongs to every cluster by a share.
    SpectralClustering : Clusters by the normalised cut, for clusters of any shape.

    Notes
    -----
    A fit has converged when no sample is nearer to the centre of another cluster; there is no ``tol``. It is a local
    minimum: increase ``n_init`` for a better one. Each seed is the best of 2 + floor(ln k) draws of k-means++. An empty
    cluster gets the sample that is farthest from its centre. The status "stalled" means that rounding, or a kernel that
    is not positive semidefinite such as "sigmoid", would let the inertia rise. float32 stays float32 in kernel values;
    sums are in double precision. The same ``random_state`` gives the same bits for any number of threads.

    References
    ----------
    .. [1] Schoelkopf, Smola & Mueller (1998), "Nonlinear Component Analysis as a Kernel Eigenvalue Problem".
    .. [2] Dhillon, Guan & Kulis (2004), "Kernel k-means, Spectral Clustering and Normalized Cuts".
    .. [3] Arthur & Vassilvitskii (2007), "k-means++: The Advantages of Careful Seeding".

    Examples
    --------
    >>> from kernrs import KernelKMeans
    >>> labels = KernelKMeans(2, kernel="rbf").fit_predict([[0.0], [0.1], [5.0], [5.1]])
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True

    With the linear kernel it is ordinary k-means:

    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> X, _ = load_iris(return_X_y=True)
    >>> ours = KernelKMeans(3, kernel="linear", n_init=10).fit(X).inertia_
    >>> theirs = KMeans(3, n_init=10, random_state=0).fit(X).inertia_
    >>> bool(abs(ours - theirs) < 1e-6 * theirs)
    True
    """

    _learner = "kmeans"

    def __init__(self, n_clusters=8, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, n_init=1, max_iter=300,
                 random_state=0):
        self.n_clusters, self.kernel, self.gamma, self.degree, self.coef0 = n_clusters, kernel, gamma, degree, coef0
        self.n_init, self.max_iter, self.random_state = n_init, max_iter, random_state

    def fit(self, X, y=None, sample_weight=None):
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings; a Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored; accepted for scripts written for scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing: it only gets a
            label. They count in ``gamma="scale"``, too, where scikit-learn ignores them.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If n_clusters exceeds the number of samples, a parameter is out of its range, all weights are zero, or the
            memory budget is too small.
        """
        return self._fit_clusters(X, sample_weight)


class SoftKernelKMeans(_KMeans):
    """Soft k-means clustering in the feature space of a kernel, by expectation maximisation.

    Minimises the free energy F = sum_i w_i sum_c r_ic (d_ic^2 + ln(r_ic/pi_c)/beta) over the shares r_ic of sample i in
    cluster c, the sizes pi_c and the centres mu_c of the clusters, where d_ic = ||phi(x_i) - mu_c||. For large ``beta``
    it is :class:`KernelKMeans`; with ``kernel="linear"`` it is a mixture of Gaussians with the variance 1/(2 beta).
    scikit-learn has no class of this name. A fit takes n^2/2 kernel values, n^2 floats of memory (the kernel is
    evaluated anew in each iteration if they do not fit the memory budget), and 2 n^2 k flops an iteration. For large n
    take ``sklearn.mixture.GaussianMixture`` on the features of :class:`Nystroem` or :class:`RBFSampler`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, from 1 to the number of samples.
    beta : float, default=10.0
        The stiffness, > 0: a share is proportional to pi_c exp(-beta d^2). A larger value gives harder clusters; with a
        small one clusters may coincide.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays that
        returns the matrix of all pairs, or "precomputed" for Gram matrices in the place of X.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features * X.var()), weighted
        by ``sample_weight``; "auto" is 1/n_features. Formulas have their own parameters.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    n_init : int, default=1
        Runs from different seeds, >= 1; the clustering with the smallest free energy is kept.
    max_iter : int, default=300
        Largest number of iterations of a run, >= 0; with 0 the seeds decide. A run that needs more warns with a
        ConvergenceWarning and keeps the clusters that it has reached.
    random_state : int, RandomState, Generator or None, default=0
        Seed of k-means++. None is the seed 0, so the result is the same in every run; a generator draws a seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), dtype int32
        The cluster with the largest share of each training sample.
    inertia_ : float
        The free energy F, which is not a sum of squared distances.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Iterations of the best run, at least 1.
    kernel_formula_ : str
        The kernel with all of its parameters; "precomputed" for a Gram matrix or a callable.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    KernelKMeans : Hard clusters, with fewer iterations.
    SpectralClustering : Clusters by the normalised cut, for clusters of any shape.

    Notes
    -----
    A fit has converged when an iteration lowers F by less than 1e-9 sum_i w_i K(x_i, x_i), and has "stalled" where
    rounding, or a kernel that is not positive semidefinite such as "sigmoid", would let F rise. F has local minima:
    increase ``n_init`` for a better one. float32 stays float32 in kernel values and products. The same ``random_state``
    gives the same bits for any number of threads.

    References
    ----------
    .. [1] Rose, Gurewitz & Fox (1990), "A deterministic annealing approach to clustering".
    .. [2] Neal & Hinton (1998), "A View of the EM Algorithm that Justifies Incremental, Sparse, and Other Variants".

    Examples
    --------
    >>> from kernrs import SoftKernelKMeans
    >>> model = SoftKernelKMeans(2, kernel="linear", beta=1.0).fit([[0.0], [1.0], [5.0], [6.0]])
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    >>> bool(model.predict([[0.5]])[0] == model.labels_[0])
    True
    """

    _learner = "soft_kmeans"

    def __init__(self, n_clusters=8, *, beta=10.0, kernel="rbf", gamma="scale", degree=3, coef0=1.0, n_init=1,
                 max_iter=300, random_state=0):
        self.n_clusters, self.beta, self.kernel, self.gamma = n_clusters, beta, kernel, gamma
        self.degree, self.coef0, self.n_init, self.max_iter, self.random_state = degree, coef0, n_init, max_iter, random_state

    def fit(self, X, y=None, sample_weight=None):
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings; a Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored; accepted for scripts written for scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing: it only gets a
            label. They count in ``gamma="scale"``, too, where scikit-learn ignores them.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If n_clusters exceeds the number of samples, a parameter is out of its range, all weights are zero, or the
            memory budget is too small.
        """
        return self._fit_clusters(X, sample_weight, beta=float(self.beta))


class SpectralClustering(_Clusters):
    """Spectral clustering by the normalised cut, with ``predict`` for new samples.

    The k clusters minimise, approximately, the normalised cut: the sum over clusters of the share of their kernel
    values that leads to other clusters. The rows of the k largest eigenvectors of D^(-1/2) K D^(-1/2), with the degrees
    D, are divided by k-means. The kernel is the affinity: its values should be positive, and small between clusters. By
    default rows of the embedding are scaled to length 1 (Ng, Jordan and Weiss); ``normalize=False, loops=False`` is
    what ``sklearn.cluster.SpectralClustering`` computes, with the diagonal of the kernel matrix as zero. There are no
    affinities by nearest neighbours. A fit takes n^2/2 kernel values, which are stored if they fit the memory budget,
    and some 10 products of the kernel matrix with 8 to 32 vectors. For large n take :class:`KernelKMeans` or features
    of :class:`Nystroem`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of eigenvectors, from 1 to the number of samples.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays that
        returns the matrix of all pairs, or "precomputed" for Gram matrices in the place of X: affinities that are a
        symmetric positive semidefinite matrix. The sum of each row must be positive.
    gamma : {"scale", "auto"} or float, default=1.0
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features * X.var()), weighted
        by ``sample_weight``; "auto" is 1/n_features. Formulas have their own parameters.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    n_init : int, default=10
        Runs from different seeds, >= 1; the best run of k-means on the embedding is kept.
    normalize : bool, default=True
        Scales the rows of the embedding to length 1; otherwise they are divided by the roots of their degrees (Shi and
        Malik), as in scikit-learn.
    loops : bool, default=True
        Takes the diagonal of the kernel matrix as it is; otherwise it counts as zero, as in scikit-learn.
    max_iter : int, default=300
        Largest number of products of the kernel matrix with a block of vectors, >= 1. Eigenvectors that need more are
        taken as they are, with a ConvergenceWarning.
    random_state : int, RandomState, Generator or None, default=0
        Seed of k-means and of the first block of vectors. None is the seed 0, so the result is the same in every run; a
        generator draws a seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), dtype int32
        Cluster of each training sample.
    eigenvalues_ : ndarray of shape (n_clusters,)
        The largest eigenvalues of the normalised kernel matrix, in descending order; fewer if the others are zero but
        for rounding. Clusters without kernel values between them have the eigenvalue 1 each.
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
    KernelKMeans : Clusters that are compact in the feature space; cheaper.
    KernelPCA : The embedding by the eigenvectors of the centred kernel matrix.

    Notes
    -----
    The objective of ``report_`` is the normalised cut. Its gap is the distance from the lower bound n_clusters -
    sum(eigenvalues_), so no other clusters can have a cut that is smaller by more than the gap. A new sample gets the
    row sum_j K(x, x_j) u(x_j)/(lambda sqrt(d(x) d_j)) of the embedding, and the nearest centre. Eigenvectors have
    residuals of at most 1e-10 of the largest eigenvalue, or 1e-5 for float32. The same ``random_state`` gives the same
    bits for any number of threads.

    References
    ----------
    .. [1] Shi & Malik (2000), "Normalized Cuts and Image Segmentation".
    .. [2] Ng, Jordan & Weiss (2001), "On Spectral Clustering: Analysis and an Algorithm".
    .. [3] von Luxburg (2007), "A Tutorial on Spectral Clustering".
    .. [4] Bengio et al. (2004), "Learning Eigenfunctions Links Spectral Embedding and Kernel PCA".

    Examples
    --------
    >>> import numpy as np
    >>> from kernrs import SpectralClustering
    >>> angle = np.arange(80)
    >>> rings = np.where(angle < 40, 1.0, 4.0)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = SpectralClustering(2, gamma=2.0).fit(rings)
    >>> inner, outer = set(model.labels_[:40].tolist()), set(model.labels_[40:].tolist())
    >>> len(inner), len(outer), inner != outer
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
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings; a Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored; accepted for scripts written for scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing: it only gets a
            label. They count in ``gamma="scale"``, too, where scikit-learn ignores them.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If n_clusters exceeds the number of samples, the kernel values of a sample do not add up to more than zero,
            a precomputed matrix is not a Gram matrix, a parameter is out of its range, or the memory budget is too
            small.
        """
        self._fit_clusters(X, sample_weight, normalize=bool(self.normalize), loops=bool(self.loops))
        self.eigenvalues_ = self.model_.eigenvalues
        return self
