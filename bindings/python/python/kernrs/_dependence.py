"""Tests of two samples, and of independence."""

import html

import numpy as np
from scipy import sparse

from . import _native
from ._base import seed_of
from ._config import get_config
from ._kernels import resolve
from ._parameters import checked
from ._points import both_of, canonical, is_texts, points_of


class PermutationTest:
    """The outcome of a test by permutations: ``statistic``, ``p_value``, and the statistics of the permutations, ``null``.

    If the hypothesis holds, p is at most a with a probability of at most a, for any number of points.
    """

    def __init__(self, statistic, p_value, null):
        self.statistic, self.p_value, self.null = statistic, p_value, null

    def __repr__(self):
        return f"PermutationTest(statistic={self.statistic:.6g}, p_value={self.p_value:.4g}, {len(self.null)} permutations)"

    def _repr_html_(self):
        return f"<code>{html.escape(repr(self))}</code>"


def mmd_test(X, Y, kernel="rbf", *, gamma=None, n_permutations=999, random_state=0):
    """Tests whether two samples are of the same distribution, by the maximum mean discrepancy (Gretton et al., 2012).

    The statistic is its unbiased square. Points are arrays, CSR matrices or lists of strings; with ``gamma=None`` the kernel "rbf"
    has the γ of the median heuristic, 1 over the median of the squared distances of all points.

    >>> import numpy as np, kernrs
    >>> rng = np.random.default_rng(0)
    >>> X, Y, wide = rng.normal(size=(60, 1)), rng.normal(size=(60, 1)), 3 * rng.normal(size=(60, 1))
    >>> kernrs.mmd_test(X, Y).p_value > 0.1, kernrs.mmd_test(X, wide).p_value
    (True, 0.001)
    """
    X, Y = (_part(points) for points in (X, Y))
    if gamma is None and _needs_gamma(kernel, X):
        gamma = _native.median_gamma(points_of(_pooled(X, Y)), seed_of(random_state))
    return _tested(_native.mmd_test, resolve(kernel, gamma), both_of(X, Y), n_permutations, random_state)


def hsic_test(X, Y, kernel="rbf", kernel_y="rbf", *, gamma=None, gamma_y=None, n_permutations=999, random_state=0):
    """Tests whether the parts x and y of pairs are independent, by the Hilbert-Schmidt criterion (Gretton et al., 2008).

    The statistic is its biased estimate. The parts may be of two kinds, and numbers may be given as one column or as an array of one
    dimension; without a ``gamma`` the kernel "rbf" has that of the median heuristic.

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
    return _tested(_native.hsic_test, tuple(formulas), parts, n_permutations, random_state)


def _tested(test, formula, points, n_permutations, random_state):
    checked("n_permutations", n_permutations)
    run = get_config()
    found = test(formula, *points, (int(n_permutations), seed_of(random_state)), run["memory"], run["callback"])
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
