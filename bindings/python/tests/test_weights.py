"""Classes without weight: known, never predicted, and no hindrance to the others."""

import inspect

import kernrs
import numpy as np
import pytest
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
