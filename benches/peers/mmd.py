"""Peers of `mmd`: the unbiased discrepancy of two samples of equal size, and its permutations as one product of matrices."""

import gram
import numpy as np


def figures(case, result):
    statistic, p_value = result
    error = abs(statistic - case.params["statistic"])
    return {"error": float(error), "statistic": float(statistic), "p_value": float(p_value)}


def _signs(case, n, dtype):
    """A column for the samples as they are, and one for each permutation."""
    first, permutations = case.params["first"], case.params["permutations"]
    signs = np.ones((n, permutations + 1), dtype)
    signs[first:] = -1
    signs[:, 1:] = np.random.default_rng(0).permuted(signs[:, 1:], axis=0)
    return signs


def _judged(case, n, forms, total):
    """With signs s, sᵀKs is the sum within samples less that between them. On the diagonal of K is 1."""
    first, permutations = case.params["first"], case.params["permutations"]
    within, between = (total + forms) / 2, (total - forms) / 4
    statistics = (within - n) / (first * (first - 1)) - 2 * between / first**2
    reached = int((statistics[1:] >= statistics[0]).sum())
    return float(statistics[0]), (1 + reached) / (1 + permutations)


def numpy_tiles(case):
    """Each tile above the diagonal serves twice, and none is kept."""
    x, params, threads = case.input("x"), case.params, case.workers()
    n, parts = len(x), gram.blocks(len(x))

    def body():
        signs = _signs(case, n, x.dtype)
        left, right = gram.factors(x, x, params["gamma"])

        def part(k):
            rows, total = parts[k], 0.0
            products = np.zeros((rows.stop - rows.start, signs.shape[1]), x.dtype)
            for columns in parts[k:]:
                tile = left[rows] @ right[:, columns]
                np.exp(tile, out=tile)
                if columns != rows:
                    tile *= 2
                total += tile.sum(dtype=np.float64)
                products += tile @ signs[columns]
            return total, np.einsum("ij,ij->j", signs[rows], products, dtype=np.float64)

        found = threads.map(part, range(len(parts)))
        return _judged(case, n, sum(forms for _, forms in found), sum(total for total, _ in found))

    return body


def sklearn_product(case):
    from sklearn.metrics.pairwise import rbf_kernel

    x, gamma = case.input("x"), case.params["gamma"]

    def body():
        values, signs = rbf_kernel(x, gamma=gamma), _signs(case, len(x), x.dtype)
        forms = np.einsum("ij,ij->j", signs, values @ signs, dtype=np.float64)
        return _judged(case, len(x), forms, values.sum(dtype=np.float64))

    return body


def torch_rows(case):
    """Each block above the diagonal serves twice, and none is kept."""
    torch = case.torch()
    x, params = torch.from_numpy(case.input("x")), case.params
    n, first, permutations = len(x), params["first"], params["permutations"]

    def body():
        generator = torch.Generator().manual_seed(0)
        ranks = torch.rand((permutations, n), generator=generator).argsort(1)
        signs = torch.ones((n, permutations + 1), dtype=x.dtype)
        signs[first:, 0] = -1
        signs[:, 1:] = torch.where(ranks < first, 1.0, -1.0).T
        left, right = gram.torch_factors(torch, x, x, params["gamma"])
        forms, total = torch.zeros(permutations + 1, dtype=torch.float64), 0.0
        for rows in gram.blocks(n):
            height = rows.stop - rows.start
            tile = torch.mm(left[rows], right[:, rows.start :]).exp_()
            tile[:, height:] *= 2
            total += float(tile.sum(dtype=torch.float64))
            products = tile @ signs[rows.start :]
            forms += (signs[rows] * products).sum(0, dtype=torch.float64)
        return _judged(case, n, forms.numpy(), total)

    return body
