"""Peers of `klr`: the sum of log(1 + exp(−y f)) + nλ/2·α'Kα, by iteratively reweighted least squares."""

import gram
import numpy as np


def _objective(case, fitted, alpha):
    loss = np.logaddexp(0, -case.input("y") * fitted).sum()
    return float(loss + 0.5 * case.params["n_lambda"] * alpha @ fitted)


def figures(case, result):
    alpha, steps = result
    x, gamma = case.input("x"), case.params["gamma"]
    predicted = gram.rbf(case.input("x_test"), x, gamma) @ alpha
    return {
        "objective": _objective(case, gram.rbf(x, x.copy(), gamma) @ alpha, alpha),
        "test_accuracy": float(np.mean(np.sign(predicted) == case.input("y_test"))),
        "steps": float(steps),
    }


def _irls(k, y, shift, solve):
    """The coefficients and the number of steps; `solve(d, z)` is (K + diag d)⁻¹z."""
    fitted, last = np.zeros(len(y)), np.inf
    for step in range(1, 31):
        p = 1 / (1 + np.exp(-y * fitted))
        w = np.maximum(p * (1 - p), 1e-10)
        alpha = solve(shift / w, fitted + y * (1 - p) / w)
        fitted = k @ alpha
        value = np.logaddexp(0, -y * fitted).sum() + 0.5 * shift * alpha @ fitted
        if abs(last - value) < 1e-8 * abs(value):
            break
        last = value
    return alpha, step


def scipy_irls(case):
    from scipy.linalg import cho_factor, cho_solve

    x, y = case.input("x"), case.input("y").astype(np.float64)
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        k = gram.rbf(x, x.copy(), gamma)

        def solve(d, z):
            a = k.copy()
            a.flat[:: len(k) + 1] += d
            # The transpose has the order in which LAPACK works in place.
            factor = cho_factor(a.T, lower=True, overwrite_a=True, check_finite=False)
            return cho_solve(factor, z, check_finite=False)

        return _irls(k, y, shift, solve)

    return body


def torch_irls(case):
    torch = case.torch()
    x, y = case.input("x"), case.input("y").astype(np.float64)
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        k = gram.rbf(x, x.copy(), gamma)

        def solve(d, z):
            a = torch.from_numpy(k.copy())
            a.diagonal().add_(torch.from_numpy(d))
            z = torch.from_numpy(z)[:, None]
            return torch.cholesky_solve(z, torch.linalg.cholesky(a))[:, 0].numpy()

        return _irls(k, y, shift, solve)

    return body


def sklearn_features(case):
    """Logistic regression on the rows of a Cholesky factor, which is the same problem."""
    from scipy.linalg import cholesky, solve_triangular
    from sklearn.linear_model import LogisticRegression

    x, y = case.input("x"), case.input("y")
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        k = gram.rbf(x, x.copy(), gamma)
        k.flat[:: len(k) + 1] += 1e-8
        factor = cholesky(k, lower=True, check_finite=False)
        model = LogisticRegression(C=1 / shift, fit_intercept=False, tol=1e-6, max_iter=1000)
        model.fit(factor, y)
        alpha = solve_triangular(factor, model.coef_.ravel(), lower=True, trans="T")
        return alpha, model.n_iter_[0]

    return body
