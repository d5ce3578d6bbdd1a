//! Statistics on real data against NumPy.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::data::{columns, labelled, of_class};
use crate::real;
use kern_core::kernels::Rbf;
use kern_solvers::dependence::{HsicTest, LinearMmd, MmdTest, hsic, mmd};

/// The set, two of its classes, and of these: both estimates of the discrepancy; the statistic and the variance of the linear test; both
/// estimates of the dependence of the first half of the columns and the others.
type Expected = (&'static str, &'static str, &'static str, [f64; 2], [f64; 2], [f64; 2]);

/// numpy 2.4.6:
///
/// ```python
/// X = (X - X.mean(0)) / X.std(0); A, B = X[y == a], X[y == b]; g = 1 / X.shape[1]; h = X.shape[1] // 2
/// def rbf(A, B, g): return np.exp(-g * ((A[:, None] - B[None]) ** 2).sum(-1))
/// def mmd(K, m):
///     X, Y, Z = K[:m, :m], K[m:, m:], K[:m, m:]; n = len(K) - m
///     off = lambda A: A.sum() - np.trace(A)
///     return (X.mean() + Y.mean() - 2 * Z.mean(),
///             off(X) / (m * (m - 1)) + off(Y) / (n * (n - 1)) - 2 * Z.mean())
/// def linear(X, Y, k):  # k(U, V) = diag(rbf(U, V, g))
///     c = min(len(X), len(Y)) // 2 * 2; a, b, p, q = X[0:c:2], X[1:c:2], Y[0:c:2], Y[1:c:2]
///     t = k(a, b) + k(p, q) - k(a, q) - k(b, p)
///     return t.mean(), t.var(ddof=1) / len(t)
/// def hsic(K, L):
///     n = len(K); H = np.eye(n) - 1 / n; e = np.ones(n)
///     b = np.trace(K @ H @ L @ H) / n**2
///     K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
///     return b, (np.trace(K @ L) + (e @ K @ e) * (e @ L @ e) / ((n - 1) * (n - 2))
///                - 2 / (n - 2) * (e @ K @ L @ e)) / (n * (n - 3))
/// P = np.vstack([A, B]); mmd(rbf(P, P, g), len(A)); linear(A, B, k)
/// hsic(rbf(X[:, :h], X[:, :h], g), rbf(X[:, h:], X[:, h:], 2 * g))
/// ```
const EXPECTED: [Expected; 3] = [
    (
        "wine",
        "0",
        "1",
        [0.4899418776827726, 0.47149165075716554],
        [0.5689004449161079, 0.004483624250001207],
        [0.021023161425396057, 0.01900029820056864],
    ),
    (
        "iris",
        "1",
        "2",
        [0.3832533795084536, 0.36819781578477273],
        [0.33627719679548534, 0.008300738910885007],
        [0.06689662913277926, 0.06619508502360334],
    ),
    (
        "breast_cancer",
        "0",
        "1",
        [0.3932777724420524, 0.38837238299409815],
        [0.4631704919305341, 0.0010840206806953716],
        [0.022386581687690844, 0.021797661479587373],
    ),
];

#[test]
fn statistics_are_those_of_numpy() {
    for (name, first, second, discrepancy, linear, dependence) in EXPECTED {
        let (x, labels) = labelled(name).unwrap();
        let gamma = 1.0 / x.dim() as f64;
        let kernel = Rbf::new(gamma).unwrap();
        let (a, b) = (of_class(&x, &labels, first), of_class(&x, &labels, second));
        let found = mmd(&kernel, &a, &b).unwrap();
        let mut worst = 0.0_f64;
        let mut close = |found: f64, expected: f64| {
            worst = worst.max((found - expected).abs());
            assert!(worst < 1e-13, "{name}: {found} {expected}");
        };
        close(found.biased(), discrepancy[0]);
        close(found.unbiased().unwrap(), discrepancy[1]);
        let test = MmdTest::on_kernel(kernel).permutations(99).test(&a, &b).unwrap();
        close(test.statistic(), discrepancy[1]);
        assert_eq!(test.p_value(), 0.01);
        let terms = LinearMmd::new(&kernel, &a, &b).unwrap();
        close(terms.statistic(), linear[0]);
        close(terms.variance(), linear[1]);

        let half = x.dim() / 2;
        let (left, right) = (columns(&x, 0..half), columns(&x, half..x.dim()));
        let other = Rbf::new(2.0 * gamma).unwrap();
        let found = hsic(&kernel, &left, &other, &right).unwrap();
        close(found.biased(), dependence[0]);
        close(found.unbiased().unwrap(), dependence[1]);
        let test = HsicTest::on_kernels(kernel, other).permutations(99).test(&left, &right);
        let test = test.unwrap();
        close(test.statistic(), dependence[0]);
        assert_eq!(test.p_value(), 0.01);
        let claim = "MMD and HSIC of NumPy to 1e-13";
        real::claim(worst < 1e-13, name, claim, format_args!("worst difference {worst:.1e}"));
    }
}
