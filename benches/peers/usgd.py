"""Peers of `usgd`: u_i ← u_i + α·y_i/(1 + exp(y_i·Σⱼ K(x_i, x_j)uⱼ)) for a sequence of i."""

import gram
import numpy as np


def figures(case, result):
    x, y = case.input("x"), case.input("y")
    margins = y * (gram.exact_rbf(x, x, case.params["gamma"]) @ result)
    return {
        "train_loss": float(np.logaddexp(0, -margins).mean()),
        "train_accuracy": float((margins > 0).mean()),
    }


def _inputs(case):
    x, y, order = case.input("x"), case.input("y").astype(np.float64), case.input("order")
    return x, y, order, case.params["gamma"], case.params["alpha"]


def numpy_cached(case):
    x, y, order, gamma, alpha = _inputs(case)
    threads = case.workers()

    def body():
        k, u = gram.symmetric_rbf(x, gamma, threads), np.zeros(len(x))
        for i in order:
            u[i] += alpha * y[i] / (1 + np.exp(y[i] * (k[i] @ u)))
        return u

    return body


def numpy_on_the_fly(case):
    x, y, order, gamma, alpha = _inputs(case)

    def body():
        u = np.zeros(len(x))
        for i in order:
            difference = x - x[i]
            row = np.exp(-gamma * np.einsum("ij,ij->i", difference, difference))
            u[i] += alpha * y[i] / (1 + np.exp(y[i] * (row @ u)))
        return u

    return body


def numba_cached(case):
    import numba

    @numba.njit(fastmath=True)
    def descend(k, y, order, alpha):
        u = np.zeros(len(y))
        for i in order:
            value = 0.0
            for j in range(len(y)):
                value += k[i, j] * u[j]
            u[i] += alpha * y[i] / (1 + np.exp(y[i] * value))
        return u

    x, y, order, gamma, alpha = _inputs(case)
    threads = case.workers()
    # Numba's own exponential function takes one value at a time.
    return lambda: descend(gram.symmetric_rbf(x, gamma, threads), y, order, alpha)


def numba_on_the_fly(case):
    import numba

    @numba.njit(fastmath=True)
    def descend(first, second, y, order, gamma, alpha):
        n = len(y)
        u = np.zeros(n)
        for i in order:
            value = 0.0
            for j in range(n):
                a, b = first[j] - first[i], second[j] - second[i]
                value += np.exp(-gamma * (a * a + b * b)) * u[j]
            u[i] += alpha * y[i] / (1 + np.exp(y[i] * value))
        return u

    x, *rest = _inputs(case)
    first, second = np.ascontiguousarray(x[:, 0]), np.ascontiguousarray(x[:, 1])
    return lambda: descend(first, second, *rest)
