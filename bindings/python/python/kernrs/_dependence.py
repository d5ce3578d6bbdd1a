"""Tests of two samples, and of independence."""

import html

import numpy as np
from scipy import sparse

from . import _native
from ._base import seed_of
from ._config import get_config
from ._validation import both_of, canonical, checked, is_texts, points_of, resolve


class PermutationTest:
    """The result of a permutation test.

    The p-value is (1 + the number of permutations whose statistic is at least that of the data)/(1 + the number of
    permutations): if the hypothesis holds, p is at most a with a probability of at most a, for any number of samples.
    It is never 0; statistics that differ by rounding only count as equal.

    Parameters
    ----------
    statistic : float
        The statistic of the data.
    p_value : float
        The p-value.
    null : ndarray of shape (n_permutations,)
        The statistics of the permutations, in the order in which they were drawn.

    Attributes
    ----------
    statistic : float
        The statistic of the data.
    p_value : float
        The p-value: at most a with a probability of at most a if the hypothesis holds.
    null : ndarray of shape (n_permutations,)
        The statistics of the permutations, a sample of the null distribution.

    See Also
    --------
    mmd_test : Tests whether two samples are of the same distribution.
    hsic_test : Tests whether two variables are independent.

    References
    ----------
    .. [1] Phipson, Smyth (2010), "Permutation P-values Should Never Be Zero".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import mmd_test
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mmd_test(X[y == 1], X[y == 2], n_permutations=199)
    >>> found.p_value, bool(found.statistic > found.null.max()), found.null.shape
    (0.005, True, (199,))
    """

    def __init__(self, statistic, p_value, null):
        self.statistic, self.p_value, self.null = statistic, p_value, null

    def __repr__(self):
        return f"PermutationTest(statistic={self.statistic:.6g}, p_value={self.p_value:.4g}, {len(self.null)} permutations)"

    def _repr_html_(self):
        return f"<code>{html.escape(repr(self))}</code>"


def mmd_test(X, Y, kernel="rbf", *, gamma=None, n_permutations=999, random_state=0):
    """Tests whether two samples are of the same distribution, by the maximum mean discrepancy.

    The statistic is the unbiased estimate of the squared distance of the means of both distributions in the feature
    space of the kernel. With a characteristic kernel such as "rbf" it tells any two distributions apart, given enough
    samples; "linear" compares the means. The null distribution is that of random permutations of the pooled samples.

    With N samples in both together and B permutations it takes N^2/2 kernel values, none of which is stored, N^2 B
    floating-point operations, and N (B + 1) bits of memory and some blocks.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features), or list of str
        The first sample, at least 2 rows; an array of one dimension is one feature.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), or list of str
        The second sample, of the same kind as the first one.
    kernel : str or Kernel, default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2") or a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`).
    gamma : float or None, default=None
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2", > 0. None is the median heuristic for "rbf", 1
        over the median of the squared distances of all samples (of up to 4096 pairs), and 1 for the other names.
        Formulas have their own parameters; a gamma that a formula leaves out is this one.
    n_permutations : int, default=999
        The number B of permutations, >= 1. The smallest possible p-value is 1/(B + 1).
    random_state : int, RandomState, Generator or None, default=0
        The seed of the permutations, and of the pairs of the median heuristic. None is the seed 0.

    Returns
    -------
    result : PermutationTest
        The statistic, the p-value, and the statistics of the permutations.

    Raises
    ------
    ValueError
        If a parameter is out of its range, a sample has fewer than 2 rows, the samples are of different kinds, or the
        test does not fit the memory of :func:`config`.

    See Also
    --------
    hsic_test : Tests whether two variables are independent.

    Notes
    -----
    The same seed gives the same bits for any number of threads. :func:`config` has a callback for long tests.

    References
    ----------
    .. [1] Gretton, Borgwardt, Rasch, Schölkopf, Smola (2012), "A Kernel Two-Sample Test".
    .. [2] Garreau, Jitkrittum, Kanagawa (2017), "Large Sample Analysis of the Median Heuristic".

    Examples
    --------
    >>> import numpy as np, kernrs
    >>> rng = np.random.default_rng(0)
    >>> X, Y, wide = rng.normal(size=(60, 1)), rng.normal(size=(60, 1)), 3 * rng.normal(size=(60, 1))
    >>> kernrs.mmd_test(X, Y).p_value > 0.1, kernrs.mmd_test(X, wide).p_value
    (True, 0.001)
    """
    X, Y = (_part(points) for points in (X, Y))
    if gamma is None and _needs_gamma(kernel, X):
        gamma = _native.median_gamma(points_of(_pooled(X, Y)), seed_of(random_state))
    return _tested(_native.mmd_test, [resolve(kernel, gamma)], both_of(X, Y), n_permutations, random_state)


def hsic_test(X, Y, kernel="rbf", kernel_y="rbf", *, gamma=None, gamma_y=None, n_permutations=999, random_state=0):
    """Tests whether two variables are independent, by the Hilbert-Schmidt independence criterion.

    The statistic is the biased estimate tr(KHLH)/n^2 for the Gram matrices K and L of both variables, with H = I -
    11'/n: the squared norm of their covariance in feature space. With characteristic kernels such as "rbf" it detects
    any dependence, given enough samples. The null distribution is that of random permutations of Y. X and Y may be of
    different kinds, such as strings and vectors.

    With n samples both Gram matrices take 16 n^2 bytes, and each permutation O(n^2) time. If the memory of
    :func:`config` is less, low-rank factors that leave a thousandth of the trace stand for them; the test keeps its
    level.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
        The first variable; an array of one dimension is one feature.
    Y : array-like or sparse matrix of shape (n_samples, n_features_Y), or list of str
        The second variable, row by row with X.
    kernel : str or Kernel, default="rbf"
        The kernel of X: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2") or a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`).
    kernel_y : str or Kernel, default="rbf"
        The kernel of Y.
    gamma : float or None, default=None
        Coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2" of X, > 0. None is the median heuristic for
        "rbf", 1 over the median of the squared distances (of up to 4096 pairs), and 1 for the other names. Formulas
        have their own parameters; a gamma that a formula leaves out is this one.
    gamma_y : float or None, default=None
        The same for Y.
    n_permutations : int, default=999
        The number B of permutations, >= 1. The smallest possible p-value is 1/(B + 1).
    random_state : int, RandomState, Generator or None, default=0
        The seed of the permutations, and of the pairs of the median heuristic. None is the seed 0.

    Returns
    -------
    result : PermutationTest
        The statistic, the p-value, and the statistics of the permutations.

    Raises
    ------
    ValueError
        If a parameter is out of its range, X and Y have different lengths, or all values of a variable are equal and
        there is no gamma.

    See Also
    --------
    mmd_test : Tests whether two samples are of the same distribution.

    Notes
    -----
    The test is in double precision. The same seed gives the same bits for any number of threads, with the same memory.

    References
    ----------
    .. [1] Gretton, Fukumizu, Teo, Song, Schölkopf, Smola (2008), "A Kernel Statistical Test of Independence".

    Examples
    --------
    >>> import numpy as np, kernrs
    >>> x = np.linspace(-1, 1, 81)
    >>> kernrs.hsic_test(x, x**2).p_value      # no correlation, but dependence
    0.001
    """
    formulas, parts = [], []
    for points, of, width in ((X, kernel, gamma), (Y, kernel_y, gamma_y)):
        points = _part(points)
        part = points_of(points, dtype=np.float64)
        if width is None and _needs_gamma(of, points):
            width = _native.median_gamma(part, seed_of(random_state))
        formulas.append(resolve(of, width))
        parts.append(part)
    return _tested(_native.hsic_test, formulas, parts, n_permutations, random_state)


def _tested(test, formulas, points, n_permutations, random_state):
    checked("n_permutations", n_permutations)
    run = get_config()
    found = test(*formulas, *points, int(n_permutations), seed_of(random_state), run["memory"], run["callback"])
    return PermutationTest(*found)


def _part(points):
    """Points, with numbers as a column."""
    if is_texts(points) or sparse.issparse(points):
        return canonical(points)
    array = np.asarray(points)
    return array[:, None] if array.ndim == 1 else array


def _pooled(X, Y):
    if sparse.issparse(X) or sparse.issparse(Y):
        return sparse.vstack([sparse.csr_array(X), sparse.csr_array(Y)])
    return np.concatenate([X, Y])


def _needs_gamma(kernel, points):
    return kernel == "rbf" and not is_texts(points)
