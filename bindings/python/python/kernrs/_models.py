"""Files of models, which Rust reads and writes, too."""

import os
import tempfile

from . import _native


def save(estimator, path, *, json=False):
    """Writes the model of an estimator to a file, which is the old one or the new one, whatever happens.

    Classes other than whole numbers from 0 on are numbered in the file, in their order.
    """
    model = getattr(estimator, "model_", estimator)
    write(path, model.to_bytes(json))


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
    """The model in a file, by Python, Rust or the command line: one of a table, or one of points."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        return _native.open(data)
    except ValueError as error:
        from ._frames import TableModel
        try:
            return TableModel(_native.TableModel.open(data))
        except ValueError:
            raise error from None
