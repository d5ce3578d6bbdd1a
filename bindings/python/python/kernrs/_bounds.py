"""Numbers of features: bounds that hold with a probability, and the choice for some points."""

import html

from . import _native
from ._config import get_config
from ._maps import Nystroem, PolynomialCountSketch, RBFSampler
from ._validation import checked, points_of, resolve


class ErrorBound:
    """A bound on an error of random Fourier features that holds with a probability.

    Four class methods make bounds on different errors: :meth:`pointwise` on one kernel value or several,
    :meth:`uniform` on all pairs within a set, :meth:`spectral_norm` and :meth:`relative_spectral` on a Gram matrix. A
    bound then relates three quantities, of which it computes the third: the number of features, the error, and the
    probability of an error of at least that size. Errors are in units of K(x, x). The bounds are for
    :class:`RBFSampler` with independent frequencies and, but for ``pointwise(phases=True)``, an even number of
    features. They are proven, with their constants, and cost no time; they do not look at samples, so that
    :func:`choose_features` often finds fewer features.

    Parameters
    ----------
    native : object
        The native bound. Take one of the class methods instead.
    what : str
        The error that is bounded, in words.

    See Also
    --------
    choose_features : The kind and the number of features for given samples.
    RBFSampler : The features.
    Nystroem.certificate : The error of Nyström features, which holds with certainty.

    References
    ----------
    .. [1] Rahimi, Recht (2007), "Random Features for Large-Scale Kernel Machines".
    .. [2] Sutherland, Schneider (2015), "On the Error of Random Fourier Features".
    .. [3] Tropp (2015), "An Introduction to Matrix Concentration Inequalities".

    Examples
    --------
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
        """Bounds the error of the kernel value of one pair of samples, or the largest of several pairs.

        Hoeffding's inequality: an error of at least e has a probability of at most 2 pairs exp(-D e^2 / 4) for D
        features, and of 2 pairs exp(-D e^2 / 8) with random phases.

        Parameters
        ----------
        pairs : int, default=1
            The number of pairs that the error holds for at once, >= 1.
        phases : bool, default=False
            Whether the features have random phases: :class:`RBFSampler` has them for an odd number of features, not for
            an even one.

        Returns
        -------
        bound : ErrorBound
            The bound.
        """
        return cls(_native.Bound.pointwise(bool(phases), int(checked("pairs", pairs))), f"the greatest error of {pairs} pairs of points")

    @classmethod
    def uniform(cls, n_features, diameter, *, gamma):
        """Bounds the largest error of the RBF kernel over all pairs within a set.

        The bound is that of Sutherland and Schneider, with a constant corrected. Its exponent is 2 (n_features + 2)
        times smaller than that of a single pair.

        Parameters
        ----------
        n_features : int
            The number of features of the samples, >= 1.
        diameter : float
            The largest distance of two points of the set, > 0.
        gamma : float
            Coefficient of the RBF kernel, > 0.

        Returns
        -------
        bound : ErrorBound
            The bound.
        """
        checked("n_features", n_features), checked("diameter", diameter), checked("gamma", gamma, "PolynomialCountSketch")
        native = _native.Bound.uniform(int(n_features), float(diameter), 2.0 * float(gamma) * int(n_features))
        return cls(native, f"the greatest error within a set of diameter {diameter:g} in {n_features} dimensions")

    @classmethod
    def spectral_norm(cls, n_samples, norm):
        """Bounds the spectral norm of the error of a Gram matrix.

        The matrix Bernstein inequality, for a Gram matrix with a diagonal of 1.

        Parameters
        ----------
        n_samples : int
            The number of samples, >= 1.
        norm : float
            The spectral norm of the Gram matrix, > 0, at most ``n_samples``.

        Returns
        -------
        bound : ErrorBound
            The bound.
        """
        checked("n_samples", n_samples), checked("norm", norm)
        return cls(_native.Bound.spectral_norm(int(n_samples), float(norm)), f"the norm of the error of {n_samples} points")

    @classmethod
    def relative_spectral(cls, n_samples, lam):
        """Bounds the error of a Gram matrix G relative to G + λI, which is what kernel ridge regression depends on.

        The error is the largest d for which (1 - d)(G + λI) <= G' + λI <= (1 + d)(G + λI) fails, where G' is the Gram
        matrix of the features and G has a diagonal of 1 (matrix Bernstein inequality). Of the order of n_samples/λ
        features are needed.

        Parameters
        ----------
        n_samples : int
            The number of samples, >= 1.
        lam : float
            The regularization λ, > 0: ``alpha`` of :class:`KernelRidge`.

        Returns
        -------
        bound : ErrorBound
            The bound.
        """
        checked("n_samples", n_samples), checked("lam", lam)
        native = _native.Bound.relative_spectral(int(n_samples), float(lam))
        return cls(native, f"the relative error of {n_samples} points at lambda {lam:g}")

    def failure(self, n_components, error):
        """Computes a bound on the probability of an error of at least ``error``.

        Parameters
        ----------
        n_components : int
            The number of features, >= 1.
        error : float
            The error, > 0, in units of K(x, x).

        Returns
        -------
        failure : float
            The bound on the probability, at most 1.
        """
        checked("n_components", n_components), checked("error", error)
        return self._native.failure(int(n_components), float(error))

    def n_components(self, error, failure):
        """Computes the number of features that exceed an error with at most a given probability.

        Parameters
        ----------
        error : float
            The error, > 0, in units of K(x, x).
        failure : float
            The probability, between 0 and 1.

        Returns
        -------
        n_components : int
            The smallest even number of features.

        Raises
        ------
        ValueError
            If no number of features up to 2^52 reaches the error.
        """
        checked("error", error), checked("failure", failure)
        return self._native.features(float(error), float(failure))

    def error(self, n_components, failure):
        """Computes the error that a number of features exceeds with at most a given probability.

        Parameters
        ----------
        n_components : int
            The number of features, >= 1.
        failure : float
            The probability, between 0 and 1.

        Returns
        -------
        error : float
            The error, in units of K(x, x).

        Raises
        ------
        ValueError
            If no finite error is exceeded with so small a probability.
        """
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
    """The features that reach a target, with the evidence for their error.

    A dictionary that :func:`choose_features` returns; :meth:`estimator` makes the estimator.

    See Also
    --------
    choose_features : Makes the choice.

    Notes
    -----
    The keys: ``kernel`` is the kernel's formula; ``kind`` the kind of features in words, such as "Nystrom features" or
    "independent paired Fourier features"; ``n_components`` their number (for Nyström features the number of landmarks);
    ``error`` their error; ``bytes`` the memory that the features of all samples take; and ``reason`` a sentence.
    ``evidence`` says what kind of error it is:

    - "exact": the features reproduce the kernel;
    - "certificate": the largest error over all pairs of the samples, in units of sqrt(K(x, x) K(y, y)), computed from
      the very features (of the seed 0);
    - "bound": the same for random features, but for a probability that is in ``failure``;
    - "measured": the root mean square error over pairs of some of the samples, whose number is in ``points``, in units
      of the mean of K(x, x). It is an estimate.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import choose_features
    >>> X, _ = load_iris(return_X_y=True)
    >>> choice = choose_features(X, "rbf(gamma=0.1)", n_components=50)
    >>> choice["kind"], choice["evidence"], choice["points"]
    ('Nystrom features', 'measured', 150)
    >>> choice.estimator()
    Nystroem(kernel='rbf(gamma=0.1)', n_components=50, random_state=0)
    """

    def estimator(self, random_state=0):
        """Makes the estimator with these features.

        Parameters
        ----------
        random_state : int, RandomState, Generator or None, default=0
            The seed of the features. A certificate is for the seed 0.

        Returns
        -------
        estimator : Nystroem, RBFSampler or PolynomialCountSketch
            The estimator, which is not fitted.

        Raises
        ------
        ValueError
            If Python has no estimator for the kind, such as orthogonal, structured and quasi-random Fourier features,
            exact monomials, random Maclaurin features, and an even number of Fourier features with random phases.
        """
        kind, count, kernel = self["kind"], self["n_components"], self["kernel"]
        if kind == "independent phase Fourier features" and count % 2 == 0:
            instead = f"RBFSampler(kernel={kernel!r}, n_components={count - 1})"
            raise ValueError(f"there is no estimator for {count} Fourier features with random phases, since RBFSampler "
                             f"makes pairs of an even number: take {instead}")
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
    """Chooses the kind of features for samples, and their number.

    With ``error`` the choice is the cheaper one of two that keep the error for all pairs of the samples: independent
    Fourier features, as many as Hoeffding's inequality asks for, and Nyström features, whose error is certified; for a
    polynomial the exact monomials, or a tensor sketch. With ``n_components`` all kinds of features that the kernel
    allows are made and measured on up to 256 of the samples, and the choice is the cheapest of those with about the
    smallest error. With neither, as many features are considered as the memory of :func:`config` has room for, which
    must be set.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, dense vectors; sparse matrices and strings raise an error.
    kernel : str or Kernel, default="rbf"
        The kernel: a name or a formula that has a spectrum (see :class:`RBFSampler`), or one polynomial kernel.
    gamma : float or None, default=None
        Coefficient of "rbf", "poly" and "laplacian", > 0; None is 1/n_features for arrays, and 1 for lists. Formulas
        have their own parameters; a gamma that a formula leaves out is this one.
    error : float or None, default=None
        The largest tolerated error over all pairs of the samples, > 0, in units of sqrt(K(x, x) K(y, y)).
    failure : float, default=0.01
        The probability with which random features may exceed ``error``, between 0 and 1.
    n_components : int or None, default=None
        The largest number of features, >= 1. Not together with ``error``.

    Returns
    -------
    choice : FeatureChoice
        A dictionary with ``kernel``, ``kind``, ``n_components``, ``error``, ``evidence``, ``bytes`` and ``reason``.

    Raises
    ------
    ValueError
        If a parameter is out of its range, both ``error`` and ``n_components`` are given, neither is and the memory of
        :func:`config` is not set or has no room for one feature, the kernel has no spectrum, or no number of features
        reaches the error.

    See Also
    --------
    ErrorBound : Numbers of features without looking at samples.
    Nystroem.certificate : The error of Nyström features on samples.
    plan : The time and memory of fits with landmarks and without.

    Notes
    -----
    With ``error`` the time is O(m^3) for m landmarks and a pass over the samples, where m is doubled from 64 on;
    otherwise that of the features of 256 samples, three times for each kind. Nothing depends on a seed of the caller.

    Examples
    --------
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
    memory = get_config()["memory"]
    if error is not None and n_components is not None:
        raise ValueError(f"give error={error!r} or n_components={n_components!r}, and not both")
    if error is None and n_components is None:
        _check_room(points, memory)
    if formula.startswith("poly(") and formula.index(")") < len(formula) - 1:
        raise ValueError(f"features are chosen for kernels with a spectrum and for one poly, got {formula}; "
                         "Nystroem takes any kernel")
    found = _native.choose_features(formula, points, error, float(failure), n_components, memory)
    kind, count, reached, (evidence, number), size, reason = found
    more = {"bound": {"failure": number}, "measured": {"points": number and int(number)}}.get(evidence, {})
    return FeatureChoice(kernel=formula, kind=kind, n_components=count, error=reached, evidence=evidence, **more, bytes=size,
                         reason=reason)


def _check_room(points, memory):
    """Refuses a memory without room for one feature of all points."""
    if memory is None:
        raise ValueError("give error= or n_components=, or set a memory for the features: "
                         "with kernrs.config(memory=...)")
    needed = len(points) * (4 if points.kind == "vectors in single precision" else 8)
    if len(points) and memory < needed:
        raise ValueError(f"memory={memory!r} of config has no room for one feature of {len(points)} samples, which "
                         f"takes {needed} bytes: increase it, or give n_components=")
