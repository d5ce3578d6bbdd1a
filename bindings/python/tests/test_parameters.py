"""Numeric parameters of all estimators: what is not allowed is refused by fit, by its name and with what is allowed."""

import pathlib
import re

import kernrs
import numpy as np
import pytest
from kernrs._base import in_python
from kernrs._validation import ALLOWED, Range
from sklearn.base import clone

ESTIMATORS = [getattr(kernrs, name) for name in kernrs.__all__]
ESTIMATORS = [kind for kind in ESTIMATORS if isinstance(kind, type) and hasattr(kind, "fit")]
#: Numeric parameters that change no answer, or belong to scikit-learn.
LOOSE = {"cache_size", "n_jobs", "verbose", "iterated_power", "calibration_size", "cv"}
BAD = [-1, -2.5, float("nan"), float("inf"), -float("inf"), "ten", True, 10**30, -(10**30), [1.0], 1j]


def cases():
    for kind in ESTIMATORS:
        for name, default in kind().get_params(deep=False).items():
            owner = next((f"{base.__name__}.{name}" for base in kind.__mro__ if f"{base.__name__}.{name}" in ALLOWED), name)
            if isinstance(ALLOWED.get(owner), Range):
                yield kind, name, ALLOWED[owner]


@pytest.mark.parametrize("kind, name, allowed", list(cases()), ids=lambda value: getattr(value, "__name__", str(value)))
def test_what_is_not_allowed_is_refused(kind, name, allowed):
    x = np.random.default_rng(0).random((20, 2))
    y = np.arange(20) % 2
    bad = [value for value in BAD if isinstance(value, (list, complex)) or not allowed.has(value)]
    bad += [0] * allowed.is_open + [allowed.low - 1] * (allowed.low > -np.inf) + [2.5] * allowed.is_whole
    for value in bad:
        if name == "random_state" and isinstance(value, (str, list)):
            continue
        # "ten" is no value of gamma, and its own error says so.
        with pytest.raises(ValueError, match=name):
            kind(**{name: value}).fit(x, y)


def test_no_numeric_parameter_is_forgotten():
    for kind in ESTIMATORS:
        for name, default in kind().get_params(deep=False).items():
            is_number = isinstance(default, (int, float)) and not isinstance(default, bool)
            assert not is_number or name in LOOSE or name in ALLOWED, (kind.__name__, name)


def test_numbers_of_all_types_are_taken():
    x, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
    for number in (1, 1.0, np.float32(1), np.int64(1), np.float16(1)):
        assert kernrs.SVC(C=number, max_iter=np.int32(50), degree=np.int64(3), coef0=number, kernel="poly").fit(x, y).report_
        assert kernrs.KernelKMeans(np.int8(2), n_init=number).fit(x).labels_.max() == 1
    assert kernrs.SVC(C=float("inf")).fit(x, y).score(x, y) == 1.0
    assert clone(kernrs.SVC(C=-1)).C == -1


def test_estimators_without_a_native_learner_have_no_hyper_parameters():
    for kind in ESTIMATORS:
        if getattr(kind, "_learner", None) in (None, "nystroem"):
            for given in (kind, kind()):
                with pytest.raises(ValueError, match=f"{kind.__name__} has no native learner"):
                    kernrs.hyper_parameters(given)
        else:
            assert kernrs.hyper_parameters(kind) == kernrs.hyper_parameters(kind())
    with pytest.raises(ValueError, match="int has no native learner"):
        kernrs.hyper_parameters(5)


def test_functions_check_their_numbers():
    x, y = np.random.default_rng(0).random((20, 2)), np.random.default_rng(1).random(20)
    ridge = kernrs.KernelRidge().fit(x, y)
    process = kernrs.GaussianProcessRegressor(alpha=0.1).fit(x, y)
    conformal = kernrs.SplitConformalRegressor(ridge, prefit=True).fit(x, y)
    bound = kernrs.ErrorBound.pointwise()
    for name, call in (
        ("coverage", lambda: kernrs.jackknife_plus(kernrs.KernelRidge(), x, y, x, coverage=1.5)),
        ("coverage", lambda: conformal.predict_interval(x, coverage=-1)),
        ("n_samples", lambda: process.sample_y(x, -1)),
        ("random_state", lambda: process.sample_y(x, random_state=-1)),
        ("n_permutations", lambda: kernrs.mmd_test(x, x, n_permutations=-1)),
        ("pairs", lambda: kernrs.ErrorBound.pointwise(pairs=-1)),
        ("n_components", lambda: bound.error(-1, 0.1)),
        ("n_components", lambda: bound.failure(-1, 0.1)),
        ("error", lambda: bound.n_components(-1.0, 0.1)),
        ("n_features", lambda: kernrs.ErrorBound.uniform(-1, 1.0, gamma=1.0)),
        ("gamma", lambda: kernrs.ErrorBound.uniform(2, 1.0, gamma="wide")),
        ("n_components", lambda: kernrs.choose_features(x, n_components=-1)),
        ("failure", lambda: kernrs.choose_features(x, error=0.1, failure=7.0)),
        ("memory", lambda: kernrs.config(memory=-1).__enter__()),
        ("memory", lambda: kernrs.config(memory="2G").__enter__()),
        ("alpha", lambda: kernrs.GaussianProcessRegressor(alpha=float("nan")).fit(x, y)),
        ("alpha", lambda: kernrs.GaussianProcessRegressor(alpha="ten").fit(x, y)),
        ("alpha", lambda: kernrs.KernelRidgeCV([-1.0]).fit(x, y)),
        ("alpha", lambda: kernrs.KernelRidgeCV([]).fit(x, y)),
        ("alpha", lambda: kernrs.KernelRidge(alpha=0).leave_one_out(x, y)),
        ("gamma", lambda: kernrs.KernelRidge(kernel="rbf", kernel_params={"gamma": "wide"}).fit(x, y)),
        ("gamma", lambda: kernrs.mmd_test(x, x, gamma=-1.0)),
    ):
        with pytest.raises(ValueError, match=name):
            call()


@pytest.mark.parametrize("estimator, factor", [(kernrs.RBFSampler(random_state=0), 1e300),
                                               (kernrs.PolynomialCountSketch(random_state=0), 1e160),
                                               (kernrs.PolynomialCountSketch(degree=5, random_state=0), 1e100)], ids=str)
def test_fit_refuses_what_transform_refuses(estimator, factor):
    x = np.random.default_rng(0).random((200, 3))
    fitted = clone(estimator).fit(x)
    x[7] *= factor
    with pytest.raises(ValueError) as of_transform:
        fitted.transform(x)
    with pytest.raises(ValueError) as of_fit:
        clone(estimator).fit(x)
    assert str(of_fit.value).split("at sample")[0] == str(of_transform.value).split("at sample")[0]


def test_a_scale_that_has_no_value_is_said():
    x = np.random.default_rng(0).random((20, 2))
    for factor in (1e-170, 1e170):
        for estimator in (kernrs.SVC(), kernrs.RBFSampler(gamma="scale")):
            with pytest.raises(ValueError, match="gamma='scale'.*scale the features"):
                estimator.fit(x * factor, np.arange(20) % 2)


def test_one_alpha_may_be_a_number():
    x = np.random.default_rng(0).normal(size=(20, 2))
    assert kernrs.KernelRidgeCV(alphas=0.5).fit(x, x[:, 0]).alpha_ == 0.5
    with pytest.raises(ValueError, match="alphas"):
        kernrs.KernelRidgeCV(alphas=[]).fit(x, x[:, 0])


def test_advice_of_errors_names_parameters_of_python():
    rng = np.random.default_rng(0)
    x, classes, values = rng.random((40, 3)), np.arange(40) % 2, rng.random(40)
    # Each row twice, with two targets: singular kernel matrices, which no small number makes definite.
    twice, both = np.vstack([x, x]), np.concatenate([values, values])
    for estimator in (kernrs.KernelRidge(alpha=1e-300), kernrs.KernelRidgeClassifier(alpha=1e-300),
                      kernrs.GaussianProcessRegressor("rbf(gamma=1e-8)", alpha=1e-300)):
        y = both if estimator.__sklearn_tags__().regressor_tags else np.arange(80) % 2
        with pytest.raises(ValueError, match="use a larger alpha"):
            estimator.fit(twice, y)
    with pytest.raises(ValueError, match="use a larger alpha"):
        kernrs.KernelRidge(alpha=1e-300).leave_one_out(twice, both)
    native = re.compile(r"\w::\w|lambda|Gram matrix would fit|on features")
    for kind in ESTIMATORS:
        for y in (classes, values):
            for memory in (0, 100, 5000, 15_000):
                with kernrs.config(memory=memory):
                    try:
                        kind().fit(x, y)
                    except ValueError as error:
                        assert not native.search(str(error)), (kind.__name__, str(error))


def test_advice_that_names_types_of_rust_is_known():
    """All advice of the native part on memory, with a name that Python does not have, has words for Python."""
    crates = pathlib.Path(__file__).parents[3] / "crates"
    if not crates.exists():
        pytest.skip("the sources of the native part are not here")
    paths = [path for crate in ("kern-gram", "kern-solvers") for path in (crates / crate / "src").rglob("*.rs")]
    strings = [found for path in paths for found in re.findall(r'"([^"\n]* (?:needs|takes?)[^"\n]*)"', path.read_text())]
    advice = [words for words in strings if re.search(r"\w::\w", words)]
    assert len(advice) >= 5
    for words in advice:
        assert "::" not in in_python(words, ()), words
