"""Peers of `one_query`: a fitted model in memory predicts one row after the other."""

import math
import os
import time

import numpy as np


def figures(case, result):
    found, expected = np.array([np.ravel(one) for one in result[0]]), case.input("expected")
    error = np.abs(found - expected).max(0) / np.abs(expected).max(0)
    return {"prediction_error": float(error.max())}


def note(case, result):
    """The remark of a row: percentiles of the last run."""
    seconds = np.sort(np.diff(result[1]))
    p50, p99 = (1e6 * seconds[len(seconds) * share // 100] for share in (50, 99))
    return f"p50 {p50:.2f} µs, p99 {p99:.2f} µs of {len(seconds)} predictions"


def _one_by_one(case, rows, predict):
    """Predicts the rows in turn: the last prediction of each, and a clock reading after each."""
    count, clock = int(case.params["predictions"]), time.perf_counter
    order = [i % len(rows) for i in range(count)]

    def body():
        found, ticks = [None] * len(rows), [clock()]
        for i in order:
            found[i] = predict(rows[i])
            ticks.append(clock())
        return found, ticks

    return body


def _rows(case, dtype=None):
    """Collections of one row each."""
    queries = case.input("queries")
    return [np.array(row[None, :], dtype or queries.dtype) for row in queries]


def _vectors(case):
    """Rows as vectors."""
    return list(case.input("queries"))


def _without_checks():
    """scikit-learn without checks of parameters, and for values that are not finite."""
    import sklearn

    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)


def _by_class(case):
    """Support vectors and coefficients, positive ones (the second class) first, and the size of
    each class."""
    x, coefficients = case.input("x"), case.input("coefficients")
    order = np.argsort(coefficients < 0, kind="stable")
    positive = int(np.sum(coefficients > 0))
    return x[order], coefficients[order], (positive, len(x) - positive)


def sklearn_svc(case):
    """The given function: attributes of a fit are replaced."""
    import warnings

    from sklearn.svm import SVC

    _without_checks()
    x, coefficients, (positive, negative) = _by_class(case)
    # It sorts support vectors by class, and its function is positive for the second one.
    x, coefficients = np.roll(x, negative, 0).astype(np.float64), np.roll(coefficients, negative)
    model = SVC(gamma=case.params["gamma"], max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x, np.repeat([0, 1], [negative, positive]))
    model.support_ = np.arange(len(x), dtype=np.int32)
    model.support_vectors_ = np.ascontiguousarray(x)
    model._n_support = np.array([negative, positive], np.int32)
    model.dual_coef_ = coefficients[None, :]
    # LIBSVM's own function is positive for the first class.
    model._dual_coef_ = -model.dual_coef_
    model.intercept_ = case.input("intercept")
    model._intercept_ = -model.intercept_
    # It computes in double precision, and would convert each row.
    return _one_by_one(case, _rows(case, np.float64), model.decision_function)


def libsvm_values(case):
    """LIBSVM reads the function from a file in its format; rows are converted before."""
    from libsvm.svm import c_double, gen_svm_nodearray, libsvm
    from libsvm.svmutil import svm_load_model

    x, coefficients, counts = _by_class(case)
    file = case.folder / "one_query.model"
    lines = [
        f"svm_type c_svc\nkernel_type rbf\ngamma {case.params['gamma']!r}",
        f"nr_class 2\ntotal_sv {len(x)}\nrho {-float(case.input('intercept')[0])!r}",
        f"label 1 0\nnr_sv {counts[0]} {counts[1]}\nSV",
    ]
    lines += [
        " ".join([f"{coefficient:.17g}"] + [f"{k}:{value:.17g}" for k, value in enumerate(row, 1)])
        for coefficient, row in zip(coefficients, x)
    ]
    file.write_text("\n".join(lines) + "\n")
    model, value, values = svm_load_model(str(file)), (c_double * 1)(), libsvm.svm_predict_values
    rows = [gen_svm_nodearray(row.astype(np.float64))[0] for row in _vectors(case)]

    def predict(row):
        values(model, row, value)
        return value[0]

    return _one_by_one(case, rows, predict)


def libsvm_values_alone(case):
    """On one thread: to wake a second one takes as long as the prediction of a small model."""
    # OpenMP reads it when it is loaded.
    os.environ["OMP_NUM_THREADS"] = "1"
    return libsvm_values(case)


def numpy_expansion(case):
    """b + exp(-γ|q|²)·βᵀexp(2γXq - γ|x|²), with prepared norms."""
    x, gamma = case.input("x"), case.params["gamma"]
    scaled = np.ascontiguousarray(2 * x.dtype.type(gamma) * x)
    norms = (-gamma * (x.astype(np.float64) ** 2).sum(1)).astype(x.dtype)
    coefficients = case.input("coefficients").astype(x.dtype)
    intercept = float(case.input("intercept")[0])

    def predict(row):
        values = scaled @ row
        values += norms
        np.exp(values, out=values)
        return intercept + math.exp(-gamma * float(row @ row)) * float(values @ coefficients)

    return _one_by_one(case, _vectors(case), predict)


def onnx_expansion(case):
    """The same formula as a graph, in the number type of the case."""
    import onnxruntime
    from onnx import TensorProto, checker, helper, numpy_helper

    x, gamma = case.input("x"), case.params["gamma"]
    dtype = x.dtype
    kind = TensorProto.FLOAT if dtype == np.float32 else TensorProto.DOUBLE
    constants = {
        "scaled": np.ascontiguousarray((2 * dtype.type(gamma) * x).T),
        "norms": (-gamma * (x.astype(np.float64) ** 2).sum(1)).astype(dtype)[None, :],
        "minus_gamma": np.array([[-gamma]], dtype),
        "axes": np.array([1]),
        "coefficients": case.input("coefficients").astype(dtype)[:, None],
        "intercept": case.input("intercept").astype(dtype)[None, :],
    }
    nodes = [
        ("MatMul", ["row", "scaled"], "products"),
        ("Add", ["products", "norms"], "exponents"),
        ("Exp", ["exponents"], "values"),
        ("MatMul", ["values", "coefficients"], "sum"),
        ("Mul", ["row", "row"], "squares"),
        ("ReduceSum", ["squares", "axes"], "norm"),
        ("Mul", ["norm", "minus_gamma"], "exponent"),
        ("Exp", ["exponent"], "factor"),
        ("Mul", ["sum", "factor"], "product"),
        ("Add", ["product", "intercept"], "out"),
    ]
    graph = helper.make_graph(
        [helper.make_node(name, inputs, [output]) for name, inputs, output in nodes],
        "expansion",
        [helper.make_tensor_value_info("row", kind, [1, x.shape[1]])],
        [helper.make_tensor_value_info("out", kind, [1, 1])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    session = _session(onnxruntime, model)
    return _one_by_one(case, _rows(case), lambda row: session.run(None, {"row": row})[0])


def onnx_regressor(case):
    """The operator for support vector machines, which is of single precision."""
    import onnxruntime
    from onnx import TensorProto, helper

    x = case.input("x")
    node = helper.make_node(
        "SVMRegressor",
        ["row"],
        ["out"],
        domain="ai.onnx.ml",
        kernel_type="RBF",
        kernel_params=[float(case.params["gamma"]), 0.0, 0.0],
        n_supports=len(x),
        support_vectors=x.ravel().tolist(),
        coefficients=case.input("coefficients").tolist(),
        rho=case.input("intercept").tolist(),
    )
    graph = helper.make_graph(
        [node],
        "svm",
        [helper.make_tensor_value_info("row", TensorProto.FLOAT, [1, x.shape[1]])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 1])],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    session = _session(onnxruntime, helper.make_model(graph, opset_imports=opsets, ir_version=8))
    return _one_by_one(case, _rows(case), lambda row: session.run(None, {"row": row})[0])


def _session(onnxruntime, model):
    """A session on one thread: a row is too little work to share."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def sklearn_ridge(case):
    """The given function: attributes are those of a fit."""
    from sklearn.kernel_ridge import KernelRidge

    _without_checks()
    model = KernelRidge(kernel="rbf", gamma=case.params["gamma"])
    model.X_fit_, model.dual_coef_ = case.input("x"), case.input("coefficients")
    return _one_by_one(case, _rows(case), model.predict)


def sklearn_process(case):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    _without_checks()
    params = case.params
    kernel = RBF((2 * params["gamma"]) ** -0.5)
    model = GaussianProcessRegressor(kernel, alpha=params["noise"], optimizer=None)
    model.fit(case.input("x"), case.input("y"))

    def predict(row):
        mean, deviation = model.predict(row, return_std=True)
        return mean[0], deviation[0] ** 2

    return _one_by_one(case, _rows(case), predict)


def scipy_process_alone(case):
    """On one thread: two of them wait for each other in each product."""
    from threadpoolctl import threadpool_limits

    body = scipy_process(case)
    threadpool_limits(1, user_api="blas")
    return body


def scipy_process(case):
    """The inverse is prepared, so that a variance is one product with a symmetric matrix."""
    from scipy.linalg import blas, lapack

    import gram

    x, y, params = case.input("x"), case.input("y"), case.params
    gamma, n = params["gamma"], len(x)
    covariance = gram.rbf(x, x, gamma)
    covariance.flat[:: n + 1] += params["noise"]
    factor, failed = lapack.dpotrf(covariance, lower=True)
    assert not failed
    coefficients = lapack.dpotrs(factor, y, lower=True)[0]
    inverse = lapack.dpotri(factor, lower=True)[0]
    scaled, norms = np.ascontiguousarray(2 * gamma * x), -gamma * (x * x).sum(1)

    def predict(row):
        values = scaled @ row
        values += norms
        values -= gamma * (row @ row)
        np.exp(values, out=values)
        return values @ coefficients, 1 - values @ blas.dsymv(1.0, inverse, values, lower=True)

    return _one_by_one(case, _vectors(case), predict)


def _nearest(case, algorithm):
    from sklearn.neighbors import KNeighborsClassifier

    _without_checks()
    model = KNeighborsClassifier(int(case.params["k"]), algorithm=algorithm)
    return _one_by_one(case, _rows(case), model.fit(case.input("x"), case.input("y")).predict)


def sklearn_brute(case):
    return _nearest(case, "brute")


def sklearn_tree(case):
    return _nearest(case, "kd_tree")


def numpy_nearest(case):
    """Half of the squared distances, but for a constant, and the votes of the k smallest."""
    x, y, k = case.input("x"), case.input("y"), int(case.params["k"])
    norms = 0.5 * (x * x).sum(1)

    def predict(row):
        nearest = np.argpartition(norms - x @ row, k)[:k]
        return int(2 * y[nearest].sum() > k)

    return _one_by_one(case, _vectors(case), predict)


def _strings(case, name):
    """Strings, whose letters stand in the input as numbers."""
    return [bytes(row).decode() for row in case.input(name).astype(np.uint8)]


def _neighborhoods(k, m):
    """The kernel values of all pairs of words of k letters: the number of words with at most m
    mismatches to both."""
    letters = np.arange(4**k)[:, None] // 4 ** np.arange(k)[::-1] % 4
    apart = sum((letters[:, None, i] != letters[None, :, i]).astype(int) for i in range(k))
    near = (apart <= m).astype(np.float64)
    return near @ near


def _weights(case, counts):
    """The weights of words in the primal, for the counts of all words in all support vectors."""
    k, m = int(case.params["k"]), int(case.params["m"])
    weights = counts.T @ case.input("coefficients")
    return _neighborhoods(k, m) @ weights if m else weights


def sklearn_counts(case):
    """Counts of words, and the weights of a linear SVM that is the same function."""
    import itertools

    from sklearn.feature_extraction.text import CountVectorizer

    _without_checks()
    k = int(case.params["k"])
    words = ["".join(letters) for letters in itertools.product("ACGT", repeat=k)]
    counter = CountVectorizer(
        analyzer="char", ngram_range=(k, k), lowercase=False, vocabulary=words, dtype=np.float64
    )
    weights = _weights(case, counter.transform(_strings(case, "x")))
    intercept = float(case.input("intercept")[0])

    def predict(row):
        return counter.transform(row) @ weights + intercept

    return _one_by_one(case, [[row] for row in _strings(case, "queries")], predict)


def numpy_words(case):
    """The weights of the words at all places, from a table."""
    k = int(case.params["k"])
    codes = np.zeros(256, np.intp)
    codes[list(b"ACGT")] = range(4)

    def words(text):
        letters = codes[np.frombuffer(text, np.uint8)]
        count = len(letters) - k + 1
        found = letters[:count].copy()
        for i in range(1, k):
            found *= 4
            found += letters[i : i + count]
        return found

    texts = [text.encode() for text in _strings(case, "x")]
    counts = np.array([np.bincount(words(text), minlength=4**k) for text in texts], np.float64)
    weights, intercept = _weights(case, counts), float(case.input("intercept")[0])

    def predict(text):
        return weights[words(text)].sum() + intercept

    return _one_by_one(case, [text.encode() for text in _strings(case, "queries")], predict)
