//! Certificate of a descent: a dual point whose derivatives sum to zero, and the duality gap there.
//!
//! Without an intercept the gap is ‖∇J‖²/(2λ), which is that of the dual point g = ℓ'(f). With an
//! intercept, dual points satisfy Σβg = 0. Samples are divided into parts, by the sign of g or for
//! softmax by class, and g is multiplied by a factor s ≤ 1 in each part, such that the sums are
//! zero. The conjugate of a loss with minimum 0 is convex with ℓ*(0) = 0, so ℓ*(sg) ≤ sℓ*(g), and
//!
//! gap ≤ J + (1/n)Σ_p s_p Σ_{i∈p} βℓ*(g) + ‖Σ_p s_p Σ_{i∈p} βgz‖²/(2λn²).
//!
//! For softmax, s is the stationary measure of the generator with the rows Σ_{i∈p} βg. The last
//! round computes the last sum.
//!
//! # References
//! Grassmann, Taksar & Heyman (1985), *Regenerative Analysis and Steady State Distributions for
//! Markov Chains*.

use super::descent_rounds::DescentProblem;
use super::loss_gradient::SlopeSums;
use faer::{Mat, MatRef};
use kern_core::serde_mat;
use serde::{Deserialize, Serialize};

/// The sums of a group of functions over each part of the samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parts {
    /// Σβg: parts × functions.
    #[serde(with = "serde_mat")]
    balance: Mat<f64>,
    /// Σβℓ*(g).
    conjugates: Vec<f64>,
}

impl Parts {
    pub(super) fn new(sums: &SlopeSums, group: usize, width: usize) -> Self {
        let balance = sums.balance.as_ref().subcols(group * width, width).to_owned();
        Self { balance, conjugates: sums.conjugates.col_as_slice(group).to_vec() }
    }

    /// True if the sums have this shape, parts × functions.
    pub(super) fn fit(&self, shape: (usize, usize)) -> bool {
        self.balance.shape() == shape && self.conjugates.len() == shape.0
    }

    /// The factors s ≤ 1 of the parts for which the derivatives of each function sum to zero.
    pub(super) fn scales(&self) -> Vec<f64> {
        match self.balance.ncols() {
            1 => signs(self.balance[(0, 0)], self.balance[(1, 0)]),
            _ => stationary(self.balance.as_ref()),
        }
    }

    /// (1/n)Σ_p s_p Σβℓ*(g).
    pub(super) fn conjugate(&self, scales: &[f64], count: f64) -> f64 {
        scales.iter().zip(&self.conjugates).map(|(s, value)| s * value).sum::<f64>() / count
    }

    /// An estimate of the gap: without an intercept the gap itself, ‖∇J‖²/(2λ); with one, its value
    /// near the optimum, where s is close to 1.
    pub(super) fn estimate(
        &self,
        problem: &DescentProblem,
        gradient: MatRef<'_, f64>,
        count: f64,
    ) -> f64 {
        let weights = gradient.subrows(0, problem.dim);
        let square: f64 = weights.col_iter().flat_map(|v| v.iter().map(|v| v * v)).sum();
        let gap = square / (2.0 * problem.lambda);
        if !problem.intercept {
            return gap;
        }
        let ones = vec![1.0; self.conjugates.len()];
        gap + (self.conjugate(&self.scales(), count) - self.conjugate(&ones, count)).abs()
    }
}

/// The factors of two parts, one with non-negative derivatives and one with negative ones.
fn signs(above: f64, below: f64) -> Vec<f64> {
    let (above, below) = (above.abs(), below.abs());
    let share = |small: f64, large: f64| if large > 0.0 { small / large } else { 1.0 };
    if above > below { vec![share(below, above), 1.0] } else { vec![1.0, share(above, below)] }
}

/// The vector s ≥ 0 with sᵀG = 0 and largest entry 1, for a generator G: rows sum to zero, and only
/// the diagonal is negative. It is computed by elimination without subtractions (Grassmann, Taksar
/// & Heyman 1985).
fn stationary(generator: MatRef<'_, f64>) -> Vec<f64> {
    let n = generator.nrows();
    let mut rates = generator.to_owned();
    for last in (1..n).rev() {
        let out: f64 = (0..last).map(|j| rates[(last, j)]).sum();
        for i in 0..last {
            let share = if out > 0.0 { rates[(i, last)] / out } else { 0.0 };
            rates[(i, last)] = share;
            for j in 0..last {
                if j != i {
                    let through = share * rates[(last, j)];
                    rates[(i, j)] += through;
                }
            }
        }
    }
    let mut scales = vec![1.0; n];
    for last in 1..n {
        scales[last] = (0..last).map(|i| scales[i] * rates[(i, last)]).sum();
    }
    let largest = scales.iter().copied().fold(0.0, f64::max);
    scales.iter_mut().for_each(|s| *s /= largest);
    scales
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;

    #[test]
    fn factors_balance_the_parts() {
        assert_eq!(signs(4.0, -1.0), [0.25, 1.0]);
        assert_eq!(signs(1.0, -4.0), [1.0, 0.25]);
        assert_eq!(signs(0.0, 0.0), [1.0, 1.0]);
        let generator = mat![[-3.0, 1.0, 2.0], [0.5, -4.5, 4.0], [1.0, 0.25, -1.25]];
        let s = stationary(generator.as_ref());
        for c in 0..3 {
            let sum: f64 = (0..3).map(|p| s[p] * generator[(p, c)]).sum();
            assert!(sum.abs() < 1e-15, "column {c} sums to {sum}");
        }
        assert!(s.iter().all(|&s| s > 0.0 && s <= 1.0) && s.contains(&1.0));
    }
}
