"""Peers of `kernel_pca`: principal components of the centred RBF Gram matrix, and the components of its points."""

import gram
import numpy as np


def figures(case, result):
    z = np.asarray(result).astype(np.float64)
    return {"left": float(len(z) - (z * z).sum())}


# The loosest tolerances, and the fewest powers, with which `left` is within the bar of the case.
LANCZOS_TOLERANCE = 0.1
POWERS = 5
POWERS_OF_SKLEARN = 1
OVERSAMPLING = 10


def _sklearn(case, **options):
    from sklearn.decomposition import KernelPCA

    x, params = case.input("x"), case.params

    def body():
        model = KernelPCA(params["components"], kernel="rbf", gamma=params["gamma"], **options)
        return model.fit_transform(x)

    return body


def sklearn_arpack(case):
    return _sklearn(case, eigen_solver="arpack", tol=LANCZOS_TOLERANCE, random_state=0)


def sklearn_randomized(case):
    return _sklearn(case, eigen_solver="randomized", iterated_power=POWERS_OF_SKLEARN, random_state=0)


def _centred(case, threads):
    values = gram.symmetric_rbf(case.input("x"), case.params["gamma"], threads)
    means = values.mean(0)
    return values, means, means.mean()


def scipy_lanczos(case):
    from scipy.sparse.linalg import LinearOperator, eigsh

    x, params, threads = case.input("x"), case.params, case.workers()

    def body():
        values, means, mean = _centred(case, threads)

        def product(v):
            v = v.ravel()
            return values @ v - means * v.sum() - means @ v + mean * v.sum()

        operator = LinearOperator(values.shape, product, dtype=x.dtype)
        start = np.random.default_rng(0).uniform(-1, 1, len(x)).astype(x.dtype)
        eigenvalues, vectors = eigsh(
            operator, params["components"], which="LA", v0=start, tol=LANCZOS_TOLERANCE
        )
        return vectors * np.sqrt(eigenvalues)

    return body


def numpy_subspace(case):
    """Powers of the matrix on a random subspace, and the principal components within it."""
    x, params, threads = case.input("x"), case.params, case.workers()
    count = params["components"]

    def body():
        values, means, mean = _centred(case, threads)
        basis = np.random.default_rng(0).normal(size=(len(x), count + OVERSAMPLING)).astype(x.dtype)
        for _ in range(POWERS):
            basis -= basis.mean(0)
            basis = np.linalg.qr(values @ basis)[0]
        basis -= basis.mean(0)
        basis = np.linalg.qr(basis)[0]
        eigenvalues, vectors = np.linalg.eigh(basis.T @ (values @ basis))
        return basis @ (vectors[:, -count:] * np.sqrt(eigenvalues[-count:]))

    return body
