"""Bounds of scikit-learn's kernels: what is fixed stays, and what is learned stays between its bounds."""

import re
import warnings

import kernrs
import numpy as np
import pytest
from sklearn import gaussian_process
from sklearn.gaussian_process.kernels import RBF, ConstantKernel as C, DotProduct, Matern, RationalQuadratic, WhiteKernel


def wave(n=60):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, size=(n, 1)), axis=0)
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=n)


def parameter(model, name):
    return float(re.search(rf"{name}=([^,)\]]+)", model.kernel_.formula).group(1))


def test_fixed_parameters_stay():
    x, y = wave()
    model = kernrs.GaussianProcessRegressor(C(1.0, "fixed") * RBF(5.0, "fixed"), alpha=0.01).fit(x, y)
    assert model.kernel_ == kernrs.Kernel("1*rbf(gamma=0.02)")
    theirs = gaussian_process.GaussianProcessRegressor(C(1.0, "fixed") * RBF(5.0, "fixed"), alpha=0.01).fit(x, y)
    np.testing.assert_allclose(model.predict(x), theirs.predict(x), atol=1e-9)
    classes = kernrs.GaussianProcessClassifier(C(1.0, "fixed") * RBF(5.0, "fixed")).fit(x, y > 0)
    assert classes.kernel_ == kernrs.Kernel("1*rbf(gamma=0.02)")


def test_one_fixed_parameter_stays_and_the_other_is_learned():
    x, y = wave()
    for estimator, theirs, targets in (
            (kernrs.GaussianProcessRegressor, gaussian_process.GaussianProcessRegressor, y),
            (kernrs.GaussianProcessClassifier, gaussian_process.GaussianProcessClassifier, y > 0)):
        more = {"alpha": 0.01} if targets is y else {}
        kernel = C(2.0, "fixed") * RBF(5.0)
        model, other = estimator(kernel, **more).fit(x, targets), theirs(kernel, **more).fit(x, targets)
        assert model.kernel_.formula.startswith("2*rbf(")
        expected = 0.5 / other.kernel_.k2.length_scale ** 2
        assert parameter(model, "gamma") == pytest.approx(expected, rel=1e-2)
        assert model.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, abs=1e-3)
        assert model.report_["status"] == "converged" and model.n_iter_ >= 1


KERNELS = [
    C(1.0, (0.5, 0.6)) * RBF(5.0, (3.0, 6.0)),
    C(1.0) * RBF(5.0, (3.0, 6.0)),
    C(1.0) * RBF([5.0], [(3.0, 6.0)]),
    C(1.0) * Matern(5.0, (3.0, 6.0), nu=1.5),
    C(1.0) * RationalQuadratic(5.0, 0.5, (3.0, 6.0), (0.4, 0.6)),
    C(1.0) * RBF(1.0) + WhiteKernel(0.5, (0.4, 0.6)),
    C(1.0) * RBF(1.0) + WhiteKernel(0.5, "fixed"),
    C(1.0, "fixed") * RBF(1.0, "fixed") + WhiteKernel(0.5, (1e-3, 1e3)),
    C(1.0) * RBF(1.0, "fixed") + WhiteKernel(0.5, (1e-3, 1e3)),
    C(1.0) * RBF(300.0, (200.0, 1e4)),
    DotProduct(1.0, (0.5, 0.7)),
    C(1.0) * RBF(1.0) + WhiteKernel(0.5),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_learned_parameters_stay_within_their_bounds(kernel):
    x, y = wave()
    model = kernrs.GaussianProcessRegressor(kernel, alpha=0.01).fit(x, y)
    with warnings.catch_warnings():
        # That an optimum is close to a bound.
        warnings.simplefilter("ignore")
        theirs = gaussian_process.GaussianProcessRegressor(kernel, alpha=0.01).fit(x, y)
    assert model.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-2)
    for (mean, deviation), (mine, own) in [(theirs.predict(x, return_std=True), model.predict(x, return_std=True))]:
        np.testing.assert_allclose(mine, mean, atol=2e-3)
        np.testing.assert_allclose(own, deviation, atol=2e-3)


def test_white_noise_is_not_dropped_silently():
    x, y = wave()
    with pytest.raises(ValueError, match="WhiteKernel"):
        kernrs.GaussianProcessClassifier(C(1.0) * RBF(1.0) + WhiteKernel()).fit(x, y > 0)


def test_restarts_stay_within_bounds():
    x, y = wave()
    kernel = C(1.0, (0.5, 1.5)) * RBF(5.0, (3.0, 6.0))
    model = kernrs.GaussianProcessRegressor(kernel, alpha=0.01, n_restarts_optimizer=2).fit(x, y)
    assert 0.5 / 36 <= parameter(model, "gamma") * (1 + 1e-9) and parameter(model, "gamma") <= 0.5 / 9 * (1 + 1e-9)
    learned = kernrs.GaussianProcessRegressor(kernel, alpha=0.1, learn_noise=True).fit(x, y)
    assert 0.5 / 36 <= parameter(learned, "gamma") * (1 + 1e-9) and learned.noise_ != 0.1


def test_a_constant_in_a_sum():
    x, y = wave()
    for kernel in (C(3.0) + RBF(1.0), C(3.0, "fixed") + RBF(1.0, "fixed"), C(3.0, (1.0, 2.0)) + RBF(1.0, "fixed")):
        model, theirs = (kind(kernel, alpha=0.01).fit(x, y + 2.0) for kind in
                         (kernrs.GaussianProcessRegressor, gaussian_process.GaussianProcessRegressor))
        assert "constant(value=" in model.kernel_.formula
        assert model.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-3)


def test_bounds_without_room_are_fixed():
    x, y = wave()
    model = kernrs.GaussianProcessRegressor(C(2.0, (2.0, 2.0)) * RBF(1.0, (1.0, 1.0)), alpha=0.01).fit(x, y)
    assert parameter(model, "gamma") == pytest.approx(0.5)
    assert float(model.kernel_.formula.split("*")[0]) == pytest.approx(2.0)
