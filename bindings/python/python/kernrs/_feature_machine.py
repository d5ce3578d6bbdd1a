"""Recursive feature machines: kernel ridge regression that learns which features matter."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._base import KernelClassifier, KernelEstimator, seed_of, weights_of


class _FeatureMachine(KernelEstimator):
    """What classifiers and regressors share."""

    _by_distances = True

    _learner = "feature_machine"
    # A point that is left out leaves others.
    _least = 2
    _sparse = False

    def __init__(self, kernel="exponential", *, gamma="scale", alpha=None, spread=None, n_rounds=4, metric="either", n_folds=5,
                 stacked=False, shrinkage=0.05, leaf_size=16_000, random_state=0):
        self.kernel, self.gamma, self.alpha, self.spread, self.n_rounds = kernel, gamma, alpha, spread, n_rounds
        self.metric, self.n_folds, self.stacked, self.shrinkage = metric, n_folds, stacked, shrinkage
        self.leaf_size, self.random_state = leaf_size, random_state

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
        """The metric M over its greatest entry, features x features."""
        check_is_fitted(self, "model_")
        return self.model_.metric

    @property
    def feature_importances_(self):
        """The diagonal of the metric, of sum 1: how much the function depends on each feature.

        They are equal, with a warning, if no metric was better than none.
        """
        matrix = self.feature_matrix_
        if len(matrix) > 1 and np.array_equal(matrix, np.eye(len(matrix))):
            warnings.warn("no metric was learned, so all features have the same importance: the fit without one has the smallest "
                          "error, or n_rounds is 0", UserWarning, stacklevel=2)
        diagonal = np.diag(matrix)
        return diagonal / diagonal.sum() if diagonal.any() else diagonal.copy()


class RecursiveFeatureMachineRegressor(MultiOutputMixin, RegressorMixin, _FeatureMachine):
    """Regression by kernel ridge regression in a metric that is learned from its own gradients.

    The kernel is ``exponential``, ``matern32``, ``matern52``, ``rbf``, ``rational_quadratic`` or ``laplacian``, whose width
    need not be right. ``alpha`` and ``spread`` are chosen in each of ``n_rounds`` by the exact leave-one-out error, unless
    they are given. ``metric`` is ``full``, ``diagonal``, or ``either``, of which the better one is taken. Rounds are judged by
    ``n_folds`` that their metric has not seen, or by leave-one-out with 0; the best one is taken, or with ``stacked`` a mean
    of them. Features should have comparable scales.

    >>> import numpy as np
    >>> from kernrs import RecursiveFeatureMachineRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> model = RecursiveFeatureMachineRegressor().fit(X, np.sin(2 * X[:, 3]))
    >>> int(model.feature_importances_.argmax())
    3
    """

    _several = True
    _numeric = True

    def fit(self, X, y, sample_weight=None):
        """Learns values, or several outputs at once.

        ``sample_weight`` counts in ``gamma="scale"``, too, where scikit-learn ignores it.
        """
        X, y = self._check_points(X, y, reset=True)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        y = np.ascontiguousarray(y, dtype=np.float64)
        return self._learn(self._prepare(X, weights), y, weights, **self._settings(len(y)))

    def predict(self, X):
        """The values at points."""
        queries = self._queries(X)
        return self.model_.predict(queries)


class RecursiveFeatureMachineClassifier(ClassifierMixin, KernelClassifier, _FeatureMachine):
    """Classes by kernel ridge regression of their indicators, in a metric that is learned from its own gradients.

    See :class:`RecursiveFeatureMachineRegressor`.
    """

    def __init__(self, kernel="exponential", *, gamma="scale", alpha=None, spread=None, n_rounds=4, metric="either", n_folds=5,
                 stacked=False, shrinkage=0.05, leaf_size=16_000, class_weight=None, random_state=0):
        super().__init__(kernel, gamma=gamma, alpha=alpha, spread=spread, n_rounds=n_rounds, metric=metric, n_folds=n_folds,
                         stacked=stacked, shrinkage=shrinkage, leaf_size=leaf_size, random_state=random_state)
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        """Learns classes.

        ``sample_weight`` counts in ``gamma="scale"`` and in ``class_weight="balanced"``, too, where scikit-learn ignores it.
        """
        return self._fit_classes(X, y, sample_weight)

    def _scaled(self, count):
        return self._settings(count)

    def decision_function(self, X):
        """The values of the functions of the classes."""
        return self._decisions(X)
