"""Collections of Dask as partitions: dataframes, and arrays of points with their targets."""

from dataclasses import dataclass
from typing import Any

#: Rows of a sample that tells the kinds of columns.
FIRST = 1000


def is_collection(data):
    """Tells whether this is a collection of Dask."""
    return hasattr(data, "__dask_graph__") and hasattr(data, "to_delayed")


@dataclass
class Partitions:
    """Delayed tables, and the names of the columns of targets and weights."""

    partitions: list[Any]
    target: str | None
    weights: str | None

    def sample(self, client):
        """The first rows of the first partition that has any."""
        import dask
        head = dask.delayed(_head, pure=False)
        for partition in self.partitions:
            wanted = head(partition)
            found = wanted.compute(scheduler="threads") if not hasattr(client, "compute") else client.compute(wanted).result()
            if len(found):
                return found
        raise ValueError("the collection has no rows")


def partitions_of(data, target, weights):
    """The partitions of a dataframe, or of an array of points with arrays of targets and weights."""
    if hasattr(data, "columns"):
        return Partitions(data.to_delayed(), target, weights)
    import dask
    import dask.array as da
    if data.ndim != 2:
        raise ValueError(f"Expected 2D array, got {data.ndim}D array instead")
    if len(data.chunks[1]) > 1:
        data = data.rechunk({1: -1})
    beside = {}
    for name, values in (("target", target), ("weights", weights)):
        if values is None:
            continue
        if isinstance(values, str):
            raise ValueError(f"{name} of an array of Dask is an array, got {values!r}")
        if not hasattr(values, "__dask_graph__"):
            values = da.asarray(values)
        if values.ndim != 1:
            raise ValueError(f"{name} must have one dimension, got {values.ndim}")
        if values.chunks[0] != data.chunks[0] and not _are_unknown(values, data):
            if len(values) != len(data):
                raise ValueError(f"there are {len(data)} points, and {len(values)} {name}")
            values = values.rechunk((data.chunks[0],))
        beside["y" if name == "target" else name] = values.to_delayed().ravel().tolist()
    lazy = dask.delayed(_table, pure=False)
    blocks = data.to_delayed().ravel().tolist()
    if any(len(parts) != len(blocks) for parts in beside.values()):
        raise ValueError("points and targets must have as many chunks")
    found = [lazy(block, {name: parts[i] for name, parts in beside.items()}) for i, block in enumerate(blocks)]
    return Partitions(found, "y" if "y" in beside else None, "weights" if "weights" in beside else None)


def _are_unknown(values, data):
    """Tells whether the lengths of chunks are not known, as after a filter, and there are as many."""
    unknown = any(length != length for length in (*values.chunks[0], *data.chunks[0]))
    return unknown and len(values.chunks[0]) == len(data.chunks[0])


def _table(block, beside):
    import pyarrow as pa
    columns = {f"x{j + 1}": block[:, j] for j in range(block.shape[1])}
    return pa.table(columns | beside)


def _head(table):
    if hasattr(table, "slice"):
        return table.slice(0, FIRST)
    return table.head(FIRST)
