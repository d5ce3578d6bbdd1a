"""Gaussian processes beside scikit-learn's, and feature machines."""

import kernrs
import numpy as np
import pytest
from sklearn import gaussian_process
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor, kernels
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def diabetes():
    x, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(x)[:150], y[:150]


PRIORS = [
    2.0 * kernels.RBF(length_scale=3.0),
    kernels.Matern(length_scale=2.0, nu=1.5),
    kernels.Matern(length_scale=2.0, nu=0.5) + 0.5 * kernels.DotProduct(sigma_0=1.5),
    kernels.RationalQuadratic(length_scale=2.0, alpha=0.7) * kernels.RBF(length_scale=np.linspace(1, 4, 10)),
    kernels.Exponentiation(kernels.DotProduct(sigma_0=1.0), 2),
    kernels.RBF(length_scale=2.0) + kernels.WhiteKernel(0.3) + kernels.DotProduct(),
]


@pytest.mark.parametrize("kernel", PRIORS, ids=str)
def test_posteriors(diabetes, kernel):
    x, y = diabetes
    settings = {"alpha": 0.3, "normalize_y": True, "optimizer": None}
    theirs = GaussianProcessRegressor(kernel, **settings).fit(x[:100], y[:100])
    ours = kernrs.GaussianProcessRegressor(kernel, **settings).fit(x[:100], y[:100])
    if "White" not in str(kernel):
        np.testing.assert_allclose(kernrs.Kernel.from_sklearn(kernel)(x), kernel(x), rtol=1e-9, atol=1e-9)
    for given in ({"return_std": True}, {"return_cov": True}):
        for found, expected in zip(ours.predict(x, **given), theirs.predict(x, **given)):
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    expected = theirs.log_marginal_likelihood_value_
    np.testing.assert_allclose(ours.log_marginal_likelihood_value_, expected, rtol=1e-8)
    assert ours.log_marginal_likelihood() == ours.log_marginal_likelihood_value_
    np.testing.assert_allclose(ours.alpha_ / ours.alpha_.std(), theirs.alpha_ / theirs.alpha_.std(), rtol=1e-5, atol=1e-5)


def test_without_a_kernel_and_with_a_noise_for_each_target(diabetes):
    x, y = diabetes
    # With these weights kern would normalise by weighted means, and scikit-learn by plain ones.
    y = StandardScaler().fit_transform(np.column_stack([y, y**2]))
    noise = np.linspace(0.1, 2.0, len(y))
    theirs, ours = (model(alpha=noise, optimizer=None).fit(x, y) for model in (GaussianProcessRegressor, kernrs.GaussianProcessRegressor))
    assert ours.kernel_ == kernrs.Kernel("1.0*rbf(gamma=0.5)")
    for found, expected in zip(ours.predict(x[:20] + 0.1, return_std=True), theirs.predict(x[:20] + 0.1, return_std=True)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    mean, cov = ours.predict(x[:7], return_cov=True)
    assert mean.shape == (7, 2) and cov.shape == (7, 7, 2)
    with pytest.raises(ValueError, match="alpha"):
        kernrs.GaussianProcessRegressor(alpha=noise[:3]).fit(x, y)
    with pytest.raises(RuntimeError, match="At most one"):
        ours.predict(x, return_std=True, return_cov=True)


def test_parameters_are_learned(diabetes):
    x, y = diabetes
    start = 1.0 * kernels.RBF(length_scale=3.0)
    theirs = GaussianProcessRegressor(start, alpha=0.5, normalize_y=True).fit(x, y)
    ours = kernrs.GaussianProcessRegressor(start, alpha=0.5, normalize_y=True).fit(x, y)
    reached, likelihood = ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_
    assert reached >= likelihood - 1e-4 * abs(likelihood)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=0.02)
    noisy = kernrs.GaussianProcessRegressor(start, alpha=0.5, normalize_y=True, learn_noise=True, n_restarts_optimizer=1,
                                            random_state=0).fit(x, y)
    assert noisy.noise_ != 0.5 and noisy.log_marginal_likelihood_value_ >= reached - 1e-6
    assert clone(noisy).fit(x, y).noise_ == noisy.noise_
    white = kernels.RBF(length_scale=3.0) + kernels.WhiteKernel(0.5)
    theirs, ours = (model(white, normalize_y=True).fit(x, y) for model in (GaussianProcessRegressor, kernrs.GaussianProcessRegressor))
    np.testing.assert_allclose(ours.noise_, theirs.kernel_.k2.noise_level, rtol=1e-3)
    np.testing.assert_allclose(ours.predict(x, return_std=True)[1], theirs.predict(x, return_std=True)[1], rtol=1e-3)


def test_samples_have_the_distribution(diabetes):
    x, y = diabetes
    model = kernrs.GaussianProcessRegressor("1000*rbf(gamma=0.05)", alpha=100.0, optimizer=None).fit(x[:60], y[:60])
    mean, cov = model.predict(x[60:64], return_cov=True)
    drawn = model.sample_y(x[60:64], 4000, random_state=0)
    assert drawn.shape == (4, 4000) and (drawn == model.sample_y(x[60:64], 4000, random_state=0)).all()
    # Five standard deviations of the means, and of the covariances of so many samples.
    limit = 5 * np.sqrt(np.diag(cov) / 4000)
    assert (np.abs(drawn.mean(axis=1) - mean) < limit).all()
    scale = np.sqrt(np.outer(np.diag(cov), np.diag(cov)))
    assert (np.abs(np.cov(drawn) - cov) < 5 * scale * np.sqrt(2 / 4000)).all()


def test_processes_on_strings_and_what_is_refused():
    words = ["GATTACA", "GATTAGA", "CCGGC", "CGGCC", "GATTACC"]
    model = kernrs.GaussianProcessRegressor("normalized(spectrum(k=2))", alpha=0.01).fit(words, [1.0, 1.1, -1.0, -0.9, 0.8])
    mean, deviation = model.predict(["GATTA", "TTTTTT"], return_std=True)
    assert mean[0] > 0.5 and deviation[1] > deviation[0]
    for kernel in ("precomputed", lambda a, b: a @ b.T):
        with pytest.raises(ValueError, match="formula"):
            kernrs.GaussianProcessRegressor(kernel).fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="there is no formula"):
        kernrs.GaussianProcessRegressor(kernels.ExpSineSquared()).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("kernel", ["exponential", "matern32", "matern52", "rbf", "rational_quadratic", "laplacian"])
def test_feature_machines_find_what_matters(kernel):
    x = np.random.default_rng(0).normal(size=(300, 6))
    y = np.sin(2 * x[:, 2]) + x[:, 4] ** 2 / 2
    plain = kernrs.KernelRidgeCV(kernel="rbf", gamma=1 / 6).fit(x[:200], y[:200]).score(x[200:], y[200:])
    model = kernrs.RecursiveFeatureMachineRegressor(kernel).fit(x[:200], y[:200])
    assert model.score(x[200:], y[200:]) > plain + 0.1
    assert set(np.argsort(model.feature_importances_)[-2:]) == {2, 4}
    assert model.feature_matrix_.shape == (6, 6) and model.feature_matrix_.max() == 1.0
    labels = kernrs.RecursiveFeatureMachineClassifier(kernel, n_rounds=2).fit(x[:200], y[:200] > 0.5)
    assert labels.score(x[200:], y[200:] > 0.5) > 0.8
    with pytest.raises(ValueError, match="feature machine"):
        kernrs.RecursiveFeatureMachineRegressor("linear").fit(x, y)


def test_feature_machines_of_each_metric_and_stacked():
    x = np.random.default_rng(1).normal(size=(260, 4))
    y = np.sin(x[:, 0] + x[:, 1]) + 0.1 * np.random.default_rng(2).normal(size=260)
    full, diagonal = (kernrs.RecursiveFeatureMachineRegressor(metric=metric).fit(x[:160], y[:160]) for metric in ("full", "diagonal"))
    # The direction is no axis: a full metric finds it.
    assert full.feature_matrix_[0, 1] > 0.5 and np.count_nonzero(diagonal.feature_matrix_ - np.diag(np.diag(diagonal.feature_matrix_))) == 0
    assert full.score(x[160:], y[160:]) > diagonal.score(x[160:], y[160:])
    stacked = kernrs.RecursiveFeatureMachineRegressor(stacked=True, n_folds=4).fit(x[:160], y[:160])
    assert stacked.score(x[160:], y[160:]) > 0.9
    for wrong in ({"metric": "round"}, {"n_folds": 1}):
        with pytest.raises(ValueError, match="metric|folds"):
            kernrs.RecursiveFeatureMachineRegressor(**wrong).fit(x, y)


@pytest.fixture(scope="module")
def cancer():
    x, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(x), y


CLASSES = [2.0 * kernels.RBF(length_scale=3.0), kernels.Matern(length_scale=4.0, nu=1.5), kernels.DotProduct(sigma_0=1.5)]


@pytest.mark.parametrize("kernel", CLASSES, ids=str)
def test_classes_with_a_kernel_that_is_known(cancer, kernel):
    x, y = cancer
    theirs, ours = (model(kernel, optimizer=None).fit(x[:200], y[:200]) for model in (GaussianProcessClassifier, kernrs.GaussianProcessClassifier))
    likelihood = theirs.log_marginal_likelihood_value_
    np.testing.assert_allclose(ours.log_marginal_likelihood_value_, likelihood, rtol=1e-8)
    assert ours.log_marginal_likelihood() == ours.log_marginal_likelihood_value_
    # scikit-learn's integral of the sigmoid is a sum of five error functions, good to about three digits.
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=3e-3)
    assert np.mean(ours.predict(x) == theirs.predict(x)) > 0.99


def test_three_classes_and_their_kernel():
    x, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    kernel = 1.5 * kernels.RBF(length_scale=1.0)
    theirs, ours = (model(kernel, optimizer=None).fit(x, names) for model in (GaussianProcessClassifier, kernrs.GaussianProcessClassifier))
    np.testing.assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=5e-3)
    assert (ours.predict(x) == theirs.predict(x)).mean() > 0.99
    learned = kernrs.GaussianProcessClassifier(kernel).fit(x, names)
    assert learned.kernel_ != ours.kernel_ and learned.log_marginal_likelihood_value_ > ours.log_marginal_likelihood_value_


def test_kernels_of_classes_are_learned(cancer):
    x, y = cancer
    start = 1.0 * kernels.RBF(length_scale=3.0)
    theirs, ours = (model(start).fit(x[:150], y[:150]) for model in (GaussianProcessClassifier, kernrs.GaussianProcessClassifier))
    likelihood = theirs.log_marginal_likelihood_value_
    assert ours.log_marginal_likelihood_value_ >= likelihood - 1e-4 * abs(likelihood)
    assert abs(ours.score(x[150:], y[150:]) - theirs.score(x[150:], y[150:])) < 0.02
    more = kernrs.GaussianProcessClassifier(start, n_restarts_optimizer=1, random_state=1).fit(x[:150], y[:150])
    assert more.log_marginal_likelihood_value_ >= ours.log_marginal_likelihood_value_ - 1e-6 * abs(likelihood)


def test_classes_of_strings_and_weights(cancer):
    words = ["GATTACA", "GATTAGA", "CCGGC", "CGGCC", "GATTACC"]
    model = kernrs.GaussianProcessClassifier("10.0*normalized(spectrum(k=2))").fit(words, list("aabba"))
    assert model.predict(["GATTA", "CGGC"]).tolist() == ["a", "b"]
    x, y = cancer
    settings = {"kernel": "2.0*rbf(gamma=0.05)", "optimizer": None}
    once = kernrs.GaussianProcessClassifier(**settings).fit(x[:80], y[:80], np.repeat([1.0, 2.0], 40))
    twice = kernrs.GaussianProcessClassifier(**settings).fit(np.vstack([x[:80], x[40:80]]), np.concatenate([y[:80], y[40:80]]))
    np.testing.assert_allclose(once.predict_proba(x), twice.predict_proba(x), atol=1e-7)
    for kernel in ("precomputed", lambda a, b: a @ b.T):
        with pytest.raises(ValueError, match="formula"):
            kernrs.GaussianProcessClassifier(kernel).fit(x[:40], y[:40])
    with pytest.raises(ValueError, match="optimizer"):
        kernrs.GaussianProcessClassifier(optimizer="adam").fit(x[:40], y[:40])


def test_no_noise_is_said_to_be_none():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    y = np.sin(x[:, 0]) + 0.1 * rng.normal(size=30)
    model = kernrs.GaussianProcessRegressor("rbf(gamma=1) + white(noise=0.01)", alpha=0, optimizer=None).fit(x, y)
    assert model.noise_ == 0.0
    np.testing.assert_allclose(model.predict(x), y, atol=1e-9)
    white = kernels.RBF(1.0) + kernels.WhiteKernel(0.01)
    theirs, ours = (of.GaussianProcessRegressor(white, alpha=0).fit(x, y) for of in (gaussian_process, kernrs))
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-3)
    np.testing.assert_allclose(ours.noise_, theirs.kernel_.k2.noise_level, rtol=1e-2)
    assert kernrs.GaussianProcessRegressor(white, alpha=0, learn_noise=True).fit(x, y).noise_ > 1e-4
    # A search on logarithms cannot start at 0.
    with pytest.raises(ValueError, match="alpha must be > 0 with learn_noise"):
        kernrs.GaussianProcessRegressor(alpha=0, learn_noise=True).fit(x, y)
    fixed = kernrs.GaussianProcessRegressor("rbf(gamma=100)", alpha=0, learn_noise=True, optimizer=None)
    assert fixed.fit(x, y).noise_ == 0.0


@pytest.mark.parametrize("kind", [kernrs.RecursiveFeatureMachineRegressor, kernrs.RecursiveFeatureMachineClassifier])
def test_feature_machines_say_what_they_take(kind):
    x, y = np.random.default_rng(0).normal(size=(20, 20)), np.arange(20) % 2
    for kernel in ("exponential", "rbf", "spectrum(k=1)"):
        with pytest.raises(ValueError, match=f"{kind.__name__} needs samples of numbers.* got strings"):
            kind(kernel).fit(["a", "b"] * 10, y)
    with pytest.raises(ValueError, match="got strings"):
        kind(n_rounds=0).fit(x, y).predict(["a", "b"])
    for kernel in (None, "precomputed", lambda a, b: a @ b.T):
        with pytest.raises(ValueError, match="kernel must be exponential, matern32.*, got"):
            kind(kernel).fit(x, y)
