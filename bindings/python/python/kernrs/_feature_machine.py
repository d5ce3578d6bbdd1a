"""Recursive feature machines: kernel ridge regression that learns which features matter."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._base import KernelClassifier, KernelEstimator, seed_of, weights_of
from ._validation import is_texts

#: The kernels that a metric is learned for.
_KERNELS = "exponential, matern32, matern52, rbf, rational_quadratic, laplacian"


class _FeatureMachine(KernelEstimator):
    """Base class of the classifier and the regressor."""

    _by_distances = True

    _learner = "feature_machine"
    _limit = "alpha"
    # A point that is left out leaves others.
    _least = 2
    _sparse = False

    def __init__(self, kernel="exponential", *, gamma="scale", alpha=None, spread=None, n_rounds=4, metric="either", n_folds=5,
                 stacked=False, shrinkage=0.05, leaf_size=16_000, random_state=0):
        self.kernel, self.gamma, self.alpha, self.spread, self.n_rounds = kernel, gamma, alpha, spread, n_rounds
        self.metric, self.n_folds, self.stacked, self.shrinkage = metric, n_folds, stacked, shrinkage
        self.leaf_size, self.random_state = leaf_size, random_state

    def _check_points(self, points, y="no_validation", *, reset):
        if is_texts(points):
            raise ValueError(f"{type(self).__name__} needs samples of numbers, since it learns from gradients of the "
                             "kernel; got strings")
        if reset and (self.kernel is None or self.kernel == "precomputed" or self._is_called(self.kernel)):
            raise ValueError(f"kernel must be {_KERNELS}, or a formula or Kernel of one of these, whose gradient is "
                             f"known, got {self.kernel!r}")
        return super()._check_points(points, y, reset=reset)

    def _on_vectors(self):
        return True

    def _formula_of(self, kernel, points, weights):
        # A width is wanted of families that have no gamma, too; it need not be right, since the spread is chosen.
        formula = {"matern32": "matern32(length_scale={!r})", "matern52": "matern52(length_scale={!r})",
                   "rational_quadratic": "rational_quadratic(alpha=1, length_scale={!r})"}.get(kernel)
        gamma = float(self._resolved_gamma(points, weights))
        if formula is not None:
            return super()._formula_of(formula.format(gamma**-0.5), points, weights)
        if kernel in ("exponential", "laplacian"):
            return super()._formula_of(f"{kernel}(gamma={gamma**0.5!r})", points, weights)
        return super()._formula_of(kernel, points, weights)

    def _settings(self, count):
        settings = {"rounds": int(self.n_rounds), "metric": self.metric, "folds": int(self.n_folds),
                    "stacked": bool(self.stacked), "shrinkage": float(self.shrinkage), "leaf": int(self.leaf_size),
                    "seed": seed_of(self.random_state)}
        if self.alpha is not None:
            settings["lambda"] = float(self.alpha) / count
        if self.spread is not None:
            settings["spread"] = float(self.spread)
        return settings

    @property
    def feature_matrix_(self):
        """ndarray of shape (n_features, n_features): the metric M over its largest entry."""
        check_is_fitted(self, "model_")
        return self.model_.metric

    @property
    def feature_importances_(self):
        """ndarray of shape (n_features,): the diagonal of the metric, of sum 1.

        It measures how much the function depends on each feature. The entries are equal, with a UserWarning, if no
        metric was better than none.
        """
        matrix = self.feature_matrix_
        if len(matrix) > 1 and np.array_equal(matrix, np.eye(len(matrix))):
            warnings.warn("no metric was learned, so all features have the same importance: the fit without one has the smallest "
                          "error, or n_rounds is 0", UserWarning, stacklevel=2)
        diagonal = np.diag(matrix)
        return diagonal / diagonal.sum() if diagonal.any() else diagonal.copy()


class RecursiveFeatureMachineRegressor(MultiOutputMixin, RegressorMixin, _FeatureMachine):
    """Regression by a recursive feature machine: kernel ridge regression in a metric that is learned.

    The metric M weighs features, and directions of features, by the gradients of the function itself: in each of
    ``n_rounds`` ridge regression is solved, and M becomes the average outer product of its gradients. The best round is
    taken. Features should have comparable scales, since the first round takes distances as they are. X must be dense. A
    round of n samples with d features takes some five Cholesky factorisations of 2/3 n^3 flops where ``alpha`` and
    ``spread`` are chosen, 5 n^2 d flops for gradients and n^2 floats; folds cost more. More than ``leaf_size`` samples
    are halved first, so time and memory stay bounded for each leaf. scikit-learn has no class of this name.

    Parameters
    ----------
    kernel : str or Kernel, default="exponential"
        The kernel: a name ("exponential", "matern32", "matern52", "rbf", "rational_quadratic", "laplacian"), or a
        formula or :class:`Kernel` of one of these with its parameters, such as ``"matern52(length_scale=2.0)"``. Sums,
        products, callables and "precomputed" are not supported: gradients of K are needed.
    gamma : {"scale", "auto"} or float, default="scale"
        Sets the width of a kernel that is given by its name: gamma of "rbf", the root of gamma for "exponential" and
        "laplacian", 1/length_scale^2 of the others. "scale" is 1/(n_features * X.var()), weighted by ``sample_weight``;
        "auto" is 1/n_features. It need not be right, since ``spread`` is chosen. Formulas have their own parameters.
    alpha : float or None, default=None
        Penalty of ||f||^2, > 0, next to the sum of squared errors, as in :class:`KernelRidge`; a larger value gives a
        smoother function. None chooses it in each round by the exact leave-one-out error, in steps of sqrt(10).
    spread : float or None, default=None
        Root mean square distance of the samples in the metric, relative to that in X, > 0; a larger value narrows the
        kernel. None chooses it in each round by the exact leave-one-out error, among powers of 2.
    n_rounds : int, default=4
        Number of times that the metric is learned, >= 0. With 0 it is kernel ridge regression with an intercept.
    metric : {"full", "diagonal", "either"}, default="either"
        Kind of the metric: a symmetric matrix, which finds directions; a weight for each feature, for few samples or
        many features; or both, of which the better one is taken at twice the cost.
    n_folds : int, default=5
        Folds of the cross-validation that judges rounds, >= 2, or 0 for leave-one-out errors, which are optimistic
        after the first round, since the metric has seen all targets.
    stacked : bool, default=False
        Predicts by the mean of rounds with the least error of cross-validation, with weights >= 0 of sum 1, instead of
        by the best round. Predictions cost more: there is a function for each round of positive weight.
    shrinkage : float, default=0.05
        Share of the mean of the metric's diagonal that is added to the diagonal, >= 0. A larger value keeps the metric
        closer to the Euclidean one.
    leaf_size : int, default=16000
        Largest number of samples that are fitted together, >= 2. More are halved at the median along the direction that
        matters most, again and again, and each leaf is fitted separately.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds and of the samples by which leaves are split. None is the seed 0, so the result is the same in
        every run; a generator draws a seed.

    Attributes
    ----------
    feature_matrix_ : ndarray of shape (n_features, n_features)
        The metric M over its largest entry, float64; of several leaves the mean.
    feature_importances_ : ndarray of shape (n_features,)
        The diagonal of the metric, of sum 1: how much the function depends on each feature. They are equal, with a
        UserWarning, if no metric was better than none.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Number of rounds that were fitted, of all kinds of metric.
    kernel_formula_ : str
        The kernel with all of its parameters, for distances that are not scaled by the spread.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    RecursiveFeatureMachineClassifier : The same for classes.
    KernelRidge : Ridge regression with a fixed kernel, of any family.
    GaussianProcessRegressor : Learns a width for each feature with ``ard_rbf``, by the likelihood.

    Notes
    -----
    A round solves ridge regression on z = R x, M = R^T R, f(x) = b + sum_i alpha_i K(z_i, z), and takes the average
    outer product of the gradients of f at the samples, or its diagonal, for the next M. The first round has M = I. Each
    round is judged by folds whose targets its metric has not seen. ``report_["leaves"]`` lists the rounds of each leaf
    with their "lambda" (alpha/n_samples), "spread", leave-one-out "error", "validation_error" and "weight". float32 stays
    float32; M is in double precision. From 1024 float64 samples on, factors are in single precision and precondition an
    iteration in double precision. The same ``random_state`` gives the same bits for any number of threads.

    References
    ----------
    .. [1] Radhakrishnan, Beaglehole, Pandit & Belkin (2024), "Mechanism for feature learning in neural networks and
       backpropagation-free machine learning models".
    .. [2] Beaglehole, Holzmueller, Radhakrishnan & Belkin (2025), "xRFM: Accurate, scalable, and interpretable
       feature learning models for tabular data".

    Examples
    --------
    The two features of the diabetes data that matter most:

    >>> import numpy as np
    >>> from kernrs import RecursiveFeatureMachineRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> model = RecursiveFeatureMachineRegressor(n_rounds=2).fit(data.data[:200], data.target[:200])
    >>> sorted(np.array(data.feature_names)[model.feature_importances_.argsort()[-2:]].tolist())
    ['bmi', 's5']
    >>> model.score(data.data[200:], data.target[200:]) > 0.45
    True
    """

    _several = True
    _numeric = True

    def fit(self, X, y, sample_weight=None):
        """Fit the metric and the function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, dense, at least 2.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets. Several outputs share the metric.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing. In leave-one-out
            errors and folds, which choose alpha, the spread and the round, a row is left out as one, whatever it
            weighs. They count in ``gamma="scale"``, too, where scikit-learn ignores them.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the kernel has no gradient, ``metric`` is unknown, ``n_folds`` is 1, a parameter is out of its range, all
            weights are zero, or the memory budget is too small.
        TypeError
            If X is sparse.
        """
        X, y = self._check_points(X, y, reset=True)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        y = np.ascontiguousarray(y, dtype=np.float64)
        return self._learn(self._prepare(X, weights), y, weights, **self._settings(len(y)))

    def predict(self, X):
        """Predict targets.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Predicted targets.
        """
        queries = self._queries(X)
        return self.model_.predict(queries)


class RecursiveFeatureMachineClassifier(ClassifierMixin, KernelClassifier, _FeatureMachine):
    """Classification by a recursive feature machine: kernel ridge regression of class indicators in a learned metric.

    The targets are -1 and 1: two classes have one function, more have a function each against the rest, and the largest
    value wins. All functions share the metric M, which is learned from their gradients; see
    :class:`RecursiveFeatureMachineRegressor`. Features should have comparable scales. X must be dense. There is no
    ``predict_proba``: for probabilities take ``sklearn.calibration.CalibratedClassifierCV`` around it. A round of n
    samples with d features takes some five Cholesky factorisations of 2/3 n^3 flops where ``alpha`` and ``spread`` are
    chosen, 5 n^2 d flops for gradients and n^2 floats; folds cost more. More than ``leaf_size`` samples are halved
    first, so time and memory stay bounded for each leaf. scikit-learn has no class of this name.

    Parameters
    ----------
    kernel : str or Kernel, default="exponential"
        The kernel: a name ("exponential", "matern32", "matern52", "rbf", "rational_quadratic", "laplacian"), or a
        formula or :class:`Kernel` of one of these with its parameters, such as ``"matern52(length_scale=2.0)"``. Sums,
        products, callables and "precomputed" are not supported: gradients of K are needed.
    gamma : {"scale", "auto"} or float, default="scale"
        Sets the width of a kernel that is given by its name: gamma of "rbf", the root of gamma for "exponential" and
        "laplacian", 1/length_scale^2 of the others. "scale" is 1/(n_features * X.var()), weighted by ``sample_weight``;
        "auto" is 1/n_features. It need not be right, since ``spread`` is chosen. Formulas have their own parameters.
    alpha : float or None, default=None
        Penalty of ||f||^2, > 0, next to the sum of squared errors, as in :class:`KernelRidge`; a larger value gives a
        smoother function. None chooses it in each round by the exact leave-one-out error, in steps of sqrt(10).
    spread : float or None, default=None
        Root mean square distance of the samples in the metric, relative to that in X, > 0; a larger value narrows the
        kernel. None chooses it in each round by the exact leave-one-out error, among powers of 2.
    n_rounds : int, default=4
        Number of times that the metric is learned, >= 0. With 0 it is kernel ridge regression with an intercept.
    metric : {"full", "diagonal", "either"}, default="either"
        Kind of the metric: a symmetric matrix, which finds directions; a weight for each feature, for few samples or
        many features; or both, of which the better one is taken at twice the cost.
    n_folds : int, default=5
        Folds of the cross-validation that judges rounds, >= 2, or 0 for leave-one-out errors, which are optimistic
        after the first round, since the metric has seen all targets.
    stacked : bool, default=False
        Predicts by the mean of rounds with the least error of cross-validation, with weights >= 0 of sum 1, instead of
        by the best round. Predictions cost more: there is a function for each round of positive weight.
    shrinkage : float, default=0.05
        Share of the mean of the metric's diagonal that is added to the diagonal, >= 0. A larger value keeps the metric
        closer to the Euclidean one.
    leaf_size : int, default=16000
        Largest number of samples that are fitted together, >= 2. More are halved at the median along the direction that
        matters most, again and again, and each leaf is fitted separately.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class).
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds and of the samples by which leaves are split. None is the seed 0, so the result is the same in
        every run; a generator draws a seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    feature_matrix_ : ndarray of shape (n_features, n_features)
        The metric M over its largest entry, float64; of several leaves the mean.
    feature_importances_ : ndarray of shape (n_features,)
        The diagonal of the metric, of sum 1: how much the function depends on each feature. They are equal, with a
        UserWarning, if no metric was better than none.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Number of rounds that were fitted, of all kinds of metric.
    kernel_formula_ : str
        The kernel with all of its parameters, for distances that are not scaled by the spread.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    RecursiveFeatureMachineRegressor : The same for numbers.
    SVC : Support vector classification with a fixed kernel, of any family.
    GaussianProcessClassifier : Learns the kernel by the likelihood, and predicts probabilities.

    Notes
    -----
    A round solves ridge regression on z = R x, M = R^T R, f(x) = b + sum_i alpha_i K(z_i, z), and takes the average
    outer product of the gradients of f at the samples, or its diagonal, for the next M. The first round has M = I. Each
    round is judged by folds whose targets its metric has not seen. ``report_["leaves"]`` lists the rounds of each leaf
    with their "lambda" (alpha/n_samples), "spread", leave-one-out "error", "validation_error" and "weight". float32 stays
    float32; M is in double precision. From 1024 float64 samples on, factors are in single precision and precondition an
    iteration in double precision. The same ``random_state`` gives the same bits for any number of threads.

    References
    ----------
    .. [1] Radhakrishnan, Beaglehole, Pandit & Belkin (2024), "Mechanism for feature learning in neural networks and
       backpropagation-free machine learning models".
    .. [2] Beaglehole, Holzmueller, Radhakrishnan & Belkin (2025), "xRFM: Accurate, scalable, and interpretable
       feature learning models for tabular data".

    Examples
    --------
    >>> from kernrs import RecursiveFeatureMachineClassifier
    >>> from sklearn.datasets import load_iris
    >>> data = load_iris()
    >>> model = RecursiveFeatureMachineClassifier(n_rounds=2).fit(data.data[::2], data.target[::2])
    >>> model.score(data.data[1::2], data.target[1::2]) > 0.9
    True
    >>> data.feature_names[model.feature_importances_.argmax()]
    'petal width (cm)'
    """

    def __init__(self, kernel="exponential", *, gamma="scale", alpha=None, spread=None, n_rounds=4, metric="either", n_folds=5,
                 stacked=False, shrinkage=0.05, leaf_size=16_000, class_weight=None, random_state=0):
        super().__init__(kernel, gamma=gamma, alpha=alpha, spread=spread, n_rounds=n_rounds, metric=metric, n_folds=n_folds,
                         stacked=stacked, shrinkage=shrinkage, leaf_size=leaf_size, random_state=random_state)
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        """Fit the metric and the function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, dense, at least 2.
        y : array-like of shape (n_samples,)
            Classes: numbers, booleans or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing. In leave-one-out
            errors and folds, which choose alpha, the spread and the round, a row is left out as one, whatever it
            weighs. They count in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores
            them.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the kernel has no gradient, ``metric`` is unknown, ``n_folds`` is 1, a parameter is out of its range, all
            weights are zero, or the memory budget is too small.
        TypeError
            If X is sparse.
        """
        return self._fit_classes(X, y, sample_weight)

    def _scaled(self, count):
        return self._settings(count)

    def decision_function(self, X):
        """Values of the functions that tell the classes apart.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_queries,) or (n_queries, n_classes)
            For two classes the value of one function, positive for ``classes_[1]``; for more the value of each class
            against the rest, of which the largest wins. Classes without weight in the fit have values below all others.
        """
        return self._decisions(X)
