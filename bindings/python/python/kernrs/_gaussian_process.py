"""Gaussian processes: numbers and classes with a kernel that is learned, and a distribution for every answer."""

import numbers

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import KernelClassifier, KernelEstimator, seed_of
from ._bounded import Bounded, search, white_of
from ._config import get_config
from ._kernels import Kernel
from ._parameters import checked


class _Process(KernelEstimator):
    """What processes share: a kernel that is learned."""

    _limit = "n_restarts_optimizer, or start nearer"
    _dtypes = (np.float64,)

    def _formula_of(self, kernel, points, weights):
        if kernel is None:
            return Kernel("1.0*rbf(gamma=0.5)").formula
        if hasattr(kernel, "hyperparameters"):
            return Kernel.from_sklearn(white_of(kernel)[0]).formula
        return super()._formula_of(kernel, points, weights)

    def _is_called(self, kernel):
        return super()._is_called(kernel) and not hasattr(kernel, "hyperparameters")

    def _is_fixed(self):
        """Tells whether the kernel keeps its parameters."""
        if self._is_called(self.kernel) or (isinstance(self.kernel, str) and self.kernel == "precomputed"):
            raise ValueError("a Gaussian process learns the parameters of its kernel: give it a formula")
        if self.optimizer not in (None, "fmin_l_bfgs_b"):
            raise ValueError(f"optimizer must be 'fmin_l_bfgs_b' or None, got {self.optimizer!r}")
        return self.optimizer is None

    #: The bounds of the parameters; None if nothing is learned, or if the kernel has none.
    _bounded = None

    def _bounds_of(self, is_fixed, *noise):
        """The bounds of a kernel of scikit-learn's, and whether all is fixed, by them or anyway."""
        if is_fixed or not hasattr(self.kernel, "hyperparameters"):
            return None, is_fixed
        bounded = Bounded(self.kernel, *noise)
        return (bounded, False) if bounded.is_free else (None, True)

    def _learn(self, points, y, weights, **settings):
        """Learns, within the bounds that there are."""
        bounded = self._bounded
        hull = None if bounded is None else bounded.hull()
        if bounded is None or hull is not None:
            ends = {} if hull is None else {"lower": hull[0], "upper": hull[1]}
            model = self._watched_fit(points, y, weights, settings | ends)
            formula, noise, _ = model.process
            if bounded is None or bounded.has(formula, noise if "noise" in settings else 0.0):
                return self._keep_model(model)
        # The native search has one pair of bounds for all parameters.
        fixed = {"fixed": "all" if "noise" in settings else True, "restarts": 0}

        def settings_at(theta):
            formula, noise, _ = bounded.at(theta)
            return formula, settings | fixed | ({"noise": noise} if "noise" in settings else {})

        def likelihood(theta):
            formula, known = settings_at(theta)
            return _native.fit(self._learner, formula, points, y, weights, known, get_config()["memory"], None, False).process[2]

        found, iterations, status = search(bounded, likelihood, settings["restarts"], settings["seed"])
        self._formula, known = settings_at(found)
        self._known_noise = bounded.at(found)[2]
        return self._keep_model(self._watched_fit(points, y, weights, known), status=status, iterations=iterations)

    def log_marginal_likelihood(self):
        """The logarithm of the marginal likelihood of the targets, with the parameters that were learned."""
        check_is_fitted(self, "model_")
        return self.log_marginal_likelihood_value_


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, _Process):
    """Regression by a Gaussian process, in the place of ``sklearn.gaussian_process.GaussianProcessRegressor``.

    ``kernel`` is a formula, a :class:`Kernel` or a kernel of scikit-learn's, and the start of the search for its
    parameters; without one it is ``1.0*rbf(gamma=0.5)``. Parameters of a kernel of scikit-learn's stay within its bounds, and
    those that are ``"fixed"`` keep their values. ``alpha`` is the variance of the
    noise, or that of each target; with ``learn_noise=True`` it is the start of a search, too. Deviations and covariances
    are those of the function, without the noise; with a ``WhiteKernel`` in a sum of scikit-learn's, which is learned as
    noise, they are those of new targets, as there. With ``normalize_y`` targets of different noise are normalised by their
    weighted mean and deviation. Points of single precision are learned from in double precision.

    >>> import numpy as np
    >>> from kernrs import GaussianProcessRegressor
    >>> X = np.linspace(0, 6, 20)[:, None]
    >>> model = GaussianProcessRegressor("1.0*rbf(gamma=1.0)", alpha=1e-6).fit(X, np.sin(X[:, 0]))
    >>> mean, deviation = model.predict([[1.0], [20.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.0)) < 1e-3 and deviation[1] > 100 * deviation[0])
    True
    """

    _learner = "gaussian_process"
    _several = True
    _numeric = True

    def __init__(self, kernel=None, *, alpha=1e-10, optimizer="fmin_l_bfgs_b", n_restarts_optimizer=0, normalize_y=False,
                 random_state=None, learn_noise=False):
        self.kernel, self.alpha, self.optimizer, self.n_restarts_optimizer = kernel, alpha, optimizer, n_restarts_optimizer
        self.normalize_y, self.random_state, self.learn_noise = normalize_y, random_state, learn_noise

    def fit(self, X, y):
        """Learns the parameters of the kernel, and the posterior."""
        is_fixed = self._is_fixed()
        X, y = self._check_points(X, y, reset=True)
        y = np.ascontiguousarray(y, dtype=np.float64)
        noise, weights = _noise(self.alpha, len(y))
        is_theirs = hasattr(self.kernel, "hyperparameters")
        white = white_of(self.kernel)[1] if is_theirs else None
        if white is not None and weights is not None:
            raise ValueError("a WhiteKernel needs one alpha for all targets")
        learns_noise = self.learn_noise or (white is not None and not isinstance(white.noise_level_bounds, str))
        known, noise = noise, noise + (0.0 if white is None else white.noise_level)
        self._bounded, is_fixed = self._bounds_of(is_fixed, known, bool(self.learn_noise))
        fixed = "all" if is_fixed else "nothing" if learns_noise else "noise"
        settings = {"noise": noise, "normalize": bool(self.normalize_y), "fixed": fixed,
                    "restarts": int(self.n_restarts_optimizer), "seed": seed_of(self.random_state)}
        self._known_noise = known
        self._learn(self._prepare(X), y, weights, **settings)
        formula, self.noise_, self.log_marginal_likelihood_value_ = self.model_.process
        self.kernel_ = Kernel(formula)
        #: The share of the noise that belongs to the kernel.
        self._white = 0.0 if white is None else max(0.0, 1.0 - self._known_noise / self.noise_)
        self.X_train_, self.y_train_ = X, y
        return self

    @property
    def alpha_(self):
        """The coefficients of the points, or points x outputs."""
        check_is_fitted(self, "model_")
        values = self.model_.coefficients
        return values[:, 0] if self.y_train_.ndim == 1 else values

    def predict(self, X, return_std=False, return_cov=False):
        """The means at points; with ``return_std`` the deviations, too, or with ``return_cov`` the covariances."""
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        queries = self._queries(X)
        mean = self.model_.predict(queries)
        if return_std:
            deviation = self._distribution(lambda noise: np.square(self.model_.deviation(queries, noise))) ** 0.5
            return mean, deviation[:, 0] if mean.ndim == 1 else deviation
        if return_cov:
            outputs = 1 if mean.ndim == 1 else mean.shape[1]
            found = [self._distribution(lambda noise, output=output: self.model_.covariance(queries, output, noise))
                     for output in range(outputs)]
            return mean, found[0] if mean.ndim == 1 else np.stack(found, axis=-1)
        return mean

    def _distribution(self, covariance):
        """The covariance of functions, or of targets with the white noise of the kernel, but without that of alpha."""
        plain = covariance(False)
        return plain if self._white == 0.0 else plain + self._white * (covariance(True) - plain)

    def sample_y(self, X, n_samples=1, random_state=0):
        """Functions drawn from the posterior, at points: points x samples, or points x outputs x samples."""
        checked("n_samples", n_samples)
        queries, seed = self._queries(X), seed_of(random_state)
        outputs = 1 if self.y_train_.ndim == 1 else self.y_train_.shape[1]
        found = [self.model_.sample(queries, output, int(n_samples), seed + output) for output in range(outputs)]
        return found[0] if self.y_train_.ndim == 1 else np.stack(found, axis=1)


class GaussianProcessClassifier(ClassifierMixin, _Process, KernelClassifier):
    """Classification by a Gaussian process, in the place of ``sklearn.gaussian_process.GaussianProcessClassifier``.

    The posterior of a latent function is approximated around its mode (Laplace); the probabilities are means over it.
    ``kernel`` is what it is in :class:`GaussianProcessRegressor`. Each of more than two classes has a function against the
    rest; they share one kernel, which is learned from the sum of their likelihoods.
    ``log_marginal_likelihood_value_`` is the mean over functions, as in scikit-learn.

    >>> import numpy as np
    >>> from kernrs import GaussianProcessClassifier
    >>> X = np.array([[0.0], [0.5], [1.0], [4.0], [4.5], [5.0]])
    >>> model = GaussianProcessClassifier("4.0*rbf(gamma=0.5)").fit(X, ["low"] * 3 + ["high"] * 3)
    >>> model.predict([[0.2], [4.9]]).tolist()
    ['low', 'high']
    >>> bool(abs(model.predict_proba([[1000.0]])[0, 0] - 0.5) < 1e-6)
    True
    """

    _learner = "gaussian_process_classifier"

    def __init__(self, kernel=None, *, optimizer="fmin_l_bfgs_b", n_restarts_optimizer=0, random_state=None, class_weight=None):
        self.kernel, self.optimizer, self.n_restarts_optimizer = kernel, optimizer, n_restarts_optimizer
        self.random_state, self.class_weight = random_state, class_weight

    def fit(self, X, y, sample_weight=None):
        """Learns the parameters of the kernel, and the posterior.

        ``sample_weight`` multiplies logarithms of likelihoods, and counts in ``class_weight="balanced"``, too.
        """
        if hasattr(self.kernel, "hyperparameters") and white_of(self.kernel)[1] is not None:
            raise ValueError("a WhiteKernel is not supported for classes: leave it out of the kernel, or give a formula such as "
                             "'1*rbf(gamma=0.5) + white(noise=0.1)', whose noise belongs to points")
        self._bounded, is_fixed = self._bounds_of(self._is_fixed())
        settings = {"fixed": is_fixed, "restarts": int(self.n_restarts_optimizer), "seed": seed_of(self.random_state)}
        self._fit_classes(X, y, sample_weight, **settings)
        formula, _, likelihood = self.model_.process
        self.kernel_ = Kernel(formula)
        classes = len(self.classes_ if self._present is None else self._present)
        functions = 1 if classes == 2 else classes
        self.log_marginal_likelihood_value_ = likelihood / functions
        return self

    def predict_proba(self, X):
        """The probabilities of classes: points x classes."""
        return self._probabilities(X)


def _noise(alpha, count):
    """The variance of the noise of a target of weight 1, and the weights that make that of each target."""
    # Nothing at all would be refused, and adds as much.
    least = np.finfo(np.float64).tiny
    if isinstance(alpha, numbers.Real):
        if isinstance(alpha, bool) or not 0 <= alpha < np.inf:
            raise ValueError(f"alpha must be a finite number >= 0, got {alpha}")
        return max(float(alpha), least), None
    if isinstance(alpha, (str, bool)) or alpha is None:
        raise ValueError(f"alpha must be a finite number >= 0, or one for each target, got {alpha!r}")
    alpha = np.asarray(alpha, dtype=np.float64)
    if alpha.shape != (count,) or not np.all((alpha > 0) & np.isfinite(alpha)):
        raise ValueError(f"alpha must be a number or an array of one positive number for each of {count} targets, "
                         f"got an array of shape {alpha.shape}")
    # Weights count relative to their mean.
    mean = np.mean(1.0 / alpha)
    return float(1.0 / mean), 1.0 / (alpha * mean)
