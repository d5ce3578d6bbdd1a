"""Tables of mixed columns: from a frame of pandas or polars to a tuned model, in the files of the command line."""

import html
import warnings

import numpy as np

from . import _native
from ._arrow import checked_columns, class_type_of, stream_of, table_of, written
from ._base import Report, warn_unless_converged
from ._config import get_config
from ._orders import names
from ._validation import checked, formula_given

#: The methods of each task, for messages.
_METHODS = {"classify": "svm, logistic, ridge, neighbors", "regress": "ridge, svm, neighbors", "detect": "svm", "cluster": "k-means",
            "components": "components"}


class TableModel:
    """A model of a table with columns of mixed types, which predicts for other tables.

    :func:`train`, :func:`kernrs.distributed.fit`, :func:`load` and :func:`read_table_model` return it. It stores its
    columns by name, fills missing values, standardizes numbers as in training, and predicts for any frame that has
    these columns. It is no estimator of scikit-learn: it takes tables, has no ``fit``, and the columns need no
    preparation. Classes have the type of the target that was learned: whole numbers, booleans, floats or strings. A
    file keeps this type.

    Parameters
    ----------
    native : object
        The native model. Take one of the functions instead.

    Attributes
    ----------
    columns : list of str
        The names of the columns of the model, in their order.
    target : str or None
        The column of the targets.
    task : str
        "classify", "regress", "detect", "cluster" or "components".
    kernel : str
        The kernel, with all of its parameters.
    report : dict
        Status, iterations, objective and duality gap of the fit.
    notes : list of str
        Notes on the table and the fit.
    best_score : float or None
        The cross-validation score of the search.
    leaderboard : list of dict or None
        The candidates of the contest.

    See Also
    --------
    train : Makes the model from a frame.
    save : Writes it to a file.

    Notes
    -----
    Missing numbers are the mean of their column in training; a missing category is a category of its own, and so is one
    that was never seen. Models can be pickled, and written and read by :func:`save` and :func:`load` with the same bits
    in their predictions. Notebooks and ``repr`` show method, kernel and report.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import train
    >>> table = load_iris(as_frame=True).frame
    >>> model = train(table, "target", task="classify", method="logistic")
    >>> model.columns[0], model.target, model.task
    ('sepal length (cm)', 'target', 'classify')
    >>> bool((model.predict(table) == table["target"]).mean() > 0.95)
    True
    """

    def __init__(self, native):
        self._native = native

    def _typed(self, answers):
        """Converts classes to the type of the target; other predictions are unchanged."""
        value = {"boolean": _is_true, "integer": int, "real": float}.get(self._native.class_type)
        return np.array(answers if value is None else [value(label) for label in answers])

    def predict(self, frame):
        """Predicts for the rows of a frame.

        Parameters
        ----------
        frame : DataFrame, pyarrow.Table, dict or ndarray of shape (n_samples, n_columns)
            A frame of pandas or polars, a table of Arrow, or a dictionary of columns with the columns of the model, in
            any order; other columns are left out. An array has the columns of the model and no others, in their order.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_components)
            Classes in the type of the target ("classify"), floats ("regress"), True for rows like those of the training
            ("detect"), indices of clusters ("cluster"), or rows of coordinates ("components").

        Raises
        ------
        ValueError
            If a column is missing or has another type than in training.
        """
        return self._typed(self._native.predict(self._stream(frame)))

    def predict_proba(self, frame):
        """Predicts the probabilities of the classes.

        Different from scikit-learn, the classes come with them.

        Parameters
        ----------
        frame : DataFrame, pyarrow.Table, dict or ndarray of shape (n_samples, n_columns)
            The rows, as for :meth:`predict`.

        Returns
        -------
        classes : ndarray of shape (n_classes,)
            The classes.
        probabilities : ndarray of shape (n_samples, n_classes)
            The probabilities.

        Raises
        ------
        ValueError
            If the method has no probabilities: train with ``method="logistic"`` or ``"neighbors"``.
        """
        found = self._native.probabilities(self._stream(frame))
        if found is None:
            way = "train with method='logistic' or 'neighbors'" if self.task == "classify" else f"its task is {self.task}"
            raise ValueError(f"the model has no probabilities, since its method is {self._native.method}: {way}")
        return self._typed(found[0]), np.asarray(found[1])

    def transform(self, frame):
        """Computes the principal components of the rows of a frame, for a model of components.

        Parameters
        ----------
        frame : DataFrame, pyarrow.Table, dict or ndarray of shape (n_samples, n_columns)
            The rows, as for :meth:`predict`.

        Returns
        -------
        components : ndarray of shape (n_samples, n_components)
            The coordinates of the rows.

        Raises
        ------
        ValueError
            If the task of the model is another one.
        """
        if not self.task.startswith("components"):
            raise ValueError(f"the model has no components: its task is {self.task}")
        return self.predict(frame)

    def _stream(self, frame):
        """The rows as a stream of Arrow; the columns of an array are those of the model, in their order."""
        if not isinstance(frame, np.ndarray):
            return stream_of(frame, only=self.columns)
        columns = self.columns
        if frame.ndim != 2 or frame.shape[1] != len(columns):
            raise ValueError(f"the model has {len(columns)} columns ({', '.join(columns)}), and the array has the shape {frame.shape}")
        return stream_of({name: np.ascontiguousarray(frame[:, j]) for j, name in enumerate(columns)})

    @property
    def columns(self):
        """list of str: the names of the columns of the model, in their order."""
        return self._native.columns

    @property
    def target(self):
        """str or None: the column of the targets; None if there is none."""
        return self._native.target

    @property
    def kernel(self):
        """str: the kernel, with all of its parameters."""
        return self._native.kernel

    @property
    def task(self):
        """str: the task, "classify", "regress", "detect", "cluster" or "components"."""
        return self._native.task

    @property
    def report(self):
        """dict: the evidence of the fit, with status, iterations, objective and duality gap."""
        return Report(self._native.report)

    @property
    def notes(self):
        """list of str: notes on the table and the fit, such as columns left out, or predictions that are all equal."""
        return self._native.notes

    @property
    def best_score(self):
        """float or None: the cross-validation score of the best candidate, accuracy or R²; None without a search."""
        return self._native.best_score

    @property
    def leaderboard(self):
        """list of dict or None: the candidates of the contest, the best first; None without a contest.

        Each has ``kernel``, ``scale`` (the factor of the inverse squared length scale, 1 for the median heuristic),
        ``method``, ``rows`` (those of its last fits), ``score``, ``seconds``, ``weight`` (its part of the model, 0 for
        none) and ``failure``.
        """
        return self._native.leaderboard

    def to_bytes(self, json=False):
        """Returns the bytes of a file with this model.

        Parameters
        ----------
        json : bool, default=False
            Whether to write JSON instead of the binary form.

        Returns
        -------
        data : bytes
            The content of the file, as :func:`save` writes it.
        """
        return self._native.to_bytes(json)

    def __repr__(self):
        return f"TableModel({self._native.method}, kernel={self.kernel!r}, {self.report!r})"

    def __reduce__(self):
        return TableModel, (self._native,)


def _is_true(label):
    """The value of a label of truth values, in any spelling."""
    return label.lower() == "true"


def train(frame, target=None, *, task=None, kernel=None, method=None, tune=None, weights=None, groups=None,
          landmarks=None, seed=0, ignore=(), contest=None, metric=None, **settings):
    """Learns a model from a frame with columns of mixed types.

    Numbers, categories and text are used as they are: missing values are filled, numbers standardized, and the kernel
    is by default a product of "rbf" on the numbers and "hamming_rbf" on the categories, plus a kernel on text, with
    parameters from the data. It is the same as ``kern train`` on the command line, and the model has the same bits.

    Up to 10,000 rows (SVMs: 5000 for each class, up to 50,000) the kernel is exact, which takes up to O(n^2) memory and
    O(n^3) time; beyond, 1000 landmarks make both linear in n. Neighbours, support vector regression, clusters and
    novelty detection are always exact. Files that do not fit memory are for :func:`kernrs.distributed.fit`.

    Parameters
    ----------
    frame : DataFrame, pyarrow.Table or dict
        A frame of pandas or polars, a table of Arrow, or a dictionary of columns. The index of a frame of pandas is no
        column.
    target : str or None, default=None
        The column to predict; None for tasks without one.
    task : {"classify", "regress", "detect", "cluster:K", "components:K"} or None, default=None
        The task: classes, numbers, novelty detection, K clusters, or K principal components. None is "detect" without a
        target, and else follows from the target's values, whatever their type: words, booleans and at most 20 different
        whole numbers are classes, all else is predicted as numbers, dates and times in seconds since 1970. A warning
        tells a guess from whole numbers.
    kernel : str, Kernel or None, default=None
        A formula (see :class:`Kernel`), whose kernels on vectors act on the numbers, "hamming_rbf" and "delta" on the
        categories, and kernels on strings on the text. Parameters that it leaves out are taken from the data. None
        suits the columns.
    method : {"svm", "logistic", "ridge", "neighbors"} or None, default=None
        The method. Classes: "svm" (the default), "logistic", "ridge" or "neighbors"; numbers: "ridge" (the default),
        "svm" or "neighbors".
    tune : int or None, default=None
        The number of folds of a search for hyper-parameters by cross-validation, >= 2. None is no search: C = 1, γ from
        the median distance, the λ of ridge regression with the smallest leave-one-out error or, beyond 3000 rows and on
        landmarks, the smallest generalized cross-validation score.
    weights : str or None, default=None
        The column of sample weights, non-negative: weight 2 is the row twice, and a row of weight 0 changes nothing.
    groups : str or None, default=None
        The column whose equal values are kept together in one fold of the search.
    landmarks : int or None, default=None
        The number of landmarks; 0 is the exact kernel, None the rule above. Only "svm", "logistic" and "ridge" of
        classes and "ridge" of numbers take landmarks; a number above 0 is an error for other fits.
    seed : int, default=0
        The seed of landmarks, folds and all else that is random, >= 0.
    ignore : str or list of str, default=()
        Columns that are left out.
    contest : float or None, default=None
        Seconds for which kernels, their scales, views of the columns, methods and penalties compete, > 0; the model is
        the best of them, or several that predict together, and its ``leaderboard`` lists all. Classifiers have
        probabilities. None fits one kernel with one method. A kernel or method that is given restricts the contest to
        it.
    metric : str or None, default=None
        What a contest compares by: "accuracy" (the default for classes), "balanced_accuracy", "f1", "auc" or
        "log_loss"; "r2" (the default for numbers), "rmse" or "mae". Only with ``contest``.
    **settings : float, bool or str
        Hyper-parameters of the method, by the names of the command line: ``c``, ``epsilon``, ``violation``,
        ``tolerance``, ``max_iterations`` and ``intercept`` of SVMs, ``nu`` of novelty detection (0.05), ``lambda`` (as
        ``**{"lambda": 1e-3}``) of the others, ``neighbors`` and ``weighting``, and ``class_weights="balanced"``. A
        wrong name raises an error that lists them; see :func:`hyper_parameters`.

    Returns
    -------
    model : TableModel
        The model, which predicts for other frames.

    Raises
    ------
    ValueError
        If a column, setting or method is not known, a column has mixed types, or the fit exceeds the memory of
        :func:`config`.

    See Also
    --------
    plan : The time and memory of the ways to learn, before a fit.
    save : Writes the model to a file.
    SVC : Classification on arrays, with scikit-learn's conventions.
    kernrs.distributed.fit : Learns from files that do not fit memory.

    Notes
    -----
    A fit that has not converged emits a ConvergenceWarning; each of the model's ``notes``, and a task that was guessed
    from whole numbers, a UserWarning. The same frame, settings and seed give the same bits for any number of threads.

    Examples
    --------
    >>> import kernrs
    >>> table = {"petal": [1.4, 1.3, 4.7, 5.1], "colour": ["white", None, "blue", "blue"],
    ...          "species": ["setosa", "setosa", "virginica", "virginica"]}
    >>> model = kernrs.train(table, "species")
    >>> str(model.predict({"petal": [4.9], "colour": ["blue"]})[0])
    'virginica'

    A search on three folds:

    >>> from sklearn.datasets import load_iris
    >>> found = kernrs.train(load_iris(as_frame=True).frame, "target", task="classify", tune=3)
    >>> found.best_score > 0.95
    True

    Ten seconds for the best of several kernels and methods:

    >>> winner = kernrs.train(load_iris(as_frame=True).frame, "target", task="classify", contest=10)
    >>> winner.leaderboard[0]["score"] > 0.95
    True
    """
    table = _columns(frame, ignore, {"target": target, "weights": weights, "groups": groups})
    classes = None if target is None else class_type_of(table.schema.field(target).type)
    if task is None:
        task = "detect" if target is None else _task(table, target)
    methods = _METHODS.get(task.split(":")[0], "")
    if method is not None and not any(method in known.split(", ") for known in _METHODS.values()):
        raise ValueError(f"method must be one of {methods} for the task {task}, got {method!r}")
    for name, value in (("tune", tune), ("landmarks", landmarks), ("seed", seed), ("contest", contest)):
        checked(name, value)
    kernel = None if kernel is None else formula_given(kernel)
    given = [(name, _setting(name, value)) for name, value in settings.items()]
    run = get_config()
    native = _native.train(written(table), task, target, kernel, method, tune, weights, groups, landmarks, given, seed,
                           run["callback"], run["interrupt"] == "keep", classes, contest, metric)
    model = TableModel(native)
    warn_unless_converged("train", model.report, "max_iterations")
    for note in model.notes:
        warnings.warn(note, stacklevel=2)
    return model


def _columns(frame, ignore, named):
    """The table of a frame without the columns that are left out, in which those that have a role are."""
    ignore = names(ignore)
    for role, name in named.items():
        if name is not None and name in ignore:
            raise ValueError(f"the column {name!r} is both {role} and left out by ignore")
    table = table_of(frame, without=ignore)
    for role, name in named.items():
        if name is not None:
            checked_columns(table.column_names, [name], role)
    return table


def _setting(name, value):
    """A setting of the method: a number, a flag, or the name of a rule for the weights of classes."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if name == "class_weights" and isinstance(value, str):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}: it is no parameter of train, and taken for a setting of the "
                         "method; columns are named by target, weights, groups and ignore") from None


class Plan(dict):
    """The cost of the algorithms that learn from a table, and the loss of accuracy by landmarks.

    A dictionary that :func:`plan` returns; printed, it is a table of the algorithms with their time and memory.

    Attributes
    ----------
    recommended : str or None
        The recommended algorithm; None if none fits the memory.
    reason : str
        The reason, in words.

    See Also
    --------
    plan : Makes the plan.

    Notes
    -----
    The keys: ``kernel`` is the kernel with its parameters; ``costs`` has ``task``, the memory ``budget`` in bytes,
    ``predictions`` (for each ``algorithm`` its ``terms`` of seconds, its ``bytes``, and whether it ``fits``), ``recommended``
    and ``reason``; ``landmarks`` is the number of landmarks; ``unexplained`` the share of the trace of the kernel that
    they do not explain, on up to 4000 of the rows; and ``rounds`` a sentence on fits with
    :func:`kernrs.distributed.fit`.

    Examples
    --------
    >>> import kernrs
    >>> from sklearn.datasets import load_digits
    >>> X, _ = load_digits(return_X_y=True)
    >>> found = kernrs.plan(X, kernel="rbf", landmarks=200)
    >>> found["landmarks"], 0 < found["unexplained"] < 1
    (200, True)
    >>> found.recommended in [row["algorithm"] for row in found["costs"]["predictions"]]
    True
    """

    @property
    def recommended(self):
        """str or None: the recommended algorithm; None if none fits the memory."""
        return self["costs"]["recommended"]

    @property
    def reason(self):
        """str: the reason for the recommended algorithm."""
        return self["costs"]["reason"]

    def __repr__(self):
        return (f"kernel: {self['kernel']}\n\n{self._text}\n\n{self['landmarks']} landmarks leave "
                f"{self['unexplained']:.2e} of the kernel's trace unexplained; {self['rounds']}.")

    def _repr_html_(self):
        cells = "".join(f"<tr><th>{html.escape(row['algorithm'])}</th><td>{sum(term['seconds'] for term in row['terms']):.3g}</td>"
                        f"<td>{row['bytes'] / 2**20:.1f}</td><td>{'yes' if row['fits'] else 'no'}</td></tr>"
                        for row in self["costs"]["predictions"])
        return (f"<p>kernel <code>{html.escape(self['kernel'])}</code>; {html.escape(self.reason)}; {self['landmarks']} landmarks "
                f"leave {self['unexplained']:.2e} of the trace unexplained; {html.escape(self['rounds'])}</p><table><tr><th>algorithm</th><th>seconds</th>"
                f"<th>MiB</th><th>fits</th></tr>{cells}</table>")


def plan(frame, target=None, *, kernel=None, landmarks=None, seed=0, ignore=()):
    """Plans the cost of learning from a frame or an array on this machine.

    The times are those of kernel ridge regression, from measurements of this machine and of this kernel: they take a
    moment, and a fit of landmarks on up to 4000 of the rows. SVMs and logistic regression on the exact kernel cost
    several times as much. The memory is that of :func:`config`.

    Parameters
    ----------
    frame : DataFrame, pyarrow.Table, dict or ndarray of shape (n_samples, n_features)
        A frame of pandas or polars, a table of Arrow, a dictionary of columns, or an array, whose columns are named x0,
        x1 and so on.
    target : str or None, default=None
        The column of the targets, which is not used as a feature.
    kernel : str, Kernel or None, default=None
        A formula (see :class:`Kernel`); parameters that it leaves out are taken from the data. None suits the columns.
    landmarks : int or None, default=None
        The number of landmarks that are considered; None and 0 are 1000, at most n_samples.
    seed : int, default=0
        The seed of the choice of landmarks, >= 0.
    ignore : str or list of str, default=()
        Columns that are left out.

    Returns
    -------
    plan : Plan
        A dictionary with ``kernel``, ``costs``, ``landmarks``, ``unexplained`` and ``rounds``.

    Raises
    ------
    ValueError
        If a column is not known, or the measurements do not fit the memory of :func:`config`.

    See Also
    --------
    train : Learns from a frame.
    choose_features : The kind and the number of features for a tolerated error.

    Examples
    --------
    >>> import kernrs, numpy as np
    >>> found = kernrs.plan(np.random.default_rng(0).normal(size=(500, 4)), kernel="rbf")
    >>> sorted(found)
    ['costs', 'kernel', 'landmarks', 'rounds', 'unexplained']
    """
    if isinstance(frame, np.ndarray):
        # Points, whose flags are numbers as all others.
        frame = frame.astype(np.float64) if frame.dtype.kind in "bf" else frame
        frame = {f"x{column}": frame[:, column] for column in range(frame.shape[1])}
    for name, value in (("landmarks", landmarks), ("seed", seed)):
        checked(name, value)
    table = _columns(frame, ignore, {"target": target})
    kernel = None if kernel is None else formula_given(kernel)
    text, numbers = _native.plan(written(table), target, kernel, landmarks, get_config()["memory"], seed)
    found = Plan(numbers)
    found._text = text
    return found


def _task(table, target):
    """The task that a target suggests; a guess from whole numbers is told."""
    task, reason = _native.suggested_task(written(table.select([target])), target)
    if class_type_of(table.schema.field(target).type) in ("integer", "real") and "fractions" not in reason:
        other = "regress" if task == "classify" else "classify"
        warnings.warn(f"{target}: {reason}, so the task is {task!r}: say task={other!r} for the other one, or task={task!r}", stacklevel=3)
    return task


def read_table_model(path):
    """Reads the model of a table from a file that Python or the command line has written.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : TableModel
        The model.

    Raises
    ------
    ValueError
        If the file has another kind of model, or none.
    OSError
        If the file cannot be read.

    See Also
    --------
    load : Reads models of any kind.
    save : Writes a model.

    Examples
    --------
    >>> import tempfile, kernrs
    >>> model = kernrs.train({"x": [1.0, 2.0, 3.0, 4.0], "y": [True, True, False, False]}, "y")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kernrs.save(model, f"{folder}/model.kern")
    ...     again = kernrs.read_table_model(f"{folder}/model.kern")
    >>> again.predict({"x": [1.5, 3.5]}).tolist()      # the file keeps the type of the classes
    [True, False]
    """
    with open(path, "rb") as file:
        return TableModel(_native.TableModel.open(file.read()))
