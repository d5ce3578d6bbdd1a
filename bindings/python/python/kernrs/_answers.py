"""Predictions and scores of any model for files and collections of Dask, part by part."""

import datetime
import decimal
import json
import os
import uuid

import numpy as np
from sklearn.base import is_classifier, is_regressor

from . import _native
from ._clients import engine_of
from ._collections import is_collection, partitions_of
from ._config import get_config
from ._frames import TableModel
from ._reading import column_of, names_of, tables_of
from ._rounds import ROWS, parts_of
from ._tasks import check_version, version


def predict(model, data, client=None, *, columns=None, rows=ROWS, memory=None, to=None):
    """Predicts for the rows of files or of a collection of Dask.

    Workers read part after part, and predict for each; the predictions come back as one array, or stay in files.

    Parameters
    ----------
    model : kernrs.TableModel or estimator
        A model of :func:`fit` or :func:`kernrs.train`, or any estimator with ``predict`` that was fitted in memory.
    data : str, path-like, list of these, dask.dataframe.DataFrame or dask.array.Array
        The rows, as for :func:`fit`. Estimators read Parquet, CSV and NPY only.
    client : dask.distributed.Client, Executor, mpi4py communicator or None, default=None
        What runs the tasks, as for :func:`fit`.
    columns : list of str or None, default=None
        The columns that are the features of an estimator, in order; None is those of its ``feature_names_in_``, or all.
        A TableModel knows its own.
    rows : int, default=65536
        The rows of a part, about, >= 1.
    memory : int or None, default=None
        The bytes that one task may take. None is the memory of :func:`kernrs.config`, or 80 % of what is free.
    to : str, path-like or None, default=None
        A directory, made if need be, where workers write the predictions of each part as NPY files, so that no process
        needs memory for all of them.

    Returns
    -------
    y : ndarray of shape (n_samples,) or (n_samples, n_components), or list of str
        The predictions in the order of the rows; with ``to`` the names of the files, in order.

    Raises
    ------
    ValueError
        If a part cannot be read, or has not the columns of the model.
    FileNotFoundError
        If a file does not exist, or no file has a name like the pattern.
    VersionError
        If a worker has another version of the package.

    See Also
    --------
    score : R² or accuracy over the rows.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import SVC, distributed
    >>> X, y = load_iris(return_X_y=True)
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.save(f"{folder.name}/iris.npy", X)
    >>> model = SVC().fit(X, y)
    >>> bool((distributed.predict(model, folder.name, rows=40) == model.predict(X)).all())
    True
    """
    if to is not None:
        to = os.path.abspath(to)
        os.makedirs(to, exist_ok=True)
    found = _mapped(_answers, model, data, client, rows, {"columns": columns, "memory": memory, "to": to})
    return found if to is not None else np.concatenate(found)


def score(model, data, client=None, *, target=None, columns=None, rows=ROWS, memory=None):
    """Computes R² of a regression, or the accuracy of a classifier, over files or a collection of Dask.

    Parameters
    ----------
    model : kernrs.TableModel or estimator
        A model of :func:`fit` or :func:`kernrs.train`, or a classifier or regressor that was fitted in memory.
    data : str, path-like, list of these, dask.dataframe.DataFrame or dask.array.Array
        The rows, as for :func:`fit`.
    client : dask.distributed.Client, Executor, mpi4py communicator or None, default=None
        What runs the tasks, as for :func:`fit`.
    target : str, array or None, default=None
        The column of the true targets; of an array of Dask it is an array. None is the target of a TableModel.
    columns : list of str or None, default=None
        The columns that are the features of an estimator, in order; None is those of its ``feature_names_in_``, or all
        but the target.
    rows : int, default=65536
        The rows of a part, about, >= 1.
    memory : int or None, default=None
        The bytes that one task may take. None is the memory of :func:`kernrs.config`, or 80 % of what is free.

    Returns
    -------
    score : float
        R² of a regression, the share of correct predictions of a classifier. Rows have no weights here.

    Raises
    ------
    ValueError
        If the model is neither a classifier nor a regressor, the target is not known, or there are no rows.
    FileNotFoundError
        If a file does not exist, or no file has a name like the pattern.
    VersionError
        If a worker has another version of the package.

    See Also
    --------
    predict : The predictions.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import SVC, distributed
    >>> X, y = load_iris(return_X_y=True)
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.save(f"{folder.name}/iris.npy", np.column_stack([X, y]))
    >>> model = SVC().fit(X, y)
    >>> distributed.score(model, folder.name, target="x5") == model.score(X, y)
    True
    """
    is_table = isinstance(model, TableModel)
    if not (model.task in ("classify", "regress") if is_table else is_classifier(model) or is_regressor(model)):
        kind = model.task if is_table else type(model).__name__
        raise ValueError(f"scores are for classes and numbers, and not for {kind}")
    if target is None:
        target = model.target if is_table else None
    if target is None:
        raise ValueError("the column of the right answers is not known: give target=")
    found = _mapped(_scored, model, data, client, rows, {"columns": columns, "memory": memory, "target": target})
    total, count = _native.total_score([sums for part in found for sums in part])
    if count == 0:
        raise ValueError("there are no rows")
    return total


def _mapped(function, model, data, client, rows, given):
    """The results of a function of parts, with what all of them need."""
    if given["memory"] is None:
        given["memory"] = get_config()["memory"]
    engine = engine_of(client)
    if is_collection(data):
        found = partitions_of(data, given.get("target"), None)
        given["target"], items = found.target, list(enumerate(found.partitions))
    else:
        items = list(enumerate(parts_of(data, rows)))
    return list(engine.map(function, (version(), model, given), items))


def _answers(shared, item):
    """The answers for a part or a partition, or the file that has them."""
    made, model, given = shared
    check_version(made)
    place, part = item
    if isinstance(part, str) and isinstance(model, TableModel):
        found = model._typed(_native.predict_part(model._native, part, given["memory"]))
    else:
        found = np.concatenate([np.asarray(_asked(model, table, given)) for table in tables_of(part)])
    if given["to"] is None:
        return found
    path = os.path.join(given["to"], f"part-{place:06}.npy")
    beside = f"{path}.{uuid.uuid4().hex}"
    with open(beside, "wb") as file:
        np.save(file, found)
    os.replace(beside, path)
    return path


def _scored(shared, item):
    """The sums of the score of a part or a partition."""
    made, model, given = shared
    check_version(made)
    _, part = item
    if isinstance(part, str) and isinstance(model, TableModel):
        if given["target"] != model.target:
            raise ValueError(f"the target of the model is {model.target!r}, and not {given['target']!r}")
        return [_native.score_part(model._native, part, given["memory"])]
    return [_score_of(model, table, given) for table in tables_of(part)]


def _score_of(model, table, given):
    """The sums of the score of a table, as the native part writes them."""
    truth, found = column_of(table, given["target"]), np.asarray(_asked(model, table, given))
    sums = {"rows": len(truth), "hits": 0.0, "errors": None, "mean": 0.0, "squares": 0.0}
    if model.task == "classify" if isinstance(model, TableModel) else is_classifier(model):
        # Classes of tables may be words, whatever the column has.
        truth, found = (truth, found) if not isinstance(model, TableModel) else _in_one_form(truth, found)
        return json.dumps(sums | {"hits": float(np.sum(truth == found))})
    truth = truth.astype(np.float64)
    mean = float(truth.mean()) if len(truth) else 0.0
    errors, squares = float(np.sum((truth - found) ** 2)), float(np.sum((truth - mean) ** 2))
    return json.dumps(sums | {"errors": errors, "mean": mean, "squares": squares})


def _in_one_form(truth, found):
    """The classes of a column and the predictions of a model in a common form, so that equal classes compare equal."""
    first = truth[0] if truth.dtype.kind == "O" and len(truth) else None
    if isinstance(first, decimal.Decimal):
        truth = truth.astype(np.float64)
    elif isinstance(first, datetime.date):
        truth = np.array([_in_utc(value) for value in truth], dtype="datetime64[us]")
    try:
        if found.dtype.kind == "f" and isinstance(first, str):
            # Dask converts decimals to strings.
            return truth.astype(np.float64), found
        if truth.dtype.kind == "M" and found.dtype.kind == "U":
            return _microseconds(truth), found.astype("datetime64[us]")
        if truth.dtype.kind == "m" and found.dtype.kind == "U":
            # Labels of durations look like PT3600S.
            return truth / np.timedelta64(1, "s"), np.array([float(word.removeprefix("PT").removesuffix("S")) for word in found.tolist()])
    except ValueError:
        # The classes of the model are of another kind.
        pass
    return _words(truth), _words(found)


def _in_utc(value):
    """A date, or a time in UTC without its zone."""
    is_aware = getattr(value, "tzinfo", None) is not None
    return value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if is_aware else value


def _microseconds(instants):
    """Instants rounded to microseconds, the precision of class labels."""
    if np.datetime_data(instants.dtype)[0] != "ns":
        return instants.astype("datetime64[us]")
    return ((instants.astype(np.int64) + 500) // 1000).astype("datetime64[us]")


def _words(labels):
    """Classes as the native part writes them."""
    labels = np.asarray(labels)
    if labels.dtype.kind == "b":
        return np.where(labels, "true", "false")
    if labels.dtype.kind == "f":
        # Without an exponent, and without a sign of zero.
        return np.array([np.format_float_positional(label + 0.0, trim="-") for label in labels.tolist()])
    return np.array([str(label).lower() if isinstance(label, bool) else str(label) for label in labels.tolist()])


def _asked(model, table, given):
    """The answers of a model for a table."""
    if isinstance(model, TableModel):
        return model.predict(table)
    columns = given["columns"]
    if columns is None:
        columns = getattr(model, "feature_names_in_", None)
    if columns is None:
        columns = [name for name in names_of(table) if name != given.get("target")]
    points = np.column_stack([column_of(table, name) for name in columns])
    if hasattr(model, "feature_names_in_"):
        import pandas
        points = pandas.DataFrame(points, columns=list(columns))
    return model.predict(points)
