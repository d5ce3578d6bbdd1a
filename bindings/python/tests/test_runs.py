"""Runs: files, processes, threads, signals, memory."""

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import joblib
import kernrs
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


def decisions(x, y):
    return kernrs.SVC().fit(x, y).decision_function(x)


@pytest.mark.parametrize("as_json", [False, True])
def test_files_and_pickles_answer_with_the_same_bits(tmp_path, digits, as_json):
    x, y = digits
    x, y = x[:300], y[:300]
    models = [kernrs.SVC(), kernrs.KernelLogisticRegression(), kernrs.KernelRidgeClassifier(), kernrs.KernelKMeans(5),
              kernrs.OneClassSVM(), kernrs.KernelRidge(kernel="rbf"), kernrs.KNeighborsClassifier(), kernrs.NuSVR(),
              kernrs.GaussianProcessRegressor("rbf(gamma=0.001)", alpha=1.0, optimizer=None),
              kernrs.GaussianProcessClassifier("rbf(gamma=0.001)", optimizer=None), kernrs.KernelPCA(3),
              kernrs.SpectralClustering(3, gamma=0.001),
              kernrs.RecursiveFeatureMachineClassifier(n_rounds=1)]
    many = [(clone(model), points) for model in models for points in (x, x.astype(np.float32), sparse.csr_array(x))]
    many = [(model, x) for model, x in many if not sparse.issparse(x) or model.__sklearn_tags__().input_tags.sparse]
    for model, x in many:
        model.fit(x, y)
        ask = "transform" if hasattr(model, "transform") else "predict"
        expected = getattr(model, ask)(x)
        assert (getattr(pickle.loads(pickle.dumps(model)), ask)(x) == expected).all()
        kernrs.save(model, tmp_path / "model.kern", json=as_json)
        again = kernrs.load(tmp_path / "model.kern")
        assert again.kind == model.model_.kind
        assert again.points == model.model_.points
        queries = model._queries(x)
        assert (again.predict(queries) == model.model_.predict(queries)).all()
        if as_json:
            assert json.loads((tmp_path / "model.kern").read_text())["kind"] == again.kind


def test_damaged_files_are_refused(tmp_path, digits):
    x, y = digits
    kernrs.save(kernrs.SVC().fit(x[:100], y[:100]), tmp_path / "model.kern")
    whole = (tmp_path / "model.kern").read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 50)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        (tmp_path / "damaged.kern").write_bytes(damaged)
        with pytest.raises(ValueError):
            kernrs.load(tmp_path / "damaged.kern")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_points_are_not_copied(dtype):
    program = f"""
import resource, numpy as np
from kernrs import SVC
from kernrs._validation import points_of
x = np.random.default_rng(0).random(size=(200_000, 40), dtype=np.{np.dtype(dtype).name})
model = SVC().fit(x[:2], [0, 1])
memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = memory()
points = [points_of(x) for _ in range(20)]
print(points[0].kind, memory() - before)
model._queries(x)
"""
    # In a process of its own, since it is the greatest memory of all times that is known.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=180)
    kind, grown = done.stdout.rsplit(maxsplit=1)
    assert kind == {np.float64: "vectors", np.float32: "vectors in single precision"}[dtype]
    # Twenty copies of 32 MB or more would be more than half a million of these KiB.
    assert int(grown) < 8 * 1024, grown


def test_a_call_costs_little():
    from kernrs._validation import points_of
    x, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    native, points = kernrs.SVC().fit(x, y).model_, points_of(x)
    start = time.perf_counter()
    for _ in range(1000):
        native.predict(points_of(x))
    # A thousand calls, each with the crossing and a prediction; the limit is 50 µs, and machines of tests are busy.
    assert (time.perf_counter() - start) / 1000 < 500e-6


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib(digits, backend):
    x, y = digits
    alone = kernrs.SVC().fit(x, y).decision_function(x)
    for found in joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(decisions)(x, y) for _ in range(4)):
        assert (found == alone).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_after_a_fit_works(digits):
    x, y = digits
    expected = kernrs.SVC().fit(x, y).predict(x)
    child = os.fork()
    if child == 0:
        signal.alarm(180)
        same = (kernrs.SVC().fit(x, y).predict(x) == expected).all()
        os._exit(0 if same else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child hangs")


#: The first lines of programs that are interrupted.
INTERRUPTED = """
import signal
# Where nobody ends it, as when the tests are killed, it ends by itself.
signal.alarm(180)
# Shells start what runs in the background without it.
signal.signal(signal.SIGINT, signal.default_int_handler)
"""


def interrupted(program, **environment):
    """What a program that says "begin" writes after Ctrl-C, to both streams, and the seconds until it has ended."""
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED + program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment}) as process:
        try:
            assert process.stdout.readline().strip() == "begin"
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            start = time.monotonic()
            answer, errors = process.communicate(timeout=60)
            return answer, errors, time.monotonic() - start
        finally:
            process.kill()


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="there are no such signals here")
@pytest.mark.parametrize("threads", ["", "1", "2"])
def test_ctrl_c_ends_a_fit(threads):
    program = """
import numpy as np, kernrs
x = np.random.default_rng(0).normal(size=(12000, 20))
y = (np.random.default_rng(1).random(12000) > 0.5).astype(int)
print("begin", flush=True)
kernrs.SVC(C=1e6, gamma=1e-3, tol=1e-12, max_iter=10**12).fit(x, y)
"""
    # Where several threads are set, others work than the one that gets signals.
    _, errors, took = interrupted(program, OMP_NUM_THREADS=threads)
    assert "KeyboardInterrupt" in errors
    assert took < 30


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="there are no such signals here")
def test_ctrl_c_keeps_what_was_reached_where_asked():
    program = """
import numpy as np, kernrs
x = np.random.default_rng(0).normal(size=(6000, 20))
y = (np.random.default_rng(1).random(6000) > 0.5).astype(int)
print("begin", flush=True)
with kernrs.config(interrupt="keep"):
    model = kernrs.SVC(C=1e6, gamma=1e-3, tol=1e-12, max_iter=10**12).fit(x, y)
print(model.report_["status"], len(model.predict(x[:10])))
"""
    answer, errors, _ = interrupted(program)
    assert answer.strip() == "stopped 10", errors
    assert "ConvergenceWarning" in errors and "interrupted" in errors


def test_a_bar_shows_fits(digits):
    tqdm = pytest.importorskip("tqdm")
    x, y = digits
    screen = io.StringIO()
    with kernrs.progress(tqdm.tqdm(file=screen, mininterval=0)) as bar:
        model = kernrs.train({**{f"x{i}": x[:, i] for i in range(64)}, "digit": [f"is {d}" for d in y]}, "digit", tune=3)
    assert bar.n > 1 and bar.total >= bar.n and "loss=" in screen.getvalue()
    assert kernrs.get_config()["callback"] is None and model.best_score > 0.9


def test_a_callback_sees_progress_and_may_end_the_fit(digits):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6000, 20)), (rng.random(6000) > 0.5).astype(int)
    seen = []

    class Enough(Exception):
        pass

    def callback(iteration, total, loss, *, violation, tolerance, fraction):
        seen.append((iteration, total, loss))
        assert violation > 0 and tolerance > 0 and 0 <= fraction <= 1
        raise Enough

    with pytest.raises(Enough), kernrs.config(callback=callback):
        kernrs.SVC(C=1e6, gamma=1e-3, tol=1e-12, max_iter=10**12).fit(x, y)
    assert seen


def test_the_interpreter_runs_while_a_fit_does():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4000, 50)), (rng.random(4000) > 0.5).astype(int)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    kernrs.SVC(C=100.0).fit(x, y)
    took = time.monotonic() - start
    done.set()
    thread.join()
    assert len(ticks) > 0.05 * took / 0.01


def test_memory_is_a_budget(digits):
    x, y = digits
    with kernrs.config(memory=1000), pytest.raises(ValueError, match="memory|budget|bytes"):
        kernrs.KernelRidge(kernel="rbf", gamma=0.001).fit(x, y)


def test_reports_are_evidence():
    x, y = load_breast_cancer(return_X_y=True)
    model = kernrs.SVC(C=10.0).fit(x, y)
    report = model.report_
    within = report["gap"] <= 1e-3 * abs(report["objective"])
    assert report["status"] == ("converged" if within else "converged_by_violation")
    assert 0 <= report["gap"] <= 0.01 * abs(report["objective"])
    exact = kernrs.SVC(C=10.0, tol=1e-7).fit(x, y).report_
    assert exact["gap"] <= 1e-3 * abs(exact["objective"])
    assert "<table>" in report._repr_html_()


def test_what_stops_short_is_said(digits):
    x, y = digits
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        model = kernrs.SVC(max_iter=3, tol=1e-9).fit(x[:300], y[:300] % 2)
    assert model.report_["status"] == "iterations_done" and model.n_iter_ == 3
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        kernrs.KernelLogisticRegression(max_iter=1).fit(x[:300], y[:300])


def test_callbacks_of_scikit_learn():
    callback = pytest.importorskip("sklearn.callback")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6000, 20)), (rng.random(6000) > 0.5).astype(int)

    class Seen:
        def __init__(self, enough):
            self.enough, self.calls, self.losses = enough, [], []

        def setup(self, estimator, context):
            self.calls.append("setup")

        def teardown(self, estimator, context):
            self.calls.append("teardown")

        def on_fit_task_begin(self, estimator, context):
            self.calls.append(f"begin {context.task_name}")

        def on_fit_task_end(self, estimator, context, *, metadata=None):
            self.calls.append(f"end {context.task_name}")
            if context.task_name == "step":
                self.losses.append(metadata["loss"])
            return len(self.losses) >= self.enough

    seen = Seen(enough=3)
    assert isinstance(seen, callback.FitCallback)
    model = kernrs.SVC(C=1e6, gamma=1e-3, tol=1e-12, max_iter=10**12).set_callbacks(seen)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(x, y)
    steps = ["begin step", "end step"] * 3
    assert seen.calls == ["setup", "begin fit", *steps, "end fit", "teardown"]
    assert model.report_["status"] == "stopped" and model.predict(x[:5]).shape == (5,)
    quick = Seen(enough=10**9)
    clone(model).set_params(C=1.0, tol=1e-3).set_callbacks(quick).fit(x[:100], y[:100])
    assert quick.calls[:2] == ["setup", "begin fit"] and quick.calls[-2:] == ["end fit", "teardown"]


def test_memory_bounds_all_that_allocates():
    x = np.random.default_rng(0).normal(size=(300, 3))
    y = x[:, 0]
    frame = {"a": x[:, 0], "b": x[:, 1], "y": y}
    work = [
        lambda: kernrs.train(frame, "y"),
        lambda: kernrs.Nystroem(n_components=50).fit(x),
        lambda: kernrs.RBFSampler(n_components=50).fit(x).transform(x),
        lambda: kernrs.KernelRidgeCV().fit(x, y),
        lambda: kernrs.KernelRidge().fit(x, y).leave_one_out(x, y),
        lambda: kernrs.gram("linear", x),
    ]
    for job in work:
        job()
        with kernrs.config(memory=1000), pytest.raises(ValueError, match="memory"):
            job()
