"""The index of a frame is no feature, whatever it is called and whoever has made a table of the frame."""

import kernrs
import numpy as np
import pytest
from kernrs import distributed

pandas = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


def noise(n=300):
    """Noise, and classes that the order of the rows tells."""
    rng = np.random.default_rng(0)
    return pandas.DataFrame({"a": rng.normal(size=n), "y": np.repeat(["p", "q"], n // 2)})


def indexed():
    frame = noise()
    yield "shuffled", frame.sample(frac=1, random_state=0)
    yield "filtered", frame[frame.index % 3 != 0]
    yield "named", frame.rename_axis("row").sample(frac=1, random_state=0)
    yield "called like a column", frame.rename_axis("a").sample(frac=1, random_state=0)
    yield "dates", frame.set_axis(pandas.date_range("2020", periods=len(frame), freq="h"))
    yield "two levels", frame.set_axis(pandas.MultiIndex.from_arrays([range(len(frame)), range(len(frame))], names=["u", None]))
    yield "strings", frame.set_axis([f"row {i}" for i in range(len(frame))])


@pytest.mark.parametrize("name, frame", list(indexed()), ids=lambda value: value if isinstance(value, str) else "")
def test_an_index_is_no_feature(name, frame):
    model = kernrs.train(frame, "y", tune=5)
    assert model.columns == ["a"]
    assert 0.35 < model.best_score < 0.65
    plain = frame.reset_index(drop=True)
    assert (model.predict(frame) == model.predict(plain)).all()
    assert kernrs.plan(frame, "y", kernel="rbf")["kernel"] == kernrs.plan(plain, "y", kernel="rbf")["kernel"]
    if name != "called like a column":
        assert kernrs.train(pa.table(frame), "y").columns == ["a"]
        assert (model.predict(pa.table(frame)) == model.predict(plain)).all()


def test_an_index_is_no_feature_of_estimators():
    frame = noise().drop(columns="y").sample(frac=1, random_state=0)
    frame["b"] = np.arange(len(frame)) % 7
    y, table = np.arange(len(frame)) % 2, pa.table(frame)
    assert "__index_level_0__" in table.column_names
    expected = kernrs.SVC().fit(frame, y)
    model = kernrs.SVC().fit(table, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert (model.decision_function(table) == expected.decision_function(frame)).all()
    assert (kernrs.gram("linear", table) == kernrs.gram("linear", frame)).all()
    assert kernrs.RBFSampler(random_state=0).fit(table).n_features_in_ == 2


def test_a_column_with_that_name_stays():
    polars = pytest.importorskip("polars")
    columns = {"__index_level_0__": np.arange(40.0), "y": np.repeat(["p", "q"], 20)}
    for table in (columns, pa.table(columns), polars.DataFrame(columns), pandas.DataFrame(columns)):
        model = kernrs.train(table, "y")
        assert model.columns == ["__index_level_0__"] and (model.predict(table) == columns["y"]).mean() > 0.9


def test_an_index_is_no_feature_of_fits_in_rounds(tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    frame = noise().assign(t=lambda frame: np.sin(frame["a"]))[["a", "t"]]
    frame = frame[frame.index % 3 != 0]
    estimator = kernrs.KernelRidge(alpha=1e-3)
    model = distributed.fit(estimator, dd.from_pandas(frame, npartitions=3), target="t")
    assert model.columns == ["a"]
    expected = model.predict(frame.reset_index(drop=True))
    for name, table in (("unnamed", frame), ("named", frame.rename_axis("row"))):
        folder = tmp_path / name
        folder.mkdir()
        table.to_parquet(folder / "part.parquet")
        of_files = distributed.fit(estimator, str(folder), target="t")
        assert of_files.columns == ["a"]
        np.testing.assert_allclose(distributed.predict(of_files, str(folder)), expected, rtol=1e-6)
        in_memory = kernrs.KernelRidge().fit(frame[["a"]], frame["t"])
        assert distributed.predict(in_memory, str(folder)).shape == expected.shape
        in_memory = kernrs.KernelRidge().fit(frame[["a"]].to_numpy(), frame["t"])
        assert distributed.score(in_memory, str(folder), target="t") > 0
    assert distributed.fit(estimator, str(folder), target="t", ignore="row").columns == ["a"]
