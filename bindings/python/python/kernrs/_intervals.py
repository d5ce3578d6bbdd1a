"""Intervals of predictions that hold without a model of the noise."""

import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, MultiOutputMixin, RegressorMixin, clone
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from . import _native
from ._linear import KernelRidge
from ._parameters import Checked, checked


class SplitConformalRegressor(Checked, MultiOutputMixin, MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """Any regressor with intervals of constant width, from a share of the points that it does not learn from.

    A new target lies in its interval with a probability of at least the coverage, for any distribution, if points and
    queries are exchangeable. With ``prefit=True`` the regressor is fitted already, and all points are for the widths.

    >>> import numpy as np
    >>> from kernrs import KernelRidge, SplitConformalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=400)
    >>> model = SplitConformalRegressor(KernelRidge(kernel="rbf", alpha=0.1)).fit(X[:300], y[:300])
    >>> lower, upper = model.predict_interval(X[300:], coverage=0.9).T
    >>> bool(np.mean((lower <= y[300:]) & (y[300:] <= upper)) > 0.8)
    True
    """

    def __init__(self, estimator=None, *, calibration_size=0.25, prefit=False, random_state=0):
        self.estimator, self.calibration_size = estimator, calibration_size
        self.prefit, self.random_state = prefit, random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        of_estimator = self._regressor().__sklearn_tags__()
        tags.input_tags = of_estimator.input_tags
        tags.target_tags.multi_output = of_estimator.target_tags.multi_output
        return tags

    def _regressor(self):
        return KernelRidge(kernel="rbf") if self.estimator is None else self.estimator

    def _check_calibration_size(self):
        size = self.calibration_size
        is_share = isinstance(size, numbers.Real) and not isinstance(size, numbers.Integral) and 0 < size < 1
        if not is_share and not (isinstance(size, numbers.Integral) and not isinstance(size, bool) and size >= 1):
            raise ValueError(f"calibration_size must be a share > 0 and < 1, or a whole number >= 1, got {size!r}")

    def fit(self, X, y):
        """Learns from a part of the points, and keeps the residuals of the others."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if self.prefit:
            self.estimator_ = self._regressor()
            check_is_fitted(self.estimator_)
            kept, targets = X, y
        else:
            X, y = indexable(X, y)
            self._check_calibration_size()
            # Whoever has one point only hears it from the regressor, in its own words.
            parts = (X, X, y, y) if _num_samples(X) < 2 else train_test_split(
                X, y, test_size=self.calibration_size, random_state=self.random_state)
            seen, kept, known, targets = parts
            self.estimator_ = clone(self._regressor()).fit(seen, known)
        targets = np.asarray(targets, dtype=np.float64)
        residuals = targets - self.estimator_.predict(kept).reshape(targets.shape)
        self.residuals_ = np.ascontiguousarray(np.abs(residuals.reshape(len(residuals), -1)), dtype=np.float64)
        return self

    @property
    def n_features_in_(self):
        """The number of features of the fit."""
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self):
        """The names of the features of the fit, if they had names."""
        return self.estimator_.feature_names_in_

    def predict(self, X):
        """The values at points."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    def predict_interval(self, X, coverage=0.9):
        """The ends of the intervals: points x 2, or points x outputs x 2. They are infinite with too few residuals."""
        checked("coverage", coverage)
        values = self.predict(X)
        widths = np.asarray(_native.conformal_widths(self.residuals_, float(coverage)))
        if not np.isfinite(widths).all():
            warnings.warn(f"the intervals are infinite: {len(self.residuals_)} residuals are too few for a coverage of {coverage}; "
                          "give more points, or a larger calibration_size", stacklevel=2)
        if values.ndim == 1:
            widths = widths[0]
        return np.stack([values - widths, values + widths], axis=-1)


def jackknife_plus(estimator, X, y, queries, *, coverage=0.9, sample_weight=None):
    """The intervals of a :class:`KernelRidge` by the models that have not seen one of the points, without a refit.

    The result is queries x 2, or queries x outputs x 2. A target lies in its interval with a probability of at least
    2 * coverage - 1 for any distribution, and of about the coverage as a rule. It takes one factorisation of all points.

    >>> import numpy as np, kernrs
    >>> X = np.linspace(0, 4, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(40 * X[:, 0])
    >>> model = kernrs.KernelRidge(kernel="rbf", gamma=1.0, alpha=0.06)
    >>> lower, upper = kernrs.jackknife_plus(model, X, y, [[2.03]])[0]
    >>> bool(lower < np.sin(2.03) < upper)
    True
    """
    if not isinstance(estimator, KernelRidge):
        raise ValueError(f"jackknife_plus needs a KernelRidge, got {type(estimator).__name__}; "
                         "take SplitConformalRegressor for others")
    checked("coverage", coverage)
    ridge = clone(estimator)
    formula, points, y, weights = ridge._problem(X, y, sample_weight)
    asked = ridge._like_fit(ridge._check_points(queries, reset=False))
    lam = float(ridge.alpha) / len(points)
    ends = _native.jackknife_plus(formula, points, y.reshape(len(y), -1), weights, lam, asked, float(coverage))
    found = np.stack(ends, axis=-1)
    return found[:, 0] if y.ndim == 1 else found

