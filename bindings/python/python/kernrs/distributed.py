"""Fits beyond one machine: sums over parts of files or of Dask collections, on whatever runs tasks.

A fit is a state machine at the driver. In each round it asks a question, workers answer with sums over parts, which they read
within their memory, and nobody ever holds as much as all rows. Sums of fixed groups of parts are merged by a fixed tree, so a
model has the same bits on one process, on a thousand workers, and after some of them were lost.

>>> import tempfile, numpy as np
>>> from kernrs import KernelRidge, RBFSampler, distributed
>>> rng = np.random.default_rng(0)
>>> x = rng.normal(size=(3000, 2))
>>> folder = tempfile.TemporaryDirectory()
>>> np.save(f"{folder.name}/rows.npy", np.column_stack([x, np.sin(x[:, 0])]))
>>> features = RBFSampler(gamma=0.5, n_components=100, random_state=0)
>>> model = distributed.fit(KernelRidge(alpha=1e-3), folder.name, target="x3", features=features, rows=500)
>>> bool(abs(model.predict({"x1": [1.0], "x2": [0.0]})[0] - np.sin(1.0)) < 0.05)
True
"""

import time

from ._answers import predict, score
from ._base import warn_unless_converged
from ._clients import Round, engine_of
from ._collections import is_collection, partitions_of
from ._config import get_config
from ._frames import TableModel
from ._rounds import ROWS, Rounds
from ._tasks import VersionError, gather, gather_tables, merge

__all__ = ["fit", "predict", "score", "Rounds", "gather", "gather_tables", "merge", "VersionError"]


def fit(estimator, data, client=None, *, target=None, weights=None, ignore=(), features=None, standardized=False, fill=False,
        tolerance=None, max_rounds=None, rows=ROWS, memory=None, checkpoint=None, callback=None):
    """Learns from data that need not fit any memory, as a :class:`kernrs.TableModel`.

    ``estimator`` is one whose fit is a sum over samples: KernelRidge, KernelRidgeClassifier, KernelLogisticRegression,
    KernelKMeans, KernelPCA, both recursive feature machines with an ``alpha`` that is given, and with the squares of their losses, as
    scikit-learn's LinearSVC and LinearSVR have them, SVC and SVR. It is not changed; its parameters keep their meaning.

    ``data`` are files of Parquet, CSV, NPY and others: a path, a directory, a pattern such as ``"part-*.parquet"``, or a list
    of these, which all workers see under the same names; or a dataframe of Dask; or an array of Dask, whose columns are
    called x1, x2 and so on, as those of files of NPY, and whose targets and weights are arrays of Dask, too. ``target``, ``weights`` and ``ignore`` are
    names of columns.

    ``client`` does the tasks: a client of dask.distributed, an executor, a communicator of mpi4py (all ranks call this, and
    all have the model), or None for this process.

    ``features`` are a number of landmarks, :class:`kernrs.Nystroem` or :class:`kernrs.RBFSampler`, which are not fitted, or
    ``"columns"``, those of the linear kernel; by default ``"columns"`` for it, and 500 landmarks for others. An estimator behind
    a map is linear, as in a pipeline: its kernel is that of the map, ``"linear"``, or not named. ``gamma="scale"``, ``"auto"`` and
    None have the estimator's meaning, over all rows.

    ``tolerance`` is the duality gap relative to the objective at which rounds end, 1e-4 unless it or the estimator's ``tol`` is set,
    or for k-means the relative decrease, 1e-6; ``max_rounds`` bounds them.

    ``rows`` are those of a part, as far as files have parts; ``memory`` are the bytes of one task. ``checkpoint`` is a file that
    has the state after each round, and from which the same call goes on. ``callback`` is called with a dictionary after each
    group: ``phase``, ``round``, ``rows``, ``objective`` and ``gap``, the groups that are ``done`` in this round, of ``groups``, and
    ``seconds``; an exception that it raises ends the fit. :func:`kernrs.progress` shows a bar of groups.
    """
    engine = engine_of(client)
    settings = {"weights": weights, "ignore": ignore, "features": features, "standardized": standardized, "fill": fill,
                "tolerance": tolerance, "max_rounds": max_rounds}
    if getattr(engine, "rank", 0) > 0:
        return engine.serve()
    try:
        if is_collection(data):
            found = partitions_of(data, target, weights)
            rounds = Rounds.of_partitions(estimator, len(found.partitions), found.sample(client), memory=memory,
                                          checkpoint=checkpoint, target=found.target, **settings | {"weights": found.weights})
            tables = [found.partitions[slice(*rounds.group(group))] for group in range(rounds.groups)]
        else:
            rounds = Rounds(estimator, data, target=target, rows=rows, memory=memory, checkpoint=checkpoint, **settings)
            tables = None
        model = _run(rounds, engine, tables, callback)
    except Exception as error:
        if hasattr(engine, "end"):
            engine.end(error=error)
        raise
    if hasattr(engine, "end"):
        engine.end(model)
    warn_unless_converged(type(estimator).__name__, model.report, "max_rounds")
    return model


def _run(rounds, engine, tables, callback):
    """All rounds."""
    watch = _Watch(callback, rounds)
    while not rounds.is_done:
        watch.begin()
        work = Round(rounds.task, rounds.groups, rounds._memory, tables)
        rounds.next(engine.sums(work, watch.done))
        watch.end()
    return rounds.model


class _Watch:
    """Those who are told how far a fit is."""

    def __init__(self, callback, rounds):
        self._callbacks = [callback] if callback is not None else []
        shared = get_config()["callback"]
        if shared is not None:
            self._callbacks.append(lambda state: shared(state["done_in_all"], state["groups_in_all"], state["loss"]))
        self._rounds, self._start, self._past = rounds, time.monotonic(), 0

    def begin(self):
        """A round begins."""
        self._state, self._done = self._rounds.state, 0

    def done(self, _group):
        """A group is done."""
        self._done = min(self._done + 1, self._rounds.groups)
        self._tell()

    def end(self):
        """A round has ended."""
        self._past += self._rounds.groups
        self._state, self._done = self._rounds.state, 0
        self._tell()

    def _tell(self):
        state, groups = self._state, self._rounds.groups
        objective, done = state["objective"], self._past + self._done
        more = 0 if state["phase"] == "done" else groups
        told = {"phase": state["phase"], "round": state["rounds"], "rows": state["rows"], "objective": objective,
                "gap": state["gap"], "done": self._done, "groups": groups, "seconds": time.monotonic() - self._start}
        for callback in self._callbacks:
            callback(told | {"done_in_all": done, "groups_in_all": self._past + more,
                             "loss": float("nan") if objective is None else objective})
