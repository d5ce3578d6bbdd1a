"""Columns of frames: answers have the type of the target, and equal values mean the same in any type."""

import datetime
import decimal
import pickle
import warnings

import kernrs
import numpy as np
import pytest
from kernrs import distributed

pandas = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


def points(n=80):
    rng = np.random.default_rng(0)
    codes = np.arange(n) % 2
    return rng.normal(size=n) + 4 * codes, codes


TARGETS = {
    "int64": lambda codes: codes * 5 - 2,
    "int8": lambda codes: codes.astype(np.int8),
    "uint64": lambda codes: codes.astype(np.uint64),
    "bool": lambda codes: codes == 1,
    "Int64": lambda codes: pandas.array(codes * 5 - 2, dtype="Int64"),
    "boolean": lambda codes: pandas.array(codes == 1, dtype="boolean"),
    "categories of integers": lambda codes: pandas.Categorical(codes * 5 - 2),
    "categories of booleans": lambda codes: pandas.Categorical(codes == 1),
    "objects": lambda codes: np.array([int(code) for code in codes], dtype=object),
    "strings": lambda codes: np.array(["no", "yes"])[codes],
    "strings of digits": lambda codes: np.array(["0", "1"])[codes],
    "string": lambda codes: pandas.array(np.array(["no", "yes"])[codes], dtype="string"),
    "categories": lambda codes: pandas.Categorical(np.array(["no", "yes"])[codes]),
}


@pytest.mark.parametrize("name", TARGETS)
def test_answers_have_the_type_of_the_target(name, tmp_path):
    x, codes = points()
    frame = pandas.DataFrame({"x": x, "y": TARGETS[name](codes)})
    model = kernrs.train(frame, "y", method="logistic")
    expected = np.array(frame["y"].tolist())
    assert model.task == "classify"
    kernrs.save(model, tmp_path / "model.kern")
    for copy in (model, pickle.loads(pickle.dumps(model)), kernrs.load(tmp_path / "model.kern")):
        found = copy.predict(frame)
        assert found.dtype.kind == expected.dtype.kind or expected.dtype.kind in "iu" and found.dtype.kind in "iu"
        assert np.mean(found == expected) > 0.9
    classes, shares = model.predict_proba(frame)
    assert classes.tolist() == sorted(set(expected.tolist())) and shares.shape == (len(x), 2)
    for table in (pa.Table.from_pandas(frame, preserve_index=False), {"x": x, "y": expected}):
        assert (kernrs.train(table, "y", method="logistic").predict(frame) == model.predict(frame)).all()


def test_floats_that_are_classes_are_floats():
    x, codes = points()
    found = kernrs.train({"x": x, "y": codes + 0.5}, "y", task="classify").predict({"x": x})
    assert found.dtype == np.float64 and np.mean(found == codes + 0.5) > 0.9


def test_classes_that_doubles_do_not_tell_apart():
    x, codes = points()
    for y in (2**53 + codes, -(2**53) - codes, (2**64 - 1 - codes.astype(object)).astype(np.uint64)):
        found = kernrs.train({"x": x, "y": y}, "y").predict({"x": x})
        assert found.dtype == y.dtype and np.mean(found == y) > 0.9


def test_answers_for_files_have_the_type_of_the_target(tmp_path):
    x, codes = points()
    for name in ("int64", "bool", "strings"):
        frame = pandas.DataFrame({"x": x, "y": TARGETS[name](codes)})
        folder = tmp_path / name
        folder.mkdir()
        frame.to_parquet(folder / "part.parquet")
        model = distributed.fit(kernrs.KernelRidgeClassifier(alpha=1e-3), str(folder), target="y", features="columns")
        found = distributed.predict(model, str(folder))
        assert found.dtype.kind == frame["y"].to_numpy().dtype.kind or found.dtype.kind in "UO"
        assert np.mean(found == frame["y"].to_numpy()) > 0.9 and distributed.score(model, str(folder)) > 0.9


@pytest.mark.parametrize("make", [
    lambda x: x.astype("Float64"), lambda x: x.astype(np.float64), lambda x: pandas.Series([decimal.Decimal(int(v)) for v in x]),
    lambda x: pandas.Series(pandas.Categorical(x)), lambda x: x.astype("int64"), lambda x: x.astype("Int64"),
    lambda x: x.astype(np.float16), lambda x: x.astype("float64[pyarrow]"),
    lambda x: pandas.Series(x.to_numpy(), dtype=pandas.ArrowDtype(pa.decimal256(40, 2))),
])
def test_numbers_of_all_types_are_the_same_feature(make):
    x, codes = points()
    x = pandas.Series(np.round(10 * x))
    expected = kernrs.train({"x": x.to_numpy(), "y": codes}, "y")
    frame = pandas.DataFrame({"x": make(x), "y": codes})
    model = kernrs.train(frame, "y")
    assert model.kernel == expected.kernel
    assert (model.predict(frame) == expected.predict({"x": x.to_numpy()})).all()


def test_decimals_of_all_widths_are_the_same_doubles():
    x = [decimal.Decimal(digits) / 1000 for digits in range(10**9 + 7, 10**10, 10**8 + 9)]
    y = np.arange(len(x)) % 2
    expected = kernrs.train({"x": [float(value) for value in x], "y": y}, "y").to_bytes(json=True)
    for kind in (pa.decimal64(18, 3), pa.decimal128(38, 3), pa.decimal256(50, 3), pa.decimal256(76, 30)):
        assert kernrs.train({"x": pa.array(x, kind), "y": y}, "y").to_bytes(json=True) == expected


@pytest.mark.parametrize("unit, plain", [("Y", "D"), ("M", "D"), ("W", "D"), ("h", "s"), ("m", "s"), ("90m", "s"), ("25ms", "ms")])
def test_times_of_numpy_have_all_units(unit, plain):
    codes = np.arange(60) % 2
    times = (np.arange(60) % 7).astype(f"datetime64[{unit}]")
    assert kernrs.train({"x": times, "y": codes}, "y").kernel == kernrs.train({"x": times.astype(f"datetime64[{plain}]"), "y": codes}, "y").kernel
    spans = (np.arange(60) % 7).astype(f"timedelta64[{unit}]")
    if unit in "YM":
        with pytest.raises(ValueError, match="column 'x' has values"):
            kernrs.train({"x": spans, "y": codes}, "y")
    else:
        expected = kernrs.train({"x": spans.astype("timedelta64[ms]"), "y": codes}, "y")
        assert kernrs.train({"x": spans, "y": codes}, "y").to_bytes(json=True) == expected.to_bytes(json=True)


def test_sparse_columns_and_large_floats_are_numbers():
    x = (np.arange(60) % 5).astype(float)
    y = np.arange(60) % 2
    expected = kernrs.train({"x": x, "y": y}, "y").to_bytes(json=True)
    for table in (pandas.DataFrame({"x": pandas.arrays.SparseArray(x), "y": y}), {"x": x.astype(np.longdouble), "y": y}):
        assert kernrs.train(table, "y").to_bytes(json=True) == expected


def test_empty_slices_change_nothing():
    table = pa.table({"x": ["ash", "birch"] * 10, "y": ["p", "q"] * 10}).slice(4)
    parts = pa.concat_tables([table.slice(0, 3), table.slice(3, 0), table.slice(3)])
    expected = kernrs.train(table, "y").to_bytes(json=True)
    for given in (parts, parts.to_reader(), pa.table(parts.to_reader())):
        assert kernrs.train(given, "y").to_bytes(json=True) == expected


def test_columns_of_no_type_are_refused_by_name():
    for values in ([1, "a"] * 3, [2**70] * 6, np.zeros(6, dtype=complex), np.zeros((6, 2))):
        with pytest.raises(ValueError, match="column 'x' has values"):
            kernrs.train({"x": values, "y": [0, 1] * 3}, "y")


def test_decimals_are_regressed():
    x = np.arange(40.0)
    frame = pandas.DataFrame({"x": x, "y": [decimal.Decimal(int(v)) / 4 for v in x]})
    assert kernrs.train(frame, "y").task == "regress"
    assert kernrs.train(frame.astype({"y": "Float32"}), "y").task == "regress"


def test_missing_values_of_extension_types():
    x, codes = points()
    plain = np.where(np.arange(len(x)) % 7 == 0, np.nan, np.round(x))
    expected = kernrs.train({"x": plain, "y": codes}, "y")
    frame = pandas.DataFrame({"x": pandas.Series(plain).astype("Int64"), "y": codes})
    assert (kernrs.train(frame, "y").predict(frame) == expected.predict({"x": plain})).all()


def test_arrays_of_all_types_are_asked_about():
    x, codes = points()
    model = kernrs.train({"x": np.round(x), "y": codes}, "y")
    expected = model.predict({"x": np.round(x)})
    for kind in (np.float16, np.float32, np.int64):
        assert (model.predict(np.round(x).astype(kind)[:, None]) == expected).all()
    flags = kernrs.train({"x": codes == 1, "y": codes}, "y")
    assert (flags.predict((codes == 1)[:, None]) == codes).all()


def test_columns_are_left_out():
    x, codes = points()
    table = {"x": x, "id": codes, "other": codes, "y": codes}
    assert kernrs.train(table, "y", ignore=["id", "other"]).columns == ["x"]
    assert kernrs.train(table, "y", ignore="id").columns == ["x", "other"]
    assert kernrs.plan(table, "y", kernel="rbf", ignore=("id", "other"))["kernel"] == kernrs.plan({"x": x, "y": codes}, "y", kernel="rbf")["kernel"]
    for bad, words in (("di", "no column 'di' for ignore; the columns are x"), ("y", "both target and left out")):
        with pytest.raises(ValueError, match=words):
            kernrs.train(table, "y", ignore=bad)


def test_mistakes_are_said():
    x, codes = points()
    table = {"x": x, "y": codes}
    for call, words in (
        (lambda: kernrs.train(table, "z"), "no column 'z' for target; the columns are x, y"),
        (lambda: kernrs.train(table, "y", weights="w"), "no column 'w' for weights"),
        (lambda: kernrs.train(table, "y", method="rf"), "method must be one of svm, logistic, ridge, neighbors .* got 'rf'"),
        (lambda: kernrs.train(table, "y", method="k-means"), "svm, logistic, ridge, neighbors"),
        (lambda: kernrs.train(table, "y", drop="x"), "drop must be a number.*ignore"),
        (lambda: kernrs.train(table, "y", tune=-1), "tune"),
        (lambda: kernrs.train(table, "y", tune=1), "tune"),
        (lambda: kernrs.train(table, "y", landmarks=-1), "landmarks"),
        (lambda: kernrs.train(table, "y", seed=-1), "seed"),
        (lambda: kernrs.plan(table, "y", landmarks=2.5), "landmarks"),
        (lambda: kernrs.train([[1.0]], "y"), "frame"),
        (lambda: kernrs.train(table, "y", method="svm").predict_proba(table), "no probabilities.*method='logistic' or 'neighbors'$"),
        (lambda: kernrs.train(table, task="cluster:2").predict_proba(table), "no probabilities.*cluster"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    assert kernrs.train(table, "y", kernel=kernrs.Kernel("rbf", gamma=0.5)).kernel == "rbf(gamma=0.5)"


def test_importances_of_nothing_warn():
    x = np.random.default_rng(0).normal(size=(60, 3))
    model = kernrs.RecursiveFeatureMachineRegressor(n_rounds=0).fit(x, x[:, 0])
    with pytest.warns(UserWarning, match="no metric was learned"):
        np.testing.assert_allclose(model.feature_importances_, 1 / 3)


def test_a_guess_of_the_task_is_told_with_the_way_to_change_it():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    whole = (np.arange(60) % 3)
    for target in (whole, whole.astype(float)):
        with pytest.warns(UserWarning, match="3 different whole numbers, so the task is 'classify': say task='regress'"):
            assert kernrs.train({"x": x, "y": target}, "y").task == "classify"
    with pytest.warns(UserWarning, match="more than 20 different numbers, so the task is 'regress'"):
        assert kernrs.train({"x": x, "y": np.arange(60)}, "y").task == "regress"
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert kernrs.train({"x": x, "y": x + 0.25}, "y").task == "regress"


def test_notes_of_tables_and_fits_are_warnings():
    rng = np.random.default_rng(1)
    frame = {"x": rng.normal(size=200), "y": np.where(np.arange(200) % 50 == 0, "rare", "often")}
    with pytest.warns(UserWarning):
        model = kernrs.train(frame, "y")
    assert model.notes


CLASSES = {
    "dates": lambda codes: [datetime.date(2020 + code, 1, 1) for code in codes],
    "times in seconds": lambda codes: np.array(["1960-01-01T10:00:30", "2020-01-01"], dtype="datetime64[s]")[codes],
    "times in nanoseconds": lambda codes: np.array(["2020-01-01T01:02:03.123456789", "2021-01-01"], dtype="datetime64[ns]")[codes],
    "times with a zone": lambda codes: pandas.Series(np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")[codes]).dt.tz_localize(
        "Europe/Berlin"),
    "durations": lambda codes: np.array([90, 3600], dtype="timedelta64[s]")[codes],
    "decimals": lambda codes: [decimal.Decimal(["1.10", "2.20"][code]) for code in codes],
    "small floats": lambda codes: np.array([1e-7, 1e22])[codes],
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_any_type_count_in_scores(name):
    dask = pytest.importorskip("dask")
    dd = pytest.importorskip("dask.dataframe")
    x, codes = points()
    frame = pandas.DataFrame({"x": x, "y": CLASSES[name](codes)})
    model = kernrs.train(frame, "y", task="classify")
    kept = kernrs.TableModel(model._native)
    expected = np.mean((x > 2) == (codes == 1))
    # Dask converts objects to strings by default.
    for asked, converts in ((model, True), (model, False), (kept, False)):
        with dask.config.set({"dataframe.convert-string": converts}):
            assert abs(distributed.score(asked, dd.from_pandas(frame, npartitions=2), target="y") - expected) < 0.05


STRANGE = {"complex": lambda n: np.ones(n) * 1j, "large": lambda n: [2**70] * n, "lists": lambda n: [[1, 2]] * n,
           "mixed": lambda n: [1, "a"] * (n // 2)}


@pytest.mark.parametrize("name", STRANGE)
def test_columns_that_are_not_used_may_have_any_type(name):
    x, codes = points()
    table = {"x": x, "strange": STRANGE[name](len(x)), "y": codes}
    for frame in (table, pandas.DataFrame(table)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = kernrs.train(frame, "y", ignore="strange", task="classify")
        assert model.columns == ["x"] and np.mean(model.predict(frame) == codes) > 0.9
        with pytest.raises(ValueError, match="strange"):
            kernrs.train(frame, "y", task="classify")
    twice = pandas.DataFrame(np.column_stack([x, x, x]), columns=["x", "z", "z"])
    assert (model.predict(twice) == model.predict({"x": x})).all()


def test_columns_that_are_no_table_are_refused_by_name():
    x, codes = points()
    with pytest.raises(ValueError, match="two columns called '1'"):
        kernrs.train({1: x, "1": -x, "y": codes}, "y", task="classify")
    with pytest.raises(ValueError, match="'y' has 79 rows, and column 'x' has 80"):
        kernrs.train({"x": x, "y": codes[1:]}, "y", task="classify")
    model = kernrs.train({"x": x, "y": codes}, "y", task="classify")
    for bad in (pandas.Series({"x": 1.0}), [[1.0]], None, 1.0, "rows.csv", pa.array([1.0])):
        with pytest.raises(ValueError, match=f"got {type(bad).__name__}"):
            model.predict(bad)
    with pytest.raises(ValueError, match="column 'x'"):
        model.predict({"x": 1.0})
    with pytest.raises(ValueError, match="missing column `x`; the table has z"):
        model.predict({"z": x})


def test_sparse_columns_are_columns():
    x, codes = points()
    frame = pandas.DataFrame({"x": pandas.arrays.SparseArray(np.where(codes == 1, x, 0.0)), "y": codes})
    dense = pandas.DataFrame({"x": np.where(codes == 1, x, 0.0), "y": codes})
    model = kernrs.train(frame, "y", task="classify")
    assert (model.predict(frame) == kernrs.train(dense, "y", task="classify").predict(dense)).all()
