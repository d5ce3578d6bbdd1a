//! Pairwise coupling.

/// Sweeps after which an answer is as good as it gets.
const MOST_SWEEPS: usize = 1000;

/// The violation of the optimality conditions at which it is.
const ENOUGH: f64 = 1e-13;

/// Pairwise probabilities stay this far from 0 and 1, as in LIBSVM.
const CERTAIN: f64 = 1e-7;

/// The probabilities of k classes from those of each against each other: `among[i][j]` is that of i among i and j.
/// They minimise Σ_{i≠j} (r_ji pᵢ − r_ij pⱼ)² = pᵀQp with Σp = 1.
///
/// # Complexity
/// O(k³) a sweep; some ten sweeps.
///
/// # Panics
/// If `among` is not square.
///
/// # Examples
/// ```
/// use kern_solvers::calibration::couple;
/// let p = couple(&[vec![0.0, 0.8, 0.6], vec![0.2, 0.0, 0.5], vec![0.4, 0.5, 0.0]]);
/// assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// assert!(p[0] > p[2] && p[2] > p[1]);
/// ```
#[must_use]
pub fn couple(among: &[Vec<f64>]) -> Vec<f64> {
    let classes = among.len();
    let r = |i: usize, j: usize| among[i][j].clamp(CERTAIN, 1.0 - CERTAIN);
    let q = |t: usize, j: usize| -> f64 {
        if t == j {
            (0..classes).filter(|&s| s != t).map(|s| r(s, t) * r(s, t)).sum()
        } else {
            -r(j, t) * r(t, j)
        }
    };
    let matrix: Vec<Vec<f64>> =
        (0..classes).map(|t| (0..classes).map(|j| q(t, j)).collect()).collect();
    let mut p = vec![1.0 / classes as f64; classes];
    for _ in 0..MOST_SWEEPS {
        let product =
            |t: usize, p: &[f64]| -> f64 { matrix[t].iter().zip(p).map(|(q, p)| q * p).sum() };
        let form = |p: &[f64]| -> f64 { (0..classes).map(|t| p[t] * product(t, p)).sum() };
        let value = form(&p);
        if (0..classes).all(|t| (product(t, &p) - value).abs() <= ENOUGH) {
            break;
        }
        for t in 0..classes {
            let rest = product(t, &p) - matrix[t][t] * p[t];
            p[t] = (form(&p) - rest) / matrix[t][t];
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p /= sum);
        }
    }
    p
}
