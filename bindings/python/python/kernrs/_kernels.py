"""Kernels: formulas that can be added and multiplied, and their values."""

import numbers

import numpy as np
from scipy.sparse.linalg import LinearOperator

from . import _native
from ._validation import both_of, points_of, resolve

class Kernel:
    """A kernel by its formula, closed under ``+``, ``*``, ``**`` and :meth:`normalized`.

    Wherever an estimator takes ``kernel=``, it takes a Kernel or its formula, a string. Sums, products, powers,
    exponentials and non-negative multiples of positive semi-definite kernels are positive semi-definite. The formula is
    in a normal form with all parameters; two kernels are equal if their formulas are. :func:`families` lists the
    kernels that formulas may name, among them kernels on strings such as "spectrum".

    Names are those of formulas, not of scikit-learn: "chi2" is the additive kernel sum(2xy/(x + y)), "exp_chi2" is
    scikit-learn's "chi2", and the constant term of "poly" is 0 unless it is given.

    Parameters
    ----------
    formula : str or Kernel
        A formula, such as ``"0.5*rbf(gamma=0.1) + laplacian(gamma=1)*linear"``, or the name of a family if
        ``parameters`` are given.
    **parameters : float, int, bool or list of float
        The parameters of the family, such as ``gamma=0.1``. Numbers only: "scale" and "auto" are for estimators, whose
        formulas, as strings, may leave gamma out.

    Attributes
    ----------
    formula : str
        The formula with all parameters.

    See Also
    --------
    families : The families that formulas may name.
    gram : The values of a kernel.
    LazyGram : Products with a Gram matrix that is not stored.

    Notes
    -----
    The grammar of formulas::

        sum      = product ("+" product)*
        product  = factor ("*" factor)*
        factor   = atom ("^" integer)?
        atom     = number | "(" sum ")" | function "(" sum ")" | family ["(" name "=" value, ... ")"]
        value    = number | "true" | "false" | "[" number, ... "]"
        function = "exp" | "normalized" | "assume_mercer"

    ``k(a, b)`` is ``gram(k, a, b)``. A number times a kernel, a kernel plus a formula and whole powers are kernels; a
    negative weight or a fractional power raises ValueError. ``assume_mercer`` lets kernels pass that are not positive
    semi-definite for all parameters, such as "sigmoid".

    Examples
    --------
    >>> from kernrs import Kernel
    >>> 0.5 * Kernel("rbf", gamma=0.1) + Kernel("linear") ** 2
    Kernel('0.5*rbf(gamma=0.1) + linear^2')

    A kernel of an estimator:

    >>> from sklearn.datasets import load_iris
    >>> from kernrs import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> SVC(kernel=Kernel("laplacian", gamma=0.5) + Kernel("linear").normalized()).fit(X, y).score(X, y) > 0.95
    True
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
        """Makes the kernel exp(K).

        Returns
        -------
        kernel : Kernel
            The exponential of the kernel, which is positive semi-definite if K is.
        """
        return Kernel(f"exp({self.formula})")

    def normalized(self):
        """Makes the kernel K(x, y) / sqrt(K(x, x) K(y, y)).

        Returns
        -------
        kernel : Kernel
            The kernel, whose values of samples with themselves are 1.
        """
        return Kernel(f"normalized({self.formula})")

    def __call__(self, a, b=None):
        """Computes the values of the kernel: :func:`gram`.

        Parameters
        ----------
        a : array-like or sparse matrix of shape (n_samples_a, n_features), or list of str
            Samples.
        b : array-like or sparse matrix of shape (n_samples_b, n_features), or list of str, default=None
            Other samples of the same kind; None is ``a``.

        Returns
        -------
        K : ndarray of shape (n_samples_a, n_samples_b)
            The kernel values.
        """
        return gram(self, a, b)

    @classmethod
    def from_sklearn(cls, kernel):
        """Converts a kernel of ``sklearn.gaussian_process.kernels``.

        Parameters
        ----------
        kernel : sklearn.gaussian_process.kernels.Kernel
            A kernel of RBF (also with a length scale for each feature), Matern with nu of 0.5, 1.5, 2.5 or inf,
            RationalQuadratic, DotProduct and ConstantKernel, their sums, products and whole powers.

        Returns
        -------
        kernel : Kernel
            The same kernel as a formula. Bounds of parameters are lost; give the kernel of scikit-learn to
            :class:`GaussianProcessRegressor` to keep them.

        Raises
        ------
        ValueError
            If there is no formula for the kernel, such as for WhiteKernel and ExpSineSquared.

        Examples
        --------
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
    """Lists the names of the kernels that formulas may use.

    Returns
    -------
    names : list of str
        The names, those of kernels on vectors first, those on strings last. The parameters of a family stand in an
        error that a wrong one raises, and in ``kern kernels`` on the command line.

    See Also
    --------
    Kernel : Kernels by their formulas.

    Examples
    --------
    >>> import kernrs
    >>> [name for name in kernrs.families() if name.startswith("matern")]
    ['matern32', 'matern52', 'matern']
    >>> "rbf" in kernrs.families() and "spectrum" in kernrs.families()
    True
    """
    return _native.families()


def gram(kernel, a, b=None):
    """Computes the kernel values of samples with themselves, or with others.

    The matrix of K(a_i, a_j), or of K(a_i, b_j), as ``sklearn.metrics.pairwise.pairwise_kernels`` has it, for any
    formula. It takes 8 n_samples_a n_samples_b bytes (4 for float32); take :class:`LazyGram` for products with larger
    matrices, and :class:`Nystroem` for approximations of low rank.

    Parameters
    ----------
    kernel : str or Kernel
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), whose gamma is 1, degree
        3 and constant term 1, or a formula such as ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and
        :class:`Kernel`), which must give its parameters.
    a : array-like or sparse matrix of shape (n_samples_a, n_features), or list of str
        Samples.
    b : array-like or sparse matrix of shape (n_samples_b, n_features), or list of str, default=None
        Other samples, of the same kind as ``a``; None is ``a``.

    Returns
    -------
    K : ndarray of shape (n_samples_a, n_samples_b)
        The kernel values; float32 if all samples are.

    Raises
    ------
    ValueError
        If the formula is not valid, the kernel does not accept the samples, or the matrix does not fit the memory of
        :func:`config`.

    See Also
    --------
    LazyGram : The same matrix for products, without storing it.

    Examples
    --------
    >>> import kernrs
    >>> kernrs.gram("linear", [[1.0, 2.0], [0.0, 1.0]])
    array([[5., 2.],
           [2., 1.]])
    >>> kernrs.gram("spectrum(k=2)", ["abab", "ba"])
    array([[5., 1.],
           [1., 1.]])
    """
    formula = resolve(kernel)
    if b is None:
        return _native.gram(formula, points_of(a))
    return _native.gram(formula, *both_of(a, b))


class LazyGram(LinearOperator):
    """A Gram matrix that is not stored, for the iterative solvers of SciPy.

    A :class:`scipy.sparse.linalg.LinearOperator`, symmetric, of shape (n_samples, n_samples): products with vectors and
    matrices compute the kernel values again each time, in O(n_samples) memory and O(n_samples^2) kernel values. Where
    the matrix fits memory, :func:`gram` is faster for many products.

    Parameters
    ----------
    kernel : str or Kernel
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), whose gamma is 1, degree
        3 and constant term 1, or a formula such as ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and
        :class:`Kernel`).
    points : array-like or sparse matrix of shape (n_samples, n_features), or list of str
        The samples.

    Attributes
    ----------
    shape : tuple of int
        (n_samples, n_samples).
    dtype : numpy.dtype
        float64. Kernel values of float32 samples are computed in single precision.

    See Also
    --------
    gram : The stored matrix.

    Examples
    --------
    >>> import numpy as np, kernrs
    >>> kernrs.LazyGram("linear", [[1.0], [2.0]]) @ np.array([3.0, 4.0])
    array([11., 22.])

    The largest eigenvalue, without the matrix:

    >>> from scipy.sparse.linalg import eigsh
    >>> from sklearn.datasets import load_iris
    >>> X, _ = load_iris(return_X_y=True)
    >>> largest, _ = eigsh(kernrs.LazyGram("rbf(gamma=0.1)", X), k=1)
    >>> bool(abs(largest[0] - np.linalg.eigvalsh(kernrs.gram("rbf(gamma=0.1)", X))[-1]) < 1e-9)
    True
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
