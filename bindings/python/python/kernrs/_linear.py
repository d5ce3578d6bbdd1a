"""Ridge and logistic regression, perceptrons and stochastic gradients, on kernels."""

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _native
from ._base import KernelClassifier, KernelEstimator, advice_in_python, seed_of, weights_of
from ._validation import check, checked


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Kernel ridge regression.

    Minimises Σ (y_i - f(x_i))² + alpha ‖f‖² over the functions f of the kernel's space, that is (K + alpha I)
    dual_coef_ = y, as :class:`sklearn.kernel_ridge.KernelRidge` does, with the same parameters and attributes.
    alpha is n times the λ of kern's Rust and command-line interfaces. There is no intercept. Beyond scikit-learn,
    it accepts formulas, kernels on strings and gamma "scale" and "auto", has exact leave-one-out residuals, and a
    duality gap bounds the error of the result; but ``alpha`` is one number for all outputs.

    Up to 2000 samples, a Cholesky factorisation (n_samples**3 / 3 flops, n_samples**2 numbers in memory); for more
    samples, that or preconditioned conjugate gradients (some 20 to 200 times n_samples**2 flops), whichever is
    predicted to be faster within the memory. For large n_samples use :class:`Nystroem` features with
    :class:`sklearn.linear_model.Ridge`, or :func:`train` with ``landmarks``.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty (> 0) of ‖f‖². A larger value makes the function smoother. One number for all outputs; an array
        with one for each output is not supported.
    kernel : str, Kernel, callable or "precomputed", default="linear"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two samples
        (rows) that returns a number, or "precomputed" for Gram matrices instead of X.
    gamma : {"scale", "auto"}, float or None, default=None
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Values of "gamma", "degree" and "coef0", which take precedence, or the keyword arguments of a callable
        kernel.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Coefficients of the training samples; 0 for samples of weight 0.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (divided by n_samples, summed over outputs) and
        "gap" (the duality gap).
    n_iter_ : int
        Number of iterations; 1 after a factorisation.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    KernelRidgeCV : The same with a choice of alpha by exact cross-validation.
    KernelRidgeClassifier : Classification by kernel ridge regression.
    jackknife_plus : Prediction intervals of kernel ridge regression.
    GaussianProcessRegressor : The same mean, with standard deviations and a kernel that is learned.

    Notes
    -----
    ``report_["status"]`` is "converged" if the duality gap, an upper bound on the distance of the objective from
    its optimum, is small: 1e-5 of the objective after a factorisation, 1e-10 after conjugate gradients (1e-6 in
    single precision). Otherwise ("stalled" by rounding, or "iterations_done") the fit issues a ConvergenceWarning.
    The objective in the report is the one above divided by n_samples. A kernel matrix that is not positive definite
    with ``alpha`` on its diagonal raises a ValueError.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision.
    From 1024 samples on, factors may be in single precision where conjugate gradients then reach double precision.

    References
    ----------
    .. [1] Saunders, Gammerman & Vovk (1998), "Ridge Regression Learning Algorithm in Dual Variables".

    Examples
    --------
    >>> from kernrs import KernelRidge
    >>> model = KernelRidge(alpha=1e-9, kernel="rbf", gamma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    >>> bool(abs(model.predict([[2.0]])[0] - 4.0) < 1e-6)
    True
    >>> model.report_["status"]
    'converged'
    >>> model.dual_coef_.shape
    (3,)
    """

    _learner = "ridge"
    _limit = "alpha"
    _several = True
    _numeric = True

    def __init__(self, alpha=1.0, *, kernel="linear", gamma=None, degree=3, coef0=1.0, kernel_params=None):
        self.alpha, self.kernel, self.gamma, self.degree, self.coef0 = alpha, kernel, gamma, degree, coef0
        self.kernel_params = kernel_params

    def fit(self, X, y, sample_weight=None):
        """Fit the regressor, of one or several outputs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing. They count in
            ``gamma="scale"`` as well.

        Returns
        -------
        self : KernelRidge
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if the kernel matrix is not positive
            definite, if the kernel is unknown, does not accept X or is not known to be positive semi-definite, or if
            the fit exceeds the memory that :func:`config` allows.
        """
        formula, points, y, weights = self._problem(X, y, sample_weight)
        self._learn(points, y, weights, **{"lambda": float(self.alpha) / len(points)})
        self._is_single, self._used = y.ndim == 1, None if weights is None else weights > 0
        return self

    def _problem(self, X, y, sample_weight):
        """The formula, the points, the targets and the weights of a fit."""
        check(self)
        X, y = self._check_points(X, y, reset=True)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        points = self._prepare(X, weights)
        return self._formula, points, np.ascontiguousarray(y, dtype=np.float64), weights

    def leave_one_out(self, X, y, sample_weight=None):
        """Compute the exact leave-one-out residuals of the training samples.

        The residual of a sample is its target minus the prediction of the model fitted without it, with the same
        ``alpha``. All follow from one factorisation (n_samples**3 / 3 to n_samples**3 flops, n_samples**2 numbers in
        memory); no model is refitted. The estimator need not be fitted, and is not changed.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights, as in ``fit``. A sample is left out as one row, whatever its weight.

        Returns
        -------
        residuals : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The residuals, in the shape of y.

        Raises
        ------
        ValueError
            As ``fit``.

        Examples
        --------
        >>> import numpy as np
        >>> from kernrs import KernelRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 4.0, 9.0])
        >>> model = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5)
        >>> residuals = model.leave_one_out(X, y)
        >>> bool(abs(residuals[0] - (y[0] - model.fit(X[1:], y[1:]).predict(X[:1])[0])) < 1e-12)
        True
        """
        # The kernel, and what queries are compared with, belong to the fit of this one.
        formula, points, y, weights = clone(self)._problem(X, y, sample_weight)
        lam = float(self.alpha) / len(points)
        with advice_in_python(self):
            residuals = _native.leave_one_out(formula, points, y.reshape(len(y), -1), weights, lam)
        return residuals.reshape(y.shape)

    @property
    def dual_coef_(self):
        """Coefficients of the training samples, of shape (n_samples,) or (n_samples, n_outputs)."""
        check_is_fitted(self, "model_")
        values = self.model_.coefficients
        if self._used is not None and len(values) == np.count_nonzero(self._used):
            values, known = np.zeros((len(self._used), values.shape[1])), values
            values[self._used] = known
        return values[:, 0] if self._is_single else values

    def predict(self, X):
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted targets.
        """
        queries = self._queries(X)
        return self.model_.predict(queries)


class KernelRidgeCV(KernelRidge):
    """Kernel ridge regression with a choice of alpha by exact cross-validation.

    The model of :class:`KernelRidge` with the alpha of the smallest mean squared error on samples that are left
    out: one by one, or the folds of ``cv``. One eigendecomposition serves all values of alpha; no model is
    refitted, and the errors are exact. ``alpha`` keeps its meaning where samples are left out. It is what
    :class:`sklearn.linear_model.RidgeCV` is for linear models.

    The eigendecomposition takes about 9 n_samples**3 flops on one thread and several times n_samples**2 numbers in
    memory; each alpha then n_samples**2 flops, with folds more. A fit of the chosen alpha follows, as
    :class:`KernelRidge` makes it.

    Parameters
    ----------
    alphas : float or array-like of shape (n_alphas,), default=(1e-3, 1e-2, 0.1, 1.0, 10.0)
        The values (> 0) of alpha to choose among. Of equal errors the largest alpha is taken.
    kernel : str, Kernel, callable or "precomputed", default="linear"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two samples
        (rows) that returns a number, or "precomputed" for Gram matrices instead of X.
    gamma : {"scale", "auto"}, float or None, default=None
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Values of "gamma", "degree" and "coef0", which take precedence, or the keyword arguments of a callable
        kernel.
    cv : int, cross-validation generator, iterable or None, default=None
        None leaves out samples one by one. Otherwise the folds, as scikit-learn's ``check_cv`` reads them (an int
        is :class:`sklearn.model_selection.KFold`); they must be a partition of the samples.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    best_score_ : float
        Minus the error of the chosen alpha.
    errors_ : ndarray of shape (n_alphas,)
        Weighted mean squared errors on samples that are left out; the mean over outputs if there are several.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Coefficients of the training samples; 0 for samples of weight 0.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (divided by n_samples, summed over outputs) and
        "gap" (the duality gap).
    n_iter_ : int
        Number of iterations of the last fit; 1 after a factorisation.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    KernelRidge : The model with a given alpha.
    GaussianProcessRegressor : Learns all parameters of the kernel by the marginal likelihood.

    Notes
    -----
    ``report_["status"]`` is "converged" if the duality gap, an upper bound on the distance of the objective from
    its optimum, is small: 1e-5 of the objective after a factorisation, 1e-10 after conjugate gradients (1e-6 in
    single precision). Otherwise ("stalled" by rounding, or "iterations_done") the fit issues a ConvergenceWarning.
    The objective in the report is the one above divided by n_samples. A kernel matrix that is not positive definite
    with ``alpha`` on its diagonal raises a ValueError.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision. The
    eigendecomposition is in double precision.

    References
    ----------
    .. [1] Saunders, Gammerman & Vovk (1998), "Ridge Regression Learning Algorithm in Dual Variables".

    Examples
    --------
    >>> import numpy as np
    >>> from kernrs import KernelRidgeCV
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = KernelRidgeCV([1e-3, 1e3], kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> model.alpha_
    0.001
    >>> model.errors_.shape, bool(model.errors_[0] < model.errors_[1])
    ((2,), True)
    """

    _limit = "alphas"

    def __init__(self, alphas=(1e-3, 1e-2, 0.1, 1.0, 10.0), *, kernel="linear", gamma=None, degree=3, coef0=1.0,
                 kernel_params=None, cv=None):
        self.alphas, self.kernel, self.gamma, self.degree, self.coef0 = alphas, kernel, gamma, degree, coef0
        self.kernel_params, self.cv = kernel_params, cv

    def fit(self, X, y, sample_weight=None):
        """Choose alpha and fit the regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; a row of weight 0 changes nothing. They count in the errors and in ``gamma="scale"``
            as well. A sample is left out as one row, whatever its weight.

        Returns
        -------
        self : KernelRidgeCV
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if ``cv`` is not a partition of the
            samples, if the kernel matrix is not positive definite, if the kernel is unknown, does not accept X or is
            not known to be positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        formula, points, targets, weights = self._problem(X, y, sample_weight)
        alphas = self.alphas if hasattr(self.alphas, "__len__") else [self.alphas]
        if len(alphas) == 0:
            raise ValueError("alphas must have at least one number")
        lambdas = [float(checked("alpha", alpha)) / len(points) for alpha in alphas]
        folds = None if self.cv is None else _folds(self.cv, X, targets, len(points))
        known = targets.reshape(len(targets), -1)
        with advice_in_python(self):
            errors = np.array(_native.left_out_errors(formula, points, known, weights, lambdas, folds))
        # Without folds the native part sums over outputs.
        self.errors_ = errors / known.shape[1] if folds is None else errors
        # Of equal ones the greatest alpha.
        chosen = min(range(len(lambdas)), key=lambda place: (self.errors_[place], -lambdas[place]))
        self.alpha_, self.best_score_ = float(alphas[chosen]), -float(self.errors_[chosen])
        self._learn(points, targets, weights, **{"lambda": lambdas[chosen]})
        self._is_single, self._used = targets.ndim == 1, None if weights is None else weights > 0
        return self

    def leave_one_out(self, X, y, sample_weight=None):
        """Compute the exact leave-one-out residuals with the chosen alpha.

        See :meth:`KernelRidge.leave_one_out`. The estimator must be fitted, and is not changed.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Training samples; strings for kernels on strings; a symmetric Gram matrix of shape (n_samples, n_samples)
            for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights, as in ``fit``.

        Returns
        -------
        residuals : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The residuals, in the shape of y.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            As ``fit``.
        """
        check_is_fitted(self, "model_")
        names = ("kernel", "gamma", "degree", "coef0", "kernel_params")
        ridge = KernelRidge(self.alpha_, **{name: getattr(self, name) for name in names})
        return ridge.leave_one_out(X, y, sample_weight)


def _folds(cv, X, y, count):
    """The number of the fold of each point."""
    folds = np.full(count, -1)
    for number, (_, test) in enumerate(check_cv(cv).split(X, y)):
        if np.any(folds[test] >= 0):
            raise ValueError("cv must be a partition: some points are in several of its folds")
        folds[test] = number
    if np.any(folds < 0):
        raise ValueError("cv must be a partition: some points are in none of its folds")
    return folds.tolist()


class KernelRidgeClassifier(ClassifierMixin, KernelClassifier):
    """Classification by kernel ridge regression.

    Minimises Σ (t_i - f(x_i) - b)² + alpha ‖f‖² for targets t_i of ±1, with an intercept b that is not penalised:
    one function for two classes, each class against the rest for more. This is the least-squares support vector
    machine, and what :class:`sklearn.linear_model.RidgeClassifier` is for linear models; scikit-learn has no class
    of it for kernels. There are no probabilities.

    Up to 2000 samples, a Cholesky factorisation (n_samples**3 / 3 flops, n_samples**2 numbers in memory); for more
    samples, that or preconditioned conjugate gradients (some 20 to 200 times n_samples**2 flops), whichever is
    predicted to be faster within the memory. All classes share the factor. For large n_samples use
    :class:`Nystroem` features with :class:`sklearn.linear_model.RidgeClassifier`.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty (> 0) of ‖f‖². A larger value makes the functions smoother.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class), where
        ``sample_weight`` counts. Classes that a dict does not name have weight 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted. A class whose samples all have weight 0 is among them, and never predicted.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (divided by n_samples, summed over functions) and
        "gap" (the duality gap).
    n_iter_ : int
        Number of iterations; 1 after a factorisation.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    KernelRidge : The regression.
    SVC : The hinge loss, whose functions are sparse.
    KernelLogisticRegression : Classification with probabilities.

    Notes
    -----
    ``report_["status"]`` is "converged" if the duality gap, an upper bound on the distance of the objective from
    its optimum, is small: 1e-5 of the objective after a factorisation, 1e-10 after conjugate gradients (1e-6 in
    single precision). Otherwise ("stalled" by rounding, or "iterations_done") the fit issues a ConvergenceWarning.
    The objective in the report is the one above divided by n_samples. A kernel matrix that is not positive definite
    with ``alpha`` on its diagonal raises a ValueError.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision.

    References
    ----------
    .. [1] Suykens, Van Gestel, De Brabanter, De Moor & Vandewalle (2002), "Least Squares Support Vector Machines".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelRidgeClassifier(alpha=0.1).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.decision_function(X).shape
    (150, 3)
    """

    _learner = "ridge"
    _limit = "alpha"

    def __init__(self, alpha=1.0, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, class_weight=None):
        self.alpha, self.kernel, self.gamma, self.degree, self.coef0 = alpha, kernel, gamma, degree, coef0
        self.class_weight = class_weight

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
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing. They count in
            ``gamma="scale"`` and in ``class_weight="balanced"`` as well, where scikit-learn ignores them.

        Returns
        -------
        self : KernelRidgeClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if fewer than two classes have positive
            weight, if the kernel matrix is not positive definite, if the kernel is unknown, does not accept X or is
            not known to be positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        return self._fit_classes(X, y, sample_weight, intercept=True)

    def _scaled(self, count):
        return {"lambda": float(self.alpha) / count}

    def decision_function(self, X):
        """Compute the decision function of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes one value, positive for ``classes_[1]``; with more a value for each class, of which the
            largest is predicted.
        """
        return self._decisions(X)


class KernelLogisticRegression(ClassifierMixin, KernelClassifier):
    """Kernel logistic regression: classes with probabilities.

    Minimises C Σ log(1 + exp(-y_i (f(x_i) + b))) + ½‖f‖² over the functions f of the kernel's space and the
    intercept b, which is not penalised; with more than two classes the multinomial loss, with a function for each
    class. C is that of :class:`sklearn.linear_model.LogisticRegression`, the linear model (C = 1/(nλ));
    scikit-learn has no class of it for kernels. The probabilities are those of the model, and need no calibration
    by cross-validation, unlike those of an SVM.

    A fit takes n_samples**2 / 2 kernel values, at least one factorisation of n_samples**3 / 3 flops, and 2
    n_samples**2 numbers in memory. For large n_samples use :class:`Nystroem` features with
    :class:`sklearn.linear_model.LogisticRegression`, or :func:`train` with ``landmarks``.

    Parameters
    ----------
    C : float, default=1.0
        Weight (> 0) of the losses. A larger value fits the training samples more closely.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    tol : float, default=1e-6
        Largest duality gap (>= 0) relative to the objective at which a fit has converged.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class), where
        ``sample_weight`` counts. Classes that a dict does not name have weight 1.
    max_iter : int, default=100
        Largest number of Newton steps (>= 0). A fit that reaches it keeps the function reached so far and issues
        a ConvergenceWarning.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted. A class whose samples all have weight 0 is among them, and never predicted.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (the one above divided by C n_samples) and "gap"
        (the duality gap).
    n_iter_ : int
        Number of Newton steps, at least 1.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    GaussianProcessClassifier : Probabilities averaged over functions, with a kernel that is learned.
    SVC : The hinge loss, whose functions are sparse.
    KernelSGDClassifier : The logistic loss by stochastic gradient descent.

    Notes
    -----
    Solved by Newton's method with line search; steps are solved by a Cholesky factor or by conjugate gradients
    preconditioned with an earlier factor. ``report_["status"]`` is "converged" if the duality gap, an upper bound
    on the distance of the objective from its optimum, is at most ``tol`` times the objective. Otherwise
    ("iterations_done", "stalled" by rounding, "stopped") the fit issues a ConvergenceWarning.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision.

    References
    ----------
    .. [1] Zhu & Hastie (2005), "Kernel Logistic Regression and the Import Vector Machine".
    .. [2] Keerthi, Duan, Shevade & Poo (2005), "A Fast Dual Algorithm for Kernel Logistic Regression".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegression(C=10.0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> bool(abs(model.predict_proba(X[:1]).sum() - 1.0) < 1e-12)
    True
    >>> model.report_["gap"] <= 1e-6 * model.report_["objective"]
    True
    """

    _learner = "logistic"

    def __init__(self, C=1.0, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, tol=1e-6, class_weight=None,
                 max_iter=100):
        self.C, self.kernel, self.gamma, self.degree, self.coef0 = C, kernel, gamma, degree, coef0
        self.tol, self.class_weight, self.max_iter = tol, class_weight, max_iter

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
            Non-negative weights; weight 2 is the row twice, and a row of weight 0 changes nothing. They count in
            ``gamma="scale"`` and in ``class_weight="balanced"`` as well, where scikit-learn ignores them.

        Returns
        -------
        self : KernelLogisticRegression
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if fewer than two classes have positive
            weight, if the kernel is unknown, does not accept X or is not known to be positive semi-definite, or if
            the fit exceeds the memory that :func:`config` allows.
        """
        settings = {"intercept": True, "tolerance": float(self.tol), "max_iterations": int(self.max_iter)}
        return self._fit_classes(X, y, sample_weight, **settings)

    def _scaled(self, count):
        return {"lambda": 1.0 / (float(self.C) * count)}

    def decision_function(self, X):
        """Compute the decision function of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes the log-odds of ``classes_[1]``; with more a value for each class, whose softmax are the
            probabilities.
        """
        return self._decisions(X)

    def predict_proba(self, X):
        """Predict the probabilities of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``; 0 for a class whose training samples all have weight 0.
        """
        return self._probabilities(X)

    def predict_log_proba(self, X):
        """Predict the logarithms of the probabilities of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Logarithms of ``predict_proba``, in the order of ``classes_``.
        """
        return np.log(self.predict_proba(X))


class KernelPerceptron(ClassifierMixin, KernelClassifier):
    """The perceptron on a kernel.

    Visits the samples one after the other, epoch by epoch, in the order of X or shuffled. A sample of class y_i =
    ±1 with y_i f(x_i) <= 0 is a mistake and adds y_i K(., x_i) to f; an epoch without a mistake ends the fit. More
    than two classes are learned together: a mistake raises the function of the class and lowers that of its rival.
    There is no intercept. :class:`sklearn.linear_model.Perceptron` is the linear model. If the kernel separates the
    classes, the number of mistakes is bounded; otherwise the fit ends after ``max_iter`` epochs.

    A mistake takes n_samples kernel values and operations, a visit without a mistake one look. The kernel matrix is
    kept if the memory holds n_samples**2 numbers, else as many columns as fit. A prediction takes a kernel value
    for each sample that was a mistake.

    Parameters
    ----------
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    averaged : bool, default=False
        With True, the model is the mean of the functions after all visits, which usually predicts better than the
        last function if the classes overlap.
    max_iter : int, default=100
        Largest number of epochs (>= 1). A fit that reaches it issues a ConvergenceWarning.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class), where
        ``sample_weight`` counts. Classes that a dict does not name have weight 1.
    shuffle : bool, default=False
        With True, the samples are shuffled before each epoch, as :class:`sklearn.linear_model.Perceptron` does by
        default. With False they are visited in the order of X, which suits no data whose samples are sorted by class.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffles; without effect if ``shuffle`` is False. None is 0, so results are reproducible by
        default.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted. A class whose samples all have weight 0 is among them, and never predicted.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations" (epochs), "objective" (the fraction of mistakes in the last
        epoch), "gap" (None), "mistakes_per_pass", "steps" (visits), "mistakes", "projected" and "removed" (0),
        "support" (indices of samples that were mistakes), "squared_norm" (of the function) and "squared_radius"
        (the largest K(x, x) of the samples, times the square of the weight).
    n_iter_ : int
        Number of epochs.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    SVC : The function with the largest margin.
    KernelSGDClassifier : Losses with a penalty, by stochastic gradient descent.

    Notes
    -----
    A weight w_i makes the step of a mistake w_i times as long, so it is not the row repeated w_i times. The number
    of mistakes of two separable classes is at most R² ‖f*‖², with R² the largest K(x, x) and f* any function with
    y_i f*(x_i) >= 1 for all samples [2]_.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision.

    References
    ----------
    .. [1] Rosenblatt (1958), "The Perceptron".
    .. [2] Novikoff (1962), "On Convergence Proofs for Perceptrons".
    .. [3] Freund & Schapire (1999), "Large Margin Classification Using the Perceptron Algorithm".
    .. [4] Crammer & Singer (2003), "Ultraconservative Online Algorithms for Multiclass Problems".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import KernelPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelPerceptron(gamma=1.0).fit(X[:100], y[:100])
    >>> model.report_["status"], model.report_["mistakes_per_pass"][-1]
    ('converged', 0)
    >>> model.score(X[:100], y[:100])
    1.0
    """

    _learner = "perceptron"

    def __init__(self, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, averaged=False, max_iter=100,
                 class_weight=None, shuffle=False, random_state=0):
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.averaged, self.max_iter, self.class_weight = averaged, max_iter, class_weight
        self.shuffle, self.random_state = shuffle, random_state

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
            Non-negative weights, which multiply the steps; weight 2 is not the row twice. A row of weight 0 changes
            nothing. They count in ``gamma="scale"`` and in ``class_weight="balanced"`` as well, where scikit-learn
            ignores them.

        Returns
        -------
        self : KernelPerceptron
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if fewer than two classes have positive
            weight, if the kernel is unknown, does not accept X or is not known to be positive semi-definite, or if
            the fit exceeds the memory that :func:`config` allows.
        """
        order = "shuffled" if self.shuffle else "as_given"
        settings = {"averaged": bool(self.averaged), "max_iterations": int(self.max_iter), "order": order,
                    "seed": seed_of(self.random_state)}
        return self._fit_classes(X, y, sample_weight, **settings)

    def decision_function(self, X):
        """Compute the decision function of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes one value, positive for ``classes_[1]``; with more a value for each class, of which the
            largest is predicted.
        """
        return self._decisions(X)


#: The losses of a classifier by SGD.
_LOSSES = ("hinge", "squared_hinge", "logistic", "perceptron", "squared", "huber", "epsilon_insensitive",
           "squared_epsilon_insensitive")


class KernelSGDClassifier(ClassifierMixin, KernelClassifier):
    """Classification by stochastic gradient descent on a kernel.

    Minimises (1/n) Σ l(f(x_i), y_i) + (alpha/2) ‖f‖² over the functions f of the kernel's space, for the hinge loss
    or another one; more than two classes are each learned against the rest. At each step a sample is drawn
    uniformly with replacement, and f <- (1 - s alpha) f - s w_i l'(f(x_i), y_i) K(., x_i) with the constant step
    size s = 0.1, for ``epochs`` * n_samples steps from f = 0. The model is the last function. There is no
    intercept. :class:`sklearn.linear_model.SGDClassifier` is the linear model; its step sizes and defaults differ.

    The kernel matrix is stored: n_samples**2 / 2 kernel values and n_samples**2 numbers in memory. A step that
    changes the function takes n_samples operations; a step whose loss has no slope, none. A prediction takes a
    kernel value for each sample with a coefficient. For large n_samples use :class:`Nystroem` or
    :class:`RBFSampler` features with :class:`sklearn.linear_model.SGDClassifier`.

    Parameters
    ----------
    loss : str, default="hinge"
        The loss l: "hinge", "squared_hinge", "logistic" or "perceptron"; or, for targets of ±1, "squared",
        "huber" (quadratic up to 1), "epsilon_insensitive" or "squared_epsilon_insensitive" (of half-width 0.1).
    alpha : float, default=1e-4
        Penalty (>= 0) of ½‖f‖², for losses that are means over samples. A larger value makes the function
        smoother.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    epochs : int, default=20
        Number of epochs (>= 1), of n_samples steps each. There is no rule that stops earlier.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of classes; "balanced" takes n_samples/(n_classes * weight of the class), where
        ``sample_weight`` counts. Classes that a dict does not name have weight 1.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the sequence of samples. None is 0, so results are reproducible by default.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted. A class whose samples all have weight 0 is among them, and never predicted.
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (mean loss plus penalty) and "gap" (None).
    n_iter_ : int
        Number of steps.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    SVC : The hinge loss, solved to a duality gap.
    KernelLogisticRegression : The logistic loss, solved to a duality gap, with probabilities.
    KernelSGDRegressor : Regression with the squared loss.

    Notes
    -----
    ``report_["status"]`` is "iterations_done", since nothing is tested for convergence, and no warning is issued;
    ``report_["gap"]`` is None. The step size suits kernels with K(x, x) of about 1, such as "rbf"; where "linear"
    or "poly" has large values, a fit may diverge, which raises a ValueError. A weight makes steps longer, so weight
    2 is not exactly the row twice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision.

    References
    ----------
    .. [1] Kivinen, Smola & Williamson (2004), "Online Learning with Kernels".
    .. [2] Shalev-Shwartz, Singer, Srebro & Cotter (2011), "Pegasos: Primal Estimated sub-GrAdient SOlver for SVM".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernrs import KernelSGDClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelSGDClassifier(loss="squared_hinge").fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.n_iter_      # 20 epochs of 150 steps
    3000
    """

    _learner = "sgd"
    _limit = None

    def __init__(self, *, loss="hinge", alpha=1e-4, kernel="rbf", gamma="scale", degree=3, coef0=1.0, epochs=20,
                 class_weight=None, random_state=0):
        self.loss, self.alpha, self.kernel, self.gamma, self.degree = loss, alpha, kernel, gamma, degree
        self.coef0, self.epochs, self.class_weight, self.random_state = coef0, epochs, class_weight, random_state

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
            Non-negative weights, which multiply the losses; the samples that are drawn depend on the number of rows
            of positive weight, so weight 2 is not exactly the row twice. A row of weight 0 changes nothing. They
            count in ``gamma="scale"`` and in ``class_weight="balanced"`` as well, where scikit-learn ignores them.

        Returns
        -------
        self : KernelSGDClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if fewer than two classes have positive
            weight, if the descent diverges, if the kernel is unknown, does not accept X or is not known to be
            positive semi-definite, or if the fit exceeds the memory that :func:`config` allows.
        """
        if self.loss not in _LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, _LOSSES))}, got {self.loss!r}")
        settings = {"loss": self.loss, "lambda": float(self.alpha), "epochs": int(self.epochs),
                    "seed": seed_of(self.random_state)}
        return self._fit_classes(X, y, sample_weight, **settings)

    def decision_function(self, X):
        """Compute the decision function of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of str
            Samples. For ``kernel="precomputed"``, kernel values with the training samples, of shape (n_samples,
            n_samples_fit).

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes one value, positive for ``classes_[1]``; with more a value for each class, of which the
            largest is predicted.
        """
        return self._decisions(X)


class KernelSGDRegressor(RegressorMixin, KernelEstimator):
    """Regression by stochastic gradient descent on a kernel.

    Minimises (1/n) Σ ½ (f(x_i) - y_i)² + (alpha/2) ‖f‖² over the functions f of the kernel's space. At each step a
    sample is drawn uniformly with replacement, and f <- (1 - s alpha) f - s w_i l'(f(x_i), y_i) K(., x_i) with the
    constant step size s = 0.1, for ``epochs`` * n_samples steps from f = 0. The model is the last function. There
    is no intercept. Centre the targets if their mean is far from 0. :class:`sklearn.linear_model.SGDRegressor` is
    the linear model; its step sizes and defaults differ. :class:`KernelRidge` has the exact solution, for ``alpha``
    times n_samples.

    The kernel matrix is stored: n_samples**2 / 2 kernel values and n_samples**2 numbers in memory. A step that
    changes the function takes n_samples operations; a step whose loss has no slope, none. A prediction takes a
    kernel value for each sample with a coefficient. For large n_samples use :class:`Nystroem` or
    :class:`RBFSampler` features with :class:`sklearn.linear_model.SGDRegressor`.

    Parameters
    ----------
    alpha : float, default=1e-4
        Penalty (>= 0) of ½‖f‖², for losses that are means over samples. A larger value makes the function
        smoother.
    kernel : str, Kernel, callable or "precomputed", default="rbf"
        The kernel: a name ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a formula such as
        ``"0.5*rbf(gamma=0.1) + linear"`` (see :func:`families` and :class:`Kernel`), a callable of two arrays
        that returns the matrix of their kernel values, or "precomputed" for Gram matrices instead of X.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient (> 0) of "rbf", "poly", "sigmoid", "laplacian" and "chi2". "scale" is 1/(n_features *
        X.var()), weighted by ``sample_weight``; "auto" is 1/n_features; None is 1/n_features as well, but 1 for
        "chi2". Formulas have their own parameters; one that gives no value of gamma takes this.
    degree : int, default=3
        Degree of "poly". Other kernels ignore it.
    coef0 : float, default=1.0
        The constant term of "poly" and "sigmoid".
    epochs : int, default=20
        Number of epochs (>= 1), of n_samples steps each. There is no rule that stops earlier.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the sequence of samples. None is 0, so results are reproducible by default.

    Attributes
    ----------
    model_ : object
        The native model.
    report_ : dict
        Evidence of the fit: "status", "iterations", "objective" (mean loss plus penalty) and "gap" (None).
    n_iter_ : int
        Number of steps.
    kernel_formula_ : str
        The kernel with all parameters that were used, such as ``"rbf(gamma=0.25)"``; "precomputed" for Gram
        matrices and callables.
    n_features_in_ : int
        Number of features. Not set for strings.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are all strings.

    See Also
    --------
    KernelRidge : The same problem, solved exactly.
    SVR : The epsilon-insensitive loss, solved to a duality gap.
    KernelSGDClassifier : Classification with several losses.

    Notes
    -----
    ``report_["status"]`` is "iterations_done", since nothing is tested for convergence, and no warning is issued;
    ``report_["gap"]`` is None. The step size suits kernels with K(x, x) of about 1, such as "rbf"; where "linear"
    or "poly" has large values, a fit may diverge, which raises a ValueError. A weight makes steps longer, so weight
    2 is not exactly the row twice.

    Results have the same bits for any number of threads. Dense float32 samples are fitted and evaluated in single
    precision, unless a kernel of inner products ("linear", "poly", "sigmoid", "cosine") meets a feature whose mean
    is beyond 30 standard deviations; sparse matrices, strings, callables and Gram matrices in double precision.

    References
    ----------
    .. [1] Kivinen, Smola & Williamson (2004), "Online Learning with Kernels".

    Examples
    --------
    >>> import numpy as np
    >>> from kernrs import KernelSGDRegressor
    >>> X = np.linspace(0, 6, 100)[:, None]
    >>> model = KernelSGDRegressor(gamma=1.0, epochs=100).fit(X, np.sin(X[:, 0]))
    >>> model.score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    _learner = "sgd"
    _limit = None
    _numeric = True

    def __init__(self, *, alpha=1e-4, kernel="rbf", gamma="scale", degree=3, coef0=1.0, epochs=20, random_state=0):
        self.alpha, self.kernel, self.gamma, self.degree, self.coef0 = alpha, kernel, gamma, degree, coef0
        self.epochs, self.random_state = epochs, random_state

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
            Non-negative weights, which multiply the losses; the samples that are drawn depend on the number of rows
            of positive weight, so weight 2 is not exactly the row twice. A row of weight 0 changes nothing. They
            count in ``gamma="scale"`` as well, where scikit-learn ignores them.

        Returns
        -------
        self : KernelSGDRegressor
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter, X, y or a weight is not allowed or not finite, if the descent diverges, if the kernel is
            unknown, does not accept X or is not known to be positive semi-definite, or if the fit exceeds the memory
            that :func:`config` allows.
        """
        X, y = self._check_points(X, y, reset=True)
        y = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
        weights = None if sample_weight is None else weights_of(sample_weight, X)
        settings = {"lambda": float(self.alpha), "epochs": int(self.epochs), "seed": seed_of(self.random_state)}
        return self._learn(self._prepare(X, weights), y, weights, **settings)

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
