"""Frames as tables of Arrow: the columns alone, whatever index a frame of pandas has."""

import io
import sys

from ._validation import index_columns


def table_of(frame, without=(), only=None):
    """A frame as a table of Arrow. Its index is not a column, since the order of rows says nothing about them.

    Columns in ``without`` are left out. If the frame has all columns in ``only``, the others are left out as well. Columns that
    are left out may have types that Arrow does not support.
    """
    import pyarrow as pa
    if isinstance(frame, dict):
        return _known(_of_columns(_chosen(frame, list(frame), without, only, lambda places: dict(_items_at(frame, places)))))
    if is_pandas(frame):
        return _known(_of_pandas(_chosen(frame, frame.columns, without, only, lambda places: frame.iloc[:, places])))
    try:
        if isinstance(frame, (pa.Table, pa.RecordBatch)):
            table = pa.table(frame)
        elif hasattr(frame, "to_arrow") and hasattr(frame, "columns"):
            names = list(frame.columns)
            frame = _chosen(frame, names, without, only, lambda places: frame.select([names[place] for place in places]))
            table, without, only = frame.to_arrow(), (), None
        elif hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "dtype"):
            table = pa.table(frame)
        else:
            raise ValueError("a frame of pandas or polars, a table of Arrow, or a dictionary of columns is needed, got "
                             f"{type(frame).__name__}")
    except pa.ArrowException as error:
        raise ValueError(f"the frame cannot be converted to Arrow: {error}") from error
    table = table.drop_columns(index_columns(table.schema))
    return _known(_chosen(table, table.column_names, without, only, table.select))


def _chosen(frame, names, without, only, select):
    """The frame with the columns that are kept; ``select`` takes their places."""
    names = [str(name) for name in names]
    checked_columns(names, without, "ignore")
    known = only is not None and set(only) <= set(names)
    places = [place for place, name in enumerate(names) if name not in without and (not known or name in only)]
    return frame if len(places) == len(names) else select(places)


def _items_at(columns, places):
    """The items of a dictionary of columns at the given places."""
    items = list(columns.items())
    return [items[place] for place in places]


def stream_of(frame, only=None):
    """A frame as a stream of Arrow."""
    return frame if isinstance(frame, bytes) else written(table_of(frame, only=only))


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


def checked_columns(known, names, what):
    """Refuses names that are not among those of the columns."""
    for name in names:
        if name not in known:
            raise ValueError(f"there is no column {name!r} for {what}; the columns are {', '.join(known)}")


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


def _of_columns(columns):
    """The table of a dictionary of columns."""
    import pyarrow as pa
    found = {}
    for name, values in columns.items():
        name = str(name)
        if name in found:
            raise ValueError(f"the dictionary has two columns called {name!r}")
        try:
            found[name] = pa.table({name: _in_known_units(values)}).column(0)
        except (pa.ArrowException, OverflowError, TypeError) as error:
            raise _no_column(name, error) from error
        first, rows = next((first, len(column)) for first, column in found.items())
        if len(found[name]) != rows:
            raise ValueError(f"column {name!r} has {len(found[name])} rows, and column {first!r} has {rows}")
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
    unit, _ = np.datetime_data(values.dtype)
    if values.dtype.kind == "M" and unit in "YMWD":
        return values.astype("datetime64[D]")
    # Of durations months and years have no fixed length, and are refused.
    if unit in "YM":
        return values
    return values.astype(f"{values.dtype.kind}8[{unit if unit.endswith('s') else 's'}]")


def _of_pandas(frame):
    import pandas
    import pyarrow as pa
    if any(isinstance(kind, pandas.SparseDtype) for kind in frame.dtypes):
        frame = frame.apply(lambda column: column.sparse.to_dense() if isinstance(column.dtype, pandas.SparseDtype) else column)
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, OverflowError, TypeError):
        for place, name in enumerate(frame.columns):
            try:
                pa.array(frame.iloc[:, place], from_pandas=True)
            except (pa.ArrowException, OverflowError, TypeError) as error:
                raise _no_column(str(name), error) from error
        raise


def _no_column(name, error):
    """The error for a column that cannot be converted to Arrow."""
    return ValueError(f"column {name!r} has values of mixed types, or of a type that tables do not support: {error}. Convert the column, "
                      "or leave it out with ignore")


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
