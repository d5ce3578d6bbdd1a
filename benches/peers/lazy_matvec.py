"""Peers of `lazy_matvec`: a product with an RBF Gram matrix that is never stored."""

import gram
import numpy as np


def figures(case, result):
    x, v, rows = case.input("x"), case.input("v"), case.input("check")
    exact = gram.exact_rbf(x[rows], x, case.params["gamma"]) @ v.astype(np.float64)
    errors = np.abs(np.asarray(result).reshape(v.shape)[rows] - exact)
    return {"rel_err": float(errors.max() / np.abs(exact).max())}


def _factors(x, gamma):
    """Two matrices whose product is the exponent: the norms ride along as two more coordinates."""
    norms = -gamma * (x * x).sum(1)[:, None]
    one = np.ones_like(norms)
    left = np.hstack([2 * gamma * x, norms, one])
    return np.ascontiguousarray(left), np.ascontiguousarray(np.hstack([x, one, norms]).T)


def numpy_tiles(case):
    x, v = case.input("x"), case.input("v")
    left, right = _factors(x, x.dtype.type(case.params["gamma"]))
    # 256 × 1024 numbers stay in the cache.
    rows, columns = 256, 1024
    memory = np.empty((rows, columns), x.dtype)

    def body():
        out = np.zeros_like(v)
        for j in range(0, len(x), columns):
            part = np.ascontiguousarray(right[:, j : j + columns])
            for i in range(0, len(x), rows):
                block = left[i : i + rows]
                tile = memory.ravel()[: len(block) * part.shape[1]].reshape(len(block), -1)
                np.matmul(block, part, out=tile)
                np.exp(tile, out=tile)
                out[i : i + rows] += tile @ v[j : j + columns]
        return out

    return body


def torch_rows(case):
    torch = case.torch()
    x, v = case.input("x"), torch.from_numpy(case.input("v"))
    left, right = map(torch.from_numpy, _factors(x, x.dtype.type(case.params["gamma"])))
    rows = 128
    memory = torch.empty(rows, len(x), dtype=v.dtype)

    def body():
        out = torch.empty_like(v)
        for i in range(0, len(x), rows):
            block = left[i : i + rows]
            tile = torch.mm(block, right, out=memory[: len(block)]).exp_()
            torch.mm(tile, v, out=out[i : i + rows])
        return out

    return body


def numba_fused(case):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def product(columns, x, v, gamma, out):
        n, d = x.shape
        rows, width = 64, 512
        for block in numba.prange((n + rows - 1) // rows):
            values = np.empty(width, x.dtype)
            for j0 in range(0, n, width):
                j1 = min(n, j0 + width)
                for i in range(block * rows, min(n, block * rows + rows)):
                    for j in range(j1 - j0):
                        values[j] = 0
                    for k in range(d):
                        a = x[i, k]
                        for j in range(j1 - j0):
                            difference = columns[k, j0 + j] - a
                            values[j] += difference * difference
                    for j in range(j1 - j0):
                        values[j] = np.exp(-gamma * values[j])
                    for r in range(v.shape[1]):
                        total = x.dtype.type(0)
                        for j in range(j1 - j0):
                            total += values[j] * v[j0 + j, r]
                        out[i, r] += total
        return out

    x, v = case.input("x"), case.input("v")
    columns, gamma = np.ascontiguousarray(x.T), x.dtype.type(case.params["gamma"])
    return lambda: product(columns, x, v, gamma, np.zeros_like(v))


def keops(case):
    from pykeops.numpy import Vi, Vj

    x, v, gamma = case.input("x"), case.input("v"), case.params["gamma"]
    return lambda: (-gamma * Vi(x).sqdist(Vj(x))).exp() @ v
