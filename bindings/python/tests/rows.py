"""Rows in files for the tests of fits beyond one machine."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

#: Rows of a row group, row groups of a file, and files.
ROWS, GROUPS, FILES = 200, 2, 3


def rows(n=ROWS * GROUPS * FILES, seed=0):
    """Points of three columns, values, and classes, two and three."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = np.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.1 * rng.normal(size=n)
    kinds = np.array(["ash", "birch", "cedar"])[np.digitize(y, [-0.4, 0.4])]
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y, "sign": np.where(y > 0, "up", "down"), "kind": kinds,
            "w": rng.random(n)}


def write(folder, table=None):
    """Files of Parquet with these rows."""
    folder.mkdir(exist_ok=True)
    table = pa.table(rows() if table is None else table)
    size = ROWS * GROUPS
    for number, start in enumerate(range(0, table.num_rows, size)):
        pq.write_table(table.slice(start, size), folder / f"part-{number}.parquet", row_group_size=ROWS)
    return folder
