"""Tests of two samples and of independence, against their definitions."""

import kernrs
import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(5)
    return rng.normal(size=(40, 3)), 0.3 + 1.5 * rng.normal(size=(50, 3))


def median_gamma(x):
    distances = ((x[:, None] - x[None]) ** 2).sum(axis=2)[np.triu_indices(len(x), 1)]
    return 1 / np.median(distances)


def unbiased_mmd(k, m):
    n = len(k) - m
    x, y, cross = k[:m, :m], k[m:, m:], k[:m, m:]
    return (x.sum() - np.trace(x)) / (m * (m - 1)) + (y.sum() - np.trace(y)) / (n * (n - 1)) - 2 * cross.mean()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, np.float32])
def test_the_discrepancy_is_that_of_its_definition(samples, kind):
    x, y = samples
    pooled = np.concatenate(samples)
    # 4005 pairs: all of them are looked at.
    k = pairwise_kernels(pooled, metric="rbf", gamma=median_gamma(pooled))
    found = kernrs.mmd_test(kind(x), kind(y), n_permutations=199)
    np.testing.assert_allclose(found.statistic, unbiased_mmd(k, len(x)), rtol=1e-5 if kind is np.float32 else 1e-9)
    assert len(found.null) == 199 and found.p_value == (1 + np.sum(found.null >= found.statistic)) / 200
    assert found.p_value < 0.05 and "199 permutations" in repr(found) and "<code>" in found._repr_html_()
    # Permutations of a sample have the mean 0; five standard deviations of theirs.
    assert abs(found.null.mean()) < 5 * found.null.std() / np.sqrt(199)


def test_seeds_and_kernels_are_those_that_are_given(samples):
    x, y = samples
    first, again, other = (kernrs.mmd_test(x, y, "linear", n_permutations=99, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.null, again.null) and not np.array_equal(first.null, other.null)
    pooled = np.concatenate(samples)
    np.testing.assert_allclose(first.statistic, unbiased_mmd(pooled @ pooled.T, len(x)), rtol=1e-9)
    for count in (0, -1):
        with pytest.raises(ValueError, match="n_permutations"):
            kernrs.mmd_test(x, y, n_permutations=count)
    with pytest.raises(ValueError, match="kernel"):
        kernrs.mmd_test(x, y, "precomputed")
    with pytest.raises(ValueError, match="one kind"):
        kernrs.mmd_test(x, ["a", "b"], "linear")
    with pytest.raises(ValueError, match="dimension"):
        kernrs.mmd_test(x, y[:, :2], "linear")
    with kernrs.config(memory=1000), pytest.raises(ValueError, match="memory"):
        kernrs.mmd_test(x, y)


def test_dependence_is_that_of_its_definition():
    rng = np.random.default_rng(6)
    x = rng.normal(size=70)
    y = x**2 + 0.1 * rng.normal(size=70)
    n = len(x)
    center = np.eye(n) - 1 / n
    k, l = (pairwise_kernels(v[:, None], metric="rbf", gamma=median_gamma(v[:, None])) for v in (x, y))
    found = kernrs.hsic_test(x, y, n_permutations=199)
    np.testing.assert_allclose(found.statistic, np.trace(k @ center @ l @ center) / n**2, rtol=1e-9)
    assert found.p_value == 1 / 200
    assert kernrs.hsic_test(x, rng.normal(size=n), n_permutations=199).p_value > 0.01


def test_parts_of_pairs_may_be_of_two_kinds():
    rng = np.random.default_rng(7)
    words = [("GATTACA" if bit else "CCGGC") * int(rng.integers(1, 4)) for bit in rng.integers(0, 2, size=60)]
    of_words = np.array([float(word.startswith("G")) for word in words])
    vectors = np.column_stack([of_words, rng.normal(size=60)])
    for parts in (vectors, sparse.csr_array(vectors), vectors.astype(np.float32)):
        assert kernrs.hsic_test(words, parts, "normalized(spectrum(k=2))", n_permutations=199).p_value == 1 / 200
    unrelated = rng.normal(size=(60, 2))
    assert kernrs.hsic_test(words, unrelated, "normalized(spectrum(k=2))", n_permutations=199).p_value > 0.01
    with pytest.raises(ValueError, match="60"):
        kernrs.hsic_test(words, unrelated[:50], "spectrum(k=2)")
