"""Fits beyond one machine, on loopback: bits, lost workers and drivers, poisoned parts, collections of Dask."""

import functools
import multiprocessing
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import kernrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kernrs import KernelKMeans, KernelLogisticRegression, KernelPCA, KernelRidge, KernelRidgeClassifier
from kernrs import Nystroem, RBFSampler, RecursiveFeatureMachineRegressor, SVC, SVR
from kernrs import distributed
from rows import FILES, GROUPS, ROWS, rows, write
from sklearn import decomposition, kernel_ridge, linear_model
from sklearn.exceptions import ConvergenceWarning

RBF = "rbf(gamma=0.3)"
OTHERS = ("a", "b", "c", "y", "sign", "kind", "w")

#: A fit of each learner: the maker of its estimator, which takes a kernel, and its target.
LEARNERS = {
    "ridge": (functools.partial(KernelRidge, alpha=0.1), "y"),
    "ridge classes": (functools.partial(KernelRidgeClassifier, alpha=0.1), "kind"),
    "logistic": (functools.partial(KernelLogisticRegression, C=10.0), "sign"),
    "softmax": (functools.partial(KernelLogisticRegression, C=10.0), "kind"),
    "squared hinge": (functools.partial(SVC, C=1.0), "kind"),
    "squared tube": (functools.partial(SVR, C=1.0, epsilon=0.05), "y"),
    "k-means": (functools.partial(KernelKMeans, 3), None),
    "components": (functools.partial(KernelPCA, 2), None),
    "feature machine": (functools.partial(RecursiveFeatureMachineRegressor, alpha=0.1, n_rounds=2), "y"),
}
FEATURES = {
    "landmarks": (RBF, 30),
    "fourier": (RBF, RBFSampler(kernel=RBF, gamma=None, n_components=40, random_state=1)),
    "columns": ("linear", "columns"),
}


def settings(learner, features="columns", **more):
    """The arguments of a fit, without its data."""
    make, target = LEARNERS[learner]
    kernel, map_ = FEATURES[features]
    known = {"target": target, "features": map_, "ignore": [name for name in OTHERS[3:] if name != target], "rows": ROWS,
             "standardized": features == "landmarks"}
    # Fewer rounds than an answer takes: bits are compared.
    if learner not in ("ridge", "ridge classes", "components", "feature machine"):
        known["max_rounds"] = 4
    return make(kernel=kernel), known | more


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write(tmp_path_factory.mktemp("rows"))


@functools.cache
def alone(files, learner, features):
    """The bytes of the model of one process."""
    estimator, known = settings(learner, features)
    return distributed.fit(estimator, files, **known).to_bytes()


@pytest.fixture(scope="module")
def client():
    from dask.distributed import Client, LocalCluster
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield client


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

#: One cluster for all of them, and so one process.
clustered = pytest.mark.xdist_group("cluster")


@clustered
@pytest.mark.parametrize("features", FEATURES)
def test_two_workers_give_the_bits_of_one_process(files, client, features):
    # A metric is learned of landmarks.
    for learner in [name for name in LEARNERS if name != "feature machine" or features == "landmarks"]:
        estimator, known = settings(learner, features)
        model = distributed.fit(estimator, files, client, **known)
        assert model.to_bytes() == alone(files, learner, features), (learner, features)


def test_executors_give_the_bits_of_one_process(files):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool, ThreadPoolExecutor(3) as threads:
        for engine, learner in [(pool, "softmax"), (threads, "ridge"), (threads, "k-means")]:
            estimator, known = settings(learner, "landmarks")
            model = distributed.fit(estimator, files, engine, **known)
            assert model.to_bytes() == alone(files, learner, "landmarks"), learner


@clustered
def test_a_lost_worker_costs_what_it_had(files, client):
    estimator, known = settings("softmax", "fourier")
    lost = []

    def kill(state):
        if not lost and state["phase"] == "rounds" and state["round"] >= 2 and 0 < state["done"]:
            (lost_pid,) = [pid for pid in list(client.run(os.getpid).values())[:1]]
            os.kill(lost_pid, signal.SIGKILL)
            lost.append(lost_pid)

    client.wait_for_workers(2)
    model = distributed.fit(estimator, files, client, callback=kill, **known)
    assert lost and model.to_bytes() == alone(files, "softmax", "fourier")
    client.wait_for_workers(2, timeout=60)


DRIVER = '''
import os, signal, sys
sys.path.insert(0, {tests!r})
from test_distributed import settings
from kernrs import distributed
import pathlib

def kill(state):
    if state["phase"] == "rounds" and state["round"] == 2 and state["done"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)

estimator, known = settings("logistic", "landmarks")
distributed.fit(estimator, pathlib.Path({files!r}), callback=kill, checkpoint={checkpoint!r}, **known)
'''


@clustered
def test_a_killed_driver_goes_on(files, client, tmp_path):
    checkpoint = tmp_path / "fit.checkpoint"
    program = DRIVER.format(tests=str(pathlib.Path(__file__).parent), files=str(files), checkpoint=str(checkpoint))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["fit.checkpoint"]
    estimator, known = settings("logistic", "landmarks")
    begun = []
    model = distributed.fit(estimator, files, client, checkpoint=checkpoint, callback=begun.append, **known)
    assert begun[0]["phase"] == "rounds" and begun[0]["round"] == 2
    assert model.to_bytes() == alone(files, "logistic", "landmarks")
    # A checkpoint of a fit that has ended is its model.
    again = distributed.fit(estimator, files, checkpoint=checkpoint, callback=pytest.fail, **known)
    assert again.to_bytes() == model.to_bytes()


def test_the_checkpoint_of_another_fit_is_refused(files, tmp_path):
    checkpoint = tmp_path / "fit.checkpoint"
    estimator, known = settings("ridge", checkpoint=checkpoint)
    distributed.fit(estimator, files, **known)
    whole = checkpoint.read_bytes()
    with pytest.raises(ValueError, match="fit.checkpoint.*order"):
        distributed.fit(KernelRidge(alpha=0.2, kernel="linear"), files, **known)
    with pytest.raises(ValueError, match="fit.checkpoint.*parts"):
        distributed.fit(estimator, [files / "part-0.parquet"], **known)
    assert checkpoint.read_bytes() == whole
    checkpoint.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="fit.checkpoint"):
        distributed.fit(estimator, files, **known)


def truncated(path):
    """A file whose second row group is not whole."""
    data = path.read_bytes()
    middle = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    # The footer is there, and what it speaks of is not.
    path.write_bytes(data[:middle] + b"\xff" * 64 + data[middle + 64:])


def renamed(path):
    """A file with other columns."""
    table = pq.read_table(path)
    pq.write_table(table.rename_columns(["a", "b", "other", *table.column_names[3:]]), path, row_group_size=ROWS)


def holed(path):
    """A file with a number that is none, in its second row group."""
    table = pq.read_table(path)
    values = table["b"].to_numpy().copy()
    values[ROWS + 7] = np.nan
    pq.write_table(table.set_column(1, "b", pa.array(values)), path, row_group_size=ROWS)


@clustered
@pytest.mark.parametrize("poison", [truncated, renamed, holed])
def test_a_poisoned_part_is_named_and_loses_nothing(client, tmp_path, poison):
    files, checkpoint = write(tmp_path / "rows"), tmp_path / "fit.checkpoint"
    estimator, known = settings("logistic", "columns", checkpoint=checkpoint)
    bad, good = files / "part-1.parquet", (files / "part-1.parquet").read_bytes()

    def spoil(state):
        if state["phase"] == "rounds" and state["round"] == 1 and state["done"] == 0:
            poison(bad)

    with pytest.raises(ValueError) as raised:
        distributed.fit(estimator, files, client, callback=spoil, **known)
    named = str(raised.value)
    assert str(bad) in named and "row group" in named, named
    assert poison is renamed or "row group 1" in named, named
    assert poison is not holed or "b" in named, named
    bad.write_bytes(good)
    begun = []
    model = distributed.fit(estimator, files, client, callback=begun.append, **known)
    assert begun[0]["phase"] == "rounds" and begun[0]["round"] == 1
    del known["checkpoint"]
    assert model.to_bytes() == distributed.fit(estimator, files, **known).to_bytes()


@clustered
def test_workers_of_another_version_are_refused(files, client):
    def become(version):
        import kernrs
        kernrs.__version__ = version

    estimator, known = settings("ridge")
    worker = next(iter(client.run(os.getpid)))
    client.run(become, "0.0.1", workers=[worker])
    try:
        with pytest.raises(distributed.VersionError, match=f"{worker} has 0.0.1"):
            distributed.fit(estimator, files, client, **known)
    finally:
        client.run(become, kernrs.__version__, workers=[worker])
    # One that has come later.
    task = distributed.Rounds(estimator, files, **known).task
    with pytest.raises(distributed.VersionError, match="0.0.1"):
        distributed.gather(task.replace(kernrs.__version__.encode(), b"0.0.1", 1), 0)


@clustered
def test_collections_of_dask(client):
    import dask.array as da
    import dask.dataframe as dd
    import pandas
    frame = pandas.DataFrame(rows())
    collection = dd.from_pandas(frame, npartitions=5)
    for learner in ("ridge", "softmax", "k-means"):
        estimator, known = settings(learner, "landmarks")
        del known["rows"]
        model = distributed.fit(estimator, collection, client, **known)
        assert model.to_bytes() == distributed.fit(estimator, collection, **known).to_bytes()
    x = frame[["a", "b", "c"]].to_numpy()
    y = frame["y"].to_numpy()
    expected = kernel_ridge.KernelRidge(alpha=0.5).fit(x, y).predict(x)
    points = da.from_array(x, chunks=(500, 2))
    for target in (da.from_array(y, chunks=300), y):
        model = distributed.fit(KernelRidge(alpha=0.5), points, client, target=target)
        np.testing.assert_allclose(model.predict(x), expected, rtol=1e-9, atol=1e-9)
    found = distributed.predict(model, points, client)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="1200 points, and 1199 target"):
        distributed.fit(KernelRidge(), points, client, target=y[:-1])
    with pytest.raises(TypeError, match="client of Dask"), ThreadPoolExecutor(1) as threads:
        distributed.fit(KernelRidge(), points, threads, target=y)


def test_answers_are_those_of_scikit_learn(files):
    table = rows()
    x, y, kinds = np.column_stack([table[name] for name in "abc"]), table["y"], table["kind"]
    known = {"rows": ROWS, "features": "columns"}

    def ignore(target):
        return [name for name in OTHERS[3:] if name != target]

    model = distributed.fit(KernelRidge(alpha=2.0), files, target="y", ignore=ignore("y"), **known)
    np.testing.assert_allclose(model.predict(x), kernel_ridge.KernelRidge(alpha=2.0).fit(x, y).predict(x), rtol=1e-9, atol=1e-9)
    model = distributed.fit(KernelRidge(alpha=2.0), files, target="y", weights="w", ignore=["sign", "kind"], **known)
    expected = kernel_ridge.KernelRidge(alpha=2.0).fit(x, y, sample_weight=table["w"]).predict(x)
    np.testing.assert_allclose(model.predict(x), expected, rtol=1e-9, atol=1e-9)
    model = distributed.fit(KernelLogisticRegression(C=3.0, kernel="linear", tol=1e-10), files, target="kind",
                            ignore=ignore("kind"), **known)
    theirs = linear_model.LogisticRegression(C=3.0, tol=1e-10, max_iter=1000).fit(x, kinds)
    classes, shares = model.predict_proba(x)
    assert (classes == theirs.classes_).all()
    np.testing.assert_allclose(shares, theirs.predict_proba(x), atol=1e-5)
    model = distributed.fit(KernelPCA(2), files, ignore=list(OTHERS[3:]), **known)
    theirs = decomposition.PCA(2).fit_transform(x)
    ours = model.transform(x)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-7, atol=1e-7)


def test_answers_of_parts(files, tmp_path):
    table = rows()
    x = np.column_stack([table[name] for name in "abc"])
    estimator, known = settings("ridge", "fourier")
    model = distributed.fit(estimator, files, **known)
    expected = model.predict(x)
    assert (distributed.predict(model, files, rows=ROWS) == expected).all()
    r2 = 1.0 - np.sum((table["y"] - expected) ** 2) / np.sum((table["y"] - table["y"].mean()) ** 2)
    assert abs(distributed.score(model, files, rows=ROWS) - r2) < 1e-12
    paths = distributed.predict(model, files, rows=ROWS, to=tmp_path / "answers")
    assert len(paths) == GROUPS * FILES
    assert (np.concatenate([np.load(path) for path in paths]) == expected).all()
    # Those of estimators of this process.
    exact = KernelRidge(alpha=1.0, kernel=RBF).fit(x[:300], table["y"][:300])
    columns = ["a", "b", "c"]
    np.testing.assert_allclose(distributed.predict(exact, files, columns=columns, rows=ROWS), exact.predict(x), rtol=1e-12)
    assert abs(distributed.score(exact, files, target="y", columns=columns, rows=ROWS) - exact.score(x, table["y"])) < 1e-12
    machine = SVC(C=1.0).fit(x[:300], table["kind"][:300])
    found = distributed.score(machine, files, target="kind", columns=columns, rows=ROWS)
    assert abs(found - machine.score(x, table["kind"])) < 1e-12
    estimator, known = settings("softmax", "landmarks")
    classes = distributed.fit(estimator, files, **known)
    share = np.mean(classes.predict(dict(zip("abc", x.T))) == table["kind"])
    assert abs(distributed.score(classes, files, rows=ROWS) - share) < 1e-12 and share > 0.8


def test_models_take_arrays_and_are_kept_in_files(files, tmp_path):
    estimator, known = settings("k-means", "landmarks")
    model = distributed.fit(estimator, files, **known)
    x = np.random.default_rng(3).normal(size=(50, 3))
    found = model.predict(dict(zip("abc", x.T)))
    assert (model.predict(x) == found).all() and len(set(found)) == 3
    with pytest.raises(ValueError, match="3 columns.*2"):
        model.predict(x[:, :2])
    with pytest.raises(ValueError, match="components"):
        model.transform(x)
    kernrs.save(model, tmp_path / "model.kern")
    again = kernrs.load(tmp_path / "model.kern")
    assert (again.predict(x) == found).all() and again.kernel == model.kernel


def test_estimators_that_are_no_sums_are_refused(files):
    known = {"target": "y", "rows": ROWS}
    for estimator in (kernrs.GaussianProcessRegressor(), kernrs.NuSVC(), linear_model.Ridge()):
        with pytest.raises(ValueError, match=f"{type(estimator).__name__} is no sum.*KernelRidge.*KernelPCA"):
            distributed.fit(estimator, files, **known)
    for estimator, words, more in [
        (KernelRidge(kernel=RBF), "linear kernel", {"features": "columns"}),
        (KernelRidge(kernel=RBF), "are of the kernel", {"features": Nystroem("laplacian(gamma=0.1)")}),
        (KernelRidge(kernel=lambda a, b: a @ b.T), "formula", {}),
        (KernelRidge(kernel="precomputed"), "formula", {}),
        (KernelRidge(), "features", {"features": kernrs.PolynomialCountSketch()}),
        (KernelRidge(), "features", {"features": -3}),
        (KernelRidge(alpha=0.0), "alpha", {}),
        (SVC(class_weight="balanced"), "class_weight", {}),
        (KernelKMeans(3), "targets", {}),
        (KernelRidge(), "target", {"target": None}),
        (KernelPCA(), "n_components", {"target": None}),
        (RecursiveFeatureMachineRegressor(), "alpha", {}),
        (RecursiveFeatureMachineRegressor(alpha=1.0), "landmarks", {"features": "columns"}),
        (KernelRidge(), "nothing", {"target": "nothing"}),
    ]:
        with pytest.raises(ValueError, match=words):
            distributed.fit(estimator, files, **known | more)
    with pytest.raises(FileNotFoundError, match="none-"):
        distributed.fit(KernelRidge(), "none-*.parquet", **known)
    with pytest.raises(FileNotFoundError, match="none.parquet"):
        distributed.fit(KernelRidge(), [files, files / "none.parquet"], **known)
    with pytest.raises(FileNotFoundError, match="none.parquet"):
        distributed.predict(KernelRidge(), "none.parquet")
    with pytest.raises(TypeError, match="client"):
        distributed.fit(KernelRidge(), files, "scheduler:8786", **known)


def test_what_is_left_open_comes_from_all_rows(files):
    ignore = [name for name in OTHERS[3:] if name != "y"]
    x, y = np.column_stack([rows()[name] for name in "abc"]), rows()["y"]
    known = {"target": "y", "ignore": ignore, "rows": ROWS}
    for estimator in (SVR(), SVR(gamma="auto"), KernelRidge(kernel="rbf"), SVR(kernel="poly", degree=2, coef0=1.0),
                      SVR(kernel="0.5*rbf + laplacian", gamma="scale"), KernelRidge(kernel="laplacian", gamma=0.7)):
        ours = distributed.fit(estimator, files, features=20, **known, **({} if "Ridge" in repr(estimator) else {"max_rounds": 2}))
        theirs = estimator.fit(x[:500], y[:500]).kernel_formula_ if "scale" not in repr(estimator.gamma) else None
        if theirs is None:
            scale = 1.0 / (x.shape[1] * x.var())
            theirs = kernrs._kernels.resolve(estimator.kernel, scale, estimator.degree, estimator.coef0)
        numbers, expected = (np.array([float(v) for v in re.findall(r"[=*](\d[\d.e-]*)", text)]) for text in (ours.kernel, theirs))
        assert re.sub(r"[\d.e-]+", "", ours.kernel) == re.sub(r"[\d.e-]+", "", theirs), (ours.kernel, theirs)
        np.testing.assert_allclose(numbers, expected, rtol=1e-12)
    same = [distributed.fit(KernelRidge(kernel=kernel), files, features=features, **known)
            for kernel, features in [(RBF, 20), ("linear", Nystroem(RBF, n_components=20)), (RBF, Nystroem(RBF, n_components=20))]]
    assert len({model.to_bytes() for model in same}) == 1


def test_a_fit_that_has_not_converged_says_so(files):
    estimator, known = settings("logistic", "landmarks")
    with pytest.warns(ConvergenceWarning, match="KernelLogisticRegression.*increase max_rounds"):
        distributed.fit(estimator, files, **known)
    del known["max_rounds"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loose = distributed.fit(estimator, files, **known)
        tight = distributed.fit(estimator.set_params(tol=1e-7), files, **known, max_rounds=500)
    assert loose.report["status"] == tight.report["status"] == "converged"
    assert tight.report["iterations"] > loose.report["iterations"] and tight.report["objective"] <= loose.report["objective"]


def test_a_largest_number_of_rounds_is_kept_as_documented(files):
    for learner in ("logistic", "squared hinge", "k-means"):
        estimator, known = settings(learner)
        for most in (1, 2, 3, 5):
            found = distributed.fit(estimator, files, **known | {"max_rounds": most}).report["iterations"]
            # Sums of products, a descent, and its duality gap.
            assert found <= (most if learner == "k-means" else max(3, most)), (learner, most, found)


def test_sums_of_all_groups_are_needed_each_once(files):
    estimator, known = settings("ridge")
    rounds = distributed.Rounds(estimator, files, **known)
    before = rounds.task
    sums = [distributed.gather(before, group) for group in range(rounds.groups)]
    last = rounds.groups - 1
    for kept, first in (([*range(last)], last), ([*range(1, last + 1)], 0), ([0, 1, last], 2), ([0], 1)):
        match = f"of {len(kept)} of {last + 1} groups, and group {first} is missing"
        with pytest.raises(ValueError, match=match):
            rounds.next(distributed.merge(sums[group] for group in kept))
        assert rounds.task == before and not rounds.is_done
    for repeated in ([*sums, sums[3]], [distributed.merge(sums[1:5]), *sums[3:]]):
        with pytest.raises(ValueError, match="group 3 are given twice"):
            distributed.merge(repeated)
    rounds.next(distributed.merge(sums))
    assert rounds.state["rows"] > 0


def test_who_watches_sees_rounds_and_may_end_the_fit(files):
    estimator, known = settings("logistic", "columns", max_rounds=3)
    seen, shared = [], []
    with kernrs.config(callback=lambda *told, **more: shared.append(told)):
        distributed.fit(estimator, files, callback=seen.append, **known)
    groups = GROUPS * FILES
    assert seen[0]["phase"] == "survey" and seen[-1]["phase"] == "done"
    assert [told["done"] for told in seen[: groups + 1]] == [*range(1, groups + 1), 0]
    inside = [told for told in seen if told["phase"] == "rounds" and told["objective"] is not None]
    assert inside and all(told["rows"] == ROWS * groups and told["gap"] >= 0 for told in inside)
    objectives = [told["objective"] for told in inside]
    assert objectives == sorted(objectives, reverse=True)
    assert len(shared) == len(seen) and all(done <= total for done, total, _ in shared)
    assert [done for done, _, _ in shared] == sorted(done for done, _, _ in shared)

    def enough(state):
        if state["phase"] == "rounds":
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        distributed.fit(estimator, files, callback=enough, **known)


class Threads:
    """A communicator of threads, which looks like one of mpi4py."""

    def __init__(self, rank, size, shared):
        self._rank, self._size, self._shared = rank, size, shared

    @classmethod
    def of(cls, size):
        shared = {"barrier": threading.Barrier(size, timeout=60), "boxes": {}, "lock": threading.Lock(), "value": None}
        return [cls(rank, size, shared) for rank in range(size)]

    def Get_rank(self):
        return self._rank

    def Get_size(self):
        return self._size

    def bcast(self, value, root):
        if self._rank == root:
            self._shared["value"] = value
        self._shared["barrier"].wait()
        value = self._shared["value"]
        self._shared["barrier"].wait()
        return value

    def allgather(self, value):
        return [self.bcast(value, root) for root in range(self._size)]

    def _box(self, *names):
        with self._shared["lock"]:
            return self._shared["boxes"].setdefault(names, queue.Queue())

    def isend(self, value, dest, tag):
        self._box(self._rank, dest, tag).put(value)
        return self

    def recv(self, source, tag):
        return self._box(source, self._rank, tag).get(timeout=60)

    def wait(self):
        pass


def on_ranks(size, work):
    """What each rank returns, or raises."""
    def call(rank):
        try:
            return work(rank)
        except Exception as error:
            return error
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(call, Threads.of(size)))


def test_ranks_give_the_bits_of_one_process(files, tmp_path):
    estimator, known = settings("softmax", "landmarks")
    for size in (1, 2, 3, 5, 9):
        found = on_ranks(size, lambda rank: distributed.fit(estimator, files, rank, **known))
        assert [model.to_bytes() for model in found] == [alone(files, "softmax", "landmarks")] * size
    answers = on_ranks(3, lambda rank: distributed.predict(found[0], files, rank, rows=ROWS))
    assert all((given == distributed.predict(found[0], files, rows=ROWS)).all() for given in answers)
    bad = write(tmp_path / "rows")
    holed(bad / "part-2.parquet")
    found = on_ranks(3, lambda rank: distributed.fit(estimator, bad, rank, **known))
    assert all(isinstance(error, ValueError) and "part-2.parquet, row group 1" in str(error) for error in found), found


@pytest.mark.parametrize("groups", [1, 2, 5, 16, 37])
def test_every_node_of_the_tree_is_made_once(groups, monkeypatch):
    from kernrs import _ranks
    from kernrs._tasks import tree
    expected = tree(0, groups, str, lambda left, right: f"({left} {right})")
    monkeypatch.setattr(_ranks, "gather", lambda task, group, memory: str(group))
    monkeypatch.setattr(_ranks._native, "merge", lambda left, right: f"({left} {right})")
    for size in (1, 2, 3, 4, 7, 20):
        found = on_ranks(size, lambda rank: _ranks.Ranks(rank)._tree(b"", groups, None, lambda group: None))
        assert found == [expected] + [None] * (size - 1), (groups, size)


def test_arrays_of_numpy_and_csv_are_files_too(tmp_path):
    table = rows()
    x = np.column_stack([table[name] for name in "abc"])
    arrays, texts = tmp_path / "arrays", tmp_path / "texts"
    for folder in (arrays, texts):
        folder.mkdir()
    for number, part in enumerate(np.array_split(np.column_stack([x, table["y"]]), 3)):
        np.save(arrays / f"part-{number}.npy", part)
        # 17 digits tell a double.
        np.savetxt(texts / f"part-{number}.csv", part, delimiter=",", header="a,b,c,y", comments="", fmt="%.17g")
    expected = kernel_ridge.KernelRidge(alpha=0.5).fit(x, table["y"]).predict(x)
    for folder, target in ((arrays, "x4"), (texts, "y")):
        model = distributed.fit(KernelRidge(alpha=0.5), folder, target=target, rows=150)
        np.testing.assert_allclose(model.predict(x), expected, rtol=1e-9, atol=1e-9)
        exact = KernelRidge(alpha=1.0, kernel=RBF).fit(x[:200], table["y"][:200])
        columns = [name for name in model.columns]
        for asked in (model, exact):
            known = {} if asked is model else {"columns": columns}
            found = distributed.predict(asked, folder, rows=150, **known)
            np.testing.assert_allclose(found, asked.predict(x), rtol=1e-12)
            score = distributed.score(asked, folder, target=target, rows=150, **known)
            assert abs(score - (1.0 - np.mean((found - table["y"]) ** 2) / table["y"].var())) < 1e-12
