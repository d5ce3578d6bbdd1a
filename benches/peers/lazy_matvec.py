"""Peers of `lazy_matvec`: a product with an RBF Gram matrix that is never stored."""

import threading

import gram
import numpy as np


def figures(case, result):
    x, v, rows = case.input("x"), case.input("v"), case.input("check")
    exact = gram.exact_rbf(x[rows], x, case.params["gamma"]) @ v.astype(np.float64)
    errors = np.abs(np.asarray(result).reshape(v.shape)[rows] - exact)
    return {"rel_err": float(errors.max() / np.abs(exact).max())}


def numpy_tiles(case):
    """Each tile above the diagonal serves twice: for its rows, and transposed for its columns."""
    x, v, threads = case.input("x"), case.input("v"), case.workers()
    parts = gram.blocks(len(x))

    def body():
        left, right = gram.factors(x, x, case.params["gamma"])
        store = threading.local()
        sums = []

        def own():
            if not hasattr(store, "sum"):
                store.sum = np.zeros_like(v)
                store.memory = np.empty(gram.TILE * gram.TILE, x.dtype)
                sums.append(store.sum)
            return store.sum, store.memory

        def part(k):
            out, memory = own()
            rows = parts[k]
            for columns in parts[k:]:
                shape = (rows.stop - rows.start, columns.stop - columns.start)
                tile = memory[: shape[0] * shape[1]].reshape(shape)
                np.matmul(left[rows], right[:, columns], out=tile)
                np.exp(tile, out=tile)
                out[rows] += tile @ v[columns]
                if columns != rows:
                    out[columns] += tile.T @ v[rows]

        threads.map(part, range(len(parts)))
        return sum(sums[1:], start=sums[0])

    return body


def torch_rows(case):
    """Each block above the diagonal serves twice: for its rows, and transposed for its columns."""
    torch = case.torch()
    x, v = torch.from_numpy(case.input("x")), torch.from_numpy(case.input("v"))
    gamma, rows = case.params["gamma"], 128
    memory = torch.empty(rows * len(x), dtype=v.dtype)

    def body():
        left, right = gram.torch_factors(torch, x, x, gamma)
        out = torch.zeros_like(v)
        for part in gram.blocks(len(x), rows):
            height, width = part.stop - part.start, len(x) - part.start
            tile = memory[: height * width].view(height, width)
            torch.mm(left[part], right[:, part.start :], out=tile).exp_()
            out[part] += tile @ v[part.start :]
            out[part.stop :] += tile[:, height:].T @ v[part]
        return out

    return body


def numba_fused(case):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def product(columns, x, v, gamma, out):
        n, d = x.shape
        size = 256
        blocks = (n + size - 1) // size
        for block in numba.prange(blocks):
            mine = out[numba.get_thread_id()]
            values = np.empty(size, x.dtype)
            first = block * size
            last = min(n, first + size)
            for start in range(first, n, size):
                stop = min(n, start + size)
                for i in range(first, last):
                    for j in range(stop - start):
                        values[j] = 0
                    for k in range(d):
                        a = x[i, k]
                        for j in range(stop - start):
                            difference = columns[k, start + j] - a
                            values[j] += difference * difference
                    for j in range(stop - start):
                        values[j] = np.exp(-gamma * values[j])
                    for r in range(v.shape[1]):
                        total, own = x.dtype.type(0), v[i, r]
                        for j in range(stop - start):
                            total += values[j] * v[start + j, r]
                        mine[i, r] += total
                        if start > first:
                            for j in range(stop - start):
                                mine[start + j, r] += values[j] * own
        return out

    x, v = case.input("x"), case.input("v")
    columns, gamma = np.ascontiguousarray(x.T), x.dtype.type(case.params["gamma"])

    def body():
        out = np.zeros((case.threads, *v.shape), v.dtype)
        return product(columns, x, v, gamma, out).sum(0)

    return body


def keops(case):
    from pykeops.numpy import Vi, Vj

    x, v, gamma = case.input("x"), case.input("v"), case.params["gamma"]
    return lambda: (-gamma * Vi(x).sqdist(Vj(x))).exp() @ v
