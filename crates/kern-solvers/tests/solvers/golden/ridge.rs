//! Golden values of kernel ridge, from scikit-learn 1.9.1 (numpy 2.4.6, f64):
//!
//! ```python
//! X = load_iris().data[::15]; y = X[:, 3]; X = X[:, :3]
//! KernelRidge(alpha=10 * 0.01, kernel="rbf", gamma=0.5).fit(X, y).dual_coef_
//! ```

/// Sepal length and width, petal length.
pub(crate) const X: [[f64; 3]; 10] = [
    [5.1, 3.5, 1.4],
    [5.7, 4.4, 1.5],
    [4.8, 3.1, 1.6],
    [4.8, 3.0, 1.4],
    [5.0, 2.0, 3.5],
    [6.6, 3.0, 4.4],
    [5.5, 2.6, 4.4],
    [7.6, 3.0, 6.6],
    [6.9, 3.2, 5.7],
    [7.7, 3.0, 6.1],
];
/// Petal width.
pub(crate) const Y: [f64; 10] = [0.2, 0.4, 0.2, 0.3, 1.0, 1.4, 1.2, 2.1, 2.3, 2.3];
/// Dual coefficients.
pub(crate) const ALPHA: [f64; 10] = [
    -0.32442248066902674,
    0.45582071827872805,
    -0.34334640946337375,
    0.6794894100497636,
    0.6576227727991381,
    0.5114751615717491,
    0.4187456161701767,
    0.763590247305258,
    1.0082381329393049,
    0.8115746910397482,
];

/// Values with sample weights, from the same versions; `w` is [`WEIGHTS`]:
///
/// ```python
/// KernelRidge(alpha=10 * 0.01, kernel="rbf", gamma=0.5).fit(X, y, sample_weight=w).dual_coef_
/// m = Ridge(alpha=10 * 0.02, fit_intercept=True).fit(X, y, sample_weight=w); m.coef_, m.intercept_
/// g = GaussianProcessRegressor(RBF(1.0), alpha=0.1 / w, optimizer=None).fit(X, y)
/// mean, sd = g.predict(Q, return_std=True); mean, sd**2
/// ```
pub(crate) mod weighted {
    pub(crate) const WEIGHTS: [f64; 10] = [1.0, 2.0, 0.5, 1.5, 3.0, 0.25, 1.0, 4.0, 0.75, 2.5];
    pub(crate) const ALPHA: [f64; 10] = [
        -0.4172417877897645,
        0.5040513809588094,
        -0.2828660065741304,
        0.7056284206615425,
        0.6877678436793546,
        0.38735229547485955,
        0.4652921540041737,
        0.7916434698843589,
        0.9675799384984668,
        0.8748797912950907,
    ];
    pub(crate) const LINEAR: [f64; 3] =
        [0.23604789831182496, -0.10467376349641888, 0.2497044774826156];
    pub(crate) const LINEAR_INTERCEPT: f64 = -0.8757339941092752;
    pub(crate) const QUERIES: [[f64; 3]; 3] = [[5.0, 3.0, 2.0], [6.5, 3.1, 5.0], [7.0, 2.0, 1.0]];
    pub(crate) const MEAN: [f64; 3] = [0.3106190379731079, 1.6147031830757395, 0.0189756551502885];
    pub(crate) const VARIANCE: [f64; 3] =
        [0.27404905715677036, 0.23379385196503932, 0.9972511363880083];
}
