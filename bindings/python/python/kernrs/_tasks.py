"""Tasks of workers: sums over a group of parts, and their merging. Any process with the task's bytes can do them."""

import functools
import socket

from . import _native
from ._arrow import stream_of

_MARK = b"kernrs "

#: The error of engines that do not have the partitions.
NEEDS_DASK = "partitions of Dask need a client of Dask, or none"


class VersionError(RuntimeError):
    """A worker has another version of the package than the driver.

    Sums that two versions compute must not be added, so tasks carry the version of the package that made them.

    See Also
    --------
    fit : Raises it before the first round for clients of Dask.
    gather : Raises it for a task of another version.

    Examples
    --------
    >>> from kernrs import distributed
    >>> try:
    ...     distributed.gather(b"kernrs 0.0.0", 0)
    ... except distributed.VersionError:
    ...     print("install one version of kernrs on all workers")
    install one version of kernrs on all workers
    """


def version():
    """The version of the package that is here."""
    import kernrs
    return kernrs.__version__


def sealed(task):
    """A native task behind the version of the package that made it."""
    return _MARK + version().encode() + b"\n" + task


def check_version(made):
    """Refuses what another version of the package has made."""
    if made != version():
        raise VersionError(f"the worker on {socket.gethostname()} has kernrs {version()}, and the task is of {made}: "
                           "what two versions find must not be put together")


@functools.lru_cache(maxsize=1)
def _opened(task):
    """The native task, which is read once for all groups of a round."""
    head, _, rest = task.partition(b"\n")
    if not head.startswith(_MARK):
        raise ValueError("these bytes are no task: take Rounds.task")
    check_version(head.removeprefix(_MARK).decode(errors="replace"))
    return _native.Task.open(rest)


def gather(task, group, *, memory=None):
    """Computes the sums of a group of parts of files.

    A worker calls it in a loop of the caller's; it has no state, and may be repeated.

    Parameters
    ----------
    task : bytes
        :attr:`Rounds.task` of this round. It is read once for all groups of a round.
    group : int
        The group, from 0 to ``Rounds.groups`` - 1.
    memory : int or None, default=None
        The bytes that the task may take. None is 80 % of what is free.

    Returns
    -------
    sums : bytes
        The sums, for :func:`merge`.

    Raises
    ------
    ValueError
        If the bytes are no task, or a part cannot be read; the error names file and row group.
    VersionError
        If another version of the package has made the task.

    See Also
    --------
    gather_tables : The same for partitions that the caller holds.
    Rounds : The loop.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from kernrs import KernelRidge, distributed
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.save(f"{folder.name}/table.npy", np.arange(30.0).reshape(10, 3))
    >>> rounds = distributed.Rounds(KernelRidge(), folder.name, target="x3", rows=5)
    >>> rounds.groups, type(distributed.gather(rounds.task, 1))
    (2, <class 'bytes'>)
    """
    return _opened(bytes(task)).gather(int(group), memory)


def gather_tables(task, group, tables, *, memory=None):
    """Computes the sums of a group of partitions that the caller holds.

    Parameters
    ----------
    task : bytes
        :attr:`Rounds.task` of this round, of :meth:`Rounds.of_partitions`.
    group : int
        The group, from 0 to ``Rounds.groups`` - 1.
    tables : list of DataFrame, pyarrow.Table, dict or bytes
        The partitions ``range(*rounds.group(group))``, in their order: frames, tables of Arrow, dictionaries of
        columns, or streams of Arrow.
    memory : int or None, default=None
        The bytes that the task may take. None is 80 % of what is free.

    Returns
    -------
    sums : bytes
        The sums, for :func:`merge`.

    Raises
    ------
    ValueError
        If the bytes are no task, or a table has not the columns of the fit.
    VersionError
        If another version of the package has made the task.

    See Also
    --------
    gather : The same for parts of files.
    Rounds.of_partitions : The fit of partitions.

    Examples
    --------
    >>> from kernrs import KernelRidge, distributed
    >>> tables = [{"x": [0.0, 1.0], "y": [0.0, 2.0]}, {"x": [2.0, 3.0], "y": [4.0, 6.0]}]
    >>> rounds = distributed.Rounds.of_partitions(KernelRidge(alpha=1e-9), 2, tables[0], target="y")
    >>> while not rounds.is_done:
    ...     task = rounds.task
    ...     sums = [distributed.gather_tables(task, i, tables[slice(*rounds.group(i))]) for i in range(rounds.groups)]
    ...     rounds.next(distributed.merge(sums))
    >>> float(rounds.model.predict({"x": [10.0]})[0].round(6))
    20.0
    """
    return _opened(bytes(task)).gather_partitions(int(group), [stream_of(table) for table in tables], memory)


def merge(sums):
    """Merges the sums of all groups.

    The sums are added by a fixed tree, so that the result has the same bits as any other way of computing it: the tree
    of the groups ``lo`` to ``hi`` is that of ``lo`` to ``mid`` merged with that of ``mid`` to ``hi``, where ``mid = lo
    + (hi - lo) // 2``.

    Parameters
    ----------
    sums : iterable of bytes
        The sums of each group, of :func:`gather` or :func:`gather_tables`, in the order of the groups. Another order
        gives other roundings.

    Returns
    -------
    sums : bytes
        The sums of all groups, for :meth:`Rounds.next`.

    Raises
    ------
    ValueError
        If there are no sums, they are of different tasks, or a group is among them twice.

    See Also
    --------
    gather : The sums of a group.
    Rounds.next : Takes the merged sums, and refuses them if a group is missing.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from kernrs import KernelRidge, distributed
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.save(f"{folder.name}/table.npy", np.arange(30.0).reshape(10, 3))
    >>> rounds = distributed.Rounds(KernelRidge(), folder.name, target="x3", rows=5)
    >>> rounds.next(distributed.merge(distributed.gather(rounds.task, group) for group in range(rounds.groups)))
    >>> rounds.state["rows"]
    10
    """
    sums = list(sums)
    return tree(0, len(sums), lambda group: sums[group])


def tree(low, high, leaf, join=_native.merge):
    """The root of the tree of some groups, from the left to the right, with few sums at a time."""
    if high - low < 1:
        raise ValueError("there are no sums to merge")
    if high - low == 1:
        return leaf(low)
    middle = low + (high - low) // 2
    left = tree(low, middle, leaf, join)
    return join(left, tree(middle, high, leaf, join))
