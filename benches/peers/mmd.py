"""Peers of `mmd`: the unbiased discrepancy of two samples of equal size, and its permutations as one product of matrices."""

import gram
import numpy as np


def figures(case, result):
    statistic, p_value = result
    error = abs(statistic - case.params["statistic"])
    return {"error": float(error), "statistic": float(statistic), "p_value": float(p_value)}


def _test(case, values):
    """With signs s, sᵀKs is the sum within samples less that between them."""
    first, permutations = case.params["first"], case.params["permutations"]
    n = len(values)
    rng = np.random.default_rng(0)
    signs = np.ones((n, permutations + 1), values.dtype)
    signs[first:] = -1
    signs[:, 1:] = rng.permuted(signs[:, 1:], axis=0)
    forms = np.einsum("ij,ij->j", signs, values @ signs, dtype=np.float64)
    total = values.sum(dtype=np.float64)
    within, between = (total + forms) / 2, (total - forms) / 4
    own = np.trace(values, dtype=np.float64)
    statistics = (within - own) / (first * (first - 1)) - 2 * between / first**2
    reached = (statistics[1:] >= statistics[0]).sum()
    return statistics[0], (1 + reached) / (1 + permutations)


def numpy_product(case):
    x, gamma = case.input("x"), case.params["gamma"]

    def body():
        return _test(case, gram.rbf(x, x.copy(), gamma))

    return body


def sklearn_product(case):
    from sklearn.metrics.pairwise import rbf_kernel

    x, gamma = case.input("x"), case.params["gamma"]

    def body():
        return _test(case, rbf_kernel(x, gamma=gamma))

    return body


def torch_product(case):
    torch = case.torch()
    x, params = torch.from_numpy(case.input("x")), case.params
    first, permutations = params["first"], params["permutations"]

    def body():
        values = torch.cdist(x, x).square_().mul_(-params["gamma"]).exp_()
        generator = torch.Generator().manual_seed(0)
        ranks = torch.rand((permutations, len(x)), generator=generator).argsort(1)
        signs = torch.where(ranks < first, 1.0, -1.0).to(x.dtype)
        own = torch.ones((1, len(x)), dtype=x.dtype)
        own[:, first:] = -1
        signs = torch.cat([own, signs]).T.contiguous()
        forms = (signs * (values @ signs)).sum(0, dtype=torch.float64)
        total = values.sum(dtype=torch.float64)
        within, between = (total + forms) / 2, (total - forms) / 4
        trace = values.diagonal().sum(dtype=torch.float64)
        statistics = (within - trace) / (first * (first - 1)) - 2 * between / first**2
        reached = (statistics[1:] >= statistics[0]).sum()
        return float(statistics[0]), (1 + int(reached)) / (1 + permutations)

    return body
