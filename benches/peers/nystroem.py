"""Peers of `nystroem`: features of all points from m landmarks, fit and transform."""

import gram
import numpy as np


def figures(case, result):
    z = np.asarray(result).astype(np.float64)
    return {"rel_trace_err": float(1 - np.einsum("ij,ij->", z, z) / len(z)), "rank": z.shape[1]}


def _landmarks(case):
    x = case.input("x")
    return x, x[np.random.default_rng(0).permutation(len(x))[: case.params["m"]]]


def _jitter(dtype):
    """What makes the factorisation succeed, as a share of the diagonal."""
    return 1e-10 if dtype == np.float64 else 3e-4


def scipy_cholesky(case):
    from scipy.linalg import cholesky, solve_triangular

    x, landmarks = _landmarks(case)
    gamma, jitter = x.dtype.type(case.params["gamma"]), _jitter(x.dtype)
    threads = case.workers()

    def body():
        inner = gram.rbf(landmarks, landmarks.copy(), gamma)
        inner.flat[:: len(inner) + 1] += jitter
        lower = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
        cross = gram.tiled_rbf(x, landmarks, gamma, threads).T
        solved = solve_triangular(lower, cross, lower=True, overwrite_b=True, check_finite=False)
        return solved.T

    return body


def torch_cholesky(case):
    torch = case.torch()
    x, landmarks = map(torch.from_numpy, _landmarks(case))
    gamma, jitter = case.params["gamma"], _jitter(case.input("x").dtype)

    def kernel(a, b):
        return torch.mm(*gram.torch_factors(torch, a, b, gamma)).exp_()

    def body():
        inner = kernel(landmarks, landmarks)
        inner.diagonal().add_(jitter)
        lower = torch.linalg.cholesky(inner)
        return torch.linalg.solve_triangular(lower, kernel(x, landmarks).T, upper=False).T

    return body


def sklearn_nystroem(case):
    from sklearn.kernel_approximation import Nystroem

    x, gamma, m = case.input("x"), case.params["gamma"], case.params["m"]
    return lambda: Nystroem(gamma=gamma, n_components=m, random_state=0).fit_transform(x)


def scipy_rpcholesky(case):
    """Epperly, Tropp & Webber (2024), accelerated RPCholesky: blocks of proposals by the residual
    diagonal, thinned by rejection sampling on the block's own residual matrix. The blocks are in
    double precision, rows of all points in that of the points."""
    from scipy.linalg import cholesky, solve_triangular

    x, gamma, m, threads = case.input("x"), case.params["gamma"], case.params["m"], case.workers()
    block = max(10, m // 10)
    tiny = 1e-12 if x.dtype == np.float64 else 1e-5

    def body():
        rng = np.random.default_rng(0)
        factor, rank = np.zeros((m, len(x)), x.dtype), 0
        residual = np.ones(len(x))
        while rank < m:
            proposed = rng.choice(len(x), size=block, p=residual / residual.sum())
            wide = x[proposed].astype(np.float64)
            own = factor[:rank, proposed].astype(np.float64)
            schur = gram.rbf(wide, wide.copy(), gamma) - own.T @ own
            accepted = _thinned(schur, residual[proposed], rng, tiny)[: m - rank]
            if not accepted:
                continue
            pivots = proposed[accepted]
            lower = cholesky(schur[np.ix_(accepted, accepted)], lower=True).astype(x.dtype)
            rows = gram.tiled_rbf(x[pivots], x, gamma, threads)
            rows -= factor[:rank, pivots].T @ factor[:rank]
            added = factor[rank : rank + len(pivots)]
            added[:] = solve_triangular(lower, rows, lower=True, check_finite=False)
            rank += len(pivots)
            residual = np.maximum(residual - np.einsum("ij,ij->j", added, added), 0)
            residual[pivots] = 0
        return factor.T

    return body


def _thinned(schur, proposal, rng, tiny):
    """Which proposals are kept: each with the share of its residual that earlier ones left."""
    schur, kept = schur.copy(), []
    for i, bound in enumerate(proposal):
        if schur[i, i] > tiny and rng.random() * bound < schur[i, i]:
            kept.append(i)
            column = schur[:, i] / np.sqrt(schur[i, i])
            schur -= np.outer(column, column)
    return kept
