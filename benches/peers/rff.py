"""Peers of `rff`: random Fourier features √(2/D)·cos(Wx + b); drawing W and b is not timed."""

import gram
import numpy as np


def figures(case, result):
    x, rows = case.input("x"), case.input("check")
    exact = gram.exact_rbf(x[rows], x[rows], case.params["gamma"])
    features = np.asarray(result)[rows].astype(np.float64)
    return {"kernel_mae": float(np.abs(features @ features.T - exact).mean())}


def _frequencies(case):
    """Frequencies, as columns, and offsets of the features."""
    x, count = case.input("x"), case.params["D"]
    rng = np.random.default_rng(0)
    frequencies = np.sqrt(2 * case.params["gamma"]) * rng.normal(size=(x.shape[1], count))
    offsets = rng.uniform(0, 2 * np.pi, count)
    return x, frequencies.astype(x.dtype), offsets.astype(x.dtype)


def _paired(case):
    """Half as many frequencies, of which each has a cosine and a sine."""
    x, count = case.input("x"), case.params["D"]
    rng = np.random.default_rng(0)
    frequencies = np.sqrt(2 * case.params["gamma"]) * rng.normal(size=(x.shape[1], count // 2))
    return x, frequencies.astype(x.dtype), x.dtype.type(np.sqrt(2 / count))


def numpy_tiles(case):
    x, frequencies, scale = _paired(case)
    half, threads = frequencies.shape[1], case.workers()
    memory = case.memory((len(x), 2 * half))

    def body():
        out = memory()

        def part(rows):
            angles = x[rows] @ frequencies
            np.cos(angles, out=out[rows, :half])
            np.sin(angles, out=out[rows, half:])
            out[rows] *= scale

        threads.map(part, gram.blocks(len(x), 128))
        return out

    return body


def torch_paired(case):
    torch = case.torch()
    x, frequencies, scale = _paired(case)
    memory, scale = case.memory((len(x), case.params["D"])), float(scale)
    x, frequencies = torch.from_numpy(x), torch.from_numpy(frequencies)
    half, rows = frequencies.shape[1], 512
    angles = torch.empty((rows, half), dtype=x.dtype)

    def body():
        out = torch.from_numpy(memory())
        for part in gram.blocks(len(x), rows):
            tile, phases = out[part], angles[: part.stop - part.start]
            torch.mm(x[part], frequencies, out=phases)
            torch.cos(phases, out=tile[:, :half])
            torch.sin(phases, out=tile[:, half:])
            tile.mul_(scale)
        return out

    return body


def numpy_product(case):
    x, frequencies, offsets = _frequencies(case)
    memory = case.memory((len(x), len(offsets)))
    scale = x.dtype.type(np.sqrt(2 / len(offsets)))

    def body():
        out = np.matmul(x, frequencies, out=memory())
        out += offsets
        np.cos(out, out=out)
        out *= scale
        return out

    return body


def torch_product(case):
    torch = case.torch()
    x, frequencies, offsets = map(torch.from_numpy, _frequencies(case))
    memory = case.memory((len(x), len(offsets)))
    scale = float(np.sqrt(2 / len(offsets)))

    def body():
        out = torch.addmm(offsets, x, frequencies, out=torch.from_numpy(memory()))
        return out.cos_().mul_(scale)

    return body


def torch_tiles(case):
    torch = case.torch()
    x, frequencies, offsets = map(torch.from_numpy, _frequencies(case))
    memory, rows = case.memory((len(x), len(offsets))), 256
    scale = float(np.sqrt(2 / len(offsets)))

    def body():
        out = torch.from_numpy(memory())
        for i in range(0, len(x), rows):
            tile = out[i : i + rows]
            torch.addmm(offsets, x[i : i + rows], frequencies, out=tile).cos_().mul_(scale)
        return out

    return body


def sklearn_sampler(case):
    from sklearn.kernel_approximation import RBFSampler

    x = case.input("x")
    count, gamma = case.params["D"], case.params["gamma"]
    sampler = RBFSampler(gamma=gamma, n_components=count, random_state=0).fit(x[:1])
    return lambda: sampler.transform(x)
