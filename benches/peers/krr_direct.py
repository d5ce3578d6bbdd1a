"""Peers of `krr_direct`: (K + nλI)α = y for the RBF kernel, by Cholesky factorisation."""

import gram
import numpy as np


def figures(case, result):
    x, y, alpha = case.input("x"), case.input("y"), np.asarray(result).ravel()
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def values(queries):
        parts = np.array_split(queries, max(1, len(queries) // 500))
        return np.concatenate([gram.rbf(part, x, gamma) @ alpha for part in parts])

    fitted, predicted = values(x), values(case.input("x_test"))
    residual = np.linalg.norm(fitted + shift * alpha - y) / np.linalg.norm(y)
    return {
        "rel_residual": float(residual),
        "train_rmse": float(np.sqrt(np.mean((fitted - y) ** 2))),
        "test_rmse": float(np.sqrt(np.mean((predicted - case.input("y_test")) ** 2))),
    }


def scipy_cholesky(case):
    from scipy.linalg import cho_factor, cho_solve

    x, y, threads = case.input("x"), case.input("y"), case.workers()
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        # The factorisation reads one triangle.
        k = gram.symmetric_rbf(x, gamma, threads, mirrored=False)
        k.flat[:: len(k) + 1] += shift
        # The transpose has the order in which LAPACK works in place.
        factor = cho_factor(k.T, lower=True, overwrite_a=True, check_finite=False)
        return cho_solve(factor, y, check_finite=False)

    return body


def torch_cholesky(case):
    torch = case.torch()
    x, y = torch.from_numpy(case.input("x")), torch.from_numpy(case.input("y"))[:, None]
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        # The factorisation reads one triangle.
        k = gram.torch_rbf(torch, x, gamma, mirrored=False)
        k.diagonal().add_(shift)
        factor = torch.linalg.cholesky_ex(k.T, check_errors=True)[0]
        return torch.cholesky_solve(y, factor)

    return body


def sklearn_ridge(case):
    from sklearn.kernel_ridge import KernelRidge

    x, y = case.input("x"), case.input("y")
    gamma, shift = case.params["gamma"], case.params["n_lambda"]
    return lambda: KernelRidge(kernel="rbf", gamma=gamma, alpha=shift).fit(x, y).dual_coef_
