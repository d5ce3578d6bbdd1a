"""Frames of pandas, polars and Arrow as points of estimators, with the names of their columns."""

import kernrs
import numpy as np
import pytest
from sklearn.datasets import load_iris


def frames(x, names):
    columns = {name: x[:, j] for j, name in enumerate(names)}
    pandas = pytest.importorskip("pandas")
    yield pandas.DataFrame(columns)
    polars = pytest.importorskip("polars")
    yield polars.DataFrame(columns)
    arrow = pytest.importorskip("pyarrow")
    yield arrow.table(columns)


def test_frames_are_points():
    x, y = load_iris(return_X_y=True)
    names = ["a", "b", "c", "d"]
    expected = kernrs.SVC().fit(x, y).decision_function(x)
    features = kernrs.Nystroem(random_state=0).fit(x).transform(x)
    for frame in frames(x, names):
        model = kernrs.SVC().fit(frame, y)
        assert (model.decision_function(frame) == expected).all(), type(frame)
        assert model.feature_names_in_.tolist() == names, type(frame)
        assert (kernrs.Nystroem(random_state=0).fit(frame).transform(frame) == features).all()
        assert (kernrs.gram("linear", frame) == kernrs.gram("linear", x)).all()


def test_other_columns_are_refused():
    x, y = load_iris(return_X_y=True)
    for frame, other in zip(frames(x, "abcd"), frames(x, "abce")):
        with pytest.raises(ValueError, match="feature names"):
            kernrs.SVC().fit(frame, y).predict(other)


def test_frames_come_as_they_are():
    pandas = pytest.importorskip("pandas")
    x, y = load_iris(return_X_y=True)
    model = kernrs.SVC().set_params(C=2.0)
    transformer = kernrs.Nystroem(n_components=3, random_state=0).set_output(transform="pandas").fit(x)
    assert isinstance(transformer.transform(x), pandas.DataFrame) and model.C == 2.0
    assert transformer.get_feature_names_out().tolist() == ["nystroem0", "nystroem1", "nystroem2"]
