"""Peers of `svr`: ε-SVR with the RBF kernel."""

import duals
import numpy as np


def figures(case, result):
    support, beta, predict = result
    x, y, params = case.input("x"), case.input("y"), case.params
    beta = np.asarray(beta, dtype=np.float64).ravel()
    linear = beta @ y[support] - params["epsilon"] * np.abs(beta).sum()
    error = predict(case.input("x_test")) - case.input("y_test")
    return {
        "dual": float(linear - 0.5 * duals.quadratic(x[support], beta, params["gamma"])),
        "test_rmse": float(np.sqrt(np.mean(error**2))),
        "support_vectors": float(len(support)),
    }


def _fit(estimator, case):
    x, y, params = case.input("x"), case.input("y"), case.params
    names = {"C": "c", "gamma": "gamma", "epsilon": "epsilon", "tol": "tolerance"}
    options = {name: params[ours] for name, ours in names.items()}

    def body():
        model = estimator(**options).fit(x, y)
        return model.support_, model.dual_coef_, model.predict

    return body


def intelex_svr(case):
    from sklearnex.svm import SVR

    return _fit(SVR, case)


def sklearn_svr(case):
    from sklearn.svm import SVR

    return _fit(SVR, case)


def libsvm(case):
    """The conversion of its input is not in the time."""
    from libsvm.svmutil import svm_parameter, svm_predict, svm_problem, svm_train

    params = case.params
    problem = svm_problem(case.input("y"), case.input("x"))
    options = f"-s 3 -t 2 -c {params['c']} -g {params['gamma']} -p {params['epsilon']}"
    options += f" -e {params['tolerance']} -m 200 -q"

    def body():
        model = svm_train(problem, svm_parameter(options))
        support = np.array(model.get_sv_indices()) - 1

        def predict(queries):
            return np.array(svm_predict(np.zeros(len(queries)), queries, model, "-q")[0])

        return support, model.get_sv_coef(), predict

    return body
