"""Tables: frames of every kind, files, and what a user sees."""

import doctest
import importlib
import pkgutil

import kernrs
import numpy as np
import pytest


def flowers(n=120):
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=n)
    petal = rng.normal(loc=kind * 3.0, size=n)
    petal[::10] = np.nan
    colour = np.where(rng.random(n) < 0.9, np.array(["white", "blue"])[kind], "red")
    return {"petal": petal, "colour": colour.tolist(), "species": np.array(["setosa", "virginica"])[kind].tolist()}


def frames():
    table = flowers()
    yield "dict", table
    pandas = pytest.importorskip("pandas")
    yield "pandas", pandas.DataFrame(table)
    polars = pytest.importorskip("polars")
    yield "polars", polars.DataFrame(table)


def test_frames_of_all_kinds_make_one_model(tmp_path):
    expected = flowers()["species"]
    for name, frame in frames():
        model = kernrs.train(frame, "species", tune=3)
        found = model.predict(frame)
        assert np.mean(found == np.array(expected)) > 0.9, name
        assert model.best_score > 0.85
        path = tmp_path / "model.kern"
        kernrs.save(model, path)
        again = kernrs.load(path)
        assert (again.predict(frame) == found).all() and again.kernel == model.kernel


def test_probabilities():
    model = kernrs.train(flowers(), "species", method="logistic")
    classes, shares = model.predict_proba(flowers())
    assert classes.tolist() == ["setosa", "virginica"] and np.allclose(shares.sum(axis=1), 1.0)


def test_bad_input_is_said():
    with pytest.raises(ValueError, match="specie"):
        kernrs.train(flowers(), "specie", task="classify")
    with pytest.raises(ValueError, match="rbf"):
        kernrs.SVC(kernel="rbff(gamma=1)").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="gamma"):
        kernrs.Kernel("rbf", gamma=-1.0)


def test_kernels_are_closed_under_their_rules():
    a, b = kernrs.Kernel("rbf", gamma=0.5), kernrs.Kernel("linear")
    x = np.random.default_rng(0).normal(size=(6, 3))
    np.testing.assert_allclose((2.0 * a + b**2)(x), 2 * a(x) + b(x) ** 2)
    np.testing.assert_allclose((a * b)(x), a(x) * b(x))
    np.testing.assert_allclose(np.diag(b.normalized()(x)), 1.0)
    np.testing.assert_allclose(a.exp()(x), np.exp(a(x)))


def test_examples_of_the_pages_run():
    total = 0
    for module in pkgutil.iter_modules(kernrs.__path__):
        if module.name == "_native":
            continue
        found = doctest.testmod(importlib.import_module(f"kernrs.{module.name}"))
        assert found.failed == 0
        total += found.attempted
    found = doctest.testmod(kernrs)
    assert found.failed == 0 and total + found.attempted > 15


def test_a_plan_says_what_algorithms_cost():
    x = np.random.default_rng(0).normal(size=(3000, 6))
    plan = kernrs.plan(x, kernel="rbf", landmarks=200)
    rows = plan["costs"]["predictions"]
    assert plan.recommended in [row["algorithm"] for row in rows] and plan.reason
    assert all(row["bytes"] > 0 and sum(term["seconds"] for term in row["terms"]) > 0 for row in rows)
    assert plan["kernel"].startswith("rbf(gamma=") and 0 < plan["unexplained"] < 1 and plan["landmarks"] == 200
    assert plan["kernel"] in repr(plan) and plan.reason in repr(plan)
    assert plan._repr_html_().count("<tr>") == len(rows) + 1
    with kernrs.config(memory=100 * 2**20):
        small = kernrs.plan(np.tile(x, (2, 1)), kernel="rbf", landmarks=200)
    assert 0 < sum(row["fits"] for row in small["costs"]["predictions"]) < len(rows)
    assert kernrs.plan(flowers(), "species")["kernel"] == kernrs.plan(flowers(), "species")["kernel"]
    with pytest.raises(ValueError, match="species"):
        kernrs.plan({"petal": [1.0, 2.0]}, "species")


def test_a_contest_has_a_leaderboard_and_is_the_best_of_it():
    frame = pytest.importorskip("sklearn.datasets").load_iris(as_frame=True).frame
    model = kernrs.train(frame, "target", task="classify", contest=5, metric="auc")
    board = model.leaderboard
    assert len(board) > 20
    assert sum(entry["weight"] for entry in board) == pytest.approx(1)
    assert board[0]["score"] > 0.9
    assert np.mean(model.predict(frame) == frame["target"]) > 0.95
    assert kernrs.train(frame, "target", task="classify").leaderboard is None
    with pytest.raises(ValueError, match="budget"):
        kernrs.train(frame, "target", task="classify", metric="auc")
    with pytest.raises(ValueError, match="balanced_accuracy"):
        kernrs.train(frame, "target", task="classify", contest=5, metric="speed")
    for contest in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="contest must be"):
            kernrs.train(frame, "target", contest=contest)
