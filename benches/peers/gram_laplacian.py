"""Peers of `gram_laplacian`: the dense Gram matrix of the Laplacian kernel."""

import gram
import numpy as np


def figures(case, result):
    return gram.max_abs_error(case, result, gram.exact_laplacian)


def numba_loops(case):
    import numba

    @numba.njit(nogil=True, fastmath=True)
    def distances(x, y, out):
        for i in range(len(x)):
            for j in range(len(y)):
                distance = x.dtype.type(0)
                for k in range(x.shape[1]):
                    distance += abs(x[i, k] - y[j, k])
                out[i, j] = distance

    x, threads = case.input("x"), case.workers()
    memory, gamma = case.memory((len(x), len(x))), x.dtype.type(case.params["gamma"])

    def fill(rows, columns, tile):
        distances(x[rows], x[columns], tile)
        tile *= -gamma
        # Numba's own exponential function takes one value at a time.
        np.exp(tile, out=tile)

    return lambda: gram.symmetric(len(x), fill, memory(), threads)


def torch_cdist(case):
    torch = case.torch()
    x, gamma = torch.from_numpy(case.input("x")), case.params["gamma"]
    memory = case.memory((len(x), len(x)))

    def body():
        out = torch.from_numpy(memory())
        for rows in gram.blocks(len(x)):
            tile = torch.cdist(x[rows], x[rows.start :], p=1).mul_(-gamma).exp_()
            out[rows, rows.start :] = tile
            out[rows.stop :, rows] = tile[:, rows.stop - rows.start :].T
        return out

    return body


def scipy_cdist(case):
    from scipy.spatial.distance import cdist

    x, threads = case.input("x"), case.workers()
    memory, gamma = case.memory((len(x), len(x))), x.dtype.type(case.params["gamma"])

    def fill(rows, columns, tile):
        tile[:] = cdist(x[rows], x[columns], "cityblock")
        tile *= -gamma
        np.exp(tile, out=tile)

    return lambda: gram.symmetric(len(x), fill, memory(), threads)


def sklearn_kernel(case):
    from sklearn.metrics.pairwise import laplacian_kernel

    x, gamma = case.input("x"), case.params["gamma"]
    return lambda: laplacian_kernel(x, gamma=gamma)
