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


# The loosest tolerances with which the objective is within the bar of the case, 1e-9. Newton's steps
# converge quadratically: one that changes the objective by so little leaves less than 1e-10.
NEWTON_TOLERANCE = 1e-5
LBFGS_TOLERANCE = 3e-7
NEWTON_CG_TOLERANCE = 1e-6


def _irls(k, y, shift, solve):
    """The coefficients and the number of steps; `solve(d, z)` is (K + diag d)⁻¹z."""
    fitted, last = np.zeros(len(y)), np.inf
    for step in range(1, 31):
        p = 1 / (1 + np.exp(-y * fitted))
        w = np.maximum(p * (1 - p), 1e-10)
        alpha = solve(shift / w, fitted + y * (1 - p) / w)
        fitted = k @ alpha
        value = np.logaddexp(0, -y * fitted).sum() + 0.5 * shift * alpha @ fitted
        if abs(last - value) < NEWTON_TOLERANCE * abs(value):
            break
        last = value
    return alpha, step


def scipy_irls(case):
    from scipy.linalg import cho_factor, cho_solve

    x, y, threads = case.input("x"), case.input("y").astype(np.float64), case.workers()
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        k = gram.symmetric_rbf(x, gamma, threads)

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
    x, y = torch.from_numpy(case.input("x")), case.input("y").astype(np.float64)
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        k = gram.torch_rbf(torch, x, gamma).numpy()

        def solve(d, z):
            a = torch.from_numpy(k.copy())
            a.diagonal().add_(torch.from_numpy(d))
            z = torch.from_numpy(z)[:, None]
            return torch.cholesky_solve(z, torch.linalg.cholesky(a))[:, 0].numpy()

        return _irls(k, y, shift, solve)

    return body


def _on_features(case, **options):
    """Logistic regression on the rows of a Cholesky factor, which is the same problem."""
    from scipy.linalg import cholesky, solve_triangular
    from sklearn.linear_model import LogisticRegression

    x, y, threads = case.input("x"), case.input("y"), case.workers()
    gamma, shift = case.params["gamma"], case.params["n_lambda"]

    def body():
        k = gram.symmetric_rbf(x, gamma, threads)
        k.flat[:: len(k) + 1] += 1e-8
        factor = cholesky(k.T, lower=True, overwrite_a=True, check_finite=False)
        model = LogisticRegression(C=1 / shift, fit_intercept=False, max_iter=1000, **options)
        model.fit(factor, y)
        alpha = solve_triangular(factor, model.coef_.ravel(), lower=True, trans="T")
        return alpha, model.n_iter_[0]

    return body


def sklearn_lbfgs(case):
    return _on_features(case, solver="lbfgs", tol=LBFGS_TOLERANCE)


def sklearn_newton_cg(case):
    return _on_features(case, solver="newton-cg", tol=NEWTON_CG_TOLERANCE)
