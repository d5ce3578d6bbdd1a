"""The same answers as scikit-learn's own estimators, on real data."""

import kernrs
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM


def scaled(load):
    x, y = load(return_X_y=True)
    return StandardScaler().fit_transform(x), y


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_svc(load, kernel, shape):
    x, y = scaled(load)
    settings = {"kernel": kernel, "decision_function_shape": shape, "tol": 1e-8}
    if kernel == "poly":
        settings["coef0"] = 1.0
    if kernel == "sigmoid":
        settings |= {"gamma": 0.01}
    theirs, ours = SVC(**settings).fit(x, y), kernrs.SVC(**settings).fit(x, y)
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-4)
    assert np.mean(ours.predict(x) == theirs.predict(x)) > 0.995
    assert abs(len(ours.support_) - len(theirs.support_)) <= 2


def test_svc_with_weights_of_classes_and_points():
    x, y = scaled(load_iris)
    weights = np.linspace(0.5, 2.0, len(y))
    settings = {"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}, "tol": 1e-8, "gamma": 0.2}
    theirs, ours = (model(**settings).fit(x, y, weights) for model in (SVC, kernrs.SVC))
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-4)


@pytest.mark.parametrize("theirs, ours", [(SVR, kernrs.SVR), (NuSVR, kernrs.NuSVR)])
def test_regression(theirs, ours):
    x, y = scaled(load_diabetes)
    theirs, ours = (model(C=10.0, tol=1e-8).fit(x, y) for model in (theirs, ours))
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-4)


def test_nu_svc_and_one_class():
    x, y = scaled(load_breast_cancer)
    theirs, ours = (model(nu=0.2, tol=1e-8).fit(x, y) for model in (NuSVC, kernrs.NuSVC))
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-4)
    theirs, ours = (model(nu=0.1, tol=1e-8).fit(x) for model in (OneClassSVM, kernrs.OneClassSVM))
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "poly"])
def test_ridge(kernel):
    x, y = scaled(load_diabetes)
    y = np.column_stack([y, y**2])
    weights = np.linspace(0.5, 2.0, len(y))
    theirs, ours = (model(alpha=0.7, kernel=kernel).fit(x, y, weights) for model in (KernelRidge, kernrs.KernelRidge))
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-6)


def test_nystroem_on_all_points_is_the_kernel():
    x, _ = scaled(load_iris)
    ours = kernrs.Nystroem(gamma=0.1, n_components=len(x), random_state=0).fit_transform(x)
    theirs = Nystroem(gamma=0.1, n_components=len(x), random_state=0).fit_transform(x)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "poly", "cosine"])
def test_gram(kernel):
    x, _ = scaled(load_iris)
    formula = {"rbf": "rbf(gamma=0.25)", "laplacian": "laplacian(gamma=0.25)", "cosine": "normalized(linear)",
               "poly": "poly(degree=3, gamma=0.25, coef0=1)", "linear": "linear"}[kernel]
    settings = {} if kernel in ("linear", "cosine") else {"gamma": 0.25}
    theirs = pairwise_kernels(x, metric=kernel, **settings)
    np.testing.assert_allclose(kernrs.gram(formula, x), theirs, atol=1e-12)
    np.testing.assert_allclose(kernrs.gram(formula, x, x[:7]), theirs[:, :7], atol=1e-12)
    v = np.random.default_rng(0).normal(size=(len(x), 3))
    np.testing.assert_allclose(kernrs.LazyGram(formula, x) @ v, theirs @ v, atol=1e-9)


def test_all_ways_to_give_a_kernel():
    x, y = scaled(load_iris)
    gamma = 0.25
    expected = kernrs.SVC(kernel="rbf", gamma=gamma).fit(x, y).decision_function(x)
    gram = pairwise_kernels(x, metric="rbf", gamma=gamma)
    ways = {
        "rbf(gamma=0.25)": x,
        kernrs.Kernel("rbf", gamma=gamma): x,
        "precomputed": gram,
        (lambda a, b: pairwise_kernels(a, b, metric="rbf", gamma=gamma)): x,
    }
    for kernel, points in ways.items():
        got = kernrs.SVC(kernel=kernel).fit(points, y).decision_function(points)
        np.testing.assert_allclose(got, expected, atol=5e-3)


def test_sparse_and_dense_points_have_one_answer():
    x, y = load_digits(return_X_y=True)
    x, y = x[:300], y[:300]
    dense = kernrs.SVC(gamma=0.001).fit(x, y)
    thin = kernrs.SVC(gamma=0.001).fit(sparse.csr_array(x), y)
    np.testing.assert_allclose(thin.decision_function(x), dense.decision_function(x), atol=1e-2)
    assert (thin.predict(x) == dense.predict(sparse.csr_array(x))).all()


def test_strings():
    words = ["GATTACA", "GATTAGA", "GATACA", "CCGGC", "CGGCC", "CCGCG"] * 3
    y = ["a", "a", "a", "b", "b", "b"] * 3
    model = kernrs.KernelLogisticRegression(kernel="normalized(spectrum(k=2))", C=100.0).fit(words, y)
    assert model.predict(["GATTA", "CGGC"]).tolist() == ["a", "b"]
    assert model.predict_proba(["GATTA"])[0, 0] > 0.9
    assert (clone(model).fit(words, y).predict(words) == np.array(y)).all()


def test_inside_of_scikit_learn():
    x, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), kernrs.SVC())
    assert cross_val_score(pipeline, x, y, cv=5).mean() > 0.93
    search = GridSearchCV(kernrs.SVC(), {"C": [1.0, 10.0], "kernel": ["linear", "rbf"]}, cv=3).fit(x, y)
    assert search.best_score_ > 0.95
    gram = pairwise_kernels(x, metric="rbf")
    assert cross_val_score(kernrs.SVC(kernel="precomputed"), gram, y, cv=5).mean() > 0.93
