"""Times of kernrs beside scikit-learn and scikit-learn-intelex, taking turns in one process, with the scores of the answers.

Run it where they are installed: ``python beside.py``. Its figures are in decision 0046.
"""

import statistics
import time

import kernrs
import numpy as np
from sklearn import kernel_approximation, kernel_ridge, neighbors, svm
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

try:
    from sklearnex import neighbors as fast_neighbors
    from sklearnex import svm as fast_svm
except ImportError:
    fast_neighbors = fast_svm = None

#: Turns that each takes.
TURNS = 5


def classes(n, d, rng):
    """Two classes of points with a border that is no plane."""
    x = rng.normal(size=(n, d))
    return x, (np.sin(x[:, 0] * 2) + x[:, 1] * x[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


def values(n, d, rng):
    """Points, and values of a smooth function with noise."""
    x = rng.normal(size=(n, d))
    return x, np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=n)


def digits(rng):
    """Digits to learn from, and the others."""
    x, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    return x[order], y[order]


def estimator_task(x, y, ours, theirs, fast=None):
    """Learning from two thirds of the points, and answers for all of them."""
    part = 2 * len(x) // 3

    def fit(make):
        return lambda: make().fit(x[:part], y[:part])

    makers = {"kernrs": ours, "scikit-learn": theirs} | ({"scikit-learn-intelex": fast} if fast else {})
    fitted = {name: make().fit(x[:part], y[:part]) for name, make in makers.items()}
    scores = {name: f"{model.score(x[part:], y[part:]):.4f}" for name, model in fitted.items()}
    yield "fit", {name: fit(make) for name, make in makers.items()}, scores
    yield "predict", {name: (lambda model=model: model.predict(x)) for name, model in fitted.items()}, scores


def map_task(x, ours, theirs):
    """A feature map: learned and applied, with the mean error of the kernel values of some points."""
    exact = rbf_kernel(x[:300], gamma=1.0 / x.shape[1])
    makers = {"kernrs": ours, "scikit-learn": theirs}
    errors = {}
    for name, make in makers.items():
        features = make().fit(x).transform(x[:300])
        errors[name] = f"{np.abs(features @ features.T - exact).mean():.4f}"
    yield "fit, transform", {name: (lambda make=make: make().fit(x).transform(x)) for name, make in makers.items()}, errors


def tasks():
    """All tasks: a name, the part, the work of each side, and its quality."""
    rng = np.random.default_rng(0)
    intel = fast_svm.SVC if fast_svm else None
    for name, (x, y), settings in [
        ("SVC, digits", digits(rng), {"C": 10.0}),
        ("SVC, 7500 x 10", classes(7500, 10, rng), {"C": 1.0}),
        ("SVC, 15000 x 10", classes(15_000, 10, rng), {"C": 10.0}),
    ]:
        makers = [(lambda make=make, settings=settings: make(**settings)) if make else None
                  for make in (kernrs.SVC, svm.SVC, intel)]
        for part in estimator_task(x, y, *makers):
            yield name, *part
    x, y = values(9000, 10, rng)
    makers = [(lambda make=make: make(C=10.0)) if make else None
              for make in (kernrs.SVR, svm.SVR, fast_svm.SVR if fast_svm else None)]
    for part in estimator_task(x, y, *makers):
        yield "SVR, 9000 x 10", *part
    for part in estimator_task(*values(6000, 18, rng), *((lambda make=make: make(alpha=0.1, kernel="rbf"))
                                                         for make in (kernrs.KernelRidge, kernel_ridge.KernelRidge))):
        yield "KernelRidge, 6000 x 18", *part
    x, y = classes(30_000, 16, rng)
    makers = [(lambda make=make: make(n_neighbors=10, algorithm="brute")) if make else None
              for make in (None, neighbors.KNeighborsClassifier, fast_neighbors.KNeighborsClassifier if fast_neighbors else None)]
    makers[0] = lambda: kernrs.KNeighborsClassifier(n_neighbors=10)
    for part in estimator_task(x, y, *makers):
        yield "KNeighborsClassifier, 30000 x 16", *part
    x = rng.normal(size=(20_000, 32))
    gamma = 1.0 / 32
    pairs = {
        "Nystroem, 20000 x 32, 500": (kernrs.Nystroem, kernel_approximation.Nystroem, 500),
        "RBFSampler, 20000 x 32, 1000": (kernrs.RBFSampler, kernel_approximation.RBFSampler, 1000),
    }
    for name, (ours, theirs, count) in pairs.items():
        makers = [(lambda make=make, count=count: make(gamma=gamma, n_components=count, random_state=0)) for make in (ours, theirs)]
        for part in map_task(x, *makers):
            yield name, *part


def main():
    """Prints a row for each side of each task."""
    print("| task | part | | median s | kernrs / it | quality |\n|---|---|---|---|---|---|")
    for name, part, works, quality in tasks():
        times = {side: [] for side in works}
        for _ in range(TURNS):
            for side, work in works.items():
                start = time.perf_counter()
                work()
                times[side].append(time.perf_counter() - start)
        ours = statistics.median(times["kernrs"])
        for side in works:
            median = statistics.median(times[side])
            print(f"| {name} | {part} | {side} | {median:.4f} | {ours / median:.2f} | {quality[side]} |", flush=True)


if __name__ == "__main__":
    main()
