"""Weights of rows: zero is no row, two are the row twice; classes without weight are known and never predicted."""

import inspect

import kernrs
import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.ensemble import BaggingClassifier
from sklearn.datasets import load_iris

KINDS = [kernrs.SVC, kernrs.NuSVC, kernrs.KernelRidgeClassifier, kernrs.KernelLogisticRegression, kernrs.KernelPerceptron,
         kernrs.KernelSGDClassifier, kernrs.GaussianProcessClassifier, kernrs.RecursiveFeatureMachineClassifier]
LABELS = np.array(["ash", "birch", "cedar", "date"])


def points(classes=4, n=80):
    rng = np.random.default_rng(0)
    codes = np.arange(n) % classes
    return rng.normal(size=(n, 2)) + 3 * np.column_stack([codes % 2, codes // 2]), LABELS[codes]


@pytest.mark.parametrize("without", [["birch"], ["ash"], ["date"], ["ash", "cedar"], ["cedar", "date"]], ids="-".join)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_class_without_weight_is_never_predicted(kind, without):
    x, y = points()
    weights = np.where(np.isin(y, without), 0.0, 1.0)
    model = kind(gamma=0.5) if "gamma" in inspect.signature(kind).parameters else kind()
    model.fit(x, y, sample_weight=weights)
    present = [label for label in LABELS if label not in without]
    assert model.classes_.tolist() == LABELS.tolist()
    found = model.predict(x)
    assert set(found) <= set(present) and np.mean(found[weights > 0] == y[weights > 0]) > 0.8
    is_present = np.isin(LABELS, present)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(x)
        assert shares.shape == (len(x), 4) and (shares[:, ~is_present] == 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert (LABELS[shares.argmax(axis=1)] == found).all()
    if hasattr(model, "decision_function"):
        values = model.decision_function(x)
        assert values.shape == (len(x), 4) and np.isfinite(values).all()
        assert (values[:, is_present].min(axis=1) > values[:, ~is_present].max(axis=1)).all()
    # Points without weight count where a penalty is over all of them, so it is compared with what has none.
    if kind in (kernrs.SVC, kernrs.GaussianProcessClassifier):
        alone = kind(**model.get_params()).fit(x[weights > 0], y[weights > 0])
        assert (alone.predict(x) == found).all()


def test_machines_have_functions_of_all_pairs():
    x, y = points()
    for without in (["birch"], ["ash", "date"]):
        model = kernrs.SVC(kernel="linear", decision_function_shape="ovo", break_ties=False)
        model.fit(x, y, sample_weight=1.0 - np.isin(y, without))
        values = model.decision_function(x)
        assert values.shape == (len(x), 6) and model.coef_.shape == (6, 2) and model.intercept_.shape == (6,)
        np.testing.assert_allclose(x @ model.coef_.T + model.intercept_, values, atol=1e-9)
        assert model.dual_coef_.shape == (3, len(model.support_))
        assert (model.n_support_[np.isin(LABELS, without)] == 0).all() and model.n_support_.sum() == len(model.support_)
    ties = kernrs.SVC(break_ties=True).fit(x, y, sample_weight=1.0 - (y == "birch"))
    assert "birch" not in ties.predict(x)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_balanced_classes_without_weight(kind):
    x, y = points()
    weights = np.where(y == "birch", 0.0, 1.0)
    weights[y == "ash"] = 0.25
    model = kind(class_weight="balanced").fit(x, y, sample_weight=weights)
    assert set(model.predict(x)) == {"ash", "cedar", "date"}
    by_class = kind(class_weight={"birch": 0.0}).fit(x, y)
    assert set(by_class.predict(x)) == {"ash", "cedar", "date"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_one_class_with_weight_is_said_by_its_label(kind):
    x, y = points(2)
    with pytest.raises(ValueError, match=r"(?s)'ash', 'birch'.*only \['birch'\]"):
        kind().fit(x, y, sample_weight=(y == "birch").astype(float))
    with pytest.raises(ValueError, match="class.*'ash'"):
        kind().fit(x, np.repeat("ash", len(x)))
    with pytest.raises(ValueError, match=r"only \['birch'\]"):
        kind(class_weight={"ash": 0.0}).fit(x, y)


def test_bagging_draws_weights():
    x, y = load_iris(return_X_y=True)
    for estimator in (kernrs.SVC(), kernrs.KernelLogisticRegression()):
        model = BaggingClassifier(estimator, n_estimators=10, max_samples=8, random_state=0).fit(x, y)
        assert model.score(x, y) > 0.6


#: Learners of steps in a random order, and those that leave out rows one by one, which a weight of 2 does not do twice.
OF_OTHER_LAW = ("KernelSGDClassifier", "KernelSGDRegressor", "RecursiveFeatureMachineClassifier", "RecursiveFeatureMachineRegressor",
                "KernelPerceptron", "KernelRidgeCV")

WEIGHTED = [kind for kind in map(kernrs.__dict__.get, kernrs.__all__)
            if isinstance(kind, type) and "sample_weight" in inspect.signature(getattr(kind, "fit", print)).parameters]


def fits(kind):
    """Points with targets, and parameters for all ways in which weights enter."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(40, 2))
    y = x[:, 0] + 0.3 * rng.normal(size=40)
    y = np.digitize(y, [-0.4, 0.4]) if is_classifier(kind()) else y
    known = inspect.signature(kind).parameters
    plain = {"tol": 1e-10} if "tol" in known else {}
    plain |= {"n_clusters": 3, "n_init": 20} if "n_clusters" in known else {}
    settings = [plain] + ([plain | {"kernel": "rbf", "gamma": "scale"}] if "gamma" in known else [])
    settings += [plain | {"class_weight": "balanced"}] if "class_weight" in known else []
    return x, y, settings


def predictions(model):
    """The predictions of a model at other points, by the names of methods."""
    queries = np.random.default_rng(4).normal(size=(20, 2))
    names = ("decision_function", "predict_proba", "score_samples", "predict")
    found = {name: np.asarray(getattr(model, name)(queries)) for name in names if hasattr(model, name)}
    if hasattr(model, "labels_"):
        # The numbers of clusters are in no order.
        found = {"together": found["predict"][:, None] == found["predict"], "objective": model.report_["objective"]}
    return found


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(np.asarray(found[name], float), np.asarray(values, float), rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", WEIGHTED, ids=lambda kind: kind.__name__)
def test_a_row_without_weight_changes_nothing(kind):
    x, y, settings = fits(kind)
    rng = np.random.default_rng(5)
    weights = rng.uniform(0.5, 2.0, size=len(x))
    far = (np.insert(x, 17, [1e4, -1e4], axis=0), np.insert(y, 17, y[0] if is_classifier(kind()) else 1e4), np.insert(weights, 17, 0.0))
    for given in settings:
        same(predictions(kind(**given).fit(far[0], far[1], sample_weight=far[2])), predictions(kind(**given).fit(x, y, sample_weight=weights)))


@pytest.mark.parametrize("kind", [kind for kind in WEIGHTED if kind.__name__ not in OF_OTHER_LAW], ids=lambda kind: kind.__name__)
def test_a_weight_of_two_is_the_row_twice(kind):
    x, y, settings = fits(kind)
    twice = np.repeat(np.arange(len(x)), np.where(np.arange(len(x)) % 3 == 0, 2, 1))
    weights = np.where(np.arange(len(x)) % 3 == 0, 2.0, 1.0)
    for given in settings:
        same(predictions(kind(**given).fit(x, y, sample_weight=weights)), predictions(kind(**given).fit(x[twice], y[twice])))


def test_a_row_without_weight_has_no_part_in_the_scale():
    x, y, weights = np.array([[0.0], [0.0], [1.0], [1.5]]), np.array([0, 1, 0, 1]), np.array([1.0, 1.0, 2.0, 1.0])
    for far in (1e4, 1e300, -1.7e308):
        for more, used in ((weights, x), (np.array([1.0, 1.0, 0.0, 0.0]), x[:2])):
            given = np.append(more, 0.0)
            model = kernrs.SVC().fit(np.append(x, [[far]], axis=0), np.append(y, 0), sample_weight=given)
            assert model.kernel_formula_ == kernrs.SVC().fit(used, y[: len(used)], sample_weight=more[: len(used)]).kernel_formula_


def test_weights_that_are_no_numbers_are_said():
    for kind in (kernrs.SVC, kernrs.OneClassSVM, kernrs.KernelRidge):
        with pytest.raises(ValueError, match="sample_weight contains NaN"):
            kind().fit([[0.0], [1.0]], [0, 1], sample_weight=[np.nan, np.nan])


def test_a_share_that_is_too_small_names_the_way_out():
    x = np.random.default_rng(0).normal(size=(100, 1))
    with pytest.warns(UserWarning, match="increase max_iter, or nu if the classes overlap"):
        kernrs.NuSVC(nu=1e-3, kernel="linear", max_iter=1000).fit(x, np.arange(100) % 2)
