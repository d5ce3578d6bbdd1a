"""Warnings of fits that have not converged: the status, the way out, and the line of the user."""

import re
import warnings

import kernrs
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning


def points(n=200):
    rng = np.random.default_rng(0)
    return rng.random((n, 5)), np.arange(n) % 2, rng.random(n)


@pytest.mark.parametrize("estimator", [kernrs.SVC(C=1e10, tol=1e-14), kernrs.SVR(C=1e8, tol=1e-15)], ids=lambda e: type(e).__name__)
def test_a_fit_that_stalls_warns(estimator):
    x, classes, values = points()
    with pytest.warns(ConvergenceWarning, match=f"{type(estimator).__name__}: stalled .*larger tol") as found:
        estimator.fit(x, values if isinstance(estimator, kernrs.SVR) else classes)
    assert estimator.report_["status"] == "stalled" and found[0].filename == __file__


def test_a_fit_that_is_cut_short_warns():
    x, classes, values = points()
    for estimator in (kernrs.SVC(max_iter=2), kernrs.NuSVC(max_iter=2), kernrs.KernelLogisticRegression(max_iter=1, tol=0.0),
                      kernrs.KernelPerceptron(max_iter=1)):
        with pytest.warns(ConvergenceWarning, match="iterations_done .*increase max_iter"):
            estimator.fit(x, classes)
    table = {"a": x[:, 0], "y": classes}
    with pytest.warns(ConvergenceWarning, match="train: iterations_done .*increase max_iterations") as found:
        kernrs.train(table, "y", method="svm", max_iterations=2)
    assert found[0].filename == __file__


def test_a_fit_that_converges_is_silent():
    x, classes, values = points()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernrs.SVC().fit(x, classes)
        kernrs.KernelSGDClassifier().fit(x, classes)
        kernrs.GaussianProcessRegressor(alpha=0.1).fit(x, values)
        kernrs.train({"a": x[:, 0], "y": np.sin(x[:, 0]) + 0.123}, "y")


@pytest.mark.parametrize("kernel", ["linear", kernrs.Kernel("linear") + kernrs.Kernel("rbf", gamma=0.5)], ids=str)
def test_offsets_in_single_precision_stall_nobody(kernel):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = x @ [1.0, 2.0, -1.0] + 0.05 * rng.normal(size=300)
    for offset in (0.0, 1.0, 1e3, 1e4):
        far = (x + offset).astype(np.float32)
        for estimator, targets in ((kernrs.SVR(kernel=kernel), y), (kernrs.SVC(kernel=kernel), y > 0)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                model = estimator.fit(far, targets)
            assert model.report_["status"] in ("converged", "converged_by_violation")
            assert kernel != "linear" or model.score(far, targets) > 0.97
            assert model.predict(far[:1])[0] == model.predict(far)[0]


ESTIMATORS = [getattr(kernrs, name) for name in kernrs.__all__]
ESTIMATORS = [kind for kind in ESTIMATORS if isinstance(kind, type) and hasattr(kind, "_keep_model")]


@pytest.mark.parametrize("status", ["iterations_done", "stalled", "stopped", "other", "early_stopped", "converged"])
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_advice_names_parameters_of_the_class(kind, status):
    class Fitted:
        report = {"status": status, "iterations": 3, "objective": 1.0, "gap": None}

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        kind()._keep_model(Fitted())
    for warning in found:
        advice = str(warning.message).split("; ")[1]
        named = re.findall(r"(?:increase|decrease|larger|smaller) (\w+)", advice)
        assert set(named) <= set(kind().get_params()), advice
        assert named or status not in ("iterations_done", "stalled") or advice.endswith("scale the features"), advice
    is_normal = status in ("early_stopped", "converged") or (status == "iterations_done" and kind._limit is None)
    assert len(found) == (not is_normal)
