"""Peers of `svm`: C-SVC with the RBF kernel, one problem per pair of classes."""

import duals
import numpy as np


def figures(case, result):
    support, coefficients, predict = result
    x, y = case.input("x"), case.input("y")
    classes = np.searchsorted(np.unique(y), y[support])
    right = predict(case.input("x_test")) == case.input("y_test")
    return {
        "dual": duals.pairs(x[support], classes, coefficients, case.params["gamma"]),
        "test_accuracy": float(np.mean(right)),
        "support_vectors": float(len(support)),
    }


def _fit(estimator, case):
    x, y, params = case.input("x"), case.input("y"), case.params

    def body():
        model = estimator(C=params["c"], gamma=params["gamma"], tol=params["tolerance"])
        model.fit(x, y)
        return model.support_, model.dual_coef_, model.predict

    return body


def intelex_svc(case):
    from sklearnex.svm import SVC

    return _fit(SVC, case)


def sklearn_svc(case):
    from sklearn.svm import SVC

    return _fit(SVC, case)


def libsvm(case):
    """The conversion of its input is not in the time."""
    from libsvm.svmutil import svm_parameter, svm_predict, svm_problem, svm_train

    x, y, params = case.input("x"), case.input("y"), case.params
    problem = svm_problem(y.astype(np.float64), x)
    options = f"-s 0 -t 2 -c {params['c']} -g {params['gamma']} -e {params['tolerance']}"

    def body():
        model = svm_train(problem, svm_parameter(options + " -m 200 -q"))
        support = np.array(model.get_sv_indices()) - 1
        # Its classes come in the order in which they occur.
        coefficients = _sorted(np.array(model.get_sv_coef()).T, model.get_labels(), y[support])

        def predict(queries):
            return np.array(svm_predict(np.zeros(len(queries)), queries, model, "-q")[0])

        return support, coefficients, predict

    return body


def _sorted(coefficients, labels, y):
    """Rows of coefficients as they are if the classes are in ascending order."""
    labels = np.array(labels)
    order = np.sort(labels)
    place = {label: i for i, label in enumerate(labels)}
    out = np.empty_like(coefficients)
    for k, label in enumerate(y):
        mine = place[label]
        others = [other for other in order if other != label]
        rows = [place[other] - (place[other] > mine) for other in others]
        out[:, k] = coefficients[rows, k]
    return out
