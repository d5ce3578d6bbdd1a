"""Writes the type stubs of the package, ``python/kernrs/__init__.pyi`` and ``distributed.pyi``, from the signatures that it has.

Run it where kernrs is installed: ``python stubs.py``. A parameter whose type is not known here is an error.
"""

import inspect
import pathlib
import sys

import kernrs
import kernrs.distributed

HEAD = '''"""Kernel methods, fast and certified, in the manner of scikit-learn. Written by ``stubs.py``."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
__all__: list[str]

_Floats = NDArray[np.floating[Any]]
_Points = Any
_Kernel = str | Kernel | Callable[..., Any] | None
_State = int | np.random.Generator | np.random.RandomState | None

'''

#: The head of the stubs of ``kernrs.distributed``.
DISTRIBUTED = '''"""Fits beyond one machine. Written by ``stubs.py``."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kernrs import Nystroem, RBFSampler, TableModel

__all__: list[str]

_Features = int | str | Nystroem | RBFSampler | None

'''

#: The types of parameters by their names; those of one class or function alone stand behind its name.
TYPES = {
    "C": "float", "X": "_Points", "a": "_Points", "alpha": "float", "alphas": "Sequence[float]", "averaged": "bool",
    "b": "_Points | None", "cv": "Any", "bar": "Any", "beta": "float", "break_ties": "bool", "cache_size": "float | None",
    "calibration_size": "float | int", "callback": "Callable[..., object] | None", "class_weight": "Mapping[Any, float] | str | None",
    "coef0": "float | None", "copy_X": "bool", "coverage": "float", "decision_function_shape": "str", "deep": "bool", "degree": "int | None",
    "diameter": "float", "epochs": "int", "epsilon": "float", "error": "float", "estimator": "Any",
    "eigen_solver": "str", "failure": "float", "fit_inverse_transform": "bool", "formula": "str", "frame": "Any", "gamma": "float | str | None", "groups": "str | None",
    "interrupt": "str", "iterated_power": "int | str", "json": "bool", "kernel": "_Kernel", "kernel_params": "Mapping[str, Any] | None", "lam": "float",
    "landmarks": "int | None", "leaf_size": "int", "learn_noise": "bool", "loss": "str", "max_iter": "int",
    "memory": "int | None", "method": "str | None", "metric": "str", "n_clusters": "int", "n_components": "int", "n_features": "int", "n_folds": "int",
    "n_init": "int", "n_jobs": "int | None", "n_neighbors": "int", "n_restarts_optimizer": "int", "n_rounds": "int", "n_samples": "int",
    "norm": "float", "normalize_y": "bool", "nu": "float", "optimizer": "str | None", "other": "Any", "pairs": "int",
    "parameters": "Any", "path": "Any", "phases": "bool", "points": "_Points", "prefit": "bool", "probability": "bool",
    "quantile": "float", "queries": "_Points", "random_state": "_State", "return_cov": "bool", "return_std": "bool",
    "sample_interval": "float | None", "sample_steps": "int", "sample_weight": "ArrayLike | None", "seed": "int",
    "settings": "Any", "shrinkage": "float", "shrinking": "bool", "spread": "float | None", "stacked": "bool", "target": "str | None",
    "task": "str | None", "tol": "float", "tune": "int | None", "contest": "float | None", "shuffle": "bool", "verbose": "bool | int", "weights": "str | None",
    "y": "ArrayLike", "exponent": "int",
    "RecursiveFeatureMachineRegressor.alpha": "float | None", "RecursiveFeatureMachineClassifier.alpha": "float | None",
    "GaussianProcessRegressor.alpha": "float | ArrayLike", "choose_features.error": "float | None",
    "choose_features.n_components": "int | None", "KernelPCA.n_components": "int | None", "KernelPCA.max_iter": "int | None", "TableModel.native": "Any", "ErrorBound.native": "Any",
    "ErrorBound.what": "str", "Kernel.from_sklearn.kernel": "Any", "PolynomialCountSketch.degree": "int",
    "PolynomialCountSketch.coef0": "float", "Nystroem.degree": "int | None", "ErrorBound.uniform.gamma": "float",
    "Y": "_Points", "kernel_y": "_Kernel", "gamma_y": "float | None", "n_permutations": "int", "mmd_test.gamma": "float | None",
    "hsic_test.gamma": "float | None", "statistic": "float", "p_value": "float", "null": "NDArray[np.float64]",
    "AdditiveChi2Sampler.kernel": "str", "train.kernel": "str | Kernel | None", "train.metric": "str | None", "plan.kernel": "str | Kernel | None",
    "data": "Any", "client": "Any", "features": "_Features", "ignore": "Sequence[str] | str", "standardized": "bool", "fill": "bool",
    "tolerance": "float | None", "max_rounds": "int | None", "rows": "int", "checkpoint": "Any", "files": "Any", "count": "int",
    "sample": "Any", "group": "int", "tables": "Iterable[Any]", "sums": "Iterable[bytes]", "model": "Any", "i": "int",
    "fit.target": "Any", "fit.weights": "Any", "fit.callback": "Callable[[dict[str, Any]], object] | None", "gather.task": "bytes",
    "gather_tables.task": "bytes", "Rounds.next.sums": "bytes", "to": "Any", "score.target": "Any",
    "predict.columns": "Sequence[str] | None", "score.columns": "Sequence[str] | None",
    "ErrorBound.relative_spectral.n_samples": "int", "SoftKernelKMeans.fit.y": "Any", "KernelKMeans.fit.y": "Any", "SpectralClustering.fit.y": "Any", "loops": "bool", "normalize": "bool",
    "SpectralClustering.gamma": "float | str | None",
}
#: Targets that nobody looks at.
LOOSE = ("KernelKMeans", "SoftKernelKMeans", "SpectralClustering", "OneClassSVM", "KernelPCA", "Nystroem", "RBFSampler", "PolynomialCountSketch", "AdditiveChi2Sampler")

#: What methods and functions give back.
RETURNS = {
    "fit": "Self", "predict": "NDArray[Any]", "predict_proba": "_Floats", "predict_log_proba": "_Floats",
    "decision_function": "_Floats", "score_samples": "_Floats", "transform": "_Floats", "inverse_transform": "_Floats", "reconstruction_errors": "NDArray[np.float64]",
    "leave_one_out": "NDArray[np.float64]",
    "sample_y": "_Floats", "log_marginal_likelihood": "float", "predict_interval": "NDArray[np.float64]",
    "certificate": "Certificate", "of_formula": "PolynomialCountSketch", "estimator": "Any", "failure": "float",
    "n_components": "int", "error": "float", "pointwise": "ErrorBound", "uniform": "ErrorBound", "spectral_norm": "ErrorBound",
    "relative_spectral": "ErrorBound", "exp": "Kernel", "normalized": "Kernel", "from_sklearn": "Kernel", "__call__": "_Floats",
    "__add__": "Kernel", "__mul__": "Kernel", "__rmul__": "Kernel", "__pow__": "Kernel", "to_bytes": "bytes",
    "jackknife_plus": "NDArray[np.float64]", "gram": "_Floats", "families": "list[str]", "train": "TableModel",
    "read_table_model": "TableModel", "plan": "Plan", "save": "None", "load": "Any",
    "hyper_parameters": "list[tuple[str, Any, str]]", "config": "AbstractContextManager[None]",
    "get_config": "dict[str, Any]", "progress": "AbstractContextManager[Any]", "choose_features": "FeatureChoice", "mmd_test": "PermutationTest", "hsic_test": "PermutationTest",
    "GaussianProcessRegressor.predict": "Any", "TableModel.predict_proba": "tuple[NDArray[Any], _Floats]",
    "__matmul__": "NDArray[Any]",
    # Those of ``kernrs.distributed``: functions have no owner.
    ".fit": "TableModel", ".predict": "Any", ".score": "float", ".gather": "bytes", ".gather_tables": "bytes", ".merge": "bytes",
    "Rounds.group": "tuple[int, int]", "Rounds.next": "None", "Rounds.of_partitions": "Rounds",
}
#: Bases that scikit-learn and SciPy have no stubs for: what of them users call.
ESTIMATOR = '''class _Estimator:
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def set_callbacks(self, *callbacks: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    @property
    def n_features_in_(self) -> int: ...
    @property
    def feature_names_in_(self) -> NDArray[np.object_]: ...

'''
SHARED = {
    "ClassifierMixin": "    def score(self, X: _Points, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...\n    classes_: NDArray[Any]\n",
    "RegressorMixin": "    def score(self, X: _Points, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...\n",
    "TransformerMixin": "    def fit_transform(self, X: _Points, y: Any = None) -> _Floats: ...\n"
                        "    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]: ...\n"
                        "    def set_output(self, *, transform: str | None = None) -> Self: ...\n",
    "ClusterMixin": "    def fit_predict(self, X: _Points, y: Any = None, **kwargs: Any) -> NDArray[np.int32]: ...\n"
                    "    labels_: NDArray[np.int32]\n",
    "OutlierMixin": "    def fit_predict(self, X: _Points, y: Any = None, **kwargs: Any) -> NDArray[np.int64]: ...\n    offset_: NDArray[np.float64]\n",
}
#: Attributes of a fit.
FITTED = {
    "_Machine": "    support_: NDArray[np.int32]\n    n_support_: NDArray[np.int32]\n    support_vectors_: Any\n",
    "KernelEstimator": "    report_: dict[str, Any]\n    n_iter_: Any\n    model_: Any\n",
    "GaussianProcessRegressor": "    kernel_: Kernel\n    noise_: float\n    log_marginal_likelihood_value_: float\n"
                                "    X_train_: Any\n    y_train_: NDArray[np.float64]\n",
    "GaussianProcessClassifier": "    kernel_: Kernel\n    log_marginal_likelihood_value_: float\n",
    "_KMeans": "    inertia_: float\n", "SpectralClustering": "    eigenvalues_: NDArray[np.float64]\n",
    "KernelPCA": "    gamma_: float | None\n    eigenvalues_: NDArray[np.float64]\n    explained_variance_ratio_: NDArray[np.float64]\n",
    "KernelRidgeCV": "    alpha_: float\n    best_score_: float\n    errors_: NDArray[np.float64]\n",
    "SplitConformalRegressor": "    estimator_: Any\n    residuals_: NDArray[np.float64]\n",
    "PermutationTest": "    statistic: float\n    p_value: float\n    null: NDArray[np.float64]\n",
    "Nystroem": "    components_: _Floats\n", "Kernel": "    formula: str\n",
}
#: The types of properties.
PROPERTIES = {"dual_coef_": "Any", "coef_": "Any", "intercept_": "_Floats", "kernel_formula_": "str", "alpha_": "_Floats", "eigenvectors_": "_Floats",
              "feature_matrix_": "NDArray[np.float64]", "feature_importances_": "NDArray[np.float64]",
              "groups": "int", "state": "dict[str, Any]", "is_done": "bool", "Rounds.task": "bytes", "model": "TableModel | None",
              "columns": "list[str]", "target": "str | None",
              "kernel": "str", "task": "str", "report": "dict[str, Any]",
              "best_score": "float | None", "leaderboard": "list[dict[str, Any]] | None",
              "notes": "list[str]", "recommended": "str | None", "reason": "str", "relative_error": "float"}
DUNDERS = ("__init__", "__call__", "__add__", "__mul__", "__rmul__", "__pow__")


def typed(owner, name, parameter):
    """A parameter with its type."""
    if name == "fit" and parameter.name == "y" and owner.split(".")[0] in LOOSE:
        kind = "Any"
    else:
        key = parameter.name
        places = (f"{owner}.{name}.{key}", f"{owner}.{key}", key) if owner else (f"{name}.{key}", key)
        found = [TYPES[place] for place in places if place in TYPES]
        if not found:
            raise SystemExit(f"the type of {places[0]} is not known")
        kind = found[0]
    mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = "" if parameter.default is parameter.empty else f" = {shown(parameter.default)}"
    return f"{mark}{parameter.name}: {kind}{default}"


def shown(default):
    """A default that a stub may have."""
    return repr(default) if isinstance(default, (str, int, float, bool, type(None))) else "..."


def arguments(owner, name, function, skip):
    """The parameters of a function."""
    parts, is_open = ["self"] if skip == "self" else ["cls"] if skip == "cls" else [], False
    for parameter in list(inspect.signature(function).parameters.values())[1 if skip else 0:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not is_open:
            parts.append("*")
            is_open = True
        parts.append(typed(owner, name, parameter))
    return ", ".join(parts)


def result(owner, name):
    """What a function gives back."""
    if name == "__init__":
        return "None"
    for place in (f"{owner}.{name}", name):
        if place in RETURNS:
            return RETURNS[place]
    raise SystemExit(f"what {owner}.{name} gives back is not known")


def kind_of(owner, name):
    """The type of a property."""
    return PROPERTIES.get(f"{owner}.{name}") or PROPERTIES[name]


def members(kind):
    """The public members of a class, with those that its private bases have."""
    # The bases have these.
    lines, seen = [], {"n_features_in_", "feature_names_in_", "fit_transform"}
    bases = [base for base in kind.__mro__ if base.__module__.startswith("kernrs")]
    for base in bases:
        for name, value in vars(base).items():
            hidden = name.startswith("_") and name not in DUNDERS
            if hidden or name in seen or name.startswith("set_") or getattr(value, "__module__", "").startswith("sklearn"):
                continue
            seen.add(name)
            if isinstance(value, property):
                lines.append(f"    @property\n    def {name}(self) -> {kind_of(kind.__name__, name)}: ...\n")
            elif isinstance(value, classmethod):
                given = arguments(kind.__name__, name, value.__func__, "cls")
                lines.append(f"    @classmethod\n    def {name}({given}) -> {result(kind.__name__, name)}: ...\n")
            elif inspect.isfunction(value):
                given = arguments(kind.__name__, name, value, "self")
                lines.append(f"    def {name}({given}) -> {result(kind.__name__, name)}: ...\n")
    for base in kind.__mro__:
        lines.extend([SHARED.get(base.__name__, ""), FITTED.get(base.__name__, "")])
    return "".join(lines) or "    ...\n"


def stubs(module, head):
    """The stubs of a module."""
    parts = [head]
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value):
            names = {base.__name__ for base in value.__mro__}
            base = "(_Estimator)" if "BaseEstimator" in names else "(dict[str, Any])" if "dict" in names else ""
            base = "(RuntimeError)" if "RuntimeError" in names else base
            if name == "LazyGram":
                parts.append("class LazyGram:\n    shape: tuple[int, int]\n    dtype: np.dtype[np.float64]\n"
                             "    def __init__(self, kernel: _Kernel, points: _Points) -> None: ...\n"
                             "    def __matmul__(self, other: ArrayLike) -> NDArray[np.float64]: ...\n\n")
                continue
            parts.append(f"class {name}{base}:\n{members(value)}\n")
        else:
            function = inspect.unwrap(value)
            parts.append(f"def {name}({arguments('', name, function, '')}) -> {result('', name)}: ...\n\n")
    return "".join(parts).rstrip() + "\n"


def main():
    """Writes them; with ``--check``, complains if others are there."""
    folder = pathlib.Path(__file__).parent / "python" / "kernrs"
    for name, text in {
        "__init__.pyi": stubs(kernrs, HEAD + ESTIMATOR),
        "distributed.pyi": stubs(kernrs.distributed, DISTRIBUTED),
    }.items():
        path = folder / name
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            return f"{path} is not what stubs.py writes"
    return 0


if __name__ == "__main__":
    sys.exit(main())
