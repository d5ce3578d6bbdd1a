"""Fits in rounds: the state machine of the driver, and its checkpoint."""

import glob
import json
import os

from . import _native
from ._arrow import class_type_of, table_of, written
from ._config import get_config
from ._frames import TableModel
from ._models import write
from ._orders import order_of
from ._tasks import sealed
from ._validation import checked

#: Rows of a part of files that have no row groups, and of row groups that are read at once.
ROWS = 65_536


class Rounds:
    """A fit in rounds whose tasks the caller runs, for engines that :func:`fit` does not support.

    In each round there is a ``task``; workers compute its sums over all groups by :func:`gather`, these are merged by
    :func:`merge` and handed to :meth:`next`. The object is the driver's state: O(D^2) memory for D features, whatever
    the number of rows. The model has the same bits as that of :func:`fit`.

    Parameters
    ----------
    estimator : estimator
        The estimator, as for :func:`fit`.
    files : str, path-like or list of these
        Paths, directories and patterns of names, as for :func:`fit`. Workers see the files under the same names.
    rows : int, default=65536
        The rows of a part, about, >= 1.
    memory : int or None, default=None
        The bytes that the driver may take in :meth:`next`. None is the memory of :func:`kernrs.config`, or 80 % of what
        is free.
    checkpoint : str, path-like or None, default=None
        A file that has the state after each round. If it exists the fit goes on from it.
    **settings : dict
        ``target``, ``weights``, ``ignore``, ``features``, ``standardized``, ``fill``, ``tolerance`` and ``max_rounds``
        of :func:`fit`.

    Attributes
    ----------
    groups : int
        The number of groups.
    state : dict
        The phase, rounds, rows, objective and gap.
    is_done : bool
        Whether there is a model.
    task : bytes
        The task of this round.
    model : kernrs.TableModel or None
        The model; None before the end.

    See Also
    --------
    fit : The same on Dask, executors and MPI.
    gather : The sums of a group of parts of files.
    merge : The sums of all groups.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from kernrs import KernelRidge, distributed
    >>> folder = tempfile.TemporaryDirectory()
    >>> table = np.random.default_rng(0).normal(size=(1000, 3))
    >>> table[:, 2] = 1.0 + 2.0 * table[:, 0]
    >>> np.save(f"{folder.name}/table.npy", table)
    >>> rounds = distributed.Rounds(KernelRidge(alpha=1e-6), folder.name, target="x3", rows=100)
    >>> while not rounds.is_done:
    ...     task = rounds.task
    ...     sums = [distributed.gather(task, group) for group in range(rounds.groups)]
    ...     rounds.next(distributed.merge(sums))
    >>> rounds.model.predict({"x1": [1.0], "x2": [0.0]}).shape
    (1,)
    """

    def __init__(self, estimator, files, *, rows=ROWS, memory=None, checkpoint=None, **settings):
        parts = parts_of(files, rows)
        order = order_of(estimator, class_type=_class_type_in(parts, settings.get("target")), **settings)
        self._begin(checkpoint, memory, lambda rounds: rounds.matches(order, parts),
                    lambda: _native.Rounds.start(order, parts))

    @classmethod
    def of_partitions(cls, estimator, count, sample, *, memory=None, checkpoint=None, **settings):
        """Begins a fit of partitions that the caller holds.

        The partitions of a group, ``range(*rounds.group(i))``, are handed to :func:`gather_tables` in their order.

        Parameters
        ----------
        estimator : estimator
            The estimator, as for :func:`fit`.
        count : int
            The number of partitions.
        sample : DataFrame, pyarrow.Table or dict
            The first rows of one partition, which tell the columns and their types.
        memory : int or None, default=None
            The bytes that the driver may take in :meth:`next`. None is the memory of :func:`kernrs.config`, or 80 % of
            what is free.
        checkpoint : str, path-like or None, default=None
            A file that has the state after each round. If it exists the fit goes on from it.
        **settings : dict
            ``target``, ``weights``, ``ignore``, ``features``, ``standardized``, ``fill``, ``tolerance`` and
            ``max_rounds`` of :func:`fit`.

        Returns
        -------
        rounds : Rounds
            The fit before its first round.

        Raises
        ------
        ValueError
            If the fit of the estimator is no sum over samples, a column is missing, or the checkpoint is of another
            fit.
        """
        rounds, table, target = cls.__new__(cls), table_of(sample), settings.get("target")
        classes = class_type_of(table.schema.field(target).type) if target in table.column_names else None
        order = order_of(estimator, class_type=classes, **settings)

        def matches(native):
            native.matches(order, [])
            if native.group(native.groups - 1)[1] != count:
                raise ValueError(f"the checkpoint is of {native.group(native.groups - 1)[1]} partitions, and there are {count}")

        rounds._begin(checkpoint, memory, matches,
                      lambda: _native.Rounds.start_partitions(order, count, written(table)))
        return rounds

    def _begin(self, checkpoint, memory, matches, start):
        self._checkpoint = None if checkpoint is None else os.fspath(checkpoint)
        self._memory = get_config()["memory"] if memory is None else memory
        if self._checkpoint is None or not os.path.exists(self._checkpoint):
            self._native = start()
            return
        with open(self._checkpoint, "rb") as file:
            data = file.read()
        try:
            self._native = _native.Rounds.open(data)
            matches(self._native)
        except ValueError as error:
            raise ValueError(f"{self._checkpoint}: {error}") from None

    @property
    def groups(self):
        """int: the number of groups, a property of the data and not of the workers."""
        return self._native.groups

    def group(self, i):
        """Returns the parts of a group.

        Parameters
        ----------
        i : int
            The group, from 0 to ``groups`` - 1.

        Returns
        -------
        start, stop : tuple of int
            The first part of the group, and the one after its last.
        """
        return self._native.group(i)

    @property
    def state(self):
        """dict: ``phase`` ("survey", "rounds" or "done"), finished ``rounds``, ``rows``, ``objective`` and ``gap``."""
        state = dict(self._native.state)
        if state["phase"] == "done":
            report = self._native.model.report
            state |= {"rounds": report["iterations"], "objective": report["objective"], "gap": report["gap"]}
        return state

    @property
    def is_done(self):
        """bool: whether there is a model."""
        return self._native.state["phase"] == "done"

    @property
    def task(self):
        """bytes: what every worker needs in this round; ValueError at the end."""
        task = self._native.task()
        if task is None:
            raise ValueError("the fit has ended: there is a model")
        return sealed(task)

    def next(self, sums):
        """Goes on with the sums of all groups, and writes the checkpoint.

        Parameters
        ----------
        sums : bytes
            The result of :func:`merge` for all groups.

        Returns
        -------
        None
            Nothing; ``task`` is that of the next round, or ``is_done`` is true.

        Raises
        ------
        ValueError
            If the sums are not those of this round, or a group is missing. After an error the fit is as it was before.
        """
        self._native.next(sums, self._memory)
        if self._checkpoint is not None:
            write(self._checkpoint, self.to_bytes())

    def to_bytes(self):
        """Returns the bytes of the checkpoint.

        Returns
        -------
        data : bytes
            The content of the file that ``checkpoint`` names.
        """
        return self._native.to_bytes()

    @property
    def model(self):
        """kernrs.TableModel or None: the model; None before the end."""
        return None if self._native.model is None else TableModel(self._native.model)


def _class_type_in(parts, target):
    """The type of the classes in files, if these have one."""
    schema = _schema_of(parts)
    return class_type_of(schema.field(target).type) if schema is not None and target in schema.names else None


def _schema_of(parts):
    """The types of the columns of the first file, if it is one of Parquet."""
    path = json.loads(parts[0])["path"] if parts else ""
    if not path.endswith(".parquet"):
        return None
    import pyarrow.parquet as pq
    return pq.read_schema(path)


def parts_of(files, rows):
    """The parts of files: paths, directories, and patterns of names, in order."""
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    paths = []
    for path in map(os.fspath, given):
        if os.path.exists(path):
            found = [path]
        elif not glob.has_magic(path):
            raise FileNotFoundError(f"there is no file or directory {path!r}")
        else:
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"no file has a name like {path!r}")
        # Workers have directories of their own.
        paths.extend(map(os.path.abspath, found))
    if not paths:
        raise ValueError("there are no files")
    return _native.list_parts(paths, int(checked("rows", rows)))
