"""Kernels as values of Python: numbers of NumPy are numbers, and what has no meaning is refused."""

import kernrs
import numpy as np
import pytest
from kernrs import Kernel, Nystroem, RBFSampler, gram
from sklearn.metrics.pairwise import linear_kernel
from sklearn.pipeline import FeatureUnion


def test_parameters_are_numbers_of_any_type():
    assert Kernel("rbf", gamma=np.float64(0.5)) == Kernel("rbf", gamma=np.array(0.5)) == Kernel("rbf", gamma=0.5)
    assert Kernel("rbf", gamma=np.float32(0.5)) == Kernel("rbf", gamma=0.5)
    assert Kernel("poly", degree=np.int64(3)) == Kernel("poly", degree=3)
    assert Kernel("ard_rbf", gamma=np.array([1, 2])) == Kernel("ard_rbf", gamma=[np.float32(1), 2])
    for bad in (None, 1j, np.nan, "wide"):
        with pytest.raises(ValueError):
            Kernel("rbf", gamma=bad)


def test_weights_are_numbers_of_any_type():
    linear = Kernel("linear")
    for number in (2, 2.0, np.float32(2), np.float64(2), np.int64(2), np.uint8(2), np.float16(2), np.array(2.0)):
        assert number * linear == linear * number == Kernel("2*linear"), type(number)
    for bad in (-1, -1.0, np.float32(-1), np.nan, np.inf):
        with pytest.raises(ValueError, match="weight"):
            bad * linear
    for bad in (True, [1.0], np.ones(3), 1j, None):
        with pytest.raises(TypeError):
            linear * bad
        with pytest.raises(TypeError):
            linear + bad
    assert linear * "rbf(gamma=1)" == linear * Kernel("rbf(gamma=1)")


def test_exponents_are_whole_numbers():
    linear, x = Kernel("linear"), np.random.default_rng(0).normal(size=(5, 3))
    for exponent in (3, np.int64(3), np.uint8(3), 3.0, np.float32(3)):
        assert linear**exponent == Kernel("linear^3"), type(exponent)
    np.testing.assert_array_equal((linear**0)(x), np.ones((5, 5)))
    for bad in (0.5, np.float64(1.5), -1, True, np.True_, np.nan, np.inf, 2**70, "2", None):
        with pytest.raises(ValueError, match="exponent"):
            linear**bad


def test_what_is_no_formula_is_refused():
    assert Kernel(Kernel("linear")) == Kernel("linear")
    for bad in (None, 3, ["linear"]):
        with pytest.raises(ValueError, match="formula"):
            Kernel(bad)
    for bad in ("scale", "auto", None):
        with pytest.raises(ValueError, match="gamma must be a number"):
            Kernel("rbf", gamma=bad)


def test_callables_are_refused_where_only_formulas_are_taken():
    x = np.random.default_rng(0).normal(size=(20, 2))
    table = {"a": x[:, 0], "y": x[:, 1]}
    calls = [lambda kernel: gram(kernel, x), lambda kernel: kernrs.LazyGram(kernel, x),
             lambda kernel: RBFSampler(kernel=kernel).fit(x), lambda kernel: kernrs.mmd_test(x, x, kernel),
             lambda kernel: kernrs.choose_features(x, kernel, n_components=2),
             lambda kernel: kernrs.train(table, "y", kernel=kernel),
             lambda kernel: kernrs.plan(table, "y", kernel=kernel)]
    for call in calls:
        for kernel in (linear_kernel, "precomputed"):
            with pytest.raises(ValueError, match="is not supported here: give a name, a formula or a Kernel"):
                call(kernel)
        with pytest.raises(ValueError, match="a name, a formula or a Kernel.*got 5"):
            call(5)


def test_feature_maps_side_by_side_have_the_kernel_of_the_sum():
    x = np.random.default_rng(1).normal(size=(30, 3))
    union = FeatureUnion([
        ("random", RBFSampler(gamma=0.5, n_components=20_000, random_state=1)),
        ("exact", Nystroem(kernel="poly(degree=2,gamma=1,coef0=1)", n_components=30, random_state=1)),
    ])
    z = union.fit_transform(x)
    expected = gram("rbf(gamma=0.5) + poly(degree=2,gamma=1,coef0=1)", x)
    # Hoeffding's bound for 20 000 features, 465 pairs, and a probability of 1e-9 is 0.07.
    np.testing.assert_allclose(z @ z.T, expected, atol=0.07)
