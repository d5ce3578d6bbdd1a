"""Kernels: formulas that can be added and multiplied, and their values."""

import numbers

import numpy as np
from scipy.sparse.linalg import LinearOperator

from . import _native
from ._parameters import checked
from ._points import both_of, points_of

#: scikit-learn's names of kernels, as formulas.
_NAMES = {
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


class Kernel:
    """A kernel by its formula, closed under ``+``, ``*``, ``**`` and :meth:`normalized`.

    >>> from kernrs import Kernel
    >>> 0.5 * Kernel("rbf", gamma=0.1) + Kernel("linear") ** 2
    Kernel('0.5*rbf(gamma=0.1) + linear^2')
    """

    def __init__(self, formula, **parameters):
        if isinstance(formula, Kernel):
            formula = formula.formula
        if not isinstance(formula, str):
            raise ValueError(f"a kernel needs a formula, got {formula!r}")
        for name, value in parameters.items():
            if value is None or isinstance(value, str) and value in ("scale", "auto"):
                raise ValueError(f"{name} must be a number here, got {value!r}: leave it out, or give it to an estimator")
        if parameters:
            given = ", ".join(f"{name}={_number(value)}" for name, value in parameters.items())
            formula = f"{formula}({given})"
        self.formula = _native.formula(formula)

    #: Numbers of NumPy leave products to :meth:`__rmul__`.
    __array_ufunc__ = None

    def __add__(self, other):
        other = _kernel(other)
        return other if other is NotImplemented else Kernel(f"({self.formula}) + ({other.formula})")

    def __mul__(self, other):
        if isinstance(other, np.ndarray) and other.ndim == 0:
            other = other.item()
        if isinstance(other, numbers.Real) and not isinstance(other, bool):
            return Kernel(f"{_number(float(other))} * ({self.formula})")
        other = _kernel(other)
        return other if other is NotImplemented else Kernel(f"({self.formula}) * ({other.formula})")

    __rmul__ = __mul__

    def __pow__(self, exponent):
        is_number = isinstance(exponent, numbers.Real) and not isinstance(exponent, bool)
        if not is_number or not 0 <= exponent < 2**32 or exponent != int(exponent):
            raise ValueError(f"the exponent of a kernel must be a whole number of at least 0, got {exponent!r}")
        return Kernel(f"({self.formula})^{int(exponent)}")

    def exp(self):
        """The kernel exp(K)."""
        return Kernel(f"exp({self.formula})")

    def normalized(self):
        """The kernel K(x, y) / sqrt(K(x, x) K(y, y))."""
        return Kernel(f"normalized({self.formula})")

    def __call__(self, a, b=None):
        """The values of the kernel: :func:`gram`."""
        return gram(self, a, b)

    @classmethod
    def from_sklearn(cls, kernel):
        """The same kernel as one of ``sklearn.gaussian_process.kernels``, which must be one that formulas have.

        >>> from sklearn.gaussian_process import kernels
        >>> Kernel.from_sklearn(2.0 * kernels.Matern(length_scale=0.5, nu=1.5))
        Kernel('2*matern32(length_scale=0.5)')
        """
        return cls(_of_sklearn(kernel))

    def __eq__(self, other):
        return isinstance(other, Kernel) and self.formula == other.formula

    def __hash__(self):
        return hash(self.formula)

    def __repr__(self):
        return f"Kernel({self.formula!r})"

    def _repr_html_(self):
        return f"<code>{self.formula}</code>"


def _kernel(given):
    """A kernel or a formula as a kernel; Python has its own error for anything else."""
    if isinstance(given, Kernel):
        return given
    return Kernel(given) if isinstance(given, str) else NotImplemented


def _of_sklearn(kernel):
    """The formula of a kernel of scikit-learn's Gaussian processes."""
    name, given = type(kernel).__name__, kernel.get_params(deep=False)
    if name == "Sum":
        return f"({_of_sklearn(kernel.k1)}) + ({_of_sklearn(kernel.k2)})"
    if name == "Product":
        first, second = sorted((kernel.k1, kernel.k2), key=lambda part: type(part).__name__ != "ConstantKernel")
        if type(first).__name__ == "ConstantKernel":
            return f"{float(first.constant_value)!r} * ({_of_sklearn(second)})"
        return f"({_of_sklearn(first)}) * ({_of_sklearn(second)})"
    if name == "Exponentiation" and float(kernel.exponent).is_integer():
        return f"({_of_sklearn(kernel.kernel)})^{int(kernel.exponent)}"
    if name == "ConstantKernel":
        return f"constant(value={float(kernel.constant_value)!r})"
    length = given.get("length_scale")
    if name == "RBF" and np.ndim(length):
        return f"ard_rbf(gamma={_number(0.5 / np.square(length))})"
    if name == "RBF":
        return f"rbf(gamma={0.5 / float(length) ** 2!r})"
    smooth = {0.5: "exponential(gamma={0!r})", 1.5: "matern32(length_scale={1!r})", 2.5: "matern52(length_scale={1!r})"}
    if name == "Matern" and not np.ndim(length):
        if given["nu"] == float("inf"):
            return f"rbf(gamma={0.5 / float(length) ** 2!r})"
        if given["nu"] in smooth:
            return smooth[given["nu"]].format(1.0 / float(length), float(length))
    if name == "RationalQuadratic":
        return f"rational_quadratic(alpha={float(given['alpha'])!r}, length_scale={float(length)!r})"
    if name == "DotProduct":
        return f"poly(degree=1, gamma=1, coef0={float(given['sigma_0']) ** 2!r})"
    raise ValueError(f"there is no formula for {kernel!r}")


def _number(value):
    """The value of a parameter in a formula, whatever type of Python or NumPy it has."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(repr(float(item)) for item in value) + "]"
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, numbers.Real):
        return repr(int(value) if isinstance(value, numbers.Integral) else float(value))
    return str(value)


def families():
    """The names of all families of kernels that formulas may use.

    >>> import kernrs
    >>> "rbf" in kernrs.families()
    True
    """
    return _native.families()


def resolve(kernel, gamma=None, degree=3, coef0=1.0):
    """The formula of what an estimator was given as its kernel."""
    if isinstance(kernel, Kernel):
        return kernel.formula
    if isinstance(gamma, str):
        raise ValueError(f"gamma must be a number here, got {gamma!r}")
    gamma, degree, coef0 = checked("gamma", gamma), checked("degree", degree), checked("coef0", coef0)
    if isinstance(kernel, str) and kernel in _NAMES:
        degree = int(degree)
        known = {"gamma": float(gamma if gamma is not None else 1.0), "degree": degree, "coef0": float(coef0)}
        return _native.formula(_NAMES[kernel].format(**known))
    if not isinstance(kernel, str):
        raise ValueError(f"the kernel must be a name, a formula, a Kernel or a callable, got {kernel!r}")
    return _native.formula(kernel, None if gamma is None else float(gamma))


def gram(kernel, a, b=None):
    """The matrix of K(a_i, b_j), or of K(a_i, a_j).

    >>> import kernrs
    >>> kernrs.gram("linear", [[1.0, 2.0], [0.0, 1.0]])
    array([[5., 2.],
           [2., 1.]])
    """
    formula = resolve(kernel)
    if b is None:
        return _native.gram(formula, points_of(a))
    return _native.gram(formula, *both_of(a, b))


class LazyGram(LinearOperator):
    """A Gram matrix of which nothing is stored, for the iterative solvers of SciPy: O(n) memory.

    >>> import numpy as np, kernrs
    >>> kernrs.LazyGram("linear", [[1.0], [2.0]]) @ np.array([3.0, 4.0])
    array([11., 22.])
    """

    def __init__(self, kernel, points):
        self._gram = _native.LazyGram(resolve(kernel), points_of(points))
        super().__init__(np.dtype(np.float64), (len(self._gram), len(self._gram)))

    def _matvec(self, v):
        return self._matmat(np.asarray(v).reshape(-1, 1)).ravel()

    def _matmat(self, v):
        return self._gram.product(np.ascontiguousarray(v, dtype=np.float64))

    def _adjoint(self):
        return self
