"""Frames as tables of Arrow: the columns alone, whatever index a frame of pandas has."""

import io
import sys


def table_of(frame):
    """A frame as a table of Arrow. Its index is no column, since the order of rows says nothing about them."""
    import pyarrow as pa
    if isinstance(frame, dict):
        return _known(_of_columns(frame))
    if is_pandas(frame):
        return _known(_of_pandas(frame))
    if isinstance(frame, (pa.Table, pa.RecordBatch)):
        table = pa.table(frame)
    elif hasattr(frame, "to_arrow"):
        table = frame.to_arrow()
    elif hasattr(frame, "__arrow_c_stream__"):
        table = pa.table(frame)
    else:
        raise ValueError(f"a frame of pandas or polars, a table of Arrow, or a dictionary of columns is needed, got {type(frame).__name__}")
    return _known(table.drop_columns(index_columns(table.schema)))


def stream_of(frame):
    """A frame as a stream of Arrow."""
    return frame if isinstance(frame, bytes) else written(table_of(frame))


def written(table):
    """The stream of a table of Arrow."""
    import pyarrow as pa
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.to_batches():
            # An empty slice of strings that came through the C interface has offsets beyond its values, and would be damaged.
            if batch.num_rows > 0:
                writer.write_batch(batch)
    return sink.getvalue()


def checked_columns(table, names, what):
    """Refuses names of columns that a table does not have."""
    for name in names:
        if name not in table.column_names:
            raise ValueError(f"there is no column {name!r} for {what}; the columns are {', '.join(table.column_names)}")


def class_type_of(kind):
    """The type that classes of a type of Arrow have: strings, dates and all others are words."""
    import pyarrow as pa
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "integer"
    return "real" if pa.types.is_floating(kind) or pa.types.is_decimal(kind) else "word"


def is_pandas(frame):
    """Tells whether this is a frame of pandas, which is not imported for that."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def index_columns(schema):
    """The columns of a table of Arrow that were the index of a frame of pandas."""
    found = (schema.pandas_metadata or {}).get("index_columns", ())
    # An index that is a range is described, and no column.
    return [name for name in found if isinstance(name, str) and name in schema.names]


def without_index(points):
    """A table of Arrow without the columns that were an index; anything else as it is."""
    pa = sys.modules.get("pyarrow")
    if pa is None or not isinstance(points, (pa.Table, pa.RecordBatch)):
        return points
    names = index_columns(points.schema)
    return points.drop_columns(names) if names else points


def _of_columns(columns):
    import pyarrow as pa
    found = {}
    for name, values in columns.items():
        try:
            found[str(name)] = pa.table({"values": _in_known_units(values)}).column(0)
        except (pa.ArrowException, OverflowError, TypeError) as error:
            raise ValueError(f"the values of column {name!r} are not supported: {error}") from error
    return pa.table(found)


#: The units of times in Arrow, as :func:`numpy.datetime_data` returns them.
_UNITS = [(unit, 1) for unit in ("s", "ms", "us", "ns")]


def _in_known_units(values):
    """Values of NumPy in the types of Arrow, whose times have no hours, minutes, months, years or multiples of units."""
    import numpy as np
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "mMf":
        return values
    if values.dtype == np.longdouble:
        return values.astype(np.float64)
    if values.dtype.kind == "f" or np.datetime_data(values.dtype) in _UNITS:
        return values
    unit, count = np.datetime_data(values.dtype)
    if values.dtype.kind == "M" and unit in "YMWD":
        return values.astype("datetime64[D]")
    # Of durations months and years have no fixed length, and are refused.
    if unit in "YM":
        return values
    return values.astype(f"{values.dtype.kind}8[{unit if unit.endswith('s') else 's'}]")


def _of_pandas(frame):
    import pyarrow as pa
    dense = {name: kind.subtype for name, kind in frame.dtypes.items() if hasattr(kind, "fill_value")}
    frame = frame.astype(dense) if dense else frame
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except pa.ArrowException as error:
        raise ValueError(f"a column has values that are not of one type: {error}") from error


def _known(table):
    """The same values in types that the native part has."""
    columns = {field.name: _plain(table.column(place)) for place, field in enumerate(table.schema)}
    import pyarrow as pa
    # Names that occur twice are refused where columns are looked for.
    return pa.table(columns) if len(columns) == table.num_columns else table


def _plain(column):
    """A column without the ways of storing it that the native part does not read: categories of numbers are numbers."""
    import pyarrow as pa
    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        import pyarrow.compute as pc
        column, kind = pc.run_end_decode(column), kind.value_type
    if pa.types.is_dictionary(kind) and not is_words(kind.value_type):
        # Not by a cast, which has no way from some types of dictionaries.
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], kind.value_type)
    return column


def is_words(kind):
    """Tells whether a type of Arrow has strings."""
    import pyarrow as pa
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
