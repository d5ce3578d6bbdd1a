"""Feature maps: Nyström, random Fourier features, sketches of polynomials, and features of histograms."""

import html

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _native
from ._arrow import without_index
from ._base import KernelEstimator, scale_of, seed_of
from ._kernels import resolve
from ._parameters import Checked
from ._points import canonical, points_of


class Certificate(dict):
    """What features leave of the trace of a Gram matrix: ``trace``, ``trace_error``, ``rank`` and ``landmarks``.

    The error of any pair is at most the geometric mean of what is left of the two points.
    """

    @property
    def relative_error(self):
        """The share of the trace that is left: 0 is perfect."""
        return self["trace_error"] / self["trace"]

    def __repr__(self):
        return (f"{self['landmarks']} landmarks of rank {self['rank']} leave {self.relative_error:.2e} of the trace "
                f"{self['trace']:.6g}")

    def _repr_html_(self):
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{value:.6g}</td></tr>" for name, value in self.items())
        return f"<table>{rows}<tr><th>relative error</th><td>{self.relative_error:.3g}</td></tr></table>"


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """The Nyström map of a kernel by landmarks, in the place of ``sklearn.kernel_approximation.Nystroem``.

    There are fewer features than ``n_components`` if the landmarks have a smaller rank. Of a callable, which takes two points
    and ``kernel_params``, all pairs of points are asked for.
    """

    _learner = "nystroem"

    def __init__(self, kernel="rbf", *, gamma=None, coef0=None, degree=None, kernel_params=None, n_components=100,
                 random_state=None):
        self.kernel, self.gamma, self.coef0, self.degree = kernel, gamma, coef0, degree
        self.kernel_params, self.n_components, self.random_state = kernel_params, n_components, random_state

    def fit(self, X, y=None):
        """Chooses the landmarks."""
        X = self._check_points(X, reset=True)
        given = [name for name in ("gamma", "coef0", "degree") if getattr(self, name) is not None]
        if given and (callable(self.kernel) or self.kernel == "precomputed") and not hasattr(self.kernel, "formula"):
            raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel")
        points = self._prepare(X)
        count = min(int(self.n_components), len(points))
        self.model_ = _native.nystroem(self._formula, points, count, seed_of(self.random_state))
        if self.model_.landmarks is not None:
            self.components_ = self.model_.landmarks
        self._n_features_out = self.model_.dim
        return self

    def transform(self, X):
        """The features of points."""
        queries = self._queries(X)
        return self.model_.transform(queries)

    def certificate(self, X):
        """What the features leave of the trace of the Gram matrix of points: a :class:`Certificate`.

        >>> import numpy as np
        >>> from kernrs import Nystroem
        >>> X = np.linspace(0, 1, 200)[:, None]
        >>> Nystroem(gamma=1.0, n_components=20, random_state=0).fit(X).certificate(X).relative_error < 1e-6
        True
        """
        queries = self._queries(X)
        names = ("trace", "trace_error", "rank", "landmarks")
        return Certificate(zip(names, self.model_.evidence(queries)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class _Features(Checked, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What maps share that look at the dimension of the points only."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check(self, X, *, reset):
        return validate_data(self, canonical(without_index(X)), accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)

    def _keep(self, native, X):
        """Keeps a native map, if it takes the points of the fit."""
        _try(native, X)
        self.model_ = native
        self._n_features_out = native.dim
        return self

    def transform(self, X):
        """The features of points."""
        check_is_fitted(self, "model_")
        return self.model_.transform(points_of(self._check(X, reset=False)))


class RBFSampler(_Features):
    """Random Fourier features; ``kernel`` may be any formula that has a spectrum, not the RBF kernel only.

    >>> import numpy as np
    >>> from kernrs import RBFSampler
    >>> features = RBFSampler(gamma=1.0, n_components=2000, random_state=0).fit_transform([[0.0], [1.0]])
    >>> bool(abs(features[0] @ features[1] - np.exp(-1)) < 0.1)
    True
    """

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None, kernel="rbf"):
        self.gamma, self.n_components, self.random_state, self.kernel = gamma, n_components, random_state, kernel

    def fit(self, X, y=None):
        """Draws the frequencies."""
        X = self._check(X, reset=True)
        gamma = self.gamma
        if gamma == "scale":
            gamma = scale_of(X)
        formula = resolve(self.kernel, gamma)
        odd = self.n_components % 2 == 1
        return self._keep(_native.random_fourier(formula, X.shape[1], int(self.n_components), odd, seed_of(self.random_state)), X)


class PolynomialCountSketch(_Features):
    """The tensor sketch of a polynomial kernel, in the place of ``sklearn.kernel_approximation.PolynomialCountSketch``.

    >>> from kernrs import PolynomialCountSketch
    >>> features = PolynomialCountSketch(n_components=4096, random_state=0).fit_transform([[0.6, 0.8], [0.8, 0.6]])
    >>> bool(abs(features[0] @ features[1] - 0.96**2) < 0.1)
    True
    """

    def __init__(self, *, gamma=1.0, degree=2, coef0=0, n_components=100, random_state=None):
        self.gamma, self.degree, self.coef0 = gamma, degree, coef0
        self.n_components, self.random_state = n_components, random_state

    @classmethod
    def of_formula(cls, formula, **settings):
        """The sketch of the polynomial kernel of a formula.

        >>> PolynomialCountSketch.of_formula("poly(degree=3, gamma=0.5, coef0=1)").degree
        3
        """
        known = _native.formula(formula)
        if not known.startswith("poly("):
            raise ValueError(f"a sketch is for one polynomial kernel, got {known}")
        given = dict(part.split("=") for part in known.removeprefix("poly(").removesuffix(")").split(", "))
        return cls(gamma=float(given["gamma"]), degree=int(given["degree"]), coef0=float(given["coef0"]), **settings)

    def fit(self, X, y=None):
        """Draws the hashes."""
        X = self._check(X, reset=True)
        if not self.degree >= 1:
            raise ValueError(f"degree={self.degree} should be >=1.")
        kernel = (float(self.gamma), float(self.coef0), int(self.degree))
        return self._keep(_native.polynomial_sketch(kernel, X.shape[1], int(self.n_components), seed_of(self.random_state)), X)


class AdditiveChi2Sampler(_Features):
    """Features of an additive kernel on histograms, in the place of ``sklearn.kernel_approximation.AdditiveChi2Sampler``.

    ``kernel`` is ``"chi2"``, ``"intersection"`` or ``"jensen_shannon"``. Up to three ``sample_steps`` of the first have
    the interval that scikit-learn gives them, all others the one that balances the two errors. Nothing is random.

    >>> import numpy as np
    >>> from kernrs import AdditiveChi2Sampler
    >>> features = AdditiveChi2Sampler(sample_steps=4).fit_transform([[0.25, 0.75], [0.5, 0.5]])
    >>> bool(abs(features[0] @ features[1] - (1 / 3 + 0.6)) < 0.01)
    True
    """

    def __init__(self, *, sample_steps=2, sample_interval=None, kernel="chi2"):
        self.sample_steps, self.sample_interval, self.kernel = sample_steps, sample_interval, kernel

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.requires_fit = False
        return tags

    def _map(self, dim):
        if not self.sample_steps >= 1:
            raise ValueError(f"sample_steps must be 1 or more, got {self.sample_steps}")
        interval = self.sample_interval
        if interval is None and self.kernel == "chi2":
            interval = {1: 0.8, 2: 0.5, 3: 0.4}.get(self.sample_steps)
        return _native.additive(self.kernel, dim, int(self.sample_steps) - 1, None if interval is None else float(interval))

    def fit(self, X, y=None):
        """Checks the points; there is nothing to learn."""
        X = self._check(X, reset=True)
        _refuse_negative(X)
        return self._keep(self._map(X.shape[1]), X)

    def transform(self, X):
        """The features of points."""
        fitted = hasattr(self, "model_")
        X = self._check(X, reset=not fitted)
        _refuse_negative(X)
        return (self.model_ if fitted else self._map(X.shape[1])).transform(points_of(X))


#: The number of the largest points that a map is tried on.
_TRIED = 64


def _try(native, X):
    """Raises the error of points that a map does not take: of the largest, and of all if these have large features."""
    sizes = abs(X).max(axis=1)
    sizes = sizes.toarray().ravel() if hasattr(sizes, "toarray") else sizes
    largest = np.sort(np.argsort(sizes)[-_TRIED:])
    features = native.transform(points_of(X[largest]))
    if np.max(np.abs(features), initial=0.0) > np.sqrt(np.finfo(features.dtype).max):
        native.transform(points_of(X))


def _refuse_negative(X):
    if (X.data if hasattr(X, "indptr") else X).min(initial=0.0) < 0:
        raise ValueError("Negative values in data passed to X in AdditiveChi2Sampler")
