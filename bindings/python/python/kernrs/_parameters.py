"""The values that numeric parameters may have, in one table for all estimators and functions."""

import functools
import math
import numbers
from dataclasses import dataclass

#: The largest count that is a whole number as a double, too, which is what some of them become.
_MOST = 2**53


@dataclass(frozen=True)
class Range:
    """The numbers from ``low`` to ``high``, without these ends where they are open."""

    low: float = -math.inf
    high: float = math.inf
    is_whole: bool = False
    is_open: bool = False
    is_open_above: bool = False
    is_infinite: bool = False
    #: Values that are allowed besides: None, or names.
    others: tuple = ()

    def has(self, value):
        """Tells whether a value is allowed."""
        if value is None or isinstance(value, str):
            return value in self.others
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            return False
        try:
            double = float(value)
        except OverflowError:
            return False
        if not math.isfinite(double):
            return self.is_infinite and double > 0
        if self.is_whole and (value != int(value) or value > _MOST):
            return False
        above = value > self.low if self.is_open else value >= self.low
        return above and (value < self.high if self.is_open_above else value <= self.high)

    def __str__(self):
        kind = "a whole number" if self.is_whole else "a number" if self.is_infinite else "a finite number"
        ends = [f"{'>' if self.is_open else '>='} {self.low}"] if self.low > -math.inf else []
        ends += [f"{'<' if self.is_open_above else '<='} {self.high}"] if self.high < math.inf else []
        words = [f"{kind} {' and '.join(ends)}".rstrip(), *map(repr, self.others)]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_COUNT, _WHOLE = Range(1, is_whole=True), Range(0, is_whole=True)
_POSITIVE, _NOT_NEGATIVE = Range(0, is_open=True), Range(0)
_SHARE = Range(0, 1, is_open=True, is_open_above=True)

#: The values of parameters by their names; those of one class or function stand behind its name.
ALLOWED = {
    "C": _POSITIVE, "SVC.C": Range(0, is_open=True, is_infinite=True),
    "nu": Range(0, 1, is_open=True), "quantile": _SHARE, "epsilon": _NOT_NEGATIVE, "tol": _POSITIVE,
    "KernelLogisticRegression.tol": _NOT_NEGATIVE, "KernelPCA.tol": _NOT_NEGATIVE,
    "max_iter": Range(-1, is_whole=True, others=(None,)), "KernelLogisticRegression.max_iter": _WHOLE,
    "KernelPerceptron.max_iter": _COUNT, "_KMeans.max_iter": _WHOLE, "SpectralClustering.max_iter": _COUNT,
    "KernelPCA.max_iter": Range(1, is_whole=True, others=(None,)),
    "alpha": _POSITIVE, "KernelSGDClassifier.alpha": _NOT_NEGATIVE, "KernelSGDRegressor.alpha": _NOT_NEGATIVE,
    "_FeatureMachine.alpha": Range(0, is_open=True, others=(None,)),
    # An array is allowed, too, and is checked there.
    "GaussianProcessRegressor.alpha": None,
    "gamma": Range(0, is_open=True, others=(None, "scale", "auto")), "PolynomialCountSketch.gamma": _POSITIVE,
    "RBFSampler.gamma": Range(0, is_open=True, others=(None, "scale")),
    "degree": Range(0, 2**32 - 1, is_whole=True, others=(None,)), "PolynomialCountSketch.degree": _COUNT,
    "coef0": Range(others=(None,)), "PolynomialCountSketch.coef0": _NOT_NEGATIVE,
    "epochs": _COUNT, "n_clusters": _COUNT, "n_init": _COUNT, "beta": _POSITIVE, "n_neighbors": _COUNT,
    "n_components": _COUNT, "KernelPCA.n_components": Range(1, is_whole=True, others=(None,)),
    "n_restarts_optimizer": _WHOLE, "n_rounds": _WHOLE, "n_folds": _WHOLE, "shrinkage": _NOT_NEGATIVE,
    "spread": Range(0, is_open=True, others=(None,)), "leaf_size": Range(2, is_whole=True),
    "sample_steps": _COUNT, "sample_interval": Range(0, is_open=True, others=(None,)),
    "coverage": _SHARE, "n_samples": _COUNT, "n_permutations": _COUNT, "n_features": _COUNT, "pairs": _COUNT,
    "seed": _WHOLE, "random_state": _WHOLE, "landmarks": Range(0, is_whole=True, others=(None,)),
    "tune": Range(2, is_whole=True, others=(None,)), "memory": Range(0, is_whole=True, others=(None,)), "lam": _POSITIVE,
    "norm": _POSITIVE, "diameter": _POSITIVE, "failure": _SHARE, "error": _POSITIVE, "rows": _COUNT,
}


def checked(name, value, owner=""):
    """A value of a parameter, if it is allowed; ``owner`` is the class or function whose parameter it is."""
    allowed = ALLOWED.get(f"{owner}.{name}", ALLOWED[name])
    if allowed is not None and not allowed.has(value):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return value


def check(estimator):
    """Refuses an estimator with a numeric parameter that is not allowed."""
    owners = [kind.__name__ for kind in type(estimator).__mro__]
    for name, value in estimator.get_params(deep=False).items():
        if name == "random_state":
            # Of generators a seed is drawn.
            if isinstance(value, numbers.Number):
                checked(name, value)
            continue
        owner = next((owner for owner in owners if f"{owner}.{name}" in ALLOWED), "")
        if name in ALLOWED:
            checked(name, value, owner)


class Checked:
    """What checks the parameters of an estimator before any fit."""

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "fit" in vars(cls):
            cls.fit = _checked_fit(cls.fit)


def _checked_fit(fit):
    @functools.wraps(fit)
    def checked_fit(self, *given, **named):
        check(self)
        return fit(self, *given, **named)
    return checked_fit
