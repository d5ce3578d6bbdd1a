"""Peers of `tune`: a grid search of a support vector machine behind a scaling, candidates in parallel."""

from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def figures(case, result):
    return {"test_score": float(result.score(case.input("x_test"), case.input("y_test")))}


def _search(case, machine):
    x, y, params = case.input("x"), case.input("y"), case.params
    split = KFold if params["regression"] else StratifiedKFold
    name = machine.__class__.__name__.lower()
    grid = {f"{name}__C": params["c"], f"{name}__gamma": params["gamma"]}
    folds = split(5, shuffle=True, random_state=0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), machine), grid, cv=folds, n_jobs=case.threads
    )
    return lambda: search.fit(x, y)


def _machine(package, params):
    options = {"tol": params["tolerance"]}
    if params["regression"]:
        return package.SVR(epsilon=params["epsilon"], **options)
    return package.SVC(**options)


def sklearn_search(case):
    from sklearn import svm

    return _search(case, _machine(svm, case.params))


def intelex_search(case):
    from sklearnex import svm

    return _search(case, _machine(svm, case.params))
