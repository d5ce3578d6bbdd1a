"""Hostile tables: a fit raises ValueError, or its model has finite answers of the right shape for all finite queries.

``KERN_HOSTILE_SECONDS`` is the time for random cases, 20 seconds by default; ``KERN_HOSTILE_SEED`` the number of the first one. A
case depends on its number alone, which is in the message of a failure.
"""

import inspect
import os
import time
import warnings

import kernrs
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier, is_regressor

SECONDS = float(os.environ.get("KERN_HOSTILE_SECONDS", "20"))
FIRST = int(os.environ.get("KERN_HOSTILE_SEED", "0"))

ESTIMATORS = [getattr(kernrs, name) for name in kernrs.__all__]
ESTIMATORS = [kind for kind in ESTIMATORS if isinstance(kind, type) and hasattr(kind, "fit")]
#: Names of scikit-learn, and formulas of all families on vectors; {0} and {1} are positive numbers.
KERNELS = ["linear", "rbf", "laplacian", "poly", "sigmoid", "cosine", "chi2", "rbf(gamma={0})", "laplacian(gamma={0})",
           "exponential(gamma={0})", "matern32(length_scale={0})", "matern52(length_scale={0})",
           "rational_quadratic(alpha={0}, length_scale={1})", "cauchy(gamma={0})", "poly(degree=3, gamma={0}, coef0={1})",
           "{0}*rbf(gamma={1}) + linear", "linear*rbf(gamma={0})", "linear^2", "exp(rbf(gamma={0}))", "normalized(linear)",
           "intersection", "hellinger", "exp_chi2(gamma={0})", "delta", "white(noise={0})", "constant(value={0})",
           "arc_cosine(order=1)"]


def number(rng):
    """A positive number: mostly a plain one."""
    exponents = (0, 0, 0, 1, -1, 3, -3, 8, -8, 30, -30, 150, -150)
    return float(rng.uniform(0.5, 2.0) * 10.0 ** rng.choice(exponents))


def table(rng):
    """Points that something is wrong with, and what it is."""
    n, d = int(rng.integers(1, 30)), int(rng.integers(1, 5))
    x, what = rng.normal(size=(n, d)), []
    for change in rng.choice(list(CHANGES), size=rng.integers(0, 3), replace=False):
        with np.errstate(all="ignore"):
            x = CHANGES[change](x, rng)
        what.append(str(change))
    x = np.clip(x, -1.7e308, 1.7e308)
    if rng.random() < 0.2:
        x = abs(x)
    if rng.random() < 0.2:
        with np.errstate(all="ignore"):
            x = np.clip(x, -3e38, 3e38).astype(np.float32)
    return x, what


CHANGES = {
    "offset": lambda x, rng: x + rng.choice([1e4, -1e4, 1e-4, 1e8, -1e8]),
    "scale": lambda x, rng: x * rng.choice([1e160, 1e-160, 1e300, 1e30, 1e-30]),
    "scale of a column": lambda x, rng: x * np.where(np.arange(x.shape[1]) == 0, rng.choice([1e160, 1e-160, 1e8]), 1.0),
    "subnormal": lambda x, rng: x * 1e-310,
    "constant": lambda x, rng: np.full_like(x, rng.choice([0.0, 1.0, 1e8, 1e160])),
    "constant column": lambda x, rng: np.where(np.arange(x.shape[1]) == 0, 3.0, x),
    "repeated": lambda x, rng: x[rng.integers(0, max(1, len(x) // 4), size=len(x))],
    "zero rows": lambda x, rng: x * (rng.random((len(x), 1)) < 0.5),
    "few values": lambda x, rng: np.round(x),
    "one outlier": lambda x, rng: np.where(np.arange(len(x))[:, None] == 0, x * 1e12, x),
}


def parameters(kind, rng):
    """Parameters that are allowed, in part at random."""
    plain = {
        "C": number, "alpha": number, "tol": lambda rng: float(10.0 ** rng.integers(-12, 0)), "nu": lambda rng: float(rng.uniform(0.01, 1)),
        "quantile": lambda rng: float(rng.uniform(0.01, 0.99)), "epsilon": lambda rng: float(rng.choice([0.0, 0.1, 1e6])),
        "gamma": lambda rng: (["scale", "auto", None] + [number(rng)])[rng.integers(4)], "degree": lambda rng: int(rng.integers(0, 12)),
        "coef0": lambda rng: float(rng.choice([0.0, 1.0, 1e6, 1e-6])), "beta": number, "n_clusters": lambda rng: int(rng.integers(1, 5)),
        "n_neighbors": lambda rng: int(rng.integers(1, 6)), "n_components": lambda rng: int(rng.integers(1, 9)),
        "class_weight": lambda rng: [None, "balanced"][rng.integers(2)], "normalize_y": lambda rng: bool(rng.integers(2)),
        "learn_noise": lambda rng: bool(rng.integers(2)), "n_restarts_optimizer": lambda rng: int(rng.integers(0, 2)),
        "optimizer": lambda rng: [None, "fmin_l_bfgs_b"][rng.integers(2)], "averaged": lambda rng: bool(rng.integers(2)),
        "loss": lambda rng: str(rng.choice(["hinge", "logistic", "squared_hinge", "perceptron"])), "n_rounds": lambda rng: int(rng.integers(0, 3)),
        "decision_function_shape": lambda rng: str(rng.choice(["ovr", "ovo"])), "fit_inverse_transform": lambda rng: bool(rng.integers(2)),
        "sample_steps": lambda rng: int(rng.integers(1, 5)), "metric": lambda rng: str(rng.choice(["full", "diagonal", "either"])),
        "stacked": lambda rng: bool(rng.integers(2)), "n_folds": lambda rng: int(rng.integers(0, 4)),
    }
    known = kind().get_params(deep=False)
    found = {name: make(rng) for name, make in plain.items() if name in known and rng.random() < 0.5}
    if "kernel" in known and kind is not kernrs.AdditiveChi2Sampler and rng.random() < 0.8:
        found["kernel"] = str(rng.choice(KERNELS)).format(repr(number(rng)), repr(number(rng)))
    if "max_iter" in known:
        # An end of what rounding does not let converge.
        found["max_iter"] = 1000
    return found


def targets(kind, n, rng):
    """Targets of all kinds of sizes, or classes."""
    if not is_regressor(kind()):
        return rng.integers(0, int(rng.integers(1, 5)), size=n)
    y = rng.normal(size=n) * rng.choice([1.0, 1.0, 1e8, 1e-8, 1e160, 1e-160]) + rng.choice([0.0, 0.0, 1e6])
    return np.full(n, y[0]) if rng.random() < 0.1 else y


def case(number_of_case):
    """The estimator, the arguments of its fit, and queries, of a number."""
    rng = np.random.default_rng(number_of_case)
    kind = ESTIMATORS[number_of_case % len(ESTIMATORS)]
    x, what = table(rng)
    y = targets(kind, len(x), rng)
    given = {}
    if "sample_weight" in inspect.signature(kind.fit).parameters and rng.random() < 0.5:
        given["sample_weight"] = rng.random(len(x)) * (rng.random(len(x)) < 0.8) * rng.choice([1.0, 1e-8, 1e8])
    # No larger than the points, and of their sign where all have one: a kernel or a map may be for these alone.
    others = rng.normal(size=(2, x.shape[1])) * min(1.0, float(abs(x).max()))
    others = (abs(others) if x.min() >= 0 else others).astype(x.dtype)
    queries = np.concatenate([x[:3], (x[:1] + x[-1:]) / 2 if abs(x).max() < 1e37 else x[-1:], others, np.zeros_like(x[:1])])
    settings = parameters(kind, rng)
    if kind(**settings).__sklearn_tags__().input_tags.sparse and rng.random() < 0.15:
        x, queries = sparse.csr_array(x), sparse.csr_array(queries)
    return kind, settings, (x, y), given, queries, what


def answered(model, queries):
    """The answers of a fitted model, by the names of methods."""
    rows, found = queries.shape[0], {}
    for name in ("predict", "decision_function", "predict_proba", "transform", "predict_interval", "score_samples"):
        if hasattr(model, name):
            found[name] = np.asarray(getattr(model, name)(queries))
    if isinstance(model, kernrs.GaussianProcessRegressor):
        found["deviation"] = model.predict(queries, return_std=True)[1]
    for name, values in found.items():
        assert values.shape[0] == rows, (name, values.shape)
        # Intervals of too few residuals are infinite, by their definition.
        if values.dtype.kind == "f" and name != "predict_interval":
            assert np.isfinite(values).all(), f"{name} has non-finite values"
    if is_classifier(model):
        assert np.isin(found["predict"], model.classes_).all()
        if "predict_proba" in found:
            np.testing.assert_allclose(found["predict_proba"].sum(axis=1), 1.0, rtol=1e-5)
    return found


def is_at_the_edge(model, x):
    """Tells whether kernel values of points are next to the largest number, or none: sums of them are refused."""
    formula = getattr(model, "_formula", "")
    try:
        values = kernrs.gram(formula, x) if formula else np.zeros((1, 1))
    except ValueError:
        return True
    return abs(values).max() > 1e-40 * float(np.finfo(values.dtype).max)


def refused(model, queries, may_refuse):
    """Asks a model; tells whether it refused, which is an error where it may not."""
    try:
        answered(model, queries)
    except ValueError:
        if not may_refuse:
            raise
        return True
    return False


def run(number_of_case):
    """A case: True if it was fitted, False if it was refused."""
    kind, settings, (x, y), given, queries, _ = case(number_of_case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = kind(**settings).fit(x, y, **given)
        except ValueError:
            return False
        weights = given.get("sample_weight", np.ones(len(y)))
        seen = x[np.flatnonzero(weights > 0)]
        refused(model, seen, may_refuse=is_at_the_edge(model, seen))
        # A kernel, or a map, may have no value for a query, though it has one for each point of the fit.
        refused(model, queries, may_refuse=True)
    return True


def test_hostile_tables():
    ends, number_of_case, fitted = time.monotonic() + SECONDS, FIRST, 0
    while time.monotonic() < ends:
        try:
            fitted += run(number_of_case)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            kind, settings, _, given, _, what = case(number_of_case)
            pytest.fail(f"case {number_of_case}: {kind.__name__}(**{settings}), {list(given)}, {what}: {type(error).__name__}: {error}")
        number_of_case += 1
    assert fitted > 0.3 * (number_of_case - FIRST)
