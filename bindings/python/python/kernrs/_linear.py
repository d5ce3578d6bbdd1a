"""Ridge and logistic regression, perceptrons and stochastic gradients, on kernels."""

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _native
from ._base import KernelClassifier, KernelEstimator, seed_of, weights_of
from ._parameters import check, checked


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Kernel ridge regression, in the place of ``sklearn.kernel_ridge.KernelRidge``; alpha is n times kern's λ.

    >>> from kernrs import KernelRidge
    >>> model = KernelRidge(alpha=1e-9, kernel="rbf", gamma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    >>> bool(abs(model.predict([[2.0]])[0] - 4.0) < 1e-6)
    True
    """

    _learner = "ridge"
    _several = True
    _numeric = True

    def __init__(self, alpha=1.0, *, kernel="linear", gamma=None, degree=3, coef0=1.0, kernel_params=None):
        self.alpha, self.kernel, self.gamma, self.degree, self.coef0 = alpha, kernel, gamma, degree, coef0
        self.kernel_params = kernel_params

    def fit(self, X, y, sample_weight=None):
        """Learns values, or several outputs at once.

        ``sample_weight`` counts in ``gamma="scale"``, too. A weight of 2 is the row twice, and a row of weight 0 changes nothing.
        """
        formula, points, y, weights = self._problem(X, y, sample_weight)
        self._learn(points, y, weights, **{"lambda": float(self.alpha) / len(points)})
        self._is_single, self._used = y.ndim == 1, None if weights is None else weights > 0
        return self

    def _problem(self, X, y, sample_weight):
        """The formula, the points, the targets and the weights of a fit."""
        check(self)
        X, y = self._check_points(X, y, reset=True)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        points = self._prepare(X, weights)
        return self._formula, points, np.ascontiguousarray(y, dtype=np.float64), weights

    def leave_one_out(self, X, y, sample_weight=None):
        """The residuals of each point under the model that has not seen it, exact, by one factorisation.

        >>> import numpy as np
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 4.0, 9.0])
        >>> model = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5)
        >>> residuals = model.leave_one_out(X, y)
        >>> bool(abs(residuals[0] - (y[0] - model.fit(X[1:], y[1:]).predict(X[:1])[0])) < 1e-12)
        True
        """
        formula, points, y, weights = self._problem(X, y, sample_weight)
        lam = float(self.alpha) / len(points)
        residuals = _native.leave_one_out(formula, points, y.reshape(len(y), -1), weights, lam)
        return residuals.reshape(y.shape)

    @property
    def dual_coef_(self):
        """The coefficients of the points, or points x outputs; those without weight have none."""
        check_is_fitted(self, "model_")
        values = self.model_.coefficients
        if self._used is not None and len(values) == np.count_nonzero(self._used):
            values, known = np.zeros((len(self._used), values.shape[1])), values
            values[self._used] = known
        return values[:, 0] if self._is_single else values

    def predict(self, X):
        """The values at points."""
        queries = self._queries(X)
        return self.model_.predict(queries)


class KernelRidgeCV(KernelRidge):
    """Kernel ridge regression whose alpha has the least error on points that are left out, by one eigendecomposition.

    Without ``cv`` they are left out one by one; otherwise the folds of ``cv`` are, which must be parts of the points, without
    any that overlap. No model is learned anew: the errors are exact. ``alpha`` keeps its meaning where points are left out.

    >>> import numpy as np
    >>> from kernrs import KernelRidgeCV
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = KernelRidgeCV([1e-3, 1e3], kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> model.alpha_
    0.001
    """

    def __init__(self, alphas=(1e-3, 1e-2, 0.1, 1.0, 10.0), *, kernel="linear", gamma=None, degree=3, coef0=1.0,
                 kernel_params=None, cv=None):
        self.alphas, self.kernel, self.gamma, self.degree, self.coef0 = alphas, kernel, gamma, degree, coef0
        self.kernel_params, self.cv = kernel_params, cv

    def fit(self, X, y, sample_weight=None):
        """Chooses alpha, and learns.

        ``sample_weight`` counts in the errors and in ``gamma="scale"``, too. A row is left out as one, whatever it weighs.
        """
        formula, points, targets, weights = self._problem(X, y, sample_weight)
        alphas = self.alphas if hasattr(self.alphas, "__len__") else [self.alphas]
        if len(alphas) == 0:
            raise ValueError("alphas must have at least one number")
        lambdas = [float(checked("alpha", alpha)) / len(points) for alpha in alphas]
        folds = None if self.cv is None else _folds(self.cv, X, targets, len(points))
        known = targets.reshape(len(targets), -1)
        self.errors_ = np.array(_native.left_out_errors(formula, points, known, weights, lambdas, folds))
        # Of equal ones the greatest alpha.
        chosen = min(range(len(lambdas)), key=lambda place: (self.errors_[place], -lambdas[place]))
        self.alpha_, self.best_score_ = float(alphas[chosen]), -float(self.errors_[chosen])
        self._learn(points, targets, weights, **{"lambda": lambdas[chosen]})
        self._is_single, self._used = targets.ndim == 1, None if weights is None else weights > 0
        return self

    def leave_one_out(self, X, y, sample_weight=None):
        """Those of :meth:`KernelRidge.leave_one_out`, with the alpha that was chosen."""
        check_is_fitted(self, "model_")
        names = ("kernel", "gamma", "degree", "coef0", "kernel_params")
        ridge = KernelRidge(self.alpha_, **{name: getattr(self, name) for name in names})
        return ridge.leave_one_out(X, y, sample_weight)


def _folds(cv, X, y, count):
    """The number of the fold of each point."""
    folds = np.full(count, -1)
    for number, (_, test) in enumerate(check_cv(cv).split(X, y)):
        if np.any(folds[test] >= 0):
            raise ValueError("cv must be a partition: some points are in several of its folds")
        folds[test] = number
    if np.any(folds < 0):
        raise ValueError("cv must be a partition: some points are in none of its folds")
    return folds.tolist()


class KernelRidgeClassifier(ClassifierMixin, KernelClassifier):
    """Classes by kernel ridge regression of their indicators."""

    _learner = "ridge"

    def __init__(self, alpha=1.0, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, class_weight=None):
        self.alpha, self.kernel, self.gamma, self.degree, self.coef0 = alpha, kernel, gamma, degree, coef0
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        """Learns classes.

        ``sample_weight`` counts in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores it.
        """
        return self._fit_classes(X, y, sample_weight, intercept=True)

    def _scaled(self, count):
        return {"lambda": float(self.alpha) / count}

    def decision_function(self, X):
        """The values of the functions of the classes."""
        return self._decisions(X)


class KernelLogisticRegression(ClassifierMixin, KernelClassifier):
    """Logistic regression on a kernel, with probabilities; C = 1/(nλ) as in scikit-learn."""

    _learner = "logistic"

    def __init__(self, C=1.0, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, tol=1e-6, class_weight=None,
                 max_iter=100):
        self.C, self.kernel, self.gamma, self.degree, self.coef0 = C, kernel, gamma, degree, coef0
        self.tol, self.class_weight, self.max_iter = tol, class_weight, max_iter

    def fit(self, X, y, sample_weight=None):
        """Learns classes and their probabilities.

        ``sample_weight`` counts in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores it.
        """
        settings = {"intercept": True, "tolerance": float(self.tol), "max_iterations": int(self.max_iter)}
        return self._fit_classes(X, y, sample_weight, **settings)

    def _scaled(self, count):
        return {"lambda": 1.0 / (float(self.C) * count)}

    def decision_function(self, X):
        """The values of the functions of the classes."""
        return self._decisions(X)

    def predict_proba(self, X):
        """The probabilities of the classes."""
        return self._probabilities(X)

    def predict_log_proba(self, X):
        """Their logarithms."""
        return np.log(self.predict_proba(X))


class KernelPerceptron(ClassifierMixin, KernelClassifier):
    """The perceptron on a kernel."""

    _learner = "perceptron"

    def __init__(self, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, averaged=False, max_iter=100,
                 class_weight=None, random_state=0):
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.averaged, self.max_iter, self.class_weight, self.random_state = averaged, max_iter, class_weight, random_state

    def fit(self, X, y, sample_weight=None):
        """Learns classes.

        ``sample_weight`` counts in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores it.
        """
        settings = {"averaged": bool(self.averaged), "max_iterations": int(self.max_iter), "seed": seed_of(self.random_state)}
        return self._fit_classes(X, y, sample_weight, **settings)

    def decision_function(self, X):
        """The values of the functions of the classes."""
        return self._decisions(X)


class KernelSGDClassifier(ClassifierMixin, KernelClassifier):
    """Stochastic gradients on a kernel: the hinge loss, unless another is named."""

    _learner = "sgd"
    _limit = None

    def __init__(self, *, loss="hinge", alpha=1e-4, kernel="rbf", gamma="scale", degree=3, coef0=1.0, epochs=20,
                 class_weight=None, random_state=0):
        self.loss, self.alpha, self.kernel, self.gamma, self.degree = loss, alpha, kernel, gamma, degree
        self.coef0, self.epochs, self.class_weight, self.random_state = coef0, epochs, class_weight, random_state

    def fit(self, X, y, sample_weight=None):
        """Learns classes.

        ``sample_weight`` counts in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores it.
        """
        settings = {"loss": self.loss, "lambda": float(self.alpha), "epochs": int(self.epochs),
                    "seed": seed_of(self.random_state)}
        return self._fit_classes(X, y, sample_weight, **settings)

    def decision_function(self, X):
        """The values of the functions of the classes."""
        return self._decisions(X)


class KernelSGDRegressor(RegressorMixin, KernelEstimator):
    """Stochastic gradients of the squared loss on a kernel."""

    _learner = "sgd"
    _limit = None
    _numeric = True

    def __init__(self, *, alpha=1e-4, kernel="rbf", gamma="scale", degree=3, coef0=1.0, epochs=20, random_state=0):
        self.alpha, self.kernel, self.gamma, self.degree, self.coef0 = alpha, kernel, gamma, degree, coef0
        self.epochs, self.random_state = epochs, random_state

    def fit(self, X, y, sample_weight=None):
        """Learns values.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        X, y = self._check_points(X, y, reset=True)
        y = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        settings = {"lambda": float(self.alpha), "epochs": int(self.epochs), "seed": seed_of(self.random_state)}
        return self._learn(self._prepare(X, weights), y, weights, **settings)

    def predict(self, X):
        """The values at points."""
        queries = self._queries(X)
        return self.model_.predict(queries)
