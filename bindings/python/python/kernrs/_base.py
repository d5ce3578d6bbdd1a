"""The part that all estimators share: points, kernels, weights, and the call of the native fit with its callbacks and advice."""

import contextlib
import html
import numbers
import os
import re
import sys
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_consistent_length, check_is_fitted, validate_data

from . import _native
from ._config import get_config
from ._validation import NAMES, Checked, canonical, checked, is_texts, points_of, refuse_complex, resolve, texts_of, without_index

# Versions of scikit-learn from 1.9 on have callbacks: a step of a solver is a task of the fit.
try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:
    class CallbackSupportMixin:
        """Nothing: this version of scikit-learn has no callbacks."""

    def with_callbacks(method):
        """The method itself."""
        return method


class Report(dict):
    """Evidence of a fit: status, iterations, objective, duality gap, and details of the learner.

    A dict whose representation is one line, and a table in notebooks.
    """

    def __repr__(self):
        gap = "" if self.get("gap") is None else f", gap {self['gap']:.1e}"
        return f"{self['status']} after {self['iterations']} iterations, objective {self['objective']:.6e}{gap}"

    def _repr_html_(self):
        plain = {name: value for name, value in self.items() if not isinstance(value, (list, dict))}
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>"
                       for name, value in plain.items())
        return f"<table>{rows}</table>"


def warn_unless_converged(name, report, limit, names=("tolerance",)):
    """Issue a ConvergenceWarning if a fit has not converged.

    Parameters
    ----------
    name : str
        Name of the estimator or function.
    report : Report
        Report of the fit.
    limit : str or None
        Parameter that ends a fit before it has converged; None if reaching it is the normal end of a fit.
    names : collection of str, default=("tolerance",)
        Names of the parameters that the advice may name.
    """
    # The status "early_stopped" is what was asked for.
    advice = advice_of(report["status"], limit, names)
    if advice is not None:
        warnings.warn(f"{name}: {report!r}; {advice}", ConvergenceWarning, stacklevel=_level_of_caller())


def _level_of_caller():
    """The level of the stack, for a warning of the function that asks, at which the package was called."""
    folder, frame, level = os.path.dirname(__file__), sys._getframe(1), 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == folder:
        frame, level = frame.f_back, level + 1
    return level


def seed_of(random_state):
    """Draw a seed for the native part.

    Parameters
    ----------
    random_state : int, RandomState instance, Generator or None
        A generator is advanced; None is 0.

    Returns
    -------
    seed : int
        The seed.

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Number):
        return int(checked("random_state", random_state))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if not hasattr(random_state, "randint"):
        raise ValueError(f"random_state must be a whole number, a generator of NumPy or None, got {random_state!r}")
    return int(random_state.randint(2**31 - 1))


class _Enough(KeyboardInterrupt):
    """A callback wants no more steps: the fit ends with what was reached, as at Ctrl-C."""


class Steps:
    """The steps of a fit, told to the callbacks of an estimator about ten times a second."""

    @staticmethod
    def are_watched(estimator):
        """Tells whether there is anybody to tell."""
        return hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")

    def __init__(self, estimator, callback):
        self._estimator, self._callback, self._is_enough = estimator, callback, False
        self._context = estimator._init_callback_context(max_subtasks=None)
        self._context.call_on_fit_task_begin(estimator=estimator)

    def __call__(self, iteration, total, loss, **more):
        if self._callback is not None:
            self._callback(iteration, total, loss, **more)
        step = self._context.subcontext("step").call_on_fit_task_begin(estimator=self._estimator)
        metadata = {"iteration": iteration, "total": total, "loss": loss, **more}
        if step.call_on_fit_task_end(estimator=self._estimator, metadata=metadata):
            self._is_enough = True
            raise _Enough

    def end(self, *, must_raise):
        """Tells that the fit has ended; Ctrl-C that nobody wants to be kept is raised."""
        if must_raise and not self._is_enough:
            raise KeyboardInterrupt
        self._context.call_on_fit_task_end(estimator=self._estimator)


#: What takes less memory than the kernel matrix, and is there for every kernel.
_LESS = "take fewer samples, or Nystroem features with a linear learner, or allow more memory by kernrs.config"

#: Advice of the native part that names what Python does not have, and the same advice for Python.
_IN_PYTHON = {
    "SGD with the hinge loss and Storage::OnTheFly takes less": _LESS,
    "SGD with the logistic loss and Storage::OnTheFly needs none of it": _LESS,
    "SGD with Storage::OnTheFly needs none of it": _LESS,
    "RidgeSolver::ConjugateGradients needs none of it": _LESS,
    "SearchAlgorithm::Brute needs a copy of the points only": "take fewer samples, or allow more memory by kernrs.config",
    "Ridge::factor takes n² numbers for one lambda": "KernelRidge with one alpha takes less",
    "a lazy Gram matrix would fit": _LESS,
    "a blocked Gram matrix would fit": _LESS,
    "a packed Gram matrix would fit": _LESS,
    "k-means on features keeps no sums": _LESS,
    "hard clusters on features take less": "KernelKMeans takes less",
    "take fewer, or landmarks": _LESS,
    "take a diagonal metric of fewer features": "take metric='diagonal', or fewer features",
    "take fewer landmarks": "take a smaller n_components",
    "ask for variances": "take return_std",
}
_LAMBDA, _SMALLER_C = "use a larger lambda", "take a smaller C"


def advice_of(status, limit, names):
    """Return the ways out of a fit that has not converged, or None if it needs none.

    Parameters
    ----------
    status : str
        Status of the fit.
    limit : str or None
        Parameter that ends a fit before it has converged; None if reaching it is the normal end of a fit.
    names : collection of str
        Names of the parameters: no others are in the advice.
    """
    if status in ("stopped", "other"):
        return "it was interrupted" if status == "stopped" else "see the report"
    if status not in ("iterations_done", "stalled") or (status == "iterations_done" and limit is None):
        return None
    ways = ["scale the features"] if status == "stalled" else [f"increase {limit}"]
    if status == "stalled":
        ways += ["increase alpha"] if "alpha" in names else ["decrease C"] if "C" in names else []
    ways += [f"take a larger {name}" for name in ("tol", "tolerance") if name in names]
    return ("rounding prevents a more accurate result: " if status == "stalled" else "") + ", or ".join(ways)


def in_python(message, names):
    """Return a message of the native part with advice by the names of Python.

    Parameters
    ----------
    message : str
        The message.
    names : collection of str
        Names of the estimator's parameters.
    """
    for native, advice in _IN_PYTHON.items():
        message = message.replace(native, advice)
    if "alpha" in names:
        message = message.replace(_LAMBDA, "use a larger alpha")
    elif "alphas" in names:
        message = message.replace(_LAMBDA, "use larger alphas")
    elif "C" in names:
        message = message.replace(_LAMBDA, "use a smaller C")
    else:
        message = message.replace(_LAMBDA, "add white(noise=1e-6) to the kernel")
    return message if "C" in names else message.replace(f", or {_SMALLER_C}", "")


@contextlib.contextmanager
def advice_in_python(estimator):
    """Context manager that raises errors of the native part with advice by the names of an estimator's parameters."""
    try:
        yield
    except ValueError as error:
        message = in_python(str(error), estimator.get_params(deep=False))
        if message == str(error):
            raise
        raise ValueError(message) from None


class KernelEstimator(Checked, CallbackSupportMixin, BaseEstimator):
    """Base of estimators on a kernel.

    The parameters ``kernel``, ``gamma``, ``degree`` and ``coef0`` are those of scikit-learn.
    """

    #: The name of the native learner.
    _learner = None
    #: The value of gamma where it is None.
    _gamma = staticmethod(lambda points: 1.0 / points.shape[1])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.pairwise = getattr(self, "kernel", None) == "precomputed"
        return tags

    def _check_points(self, points, y="no_validation", *, reset):
        """The points, and the targets if there are any, in the shape that the native part takes."""
        points = canonical(without_index(points))
        if not self._on_vectors():
            points = texts_of(points)
            if is_texts(points):
                return list(points) if isinstance(y, str) else (list(points), self._targets_of(points, y))
        checks = {"accept_sparse": "csr" if self._sparse else False, "dtype": list(self._dtypes), "order": "C",
                  "reset": reset, "ensure_min_samples": self._least if reset else 1}
        if isinstance(y, str):
            return validate_data(self, points, **checks)
        return validate_data(self, points, y, multi_output=self._several, y_numeric=self._numeric, **checks)

    def _targets_of(self, texts, y):
        """The targets of strings, checked like those of other points."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        y = _check_y(y, multi_output=self._several, y_numeric=self._numeric, estimator=self)
        check_consistent_length(texts, y)
        return y

    #: The parameter that ends a fit before it has converged, or else one whose increase helps it to converge; None
    #: where reaching the end is the normal end of a fit.
    _limit = "max_iter"
    #: The fewest points that can be learned from.
    _least = 1
    #: Several outputs are learned at once; targets are numbers.
    _several = False
    _numeric = False
    #: What is learned follows from distances in the feature space, which come from the differences of points.
    _by_distances = False
    #: Sparse points are taken; the precisions that are learned in, of which the first is that of all other numbers.
    _sparse = True
    _dtypes = (np.float64, np.float32)

    def _on_vectors(self):
        return isinstance(self.kernel, str) and (self.kernel in NAMES or self.kernel == "precomputed")

    def _formula_of(self, kernel, points, weights):
        """The formula of a kernel that is neither precomputed nor a callable."""
        more = getattr(self, "kernel_params", None) or {}
        degree, coef0 = (more.get(name, getattr(self, name, None)) for name in ("degree", "coef0"))
        gamma = more["gamma"] if "gamma" in more else self._resolved_gamma(points, weights)
        return resolve(kernel, gamma, 3 if degree is None else degree, 1.0 if coef0 is None else coef0)

    def _resolved_gamma(self, points, weights):
        gamma = getattr(self, "gamma", None)
        if isinstance(points, list):
            return gamma if isinstance(gamma, numbers.Real) else None
        if isinstance(gamma, str):
            if gamma == "auto":
                return 1.0 / points.shape[1]
            if gamma != "scale":
                raise ValueError(f"gamma must be 'scale', 'auto' or a number, got {gamma!r}")
            return scale_of(points, weights)
        if gamma is None:
            # scikit-learn's default for this one.
            return 1.0 if self.kernel == "chi2" else self._gamma(points)
        return gamma

    def _prepare(self, points, weights=None):
        """The native points of a fit; sets the formula, and remembers what queries are compared with."""
        kernel = self.kernel
        if isinstance(kernel, str) and kernel == "precomputed":
            self._formula, self._fit_points = "", None
            if points.shape[0] != points.shape[1]:
                raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {points.shape[0]}x"
                                 f"{points.shape[1]} matrix.")
            return self._given(_dense(points))
        if self._is_called(kernel):
            self._formula, self._fit_points = "", points
            return self._given(_dense(self._called(points, points)))
        self._formula = self._formula_of(kernel, points, weights)
        if not self._by_distances and _is_blurred(points, self._formula):
            points = points.astype(np.float64)
        self._fit_points, self._is_sparse = None, sparse.issparse(points)
        self._dtype = getattr(points, "dtype", None)
        return points_of(points)

    def _given(self, values):
        """The native points of a kernel matrix."""
        return _native.Points.gram(values)

    def _is_called(self, kernel):
        """Tells whether a kernel is a function of Python."""
        return callable(kernel) and not hasattr(kernel, "formula")

    def _called(self, a, b):
        """The values of a callable kernel of two arrays; with ``kernel_params``, of two points, as scikit-learn has it."""
        if not hasattr(self, "kernel_params"):
            values = self.kernel(a, b)
            values = values.toarray() if sparse.issparse(values) else np.asarray(values)
            refuse_complex(values)
            expected = (points_count(a), points_count(b))
            if values.shape != expected:
                raise ValueError(f"the kernel function must return an array of shape {expected}, got {values.shape}")
            return np.ascontiguousarray(values, dtype=np.float64)
        return pairwise_kernels(a, b, metric=self.kernel, **(self.kernel_params or {}))

    def _queries(self, points):
        """The native points of a prediction."""
        check_is_fitted(self, "model_")
        return self._like_fit(self._check_points(points, reset=False))

    def _like_fit(self, points):
        """Points that are checked, in the form of those of the fit."""
        if self._formula:
            return points_of(points, self._is_sparse, self._dtype)
        return _native.Points.cross(self._values_with_fit(points))

    def _values_with_fit(self, points):
        """The kernel values of points, which are checked, with those of the fit, if there is no formula."""
        return _dense(points if self._fit_points is None else self._called(points, self._fit_points))

    def _learn(self, points, y, weights, **settings):
        """The native fit."""
        weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        return self._keep_model(self._watched_fit(points, y, weights, settings))

    def _keep_model(self, model, **known):
        """Keeps a native model with its report, and what is known beyond it; a fit that has not converged warns."""
        self.model_ = model
        self.report_ = Report(self.model_.report | known)
        self.n_iter_ = max(1, self.report_["iterations"])
        warn_unless_converged(type(self).__name__, self.report_, self._limit, self.get_params(deep=False))
        return self

    @with_callbacks
    def _watched_fit(self, points, y, weights, settings):
        """The native fit, seen by the callback of the settings, and by those of scikit-learn that the estimator has."""
        run = get_config()
        steps = Steps(self, run["callback"]) if Steps.are_watched(self) else None
        keep = run["interrupt"] == "keep"
        with advice_in_python(self):
            model = _native.fit(self._learner, self._formula, points, y, weights, settings, run["memory"],
                                run["callback"] if steps is None else steps, keep or steps is not None)
        if steps is not None:
            steps.end(must_raise=model.report["status"] == "stopped" and not keep)
        return model

    @property
    def kernel_formula_(self):
        """The kernel with all parameters that were used, as a str; "precomputed" for Gram matrices and callables."""
        check_is_fitted(self, "model_")
        return self._formula or "precomputed"


class KernelClassifier(KernelEstimator):
    """Base of classifiers on a kernel."""

    #: The beginning of the error where the weights leave one class.
    _one_class = "The number of classes with positive weight has to be greater than one."
    #: The places of the classes that had weight in the fit; None if all had. The others are never predicted.
    _present = None

    def _weights_of(self, sample_weight, X):
        return weights_of(sample_weight, X)

    def _scaled(self, count):
        """Settings that depend on the number of points."""
        return {}

    def _fit_classes(self, X, y, sample_weight, **settings):
        return self._learn_classes(*self._check_points(X, y, reset=True), sample_weight, **settings)

    def _learn_classes(self, X, y, sample_weight, **settings):
        """The fit to points and targets that are checked."""
        settings |= self._scaled(len(y))
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            from sklearn.utils.validation import column_or_1d
            y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = None if sample_weight is None else self._weights_of(sample_weight, X)
        per_class = self._class_weights(y, codes, weights)
        points = self._prepare(X, weights)
        if per_class is not None:
            weights = per_class[codes] * (1.0 if weights is None else weights)
        codes = self._keep_present(codes, weights)
        return self._learn(points, codes.astype(np.int64), weights, **settings)

    def _class_weights(self, y, codes, weights):
        """A weight for each class; None without any. Classes without weight have no part in what balances the others."""
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None:
            return None
        if weights is None or class_weight != "balanced":
            return compute_class_weight(class_weight, classes=self.classes_, y=y)
        used = weights > 0
        present = np.unique(codes[used])
        per_class = np.zeros(len(self.classes_))
        per_class[present] = compute_class_weight(class_weight, classes=self.classes_[present], y=y[used],
                                                  sample_weight=weights[used])
        return per_class

    def _keep_present(self, codes, weights):
        """Keeps the classes that have weight, and the codes of the fit, where points without weight are of some of these."""
        present = np.unique(codes if weights is None else codes[weights > 0])
        if len(present) < 2:
            known = ", ".join(repr(label) for label in self.classes_.tolist())
            if len(self.classes_) < 2:
                raise ValueError(f"The number of classes has to be greater than one; got {len(present)} class: {known}")
            one = self.classes_[present].tolist()
            raise ValueError(f"{self._one_class} Of the classes {known} only {one} has positive weight.")
        self._present = None if len(present) == len(self.classes_) else present
        return codes if self._present is None else np.where(np.isin(codes, present), codes, present[0])

    def predict(self, X):
        """Predict the classes of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            The predicted classes.
        """
        return self.classes_[self.model_.predict(self._queries(X))] if hasattr(self, "model_") else self._queries(X)

    def _decisions(self, X):
        values = self.model_.decision(self._queries(X)) if hasattr(self, "model_") else self._queries(X)
        values = values if self._present is None else self._of_all_classes(values)
        return values[:, 0] if values.shape[1] == 1 else values

    def _of_all_classes(self, values):
        """The values of the functions of all classes, from those of the classes that had weight: others are below them."""
        if values.shape[1] == 1:
            values = np.column_stack([-values, values])
        least = values.min(axis=1, keepdims=True)
        found = np.repeat(least - 1 - abs(least) / 2, len(self.classes_), axis=1)
        found[:, self._present] = values
        return found

    def _probabilities(self, X):
        """The probabilities of all classes: points x classes."""
        values = self.model_.probabilities(self._queries(X)) if hasattr(self, "model_") else self._queries(X)
        if self._present is None:
            return values
        found = np.zeros((len(values), len(self.classes_)), dtype=values.dtype)
        found[:, self._present] = values
        return found


#: Kernels of inner products: far from the origin their values have few digits of what points differ by.
_INNER = re.compile(r"\b(linear|poly|polynomial|sigmoid|cosine)\b")
#: The offset of a column in standard deviations from which single precision has too few.
_OFFSET = 30.0


def _is_blurred(points, formula):
    """Tells whether single precision is too coarse for the kernel values of these points."""
    if getattr(points, "dtype", None) != np.float32 or sparse.issparse(points) or not _INNER.search(formula):
        return False
    means, spreads = points.mean(axis=0, dtype=np.float64), points.std(axis=0, dtype=np.float64)
    return bool(np.any((spreads > 0) & (np.abs(means) > _OFFSET * spreads)))


def scale_of(points, weights=None):
    """Compute the gamma that is called "scale": 1 / (n_features * variance of X).

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n_samples, n_features)
        Samples.
    weights : ndarray of shape (n_samples,), default=None
        Weights of the samples in the variance; those of weight 0 are left out.

    Returns
    -------
    gamma : float
        The coefficient; 1 if all entries are equal.

    Raises
    ------
    ValueError
        If the variance is so small or so large that there is no value.
    """
    if weights is not None and not np.all(weights > 0):
        # Points without weight would count where they are infinitely far, and where the others are equal.
        points, weights = points[np.flatnonzero(weights > 0)], weights[weights > 0]
    with np.errstate(all="ignore"):
        variance = float(_variance(points, weights))
        gamma = 1.0 / np.float64(points.shape[1] * variance) if variance > 0 else np.nan
        # One point, or equal ones, have no scale, and none is needed.
        if points.max() == points.min():
            return 1.0
    if not 0 < gamma < np.inf:
        raise ValueError(f"gamma='scale' has no value here, since the variance of the points is {variance:g}: scale the features, "
                         "or give a number")
    return float(gamma)


def _variance(points, weights):
    if sparse.issparse(points):
        weights = np.ones(points.shape[0]) if weights is None else weights
        total = weights.sum() * points.shape[1]
        values, weights = points.data.astype(np.float64), np.repeat(weights, np.diff(points.indptr))
        mean = (weights @ values) / total
        # Differences from the mean, since squares cancel at an offset; entries that are not stored are zeros.
        return float((weights @ np.square(values - mean) + (total - weights.sum()) * mean**2) / total)
    if weights is None:
        return points.var()
    rows = points.mean(axis=1)
    mean = np.average(rows, weights=weights)
    return float(np.average(((points - mean) ** 2).mean(axis=1), weights=weights))


def _dense(values):
    return np.ascontiguousarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)


def points_count(points):
    """Return the number of samples in a list of strings, an array or a sparse matrix."""
    return len(points) if isinstance(points, list) else points.shape[0]


def numbers_of(sample_weight, points, **checks):
    """Return the weights as an array with one finite number for each sample."""
    n = points_count(points)
    return _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, **checks)


def weights_of(sample_weight, points):
    """Return the weights as an array; negative ones are refused, and so are weights that are all zero."""
    weights = numbers_of(sample_weight, points, ensure_non_negative=True)
    if not np.any(weights > 0):
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights
