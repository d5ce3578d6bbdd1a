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
from ._parameters import checked
from ._tasks import sealed

#: Rows of a part of files that have no row groups, and of row groups that are read at once.
ROWS = 65_536


class Rounds:
    """A fit on its way, for engines that :func:`fit` does not know: who has tasks done by other means calls this in a loop.

    In each round there is a ``task``, whose sums over all groups, by :func:`gather` or :func:`gather_tables`, are merged by
    :func:`merge` and handed to :meth:`next`. What is not said here is said at :func:`fit`; ``settings`` are those of it.

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
        """A fit on so many partitions that the caller holds; ``sample`` is a table with the first rows of one.

        The partitions of a group, ``range(*rounds.group(i))``, are handed to :func:`gather_tables` in their order.
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
        """The number of groups: a property of the data, not of the workers."""
        return self._native.groups

    def group(self, i):
        """The first part of a group, and the one after its last."""
        return self._native.group(i)

    @property
    def state(self):
        """The phase, ``"survey"``, ``"rounds"`` or ``"done"``, the rounds that are done, rows, objective and gap."""
        state = dict(self._native.state)
        if state["phase"] == "done":
            report = self._native.model.report
            state |= {"rounds": report["iterations"], "objective": report["objective"], "gap": report["gap"]}
        return state

    @property
    def is_done(self):
        """Tells whether there is a model."""
        return self._native.state["phase"] == "done"

    @property
    def task(self):
        """The bytes that every worker needs in this round."""
        task = self._native.task()
        if task is None:
            raise ValueError("the fit has ended: there is a model")
        return sealed(task)

    def next(self, sums):
        """Goes on with the sums of all groups, and writes the checkpoint. After an error the fit stands where it stood."""
        self._native.next(sums, self._memory)
        if self._checkpoint is not None:
            write(self._checkpoint, self.to_bytes())

    def to_bytes(self):
        """The bytes of the checkpoint."""
        return self._native.to_bytes()

    @property
    def model(self):
        """The model, a :class:`kernrs.TableModel`; None before the end."""
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
        if os.path.exists(path) or not glob.has_magic(path):
            found = [path]
        else:
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"no file has a name like {path!r}")
        # Workers have directories of their own.
        paths.extend(map(os.path.abspath, found))
    if not paths:
        raise ValueError("there are no files")
    return _native.list_parts(paths, int(checked("rows", rows)))
