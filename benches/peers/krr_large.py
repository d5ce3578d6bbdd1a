"""Peers of `krr_large`: ridge regression on m landmarks that are given, RBF kernel."""

import gram
import numpy as np

CHUNK = 4000


def figures(case, result):
    gamma, c = case.params["gamma"], case.input("centres")
    queries = case.input("x_test")
    if callable(result):
        predicted = result(queries)
    else:
        parts = np.array_split(queries, max(1, len(queries) // CHUNK))
        predicted = np.concatenate([gram.rbf(part, c, gamma) @ result for part in parts])
    error = np.asarray(predicted, float).ravel() - case.input("y_test")
    return {"test_rmse": float(np.sqrt(np.mean(error**2)))}


def scipy_normal_equations(case):
    """(K_mn K_nm + nλK_mm)a = K_mn y, chunk by chunk. In single precision the products are, and the
    solution, which then takes a larger jitter, is in double precision."""
    from scipy.linalg import solve

    x, y, c = case.input("x"), case.input("y"), case.input("centres")
    gamma, shift = case.params["gamma"], case.params["lambda"] * len(x)
    jitter = 1e-8 if x.dtype == np.float64 else 3e-6

    def body():
        a = gram.rbf(c, c.copy(), gamma).astype(float) * shift
        r = np.zeros(len(c))
        for i in range(0, len(x), CHUNK):
            k = gram.rbf(x[i : i + CHUNK], c, gamma)
            a += k.T @ k
            r += k.T @ y[i : i + CHUNK]
        a.flat[:: len(c) + 1] += jitter * np.trace(a) / len(c)
        return solve(a, r, assume_a="pos", check_finite=False)

    return body


def sklearn_features(case):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    x, y = case.input("x"), case.input("y")
    features = Nystroem(gamma=case.params["gamma"], n_components=case.params["m"], random_state=0)
    ridge = Ridge(alpha=case.params["lambda"] * len(x), solver="cholesky")
    return lambda: make_pipeline(features, ridge).fit(x, y).predict
