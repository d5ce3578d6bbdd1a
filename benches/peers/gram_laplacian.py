"""Peers of `gram_laplacian`: the dense Gram matrix of the Laplacian kernel."""

import gram
import numpy as np


def figures(case, result):
    return gram.max_abs_error(case, result, gram.exact_laplacian)


def numba_loops(case):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def fill(x, gamma, out):
        n, d = x.shape
        for i in numba.prange(n):
            for j in range(n):
                distance = x.dtype.type(0)
                for k in range(d):
                    distance += abs(x[i, k] - x[j, k])
                out[i, j] = np.exp(-gamma * distance)
        return out

    x = case.input("x")
    memory, gamma = case.memory((len(x), len(x))), x.dtype.type(case.params["gamma"])
    return lambda: fill(x, gamma, memory())


def torch_cdist(case):
    torch = case.torch()
    x, gamma = torch.from_numpy(case.input("x")), case.params["gamma"]
    return lambda: torch.cdist(x, x, p=1).mul_(-gamma).exp_()


def scipy_cdist(case):
    from scipy.spatial.distance import cdist

    x, gamma = case.input("x"), case.params["gamma"]

    def body():
        out = cdist(x, x, "cityblock")
        out *= -gamma
        return np.exp(out, out=out)

    return body


def sklearn_kernel(case):
    from sklearn.metrics.pairwise import laplacian_kernel

    x, gamma = case.input("x"), case.params["gamma"]
    return lambda: laplacian_kernel(x, gamma=gamma)
