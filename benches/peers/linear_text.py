"""Peers of `linear_text`: a linear C-SVC without intercept on sparse rows."""

import numpy as np


def _rows(case):
    from scipy.sparse import csr_matrix

    starts = case.input("starts")
    parts = (case.input("values"), case.input("features"), starts)
    return csr_matrix(parts, shape=(len(starts) - 1, int(case.params["dim"])))


def figures(case, result):
    slack = np.maximum(0, 1 - case.input("y") * (_rows(case) @ result))
    losses = (slack**2 if case.params["squared"] else slack).sum()
    return {
        "objective": float(0.5 * result @ result + case.params["c"] * losses),
        "stored": float(len(case.input("values"))),
    }


def liblinear(case):
    from sklearn.svm import LinearSVC

    x, y, params = _rows(case), case.input("y"), case.params
    loss = "squared_hinge" if params["squared"] else "hinge"

    def body():
        model = LinearSVC(
            C=params["c"],
            loss=loss,
            dual=True,
            fit_intercept=False,
            tol=params["tolerance"],
            random_state=0,
        )
        return model.fit(x, y).coef_[0]

    return body
