"""Peers of `features_error`: feature maps of the RBF kernel, from their seeds; the error is the mean over some."""

import gram
import numpy as np

SEEDS = 5


def figures(case, result):
    x, rows = case.input("x"), case.input("check")
    exact = gram.exact_rbf(x[rows], x[rows], case.params["gamma"])
    _, features = result

    def error(seed):
        z = features(seed)[rows]
        return np.abs(z @ z.T - exact).mean()

    return {"mae": float(np.mean([error(seed) for seed in range(SEEDS)]))}


def _timed(features):
    """The features of one seed are in the time."""
    return lambda: (features(0), features)


def _waves(x, frequencies, count, threads):
    """A cosine and a sine of each frequency."""
    half = frequencies.shape[1]
    out = np.empty((len(x), 2 * half))

    def part(rows):
        angles = x[rows] @ frequencies
        np.cos(angles, out=out[rows, :half])
        np.sin(angles, out=out[rows, half:])
        out[rows] *= np.sqrt(2 / count)

    threads.map(part, gram.blocks(len(x), 256))
    return out


def _independent(rng, d, count):
    return rng.normal(size=(d, count))


def _orthogonal(rng, d, count):
    """Yu et al. (2016): orthogonal blocks whose columns have the lengths of normal vectors."""
    blocks = []
    for _ in range(-(-count // d)):
        directions = np.linalg.qr(rng.normal(size=(d, d)))[0]
        blocks.append(directions * np.sqrt(rng.chisquare(d, size=d)))
    return np.hstack(blocks)[:, :count]


def _quasi(rng, d, count):
    """Yang et al. (2014): normal quantiles of a scrambled low-discrepancy sequence."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    points = qmc.Sobol(d, rng=rng).random(count)
    return ndtri(np.clip(points, 1e-12, 1 - 1e-12)).T


DRAWS = {"paired": _independent, "orthogonal": _orthogonal, "quasi-random": _quasi}


def numpy_waves(case):
    x, count, gamma = case.input("x"), case.params["D"], case.params["gamma"]
    draw, threads = DRAWS[case.params["map"]], case.workers()

    def features(seed):
        frequencies = draw(np.random.default_rng(seed), x.shape[1], count // 2)
        return _waves(x, np.sqrt(2 * gamma) * frequencies, count, threads)

    return _timed(features)


def numpy_phases(case):
    x, count, gamma = case.input("x"), case.params["D"], case.params["gamma"]
    threads = case.workers()

    def features(seed):
        rng = np.random.default_rng(seed)
        frequencies = np.sqrt(2 * gamma) * rng.normal(size=(x.shape[1], count))
        phases = rng.uniform(0, 2 * np.pi, count)
        out = np.empty((len(x), count))

        def part(rows):
            angles = x[rows] @ frequencies
            angles += phases
            np.cos(angles, out=out[rows])
            out[rows] *= np.sqrt(2 / count)

        threads.map(part, gram.blocks(len(x), 256))
        return out

    return _timed(features)


def sklearn_sampler(case):
    from sklearn.kernel_approximation import RBFSampler

    x, count, gamma = case.input("x"), case.params["D"], case.params["gamma"]
    return _timed(
        lambda seed: RBFSampler(gamma=gamma, n_components=count, random_state=seed).fit_transform(x)
    )


def scipy_sorf(case):
    """Yu et al. (2016), SORF: three products of a Hadamard matrix and random signs. In so few dimensions one
    product with the matrix is faster than three fast transforms in Python."""
    from scipy.linalg import hadamard

    x, count, gamma = case.input("x"), case.params["D"], case.params["gamma"]
    d, threads = 1 << (x.shape[1] - 1).bit_length(), case.workers()

    def features(seed):
        rng, transform = np.random.default_rng(seed), hadamard(d) / np.sqrt(d)
        blocks = []
        for _ in range(-(-count // 2 // d)):
            block = np.eye(x.shape[1], d)
            for _ in range(3):
                block = block * rng.choice([-1.0, 1.0], size=d) @ transform
            blocks.append(np.sqrt(d) * block)
        frequencies = np.hstack(blocks)[:, : count // 2]
        return _waves(x, np.sqrt(2 * gamma) * frequencies, count, threads)

    return _timed(features)


def scipy_nystroem(case):
    from scipy.linalg import cholesky, solve_triangular

    x, count, gamma = case.input("x"), case.params["D"], case.params["gamma"]

    def features(seed):
        landmarks = x[np.random.default_rng(seed).permutation(len(x))[:count]]
        inner = gram.rbf(landmarks, landmarks.copy(), gamma)
        inner.flat[:: count + 1] += 1e-10
        lower = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
        cross = gram.rbf(x, landmarks, gamma).T
        return solve_triangular(lower, cross, lower=True, overwrite_b=True, check_finite=False).T

    return _timed(features)


def sklearn_nystroem(case):
    from sklearn.kernel_approximation import Nystroem

    x, count, gamma = case.input("x"), case.params["D"], case.params["gamma"]
    return _timed(
        lambda seed: Nystroem(gamma=gamma, n_components=count, random_state=seed).fit_transform(x)
    )


def numpy_rpcholesky(case):
    """Chen et al. (2023), RPCholesky: pivots drawn by the diagonal of what is left."""
    x, count, gamma = case.input("x"), case.params["D"], case.params["gamma"]

    def features(seed):
        rng = np.random.default_rng(seed)
        factor, left = np.zeros((count, len(x))), np.ones(len(x))
        for rank in range(count):
            pivot = rng.choice(len(x), p=left / left.sum())
            difference = x - x[pivot]
            row = np.exp(-gamma * np.einsum("ij,ij->i", difference, difference))
            row -= factor[:rank, pivot] @ factor[:rank]
            row /= np.sqrt(row[pivot])
            factor[rank] = row
            left = np.maximum(left - row * row, 0)
            left[pivot] = 0
        return factor.T

    return _timed(features)
