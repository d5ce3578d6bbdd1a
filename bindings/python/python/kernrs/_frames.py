"""Tables of mixed columns: from a frame of pandas or polars to a tuned model, in the files of the command line."""

import html
import warnings

import numpy as np

from . import _native
from ._arrow import checked_columns, class_type_of, stream_of, table_of, written
from ._base import Report, warn_unless_converged
from ._config import get_config
from ._kernels import Kernel
from ._orders import names
from ._parameters import checked

#: The methods of each task, for messages.
_METHODS = {"classify": "svm, logistic, neighbors", "regress": "ridge, svm, neighbors", "detect": "svm", "cluster": "k-means",
            "components": "components"}


class TableModel:
    """A model of a table: it knows its columns, fills what is missing, and answers for other tables.

    Classes have the type of the target that was learned: whole numbers, booleans, floats or strings. A file keeps this type.
    """

    def __init__(self, native):
        self._native = native

    def _typed(self, answers):
        """Classes in the type of the target; other answers as they are."""
        value = {"boolean": _is_true, "integer": int, "real": float}.get(self._native.class_type)
        return np.array(answers if value is None else [value(label) for label in answers])

    def predict(self, frame):
        """The answers for the rows of a frame that has the columns of the model, in any order, or of an array that has just these.

        Those of components are rows of coordinates.
        """
        return self._typed(self._native.predict(self._stream(frame)))

    def predict_proba(self, frame):
        """The classes, and the probabilities of rows x classes: a pair of arrays. Methods without probabilities raise an error."""
        found = self._native.probabilities(self._stream(frame))
        if found is None:
            way = "train with method='logistic' or 'neighbors'" if self.task == "classify" else f"its task is {self.task}"
            raise ValueError(f"the model has no probabilities, since its method is {self._native.method}: {way}")
        return self._typed(found[0]), np.asarray(found[1])

    def transform(self, frame):
        """The principal components of the rows of a frame, if the model is one of components."""
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
        """The names of the columns that the model looks at, in their order."""
        return self._native.columns

    @property
    def target(self):
        """The column of the targets; None if there is none."""
        return self._native.target

    @property
    def kernel(self):
        """The kernel, with all of its parameters."""
        return self._native.kernel

    @property
    def task(self):
        """The task."""
        return self._native.task

    @property
    def report(self):
        """The evidence of the fit."""
        return Report(self._native.report)

    @property
    def notes(self):
        """What was noted of the table and of the fit: columns left out, answers that are all the same, a rare class that is not found."""
        return self._native.notes

    @property
    def best_score(self):
        """The score of the best candidate by cross-validation, if there was a search."""
        return self._native.best_score

    def to_bytes(self, json=False):
        """The bytes of a file with this model."""
        return self._native.to_bytes(json)

    def __repr__(self):
        return f"TableModel({self._native.method}, kernel={self.kernel!r}, {self.report!r})"

    def __reduce__(self):
        return TableModel, (self._native,)


def _is_true(label):
    """The value of a label of truth values, in any spelling."""
    return label.lower() == "true"


def train(frame, target=None, *, task=None, kernel=None, method=None, tune=None, weights=None, groups=None,
          landmarks=None, seed=0, ignore=(), **settings):
    """Learns from a frame of pandas or polars, a table of Arrow, or a dictionary of columns.

    The task is ``"classify"``, ``"regress"``, ``"detect"`` or ``"cluster:K"``; without one it follows from the
    target's values, whatever their type: words, booleans and at most 20 different whole numbers are classes, all else is predicted as
    numbers, dates and times in seconds since 1970. A warning tells a guess from whole numbers, and each of the ``notes``. ``tune`` is the number of folds of a search for hyper-parameters, and
    ``method`` one of ``"svm"``, ``"logistic"``, ``"ridge"`` and ``"neighbors"``, as the task allows.

    ``weights`` and ``groups`` are names of columns; ``ignore`` is a name, or a list of names, of columns that are left out. The
    index of a frame of pandas is no column. ``settings`` are those of the method: numbers as ``c``, ``epsilon``, ``max_iterations``,
    flags as ``intercept``, and ``class_weights="balanced"``.

    >>> import kernrs
    >>> table = {"petal": [1.4, 1.3, 4.7, 5.1], "colour": ["white", None, "blue", "blue"],
    ...          "species": ["setosa", "setosa", "virginica", "virginica"]}
    >>> model = kernrs.train(table, "species")
    >>> str(model.predict({"petal": [4.9], "colour": ["blue"]})[0])
    'virginica'
    """
    table = _columns(frame, ignore, {"target": target, "weights": weights, "groups": groups})
    classes = None if target is None else class_type_of(table.schema.field(target).type)
    if task is None:
        task = "detect" if target is None else _task(table, target)
    methods = _METHODS.get(task.split(":")[0], "")
    if method is not None and not any(method in known.split(", ") for known in _METHODS.values()):
        raise ValueError(f"method must be one of {methods} for the task {task}, got {method!r}")
    for name, value in (("tune", tune), ("landmarks", landmarks), ("seed", seed)):
        checked(name, value)
    kernel = kernel.formula if isinstance(kernel, Kernel) else kernel
    given = [(name, _setting(name, value)) for name, value in settings.items()]
    run = get_config()
    native = _native.train(written(table), task, target, kernel, method, tune, weights, groups, landmarks, given, seed,
                           run["callback"], run["interrupt"] == "keep", classes)
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
    """What the ways to learn from a table cost here, and what landmarks would lose."""

    @property
    def recommended(self):
        """The way to take; None if no way fits the memory."""
        return self["costs"]["recommended"]

    @property
    def reason(self):
        """The reason, in words."""
        return self["costs"]["reason"]

    def __repr__(self):
        return (f"kernel: {self['kernel']}\n\n{self._text}\n\n{self['landmarks']} landmarks leave "
                f"{self['unexplained']:.2e} of the kernel's trace unexplained; {self['rounds']}.")

    def _repr_html_(self):
        cells = "".join(f"<tr><th>{html.escape(way['way'])}</th><td>{sum(term['seconds'] for term in way['terms']):.3g}</td>"
                        f"<td>{way['bytes'] / 2**20:.1f}</td><td>{'yes' if way['fits'] else 'no'}</td></tr>"
                        for way in self["costs"]["predictions"])
        return (f"<p>kernel <code>{html.escape(self['kernel'])}</code>; {html.escape(self.reason)}; {self['landmarks']} landmarks "
                f"leave {self['unexplained']:.2e} of the trace unexplained; {html.escape(self['rounds'])}</p><table><tr><th>way</th><th>seconds</th>"
                f"<th>MiB</th><th>fits</th></tr>{cells}</table>")


def plan(frame, target=None, *, kernel=None, landmarks=None, seed=0, ignore=()):
    """Plans what learning from a frame, or from an array, would cost on this machine, within the memory of the settings.

    The kernel's parameters are taken from the data, unless they are given; ``ignore`` are columns that are left out.

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
    kernel = kernel.formula if isinstance(kernel, Kernel) else kernel
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
    """The model of a table in a file, by Python or by the command line."""
    with open(path, "rb") as file:
        return TableModel(_native.TableModel.open(file.read()))
