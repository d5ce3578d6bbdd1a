"""Files of models, which Rust reads and writes, too."""

import os
import tempfile

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from . import _native


def save(estimator, path, *, json=False):
    """Writes the model of an estimator to a file, which Rust and the command line read, too.

    The file is written next to its place and then moved there, so that it has the old content or the new one, whatever
    happens. Only the model is stored: the native part that predicts, without the Python parameters of the estimator
    and, for callables and "precomputed", without a kernel. Take pickle for estimators that should come back as they
    are.

    Parameters
    ----------
    estimator : estimator or TableModel
        A fitted estimator or feature map of kernrs, a :class:`TableModel`, or what :func:`load` returned.
    path : str or path-like
        The file.
    json : bool, default=False
        Whether to write JSON instead of the binary form. Feature maps have no form in JSON.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    ValueError
        If it is no estimator of kernrs, has no file of its own (save its ``estimator_``), or is a feature map and
        ``json`` is set.
    OSError
        If the file cannot be written.

    See Also
    --------
    load : Reads the model.
    read_table_model : Reads the model of a table.

    Notes
    -----
    Predictions of a model that is read have the same bits. Classes other than whole numbers from 0 on are numbered in
    the file, in their order. A file has a version and a checksum; a newer version of the format and a damaged file are
    refused.

    Examples
    --------
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
    """Lists the native hyper-parameters of an estimator.

    They have the names of Rust and of the command line, which are also those of ``settings`` of :func:`train`; the
    parameters of the Python class are scikit-learn's.

    Parameters
    ----------
    estimator : estimator or class
        An estimator of kernrs with a native learner, or its class.

    Returns
    -------
    parameters : list of tuple
        The name, the default, and the allowed values in words, for each hyper-parameter.

    Raises
    ------
    ValueError
        If the estimator has no native learner, as feature maps and estimators that wrap others.

    See Also
    --------
    train : Takes them by name.

    Examples
    --------
    >>> import kernrs
    >>> [name for name, _, _ in kernrs.hyper_parameters(kernrs.KernelRidge)][:2]
    ['lambda', 'intercept']
    >>> kernrs.hyper_parameters(kernrs.SVR)[1]
    ('epsilon', 0.1, 'a finite number >= 0')
    """
    learner = getattr(estimator, "_learner", None)
    # That of a feature map only makes a map.
    if learner in (None, "nystroem"):
        name = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise ValueError(f"{name} has no native learner, and no hyper-parameters of one: give an estimator such as "
                         "SVC, or its class")
    return _native.parameters(learner)


def load(path):
    """Reads a model from a file that Python, Rust or the command line has written.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : TableModel, Model or Map
        For the model of a table a :class:`TableModel`, whose ``predict`` takes frames. For an estimator or a feature
        map the native model, which takes native points and has no conventions of scikit-learn; the estimator itself
        comes back by pickle.

    Raises
    ------
    ValueError
        If the file has no model, is damaged, or was written in a newer or an older version of the format.
    OSError
        If the file cannot be read.

    See Also
    --------
    save : Writes the model.
    read_table_model : Reads the model of a table, and nothing else.

    Examples
    --------
    >>> import tempfile, kernrs
    >>> model = kernrs.train({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "a", "b", "b"]}, "y")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kernrs.save(model, f"{folder}/model.kern")
    ...     again = kernrs.load(f"{folder}/model.kern")
    >>> again.predict({"x": [1.5, 3.5]}).tolist()
    ['a', 'b']
    """
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
