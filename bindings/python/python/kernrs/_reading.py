"""Parts of files as tables of Python, for models that live in Python; others read them in Rust."""

import json

import numpy as np

from . import _native
from ._validation import without_index

#: Rows that are read at once, where the format can.
BATCH = 16_384


def tables_of(part):
    """The tables of a part of a file, which is text, or the one that is given. Errors name the file and the part of it."""
    if not isinstance(part, str):
        yield part
        return
    import pyarrow as pa
    known = json.loads(part)
    path, span = known["path"], known["span"]
    try:
        if span == "all":
            yield from _whole(path)
        elif "row_groups" in span:
            import pyarrow.parquet as pq
            groups = range(span["row_groups"]["start"], span["row_groups"]["end"])
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH, row_groups=groups):
                    yield pa.Table.from_batches([batch])
        else:
            array = np.load(path, mmap_mode="r")
            array = array.reshape(len(array), -1)[span["rows"]["start"]:span["rows"]["end"]]
            for start in range(0, len(array), BATCH):
                rows = array[start:start + BATCH]
                yield pa.table({f"x{j + 1}": np.ascontiguousarray(rows[:, j]) for j in range(rows.shape[1])})
    except (OSError, pa.ArrowException) as error:
        raise ValueError(f"{_native.describe_part(part)}: {error}") from error


def _whole(path):
    """The tables of a file that has no parts."""
    if path.endswith((".csv", ".csv.gz", ".tsv")):
        from pyarrow import csv
        options = csv.ParseOptions(delimiter="\t" if path.endswith(".tsv") else ",")
        with csv.open_csv(path, parse_options=options) as reader:
            import pyarrow as pa
            for batch in reader:
                yield pa.Table.from_batches([batch])
        return
    raise ValueError(f"{path}: only models of tables read this format; others read Parquet, CSV and NPY")


def names_of(table):
    """The names of the columns of a table or a frame."""
    table = without_index(table)
    return [str(name) for name in getattr(table, "column_names", None) or table.columns]


def column_of(table, name):
    """A column of a table or a frame, as an array."""
    if name not in names_of(table):
        raise ValueError(f"there is no column {name!r}; the columns are {', '.join(names_of(table))}")
    try:
        return np.asarray(table[name])
    except Exception as error:
        # Arrow raises its own errors for bytes that are not text.
        if isinstance(error, ValueError) or type(error).__module__.split(".")[0] != "pyarrow":
            raise
        raise ValueError(f"column {name!r}: {error}") from error
