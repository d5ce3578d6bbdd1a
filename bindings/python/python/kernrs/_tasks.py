"""Tasks of workers: sums over a group of parts, and their merging. Whoever has the task's bytes can do them."""

import functools
import socket

from . import _native
from ._arrow import stream_of

_MARK = b"kernrs "


class VersionError(RuntimeError):
    """A worker has another version of the package than the driver."""


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
    """The sums of a group of parts of files, as bytes, for a ``task`` of :class:`Rounds`."""
    return _opened(bytes(task)).gather(int(group), memory)


def gather_tables(task, group, tables, *, memory=None):
    """The sums of a group of partitions that the caller holds: frames, tables or streams of Arrow, in their order."""
    return _opened(bytes(task)).gather_partitions(int(group), [stream_of(table) for table in tables], memory)


def merge(sums):
    """The sums of all groups from those of each, in their order, by the tree whose bits are those of any other way.

    The tree of the groups ``lo`` to ``hi`` is that of ``lo`` to ``mid`` merged with that of ``mid`` to ``hi``, where
    ``mid = lo + (hi - lo) // 2``.
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
