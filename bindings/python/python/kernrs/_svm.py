"""Support vector machines."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from ._base import KernelClassifier, KernelEstimator, numbers_of


class _Machine(KernelEstimator):
    """What all machines share: the stopping rule, and the support vectors.

    Four arguments are there for scripts that have them, and change no answer: ``shrinking`` and ``cache_size``, since a
    machine keeps what fits the memory (:func:`kernrs.config` bounds it); ``verbose``, since ``report_`` says it all; and
    ``random_state``, since nothing is random.
    """

    # With an intercept a machine is the same from whatever point the features are seen.
    _by_distances = True

    def _weights_of(self, sample_weight, X):
        """Weights as an array; points of negative weight are left out, as by LIBSVM."""
        weights = numbers_of(sample_weight, X)
        if not np.any(weights > 0):
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        return np.maximum(weights, 0.0)

    def _stopping(self):
        if getattr(self, "probability", False):
            raise ValueError("probability=True is not supported: take CalibratedClassifierCV or KernelLogisticRegression")
        settings = {"violation": float(self.tol)}
        if self.max_iter is not None and self.max_iter >= 0:
            settings["max_iterations"] = int(self.max_iter)
        return settings

    def _keep_support(self, X):
        self.support_ = np.asarray(self.model_.support, dtype=np.int32)
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        X = self._check_points(X, reset=False)
        if not isinstance(X, list):
            self.support_vectors_ = X[self.support_] if self._formula else np.empty((0, 0))
        return self

    @property
    def dual_coef_(self):
        """The coefficients of the support vectors: functions x support vectors."""
        return self._like_points(self._coefficients())

    def _coefficients(self):
        check_is_fitted(self, "model_")
        return np.ascontiguousarray(self.model_.coefficients.T)

    def _like_points(self, values):
        """Sparse where the points are, as scikit-learn has it."""
        return sparse.csr_array(values) if sparse.issparse(getattr(self, "support_vectors_", None)) else values

    @property
    def intercept_(self):
        """The intercepts of the functions."""
        check_is_fitted(self, "model_")
        return self.model_.intercepts

    @property
    def coef_(self):
        """The weights of the coordinates, functions x coordinates, of a machine with ``kernel="linear"``."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self, "model_")
        return _fixed(self._like_points(self._coefficients() @ self.support_vectors_))


def _fixed(weights):
    """The same weights, not to be written to: they are computed from the model, and a change would change no answer."""
    if not sparse.issparse(weights):
        weights.flags.writeable = False
    return weights


def _penalty(c):
    """A penalty for the native part, which has a name for the infinite one."""
    return "infinite" if c == float("inf") else float(c)


class _Classification(ClassifierMixin, _Machine, KernelClassifier):
    """Classification by machines for pairs of classes."""

    def predict(self, X):
        """The classes of points, by the votes of the machines."""
        if getattr(self, "break_ties", False) and len(getattr(self, "classes_", ())) > 2:
            if self.decision_function_shape == "ovo":
                raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
            return self.classes_[np.argmax(self.decision_function(X), axis=1)]
        return super().predict(X)

    def decision_function(self, X):
        """The decision values; of more than two classes as ``decision_function_shape`` says."""
        values = self._decisions(X)
        if values.ndim == 1:
            return values
        # Of a pair, kern's values are positive for the second class, those of scikit-learn for the first.
        if self.decision_function_shape == "ovo":
            return -values
        return _ovr_decision_function(values > 0, values, len(self.classes_))

    def _of_all_classes(self, values):
        """The values of all pairs: of a class without weight and another one, that other one is told; of two, none."""
        pairs, known = self._pairs()
        found = np.tile(pairs, (len(values), 1)).astype(values.dtype)
        found[:, known] = values
        return found

    def _pairs(self):
        """The constant functions of pairs with a class that had no weight, and which pairs had."""
        is_present = np.isin(np.arange(len(self.classes_)), self._present)
        first, second = (is_present[place] for place in np.triu_indices(len(self.classes_), 1))
        return second.astype(np.float64) - first, first & second

    def _coefficients(self):
        values = super()._coefficients()
        if self._present is None:
            return values
        known = self._pairs()[1]
        found = np.zeros((len(known), values.shape[1]), dtype=values.dtype)
        found[known] = values
        return found

    # Of a pair, kern's function is positive for the second class, that of scikit-learn for the first, but for a single pair.
    @property
    def _sign(self):
        return 1.0 if len(self.classes_) == 2 else -1.0

    @property
    def intercept_(self):
        """The intercepts of the functions of pairs."""
        found = super().intercept_
        if self._present is not None:
            found = self._of_all_classes(found[np.newaxis])[0]
        return found * self._sign

    @property
    def coef_(self):
        """The weights of the coordinates, pairs x coordinates, of a machine with ``kernel="linear"``."""
        return _fixed(super().coef_ * self._sign)

    @property
    def dual_coef_(self):
        """The coefficients of the support vectors, (classes - 1) x support vectors, in the order of LIBSVM.

        A support vector of a class has one for each pair with another class.
        """
        values = self._coefficients()
        if len(self.classes_) == 2:
            return self._like_points(values)
        owner = np.repeat(np.arange(len(self.classes_)), self.n_support_)
        found = np.zeros((len(self.classes_) - 1, len(owner)))
        for pair, (first, second) in enumerate(zip(*np.triu_indices(len(self.classes_), 1))):
            found[second - 1, owner == first] = values[pair, owner == first]
            found[first, owner == second] = values[pair, owner == second]
        return self._like_points(self._sign * found)

    #: The words of LIBSVM where the weights leave one class.
    _one_class = "Invalid input - all samples with positive weights belong to the same class."

    def _fit_machine(self, X, y, sample_weight, **settings):
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError("decision_function_shape must be either 'ovr' or 'ovo'")
        self._fit_classes(X, y, sample_weight, **settings, **self._stopping())
        self._keep_support(X)
        codes = np.searchsorted(self.classes_, np.asarray(y).ravel()[self.support_])
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_)).astype(np.int32)
        return self


class SVC(_Classification):
    """Support vector classification with a penalty C, in the place of ``sklearn.svm.SVC``.

    >>> from kernrs import SVC
    >>> SVC(C=10).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]).predict([[1, 0]])
    array([1])
    """

    _learner = "svc"

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True,
                 probability=False, tol=1e-3, cache_size=None, class_weight=None, verbose=False, max_iter=-1,
                 decision_function_shape="ovr", break_ties=False, random_state=None):
        self.C, self.kernel, self.degree, self.gamma, self.coef0 = C, kernel, degree, gamma, coef0
        self.tol, self.class_weight, self.max_iter = tol, class_weight, max_iter
        self.decision_function_shape, self.break_ties = decision_function_shape, break_ties
        self.shrinking, self.probability, self.cache_size = shrinking, probability, cache_size
        self.verbose, self.random_state = verbose, random_state

    def fit(self, X, y, sample_weight=None):
        """Learns classes.

        ``sample_weight`` counts in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores it.
        """
        return self._fit_machine(X, y, sample_weight, c=_penalty(self.C))


class NuSVC(_Classification):
    """Support vector classification with a share ν of support vectors.

    Classes that overlap have a smallest useful ν, below which no function has a margin: a fit then ends as soon as that is seen, and
    warns.
    """

    _learner = "svc"
    _limit = "max_iter, or nu if the classes overlap"
    _one_class = "specified nu is infeasible: all samples with positive weights belong to the same class."

    def __init__(self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True,
                 probability=False, tol=1e-3, cache_size=None, class_weight=None, verbose=False, max_iter=-1,
                 decision_function_shape="ovr", break_ties=False, random_state=None):
        self.nu, self.kernel, self.degree, self.gamma, self.coef0 = nu, kernel, degree, gamma, coef0
        self.tol, self.class_weight, self.max_iter = tol, class_weight, max_iter
        self.decision_function_shape, self.break_ties = decision_function_shape, break_ties
        self.shrinking, self.probability, self.cache_size = shrinking, probability, cache_size
        self.verbose, self.random_state = verbose, random_state

    def fit(self, X, y, sample_weight=None):
        """Learns classes.

        ``sample_weight`` counts in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores it.
        """
        return self._fit_machine(X, y, sample_weight, nu=float(self.nu))


class _Regression(RegressorMixin, _Machine):
    """Regression by a machine."""

    _numeric = True

    def _fit_machine(self, X, y, sample_weight, **settings):
        from sklearn.utils.validation import column_or_1d
        X, y = self._check_points(X, y, reset=True)
        y = column_or_1d(y, warn=True)
        weights = None if sample_weight is None else self._weights_of(sample_weight, X)
        points = self._prepare(X, weights)
        self._learn(points, np.asarray(y, dtype=np.float64), weights, **settings, **self._stopping())
        return self._keep_support(X)

    def predict(self, X):
        """The values at points."""
        queries = self._queries(X)
        return self.model_.predict(queries)


class SVR(_Regression):
    """Support vector regression with a tube of half-width ε, in the place of ``sklearn.svm.SVR``."""

    _learner = "svr"

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0, epsilon=0.1,
                 shrinking=True, cache_size=None, verbose=False, max_iter=-1):
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.C, self.epsilon, self.max_iter = tol, C, epsilon, max_iter
        self.shrinking, self.cache_size, self.verbose = shrinking, cache_size, verbose

    def fit(self, X, y, sample_weight=None):
        """Learns values.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        return self._fit_machine(X, y, sample_weight, c=float(self.C), epsilon=float(self.epsilon))


class NuSVR(_Regression):
    """Support vector regression whose tube leaves a share ν outside."""

    _learner = "svr"

    def __init__(self, *, nu=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, tol=1e-3,
                 cache_size=None, verbose=False, max_iter=-1):
        self.nu, self.C, self.kernel, self.degree, self.gamma = nu, C, kernel, degree, gamma
        self.coef0, self.tol, self.max_iter = coef0, tol, max_iter
        self.shrinking, self.cache_size, self.verbose = shrinking, cache_size, verbose

    def fit(self, X, y, sample_weight=None):
        """Learns values.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        return self._fit_machine(X, y, sample_weight, c=float(self.C), nu=float(self.nu))


class QuantileSVR(_Regression):
    """Regression of a conditional quantile: the machine of the pinball loss, in the RKHS of a kernel.

    ``quantile`` is between 0 and 1: the share of targets below the curve.

    >>> import numpy as np
    >>> from kernrs import QuantileSVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> share = np.mean(y <= QuantileSVR(quantile=0.9, C=1.0).fit(X, y).predict(X))
    >>> bool(abs(share - 0.9) < 0.02)
    True
    """

    _learner = "svr"

    def __init__(self, *, quantile=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, max_iter=-1):
        self.quantile, self.C, self.kernel, self.degree, self.gamma = quantile, C, kernel, degree, gamma
        self.coef0, self.tol, self.max_iter = coef0, tol, max_iter

    def fit(self, X, y, sample_weight=None):
        """Learns the curve.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        return self._fit_machine(X, y, sample_weight, c=float(self.C), quantile=float(self.quantile))


class OneClassSVM(OutlierMixin, _Machine):
    """The region where most points lie."""

    _by_distances = False
    _learner = "one_class"

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, nu=0.5,
                 shrinking=True, cache_size=None, verbose=False, max_iter=-1):
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.nu, self.max_iter = tol, nu, max_iter
        self.shrinking, self.cache_size, self.verbose = shrinking, cache_size, verbose

    def fit(self, X, y=None, sample_weight=None):
        """Learns the region.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        X = self._check_points(X, reset=True)
        weights = None if sample_weight is None else self._weights_of(sample_weight, X)
        self._learn(self._prepare(X, weights), None, weights, nu=float(self.nu), **self._stopping())
        self.offset_ = -self.intercept_
        return self._keep_support(X)

    def decision_function(self, X):
        """The distance from the border of the region; positive inside."""
        queries = self._queries(X)
        return self.model_.decision(queries)[:, 0]

    def score_samples(self, X):
        """The decision function without its offset."""
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        """1 inside, -1 outside."""
        queries = self._queries(X)
        return self.model_.predict(queries)
