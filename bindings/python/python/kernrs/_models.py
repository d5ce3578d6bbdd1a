"""Files of models, which Rust reads and writes, too."""

import os
import tempfile

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from . import _native


def save(estimator, path, *, json=False):
    """Writes the model of an estimator to a file, which is the old one or the new one, whatever happens.

    Classes other than whole numbers from 0 on are numbered in the file, in their order. Feature maps have no form in JSON.

    >>> import tempfile, kernrs
    >>> features = kernrs.RBFSampler(n_components=4, random_state=0).fit([[0.0, 1.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kernrs.save(features, f"{folder}/map.kern")
    ...     kernrs.load(f"{folder}/map.kern").dim
    4
    """
    write(path, _bytes_of(estimator, json))


def _bytes_of(estimator, json):
    """The bytes of a file with the model of an estimator."""
    name = type(estimator).__name__
    if isinstance(estimator, BaseEstimator) and not hasattr(estimator, "model_"):
        if hasattr(estimator, "estimator_"):
            raise ValueError(f"{name} has no file of its own: save its estimator_, or use pickle")
        raise NotFittedError(f"This {name} instance is not fitted yet, and there is no model to save: call 'fit' first.")
    model = getattr(estimator, "model_", estimator)
    if isinstance(model, _native.Map):
        if json:
            raise ValueError(f"{name} is a feature map, which has no form in JSON: leave out json=True")
        return model.to_bytes()
    # Whole numbers have a method of this name.
    if isinstance(model, int) or not hasattr(model, "to_bytes"):
        raise ValueError(f"there is no model to save in {name}: give a fitted estimator of kernrs, or a TableModel")
    return model.to_bytes(json)


def write(path, data):
    """Writes beside a file, then moves the new one to its place: the file is the old one or the new one, whatever happens."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def hyper_parameters(estimator):
    """The native hyper-parameters of an estimator: name, default, and the values that are allowed, in words.

    >>> import kernrs
    >>> [name for name, _, _ in kernrs.hyper_parameters(kernrs.KernelRidge)][:2]
    ['lambda', 'intercept']
    """
    return _native.parameters(estimator._learner)


def load(path):
    """The model in a file, by Python, Rust or the command line: one of a table, one of points, or a feature map."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        return _native.open(data)
    except ValueError as error:
        from ._frames import TableModel
        for opened in (lambda: TableModel(_native.TableModel.open(data)), lambda: _native.Map.open(data)):
            try:
                return opened()
            except ValueError:
                continue
        raise error from None
