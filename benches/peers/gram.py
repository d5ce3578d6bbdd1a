"""What the tasks on Gram matrices share."""

import concurrent.futures

import numpy as np

# 512 × 512 values are 1 or 2 MiB: they stay in the second-level cache.
TILE = 512


def squared_distances(x, y):
    """Squared distances between rows, from products."""
    out = x @ y.T
    out *= -2
    out += (x * x).sum(1)[:, None]
    out += (y * y).sum(1)[None, :]
    return np.maximum(out, 0, out=out)


def rbf(x, y, gamma):
    """The RBF kernel's values between rows."""
    out = squared_distances(x, y)
    out *= -gamma
    return np.exp(out, out=out)


def factors(x, y, gamma):
    """Two matrices whose product is the exponent: the norms ride along as two more coordinates."""
    gamma = x.dtype.type(gamma)

    def norms(points):
        return -gamma * (points * points).sum(1)[:, None]

    def ones(points):
        return np.ones((len(points), 1), points.dtype)

    left = np.hstack([2 * gamma * x, norms(x), ones(x)])
    return left, np.ascontiguousarray(np.hstack([y, ones(y), norms(y)]).T)


def blocks(n, rows=TILE):
    """The slices of so many rows each."""
    return [slice(i, min(i + rows, n)) for i in range(0, n, rows)]


class Threads:
    """Threads that each do parts of the work, with a BLAS that then uses one thread: NumPy's
    elementwise functions have no threads of their own."""

    def __init__(self, count):
        from threadpoolctl import ThreadpoolController

        self.controller = ThreadpoolController()
        self.pool = concurrent.futures.ThreadPoolExecutor(count)

    def map(self, work, parts):
        """The results for all parts, in their order."""
        with self.controller.limit(limits=1, user_api="blas"):
            return list(self.pool.map(work, parts))


def symmetric(n, fill, out, threads, mirrored=True):
    """A symmetric matrix from the tiles on and above its diagonal: `fill(rows, columns, tile)` writes
    one. What is below is a copy of them, or stays as it was."""

    def part(pair):
        rows, columns = pair
        fill(rows, columns, out[rows, columns])
        if mirrored and rows != columns:
            out[columns, rows] = out[rows, columns].T

    all_blocks = blocks(n)
    pairs = [(a, b) for k, a in enumerate(all_blocks) for b in all_blocks[k:]]
    threads.map(part, pairs)
    return out


def symmetric_rbf(x, gamma, threads, out=None, mirrored=True):
    """The RBF Gram matrix of `x`; with `mirrored=False` without what is below its diagonal blocks."""
    left, right = factors(x, x, gamma)
    out = np.empty((len(x), len(x)), x.dtype) if out is None else out

    def fill(rows, columns, tile):
        np.matmul(left[rows], right[:, columns], out=tile)
        np.exp(tile, out=tile)

    return symmetric(len(x), fill, out, threads, mirrored)


def tiled_rbf(x, y, gamma, threads, out=None):
    """The RBF kernel's values between rows, in tiles."""
    left, right = factors(x, y, gamma)
    out = np.empty((len(x), len(y)), x.dtype) if out is None else out

    def part(pair):
        tile = out[pair]
        np.matmul(left[pair[0]], right[:, pair[1]], out=tile)
        np.exp(tile, out=tile)

    threads.map(part, [(a, b) for a in blocks(len(x)) for b in blocks(len(y))])
    return out


def torch_factors(torch, x, y, gamma):
    """The same factors as tensors."""
    return map(torch.from_numpy, factors(x.numpy(), y.numpy(), gamma))


def torch_rbf(torch, x, gamma, out=None, mirrored=True):
    """The RBF Gram matrix of a tensor, from the parts of block rows that begin at the diagonal."""
    left, right = torch_factors(torch, x, x, gamma)
    out = torch.empty((len(x), len(x)), dtype=x.dtype) if out is None else out
    for rows in blocks(len(x)):
        torch.mm(left[rows], right[:, rows.start :], out=out[rows, rows.start :]).exp_()
        if mirrored:
            out[rows.stop :, rows] = out[rows, rows.stop :].T
    return out


def exact_rbf(x, y, gamma):
    """The same in double precision, from differences: what answers are judged by."""
    return _exact(x, y, lambda difference: np.exp(-gamma * (difference**2).sum(1)))


def exact_laplacian(x, y, gamma):
    """The Laplacian kernel's values between rows, in double precision."""
    return _exact(x, y, lambda difference: np.exp(-gamma * np.abs(difference).sum(1)))


def _exact(x, y, profile):
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.stack([profile(y - row) for row in x])


def max_abs_error(case, gram, exact):
    """The greatest error of some rows of a Gram matrix."""
    x, rows = case.input("x"), case.input("check")
    errors = np.abs(np.asarray(gram)[rows] - exact(x[rows], x, case.params["gamma"]))
    return {"max_abs_err": float(errors.max())}
