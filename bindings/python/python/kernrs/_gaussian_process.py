"""Gaussian processes: regression and classification with a kernel that is learned, and a distribution for every
prediction.
"""

import numbers

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import KernelClassifier, KernelEstimator, advice_in_python, seed_of
from ._bounded import Bounded, search, white_of
from ._config import get_config
from ._kernels import Kernel
from ._validation import checked


class _Process(KernelEstimator):
    """Base class of Gaussian processes, whose kernel is learned."""

    _limit = "n_restarts_optimizer, or start from a kernel nearer to the optimum"
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
        """Whether the kernel keeps its parameters."""
        if self._is_called(self.kernel) or (isinstance(self.kernel, str) and self.kernel == "precomputed"):
            raise ValueError("a Gaussian process learns the parameters of its kernel: give it a formula")
        if self.optimizer not in (None, "fmin_l_bfgs_b"):
            raise ValueError(f"optimizer must be 'fmin_l_bfgs_b' or None, got {self.optimizer!r}")
        return self.optimizer is None

    #: The bounds of the parameters; None if nothing is learned, or if the kernel has none.
    _bounded = None

    def _bounds_of(self, is_fixed, *noise):
        """The bounds of a kernel of scikit-learn, and whether all parameters are fixed, by them or anyway."""
        if is_fixed or not hasattr(self.kernel, "hyperparameters"):
            return None, is_fixed
        bounded = Bounded(self.kernel, *noise)
        return (bounded, False) if bounded.is_free else (None, True)

    def _learn(self, points, y, weights, **settings):
        """Fit within the bounds of the kernel."""
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
            with advice_in_python(self):
                memory = get_config()["memory"]
                fitted = _native.fit(self._learner, formula, points, y, weights, known, memory, None, False)
            return fitted.process[2]

        found, iterations, status = search(bounded, likelihood, settings["restarts"], settings["seed"])
        self._formula, known = settings_at(found)
        self._known_noise = bounded.at(found)[2]
        return self._keep_model(self._watched_fit(points, y, weights, known), status=status, iterations=iterations)

    def log_marginal_likelihood(self):
        """Logarithm of the marginal likelihood of the training targets, at the parameters that were learned.

        It has no parameters: other values of ``theta``, and gradients, are not available as in scikit-learn.

        Returns
        -------
        log_likelihood : float
            The attribute ``log_marginal_likelihood_value_``.
        """
        check_is_fitted(self, "model_")
        return self.log_marginal_likelihood_value_


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, _Process):
    """Gaussian process regression with a kernel that is learned.

    f has the prior covariance K, and y_i is f(x_i) plus noise of the variance ``alpha``. The parameters of K maximise
    the marginal likelihood of y; the prediction is the posterior of f, with the mean k^T (K + alpha I)^-1 y. The
    parameters, attributes and methods are those of ``sklearn.gaussian_process.GaussianProcessRegressor``; what differs
    is that the parameters of the default kernel are learned (scikit-learn keeps them), that the noise may be learned,
    too, with ``learn_noise``, and that there are no predictions from the prior before ``fit``. Each step of the search
    takes n^3 flops and 2 n^2 floats, with the gradient in all parameters; a standard deviation takes n^2 flops a query.
    For large n take :class:`KernelRidge` on the features of :class:`Nystroem`, with :class:`SplitConformalRegressor`
    for intervals.

    Parameters
    ----------
    kernel : str, Kernel or kernel of scikit-learn, default=None
        The covariance, and the start of the search for its parameters: a formula such as ``"1.0*rbf(gamma=0.5)"`` (see
        :func:`families` and :class:`Kernel`), a name ("poly", "rbf", "laplacian", "chi2", ...), or a kernel of
        ``sklearn.gaussian_process.kernels``, whose bounds are kept and whose ``"fixed"`` parameters keep their values.
        None is ``1.0*rbf(gamma=0.5)``. A gamma that is left out starts at 1/n_features. "precomputed" and callables are
        not supported.
    alpha : float or array-like of shape (n_samples,), default=1e-10
        Variance of the noise of the targets, >= 0, or of each target, > 0. With ``learn_noise`` the start of its
        search, which must be > 0 unless a WhiteKernel is. With ``normalize_y`` it is that of normalised targets. A
        larger value gives a smoother mean, and helps if the kernel matrix is not positive definite; 0 is for kernels
        with noise of their own, such as a WhiteKernel, or ``"1*rbf(gamma=1) + white(noise=0.1)"``.
    optimizer : "fmin_l_bfgs_b" or None, default="fmin_l_bfgs_b"
        The search for the parameters: L-BFGS-B on their logarithms. None keeps the parameters as they are given.
        Callables are not supported.
    n_restarts_optimizer : int, default=0
        Further searches, >= 0, from parameters that are drawn around the given ones, up to a factor of 50 and within
        the bounds; the one with the largest likelihood is taken.
    normalize_y : bool, default=False
        Subtracts the mean of the targets and divides by their standard deviation for the fit. For targets of different
        noise both are weighted by 1/alpha.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the restarts. None is the seed 0, so the result is the same in every run; a generator draws a seed.
    learn_noise : bool, default=False
        Learns the variance of the noise together with the kernel; a WhiteKernel in a sum is learned in any case.
        scikit-learn does not have this parameter.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel that was learned, without the noise.
    noise_ : float
        Variance of the noise: ``alpha`` and that of a WhiteKernel, as learned; for an array ``alpha`` its harmonic
        mean. With ``normalize_y`` that of normalised targets.
    log_marginal_likelihood_value_ : float
        Logarithm of the marginal likelihood at the learned parameters, summed over outputs.
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Coefficients of K(x, x_i) in the mean, in the units of y.
    X_train_ : array-like of shape (n_samples, n_features), or list of str
        Training samples.
    y_train_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Training targets, not normalised.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Iterations of all searches, at least 1.
    kernel_formula_ : str
        The kernel that the fit started from; ``kernel_`` is the one that was learned.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    GaussianProcessClassifier : The same for classes.
    KernelRidge : The mean alone, with a kernel that is given.
    jackknife_plus : Intervals that hold without a prior.

    Notes
    -----
    Standard deviations and covariances are those of f, without the noise; with a WhiteKernel in a sum, which is learned
    as noise, they are those of new targets, as in scikit-learn. Outputs share the kernel and the noise. The search is
    by exact gradients, with all parameters between 1e-5 and 1e5 unless they start outside, and at most 200 iterations;
    a parameter that is 0 stays 0. The objective of ``report_`` is the negative logarithm of the likelihood; there is no
    duality gap, and a local optimum is possible: see ``n_restarts_optimizer``. Kernels of scikit-learn may be sums,
    products and powers of ConstantKernel, RBF (with one length scale or several), Matern (with one length scale and nu
    0.5, 1.5, 2.5 or inf), RationalQuadratic and DotProduct. Their bounds are kept by the native search if it can, and
    otherwise by SciPy's L-BFGS-B with difference quotients, which take two evaluations for each parameter and step.
    float32 samples are converted to double precision. The result has the same bits for any number of threads.

    References
    ----------
    .. [1] Rasmussen & Williams (2006), "Gaussian Processes for Machine Learning", chapters 2 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from kernrs import GaussianProcessRegressor
    >>> X = np.linspace(0, 6, 20)[:, None]
    >>> model = GaussianProcessRegressor("1.0*rbf(gamma=1.0)", alpha=1e-6).fit(X, np.sin(X[:, 0]))
    >>> mean, deviation = model.predict([[1.0], [20.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.0)) < 1e-3 and deviation[1] > 100 * deviation[0])
    True

    A kernel of scikit-learn, with noise that is learned:

    >>> from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=80)
    >>> model = GaussianProcessRegressor(1.0 * RBF() + WhiteKernel()).fit(X, y)
    >>> bool(0.07 < model.noise_ ** 0.5 < 0.13)
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
        """Fit the parameters of the kernel, and the posterior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If K + alpha I is not positive definite in floating-point numbers at the start (increase ``alpha``), the
            kernel is precomputed or a callable, a kernel of scikit-learn has no formula, a WhiteKernel is combined with
            an array ``alpha``, ``alpha`` is 0 and the noise is to be learned from it, a parameter is out of its range,
            or the memory budget is too small.
        """
        is_fixed = self._is_fixed()
        X, y = self._check_points(X, y, reset=True)
        y = np.ascontiguousarray(y, dtype=np.float64)
        noise, weights = _noise(self.alpha, len(y))
        is_theirs = hasattr(self.kernel, "hyperparameters")
        white = white_of(self.kernel)[1] if is_theirs else None
        if white is not None and weights is not None:
            raise ValueError("a WhiteKernel needs one alpha for all targets")
        learns_noise = self.learn_noise or (white is not None and not isinstance(white.noise_level_bounds, str))
        is_exact = noise == 0.0 and (white is None or white.noise_level == 0.0)
        if is_exact and learns_noise and not is_fixed:
            raise ValueError("noise is learned from a start > 0: alpha must be > 0 with learn_noise or a WhiteKernel of "
                             f"level 0, got {self.alpha!r}")
        # The native part takes noise > 0; this one is below the rounding of any kernel value.
        noise = max(noise, float(np.finfo(np.float64).tiny))
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
        if is_exact:
            self.noise_ = 0.0
        self.X_train_, self.y_train_ = X, y
        return self

    @property
    def alpha_(self):
        """ndarray of shape (n_samples,) or (n_samples, n_outputs): the coefficients of K(x, x_i) in the mean."""
        check_is_fitted(self, "model_")
        values = self.model_.coefficients
        return values[:, 0] if self.y_train_.ndim == 1 else values

    def predict(self, X, return_std=False, return_cov=False):
        """Predict the mean of the posterior, and its standard deviation or covariance.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples.
        return_std : bool, default=False
            Returns the standard deviations, too.
        return_cov : bool, default=False
            Returns the covariances, too. Not with ``return_std``.

        Returns
        -------
        mean : ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Means.
        std : ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Standard deviations of f, or of new targets with a WhiteKernel; only with ``return_std``.
        cov : ndarray of shape (n_queries, n_queries) or (n_queries, n_queries, n_outputs)
            Covariances, as the standard deviations; only with ``return_cov``.

        Raises
        ------
        RuntimeError
            If both ``return_std`` and ``return_cov`` are set.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        queries = self._queries(X)
        mean = self.model_.predict(queries)
        if return_std:
            deviation = self._distribution(lambda noise: np.square(self.model_.std(queries, noise))) ** 0.5
            return mean, deviation[:, 0] if mean.ndim == 1 else deviation
        if return_cov:
            outputs = 1 if mean.ndim == 1 else mean.shape[1]
            with advice_in_python(self):
                found = [self._distribution(lambda noise, output=output: self.model_.covariance(queries, output, noise))
                         for output in range(outputs)]
            return mean, found[0] if mean.ndim == 1 else np.stack(found, axis=-1)
        return mean

    def _distribution(self, covariance):
        """The covariance of functions, or of targets with the white noise of the kernel, but without that of alpha."""
        plain = covariance(False)
        return plain if self._white == 0.0 else plain + self._white * (covariance(True) - plain)

    def sample_y(self, X, n_samples=1, random_state=0):
        """Draw functions from the posterior, at samples.

        They have no noise, not even that of a WhiteKernel. The cost is that of the covariance, and O(n_queries^3) for
        its eigenvectors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples.
        n_samples : int, default=1
            Number of functions, >= 1.
        random_state : int, RandomState, Generator or None, default=0
            Seed of the draws. None is the seed 0; a generator draws a seed.

        Returns
        -------
        samples : ndarray of shape (n_queries, n_samples) or (n_queries, n_outputs, n_samples)
            Values of the functions.
        """
        checked("n_samples", n_samples)
        queries, seed = self._queries(X), seed_of(random_state)
        outputs = 1 if self.y_train_.ndim == 1 else self.y_train_.shape[1]
        found = [self.model_.sample(queries, output, int(n_samples), seed + output) for output in range(outputs)]
        return found[0] if self.y_train_.ndim == 1 else np.stack(found, axis=1)


class GaussianProcessClassifier(ClassifierMixin, _Process, KernelClassifier):
    """Gaussian process classification with a kernel that is learned, by Laplace's approximation.

    A latent function f has the prior covariance K, and a sample is of the second of two classes with the probability
    1/(1 + exp(-f(x))). The posterior of f is approximated around its mode (Laplace), the parameters of K maximise the
    likelihood in this approximation, and probabilities are means over the posterior, so far from all samples they are
    1/2. In contrast to ``sklearn.gaussian_process.GaussianProcessClassifier``, the parameters of the default kernel are
    learned, the functions of more than two classes (each against the rest) share one kernel, which maximises the sum of
    their likelihoods, the integral of the probabilities is exact to rounding, and ``sample_weight`` and
    ``class_weight`` are supported. A step of the search takes 5 n^3 flops for each function, and 3 n^2 floats. For
    large n take :class:`KernelLogisticRegression` or :class:`SVC`.

    Parameters
    ----------
    kernel : str, Kernel or kernel of scikit-learn, default=None
        The covariance, and the start of the search for its parameters: a formula such as ``"1.0*rbf(gamma=0.5)"`` (see
        :func:`families` and :class:`Kernel`), a name ("poly", "rbf", "laplacian", "chi2", ...), or a kernel of
        ``sklearn.gaussian_process.kernels``, whose bounds are kept and whose ``"fixed"`` parameters keep their values.
        None is ``1.0*rbf(gamma=0.5)``. A gamma that is left out starts at 1/n_features. "precomputed" and callables are
        not supported.
    optimizer : "fmin_l_bfgs_b" or None, default="fmin_l_bfgs_b"
        The search for the parameters: L-BFGS-B on their logarithms. None keeps the parameters as they are given.
        Callables are not supported.
    n_restarts_optimizer : int, default=0
        Further searches, >= 0, from parameters that are drawn around the given ones, up to a factor of 50 and within
        the bounds; the one with the largest likelihood is taken.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the restarts. None is the seed 0, so the result is the same in every run; a generator draws a seed.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    kernel_ : Kernel
        The kernel that was learned.
    log_marginal_likelihood_value_ : float
        Logarithm of the approximate marginal likelihood at the learned parameters, the mean over functions, as in
        scikit-learn.
    report_ : Report
        Status, iterations, objective and gap of the fit, as a dict.
    n_iter_ : int
        Iterations of all searches, at least 1.
    kernel_formula_ : str
        The kernel that the fit started from; ``kernel_`` is the one that was learned.
    n_features_in_ : int
        Number of features seen in :meth:`fit`. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X is a frame whose column names are all strings.

    See Also
    --------
    GaussianProcessRegressor : The same for numbers.
    KernelLogisticRegression : Probabilities with a kernel that is given.
    SVC : Classes without probabilities, for more samples.

    Notes
    -----
    The objective of ``report_`` is the negative logarithm of the likelihood, summed over functions; there is no duality
    gap, and a local optimum is possible: see ``n_restarts_optimizer``. All parameters are between 1e-5 and 1e5 unless
    they start outside, and a search has at most 200 iterations. A WhiteKernel is not supported: leave it out, or give a
    formula such as ``"1*rbf(gamma=0.5) + white(noise=0.1)"``, whose noise belongs to samples. Kernels of scikit-learn
    may be sums, products and powers of ConstantKernel, RBF (with one length scale or several), Matern (with one length
    scale and nu 0.5, 1.5, 2.5 or inf), RationalQuadratic and DotProduct. Their bounds are kept by the native search if
    it can, and otherwise by SciPy's L-BFGS-B with difference quotients, which take two evaluations for each parameter
    and step. float32 samples are converted to double precision. The result has the same bits for any number of threads.

    References
    ----------
    .. [1] Williams & Barber (1998), "Bayesian Classification with Gaussian Processes".
    .. [2] Rasmussen & Williams (2006), "Gaussian Processes for Machine Learning", chapter 3.

    Examples
    --------
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
        """Fit the parameters of the kernel, and the posterior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels of strings.
        y : array-like of shape (n_samples,)
            Classes: numbers, booleans or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing. They multiply
            logarithms of likelihoods, and count in ``class_weight="balanced"``, too.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If fewer than two classes have weight, the kernel is precomputed or a callable, has a WhiteKernel, or is a
            kernel of scikit-learn without a formula, a parameter is out of its range, or the memory budget is too
            small.
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
        """Predict the probabilities of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or list of str
            Samples.

        Returns
        -------
        p : ndarray of shape (n_queries, n_classes)
            Probabilities, in the order of ``classes_``, of sum 1. Those of more than two classes are the probabilities
            of each class against the rest, divided by their sum. A class without weight in the fit has the probability
            0.
        """
        return self._probabilities(X)


def _noise(alpha, count):
    """The variance of the noise of a target of weight 1, and the weights that make it that of each target."""
    if isinstance(alpha, numbers.Real):
        if isinstance(alpha, bool) or not 0 <= alpha < np.inf:
            raise ValueError(f"alpha must be a finite number >= 0, got {alpha}")
        return float(alpha), None
    if isinstance(alpha, (str, bool)) or alpha is None:
        raise ValueError(f"alpha must be a finite number >= 0, or one for each target, got {alpha!r}")
    alpha = np.asarray(alpha, dtype=np.float64)
    if alpha.shape != (count,) or not np.all((alpha > 0) & np.isfinite(alpha)):
        raise ValueError(f"alpha must be a number or an array of one positive number for each of {count} targets, "
                         f"got an array of shape {alpha.shape}")
    # Weights count relative to their mean.
    mean = np.mean(1.0 / alpha)
    return float(1.0 / mean), 1.0 / (alpha * mean)
