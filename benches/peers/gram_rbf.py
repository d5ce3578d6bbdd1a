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


def numba_fused(case):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def map_profile(out, norms, gamma):
        for i in numba.prange(len(out)):
            for j in range(len(out)):
                out[i, j] = np.exp(gamma * (2 * out[i, j] - norms[i] - norms[j]))

    x = case.input("x")
    y, memory = x.copy(), case.memory((len(x), len(x)))
    gamma = x.dtype.type(case.params["gamma"])

    def body():
        out = np.matmul(x, y.T, out=memory())
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
    memory, rows = case.memory((len(x), len(x))), 64

    def body():
        out, norms = torch.from_numpy(memory()), (x * x).sum(1) * -gamma
        for i in range(0, len(x), rows):
            tile = out[i : i + rows]
            torch.mm(x[i : i + rows], x.T, out=tile)
            tile.mul_(2 * gamma).add_(norms[None, :]).add_(norms[i : i + rows, None])
            tile.clamp_(max=0).exp_()
        return out

    return body


def sklearn_kernel(case):
    from sklearn.metrics.pairwise import rbf_kernel

    x, gamma = case.input("x"), case.params["gamma"]
    return lambda: rbf_kernel(x, gamma=gamma)
