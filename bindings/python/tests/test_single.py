"""Single precision: learned and answered in it, with the answers of double precision but for rounding."""

import kernrs
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_digits
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def digits():
    x, y = load_digits(return_X_y=True)
    return x[:600] / 16.0, y[:600]


@pytest.fixture(scope="module")
def diabetes():
    x, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(x), (y - y.mean()) / y.std()


@pytest.mark.parametrize("model", [kernrs.SVC(C=10.0), kernrs.KernelLogisticRegression(), kernrs.KernelRidgeClassifier(),
                                   kernrs.KNeighborsClassifier(kernel="rbf")], ids=lambda m: type(m).__name__)
def test_classes(digits, model):
    x, y = digits
    single = model.fit(x.astype(np.float32), y)
    assert single.model_.points == "vectors in single precision"
    found = single.predict(x)
    assert np.mean(found == model.fit(x, y).predict(x)) > 0.99
    if hasattr(model, "decision_function"):
        assert single.fit(x.astype(np.float32), y).model_.decision(single._queries(x)).dtype == np.float32


@pytest.mark.parametrize("model", [kernrs.SVR(C=10.0), kernrs.NuSVR(), kernrs.KernelRidge(kernel="rbf"), kernrs.QuantileSVR(),
                                   kernrs.RecursiveFeatureMachineRegressor(n_rounds=2)], ids=lambda m: type(m).__name__)
def test_values(diabetes, model):
    x, y = diabetes
    expected = model.fit(x, y).predict(x)
    assert expected.dtype == np.float64
    found = model.fit(x.astype(np.float32), y).predict(x.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=0.02)
    # Queries are taken in the precision of the fit.
    assert (model.predict(x) == found).all()


@pytest.mark.parametrize("make", [kernrs.Nystroem, kernrs.RBFSampler, kernrs.PolynomialCountSketch])
def test_features(digits, make):
    x, _ = digits
    double, single = (make(n_components=50, random_state=0).fit(points) for points in (x, x.astype(np.float32)))
    expected, found = double.transform(x), single.transform(x.astype(np.float32))
    assert expected.dtype == np.float64 and found.dtype == np.float32
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, rtol=1e-2, atol=1e-2)


def test_kernel_values(digits):
    x, _ = digits
    single = kernrs.gram("rbf(gamma=0.1)", x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, kernrs.gram("rbf(gamma=0.1)", x), atol=1e-5)
    assert kernrs.gram("linear", x.astype(np.float32), x[:3]).dtype == np.float64
    v = np.ones(len(x))
    np.testing.assert_allclose(kernrs.LazyGram("linear", x.astype(np.float32)) @ v, kernrs.LazyGram("linear", x) @ v, rtol=1e-5)


def test_processes_are_learned_in_double_precision(diabetes):
    x, y = diabetes
    model = kernrs.GaussianProcessRegressor(alpha=1.0).fit(x.astype(np.float32), y)
    assert model.predict(x.astype(np.float32)).dtype == np.float64
