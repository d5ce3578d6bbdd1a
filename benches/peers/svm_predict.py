"""Peers of `svm_predict`: the classes of many queries; the fit is not in the time."""

import numpy as np


def figures(case, result):
    found = np.asarray(result)[case.input("check")]
    return {"agreement": float(np.mean(found == case.input("expected")))}


def _predict(estimator, case):
    params, queries = case.params, case.input("queries")
    model = estimator(C=params["c"], gamma=params["gamma"], tol=params["tolerance"])
    model.fit(case.input("x"), case.input("y"))
    return lambda: model.predict(queries)


def intelex_svc(case):
    from sklearnex.svm import SVC

    return _predict(SVC, case)


def sklearn_svc(case):
    from sklearn.svm import SVC

    return _predict(SVC, case)
