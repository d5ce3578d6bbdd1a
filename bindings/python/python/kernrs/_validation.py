"""Validation: the values that numeric parameters may have, kernels as formulas, and points as the native part takes them."""

import functools
import math
import numbers
import sys
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from . import _native

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
    "contest": Range(0, is_open=True, others=(None,)), "tune": Range(2, is_whole=True, others=(None,)), "memory": Range(0, is_whole=True, others=(None,)), "lam": _POSITIVE,
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


#: scikit-learn's names of kernels, as formulas.
NAMES = {
    "linear": "linear",
    "rbf": "rbf(gamma={gamma!r})",
    "laplacian": "laplacian(gamma={gamma!r})",
    "poly": "poly(degree={degree}, gamma={gamma!r}, coef0={coef0!r})",
    "polynomial": "poly(degree={degree}, gamma={gamma!r}, coef0={coef0!r})",
    # It is no inner product; scikit-learn takes it nevertheless, and so does who asks for it by this name.
    "sigmoid": "assume_mercer(sigmoid(gamma={gamma!r}, coef0={coef0!r}))",
    "chi2": "exp_chi2(gamma={gamma!r})",
    "cosine": "normalized(linear)",
}


def resolve(kernel, gamma=None, degree=3, coef0=1.0):
    """The formula of what an estimator was given as its kernel."""
    if hasattr(kernel, "formula"):
        return kernel.formula
    if isinstance(gamma, str):
        raise ValueError(f"gamma must be a number here, got {gamma!r}")
    gamma, degree, coef0 = checked("gamma", gamma), checked("degree", degree), checked("coef0", coef0)
    if isinstance(kernel, str) and kernel in NAMES:
        degree = int(degree)
        known = {"gamma": float(gamma if gamma is not None else 1.0), "degree": degree, "coef0": float(coef0)}
        return _native.formula(NAMES[kernel].format(**known))
    return _native.formula(formula_given(kernel), None if gamma is None else float(gamma))


def formula_given(kernel):
    """A kernel that is given as a Kernel or as text, as text; nothing else is a kernel here."""
    if hasattr(kernel, "formula"):
        return kernel.formula
    if callable(kernel) or isinstance(kernel, str) and kernel == "precomputed":
        raise ValueError(f"kernel={kernel!r} is not supported here: give a name, a formula or a Kernel")
    if not isinstance(kernel, str):
        raise ValueError("the kernel must be a name, a formula or a Kernel, or a callable for estimators that take "
                         f"one, got {kernel!r}")
    return kernel


def index_columns(schema):
    """The columns of a table of Arrow that were the index of a frame of pandas."""
    found = (schema.pandas_metadata or {}).get("index_columns", ())
    # An index that is a range is described, and no column.
    return [name for name in found if isinstance(name, str) and name in schema.names]


def without_index(points):
    """A table of Arrow without the columns that were an index; anything else as it is."""
    pa = sys.modules.get("pyarrow")
    if pa is None or not isinstance(points, (pa.Table, pa.RecordBatch)):
        return points
    names = index_columns(points.schema)
    return points.drop_columns(names) if names else points


def is_texts(points):
    """Tells whether these are strings: a list, a tuple, a series or an array of one dimension."""
    if isinstance(points, str) or sparse.issparse(points) or not hasattr(points, "__len__"):
        return False
    if getattr(points, "ndim", 1) != 1 or len(points) == 0:
        return False
    return all(isinstance(item, str) for item in points)


def texts_of(points):
    """Points for a kernel that may act on strings: arrays of Arrow as lists, and anything else unchanged. Mixed lists are refused."""
    if isinstance(points, (str, bytes)):
        raise ValueError(f"points must be a list of strings, got one {type(points).__name__}")
    if hasattr(points, "to_pylist") and not hasattr(points, "column_names"):
        points = points.to_pylist()
    if sparse.issparse(points) or not hasattr(points, "__len__") or getattr(points, "ndim", 1) != 1:
        return points
    strange = [(place, item) for place, item in enumerate(points) if not isinstance(item, str)]
    if strange and (len(strange) < len(points) or isinstance(strange[0][1], bytes)):
        raise ValueError(f"all points must be strings; point {strange[0][0]} is {strange[0][1]!r}")
    return points


def canonical(points):
    """The same points, and if they are in the CSR format without duplicates and with sorted indices, in a copy if need be.

    Nothing is written to the matrix of the caller, whom other threads may share it with; not even the flags that SciPy keeps.
    """
    if not sparse.issparse(points) or points.format != "csr":
        return points
    same = type(points)((points.data, points.indices, points.indptr), shape=points.shape)
    if same.has_canonical_format:
        return points
    same = same.copy()
    same.sum_duplicates()
    return same


def refuse_complex(points):
    """Refuses points whose imaginary parts would be dropped."""
    if points.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: points must be real, got {points.dtype}")


def both_of(a, b):
    """Two collections as points, in single precision if both are."""
    single = all(getattr(points, "dtype", None) == np.float32 for points in (a, b))
    return [points_of(points, dtype=np.float32 if single else np.float64) for points in (a, b)]


def points_of(points, as_sparse=None, dtype=None):
    """Points that the native part takes: arrays in C order, of doubles or single precision, are not copied.

    A model that was learned from sparse points is asked about sparse points, and one of dense points about dense ones of
    its precision, ``dtype``.
    """
    points = without_index(points)
    if as_sparse is not None and sparse.issparse(points) != as_sparse and not is_texts(points):
        points = sparse.csr_array(points) if as_sparse else points.toarray()
    if is_texts(points):
        return _native.Points.texts([str(item) for item in points])
    if sparse.issparse(points):
        refuse_complex(points)
        csr = canonical(sparse.csr_array(points))
        parts = (csr.indptr.astype(np.int64), csr.indices.astype(np.int64), csr.data.astype(np.float64))
        return _native.Points.sparse(csr.shape[1], *parts)
    array = np.asarray(points)
    refuse_complex(array)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead")
    if dtype is None:
        dtype = np.float32 if array.dtype == np.float32 else np.float64
    array = np.ascontiguousarray(array, dtype=dtype)
    return _native.Points.single(array) if dtype == np.float32 else _native.Points.dense(array)
