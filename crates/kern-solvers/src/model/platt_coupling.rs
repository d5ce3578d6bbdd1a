//! Probabilities from decision values: Platt scaling and pairwise coupling.
//!
//! A sigmoid turns a decision value into a probability, 1/(1 + exp(A f + B)). Probabilities of
//! pairs of classes are coupled; those of one-vs-rest functions are divided by their sum.

use crate::Error;
use crate::classes::pairs_of_classes;
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// The largest number of sweeps.
const MOST_SWEEPS: usize = 1000;

/// The violation of the optimality conditions at which the sweeps stop.
const ENOUGH: f64 = 1e-13;

/// Pairwise probabilities are kept this far from 0 and 1, as in LIBSVM.
const CERTAIN: f64 = 1e-7;

/// P(positive | f) = 1/(1 + exp(A f + B)).
///
/// # References
/// Platt (2000), *Probabilities for SV Machines*.
///
/// # Examples
/// ```
/// use kern_solvers::calibration::PlattSigmoid;
/// let sigmoid = PlattSigmoid::fit(&[-2.0, -1.0, 0.5, -0.5, 1.0, 2.0], &[0, 0, 0, 1, 1, 1].map(|y| y == 1));
/// assert!(sigmoid.a < 0.0 && sigmoid.probability(2.0) > 0.7);
/// assert!(sigmoid.probability(1e300) <= 1.0 && sigmoid.probability(-1e300) >= 0.0);
/// ```
#[doc(alias = "Platt scaling")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlattSigmoid {
    /// A, negative if larger scores are more probable.
    pub a: f64,
    /// B.
    pub b: f64,
}

impl PlattSigmoid {
    /// The probability for a score.
    #[must_use]
    pub fn probability(&self, score: f64) -> f64 {
        let t = self.exponent(score);
        // exp never overflows in this form.
        if t >= 0.0 { (-t).exp() / (1.0 + (-t).exp()) } else { 1.0 / (1.0 + t.exp()) }
    }

    /// A f + B.
    pub(crate) fn exponent(&self, score: f64) -> f64 {
        self.a * score + self.b
    }
}

/// The probabilities of k classes from pairwise ones: `among[i][j]` is the probability of class i
/// among i and j. They minimise Σ_{i≠j} (r_ji pᵢ − r_ij pⱼ)² = pᵀQp subject to Σp = 1.
///
/// # Complexity
/// O(k³) per sweep; about ten sweeps.
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

/// The probabilities of `classes` classes from one-vs-one functions: the sigmoid of a pair is the
/// probability of its second class. Two classes need no coupling.
pub(crate) fn of_pairs<T: Scalar>(
    values: MatRef<'_, T>,
    sigmoids: &[PlattSigmoid],
    classes: usize,
) -> Result<Mat<T>, Error> {
    let mut p = zeros(values.nrows(), classes)?;
    for i in 0..values.nrows() {
        let second = |k: usize| sigmoids[k].probability(values[(i, k)].to_f64());
        let row = if classes == 2 {
            vec![1.0 - second(0), second(0)]
        } else {
            let mut among = vec![vec![0.0; classes]; classes];
            for (k, (a, b)) in pairs_of_classes(classes).enumerate() {
                (among[a][b], among[b][a]) = (1.0 - second(k), second(k));
            }
            couple(&among)
        };
        row.iter().enumerate().for_each(|(c, &v)| p[(i, c)] = T::from_f64(v));
    }
    Ok(p)
}

/// The probabilities of classes from one-vs-rest functions: their sigmoids divided by the sum.
pub(crate) fn of_classes<T: Scalar>(
    values: MatRef<'_, T>,
    sigmoids: &[PlattSigmoid],
) -> Result<Mat<T>, Error> {
    let mut p = zeros(values.nrows(), sigmoids.len())?;
    for i in 0..values.nrows() {
        let one = |c: usize| sigmoids[c].probability(values[(i, c)].to_f64());
        let sum: f64 = (0..sigmoids.len()).map(one).sum();
        (0..sigmoids.len()).for_each(|c| p[(i, c)] = T::from_f64(one(c) / sum));
    }
    Ok(p)
}
