"""Support vector machines."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from ._base import KernelClassifier, KernelEstimator, numbers_of


class _Machine(KernelEstimator):
    """Base of support vector estimators: the stopping rule and the support vectors.

    Four parameters are accepted for scripts written for scikit-learn and change no result: ``shrinking`` and
    ``cache_size``, since the solver keeps what fits the memory (:func:`kernrs.config` bounds it); ``verbose``,
    since ``report_`` has the course of the fit; and ``random_state``, since nothing is random.
    """

    # With an intercept a machine is the same from whatever point the features are seen.
    _by_distances = True

    def _weights_of(self, sample_weight, X):
        """Weights as an array; points of negative weight are left out, as by LIBSVM."""
        weights = numbers_of(sample_weight, X)
        if not np.any(weights > 0):
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        return np.maximum(weights, 0.0)

    def _stopping(self):
        if getattr(self, "probability", False):
            raise ValueError("probability=True is not supported: take CalibratedClassifierCV or KernelLogisticRegression")
        settings = {"violation": float(self.tol)}
        if self.max_iter is not None and self.max_iter >= 0:
            settings["max_iterations"] = int(self.max_iter)
        return settings

    def _keep_support(self, X):
        """Keeps the support vectors among the points of the fit, which are checked."""
        self.support_ = np.asarray(self.model_.support, dtype=np.int32)
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        if not isinstance(X, list):
            self.support_vectors_ = X[self.support_] if self._formula else np.empty((0, 0))
        return self

    @property
    def dual_coef_(self):
        """Coefficients of the support vectors, of shape (n_functions, n_support); sparse if X is."""
        return self._like_points(self._coefficients())

    def _coefficients(self):
        check_is_fitted(self, "model_")
        return np.ascontiguousarray(self.model_.coefficients.T)

    def _like_points(self, values):
        """Sparse where the points are, as scikit-learn has it."""
        return sparse.csr_array(values) if sparse.issparse(getattr(self, "support_vectors_", None)) else values

    @property
    def intercept_(self):
        """Intercepts of the functions, of shape (n_functions,)."""
        check_is_fitted(self, "model_")
        return self.model_.intercepts

    @property
    def coef_(self):
        """Weights of the features, of shape (n_functions, n_features), only for ``kernel="linear"``."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self, "model_")
        return _fixed(self._like_points(self._coefficients() @ self.support_vectors_))


def _fixed(weights):
    """The same weights, not to be written to: they are computed from the model, and a change would change no answer."""
    if not sparse.issparse(weights):
        weights.flags.writeable = False
    return weights


def _penalty(c):
    """A penalty for the native part, which has a name for the infinite one."""
    return "infinite" if c == float("inf") else float(c)


class _Classification(ClassifierMixin, _Machine, KernelClassifier):
    """Base of support vector classifiers: one-vs-one functions of the pairs of classes."""

    def predict(self, X):
        """Predict the classes of samples.

        With more than two classes the functions of all pairs vote, and the first class with the most votes is
        predicted, unless ``break_ties`` is set.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            The predicted classes.

        Raises
        ------
        ValueError
            If ``break_ties`` is True, ``decision_function_shape`` is "ovo" and there are more than two classes.
        """
        if getattr(self, "break_ties", False) and len(getattr(self, "classes_", ())) > 2:
            if self.decision_function_shape == "ovo":
                raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
            return self.classes_[np.argmax(self.decision_function(X), axis=1)]
        return super().predict(X)

    def decision_function(self, X):
        """Compute the decision function of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        values : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
            With two classes, positive for ``classes_[1]``. With more, as ``decision_function_shape`` says: for each
            class, the number of its votes plus a confidence between -1/3 and 1/3 ("ovr"); or for each pair (0, 1),
            (0, 2), ... (1, 2), ..., positive for the first class of the pair ("ovo").
        """
        values = self._decisions(X)
        if values.ndim == 1:
            return values
        # Of a pair, kern's values are positive for the second class, those of scikit-learn for the first.
        if self.decision_function_shape == "ovo":
            return -values
        return _ovr_decision_function(values > 0, values, len(self.classes_))

    def _of_all_classes(self, values):
        """The values of all pairs: of a class without weight and another one, that other one is told; of two, none."""
        pairs, known = self._pairs()
        found = np.tile(pairs, (len(values), 1)).astype(values.dtype)
        found[:, known] = values
        return found

    def _pairs(self):
        """The constant functions of pairs with a class that had no weight, and which pairs had."""
        is_present = np.isin(np.arange(len(self.classes_)), self._present)
        first, second = (is_present[place] for place in np.triu_indices(len(self.classes_), 1))
        return second.astype(np.float64) - first, first & second

    def _coefficients(self):
        values = super()._coefficients()
        if self._present is None:
            return values
        known = self._pairs()[1]
        found = np.zeros((len(known), values.shape[1]), dtype=values.dtype)
        found[known] = values
        return found

    # Of a pair, kern's function is positive for the second class, that of scikit-learn for the first, but for a single pair.
    @property
    def _sign(self):
        return 1.0 if len(self.classes_) == 2 else -1.0

    @property
    def intercept_(self):
        """Intercepts of the functions of pairs, of shape (n_classes * (n_classes - 1) / 2,)."""
        found = super().intercept_
        if self._present is not None:
            found = self._of_all_classes(found[np.newaxis])[0]
        return found * self._sign

    @property
    def coef_(self):
        """Weights of the features for each pair of classes, only for ``kernel="linear"``.

        Of shape (n_classes * (n_classes - 1) / 2, n_features); sparse if X is.
        """
        return _fixed(super().coef_ * self._sign)

    @property
    def dual_coef_(self):
        """Coefficients of the support vectors, of shape (n_classes - 1, n_support), in LIBSVM's order.

        A support vector has one for each pair of its class with another class.
        """
        values = self._coefficients()
        if len(self.classes_) == 2:
            return self._like_points(values)
        owner = np.repeat(np.arange(len(self.classes_)), self.n_support_)
        found = np.zeros((len(self.classes_) - 1, len(owner)))
        for pair, (first, second) in enumerate(zip(*np.triu_indices(len(self.classes_), 1))):
            found[second - 1, owner == first] = values[pair, owner == first]
            found[first, owner == second] = values[pair, owner == second]
        return self._like_points(self._sign * found)

    #: The words of LIBSVM where the weights leave one class.
    _one_class = "Invalid input - all samples with positive weights belong to the same class."

    def _fit_machine(self, X, y, sample_weight, **settings):
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError("decision_function_shape must be either 'ovr' or 'ovo'")
        X, y = self._check_points(X, y, reset=True)
        self._learn_classes(X, y, sample_weight, **settings, **self._stopping())
        self._keep_support(X)
        codes = np.searchsorted(self.classes_, np.asarray(y).ravel()[self.support_])
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_)).astype(np.int32)
        return self


class SVC(_Classification):
    """C-support vector classification.

    Minimises ½‖f‖² + C Σ max(0, 1 - y_i (f(x_i) + b)) over the functions f of the kernel's space and the intercept
    b, as :class:`sklearn.svm.SVC` does, with the same parameters, attributes and meaning of C; more than two
    classes are trained one-vs-one. Beyond it, it accepts formulas, kernels on strings and an infinite C, weights
    count in ``gamma="scale"``, and a duality gap bounds the error of the result. ``probability=True`` is not
    supported.

    A fit takes n_samples**2 / 2 kernel values and memory for n_samples**2 of them; where these do not fit, the
    columns that are needed, again and again. A prediction takes n_support kernel values. For large n_samples use
    :class:`Nystroem` features with a linear classifier, or :func:`train` with ``landmarks``.

    Parameters
    ----------
    C : float, default=1.0
        Penalty (> 0) of the hinge losses. A larger value fits the training samples more closely; ``inf`` is the
        hard margin, for classes that the kernel separates.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    coef0 : float, default=0.0
        The constant term of "poly" and "sigmoid".
    shrinking : bool, default=True
        Ignored; accepted for scripts written for scikit-learn.
    probability : bool, default=False
        Not supported: with True, ``fit`` raises a ValueError. Use
        :class:`sklearn.calibration.CalibratedClassifierCV` or :class:`KernelLogisticRegression` for
        probabilities.
    tol : float, default=1e-3
        Bound (> 0) on the violation of the optimality conditions, in units of the margin (LIBSVM's rule). The
        duality gap must be at most ``max(tol, 0.01)`` times the objective as well.
    cache_size : float or None, default=None
        Ignored; accepted for scripts written for scikit-learn. The part of the kernel matrix that fits the memory
        is kept; :func:`config` bounds it.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class), where
        ``sample_weight`` counts. Classes that a dict does not name have weight 1.
    verbose : bool, default=False
        Ignored; accepted for scripts written for scikit-learn. ``report_`` has the course of the fit.
    max_iter : int or None, default=-1
        Largest number of steps of the solver for each pair of classes; -1 and None are max(10**7, 100 * n_samples
        of the pair). A fit that reaches the limit keeps the function reached so far and issues a
        ConvergenceWarning.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of ``decision_function`` for more than two classes: a value for each class ("ovr") or for each pair
        of classes ("ovo"). Training is one-vs-one in either case.
    break_ties : bool, default=False
        With True, "ovr" and more than two classes, ``predict`` returns the class with the largest decision value,
        instead of the first one among those with the most votes. Not allowed with "ovo".
    random_state : int, RandomState instance or None, default=None
        Ignored; accepted for scripts written for scikit-learn. The solver draws no random numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted. A class whose samples all have weight 0 is among them, and never predicted.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors, class by class.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors of each class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors. Of shape (0, 0) for "precomputed" and callables; not set for strings.
    dual_coef_ : ndarray or sparse array of shape (n_classes - 1, n_support)
        Coefficients of the support vectors, times ±1 for the class, in LIBSVM's order. Sparse if X is.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Intercept of the function of each pair of classes.
    coef_ : ndarray or sparse array of shape (n_classes * (n_classes - 1) / 2, n_features)
        Weights of the features, only for ``kernel="linear"``. Read-only; sparse if X is.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (primal, summed over pairs of classes), "gap"
        (the duality gap), "dual" (the dual objective), "violation" (of the optimality conditions), "rounding_error" (bound
        on the rounding error of a decision value), "rounds", "support", "bounded" (the number of bounded support
        vectors) and "widths" (empty).
    n_iter_ : int
        Number of steps of the solver, summed over pairs of classes, at least 1.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    NuSVC : The same with nu, a bound on the fraction of margin errors, instead of C.
    SVR : Support vector regression.
    KernelLogisticRegression : Classification with probabilities.
    KernelSGDClassifier : The hinge loss by stochastic gradient descent.

    Notes
    -----
    Solved by sequential minimal optimisation on blocks of samples [1]_ [2]_. ``report_["status"]`` is "converged"
    if the duality gap, an upper bound on the distance of the objective from its optimum, is at most ``tol`` times
    the objective, and "converged_by_violation" if only the two conditions of ``tol`` hold. Otherwise
    ("iterations_done", "stalled" by rounding, "stopped") the fit issues a ConvergenceWarning with advice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision; sparse matrices, strings, callables and Gram matrices in double precision. Gram matrices are checked
    to be symmetric and finite, not to be positive semi-definite.

    References
    ----------
    .. [1] Fan, Chen & Lin (2005), "Working Set Selection Using Second Order Information for Training SVM".
    .. [2] Chang & Lin (2011), "LIBSVM: A Library for Support Vector Machines".
    .. [3] Cortes & Vapnik (1995), "Support-Vector Networks".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(C=10).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    >>> model.report_["status"], model.report_["gap"] < 1e-2 * model.report_["objective"]
    ('converged', True)
    >>> SVC(kernel="normalized(spectrum(k=2))").fit(["GATTACA", "GATTAGA", "CCGGC"], ["a", "a", "b"]).predict(["GATTA"])
    array(['a'], dtype='<U1')
    """

    _learner = "svc"

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True,
                 probability=False, tol=1e-3, cache_size=None, class_weight=None, verbose=False, max_iter=-1,
                 decision_function_shape="ovr", break_ties=False, random_state=None):
        self.C, self.kernel, self.degree, self.gamma, self.coef0 = C, kernel, degree, gamma, coef0
        self.tol, self.class_weight, self.max_iter = tol, class_weight, max_iter
        self.decision_function_shape, self.break_ties = decision_function_shape, break_ties
        self.shrinking, self.probability, self.cache_size = shrinking, probability, cache_size
        self.verbose, self.random_state = verbose, random_state

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which multiply C; weight 2 is the row twice, and a row of weight 0 changes nothing. Rows of
            negative weight are left out, as by LIBSVM. They count in ``gamma="scale"`` and in
            ``class_weight="balanced"`` as well, where scikit-learn ignores them.

        Returns
        -------
        self : SVC
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if fewer than two classes have positive
            weight, if ``probability`` is True, if the kernel is unknown, does not accept X or is not known to be
            positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        return self._fit_machine(X, y, sample_weight, c=_penalty(self.C))


class NuSVC(_Classification):
    """Nu-support vector classification.

    Minimises ½‖f‖² - nu n rho + Σ max(0, rho - y_i (f(x_i) + b)) over f, b and rho for each pair of classes, and
    scales f + b so that the margin rho is 1. At most a fraction ``nu`` of the samples of a pair is on the wrong
    side of the margin, and at least a fraction ``nu`` are support vectors. Parameters and attributes are those of
    :class:`sklearn.svm.NuSVC`; ``class_weight`` counts here and is ignored there.

    A fit takes n_samples**2 / 2 kernel values and memory for n_samples**2 of them; where these do not fit, the
    columns that are needed, again and again. A prediction takes n_support kernel values. For large n_samples use
    :class:`Nystroem` features with a linear classifier, or :func:`train` with ``landmarks``.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the fraction of margin errors and lower bound on the fraction of support vectors, in (0,
        1]; of each pair of classes, at most twice the fraction of the rarer one, by weight. Classes that overlap
        have a smallest useful value, below which no function has a margin: a fit then ends as soon as that is
        seen, and warns.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    coef0 : float, default=0.0
        The constant term of "poly" and "sigmoid".
    shrinking : bool, default=True
        Ignored; accepted for scripts written for scikit-learn.
    probability : bool, default=False
        Not supported: with True, ``fit`` raises a ValueError. Use
        :class:`sklearn.calibration.CalibratedClassifierCV` or :class:`KernelLogisticRegression` for
        probabilities.
    tol : float, default=1e-3
        Bound (> 0) on the violation of the optimality conditions, in units of the margin (LIBSVM's rule). The
        duality gap must be at most ``max(tol, 0.01)`` times the objective as well.
    cache_size : float or None, default=None
        Ignored; accepted for scripts written for scikit-learn. The part of the kernel matrix that fits the memory
        is kept; :func:`config` bounds it.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class), where
        ``sample_weight`` counts. Classes that a dict does not name have weight 1.
    verbose : bool, default=False
        Ignored; accepted for scripts written for scikit-learn. ``report_`` has the course of the fit.
    max_iter : int or None, default=-1
        Largest number of steps of the solver for each pair of classes; -1 and None are max(10**7, 100 * n_samples
        of the pair). A fit that reaches the limit keeps the function reached so far and issues a
        ConvergenceWarning.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of ``decision_function`` for more than two classes: a value for each class ("ovr") or for each pair
        of classes ("ovo"). Training is one-vs-one in either case.
    break_ties : bool, default=False
        With True, "ovr" and more than two classes, ``predict`` returns the class with the largest decision value,
        instead of the first one among those with the most votes. Not allowed with "ovo".
    random_state : int, RandomState instance or None, default=None
        Ignored; accepted for scripts written for scikit-learn. The solver draws no random numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted. A class whose samples all have weight 0 is among them, and never predicted.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors, class by class.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors of each class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors. Of shape (0, 0) for "precomputed" and callables; not set for strings.
    dual_coef_ : ndarray or sparse array of shape (n_classes - 1, n_support)
        Coefficients of the support vectors, times ±1 for the class, in LIBSVM's order. Sparse if X is.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Intercept of the function of each pair of classes.
    coef_ : ndarray or sparse array of shape (n_classes * (n_classes - 1) / 2, n_features)
        Weights of the features, only for ``kernel="linear"``. Read-only; sparse if X is.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (primal, before scaling, summed over pairs of
        classes), "gap" (the duality gap), "dual" (the dual objective), "violation" (of the optimality
        conditions), "rounding_error" (bound on the rounding error of a decision value), "rounds", "support", "bounded" (the
        number of bounded support vectors) and "widths" (the margins rho before scaling).
    n_iter_ : int
        Number of steps of the solver, summed over pairs of classes, at least 1.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    SVC : The same with a penalty C instead of nu.
    NuSVR : Regression with nu.
    OneClassSVM : Novelty detection with nu.

    Notes
    -----
    Solved by sequential minimal optimisation on blocks of samples. ``report_["status"]`` is "converged" if the
    duality gap, an upper bound on the distance of the objective from its optimum, is at most ``tol`` times the
    objective, and "converged_by_violation" if only the two conditions of ``tol`` hold. Otherwise
    ("iterations_done", "stalled" by rounding, "stopped") the fit issues a ConvergenceWarning with advice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision; sparse matrices, strings, callables and Gram matrices in double precision. Gram matrices are checked
    to be symmetric and finite, not to be positive semi-definite.

    References
    ----------
    .. [1] Schölkopf, Smola, Williamson & Bartlett (2000), "New Support Vector Algorithms".
    .. [2] Chang & Lin (2011), "LIBSVM: A Library for Support Vector Machines".
    .. [3] Crisp & Burges (2000), "A Geometric Interpretation of nu-SVM Classifiers".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.2).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> len(model.support_) >= 0.2 * len(X)
    True
    """

    _learner = "svc"
    _limit = "max_iter, or nu if the classes overlap"
    _one_class = "specified nu is infeasible: all samples with positive weights belong to the same class."

    def __init__(self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True,
                 probability=False, tol=1e-3, cache_size=None, class_weight=None, verbose=False, max_iter=-1,
                 decision_function_shape="ovr", break_ties=False, random_state=None):
        self.nu, self.kernel, self.degree, self.gamma, self.coef0 = nu, kernel, degree, gamma, coef0
        self.tol, self.class_weight, self.max_iter = tol, class_weight, max_iter
        self.decision_function_shape, self.break_ties = decision_function_shape, break_ties
        self.shrinking, self.probability, self.cache_size = shrinking, probability, cache_size
        self.verbose, self.random_state = verbose, random_state

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Classes, at least two.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which multiply the bounds of the coefficients; weight 2 is the row twice, and a row of weight 0
            changes nothing. Rows of negative weight are left out, as by LIBSVM. They count in ``gamma="scale"`` and
            in ``class_weight="balanced"`` as well, where scikit-learn ignores them.

        Returns
        -------
        self : NuSVC
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if fewer than two classes have positive
            weight, if ``nu`` is too large for a pair of classes, if ``probability`` is True, if the kernel is
            unknown, does not accept X or is not known to be positive semi-definite, or if the fit exceeds the memory
            that :func:`config` allows.
        """
        return self._fit_machine(X, y, sample_weight, nu=float(self.nu))


class _Regression(RegressorMixin, _Machine):
    """Base of support vector regressors."""

    _numeric = True

    def _fit_machine(self, X, y, sample_weight, **settings):
        from sklearn.utils.validation import column_or_1d
        X, y = self._check_points(X, y, reset=True)
        y = column_or_1d(y, warn=True)
        weights = None if sample_weight is None else self._weights_of(sample_weight, X)
        points = self._prepare(X, weights)
        self._learn(points, np.asarray(y, dtype=np.float64), weights, **settings, **self._stopping())
        return self._keep_support(X)

    def predict(self, X):
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            The predicted targets.
        """
        queries = self._queries(X)
        return self.model_.predict(queries)


class SVR(_Regression):
    """Epsilon-support vector regression.

    Minimises ½‖f‖² + C Σ max(0, |y_i - f(x_i) - b| - epsilon) over the functions f of the kernel's space and the
    intercept b, as :class:`sklearn.svm.SVR` does, with the same parameters, attributes and meaning of C. Beyond it,
    it accepts formulas and kernels on strings, weights count in ``gamma="scale"``, and a duality gap bounds the
    error of the result.

    A fit takes n_samples**2 / 2 kernel values and memory for n_samples**2 of them; where these do not fit, the
    columns that are needed, again and again. A prediction takes n_support kernel values. For large n_samples use
    :class:`Nystroem` features with a linear regressor.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    coef0 : float, default=0.0
        The constant term of "poly" and "sigmoid".
    tol : float, default=1e-3
        Bound (> 0) on the violation of the optimality conditions, in units of the targets (LIBSVM's rule). The
        duality gap must be at most ``max(tol, 0.01)`` times the objective as well.
    C : float, default=1.0
        Penalty (> 0) of residuals beyond ``epsilon``. A larger value fits the training samples more closely. It
        should grow with the scale of the targets.
    epsilon : float, default=0.1
        Half-width (>= 0) of the tube, in units of the targets: smaller residuals cost nothing. A larger value
        leaves fewer support vectors; 0 is the absolute loss.
    shrinking : bool, default=True
        Ignored; accepted for scripts written for scikit-learn.
    cache_size : float or None, default=None
        Ignored; accepted for scripts written for scikit-learn. The part of the kernel matrix that fits the memory
        is kept; :func:`config` bounds it.
    verbose : bool, default=False
        Ignored; accepted for scripts written for scikit-learn. ``report_`` has the course of the fit.
    max_iter : int or None, default=-1
        Largest number of steps of the solver; -1 and None are max(10**7, 100 * n_samples). A fit that reaches the
        limit keeps the function reached so far and issues a ConvergenceWarning.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors.
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors. Of shape (0, 0) for "precomputed" and callables; not set for strings.
    dual_coef_ : ndarray or sparse array of shape (1, n_support)
        Coefficients of the support vectors. Sparse if X is.
    intercept_ : ndarray of shape (1,)
        Intercept of the decision function.
    coef_ : ndarray or sparse array of shape (1, n_features)
        Weights of the features, only for ``kernel="linear"``. Read-only; sparse if X is.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (primal), "gap" (the duality gap), "dual" (the
        dual objective), "violation" (of the optimality conditions), "rounding_error" (bound on the rounding error of a
        decision value), "rounds", "support", "bounded" (the number of bounded support vectors) and "widths"
        (``epsilon``).
    n_iter_ : int
        Number of steps of the solver, at least 1.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    NuSVR : The same with a fraction nu of the samples outside of the tube instead of epsilon.
    QuantileSVR : Regression of a quantile instead of the median.
    KernelRidge : The squared loss, several outputs and exact leave-one-out residuals.

    Notes
    -----
    Solved by sequential minimal optimisation on blocks of samples [1]_ [2]_. ``report_["status"]`` is "converged"
    if the duality gap, an upper bound on the distance of the objective from its optimum, is at most ``tol`` times
    the objective, and "converged_by_violation" if only the two conditions of ``tol`` hold. Otherwise
    ("iterations_done", "stalled" by rounding, "stopped") the fit issues a ConvergenceWarning with advice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision; sparse matrices, strings, callables and Gram matrices in double precision. Gram matrices are checked
    to be symmetric and finite, not to be positive semi-definite.

    References
    ----------
    .. [1] Fan, Chen & Lin (2005), "Working Set Selection Using Second Order Information for Training SVM".
    .. [2] Chang & Lin (2011), "LIBSVM: A Library for Support Vector Machines".
    .. [3] Vapnik (1998), "Statistical Learning Theory".

    Examples
    --------
    >>> from kernrs import SVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 70.0]
    >>> model = SVR(kernel="linear", C=10.0, epsilon=0.0, tol=1e-8).fit(X, y)
    >>> model.predict(X).round(3)      # the outlier has little influence
    array([1., 3., 5., 7.])
    >>> model.coef_.round(3)
    array([[2.]])
    """

    _learner = "svr"

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0, epsilon=0.1,
                 shrinking=True, cache_size=None, verbose=False, max_iter=-1):
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.C, self.epsilon, self.max_iter = tol, C, epsilon, max_iter
        self.shrinking, self.cache_size, self.verbose = shrinking, cache_size, verbose

    def fit(self, X, y, sample_weight=None):
        """Fit the regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which multiply C; weight 2 is the row twice, and a row of weight 0 changes nothing. Rows of
            negative weight are left out, as by LIBSVM. They count in ``gamma="scale"`` as well, where scikit-learn
            ignores them.

        Returns
        -------
        self : SVR
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if the kernel is unknown, does not accept X
            or is not known to be positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        return self._fit_machine(X, y, sample_weight, c=float(self.C), epsilon=float(self.epsilon))


class NuSVR(_Regression):
    """Nu-support vector regression.

    Minimises ½‖f‖² + C (nu n epsilon + Σ max(0, |y_i - f(x_i) - b| - epsilon)) over f, b and the half-width epsilon
    of the tube. At most a fraction ``nu`` of the samples is outside of the tube, and at least a fraction ``nu`` are
    support vectors. Parameters and attributes are those of :class:`sklearn.svm.NuSVR`; formulas and kernels on
    strings are accepted as well.

    A fit takes n_samples**2 / 2 kernel values and memory for n_samples**2 of them; where these do not fit, the
    columns that are needed, again and again. A prediction takes n_support kernel values. There are two variables
    for each sample. For large n_samples use :class:`Nystroem` features with a linear regressor.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the fraction of samples outside of the tube and lower bound on the fraction of support
        vectors, in (0, 1]. A larger value makes the tube narrower.
    C : float, default=1.0
        Penalty (> 0) of residuals outside of the tube. A larger value fits the training samples more closely.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    coef0 : float, default=0.0
        The constant term of "poly" and "sigmoid".
    shrinking : bool, default=True
        Ignored; accepted for scripts written for scikit-learn.
    tol : float, default=1e-3
        Bound (> 0) on the violation of the optimality conditions, in units of the targets (LIBSVM's rule). The
        duality gap must be at most ``max(tol, 0.01)`` times the objective as well.
    cache_size : float or None, default=None
        Ignored; accepted for scripts written for scikit-learn. The part of the kernel matrix that fits the memory
        is kept; :func:`config` bounds it.
    verbose : bool, default=False
        Ignored; accepted for scripts written for scikit-learn. ``report_`` has the course of the fit.
    max_iter : int or None, default=-1
        Largest number of steps of the solver; -1 and None are max(10**7, 100 * 2 * n_samples). A fit that reaches
        the limit keeps the function reached so far and issues a ConvergenceWarning.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors.
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors. Of shape (0, 0) for "precomputed" and callables; not set for strings.
    dual_coef_ : ndarray or sparse array of shape (1, n_support)
        Coefficients of the support vectors. Sparse if X is.
    intercept_ : ndarray of shape (1,)
        Intercept of the decision function.
    coef_ : ndarray or sparse array of shape (1, n_features)
        Weights of the features, only for ``kernel="linear"``. Read-only; sparse if X is.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (primal), "gap" (the duality gap), "dual" (the
        dual objective), "violation" (of the optimality conditions), "rounding_error" (bound on the rounding error of a
        decision value), "rounds", "support", "bounded" (the number of bounded support vectors) and "widths" (the
        learned half-width epsilon of the tube).
    n_iter_ : int
        Number of steps of the solver, at least 1.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    SVR : The same with a given epsilon.
    NuSVC : Classification with nu.

    Notes
    -----
    Solved by sequential minimal optimisation on blocks of samples. ``report_["status"]`` is "converged" if the
    duality gap, an upper bound on the distance of the objective from its optimum, is at most ``tol`` times the
    objective, and "converged_by_violation" if only the two conditions of ``tol`` hold. Otherwise
    ("iterations_done", "stalled" by rounding, "stopped") the fit issues a ConvergenceWarning with advice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision; sparse matrices, strings, callables and Gram matrices in double precision. Gram matrices are checked
    to be symmetric and finite, not to be positive semi-definite.

    References
    ----------
    .. [1] Schölkopf, Smola, Williamson & Bartlett (2000), "New Support Vector Algorithms".
    .. [2] Chang & Lin (2011), "LIBSVM: A Library for Support Vector Machines".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from kernrs import NuSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = NuSVR(nu=0.3, C=100.0).fit(X, y)
    >>> outside = np.abs(model.predict(X) - y) > model.report_["widths"][0] + 0.01
    >>> bool(outside.mean() <= 0.3 <= len(model.support_) / len(X))
    True
    """

    _learner = "svr"

    def __init__(self, *, nu=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, tol=1e-3,
                 cache_size=None, verbose=False, max_iter=-1):
        self.nu, self.C, self.kernel, self.degree, self.gamma = nu, C, kernel, degree, gamma
        self.coef0, self.tol, self.max_iter = coef0, tol, max_iter
        self.shrinking, self.cache_size, self.verbose = shrinking, cache_size, verbose

    def fit(self, X, y, sample_weight=None):
        """Fit the regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which multiply C; weight 2 is the row twice, and a row of weight 0 changes nothing. Rows of
            negative weight are left out, as by LIBSVM. They count in ``gamma="scale"`` as well, where scikit-learn
            ignores them.

        Returns
        -------
        self : NuSVR
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if the kernel is unknown, does not accept X
            or is not known to be positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        return self._fit_machine(X, y, sample_weight, c=float(self.C), nu=float(self.nu))


class QuantileSVR(_Regression):
    """Support vector regression of a conditional quantile.

    Minimises ½‖f‖² + C Σ max(q r_i, (q - 1) r_i), r_i = y_i - f(x_i) - b, the pinball loss with q = ``quantile``,
    over the functions f of the kernel's space and the intercept b. At most a fraction q of the training targets is
    below the curve, and at most a fraction 1 - q above. scikit-learn has
    :class:`sklearn.linear_model.QuantileRegressor`, the linear model with another penalty. ``quantile=0.5`` is
    :class:`SVR` with ``epsilon=0`` and half of its C. Curves of several quantiles are fitted one by one, and may
    cross.

    A fit takes n_samples**2 / 2 kernel values and memory for n_samples**2 of them; where these do not fit, the
    columns that are needed, again and again. A prediction takes n_support kernel values. For large n_samples use
    :class:`Nystroem` features with a linear regressor.

    Parameters
    ----------
    quantile : float, default=0.5
        The level q of the quantile, in (0, 1): the fraction of targets below the curve.
    C : float, default=1.0
        Penalty (> 0) of the pinball losses. A larger value fits the training samples more closely. It should grow
        with the scale of the targets.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    coef0 : float, default=0.0
        The constant term of "poly" and "sigmoid".
    tol : float, default=1e-3
        Bound (> 0) on the violation of the optimality conditions, in units of the targets (LIBSVM's rule). The
        duality gap must be at most ``max(tol, 0.01)`` times the objective as well.
    max_iter : int or None, default=-1
        Largest number of steps of the solver; -1 and None are max(10**7, 100 * n_samples). A fit that reaches the
        limit keeps the function reached so far and issues a ConvergenceWarning.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors.
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors. Of shape (0, 0) for "precomputed" and callables; not set for strings.
    dual_coef_ : ndarray or sparse array of shape (1, n_support)
        Coefficients of the support vectors. Sparse if X is.
    intercept_ : ndarray of shape (1,)
        Intercept of the decision function.
    coef_ : ndarray or sparse array of shape (1, n_features)
        Weights of the features, only for ``kernel="linear"``. Read-only; sparse if X is.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (primal), "gap" (the duality gap), "dual" (the
        dual objective), "violation" (of the optimality conditions), "rounding_error" (bound on the rounding error of a
        decision value), "rounds", "support", "bounded" (the number of bounded support vectors) and "widths"
        (empty).
    n_iter_ : int
        Number of steps of the solver, at least 1.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    SVR : Regression of the median, with a tube.
    SplitConformalRegressor : Prediction intervals of any regressor.
    jackknife_plus : Prediction intervals of kernel ridge regression.

    Notes
    -----
    Solved by sequential minimal optimisation on blocks of samples. ``report_["status"]`` is "converged" if the
    duality gap, an upper bound on the distance of the objective from its optimum, is at most ``tol`` times the
    objective, and "converged_by_violation" if only the two conditions of ``tol`` hold. Otherwise
    ("iterations_done", "stalled" by rounding, "stopped") the fit issues a ConvergenceWarning with advice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision; sparse matrices, strings, callables and Gram matrices in double precision. Gram matrices are checked
    to be symmetric and finite, not to be positive semi-definite.

    References
    ----------
    .. [1] Takeuchi, Le, Sears & Smola (2006), "Nonparametric Quantile Estimation".
    .. [2] Chang & Lin (2011), "LIBSVM: A Library for Support Vector Machines".

    Examples
    --------
    >>> import numpy as np
    >>> from kernrs import QuantileSVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> below = np.mean(y <= QuantileSVR(quantile=0.9, C=1.0).fit(X, y).predict(X))
    >>> bool(abs(below - 0.9) < 0.02)
    True
    """

    _learner = "svr"

    def __init__(self, *, quantile=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, max_iter=-1):
        self.quantile, self.C, self.kernel, self.degree, self.gamma = quantile, C, kernel, degree, gamma
        self.coef0, self.tol, self.max_iter = coef0, tol, max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit the regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which multiply C; weight 2 is the row twice, and a row of weight 0 changes nothing. Rows of
            negative weight are left out, as by LIBSVM. They count in ``gamma="scale"`` as well, where scikit-learn
            ignores them.

        Returns
        -------
        self : QuantileSVR
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if the kernel is unknown, does not accept X
            or is not known to be positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        return self._fit_machine(X, y, sample_weight, c=float(self.C), quantile=float(self.quantile))


class OneClassSVM(OutlierMixin, _Machine):
    """One-class support vector machine, for novelty and outlier detection.

    Minimises ½‖f‖² - nu n rho + Σ max(0, rho - f(x_i)) over the functions f of the kernel's space and rho: the
    region f(x) > rho holds most samples. At most a fraction ``nu`` of the training samples is outside, and at least
    a fraction ``nu`` are support vectors. Parameters and attributes are those of :class:`sklearn.svm.OneClassSVM`;
    formulas and kernels on strings are accepted as well.

    A fit takes n_samples**2 / 2 kernel values and memory for n_samples**2 of them; where these do not fit, the
    columns that are needed, again and again. A prediction takes n_support kernel values. For large n_samples use
    :class:`Nystroem` features with :class:`sklearn.linear_model.SGDOneClassSVM`.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    coef0 : float, default=0.0
        The constant term of "poly" and "sigmoid".
    tol : float, default=1e-3
        Bound (> 0) on the violation of the optimality conditions, in units of the decision function (LIBSVM's
        rule). The duality gap must be at most ``max(tol, 0.01)`` times the objective as well.
    nu : float, default=0.5
        Upper bound on the fraction of training samples outside of the region and lower bound on the fraction of
        support vectors, in (0, 1]. A larger value makes the region smaller.
    shrinking : bool, default=True
        Ignored; accepted for scripts written for scikit-learn.
    cache_size : float or None, default=None
        Ignored; accepted for scripts written for scikit-learn. The part of the kernel matrix that fits the memory
        is kept; :func:`config` bounds it.
    verbose : bool, default=False
        Ignored; accepted for scripts written for scikit-learn. ``report_`` has the course of the fit.
    max_iter : int or None, default=-1
        Largest number of steps of the solver; -1 and None are max(10**7, 100 * n_samples). A fit that reaches the
        limit keeps the function reached so far and issues a ConvergenceWarning.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        The threshold rho: ``decision_function`` is ``score_samples`` minus ``offset_``.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors.
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors. Of shape (0, 0) for "precomputed" and callables; not set for strings.
    dual_coef_ : ndarray or sparse array of shape (1, n_support)
        Coefficients of the support vectors. Sparse if X is.
    intercept_ : ndarray of shape (1,)
        Intercept of the decision function.
    coef_ : ndarray or sparse array of shape (1, n_features)
        Weights of the features, only for ``kernel="linear"``. Read-only; sparse if X is.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (primal), "gap" (the duality gap), "dual" (the
        dual objective), "violation" (of the optimality conditions), "rounding_error" (bound on the rounding error of a
        decision value), "rounds", "support", "bounded" (the number of bounded support vectors) and "widths"
        (empty).
    n_iter_ : int
        Number of steps of the solver, at least 1.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    SVC : Classification of two or more classes.
    KernelPCA : Its reconstruction errors flag samples unlike the training data.
    train : Detection in tables, with ``task="detect"``.

    Notes
    -----
    Solved by sequential minimal optimisation on blocks of samples. ``report_["status"]`` is "converged" if the
    duality gap, an upper bound on the distance of the objective from its optimum, is at most ``tol`` times the
    objective, and "converged_by_violation" if only the two conditions of ``tol`` hold. Otherwise
    ("iterations_done", "stalled" by rounding, "stopped") the fit issues a ConvergenceWarning with advice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision.
    Gram matrices are checked to be symmetric and finite, not to be positive semi-definite.

    References
    ----------
    .. [1] Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001), "Estimating the Support of a High-Dimensional
           Distribution".
    .. [2] Chang & Lin (2011), "LIBSVM: A Library for Support Vector Machines".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import OneClassSVM
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = OneClassSVM(gamma=0.1, nu=0.1).fit(X)
    >>> model.predict([X.mean(axis=0), 3 * X.mean(axis=0)])
    array([ 1, -1])
    >>> bool(np.mean(model.decision_function(X) < -0.01) <= 0.1 <= len(model.support_) / len(X))
    True
    """

    _by_distances = False
    _learner = "one_class"

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, nu=0.5,
                 shrinking=True, cache_size=None, verbose=False, max_iter=-1):
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.nu, self.max_iter = tol, nu, max_iter
        self.shrinking, self.cache_size, self.verbose = shrinking, cache_size, verbose

    def fit(self, X, y=None, sample_weight=None):
        """Fit the region of most samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : object, default=None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which multiply the bounds of the coefficients; weight 2 is the row twice, and a row of weight 0
            changes nothing. Rows of negative weight are left out, as by LIBSVM. They count in ``gamma="scale"`` as
            well, where scikit-learn ignores them.

        Returns
        -------
        self : OneClassSVM
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if the kernel is unknown, does not accept X
            or is not known to be positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        X = self._check_points(X, reset=True)
        weights = None if sample_weight is None else self._weights_of(sample_weight, X)
        self._learn(self._prepare(X, weights), None, weights, nu=float(self.nu), **self._stopping())
        self.offset_ = -self.intercept_
        return self._keep_support(X)

    def decision_function(self, X):
        """Compute the signed value of samples: positive inside the region.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        values : ndarray of shape (n_samples,)
            f(x) - rho: positive inside the region, negative outside.
        """
        queries = self._queries(X)
        return self.model_.decision(queries)[:, 0]

    def score_samples(self, X):
        """Compute the decision function without its offset.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            f(x): larger for samples that are more like the training samples.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        """Predict whether samples are inside the region.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        labels : ndarray of shape (n_samples,), dtype=int64
            1 for samples inside, -1 for samples outside.
        """
        queries = self._queries(X)
        return self.model_.predict(queries)
