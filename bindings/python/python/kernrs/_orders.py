"""Orders of fits in rounds: what an estimator and its features are for the native part."""

import json
import numbers

from ._base import seed_of
from ._kernels import Kernel
from ._maps import Nystroem, RBFSampler
from ._validation import NAMES, formula_given, resolve

#: Landmarks of a kernel that is not linear, unless features are given.
LANDMARKS = 500

#: The estimators whose fit is a sum over samples: task, method, and the settings that their parameters are.
_LEARNERS = {
    "KernelRidge": ("regress", "ridge"),
    "KernelRidgeClassifier": ("classify", "ridge"),
    "KernelLogisticRegression": ("classify", "logistic"),
    "SVC": ("classify", "svm"),
    "SVR": ("regress", "svm"),
    "KernelKMeans": ("cluster:{n_clusters}", None),
    "KernelPCA": ("components:{n_components}", None),
    "RecursiveFeatureMachineRegressor": ("regress", "ridge"),
    "RecursiveFeatureMachineClassifier": ("classify", "ridge"),
}
_MACHINES = ("RecursiveFeatureMachineRegressor", "RecursiveFeatureMachineClassifier")

#: Parameters that would change the answers and have no place in a sum over samples, with the values that ask for nothing.
_REFUSED = {
    "class_weight": (None, "give weights by a column"),
    "probability": (False, "take KernelLogisticRegression"),
    "n_init": (1, "the clusters begin with those of a sample"),
    "fit_inverse_transform": (False, "components lead to points in memory only"),
    "stacked": (False, "the last metric is taken"),
    "break_ties": (False, "classes are told by the greatest function, and have no ties to break"),
}


def order_of(estimator, target=None, *, weights=None, ignore=(), features=None, standardized=False, fill=False,
             tolerance=None, max_rounds=None, class_type=None):
    """The order of an estimator, as JSON; without a type of classes it follows from their values."""
    name = type(estimator).__name__
    if type(estimator).__module__.split(".")[0] != "kernrs" or name not in _LEARNERS:
        raise ValueError(f"the fit of {name} is no sum over samples; those that are: {', '.join(_LEARNERS)}")
    given = estimator.get_params(deep=False)
    for parameter, (allowed, instead) in _REFUSED.items():
        if given.get(parameter, allowed) != allowed:
            raise ValueError(f"{name}: {parameter}={given[parameter]!r} is not for fits in rounds: {instead}")
    task, method = _LEARNERS[name]
    if (target is not None) != task.startswith(("regress", "classify")):
        needs = "needs the name of the column of targets, target=" if target is None else "has no targets: leave out target="
        raise ValueError(f"{name} {needs}")
    if target is not None and not isinstance(target, str):
        raise ValueError(f"target must be the name of one column, got {target!r}")
    map_, (formula, gamma) = _features(estimator, given, features)
    settings = _settings(name, given, type(estimator)().get_params(deep=False))
    settings |= {key: value for key, value in (("tolerance", tolerance), ("max_rounds", max_rounds)) if value is not None}
    is_map = isinstance(features, (Nystroem, RBFSampler))
    order = {
        "task": task.format(**{key: _count(key, given[key]) for key in ("n_clusters", "n_components") if key in given}),
        "method": method, "target": target, "class_type": class_type, "weights": weights, "ignore": names(ignore), "kernel": formula,
        "gamma": gamma, "features": map_, "standardized": bool(standardized), "fill": bool(fill),
        "seed": seed_of(features.random_state if is_map else given.get("random_state")),
        "settings": [[key, value] for key, value in settings.items()],
    }
    return json.dumps(order)


def names(given):
    """The names of columns in a list, each once; one may be given by itself."""
    return [given] if isinstance(given, str) else list(dict.fromkeys(given or ()))


def _count(name, value):
    if not isinstance(value, numbers.Integral) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    return int(value)


def _settings(name, given, default):
    """The settings of the native learner, of which the penalty is the estimator's own.

    Ends of fits are the estimator's if they were set: its defaults are for steps that cost less than a look at all rows.
    """
    found = {}
    if name in _MACHINES and given["alpha"] is None:
        raise ValueError(f"{name}: alpha is not chosen in rounds: give a number")
    if name in _MACHINES:
        found["alpha"] = float(given["alpha"])
    if name in ("KernelRidge", "KernelRidgeClassifier"):
        found |= {"alpha": float(given["alpha"]), "intercept": name != "KernelRidge"}
    if "C" in given:
        found["c"] = float(given["C"])
    if "epsilon" in given:
        found["epsilon"] = float(given["epsilon"])
    if name == "KernelLogisticRegression" and given["tol"] != default["tol"]:
        found["tolerance"] = float(given["tol"])
    # That of components is of an iteration within a round.
    if name != "KernelPCA" and given.get("max_iter") != default.get("max_iter"):
        found["max_rounds"] = _count("max_iter", given["max_iter"])
    return found


def _features(estimator, given, features):
    """The features, and the formula of their kernel with the rule for its gamma."""
    name, kernel = type(estimator).__name__, given["kernel"]
    if not isinstance(kernel, Kernel) and (callable(kernel) or kernel == "precomputed"):
        raise ValueError(f"{name}: kernel={kernel!r} has no features: give a name or a formula")
    if name in _MACHINES:
        return _learned(name, given, features)
    formula = formula_of(given)
    is_linear = formula[0] == "linear"
    if features is None:
        features = "columns" if is_linear else LANDMARKS
    if isinstance(features, str) and features == "columns":
        if not is_linear and not _is_default(estimator):
            raise ValueError(f"features='columns' are those of the linear kernel, and that of {name} is {formula[0]}: "
                             "give a number of landmarks, Nystroem or RBFSampler")
        return "columns", (None, None)
    if isinstance(features, (Nystroem, RBFSampler)):
        own = features.get_params(deep=False)
        if isinstance(own["kernel"], str) and own["kernel"] == "precomputed" or _is_function(own["kernel"]):
            raise ValueError(f"features={features!r}: the kernel must be a name or a formula")
        # RBFSampler has no rule for a gamma that is None: it is that of the family.
        is_plain = isinstance(features, RBFSampler) and own["gamma"] is None
        of_map = (resolve(own["kernel"]), None) if is_plain else formula_of(own)
        # An estimator behind a map is linear in its features, as in a pipeline.
        if not is_linear and of_map != formula and not _is_default(estimator):
            raise ValueError(f"the features are of the kernel {of_map[0]}, and {name} is of {formula[0]}: give one of them, or "
                             "kernel='linear' to the estimator")
        kind = "landmarks" if isinstance(features, Nystroem) else "fourier"
        return {kind: _count("n_components", own["n_components"])}, of_map
    if isinstance(features, numbers.Integral) and not isinstance(features, bool):
        return {"landmarks": _count("features", features)}, formula
    raise ValueError(f"features must be 'columns', a number of landmarks, Nystroem or RBFSampler, got {features!r}")


def _learned(name, given, features):
    """The features of a metric that is learned: their scale is that of a sample, since no spread is chosen."""
    if given["metric"] == "diagonal" or given["spread"] is not None:
        raise ValueError(f"{name}: metric='diagonal' and spread= are not for fits in rounds: the metric is full, and the kernel's "
                         "formula has its width")
    landmarks = LANDMARKS if features is None else features
    if not isinstance(landmarks, numbers.Integral) or isinstance(landmarks, bool):
        raise ValueError(f"features of {name} must be a number of landmarks, got {features!r}")
    kernel, gamma = given["kernel"], given["gamma"]
    formula = formula_given(kernel)
    formula = resolve(formula, gamma) if isinstance(gamma, numbers.Real) else formula
    return {"learned": {"landmarks": _count("features", landmarks), "rounds": _count("n_rounds", given["n_rounds"])}}, (formula, None)


def _is_function(kernel):
    return callable(kernel) and not isinstance(kernel, Kernel)


def _is_default(estimator):
    """Tells whether nothing was said about the kernel."""
    default, given = type(estimator)().get_params(deep=False), estimator.get_params(deep=False)
    names = ("kernel", "gamma", "degree", "coef0", "kernel_params")
    return all(given.get(name) is default.get(name) or given.get(name) == default.get(name) for name in names)


def formula_of(given):
    """The formula of the kernel in parameters of an estimator or of a map, and the rule for gamma if it leaves this open."""
    more = given.get("kernel_params") or {}
    gamma, degree, coef0 = (more.get(name, given.get(name)) for name in ("gamma", "degree", "coef0"))
    degree, coef0 = 3 if degree is None else degree, 1.0 if coef0 is None else coef0
    kernel = given["kernel"]
    if isinstance(gamma, str) and gamma not in ("scale", "auto"):
        raise ValueError(f"gamma must be 'scale', 'auto' or a number, got {gamma!r}")
    if gamma is None and isinstance(kernel, str) and kernel == "chi2":
        gamma = 1.0
    if isinstance(gamma, numbers.Real):
        return resolve(kernel, gamma, degree, coef0), None
    # No number makes a difference where it is not open.
    one, other = (resolve(kernel, number, degree, coef0) for number in (0.25, 0.5))
    if one == other:
        return one, None
    if isinstance(kernel, str) and kernel in NAMES:
        kernel = {"poly": f"poly(degree={int(degree)}, coef0={float(coef0)!r})",
                  "polynomial": f"poly(degree={int(degree)}, coef0={float(coef0)!r})",
                  "sigmoid": f"assume_mercer(sigmoid(coef0={float(coef0)!r}))", "chi2": "exp_chi2"}.get(kernel, kernel)
    return kernel.formula if isinstance(kernel, Kernel) else kernel, "auto" if gamma is None else gamma
