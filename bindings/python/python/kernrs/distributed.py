"""Fits beyond one machine: sums over parts of files or of Dask collections, on any engine that runs tasks.

A fit is a state machine at the driver. In each round it sends a task, workers compute sums over parts, which they read
within their memory, and no process ever holds all rows. Sums of fixed groups of parts are merged by a fixed tree, so a
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
    """Learns from files or Dask collections that need not fit any memory.

    The fit is a sum over samples, computed in rounds: 2 for ridge regression and components, about 10 to 40 for SVMs
    and logistic regression. Kernels are approximated by D features, by landmarks or random frequencies. The model has
    the same bits for any number of workers, and after some of them were lost.

    A round takes O(n D^2) operations for ridge regression and components, spread over the workers, and O(D^2) memory at
    each of them and at the driver, whatever the number n of rows.

    Parameters
    ----------
    estimator : estimator
        One whose fit is a sum over samples: :class:`kernrs.KernelRidge`, :class:`kernrs.KernelRidgeClassifier`,
        :class:`kernrs.KernelLogisticRegression`, :class:`kernrs.KernelKMeans`, :class:`kernrs.KernelPCA`, both
        recursive feature machines with an ``alpha`` that is given, and, with the squares of their losses, as
        scikit-learn's LinearSVC and LinearSVR have them, :class:`kernrs.SVC` and :class:`kernrs.SVR`. It is not
        changed; its parameters keep their meaning. Parameters that a sum over samples cannot have, such as
        ``class_weight``, raise an error.
    data : str, path-like, list of these, dask.dataframe.DataFrame or dask.array.Array
        Files of Parquet, CSV, NPY and others: a path, a directory, a pattern such as ``"part-*.parquet"``, or a list of
        these, which all workers see under the same names. Or a dataframe of Dask, or an array of Dask, whose columns
        are called x1, x2 and so on, as those of NPY files.
    client : dask.distributed.Client, Executor, mpi4py communicator or None, default=None
        What runs the tasks: a client of Dask, an executor such as those of ``concurrent.futures``, a communicator of
        mpi4py (all ranks call this function, and all return the model), or None for this process. Collections of Dask
        need the first or None.
    target : str, dask.array.Array or None, default=None
        The column of the targets; for an array of Dask an array. None for clusters and components.
    weights : str, dask.array.Array or None, default=None
        The column of sample weights, non-negative; for an array of Dask an array.
    ignore : str or list of str, default=()
        Columns that are left out.
    features : int, "columns", Nystroem, RBFSampler or None, default=None
        The features: a number of landmarks, an unfitted :class:`kernrs.Nystroem` or :class:`kernrs.RBFSampler`, or
        "columns", the columns themselves, for the linear kernel. None is "columns" for the linear kernel and 500
        landmarks for others. An estimator behind a map is linear, as in a pipeline: its kernel is that of the map,
        "linear", or its default. ``gamma`` as "scale", "auto" and None has the estimator's meaning, over all rows.
    standardized : bool, default=False
        Whether numbers are scaled to mean 0 and variance 1 over all rows.
    fill : bool, default=False
        Whether missing numbers are replaced by the means of their columns; otherwise they raise an error.
    tolerance : float or None, default=None
        The duality gap relative to the objective at which rounds end, for k-means the relative decrease of the
        objective, > 0. None is the ``tol`` of KernelLogisticRegression if it was set, and otherwise 1e-4, for k-means
        1e-6. Ridge regression, components and feature machines have a fixed number of rounds.
    max_rounds : int or None, default=None
        The number of rounds after which SVMs, logistic regression and k-means end, >= 1. None is the estimator's
        ``max_iter`` if it was set, and otherwise 200, for k-means 300. The first look at the rows, the phase "survey",
        does not count. SVMs and logistic regression take at least 3. A fit that ends there emits a ConvergenceWarning.
    rows : int, default=65536
        The rows of a part, about, >= 1, as far as files have parts: Parquet files by row groups, NPY files by rows,
        others not at all.
    memory : int or None, default=None
        The bytes that one task may take. None is the memory of :func:`kernrs.config`, or 80 % of what is free where it
        runs.
    checkpoint : str, path-like or None, default=None
        A file that has the state after each round. The same call goes on from it; with another estimator or other files
        it raises an error. The file of a fit that has ended gives the model at once.
    callback : callable or None, default=None
        Called with a dictionary after each group: ``phase``, ``round``, ``rows``, ``objective`` and ``gap``, the groups
        that are ``done`` in this round, of ``groups``, and ``seconds``; an exception that it raises ends the fit.
        :func:`kernrs.progress` shows a bar of groups.

    Returns
    -------
    model : kernrs.TableModel
        The model, which predicts for frames and arrays; :func:`predict` and :func:`score` apply it to files.

    Raises
    ------
    ValueError
        If the fit of the estimator is no sum over samples, a column is missing, a part cannot be read or has a value
        that is not finite (the error names file and row group), or the checkpoint is of another fit.
    FileNotFoundError
        If a file does not exist, or no file has a name like the pattern.
    VersionError
        If a worker has another version of the package.
    TypeError
        If the client is of another type.

    See Also
    --------
    Rounds : The same in a loop of the caller, for other engines such as Spark.
    kernrs.train : Learns from a frame in memory.
    kernrs.plan : Tells from how many rows on more machines pay.

    Notes
    -----
    ``alpha`` = n λ and ``C`` = 1/(n λ), where n is the number of rows of all files. A lost worker costs what it was
    computing: tasks are pure, and others do them again. Processors of different kinds round differently: the same bits
    need the same kind on all workers.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import SVC, distributed
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.save(f"{folder.name}/iris.npy", np.column_stack(load_iris(return_X_y=True)))
    >>> model = distributed.fit(SVC(C=10.0), folder.name, target="x5", features=50, rows=40)
    >>> model.columns, distributed.score(model, folder.name) > 0.95
    (['x1', 'x2', 'x3', 'x4'], True)
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
    warn_unless_converged(type(estimator).__name__, model.report, "max_rounds", estimator.get_params(deep=False))
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


def _share(callback, state):
    """Calls the callback of the settings as fits in this process do."""
    done, total = state["done_in_all"], state["groups_in_all"]
    callback(done, total, state["loss"], violation=None, tolerance=None, fraction=done / total if total else None)


class _Watch:
    """The callbacks that see how far a fit is."""

    def __init__(self, callback, rounds):
        self._callbacks = [callback] if callback is not None else []
        shared = get_config()["callback"]
        if shared is not None:
            self._callbacks.append(lambda state: _share(shared, state))
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
