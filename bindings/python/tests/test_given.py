"""Kernel matrices and callables where distances are needed, and files of feature maps."""

import kernrs
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

FORMULA = "rbf(gamma=0.7) + 0.1*linear"


def points(n=60):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), rng.normal(size=(20, 3)), np.array(["a", "b", "c"])[rng.integers(3, size=n)], rng.normal(size=(n, 2))


def test_neighbours_by_a_kernel_matrix_or_a_callable():
    x, queries, classes, values = points()
    matrix, cross = kernrs.gram(FORMULA, x), kernrs.gram(FORMULA, queries, x)

    def kernel(a, b):
        return kernrs.gram(FORMULA, a, b)

    for k in (1, 3, 7):
        expected = kernrs.KNeighborsClassifier(k, kernel=FORMULA).fit(x, classes)
        given = kernrs.KNeighborsClassifier(k, kernel="precomputed").fit(matrix, classes)
        called = kernrs.KNeighborsClassifier(k, kernel=kernel).fit(x, classes)
        for found in (given.predict(cross), called.predict(queries)):
            assert (found == expected.predict(queries)).all()
        for found in (given.predict_proba(cross), called.predict_proba(queries)):
            np.testing.assert_allclose(found, expected.predict_proba(queries))
        for y in (values, values[:, 0]):
            expected_values = kernrs.KNeighborsRegressor(k, kernel=FORMULA).fit(x, y).predict(queries)
            given = kernrs.KNeighborsRegressor(k, kernel="precomputed").fit(matrix, y)
            np.testing.assert_allclose(given.predict(cross), expected_values)
            np.testing.assert_allclose(kernrs.KNeighborsRegressor(k, kernel=kernel).fit(x, y).predict(queries), expected_values)
    theirs = KNeighborsClassifier(5).fit(x, classes)
    mine = kernrs.KNeighborsClassifier(5, kernel="precomputed").fit(x @ x.T, classes)
    assert (mine.predict(queries @ x.T) == theirs.predict(queries)).all()
    with pytest.raises(NotFittedError):
        kernrs.KNeighborsClassifier(kernel="precomputed").predict(cross)


def test_feature_maps_have_files(tmp_path):
    x = np.abs(points()[0])
    from kernrs._validation import points_of
    for estimator in (kernrs.Nystroem(n_components=5, random_state=0), kernrs.RBFSampler(random_state=0),
                      kernrs.PolynomialCountSketch(random_state=0), kernrs.AdditiveChi2Sampler()):
        estimator.fit(x)
        kernrs.save(estimator, tmp_path / "map.kern")
        assert (kernrs.load(tmp_path / "map.kern").transform(points_of(x)) == estimator.transform(x)).all()
        with pytest.raises(ValueError, match="JSON"):
            kernrs.save(estimator, tmp_path / "map.kern", json=True)


def test_what_has_no_file_is_said(tmp_path):
    x, y = points()[0], np.arange(60.0)
    for thing, words in ((kernrs.SVC(), "not fitted"), (kernrs.RBFSampler(), "not fitted"), (3, "int"),
                         (kernrs.SplitConformalRegressor().fit(x, y), "estimator_")):
        with pytest.raises(ValueError, match=words):
            kernrs.save(thing, tmp_path / "model.kern")
    assert not list(tmp_path.iterdir())
