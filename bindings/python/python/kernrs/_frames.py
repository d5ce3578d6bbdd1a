"""Tables of mixed columns: from a frame of pandas or polars to a tuned model, in the files of the command line."""

import html

import numpy as np

from . import _native
from ._arrow import stream_of
from ._base import Report, warn_unless_converged
from ._config import get_config


class TableModel:
    """A model of a table: it knows its columns, fills what is missing, and answers for other tables."""

    def __init__(self, native):
        self._native = native

    def predict(self, frame):
        """The answers for the rows of a frame that has the columns of the model, in any order, or of an array that has just these.

        Those of components are rows of coordinates.
        """
        return np.asarray(self._native.predict(self._stream(frame)))

    def predict_proba(self, frame):
        """The classes, and their probabilities for each row; None if the method has none."""
        found = self._native.probabilities(self._stream(frame))
        return None if found is None else (np.asarray(found[0]), np.asarray(found[1]))

    def transform(self, frame):
        """The principal components of the rows of a frame, if the model is one of components."""
        if not self.task.startswith("components"):
            raise ValueError(f"the model has no components: its task is {self.task}")
        return self.predict(frame)

    def _stream(self, frame):
        """The rows as a stream of Arrow; the columns of an array are those of the model, in their order."""
        if not isinstance(frame, np.ndarray):
            return stream_of(frame)
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


def train(frame, target=None, *, task=None, kernel=None, method=None, tune=None, weights=None, groups=None,
          landmarks=None, seed=0, **settings):
    """Learns from a frame of pandas or polars, a table of Arrow, or a dictionary of columns.

    The task is ``"classify"``, ``"regress"``, ``"detect"`` or ``"cluster:K"``; without one it follows from the
    target's type. ``tune`` is the number of folds of a search for hyper-parameters.

    >>> import kernrs
    >>> table = {"petal": [1.4, 1.3, 4.7, 5.1], "colour": ["white", None, "blue", "blue"],
    ...          "species": ["setosa", "setosa", "virginica", "virginica"]}
    >>> model = kernrs.train(table, "species")
    >>> str(model.predict({"petal": [4.9], "colour": ["blue"]})[0])
    'virginica'
    """
    stream = stream_of(frame)
    if task is None:
        task = "detect" if target is None else _task(stream, target)
    given = [(name, float(value)) for name, value in settings.items()]
    run = get_config()
    native = _native.train(stream, task, target, kernel, method, tune, weights, groups, landmarks, given, seed,
                           run["callback"], run["interrupt"] == "keep")
    model = TableModel(native)
    warn_unless_converged("train", model.report, "max_iterations")
    return model


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


def plan(frame, target=None, *, kernel=None, landmarks=None, seed=0):
    """Plans what learning from a frame, or from an array, would cost on this machine, within the memory of the settings.

    The kernel's parameters are taken from the data, unless they are given.

    >>> import kernrs, numpy as np
    >>> found = kernrs.plan(np.random.default_rng(0).normal(size=(500, 4)), kernel="rbf")
    >>> sorted(found)
    ['costs', 'kernel', 'landmarks', 'rounds', 'unexplained']
    """
    if isinstance(frame, np.ndarray):
        # Points, whose flags are numbers as all others.
        frame = frame.astype(np.float64) if frame.dtype.kind in "bf" else frame
        frame = {f"x{column}": frame[:, column] for column in range(frame.shape[1])}
    text, numbers = _native.plan(stream_of(frame), target, kernel, landmarks, get_config()["memory"], seed)
    found = Plan(numbers)
    found._text = text
    return found


def _task(stream, target):
    import pyarrow as pa
    kind = pa.ipc.open_stream(stream).schema.field(target).type
    return "regress" if pa.types.is_floating(kind) else "classify"


def read_table_model(path):
    """The model of a table in a file, by Python or by the command line."""
    with open(path, "rb") as file:
        return TableModel(_native.TableModel.open(file.read()))
