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
