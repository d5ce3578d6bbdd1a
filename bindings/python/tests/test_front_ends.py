"""Front ends: a table has one schema, task, kernel and model, in a frame of any library and in a file of any format.

Random tables with columns of all types are learned from in Python and by the program. Their models are compared coefficient by
coefficient, their predictions value by value, both to the last bit; only the spelling of labels such as ``True`` and ``1.0`` may
differ, which files of text keep.

``KERN_FRONT_ENDS_SECONDS`` is the time for random tables, 25 seconds by default; ``KERN_FRONT_ENDS_SEED`` the number of the first
one, on which alone a table depends, and which is in the message of a failure. ``KERN_PROGRAM`` is the path of the program, by
default that of the workspace's build; without a program the tests of files are skipped.
"""

import csv
import datetime
import decimal
import json
import os
import pathlib
import subprocess
import time
import warnings

import kernrs
import numpy as np
import pytest

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
from pyarrow import csv as arrow_csv  # noqa: E402
from pyarrow import parquet  # noqa: E402

SECONDS = float(os.environ.get("KERN_FRONT_ENDS_SECONDS", "25"))
FIRST = int(os.environ.get("KERN_FRONT_ENDS_SEED", "0"))


def program():
    """The program, if there is one: of two builds the later one."""
    if given := os.environ.get("KERN_PROGRAM"):
        return pathlib.Path(given)
    target = pathlib.Path(__file__).parents[3] / "target"
    built = [path for path in (target / "debug" / "kern", target / "release" / "kern") if path.exists()]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


PROGRAM = program()
needs_program = pytest.mark.skipif(PROGRAM is None, reason="there is no program: build the workspace, or set KERN_PROGRAM")

# Columns.

WORDS = np.array(["ash", "birch", "cedar", "NA", "none", "Über, quoted \"so\"", "two words", "x" * 40], dtype=object)
#: Words that are other values in files of text.
UNLIKE = [["007", "7", "1e5"], ["2024-01-01", "2024-01-01T00:00"], ["true", "TRUE", "ash"], ["NA", "null"], ["inf", "NaN"], ["0", "1"]]
#: Names of columns.
NAMES = ["two words", "co,mma", 'quo"te', "Größe", "0", "Unnamed: 0", "z.1", "__index__", "class"]
ZONES = [None, "UTC", "Europe/Berlin", "America/New_York"]


def with_missing(values, rng):
    """A column of objects, some of them missing."""
    values = np.array(values, dtype=object)
    values[rng.random(len(values)) < 0.2] = None
    return pandas.Series(values, dtype=object)


def extension(kind):
    return lambda rng, n: pandas.Series(pandas.array(with_missing(rng.integers(0, 100, size=n), rng), dtype=kind))


def few(values, rng, n):
    """A column of few different values, the first of which occurs."""
    codes = rng.integers(0, len(values), size=n)
    codes[0] = 0
    return [values[code] for code in codes]


def instants(rng, n):
    """Times in a random unit, with a time zone or without."""
    unit = ["s", "ms", "us", "ns"][rng.integers(4)]
    parts = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    ticks = rng.integers(-10**9 * parts, 2 * 10**9 * parts, size=n).astype(f"datetime64[{unit}]")
    ticks[rng.random(n) < 0.15] = np.datetime64("NaT")
    found = pandas.Series(ticks)
    zone = ZONES[rng.integers(len(ZONES))]
    return found if zone is None else found.dt.tz_localize("UTC").dt.tz_convert(zone)


def durations(rng, n):
    unit = ["s", "ms", "us", "ns"][rng.integers(4)]
    parts = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    ticks = rng.integers(-10**6 * parts, 10**6 * parts, size=n).astype(f"timedelta64[{unit}]")
    ticks[rng.random(n) < 0.15] = np.timedelta64("NaT")
    return pandas.Series(ticks)


def constant(rng, n):
    value = [1.5, 7, "ash", True, datetime.date(2024, 2, 29), decimal.Decimal("2.50")][rng.integers(6)]
    return pandas.Series([value] * n)


def dates(rng, n):
    return [datetime.date(1970, 1, 1) + datetime.timedelta(days=int(days)) for days in rng.integers(-30000, 30000, size=n)]


def tenths(values):
    return [decimal.Decimal(int(value)) / 10 for value in values]


#: Columns of a type, by its name. Numbers in single precision have few digits, which files of text have, too.
COLUMNS = {
    "integers": lambda rng, n: pandas.Series(rng.integers(-1000, 1000, size=n)),
    "large integers": lambda rng, n: pandas.Series(rng.integers(-2**62, 2**62, size=n)),
    "small integers": lambda rng, n: pandas.Series(rng.integers(0, 200, size=n).astype(np.uint8)),
    "unsigned integers": lambda rng, n: pandas.Series(rng.integers(0, 2**63, size=n).astype(np.uint64) * np.uint64(2)),
    "floats": lambda rng, n: pandas.Series(rng.normal(size=n) * 10.0 ** rng.integers(-12, 20)),
    "floats with missing values": lambda rng, n: pandas.Series(np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))),
    "floats of all sizes": lambda rng, n: pandas.Series(rng.choice([-1.0, 1.0, -0.0], size=n) * 10.0 ** rng.uniform(-320, 150, size=n)),
    "single precision": lambda rng, n: pandas.Series((rng.integers(-999, 999, size=n) / 8).astype(np.float32)),
    "words": lambda rng, n: pandas.Series(few(WORDS, rng, n)),
    "words with missing values": lambda rng, n: with_missing(few(WORDS[:3], rng, n), rng),
    "words like other values": lambda rng, n: with_missing(few(UNLIKE[rng.integers(len(UNLIKE))], rng, n), rng),
    "text": lambda rng, n: with_missing([" ".join(rng.choice(WORDS[:3], size=5)) + f" {k}" for k in range(n)], rng),
    "booleans": lambda rng, n: pandas.Series(rng.random(n) < 0.5),
    "booleans with missing values": lambda rng, n: with_missing((rng.random(n) < 0.5).tolist(), rng),
    "dates": lambda rng, n: with_missing(dates(rng, n), rng),
    "instants": instants,
    "durations": durations,
    "decimals": lambda rng, n: with_missing(tenths(rng.integers(-999, 999, size=n)), rng),
    "wide decimals": lambda rng, n: pandas.Series(
        with_missing(tenths(rng.integers(-2**40, 2**40, size=n)), rng), dtype=pandas.ArrowDtype(pa.decimal256(50, 3))),
    "categories of words": lambda rng, n: pandas.Series(pandas.Categorical(with_missing(few(WORDS[:3], rng, n), rng), WORDS[:5])),
    "categories of integers": lambda rng, n: pandas.Series(pandas.Categorical(rng.integers(0, 9, size=n) * 10)),
    "categories of floats": lambda rng, n: pandas.Series(pandas.Categorical(with_missing(rng.integers(0, 9, size=n) / 4, rng))),
    "categories of booleans": lambda rng, n: pandas.Series(pandas.Categorical(rng.random(n) < 0.5)),
    "Int64": extension("Int64"), "UInt16": extension("UInt16"), "Float64": extension("Float64"), "Float32": extension("Float32"),
    "boolean": lambda rng, n: pandas.Series(pandas.array(with_missing((rng.random(n) < 0.5).tolist(), rng), dtype="boolean")),
    "string": lambda rng, n: pandas.Series(with_missing(few(WORDS[:3], rng, n), rng), dtype="string"),
    "constant": constant,
    "nothing": lambda rng, n: pandas.Series([None] * n, dtype=[object, float, "Int64"][rng.integers(3)]),
}

#: Targets of classes and of numbers.
CLASSES = {
    "words": lambda codes: pandas.Series(np.array(["ash", "birch", "cedar"])[codes]),
    "integers": lambda codes: pandas.Series(codes * 7 - 3),
    "Int64": lambda codes: pandas.Series(codes * 7 - 3, dtype="Int64"),
    "whole floats": lambda codes: pandas.Series(codes * 7.0 - 3),
    "booleans": lambda codes: pandas.Series(codes > 0),
    "boolean": lambda codes: pandas.Series(codes > 0, dtype="boolean"),
    "categories of words": lambda codes: pandas.Series(pandas.Categorical(np.array(["ash", "birch", "cedar"])[codes])),
    "categories of integers": lambda codes: pandas.Series(pandas.Categorical(codes * 7 - 3)),
    "decimals": lambda codes: pandas.Series([decimal.Decimal(int(code) * 7 - 3) for code in codes]),
}
NUMBERS = {
    "floats": lambda values: pandas.Series(values),
    "single precision": lambda values: pandas.Series((np.round(8 * values) / 8 + 0.125).astype(np.float32)),
    "decimals": lambda values: pandas.Series([decimal.Decimal(int(100 * value)) / 100 + decimal.Decimal("0.005") for value in values]),
    "integers": lambda values: pandas.Series(np.round(1000 * values).astype(int)),
    "instants": lambda values: pandas.Series(np.round(1e6 * values).astype("datetime64[s]")),
}


class Case:
    """A random table to learn from, another one to ask about, and what is to be learned."""

    def __init__(self, number):
        rng = np.random.default_rng(number)
        n, queries = int(rng.integers(15, 60)), 12
        kinds = rng.choice(list(COLUMNS), size=rng.integers(1, 6), replace=False)
        columns = {kind: COLUMNS[kind](rng, n + queries) for kind in kinds}
        # Something is left to learn from, whatever is left out.
        columns["z"] = COLUMNS["floats"](rng, n + queries)
        signal = rng.normal(size=n + queries)
        codes = np.digitize(signal, [-0.4, 0.4])
        self.is_classes = bool(rng.random() < 0.6)
        targets = CLASSES if self.is_classes else NUMBERS
        self.target_kind = str(rng.choice(list(targets)))
        columns["y"] = targets[self.target_kind](codes if self.is_classes else signal)
        self.settings = {}
        methods = ["svm", "logistic", "neighbors"] if self.is_classes else ["ridge", "svm", "neighbors"]
        if rng.random() < 0.5:
            self.settings |= {"method": str(rng.choice(methods)), "task": "classify" if self.is_classes else "regress"}
        if rng.random() < 0.2:
            columns["w"] = pandas.Series(rng.integers(0, 4, size=n + queries) / 2)
            self.settings["weights"] = "w"
        if rng.random() < 0.1:
            columns["g"] = pandas.Series(rng.integers(0, 6, size=n + queries))
            self.settings |= {"groups": "g", "tune": 3}
        if rng.random() < 0.2:
            self.settings["ignore"] = str(rng.choice(kinds))
        self.kinds = list(kinds)
        if rng.random() < 0.3:
            others = dict(zip(kinds, rng.permutation(NAMES)))
            columns = {others.get(kind, kind): values for kind, values in columns.items()}
            if "ignore" in self.settings:
                self.settings["ignore"] = str(others[self.settings["ignore"]])
        names = list(columns)
        rng.shuffle(names)
        frame = pandas.DataFrame({name: columns[name] for name in names})
        self.frame, self.queries = frame[:n], frame[n:].reset_index(drop=True)
        # What is learned from does not depend on the number of front ends that it is given to.
        self.rng = np.random.default_rng([number, 1])

    def __str__(self):
        kinds = ", ".join(f"{name}: {kind}" for name, kind in self.frame.dtypes.items())
        return f"{kinds}; y of {self.target_kind}; {self.settings}"


# Front ends of Python.


def two_levels(frame):
    return pandas.MultiIndex.from_arrays([np.arange(len(frame))[::-1], np.arange(len(frame)) % 2], names=["u", None])


def in_chunks(table):
    return pa.concat_tables([table.slice(0, 5), table.slice(5, 0), table.slice(5)])


def recast(table, convert):
    """The table with the columns of strings converted."""
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            table = table.set_column(place, field.name, convert(table.column(place)))
    return table


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def in_polars(frame):
    """The frame in polars, which has decimals of 128 bits only."""
    table = arrow(frame)
    for place, field in enumerate(table.schema):
        if pa.types.is_decimal256(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.decimal128(38, 3)))
    return polars.from_arrow(table)


FRAMES = {
    "pandas": lambda frame: frame,
    "a shuffled index": lambda frame: frame.set_axis(np.random.default_rng(0).permutation(len(frame))),
    "a filtered index": lambda frame: frame.set_axis(3 * np.arange(len(frame)) + 5),
    "a named index": lambda frame: frame.rename_axis("row"),
    "an index with the name of a column": lambda frame: frame.set_axis(np.arange(len(frame))[::-1]).rename_axis("z"),
    "two levels": lambda frame: frame.set_axis(two_levels(frame)),
    "pandas with types of Arrow": lambda frame: arrow(frame).to_pandas(types_mapper=pandas.ArrowDtype),
    "a dictionary": lambda frame: {name: frame[name] for name in frame.columns},
    "polars": in_polars,
    "polars in chunks": lambda frame: polars.concat([in_polars(frame)[:5], in_polars(frame)[5:]], rechunk=False),
    "Arrow with an index": lambda frame: pa.table(frame.set_axis(two_levels(frame))),
    "chunks": lambda frame: in_chunks(arrow(frame)),
    "chunks through the C interface": lambda frame: pa.table(in_chunks(arrow(frame)).to_reader()),
    "chunks of dictionaries": lambda frame: recast(in_chunks(arrow(frame)), lambda column: pa.chunked_array(
        [chunk.dictionary_encode() for chunk in column.chunks])),
    "a batch": lambda frame: arrow(frame).combine_chunks().to_batches()[0],
    "a reader": lambda frame: arrow(frame).to_reader(7),
    "dictionaries": lambda frame: recast(arrow(frame), lambda column: column.dictionary_encode()),
    "views": lambda frame: recast(arrow(frame), lambda column: column.cast(pa.string_view())),
    "large strings": lambda frame: recast(arrow(frame), lambda column: column.cast(pa.large_string())),
}

# Files.


def arrow_file(table, path):
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table, max_chunksize=9)


def arrow_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def json_lines(frame, path):
    """Lines by the json of Python: numbers with all digits, times as pandas prints them."""
    def value(cell):
        if cell is None or pandas.api.types.is_scalar(cell) and pandas.isna(cell):
            return None
        if isinstance(cell, (np.floating, np.integer, np.bool_)):
            return cell.item()
        if isinstance(cell, decimal.Decimal):
            return float(cell)
        return cell if isinstance(cell, (bool, int, float, str)) else str(cell)
    with open(path, "w") as file:
        for row in frame.itertuples(index=False, name=None):
            file.write(json.dumps({name: value(cell) for name, cell in zip(frame.columns, row)}) + "\n")


#: Writers of files, by the end of the name; those of text have no durations.
FILES = {
    "pandas.csv": lambda frame, path: frame.to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC),
    "index.csv": lambda frame, path: frame.to_csv(path, quoting=csv.QUOTE_NONNUMERIC),
    "pandas.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t", quoting=csv.QUOTE_NONNUMERIC),
    "polars.csv": lambda frame, path: in_polars(frame).write_csv(path, quote_style="non_numeric"),
    "arrow.csv": lambda frame, path: arrow_csv.write_csv(arrow(frame), path),
    "polars.jsonl": lambda frame, path: in_polars(frame).write_ndjson(path),
    "python.jsonl": json_lines,
    "pandas.parquet": lambda frame, path: frame.set_axis(np.arange(len(frame))[::-1]).to_parquet(path),
    "polars.parquet": lambda frame, path: in_polars(frame).write_parquet(path),
    "arrow.parquet": lambda frame, path: parquet.write_table(arrow(frame), path, row_group_size=11),
    "polars.arrow": lambda frame, path: in_polars(frame).write_ipc(path),
    "polars.stream.arrow": lambda frame, path: in_polars(frame).write_ipc_stream(path),
    "pandas.feather": lambda frame, path: frame.to_feather(path),
    "file.arrow": lambda frame, path: arrow_file(arrow(frame), path),
    "pandas.csv.gz": lambda frame, path: frame.to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC),
    "second.parquet": lambda frame, path: parquet.write_table(
        arrow(frame), path, version="2.6", data_page_version="2.0", compression="zstd"),
    "plain.parquet": lambda frame, path: parquet.write_table(
        arrow(frame), path, use_dictionary=False, compression="gzip", data_page_size=64),
    "stream.arrow": lambda frame, path: arrow_stream(arrow(frame), path),
}


def is_of_text(name):
    return name.endswith(("csv", "tsv", "jsonl", "gz"))


def carries(name, case):
    """Tells whether a file has the types of a table.

    Text has no durations, and no words that look like other values; polars writes decimals as strings, which are words.
    """
    if is_of_text(name) and any(kind in ("durations", "words like other values") for kind in case.kinds):
        return False
    cells = (cell for column in case.frame.columns for cell in case.frame[column])
    return name != "polars.jsonl" or not any(isinstance(cell, decimal.Decimal) for cell in cells)


def kern(*arguments):
    """The standard output of the program."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    return done.stdout


def options(settings):
    return [part for name, value in settings.items() for part in (f"--{name}", value)]


# What is compared.


def meaning(label):
    """A label, whatever its type or spelling."""
    word = str(label)
    if word.lower() in ("true", "false"):
        return word.lower()
    try:
        return format(decimal.Decimal(word).normalize(), "f")
    except decimal.InvalidOperation:
        return word


def plain(model):
    """A model in JSON, without the spelling of labels and truth values, and the type of classes, which files of text do not say."""
    if isinstance(model, dict):
        return {key: [meaning(label) for label in value] if key in ("classes", "levels") else plain(value)
                for key, value in model.items() if key not in ("checksum", "notes", "class_type")}
    return [plain(part) for part in model] if isinstance(model, list) else model


def learned(frame, settings):
    """The model of a frame in JSON, and a function that answers for another one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kernrs.train(frame, "y", **settings)
    return model, plain(json.loads(model.to_bytes(json=True)))


def compare(name, found, expected):
    """Compares two models part by part, with a short message."""
    for part in ("task", "schema", "kernel", "rows"):
        assert found["model"][part] == expected["model"][part], f"{name}: {part}"
    for part in found["model"]:
        assert found["model"][part] == expected["model"][part], f"{name}: {part}"


def check_python(case):
    """Learns from frames of several libraries, and compares the models and their predictions."""
    model, expected = learned(arrow(case.frame), case.settings)
    answers = model.predict(arrow(case.queries))
    for name in case.rng.permutation(list(FRAMES))[:4]:
        other, found = learned(FRAMES[name](case.frame), case.settings)
        compare(name, found, expected)
        given = other.predict(FRAMES[name](case.queries))
        assert given.dtype == answers.dtype and (given == answers).all(), f"{name}: predictions"


def check_program(case, folder, model, expected, answers):
    """Learns from files of several formats, and predicts for others, with models of the program and of Python."""
    names = [name for name in FILES if carries(name, case)]
    kernrs.save(model, folder / "python.kern")
    for name in case.rng.permutation(names)[:4]:
        FILES[name](case.frame, folder / f"train.{name}")
        kern("train", folder / f"train.{name}", "--target", "y", "--output", folder / "model.json", *options(case.settings))
        compare(name, plain(json.loads((folder / "model.json").read_text())), expected)
        other = case.rng.choice(names)
        FILES[other](case.queries, folder / f"query.{other}")
        for path in ("model.json", "python.kern"):
            found = list(csv.reader(kern("predict", folder / path, folder / f"query.{other}").splitlines()))[1:]
            check_answers(f"{path} of {name} for {other}", [row[0] for row in found], answers)
    kern("train", folder / f"train.{name}", "--target", "y", "--output", folder / "model.kern", *options(case.settings))
    loaded = kernrs.load(folder / "model.kern")
    check_answers(f"Python with a model of {name}", loaded.predict(case.queries), answers)
    if case.is_classes and case.settings.get("method") == "logistic":
        found = list(csv.reader(kern("predict", "--probabilities", folder / "model.kern", folder / f"query.{other}").splitlines()))
        classes, shares = loaded.predict_proba(case.queries)
        named = [meaning(cell.removeprefix("p(").removesuffix(")")) for cell in found[0]]
        assert named == ["class", *map(meaning, classes)], f"{name}: classes of probabilities"
        assert [list(map(float, row[1:])) for row in found[1:]] == shares.tolist(), f"{name}: probabilities"


def check_answers(name, found, expected):
    """Compares answers by their values."""
    if expected.dtype == np.float64 and len(set(map(meaning, expected))) > 3:
        assert [float(value) for value in found] == expected.tolist(), f"{name}: predictions"
    else:
        assert list(map(meaning, found)) == list(map(meaning, expected)), f"{name}: predictions"


def run_all(check, seconds):
    """Checks random tables for so many seconds."""
    ends, number = time.monotonic() + seconds, FIRST
    while time.monotonic() < ends or number == FIRST:
        try:
            check(Case(number))
        except Exception as error:
            pytest.fail(f"table {number}: {Case(number)}: {type(error).__name__}: {error}")
        number += 1


def test_frames():
    run_all(check_python, SECONDS / 4)


@needs_program
def test_files(tmp_path):
    def check(case):
        model, expected = learned(arrow(case.frame), case.settings)
        check_program(case, tmp_path, model, expected, model.predict(arrow(case.queries)))
    run_all(check, 3 * SECONDS / 4)


@needs_program
@pytest.mark.parametrize("name", FILES)
def test_rows_without_a_target_are_refused_by_all(name, tmp_path):
    for target in (pandas.Series([0.5, None, 1.25, 2.0]), pandas.Series(["p", None, "q", "p"]), pandas.Series([1, None, 2, 1], dtype="Int64")):
        frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": target})
        with pytest.raises(ValueError, match="row 2 has no value in column `y`") as in_python:
            kernrs.train(frame, "y", task="classify")
        with pytest.raises(ValueError) as in_program:
            FILES[name](frame, tmp_path / name)
            kern("train", tmp_path / name, "--target", "y", "--output", tmp_path / "model.kern", "--task", "classify")
        assert str(in_python.value) in str(in_program.value)


def model_of(folder, name, write):
    """The model of the program, of a file that a function writes."""
    write(str(folder / name))
    kern("train", folder / name, "--target", "y", "--output", folder / "model.json")
    return plain(json.loads((folder / "model.json").read_text()))


@needs_program
def test_files_of_arrow_by_polars(tmp_path):
    frame = polars.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": ["ash", None, "birch", "ash"], "y": ["p", "q", "p", "q"]})
    compare("polars", model_of(tmp_path, "table.arrow", frame.write_ipc), learned(frame, {})[1])


VALUES = {
    "integers": [10, 20], "floats": [0.5, 0.25], "booleans": [True, False], "dates": [datetime.date(2024, 1, 5), datetime.date(2024, 2, 29)],
    "decimals": [decimal.Decimal("1.5"), decimal.Decimal("2.25")], "durations": [datetime.timedelta(1), datetime.timedelta(2)],
}


@needs_program
@pytest.mark.parametrize("end", ["parquet", "arrow"])
@pytest.mark.parametrize("values", VALUES)
def test_categories_of_values_are_values(tmp_path, values, end):
    codes = pa.array([0, 1, 1, 0, None, 0], pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(VALUES[values]))
    table = pa.table({"c": column, "x": np.arange(6.0), "y": ["p", "q"] * 3})
    expected = learned({"c": column.dictionary_decode(), "x": np.arange(6.0), "y": ["p", "q"] * 3}, {})[1]
    compare("Python", learned(table, {})[1], expected)
    write = parquet.write_table if end == "parquet" else arrow_stream
    compare(end, model_of(tmp_path, f"table.{end}", lambda path: write(table, path)), expected)
