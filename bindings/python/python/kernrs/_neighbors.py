"""Nearest neighbours by the distance in the feature space of a kernel; the linear kernel has the Euclidean distance."""

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._base import KernelClassifier, KernelEstimator


class _Neighbors(KernelEstimator):
    """Base class of nearest neighbours, with a search in NumPy where there is no formula.

    Precomputed and callable kernels lack the value of a query with itself, which no ranking of neighbours needs.
    """

    _by_distances = True
    _limit = None

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
        """Targets of the nearest neighbours: queries x neighbours, or queries x neighbours x outputs."""
        check_is_fitted(self, "model_")
        values = self._values_with_fit(self._check_points(X, reset=False))
        if values.shape[1] != len(self._diagonal):
            raise ValueError(f"a query needs the kernel values with all {len(self._diagonal)} points of the fit, got {values.shape[1]}")
        # The value of a query with itself would be the same for all neighbours.
        return self._targets[np.argsort(self._diagonal - 2 * values, axis=1, kind="stable")[:, : int(self.n_neighbors)]]


class KNeighborsClassifier(ClassifierMixin, _Neighbors, KernelClassifier):
    """Classification by the votes of the k nearest neighbours, in the feature space of a kernel.

    With the default ``kernel="linear"`` neighbours are Euclidean, as by default in
    ``sklearn.neighbors.KNeighborsClassifier``; other kernels bring other distances, and neighbours of strings. All
    votes have the same weight (``weights="uniform"`` in scikit-learn), y has one output, and there is no
    ``kneighbors``. The search compares a query with all n training samples: fit copies the samples, and a prediction
    takes n kernel values a query. For large n in few dimensions the trees of scikit-learn are faster.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours, from 1 to the number of samples.
    kernel : str, Kernel, callable or "precomputed", default="linear"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays that
        returns the matrix of all pairs, or "precomputed" for Gram matrices in the place of X.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features * X.var()); "auto" is
        1/n_features. Formulas have their own parameters.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Always 1.
    kernel_formula_ : str
        The kernel with all of its parameters; "precomputed" for a Gram matrix or a callable.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    KNeighborsRegressor : Means of the neighbours' targets.
    SVC : A classifier with a margin, which keeps some of the samples only.

    Notes
    -----
    The squared distance is K(x, x) + K(x_i, x_i) - 2 K(x, x_i); kernels that fall with the Euclidean distance, such as
    "rbf", have the same neighbours as "linear". Of samples at the same distance the first one in X is the nearer, so
    ties may be broken otherwise than in scikit-learn. There is nothing to optimise: the status is always "converged".
    float32 stays float32. The result has the same bits for any number of threads. Of equal votes the first class wins.

    References
    ----------
    .. [1] Cover & Hart (1967), "Nearest Neighbor Pattern Classification".
    .. [2] Yu, Ji & Zhang (2002), "Kernel Nearest-Neighbor Algorithm".

    Examples
    --------
    >>> import numpy as np, kernrs
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), [0, 0, 1]
    >>> model = kernrs.KNeighborsClassifier(1, kernel="precomputed").fit(kernrs.gram("linear", X), y)
    >>> model.predict(kernrs.gram("linear", [[4.0]], X))
    array([1])

    Neighbours of strings:

    >>> words = kernrs.KNeighborsClassifier(1, kernel="normalized(spectrum(k=2))")
    >>> words.fit(["GATTACA", "CCGGC"], ["a", "b"]).predict(["GATTAGA"]).tolist()
    ['a']
    """

    _learner = "neighbors"

    def __init__(self, n_neighbors=5, *, kernel="linear", gamma="scale", degree=3, coef0=1.0):
        self.n_neighbors, self.kernel, self.gamma, self.degree, self.coef0 = n_neighbors, kernel, gamma, degree, coef0

    def fit(self, X, y):
        """Store the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings; a Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Classes: numbers, booleans or strings.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If n_neighbors exceeds the number of samples, or y has fewer than two classes.
        """
        return self._fit_classes(X, y, None, neighbors=int(self.n_neighbors))

    def predict(self, X):
        """Predict the classes of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, of shape
            (n_queries, n_samples).

        Returns
        -------
        y : ndarray of shape (n_queries,)
            The class with the most votes; of equal votes the first in ``classes_``.
        """
        if getattr(self, "_formula", True):
            return super().predict(X)
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X):
        """Predict the shares of the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, of shape
            (n_queries, n_samples).

        Returns
        -------
        p : ndarray of shape (n_queries, n_classes)
            Share of each class, in the order of ``classes_``, among the neighbours.
        """
        if getattr(self, "_formula", True):
            return self._probabilities(X)
        codes = self._nearest(X)
        return np.mean(codes[:, :, np.newaxis] == np.arange(len(self.classes_)), axis=1)


class KNeighborsRegressor(MultiOutputMixin, RegressorMixin, _Neighbors):
    """Regression by the mean of the k nearest neighbours, in the feature space of a kernel.

    With the default ``kernel="linear"`` neighbours are Euclidean, as by default in
    ``sklearn.neighbors.KNeighborsRegressor``; other kernels bring other distances, and neighbours of strings. All
    neighbours have the same weight (``weights="uniform"`` in scikit-learn), and there is no ``kneighbors``. The search
    compares a query with all n training samples: fit copies the samples, and a prediction takes n kernel values a
    query. For large n in few dimensions the trees of scikit-learn are faster.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours, from 1 to the number of samples.
    kernel : str, Kernel, callable or "precomputed", default="linear"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays that
        returns the matrix of all pairs, or "precomputed" for Gram matrices in the place of X.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features * X.var()); "auto" is
        1/n_features. Formulas have their own parameters.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".

    Attributes
    ----------
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Always 1.
    kernel_formula_ : str
        The kernel with all of its parameters; "precomputed" for a Gram matrix or a callable.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    KNeighborsClassifier : Votes of the neighbours.
    KernelRidge : A smooth function.

    Notes
    -----
    The squared distance is K(x, x) + K(x_i, x_i) - 2 K(x, x_i); kernels that fall with the Euclidean distance, such as
    "rbf", have the same neighbours as "linear". Of samples at the same distance the first one in X is the nearer, so
    ties may be broken otherwise than in scikit-learn. There is nothing to optimise: the status is always "converged".
    float32 stays float32. The result has the same bits for any number of threads.

    References
    ----------
    .. [1] Cover & Hart (1967), "Nearest Neighbor Pattern Classification".
    .. [2] Yu, Ji & Zhang (2002), "Kernel Nearest-Neighbor Algorithm".

    Examples
    --------
    >>> from kernrs import KNeighborsRegressor
    >>> model = KNeighborsRegressor(2).fit([[0.0], [1.0], [5.0]], [0.0, 2.0, 10.0])
    >>> model.predict([[0.4], [4.0]])
    array([1., 6.])
    """

    _learner = "neighbors"
    _several = True
    _numeric = True

    def __init__(self, n_neighbors=5, *, kernel="linear", gamma="scale", degree=3, coef0=1.0):
        self.n_neighbors, self.kernel, self.gamma, self.degree, self.coef0 = n_neighbors, kernel, gamma, degree, coef0

    def fit(self, X, y):
        """Store the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings; a Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If n_neighbors exceeds the number of samples.
        """
        X, y = self._check_points(X, y, reset=True)
        points = self._prepare(X)
        return self._learn(points, np.ascontiguousarray(y, dtype=np.float64), None, neighbors=int(self.n_neighbors))

    def predict(self, X):
        """Predict targets: the means of the neighbours' targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, of shape
            (n_queries, n_samples).

        Returns
        -------
        y : ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Predicted targets.
        """
        if not getattr(self, "_formula", True):
            return self._nearest(X).mean(axis=1)
        queries = self._queries(X)
        return self.model_.predict(queries)
