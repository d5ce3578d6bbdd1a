//! Golden values of kernel logistic regression: Newton's method on the full system, by numpy 2.4.6.
//!
//! ```python
//! d = load_iris(); X = d.data[1::5][:, :3]; t = d.target[1::5]; n = 30  # scikit-learn 1.9.1
//! K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1))
//! y = np.where(t == 2, 1.0, -1.0); w = np.array([1.0, 0.5, 2.0])[np.arange(n) % 3]
//!
//! def newton(beta, lam):
//!     a = np.zeros(n)
//!     for _ in range(100):
//!         m = K @ a; s = 1 / (1 + np.exp(y * m)); g = -beta * y * s; W = beta * s * (1 - s)
//!         d = np.linalg.solve(n * lam * np.eye(n) + W[:, None] * K, -(g + n * lam * a))
//!         a = a + d
//!     return (K @ a)[::5], (beta * np.logaddexp(0, -y * (K @ a))).sum() / n + lam / 2 * a @ K @ a
//!
//! newton(np.ones(n), 1e-3); newton(w, 1e-3)
//! ```
//! and the same for the softmax with the Hessian P_c(δ_ck − P_k), 90 × 90.

pub(crate) use super::iris::X;

/// Their class: ten of each.
pub(crate) fn class(i: usize) -> usize {
    i / 10
}
/// The weight of each point in the weighted case.
pub(crate) fn weight(i: usize) -> f64 {
    [1.0, 0.5, 2.0][i % 3]
}
pub(crate) const LAMBDA: f64 = 1e-3;
/// Decision values at points 0, 5, 10, …, class 2 against the rest.
pub(crate) const BINARY: [f64; 6] = [
    -4.445727046408144,
    -4.599704716678082,
    -3.56388301891867,
    -0.6945638448910696,
    3.66396970947066,
    0.39227772548647266,
];
pub(crate) const BINARY_OBJECTIVE: f64 = 0.1521633721057808;
/// The same with weights.
pub(crate) const WEIGHTED: [f64; 6] = [
    -4.660898314206619,
    -4.678913865461065,
    -4.033396903369681,
    -1.102678155463046,
    3.7207723220208884,
    0.1903319331618878,
];
pub(crate) const WEIGHTED_OBJECTIVE: f64 = 0.14239344319994796;
/// Probabilities of the three classes at points 0, 6, 12, ….
pub(crate) const SOFTMAX: [[f64; 3]; 5] = [
    [0.9911482439819675, 0.004587366323363613, 0.004264389694669057],
    [0.9890326352501324, 0.005912505202190746, 0.005054859547676857],
    [0.0018064329004757354, 0.9927216530124576, 0.005471914087066542],
    [0.004685619625801672, 0.895252229722518, 0.10006215065168045],
    [0.0049718979966105106, 0.0494695879060712, 0.9455585140973183],
];
pub(crate) const SOFTMAX_OBJECTIVE: f64 = 0.1303836758984722;
