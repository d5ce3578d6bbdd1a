"""Principal components beside scikit-learn's."""

import kernrs
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

KERNELS = [{"kernel": "linear"}, {"kernel": "rbf"}, {"kernel": "rbf", "gamma": 0.05}, {"kernel": "poly", "degree": 2, "gamma": 0.3},
           {"kernel": "cosine"}]


@pytest.fixture(scope="module")
def iris():
    return StandardScaler().fit_transform(load_iris().data)


def pair(**settings):
    return KernelPCA(eigen_solver="dense", **settings), kernrs.KernelPCA(**settings)


@pytest.mark.parametrize("settings", KERNELS, ids=str)
def test_components_of_iris(iris, settings):
    theirs, ours = (model.fit(iris[:120]) for model in pair(n_components=3, **settings))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(np.abs(ours.eigenvectors_), np.abs(theirs.eigenvectors_), atol=1e-8)
    found, expected = ours.transform(iris), theirs.transform(iris)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    # The sign is that of the greatest entry, which is no matter of rounding but where two are equal.
    greatest = np.sort(np.abs(theirs.eigenvectors_), axis=0)
    clear = greatest[-1] > greatest[-2] * (1 + 1e-6)
    assert clear.any()
    np.testing.assert_allclose(found[:, clear], expected[:, clear], rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    np.testing.assert_allclose(ours.fit_transform(iris[:120]), found[:120], rtol=1e-12, atol=1e-12)


def test_all_components_and_their_shares(iris):
    theirs, ours = (model.fit(iris) for model in pair(kernel="linear"))
    assert ours.eigenvalues_.shape == (4,) and ours.get_feature_names_out().tolist() == [f"kernelpca{i}" for i in range(4)]
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    known = PCA().fit(iris)
    np.testing.assert_allclose(ours.explained_variance_ratio_, known.explained_variance_ratio_, rtol=1e-8)
    two = PCA(2).fit(iris)
    expected = np.square(iris - two.inverse_transform(two.transform(iris))).sum(axis=1)
    found = kernrs.KernelPCA(2).fit(iris).reconstruction_errors(iris)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    rounded = kernrs.KernelPCA(20).fit(iris)
    assert rounded.transform(iris).shape == (150, 4)


def test_many_points_are_iterated_to_the_same_components():
    x = load_digits().data / 16.0
    theirs = KernelPCA(n_components=6, kernel="rbf", gamma=0.05, eigen_solver="arpack", random_state=0).fit(x)
    ours = kernrs.KernelPCA(6, kernel="rbf", gamma=0.05, random_state=3).fit(x)
    assert ours.n_iter_ > 1 and ours.report_["status"] == "converged"
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(np.abs(ours.transform(x[:50])), np.abs(theirs.transform(x[:50])), atol=1e-7)
    with pytest.warns(match="increase max_iter"):
        short = clone(ours).set_params(max_iter=1).fit(x)
    assert short.n_iter_ == 1
    rough = clone(ours).set_params(tol=1e-2).fit(x)
    assert rough.n_iter_ < ours.n_iter_


def test_single_precision(iris):
    double = kernrs.KernelPCA(3, kernel="rbf").fit(iris)
    single = kernrs.KernelPCA(3, kernel="rbf").fit(iris.astype(np.float32))
    assert single.model_.points == "vectors in single precision"
    found = single.transform(iris.astype(np.float32))
    assert found.dtype == np.float32 and single.eigenvectors_.dtype == np.float32
    np.testing.assert_allclose(single.eigenvalues_, double.eigenvalues_, rtol=1e-4)
    np.testing.assert_allclose(np.abs(found), np.abs(double.transform(iris)), atol=1e-4)


def test_points_of_all_kinds(iris):
    expected = kernrs.KernelPCA(3, kernel="rbf", gamma=0.25).fit(iris).transform(iris[:20])
    values = rbf_kernel(iris, gamma=0.25)
    given = {"precomputed": (values, values[:20]), "formula": (sparse.csr_array(iris), sparse.csr_array(iris[:20])), "callable": (iris, iris[:20])}
    kernels = {"precomputed": "precomputed", "formula": "rbf(gamma=0.25)", "callable": lambda a, b: rbf_kernel([a], [b], gamma=0.25)[0, 0]}
    for kind, (points, queries) in given.items():
        model = kernrs.KernelPCA(3, kernel=kernels[kind]).fit(points)
        np.testing.assert_allclose(np.abs(model.transform(queries)), np.abs(expected), atol=1e-8)
        if kind != "formula":
            with pytest.raises(ValueError, match="formula"):
                model.reconstruction_errors(queries)
    words = ["GATTACA", "GATTAGA", "CCGGC", "CGGCC", "GATTACC"]
    strings = kernrs.KernelPCA(1, kernel="normalized(spectrum(k=2))").fit_transform(words)[:, 0]
    assert (strings[[0, 1, 4]] * strings[2] < 0).all() and strings[2] * strings[3] > 0


def test_points_from_components(iris):
    theirs, ours = (model.fit(iris) for model in pair(n_components=3, kernel="rbf", fit_inverse_transform=True, alpha=0.01))
    expected = theirs.inverse_transform(theirs.transform(iris))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(iris)), expected, atol=1e-7)
    with pytest.raises(ValueError, match="precomputed"):
        kernrs.KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(iris @ iris.T)


def test_a_step_of_a_pipeline(iris):
    steps = make_pipeline(StandardScaler(), kernrs.KernelPCA(3, kernel="rbf"), kernrs.KernelRidgeClassifier(kernel="linear"))
    assert cross_val_score(steps, iris, load_iris().target, cv=5).mean() > 0.7


def test_what_is_refused(iris):
    with pytest.raises(ValueError, match="points that differ"):
        kernrs.KernelPCA(2).fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="components"):
        kernrs.KernelPCA(0).fit(iris)
