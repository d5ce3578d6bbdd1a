"""The same answers as scikit-learn's own estimators, on real data."""

import warnings

import kernrs
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Perceptron
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


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_coefficients_of_machines(load, kernel):
    x, y = scaled(load)
    # Points that are there twice may share a coefficient in any way.
    x, places = np.unique(x, axis=0, return_index=True)
    y = y[places]
    settings = {"kernel": kernel, "tol": 1e-9}
    theirs, ours = SVC(**settings).fit(x, y), kernrs.SVC(**settings).fit(x, y)
    assert ours.support_.tolist() == theirs.support_.tolist()
    assert ours.n_support_.tolist() == theirs.n_support_.tolist()
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
        thin = kernrs.SVC(**settings).fit(sparse.csr_array(x), y)
        np.testing.assert_allclose(thin.coef_.toarray(), theirs.coef_, atol=1e-4)
        listed = kernrs.SVC(**settings).fit(x.tolist(), y.tolist())
        assert (listed.coef_ == ours.coef_).all() and (listed.support_vectors_ == x[listed.support_]).all()
    else:
        assert not hasattr(ours, "coef_")


def test_coefficients_of_functions():
    x, y = scaled(load_diabetes)
    weights = np.where(np.arange(len(y)) % 7 == 0, 0.0, 1.0)
    for settings in ({"kernel": "rbf"}, {"kernel": "linear"}):
        theirs, ours = (model(C=10.0, tol=1e-8, **settings).fit(x, y) for model in (SVR, kernrs.SVR))
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4)
        np.testing.assert_allclose(ours.dual_coef_.sum(), 0.0, atol=1e-6)
        if settings["kernel"] == "linear":
            np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-3)
    theirs, ours = (model(nu=0.1, tol=1e-9).fit(x) for model in (OneClassSVM, kernrs.OneClassSVM))
    np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=1e-4)
    np.testing.assert_allclose(ours.score_samples(x), theirs.score_samples(x), rtol=1e-4)
    for target in (y, np.column_stack([y, -y])):
        theirs, ours = (m(alpha=0.7, kernel="rbf").fit(x, target, weights) for m in (KernelRidge, kernrs.KernelRidge))
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-5, atol=1e-8)


def test_callables_of_two_points():
    x, y = scaled(load_diabetes)

    def overlap(a, b, scale=1.0):
        return np.minimum(a, b).clip(0).sum() * scale

    theirs, ours = (m(alpha=0.7, kernel=overlap, kernel_params={"scale": 2.0}).fit(x[:80], y[:80])
                    for m in (KernelRidge, kernrs.KernelRidge))
    np.testing.assert_allclose(ours.predict(x[80:90]), theirs.predict(x[80:90]), rtol=1e-6)
    maps = [m(kernel=overlap, n_components=60, random_state=0).fit(x[:60]) for m in (Nystroem, kernrs.Nystroem)]
    theirs, ours = (m.transform(x[:60]) for m in maps)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-5)
    gram = pairwise_kernels(x[:60], metric="rbf")
    features = kernrs.Nystroem(kernel="precomputed", n_components=60).fit_transform(gram)
    np.testing.assert_allclose(features @ features.T, gram, atol=1e-6)
    chi2 = [m(kernel="chi2", n_components=30).fit_transform(np.abs(x[:30])) for m in (Nystroem, kernrs.Nystroem)]
    np.testing.assert_allclose(chi2[1] @ chi2[1].T, chi2[0] @ chi2[0].T, atol=1e-6)
    with pytest.raises(ValueError, match="whole number"):
        kernrs.Nystroem(kernel="poly", degree=2.5).fit(x)
    with pytest.raises(ValueError, match="gamma, coef0 or degree"):
        kernrs.Nystroem(kernel=overlap, gamma=1.0).fit(x)


def test_a_perceptron_shuffles_if_it_is_told_to():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    y = (x[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)

    def learned(**settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return kernrs.KernelPerceptron(kernel="linear", max_iter=3, **settings).fit(x, y).decision_function(x)

    given = learned()
    assert (learned(random_state=1) == given).all() and (learned(shuffle=False) == given).all()
    shuffled = learned(shuffle=True)
    assert not (shuffled == given).all() and (learned(shuffle=True, random_state=0) == shuffled).all()
    assert not (learned(shuffle=True, random_state=1) == shuffled).all()
    # A visit in the order of X is that of scikit-learn, which has the features in the place of the kernel.
    theirs = Perceptron(shuffle=False, max_iter=3, tol=None, fit_intercept=False).fit(x, y)
    np.testing.assert_allclose(given, theirs.decision_function(x), atol=1e-9)
