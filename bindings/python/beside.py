"""Times of kernrs beside scikit-learn and scikit-learn-intelex: taking turns in one process, with the scores of all sides.

Run it where they are installed: ``python beside.py``; names of tasks may follow. The tasks are those of kern's report, with
the same distributions and parameters, through Python and including the crossing. It takes some minutes on two cores; with
``--small`` everything is run with few points, and times say nothing.
"""

import resource
import statistics
import sys
import time
import warnings

import kernrs
import numpy as np
from kernrs._validation import points_of
from scipy.linalg import cholesky
from sklearn import kernel_approximation, kernel_ridge, neighbors, svm
from sklearn.datasets import load_digits, make_blobs, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

try:
    from sklearnex import neighbors as fast_neighbors
    from sklearnex import svm as fast_svm
except ImportError:
    fast_neighbors = fast_svm = None

#: Turns that each takes: the seconds that all of them may take, and the bounds of their number.
SECONDS, FEWEST, MOST = 8.0, 3, 15

#: The limit of the cost of a call.
LIMIT = 50e-6

#: What numbers of points are divided by: 20 with ``--small``, which only shows that all of this runs.
SHARE = 20 if "--small" in sys.argv else 1


class Task:
    """A part of a task: the work of each side, and what its result is judged by."""

    def __init__(self, name, score, sides, judge):
        self.name, self.score, self.judge = name, score, judge
        self.sides = {side: work for side, work in sides.items() if work is not None}


def fits(name, make, data, score):
    """Learning, then answers for points that were not seen: ``make`` has the maker of each side's estimator."""
    x, y, queries, truth = data
    makers = {side: maker for side, maker in make.items() if maker is not None}
    fitted = {}

    def fit(side):
        def work():
            fitted[side] = makers[side]().fit(x, y)
            return fitted[side]
        return work

    def answer(side):
        return lambda: (fitted[side] if side in fitted else fit(side)()).predict(queries)

    yield Task(f"{name}, fit", score, {side: fit(side) for side in makers}, lambda model: model.score(queries, truth))
    yield Task(f"{name}, predict", "mean", {side: answer(side) for side in makers}, lambda found: float(np.mean(found)))


def standard(values, train):
    """Columns of mean 0 and deviation 1 over the first rows."""
    return (values - values[:train].mean(axis=0)) / values[:train].std(axis=0)


def split(x, y, train):
    """Points and targets to learn from, and the others."""
    return np.ascontiguousarray(x[:train]), y[:train], np.ascontiguousarray(x[train:]), y[train:]


def digits(rng):
    """Digits between 0 and 1, in random order."""
    x, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    return split(x[order] / 16.0, y[order], 1197)


def clusters(train):
    """Two classes of four Gaussian clusters each, in twenty dimensions."""
    x, y = make_classification(train + 5000, 20, n_informative=10, n_redundant=4, n_clusters_per_class=4, flip_y=0.02,
                               random_state=0)
    return split(standard(x, train), y, train)


def friedman(rng, train, tests):
    """Friedman's first problem."""
    x = rng.random((train + tests, 10))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y += rng.normal(size=len(y))
    return split((x - 0.5) * 12**0.5, standard(y[:, None], train)[:, 0], train)


def waves(rng, n, d):
    """Points of a normal distribution, and values of a smooth function with noise."""
    x = rng.normal(size=(n, d))
    return x, np.sin(x[:, 0] + x[:, 1]) + x[:, 2] * x[:, 3] / 2 + 0.1 * rng.normal(size=n)


def near_subspace(rng, n, d):
    """Points near a subspace of dimension 6."""
    return rng.normal(size=(n, 6)) @ rng.normal(size=(6, d)) / 6**0.5 + 0.1 * rng.normal(size=(n, d))


def machines(rng):
    """Support vector machines."""
    sets = [("svm digits", digits(rng), 10.0, 0.1), ("svm syn5000", clusters(5000 // SHARE), 1.0, 0.05)]
    for name, data, c, gamma in sets:
        modules = {"kernrs": kernrs, "scikit-learn": svm, "intelex": fast_svm}
        make = {side: module and (lambda module=module, c=c, gamma=gamma: module.SVC(C=c, gamma=gamma))
                for side, module in modules.items()}
        yield from fits(name, make, data, "accuracy")
    make = {side: module and (lambda module=module: module.SVR(C=10.0, gamma=0.1, epsilon=0.1))
            for side, module in modules.items()}
    yield from fits("svr 10000 x 10", make, friedman(rng, 10_000 // SHARE, 2000), "R2")


def ridge(rng):
    """Kernel ridge regression."""
    make = {side: (lambda module=module: module.KernelRidge(alpha=0.08, kernel="rbf", gamma=1 / 32))
            for side, module in {"kernrs": kernrs, "scikit-learn": kernel_ridge}.items()}
    yield from fits("krr_direct 8000 x 18", make, split(*waves(rng, 8000 // SHARE + 2000, 18), 8000 // SHARE), "R2")


class CholeskyLogistic:
    """Kernel logistic regression by scikit-learn: a linear one on the rows of a Cholesky factor, which is the same problem."""

    def fit(self, x, y):
        """Learns classes."""
        self.x = x
        gram = rbf_kernel(x, gamma=0.05)
        gram.flat[:: len(gram) + 1] += 1e-8
        self.factor = cholesky(gram, lower=True, check_finite=False)
        self.model = LogisticRegression(C=1.0, tol=1e-6, max_iter=1000).fit(self.factor, y)
        self.alpha = np.linalg.solve(self.factor.T, self.model.coef_.ravel())
        return self

    def predict(self, x):
        """The classes of points."""
        values = rbf_kernel(x, self.x, gamma=0.05) @ self.alpha + self.model.intercept_
        return self.model.classes_[(values > 0).astype(int)]

    def score(self, x, y):
        """The share of right answers."""
        return float(np.mean(self.predict(x) == y))


def logistic(rng):
    """Kernel logistic regression."""
    x, y = waves(rng, 4000 // SHARE + 4000, 20)
    make = {"kernrs": lambda: kernrs.KernelLogisticRegression(C=1.0, gamma=0.05), "scikit-learn": CholeskyLogistic}
    yield from fits("klr 4000 x 20", make, split(x, (y > 0).astype(int), 4000 // SHARE), "accuracy")


def grams(rng):
    """Gram matrices of the RBF kernel."""
    for dtype in (np.float64, np.float32):
        x = rng.normal(size=(8000 // SHARE, 64)).astype(dtype)
        rows = rng.integers(len(x), size=50)
        wide = x.astype(np.float64)
        exact = np.stack([np.exp(-((wide - wide[row]) ** 2).sum(1) / 64) for row in rows])
        yield Task(f"gram_rbf 8000 x 64 {np.dtype(dtype).name}", "max error", {
            "kernrs": lambda x=x: kernrs.gram("rbf(gamma=0.015625)", x),
            "scikit-learn": lambda x=x: rbf_kernel(x, gamma=1 / 64),
        }, lambda found, rows=rows, exact=exact: float(np.abs(found[rows] - exact).max()))


def maps(rng):
    """Feature maps: learned and applied; judged by the mean error of kernel values."""
    for name, kind, x, count in [
        ("rff 100000 x 64, 2048", "RBFSampler", rng.normal(size=(100_000 // SHARE, 64)), 2048),
        ("nystroem 50000 x 32, 1000", "Nystroem", near_subspace(rng, 50_000 // SHARE, 32), 1000),
    ]:
        gamma = 1.0 / x.shape[1]
        exact = rbf_kernel(x[:200], gamma=gamma)
        for dtype in (np.float64, np.float32):
            points = x.astype(dtype)
            sides = {side: (lambda module=module, points=points, kind=kind, gamma=gamma, count=count:
                            getattr(module, kind)(gamma=gamma, n_components=count, random_state=0).fit_transform(points))
                     for side, module in {"kernrs": kernrs, "scikit-learn": kernel_approximation}.items()}
            yield Task(f"{name} {np.dtype(dtype).name}", "mean error", sides,
                       lambda z, exact=exact: float(np.abs(z[:200] @ z[:200].T - exact).mean()))


def lloyd(x, k, gamma):
    """Kernel k-means by scikit-learn's kernel values and NumPy, from random labels."""
    values = rbf_kernel(x, gamma=gamma)
    labels = np.random.default_rng(0).integers(k, size=len(x))
    for _ in range(50):
        member = np.zeros((len(x), k))
        member[np.arange(len(x)), labels] = 1.0
        counts = np.maximum(member.sum(0), 1.0)
        sums = values @ member
        new = (1.0 - 2 * sums / counts + (member * sums).sum(0) / counts**2).argmin(1)
        if (new == labels).all():
            break
        labels = new
    return labels


def kmeans(rng):
    """Kernel k-means."""
    x, _ = make_blobs(5000 // SHARE, 16, centers=10, cluster_std=2.0, center_box=(-3, 3), random_state=0)
    gram = rbf_kernel(x, gamma=1 / 16)

    def inertia(labels):
        parts = [gram[np.ix_(labels == k, labels == k)] for k in np.unique(labels)]
        return float(sum(len(part) - part.sum() / len(part) for part in parts))

    yield Task("kernel_kmeans 5000 x 16, 10", "inertia", {
        "kernrs": lambda: kernrs.KernelKMeans(10, gamma=1 / 16, max_iter=50).fit(x).labels_,
        "scikit-learn": lambda: lloyd(x, 10, 1 / 16),
    }, inertia)


def nearest(rng):
    """Votes of nearest neighbours; the fit is not in the time."""
    for dtype in (np.float32, np.float64):
        x = rng.normal(size=(100_000 // SHARE + 10_000 // SHARE, 64)).astype(dtype)
        y = (np.sin(x[:, 0]) + x[:, 1] > 0).astype(int)
        x, y, queries, truth = split(x, y, 100_000 // SHARE)
        sides = {"kernrs": lambda: kernrs.KNeighborsClassifier(10)}
        for side, module in {"scikit-learn": neighbors, "intelex": fast_neighbors}.items():
            if module is not None:
                sides[side] = lambda module=module: module.KNeighborsClassifier(10, algorithm="brute")
        models = {side: make().fit(x, y) for side, make in sides.items()}
        yield Task(f"knn 100000 x 64, 10000 queries {np.dtype(dtype).name}", "accuracy",
                   {side: (lambda model=model, queries=queries: model.predict(queries)) for side, model in models.items()},
                   lambda found, truth=truth: float(np.mean(found == truth)))


def measured(task):
    """The seconds of each turn of each side, and the scores."""
    warnings.simplefilter("ignore")
    times, scores = {side: [] for side in task.sides}, {}
    for side, work in task.sides.items():
        scores[side] = task.judge(work())
    start = time.perf_counter()
    turns, fewest = 0, 1 if SHARE > 1 else FEWEST
    while turns < fewest or (SHARE == 1 and turns < MOST and time.perf_counter() - start < SECONDS):
        for side, work in task.sides.items():
            begin = time.perf_counter()
            found = work()
            times[side].append(time.perf_counter() - begin)
            del found
        turns += 1
    return times, scores


def row(task):
    """The row of a task."""
    times, scores = measured(task)
    ratio = {side: statistics.median(a / b for a, b in zip(times["kernrs"], times[side])) for side in times}
    cells = [task.name]
    cells += [f"{statistics.median(times[side]):.4f}" if side in times else "" for side in ("kernrs", "scikit-learn", "intelex")]
    cells += [f"{ratio[side]:.2f}" if side in ratio else "" for side in ("scikit-learn", "intelex")]
    cells += [task.score, *(f"{scores[side]:.4g}" if side in scores else "" for side in ("kernrs", "scikit-learn", "intelex"))]
    return f"| {' | '.join(cells)} |"


def crossing():
    """The cost of a call with an array of one row, and the bytes that a call copies of X, per byte of X."""
    x, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    ours, theirs = kernrs.SVC().fit(x, y), svm.SVC().fit(x, y)
    native = ours.model_
    for name, call in {
        "native: an array to points": lambda: points_of(x),
        "native: an array to points, and a prediction": lambda: native.predict(points_of(x)),
        "kernrs.SVC: predict, with scikit-learn's checks": lambda: ours.predict(x),
        "scikit-learn's SVC: predict": lambda: theirs.predict(x),
    }.items():
        begin = time.perf_counter()
        for _ in range(2000):
            call()
        yield name, f"{(time.perf_counter() - begin) / 2000 * 1e6:.1f} us"
    for dtype in (np.float64, np.float32):
        big = np.random.default_rng(0).normal(size=(400_000, 20)).astype(dtype)
        before = resident()
        kept = [points_of(big) for _ in range(20)]
        copied = max(0, resident() - before) / len(kept)
        yield f"bytes copied of X, {big.nbytes} bytes of {np.dtype(dtype).name}", f"{copied:.0f}"
        del kept


def resident():
    """The greatest memory that this process had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    """Prints a row for each task, then what a crossing costs."""
    wanted = [name for name in sys.argv[1:] if name != "--small"]
    # First, while the memory of this process has seen nothing great.
    print(f"| a call (limit {LIMIT * 1e6:.0f} us beyond the work) | cost |\n|---|---|")
    for name, cost in crossing():
        print(f"| {name} | {cost} |", flush=True)
    print()
    print("| task | kernrs s | scikit-learn s | intelex s | kernrs / scikit-learn | kernrs / intelex | score | kernrs "
          "| scikit-learn | intelex |\n|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for make in (machines, ridge, logistic, grams, maps, kmeans, nearest):
        for task in make(np.random.default_rng(0)):
            if not wanted or any(name in task.name for name in wanted):
                print(row(task), flush=True)


if __name__ == "__main__":
    main()
