"""Peers of `kernel_pca`: principal components of the centred RBF Gram matrix, and the components of its points."""

import gram
import numpy as np


def figures(case, result):
    z = np.asarray(result).astype(np.float64)
    return {"left": float(len(z) - (z * z).sum())}


def sklearn_kernel_pca(case):
    from sklearn.decomposition import KernelPCA

    x, params = case.input("x"), case.params

    def body():
        model = KernelPCA(params["components"], kernel="rbf", gamma=params["gamma"], random_state=0)
        return model.fit_transform(x)

    return body


def sklearn_randomized(case):
    from sklearn.decomposition import KernelPCA

    x, params = case.input("x"), case.params
    options = {"kernel": "rbf", "gamma": params["gamma"], "eigen_solver": "randomized"}

    def body():
        return KernelPCA(params["components"], random_state=0, **options).fit_transform(x)

    return body


def scipy_lanczos(case):
    from scipy.sparse.linalg import eigsh

    x, params = case.input("x"), case.params

    def body():
        values = gram.rbf(x, x.copy(), params["gamma"])
        means = values.mean(0)
        values -= means
        values -= means[:, None]
        values += means.mean()
        start = np.random.default_rng(0).uniform(-1, 1, len(x)).astype(x.dtype)
        eigenvalues, vectors = eigsh(values, params["components"], which="LA", v0=start)
        return vectors * np.sqrt(eigenvalues)

    return body
