"""Spectral clustering, beside scikit-learn's and by its definition."""

import kernrs
import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_moons_are_divided_as_by_scikit_learn(kernel):
    x, y = make_moons(300, noise=0.05, random_state=0)
    given = x if kernel == "rbf" else pairwise_kernels(x, metric="rbf", gamma=20.0)
    ours = kernrs.SpectralClustering(2, kernel=kernel, gamma=20.0, normalize=False, loops=False).fit(given)
    theirs = SpectralClustering(2, gamma=20.0, random_state=0).fit(x)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0
    assert adjusted_rand_score(ours.labels_, y) > 0.9
    assert ours.labels_.dtype == np.int32 and np.array_equal(ours.fit_predict(given), ours.labels_)


def test_the_evidence_is_that_of_the_definition():
    x, _ = load_digits(return_X_y=True)
    x = x[:200] / 16
    model = kernrs.SpectralClustering(4, gamma=0.1).fit(x)
    k = pairwise_kernels(x, metric="rbf", gamma=0.1)
    degrees = k.sum(axis=1)
    eigenvalues = np.linalg.eigvalsh(k / np.sqrt(np.outer(degrees, degrees)))[::-1][:4]
    np.testing.assert_allclose(model.eigenvalues_, eigenvalues, atol=1e-8)
    inside = [(model.labels_ == cluster) for cluster in range(4)]
    cut = sum(k[np.ix_(mask, ~mask)].sum() / degrees[mask].sum() for mask in inside)
    np.testing.assert_allclose(model.report_["objective"], cut, rtol=1e-9)
    # No partition cuts less than the eigenvalues allow.
    assert 4 - eigenvalues.sum() <= cut + 1e-9
    # With the diagonal as it is, the row of a point does not depend on whether it was in the fit.
    assert np.array_equal(model.predict(x), model.labels_)


def test_strings_and_bad_numbers():
    words = ["GATTACA", "GATTAGA", "GATTTACA", "CCGGC", "CGGCC", "CCGGG"]
    model = kernrs.SpectralClustering(2, kernel="normalized(spectrum(k=2))").fit(words)
    assert len(set(model.labels_[:3])) == len(set(model.labels_[3:])) == 1 and model.labels_[0] != model.labels_[3]
    assert np.array_equal(model.predict(words), model.labels_)
    with pytest.raises(ValueError, match="clusters"):
        kernrs.SpectralClustering(0).fit(np.eye(3))
    with pytest.raises(ValueError, match="clusters"):
        kernrs.SpectralClustering(4).fit(np.eye(3))
