"""Numbers of features: bounds that hold with a probability, and the choice for some points."""

import html

from . import _native
from ._config import get_config
from ._kernels import resolve
from ._maps import Nystroem, PolynomialCountSketch, RBFSampler
from ._parameters import checked
from ._points import points_of


class ErrorBound:
    """A bound on an error of random Fourier features that holds with a probability, in units of K(x, x).

    >>> from kernrs import ErrorBound
    >>> bound = ErrorBound.pointwise()
    >>> bound.n_components(error=0.1, failure=0.01)
    2120
    >>> bool(bound.failure(2120, error=0.1) <= 0.01)
    True
    """

    def __init__(self, native, what):
        self._native, self._what = native, what

    @classmethod
    def pointwise(cls, *, pairs=1, phases=False):
        """The error of one pair of points, or the greatest of so many pairs (Hoeffding's inequality).

        An even number of features has none with random phases, an odd one has them.
        """
        return cls(_native.Bound.pointwise(bool(phases), int(checked("pairs", pairs))), f"the greatest error of {pairs} pairs of points")

    @classmethod
    def uniform(cls, n_features, diameter, *, gamma):
        """The greatest error of the RBF kernel over all pairs within a set of this diameter (Sutherland and Schneider)."""
        checked("n_features", n_features), checked("diameter", diameter), checked("gamma", gamma, "PolynomialCountSketch")
        native = _native.Bound.uniform(int(n_features), float(diameter), 2.0 * float(gamma) * int(n_features))
        return cls(native, f"the greatest error within a set of diameter {diameter:g} in {n_features} dimensions")

    @classmethod
    def spectral_norm(cls, n_samples, norm):
        """The spectral norm of the error of a Gram matrix that has the spectral norm ``norm``."""
        checked("n_samples", n_samples), checked("norm", norm)
        return cls(_native.Bound.spectral_norm(int(n_samples), float(norm)), f"the norm of the error of {n_samples} points")

    @classmethod
    def relative_spectral(cls, n_samples, lam):
        """The greatest error of a Gram matrix G relative to G + λI."""
        checked("n_samples", n_samples), checked("lam", lam)
        native = _native.Bound.relative_spectral(int(n_samples), float(lam))
        return cls(native, f"the relative error of {n_samples} points at lambda {lam:g}")

    def failure(self, n_components, error):
        """A bound on the probability of an error as great as this."""
        checked("n_components", n_components), checked("error", error)
        return self._native.failure(int(n_components), float(error))

    def n_components(self, error, failure):
        """The number of features that has such an error with at most this probability."""
        checked("error", error), checked("failure", failure)
        return self._native.features(float(error), float(failure))

    def error(self, n_components, failure):
        """The error that so many features exceed with at most this probability."""
        checked("n_components", n_components), checked("failure", failure)
        return self._native.error(int(n_components), float(failure))

    def __repr__(self):
        return f"ErrorBound({self._what})"

    def _repr_html_(self):
        counts = (100, 1000, 10_000)
        cells = "".join(f"<tr><th>{count}</th><td>{_shown(self, count)}</td></tr>" for count in counts)
        return (f"<p>{html.escape(self._what)}, but for a probability of 1 %</p>"
                f"<table><tr><th>features</th><th>error</th></tr>{cells}</table>")


def _shown(bound, count):
    try:
        return f"{bound.error(count, 0.01):.3g}"
    except ValueError:
        return "none"


class FeatureChoice(dict):
    """The features that reach a target: ``kind``, ``n_components``, ``error``, ``evidence``, ``bytes`` and ``reason``."""

    def estimator(self, random_state=0):
        """The estimator with these features, if there is one of the kind."""
        kind, count, kernel = self["kind"], self["n_components"], self["kernel"]
        if kind.startswith("Nystrom"):
            return Nystroem(kernel=kernel, n_components=count, random_state=random_state)
        if kind.endswith("Fourier features") and kind.startswith("independent"):
            return RBFSampler(kernel=kernel, n_components=count, random_state=random_state)
        if kind == "a tensor sketch":
            return PolynomialCountSketch.of_formula(kernel, n_components=count, random_state=random_state)
        raise ValueError(f"there is no estimator for {kind}; take Nystroem or RBFSampler")

    def __repr__(self):
        return f"{self['kind']}, {self['n_components']} of them, error {self['error']:.2e} ({self['evidence']}): {self['reason']}"

    def _repr_html_(self):
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>" for name, value in self.items())
        return f"<table>{rows}</table>"


def choose_features(X, kernel="rbf", *, gamma=None, error=None, failure=0.01, n_components=None):
    """The kind of features for these points, and how many of them.

    With ``error``, those that keep it for all pairs of the points, but for a probability of ``failure``; with
    ``n_components``, the best of so many; with neither, of as many as the memory of :func:`config` has room for.

    >>> import numpy as np, kernrs
    >>> X = np.linspace(0, 5, 500)[:, None]
    >>> choice = kernrs.choose_features(X, "rbf(gamma=0.5)", error=0.05)
    >>> choice["kind"], choice["n_components"], choice["evidence"]
    ('Nystrom features', 64, 'certificate')
    >>> choice.estimator().fit_transform(X).shape[0]
    500
    """
    points = points_of(X, as_sparse=False)
    if gamma is None:
        gamma = 1.0 / X.shape[1] if hasattr(X, "shape") else None
    formula = resolve(kernel, gamma)
    checked("failure", failure)
    for name, value in (("error", error), ("n_components", n_components)):
        if value is not None:
            checked(name, value)
    n_components = None if n_components is None else int(n_components)
    found = _native.choose_features(formula, points, error, float(failure), n_components, get_config()["memory"])
    kind, count, reached, (evidence, number), size, reason = found
    more = {"bound": {"failure": number}, "measured": {"points": number and int(number)}}.get(evidence, {})
    return FeatureChoice(kernel=formula, kind=kind, n_components=count, error=reached, evidence=evidence, **more, bytes=size,
                         reason=reason)
