"""Peers of `gram_rbf`: the dense Gram matrix of the RBF kernel."""

import gram
import numpy as np


def figures(case, result):
    return gram.max_abs_error(case, result, gram.exact_rbf)


def numpy_product(case):
    x = case.input("x")
    # A product of one array with itself would be a slower symmetric one.
    y, memory = x.copy(), case.memory((len(x), len(x)))
    gamma = x.dtype.type(case.params["gamma"])

    def body():
        out = np.matmul(x, y.T, out=memory())
        norms = (x * x).sum(1)
        out *= -2
        out += norms[:, None]
        out += norms[None, :]
        np.maximum(out, 0, out=out)
        out *= -gamma
        return np.exp(out, out=out)

    return body


def numpy_tiles(case):
    x, threads = case.input("x"), case.workers()
    memory, gamma = case.memory((len(x), len(x))), case.params["gamma"]
    return lambda: gram.symmetric_rbf(x, gamma, threads, memory())


def numba_fused(case):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def map_profile(out, norms, gamma):
        n, size = len(out), 64
        for block in numba.prange((n + size - 1) // size):
            first = block * size
            last = min(n, first + size)
            # What is below the diagonal is a copy, tile by tile.
            for start in range(first, n, size):
                stop = min(n, start + size)
                for i in range(first, last):
                    for j in range(start, stop):
                        out[i, j] = np.exp(gamma * (2 * out[i, j] - norms[i] - norms[j]))
                for j in range(start, stop):
                    for i in range(first, min(j, last)):
                        out[j, i] = out[i, j]

    x = case.input("x")
    y, memory = x.copy(), case.memory((len(x), len(x)))
    gamma = x.dtype.type(case.params["gamma"])

    def body():
        out = memory()
        for rows in gram.blocks(len(x), 1024):
            np.matmul(x[rows], y.T[:, rows.start :], out=out[rows, rows.start :])
        map_profile(out, (x * x).sum(1), gamma)
        return out

    return body


def torch_product(case):
    torch = case.torch()
    x, gamma = torch.from_numpy(case.input("x")), case.params["gamma"]
    memory = case.memory((len(x), len(x)))

    def body():
        out, norms = torch.from_numpy(memory()), (x * x).sum(1)
        torch.add(norms[None, :], norms[:, None], out=out)
        out.addmm_(x, x.T, beta=-gamma, alpha=2 * gamma)
        return out.clamp_(max=0).exp_()

    return body


def torch_tiles(case):
    torch = case.torch()
    x, gamma = torch.from_numpy(case.input("x")), case.params["gamma"]
    memory = case.memory((len(x), len(x)))
    return lambda: gram.torch_rbf(torch, x, gamma, torch.from_numpy(memory()))


def sklearn_kernel(case):
    from sklearn.metrics.pairwise import rbf_kernel

    x, gamma = case.input("x"), case.params["gamma"]
    return lambda: rbf_kernel(x, gamma=gamma)
