"""Peers of `first_contact`: the first fit of a process, and a fit after a pause.

As a program, `first_contact.py FUNCTION FOLDER`, it fits once and prints the time and the figures as a
line of JSON: libraries are loaded and inputs are read before the clock starts.
"""

import dataclasses
import json
import statistics
import subprocess
import sys
import time

import numpy as np

from case import Case

# As in the task of the library.
FITS_BEFORE, WARM_FITS = 5, 10
PAUSE, READ_IN_PAUSE = 0.3, 64 << 20


def seconds(case, result):
    """The time of the fit, not that of the whole run."""
    return result[0]["seconds"]


def figures(case, result):
    return result[0]["figures"]


def note(case, result):
    """The remark of a row: the median time of the second half of some fits in a row."""
    times = []
    for _ in range(WARM_FITS):
        start = time.perf_counter()
        fitted = result[1]()
        times.append(time.perf_counter() - start)
        del fitted
    return f"warm {1e3 * statistics.median(times[WARM_FITS // 2 :]):.3f} ms"


def _timed(case, fit):
    """One fit under the clock; a fit returns a function that computes its answer."""
    start = time.perf_counter()
    answer = fit()
    elapsed = time.perf_counter() - start
    found, expected = np.ravel(answer()), case.input("expected")
    assert found.shape == expected.shape
    error = np.abs(found - expected).max() / np.abs(expected).max()
    return {"seconds": elapsed, "figures": {"answer_error": float(error)}}


def _contact(case, function, fit):
    """The body of a case: a time with figures, and the fit."""
    start = case.variant.split(",")[1]
    if start == "alone":
        return fit
    if start == "first":
        # The runner's requests are not for it.
        command = [sys.executable, __file__, function, str(case.folder)]

        def first():
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True
            )
            return json.loads(done.stdout.splitlines()[-1]), fit

        return first
    for _ in range(FITS_BEFORE):
        fit()
    # Memory of zeros might be one page.
    memory = np.ones(READ_IN_PAUSE // 8, np.uint64)

    def paused():
        begin = time.perf_counter()
        while time.perf_counter() - begin < PAUSE:
            memory.sum()
        return _timed(case, fit), fit

    return paused


def _main():
    function, folder = sys.argv[1:]
    case = Case.load(folder)
    case.limit_threads()
    model = case.variant.split(",")[0]
    fit = globals()[function](dataclasses.replace(case, variant=f"{model},alone"))
    print(json.dumps(_timed(case, fit)))


def _vectors(case, function, body):
    """A peer of the task `svm`, judged by its dual objective."""
    import duals

    x, y = case.input("x"), case.input("y")
    gamma = case.params["gamma"]

    def fit():
        support, coefficients, _ = body()

        def answer():
            classes = np.searchsorted(np.unique(y), y[support])
            return duals.pairs(x[support], classes, coefficients, gamma)

        return answer

    return _contact(case, function, fit)


def sklearn_svc(case):
    import svm

    return _vectors(case, "sklearn_svc", svm.sklearn_svc(case))


def intelex_svc(case):
    import svm

    return _vectors(case, "intelex_svc", svm.intelex_svc(case))


def libsvm(case):
    """The conversion of its input is not in the time."""
    import svm

    return _vectors(case, "libsvm", svm.libsvm(case))


def sklearn_ridge(case):
    from sklearn.kernel_ridge import KernelRidge

    x, y, params = case.input("x"), case.input("y"), case.params

    def fit():
        model = KernelRidge(kernel="rbf", gamma=params["gamma"], alpha=params["noise"])
        model.fit(x, y)
        return lambda: model.predict(x)

    return _contact(case, "sklearn_ridge", fit)


def sklearn_process(case):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    x, y, params = case.input("x"), case.input("y"), case.params

    def fit():
        kernel = RBF((2 * params["gamma"]) ** -0.5)
        model = GaussianProcessRegressor(kernel, alpha=params["noise"], optimizer=None)
        model.fit(x, y)
        return lambda: model.log_marginal_likelihood_value_

    return _contact(case, "sklearn_process", fit)


def _solver(case):
    """A function that returns the Cholesky factor of K + noise·I, and the coefficients."""
    from scipy.linalg import lapack

    import gram

    x, y, params = case.input("x"), case.input("y"), case.params

    def solve():
        # Symmetric: Fortran takes the transpose, which is not copied.
        covariance = gram.rbf(x, x, params["gamma"])
        covariance.flat[:: len(x) + 1] += params["noise"]
        factor, failed = lapack.dpotrf(covariance.T, lower=True, clean=False, overwrite_a=True)
        assert not failed
        return factor, lapack.dpotrs(factor, y, lower=True)[0]

    return solve, y


def scipy_ridge(case):
    solve, y = _solver(case)

    def fit():
        _, coefficients = solve()
        return lambda: y - case.params["noise"] * coefficients

    return _contact(case, "scipy_ridge", fit)


def scipy_process(case):
    solve, y = _solver(case)

    def fit():
        factor, coefficients = solve()
        value = -0.5 * y @ coefficients - np.log(factor.diagonal()).sum()
        value -= 0.5 * len(y) * np.log(2 * np.pi)
        return lambda: value

    return _contact(case, "scipy_process", fit)


def _clusters(case, function, estimator):
    """k-means, judged by its inertia, from the labels."""
    x, k, restarts = case.input("x"), int(case.params["k"]), int(case.params["restarts"])

    def fit():
        model = estimator(n_clusters=k, init="k-means++", n_init=restarts, random_state=0).fit(x)

        def answer():
            members = [x[model.labels_ == cluster] for cluster in range(k)]
            return sum(((rows - rows.mean(0)) ** 2).sum() for rows in members)

        return answer

    return _contact(case, function, fit)


def sklearn_kmeans(case):
    from sklearn.cluster import KMeans

    return _clusters(case, "sklearn_kmeans", KMeans)


def intelex_kmeans(case):
    from sklearnex.cluster import KMeans

    return _clusters(case, "intelex_kmeans", KMeans)


def _logistic(case, function, estimator):
    """Logistic regression, judged by its objective."""
    x, y, c = case.input("x"), case.input("y"), float(case.params["c"])

    def fit():
        model = estimator(C=c).fit(x, y)

        def answer():
            weights = np.ravel(model.coef_)
            values = x @ weights + float(np.ravel(model.intercept_)[0])
            losses = np.logaddexp(0, np.where(y == 1, -values, values))
            return c * losses.sum() + 0.5 * weights @ weights

        return answer

    return _contact(case, function, fit)


def sklearn_logistic(case):
    from sklearn.linear_model import LogisticRegression

    return _logistic(case, "sklearn_logistic", LogisticRegression)


def intelex_logistic(case):
    from sklearnex.linear_model import LogisticRegression

    return _logistic(case, "intelex_logistic", LogisticRegression)


if __name__ == "__main__":
    _main()
