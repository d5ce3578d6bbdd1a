"""Leave-one-out, intervals, quantiles, and numbers of features."""

import kernrs
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_approximation import AdditiveChi2Sampler
from sklearn.linear_model import RidgeCV
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def diabetes():
    x, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(x), (y - y.mean()) / y.std()


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_leave_one_out_is_exact(diabetes, kernel):
    x, y = diabetes[0][:60], np.column_stack([diabetes[1][:60], diabetes[1][:60] ** 2])
    x = x if kernel == "rbf" else pairwise_kernels(x, metric="rbf")
    model = kernrs.KernelRidge(alpha=0.3, kernel=kernel)
    expected = y - cross_val_predict(clone(model), x, y, cv=LeaveOneOut())
    np.testing.assert_allclose(model.leave_one_out(x, y), expected, atol=1e-10)
    np.testing.assert_allclose(model.leave_one_out(x, y[:, 0]), expected[:, 0], atol=1e-10)
    assert not hasattr(model, "n_features_in_") and not hasattr(model, "_formula")


@pytest.mark.parametrize("kernel", ["rbf", "precomputed", lambda a, b: float(np.exp(-((a - b) ** 2).sum() / 10))])
def test_leave_one_out_leaves_a_fit_alone(diabetes, kernel):
    x, y = diabetes[0][:60], diabetes[1][:60]
    points = x if kernel != "precomputed" else pairwise_kernels(x, metric="rbf")
    others = x[:30, :4] if kernel != "precomputed" else points[:30, :30]
    model = kernrs.KernelRidge(alpha=0.3, kernel=kernel).fit(points, y)
    before = model.predict(points), model.kernel_formula_, model.n_features_in_
    found = model.leave_one_out(others, y[:30])
    np.testing.assert_array_equal(found, clone(model).leave_one_out(others, y[:30]))
    np.testing.assert_array_equal(model.predict(points), before[0])
    assert (model.kernel_formula_, model.n_features_in_) == before[1:]


@pytest.mark.parametrize("cv", [None, KFold(5)])
def test_alpha_is_that_of_the_least_error(diabetes, cv):
    x, y = diabetes[0][:80], diabetes[1][:80]
    alphas = [0.1, 1.0, 10.0, 100.0]
    model = kernrs.KernelRidgeCV(alphas, kernel="linear", cv=cv).fit(x, y)
    for alpha, error in zip(alphas, model.errors_):
        left_out = cross_val_predict(kernrs.KernelRidge(alpha), x, y, cv=cv or LeaveOneOut())
        np.testing.assert_allclose(error, np.mean((y - left_out) ** 2), rtol=1e-9)
    theirs = RidgeCV(alphas, fit_intercept=False, cv=cv).fit(x, y)
    assert model.alpha_ == theirs.alpha_
    np.testing.assert_allclose(model.predict(x), theirs.predict(x), atol=1e-8)
    with pytest.raises(ValueError, match="partition"):
        kernrs.KernelRidgeCV(cv=[(np.arange(5), np.arange(5, 10))]).fit(x, y)


@pytest.mark.parametrize("cv", [None, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_errors_of_outputs_are_their_mean(diabetes, cv, dtype):
    x, y = diabetes[0][:60].astype(dtype), diabetes[1][:60]
    y = np.column_stack([y, 3 * y**2, np.arange(60.0)])
    weights = np.random.default_rng(0).random(60)
    together = kernrs.KernelRidgeCV(kernel="rbf", cv=cv).fit(x, y, weights)
    apart = [kernrs.KernelRidgeCV(kernel="rbf", cv=cv).fit(x, column, weights).errors_ for column in y.T]
    np.testing.assert_allclose(together.errors_, np.mean(apart, axis=0), rtol=1e-9 if dtype == np.float64 else 1e-3)
    assert together.best_score_ == -together.errors_.min()


def test_jackknife_plus_is_that_of_models_that_are_learned_anew(diabetes):
    x, y = diabetes[0][:50], diabetes[1][:50]
    queries, coverage = diabetes[0][50:60], 0.8
    model = kernrs.KernelRidge(alpha=0.5, kernel="rbf", gamma=0.1)
    lower, upper = [], []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        left = clone(model).fit(x[rest], y[rest])
        size = abs(y[i] - left.predict(x[i : i + 1])[0])
        lower.append(left.predict(queries) - size)
        upper.append(left.predict(queries) + size)
    # Barber et al. (2021), equation 1.6: the ranks of 51 values.
    found = kernrs.jackknife_plus(model, x, y, queries, coverage=coverage)
    np.testing.assert_allclose(found[:, 0], np.sort(lower, axis=0)[int(np.floor(0.2 * 51)) - 1], atol=1e-10)
    np.testing.assert_allclose(found[:, 1], np.sort(upper, axis=0)[int(np.ceil(0.8 * 51)) - 1], atol=1e-10)
    assert not hasattr(model, "model_")
    both = kernrs.jackknife_plus(model, x, np.column_stack([y, -y]), queries, coverage=coverage)
    np.testing.assert_allclose(both[:, 0], found, atol=1e-12)
    np.testing.assert_allclose(both[:, 1], -found[:, ::-1], atol=1e-12)
    with pytest.raises(ValueError, match="KernelRidge"):
        kernrs.jackknife_plus(kernrs.SVR(), x, y, queries)
    for chosen in (kernrs.KernelRidgeCV(), kernrs.KernelRidgeCV().fit(x, y)):
        with pytest.raises(ValueError, match="KernelRidge with a given alpha, got a KernelRidgeCV"):
            kernrs.jackknife_plus(chosen, x, y, queries)


@pytest.mark.parametrize("prefit", [False, True])
def test_conformal_intervals_cover(diabetes, prefit):
    x, y = diabetes
    order = np.random.default_rng(0).permutation(len(y))
    seen, fresh = order[:342], order[342:]
    regressor = HistGradientBoostingRegressor(max_iter=20)
    if prefit:
        regressor.fit(x[seen[:200]], y[seen[:200]])
        model = kernrs.SplitConformalRegressor(regressor, prefit=True).fit(x[seen[200:]], y[seen[200:]])
    else:
        model = kernrs.SplitConformalRegressor(regressor, calibration_size=142).fit(x[seen], y[seen])
    # The width is the ceil(0.8 * 143)-th smallest residual.
    ends = model.predict_interval(x[fresh], coverage=0.8)
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], 2 * np.sort(model.residuals_[:, 0])[115 - 1])
    # Of 100 targets, 80 are expected; five standard deviations of both draws.
    assert 0.55 < np.mean((ends[:, 0] <= y[fresh]) & (y[fresh] <= ends[:, 1])) <= 0.99
    assert np.isinf(model.predict_interval(x[:2], coverage=0.999)).all()
    with pytest.raises(ValueError, match="coverage"):
        model.predict_interval(x, coverage=1.5)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_quantiles(diabetes, level):
    x, y = diabetes
    model = kernrs.QuantileSVR(quantile=level, C=1.0, tol=1e-6).fit(x, y)
    # At the optimum the sum of the dual coefficients is zero: the shares below and above follow.
    below, above = np.mean(y < model.predict(x) - 1e-4), np.mean(y > model.predict(x) + 1e-4)
    assert below <= level + 1e-9 and above <= 1 - level + 1e-9
    np.testing.assert_allclose(model.dual_coef_.sum(), 0.0, atol=1e-6)
    assert model.dual_coef_.min() >= level - 1 - 1e-9 and model.dual_coef_.max() <= level + 1e-9


def test_numbers_of_features():
    bound = kernrs.ErrorBound.pointwise(pairs=10)
    count = bound.n_components(error=0.1, failure=0.01)
    # Hoeffding: 2 * pairs * exp(-count * error**2 / 4).
    np.testing.assert_allclose(bound.failure(count, 0.1), 20 * np.exp(-count * 0.01 / 4))
    assert bound.failure(count, 0.1) <= 0.01 < bound.failure(count - 2, 0.1)
    np.testing.assert_allclose(bound.error(count, 0.01), 0.1, rtol=1e-3)
    for other in (kernrs.ErrorBound.uniform(3, 2.0, gamma=0.5), kernrs.ErrorBound.spectral_norm(1000, 50.0),
                  kernrs.ErrorBound.relative_spectral(1000, 1.0)):
        assert other.failure(other.n_components(0.5, 0.05), 0.5) <= 0.05
        assert "<table>" in other._repr_html_() and "ErrorBound" in repr(other)
    x = np.random.default_rng(0).normal(size=(300, 3))
    promised = kernrs.choose_features(x, "rbf", gamma=0.1, error=0.1)
    z = promised.estimator().fit_transform(x)
    assert np.abs(z @ z.T - pairwise_kernels(x, metric="rbf", gamma=0.1)).max() < 0.1
    measured = kernrs.choose_features(x, "rbf", gamma=0.1, n_components=50)
    assert measured["evidence"] == "measured" and measured["points"] == 256 and measured["n_components"] <= 50
    assert "<table>" in measured._repr_html_() and measured["reason"] in repr(measured)
    exact = kernrs.choose_features(x, "poly(degree=2, gamma=1, coef0=1)", n_components=500)
    assert (exact["kind"], exact["error"], exact["n_components"]) == ("exact monomials", 0.0, 10)
    with kernrs.config(memory=300 * 8 * 20):
        assert kernrs.choose_features(x, "rbf", gamma=0.1)["n_components"] <= 20


def test_choices_that_cannot_be_made_are_refused_with_the_way_out():
    x = np.random.default_rng(0).normal(size=(300, 3))
    poly = "poly(degree=2, gamma=1)"
    for match, memory, points, more in (
        (r"error=.*n_components=.*config\(memory", None, x, {}),
        ("n_components=5, and not both", None, x, {"error": 0.1, "n_components": 5}),
        (r"memory=1000 of config.*300 samples.*2400 bytes", 1000, x, {}),
        (r"memory=1199 of config.*300 samples.*1200 bytes", 1199, x.astype(np.float32), {}),
        (r"memory=1000 of config.*2400 bytes", 1000, x, {"kernel": poly}),
        (r"one poly, got poly\(.*\) \+ rbf", None, x, {"kernel": f"{poly} + rbf(gamma=1)", "n_components": 5}),
        (r"one poly, got poly\(.*\)\*rbf", None, x, {"kernel": f"{poly} * rbf(gamma=1)", "n_components": 5}),
        (r"one poly, got poly\(.*\)\^2", None, x, {"kernel": f"({poly})^2", "n_components": 5}),
    ):
        with pytest.raises(ValueError, match=match), kernrs.config(memory=memory):
            kernrs.choose_features(points, **more)
    with kernrs.config(memory=1200):
        assert kernrs.choose_features(x.astype(np.float32))["n_components"] == 1


def test_the_estimator_of_a_choice_has_its_features():
    x, known = np.random.default_rng(0).normal(size=(20, 3)), {"kernel": "rbf(gamma=0.1)"}
    # An odd number of features has phases, an even one pairs.
    for kind, count in (("independent phase Fourier features", 51), ("independent paired Fourier features", 50)):
        features = kernrs.FeatureChoice(kind=kind, n_components=count, **known).estimator()
        norms = np.linalg.norm(features.fit_transform(x), axis=1)
        assert features.n_components == count and np.allclose(norms, 1.0) == ("paired" in kind)
    with pytest.raises(ValueError, match="50 Fourier features with random phases.*n_components=49"):
        kernrs.FeatureChoice(kind="independent phase Fourier features", n_components=50, **known).estimator()


def test_certificates():
    x = np.random.default_rng(0).normal(size=(200, 3))
    maps = kernrs.Nystroem(gamma=0.5, n_components=40, random_state=0).fit(x)
    found = maps.certificate(x)
    z = maps.transform(x)
    np.testing.assert_allclose(found["trace_error"], 200 - (z**2).sum(), rtol=1e-9)
    assert found["trace"] == 200 and found["landmarks"] == 40
    assert "<table>" in found._repr_html_() and "40 landmarks" in repr(found)
    kernels = "2*rbf(gamma=0.5)", lambda a, b: 2 * float(np.exp(-0.5 * ((a - b) ** 2).sum()))
    maps = [kernrs.Nystroem(kernel, n_components=40, random_state=0).fit(x) for kernel in kernels]
    expected, of_called = (features.certificate(x[:50]) for features in maps)
    np.testing.assert_allclose([of_called[name] for name in expected], list(expected.values()), rtol=1e-9)
    matrix = x @ x.T
    with pytest.raises(ValueError, match="no certificate for kernel=.precomputed"):
        kernrs.Nystroem("precomputed").fit(matrix).certificate(matrix)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_features_of_histograms(steps):
    x = np.random.default_rng(0).random((20, 7))
    x[x < 0.2] = 0.0
    theirs, ours = (make(sample_steps=steps).fit_transform(x) for make in (AdditiveChi2Sampler, kernrs.AdditiveChi2Sampler))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    fine = kernrs.AdditiveChi2Sampler(sample_steps=11, kernel="intersection").fit_transform(x)
    exact = np.minimum(x[:, None], x[None]).sum(axis=2)
    assert np.abs(fine @ fine.T - exact).max() < 0.061 * np.sqrt(x[:, None] * x[None]).sum(axis=2).max()
