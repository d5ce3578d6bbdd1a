"""What a caller hands over is read and never written to, and may be read-only."""

import inspect
from concurrent.futures import ThreadPoolExecutor

import kernrs
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_regressor

ESTIMATORS = [getattr(kernrs, name) for name in kernrs.__all__]
ESTIMATORS = [kind for kind in ESTIMATORS if isinstance(kind, type) and hasattr(kind, "fit")]
SPARSE = [kind for kind in ESTIMATORS if kind().__sklearn_tags__().input_tags.sparse]
N = 40


def unsorted(kind=sparse.csr_matrix, n=N, is_single=False):
    """Points with indices in the wrong order, one of which is there twice."""
    rng = np.random.default_rng(0)
    columns = np.array([[9, 4, 4, 0, 7]] * n)
    data = rng.random(columns.size).astype(np.float32 if is_single else np.float64)
    return kind((data, columns.ravel().astype(np.int32), np.arange(0, columns.size + 1, 5, dtype=np.int32)), shape=(n, 10))


def frozen(*arrays):
    for array in arrays:
        array.flags.writeable = False
    return arrays if len(arrays) > 1 else arrays[0]


def targets(estimator, n=N):
    return frozen(np.random.default_rng(1).random(n) if is_regressor(estimator) else np.arange(n) % 2)


def answers(estimator, points):
    for name in ("decision_function", "predict", "transform"):
        if hasattr(estimator, name):
            return np.asarray(getattr(estimator, name)(points))


def fitted(kind, points, **given):
    estimator = kind()
    if "n_components" in estimator.get_params() and kind is not kernrs.KernelPCA:
        estimator.set_params(n_components=10)
    return estimator.fit(points, targets(estimator), **given)


@pytest.mark.parametrize("kind", SPARSE, ids=lambda kind: kind.__name__)
def test_sparse_points_stay_as_they_are(kind):
    for container in (sparse.csr_matrix, sparse.csr_array):
        points, before = unsorted(container), unsorted(container)
        frozen(points.data, points.indices, points.indptr)
        found = answers(fitted(kind, points), points)
        for name in ("data", "indices", "indptr"):
            assert (getattr(points, name) == getattr(before, name)).all()
        sorted_points = before.copy()
        sorted_points.sum_duplicates()
        expected = answers(fitted(kind, sorted_points), sorted_points)
        assert (found == expected).all()


def test_values_of_sparse_points_leave_them_as_they_are():
    points, before = unsorted(), unsorted()
    frozen(points.data, points.indices, points.indptr)
    dense = before.toarray()
    for values in (kernrs.gram("linear", points), kernrs.gram("linear", points, points), kernrs.Kernel("linear")(points)):
        np.testing.assert_allclose(values, dense @ dense.T)
    kernrs.mmd_test(points, points, n_permutations=9)
    kernrs.hsic_test(points, points, n_permutations=9)
    kernrs.LazyGram("linear", points) @ np.ones(N)
    kernrs.Nystroem(random_state=0).fit(points).certificate(points)
    assert (points.indices == before.indices).all() and (points.data == before.data).all()


def test_threads_share_a_matrix():
    dense = unsorted(n=400).toarray()
    expected = dense @ dense.T
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            points = unsorted(n=400)
            for found in pool.map(lambda _: kernrs.gram("linear", points), range(4)):
                np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_read_only_arrays_are_points(kind):
    rng = np.random.default_rng(0)
    base = rng.random((N, 4))
    weights = frozen(rng.random(N))
    given = {"sample_weight": weights} if "sample_weight" in inspect.signature(kind.fit).parameters else {}
    for points in (base, base.astype(np.float32), base.astype(np.float16), base > 0.5, (10 * base).astype(int),
                   np.asfortranarray(base), base.astype(">f8"), np.repeat(base, 2, axis=1)[:, ::2]):
        frozen(points)
        before = points.copy()
        found = answers(fitted(kind, points, **given), points)
        assert np.isfinite(found).all() and (points == before).all()


def test_a_read_only_matrix_is_a_kernel():
    x = np.random.default_rng(0).random((N, 3))
    matrix = frozen(kernrs.gram("rbf(gamma=1)", x))
    for points in (matrix, sparse.csr_array(matrix)):
        found = kernrs.SVC(kernel="precomputed").fit(points, np.arange(N) % 2).decision_function(points)
        assert np.isfinite(found).all()
    assert kernrs.gram("linear", x > 0.5).dtype == np.float64
    assert kernrs.plan(x > 0.5, kernel="rbf")["kernel"].startswith("rbf")


def test_complex_points_are_refused():
    points = np.ones((4, 2)) * 1j
    for call in (lambda: kernrs.gram("linear", points), lambda: kernrs.gram("linear", sparse.csr_array(points)),
                 lambda: kernrs.mmd_test(points, points), lambda: kernrs.hsic_test(points, points), lambda: kernrs.LazyGram("linear", points)):
        with pytest.raises(ValueError, match="Complex data not supported"):
            call()


def test_strings_are_strings_all_of_them():
    pa = pytest.importorskip("pyarrow")
    machine = kernrs.SVC(kernel="spectrum(k=1)")
    for points, words in ((["a", None], "point 1 is None"), ([b"a", b"b"], "point 0 is b'a'"), (["a", 1], "point 1 is 1"), ("ab", "one str")):
        with pytest.raises(ValueError, match=words):
            machine.fit(points, [0, 1])
    for y in ([0], [0, 1, 1]):
        with pytest.raises(ValueError, match="inconsistent numbers"):
            machine.fit(["a", "b"], y)
    with pytest.raises(ValueError, match="requires y"):
        machine.fit(["a", "b"], None)
    with pytest.raises(ValueError, match="dim 3"):
        kernrs.KernelRidge(kernel="spectrum(k=1)").fit(["a", "b"], np.zeros((2, 2, 2)))
    assert machine.fit(pa.array(["a", "b"]), [0, 1]).predict(pa.chunked_array([["b"], ["a"]])).tolist() == [1, 0]
    with pytest.raises(ValueError, match="point 1 is None"):
        machine.predict(["a", None])


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_the_scale_of_sparse_points_is_that_of_dense_ones(offset):
    rng = np.random.default_rng(0)
    points, weights = rng.normal(size=(N, 3)) + offset, rng.integers(1, 3, size=N)
    points[0, 0] = 0.0 if offset == 0.0 else offset
    for given in (None, weights):
        dense, csr = (kernrs.SVC().fit(x, np.arange(N) % 2, sample_weight=given) for x in (points, sparse.csr_array(points)))
        gamma = [float(model.kernel_formula_.removeprefix("rbf(gamma=").removesuffix(")")) for model in (dense, csr)]
        assert gamma[1] == pytest.approx(gamma[0], rel=1e-6)


def test_values_of_kernel_functions_are_checked():
    points, y = np.random.default_rng(0).normal(size=(N, 3)), np.arange(N) % 2
    for kernel, words in ((lambda a, b: np.zeros(len(a)), "shape"), (lambda a, b: None, "shape"), (lambda a, b: np.zeros((2, 2)), "shape"),
                          (lambda a, b: a @ b.T * 1j, "Complex")):
        with pytest.raises(ValueError, match=words):
            kernrs.SVC(kernel=kernel).fit(points, y)
    expected = kernrs.SVC(kernel=lambda a, b: a @ b.T).fit(points, y).decision_function(points)
    found = kernrs.SVC(kernel=lambda a, b: sparse.csr_array(a @ b.T)).fit(points, y).decision_function(points)
    assert (found == expected).all()


def test_errors_name_parameters():
    points, y = np.random.default_rng(0).normal(size=(N, 3)), np.arange(N) % 2
    for estimator, words in ((kernrs.KernelKMeans(random_state="x"), "random_state"), (kernrs.RBFSampler(random_state="x"), "random_state"),
                             (kernrs.KNeighborsClassifier(N + 1), "n_neighbors"), (kernrs.KNeighborsRegressor(N + 1), "n_neighbors"),
                             (kernrs.KernelKMeans(N + 1), "n_clusters"), (kernrs.SpectralClustering(N + 1), "n_clusters"),
                             (kernrs.SplitConformalRegressor(calibration_size=0), "calibration_size"),
                             (kernrs.SplitConformalRegressor(calibration_size=1.5), "calibration_size"),
                             (kernrs.SplitConformalRegressor(calibration_size="half"), "calibration_size")):
        with pytest.raises(ValueError, match=words):
            estimator.fit(points, y)


def test_infinite_intervals_warn():
    points, y = np.random.default_rng(0).normal(size=(N, 3)), np.arange(float(N))
    model = kernrs.SplitConformalRegressor(calibration_size=5).fit(points, y)
    with pytest.warns(UserWarning, match="5 residuals are too few for a coverage of 0.9"):
        assert np.isinf(model.predict_interval(points, coverage=0.9)).all()
