"""Prediction intervals that hold without a model of the noise."""

import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, MultiOutputMixin, RegressorMixin, clone
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from . import _native
from ._base import advice_in_python
from ._linear import KernelRidge, KernelRidgeCV
from ._validation import Checked, checked


class SplitConformalRegressor(Checked, MultiOutputMixin, MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """Split conformal prediction: intervals of constant width around any regressor.

    The regressor is fitted to a part of the samples, and the absolute residuals |y_i - f(x_i)| of the others, the
    calibration samples, give the width: the interval is f(x) +- q, where q is the ceil(coverage * (m + 1))-th smallest
    of m residuals. A new target lies in its interval with a probability of at least the coverage, for any distribution,
    if samples and queries are exchangeable; that is on average over queries, not for each of them. With ``prefit=True``
    the regressor is fitted already, and all samples are calibration samples. A fit costs that of the regressor and a
    prediction for the calibration samples. scikit-learn has no class of this name.

    Parameters
    ----------
    estimator : regressor or None, default=None
        A regressor with the interface of scikit-learn, of kernrs or not. A clone of it is fitted, unless ``prefit`` is
        set. None is ``KernelRidge(kernel="rbf")``.
    calibration_size : float or int, default=0.25
        Calibration samples: a share > 0 and < 1, or a number >= 1. More of them make widths less random, and leave
        fewer for the regressor. Not used with ``prefit``.
    prefit : bool, default=False
        Takes the estimator as it is, fitted to other samples.
    random_state : int, RandomState or None, default=0
        Seed of the split, as in ``sklearn.model_selection.train_test_split``: None takes another split in every fit.

    Attributes
    ----------
    estimator_ : regressor
        The fitted regressor; with ``prefit`` the one that was given.
    residuals_ : ndarray of shape (n_calibration, n_outputs)
        Absolute residuals of the calibration samples.
    n_features_in_ : int
        Number of features of the fitted regressor.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features of the fitted regressor, if they had names.

    See Also
    --------
    jackknife_plus : Intervals of :class:`KernelRidge` from all samples, without a split.
    GaussianProcessRegressor : Widths that depend on the query, if the prior holds.
    QuantileSVR : Conditional quantiles.

    Notes
    -----
    If no two residuals are equal, the coverage is at most 1/(m + 1) above the one that is asked for. Fewer than
    coverage/(1 - coverage) calibration samples make intervals infinite, with a UserWarning: a coverage of 0.9 needs 9.
    Weights of samples are not supported.

    References
    ----------
    .. [1] Papadopoulos, Proedrou, Vovk & Gammerman (2002), "Inductive Confidence Machines for Regression".
    .. [2] Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), "Distribution-Free Predictive Inference for Regression".

    Examples
    --------
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
        """Fit the regressor to a part of the samples, and store the residuals of the others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or whatever the regressor takes
            Samples; with ``prefit`` all of them are calibration samples, which the regressor must not have seen.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If y is None, or ``calibration_size`` is out of its range.
        NotFittedError
            If ``prefit`` is set and the estimator is not fitted.
        """
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
        """int: the number of features of the fitted regressor."""
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self):
        """ndarray of shape (n_features_in_,): the names of the features of the fitted regressor, if they had names."""
        return self.estimator_.feature_names_in_

    def predict(self, X):
        """Predict targets with the fitted regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or whatever the regressor takes
            Samples.

        Returns
        -------
        y : ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Predicted targets, the middles of the intervals.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    def predict_interval(self, X, coverage=0.9):
        """Predict an interval for each target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or whatever the regressor takes
            Samples.
        coverage : float, default=0.9
            Smallest probability, > 0 and < 1, with which a target lies in its interval. A larger value gives wider
            intervals.

        Returns
        -------
        intervals : ndarray of shape (n_queries, 2) or (n_queries, n_outputs, 2)
            Lower and upper ends. They are infinite, with a UserWarning, if there are too few residuals for the
            coverage.

        Raises
        ------
        ValueError
            If the coverage is not > 0 and < 1.
        """
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
    """Jackknife+ prediction intervals of kernel ridge regression.

    With f_-i the model that has not seen sample i, and R_i its absolute residual there, the interval of x goes from the
    floor((1 - coverage) * (n + 1))-th smallest of f_-i(x) - R_i to the ceil(coverage * (n + 1))-th smallest of f_-i(x)
    + R_i. All n models come from one factorisation, without a refit: n^3/3 flops and n^2 floats once, and 2 n^2 flops a
    query. A target lies in its interval with a probability of at least 2 * coverage - 1 for any distribution, if
    samples and queries are exchangeable, and of about the coverage as a rule. For large n, or another regressor, take
    :class:`SplitConformalRegressor`.

    Parameters
    ----------
    estimator : KernelRidge
        Kernel and ``alpha`` of the regression. It is not changed, and need not be fitted.
    X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
        Training samples; a Gram matrix of shape (n_samples, n_samples) for ``kernel="precomputed"``.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    queries : array-like or sparse matrix of shape (n_queries, n_features), or list of str
        Samples whose intervals are computed; for ``kernel="precomputed"`` their kernel values with X, of shape
        (n_queries, n_samples).
    coverage : float, default=0.9
        Approximate probability, > 0 and < 1, with which a target lies in its interval. A larger value gives wider
        intervals.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights of the regression; a row of weight 0 changes nothing, and a row of any other weight is left
        out as one. With weights the coverage is approximate.

    Returns
    -------
    intervals : ndarray of shape (n_queries, 2) or (n_queries, n_outputs, 2)
        Lower and upper ends; infinite where n is too small for the coverage.

    Raises
    ------
    ValueError
        If the estimator is not a :class:`KernelRidge`, or is a :class:`KernelRidgeCV`, or the coverage is not > 0 and
        < 1.

    See Also
    --------
    SplitConformalRegressor : Intervals around any regressor, from a split of the samples.
    KernelRidge.leave_one_out : The residuals R_i alone.
    GaussianProcessRegressor : Intervals from a posterior, if the prior holds.

    Notes
    -----
    An interval is finite if n >= coverage/(1 - coverage): a coverage of 0.9 needs 9 samples. The result has the same
    bits for any number of threads.

    References
    ----------
    .. [1] Barber, Candes, Ramdas & Tibshirani (2021), "Predictive Inference with the Jackknife+".

    Examples
    --------
    >>> import numpy as np, kernrs
    >>> X = np.linspace(0, 4, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(40 * X[:, 0])
    >>> model = kernrs.KernelRidge(kernel="rbf", gamma=1.0, alpha=0.06)
    >>> lower, upper = kernrs.jackknife_plus(model, X, y, [[2.03]])[0]
    >>> bool(lower < np.sin(2.03) < upper)
    True
    """
    if isinstance(estimator, KernelRidgeCV):
        raise ValueError("jackknife_plus needs a KernelRidge with a given alpha, got a KernelRidgeCV, whose alpha "
                         "depends on all targets: take a KernelRidge, or SplitConformalRegressor around the KernelRidgeCV")
    if not isinstance(estimator, KernelRidge):
        raise ValueError(f"jackknife_plus needs a KernelRidge, got {type(estimator).__name__}; "
                         "take SplitConformalRegressor for others")
    checked("coverage", coverage)
    ridge = clone(estimator)
    formula, points, y, weights = ridge._problem(X, y, sample_weight)
    asked = ridge._like_fit(ridge._check_points(queries, reset=False))
    lam = float(ridge.alpha) / len(points)
    with advice_in_python(ridge):
        ends = _native.jackknife_plus(formula, points, y.reshape(len(y), -1), weights, lam, asked, float(coverage))
    found = np.stack(ends, axis=-1)
    return found[:, 0] if y.ndim == 1 else found

