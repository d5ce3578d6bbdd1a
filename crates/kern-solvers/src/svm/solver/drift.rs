//! A bound on what rounding has done to a gradient that is updated.

/// The sum of the errors of additions, each at most one unit of what has been reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drift {
    /// Columns that were added, times the greatest entry of the gradient before.
    gradient: f64,
    /// Columns that were added, times the sum of their weights.
    weights: f64,
}

impl Drift {
    /// Columns of these weights are added to a gradient.
    pub(super) fn add(&mut self, gradient: &[f64], by: &[f64]) {
        let count = by.len() as f64;
        self.gradient += count * gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
        self.weights += count * by.iter().map(|by| by.abs()).sum::<f64>();
    }

    /// The bound, for kernel values of at most `greatest`.
    pub(super) fn bound(self, greatest: f64) -> f64 {
        f64::EPSILON * (self.gradient + self.weights * greatest)
    }
}
