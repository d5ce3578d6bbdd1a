//! Standardization of coordinates to mean 0 and variance 1.

use super::Pipeline;
use super::scaling::{Affine, Scaling};
use crate::{Data, Error, Learner, Run, Targets};
use kern_core::{Points, Samples, Scalar, named_parameters};
use serde::{Deserialize, Serialize};

/// Standardised samples: (x − μ)/σ, coordinate by coordinate.
///
/// # Definition
/// μ = Σβᵢxᵢ/W and σ² = Σβᵢ(xᵢ − μ)²/W over the training points with weights βᵢ, W = Σβᵢ. A
/// coordinate that is constant up to rounding, σ² ≤ n·u·σ² + (n·u·μ)² (Chan, Golub & LeVeque 1983,
/// (2.2)), is divided by 1.
///
/// # Complexity
/// O(nd), two passes.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples};
/// use kern_solvers::pipeline::Standardize;
/// use kern_solvers::{Data, Learner, Run, Transformer};
/// let x = Samples::from_rows(&[[1.0, 5.0], [3.0, 5.0]])?;
/// let map = Standardize::new().learn(&Data::unlabelled(&x)?, &mut Run::new())?;
/// assert_eq!(map.transform(&x)?.item(0), [-1.0, 0.0]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "StandardScaler")]
#[doc(alias = "z-score")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standardize {
    centered: bool,
    scaled: bool,
}

impl Default for Standardize {
    fn default() -> Self {
        Self::new()
    }
}

impl Standardize {
    /// Centred and scaled.
    #[must_use]
    pub const fn new() -> Self {
        Self { centered: true, scaled: true }
    }

    /// Sets whether means are subtracted. Default: true.
    #[must_use]
    pub const fn centered(mut self, centered: bool) -> Self {
        self.centered = centered;
        self
    }

    /// Sets whether coordinates are divided by their standard deviations. Default: true.
    #[must_use]
    pub const fn scaled(mut self, scaled: bool) -> Self {
        self.scaled = scaled;
        self
    }

    /// A pipeline of this scaler and a learner.
    pub const fn then<L>(self, learner: L) -> Pipeline<Self, L> {
        Pipeline::new(self, learner)
    }
}

named_parameters!([] Standardize { centered("centered", None), scaled("scaled", None) });

impl<T: Scalar, Y: Targets> Learner<Samples<T>, Y> for Standardize {
    type Model = Scaling;

    fn learn(&self, data: &Data<'_, Samples<T>, Y>, _: &mut Run<'_>) -> Result<Scaling, Error> {
        let means = means(data, |_, value| value);
        let variances = means_of_squares(data, &means);
        let n = (0..data.len()).filter(|&i| data.weight(i) > 0.0).count() as f64;
        let coordinate = |(&mean, &variance): (&f64, &f64)| {
            let is_constant = is_constant::<T>(n, mean, variance);
            let shift = if self.centered { mean } else { 0.0 };
            let factor = if self.scaled && !is_constant { 1.0 / variance.sqrt() } else { 1.0 };
            Affine { shift, factor, offset: 0.0 }
        };
        Scaling::new(means.iter().zip(&variances).map(coordinate).collect())
    }
}

/// Returns true if `n` values with this computed mean and variance are constant up to rounding in
/// `T`.
///
/// # Definition
/// σ² ≤ n·u·σ² + (n·u·μ)² with the unit round-off u of `T`: the error bound of the two-pass
/// variance (Chan, Golub & LeVeque 1983, (2.2)). The mean of n copies of 2024 differs from 2024 by
/// rounding, so a constant column has a computed variance slightly above 0, and must not be divided
/// by its root.
///
/// # Examples
/// ```
/// use kern_solvers::pipeline::is_constant;
/// // The computed mean of values near 2024 may be one unit in the last place away from them.
/// let error = 2024.0 * f64::EPSILON;
/// assert!(is_constant::<f64>(1000.0, 2024.0, error * error));
/// assert!(!is_constant::<f64>(1000.0, 2024.0, 1e-12));
/// ```
#[must_use]
pub fn is_constant<T: Scalar>(n: f64, mean: f64, variance: f64) -> bool {
    let rounding = n * T::UNIT_ROUNDOFF;
    variance <= rounding * variance + (rounding * mean).powi(2)
}

/// Σβᵢ·g(k, xᵢₖ)/W for each coordinate k. Weights are divided first, so that no sum of them
/// overflows.
fn means<T: Scalar, Y: Targets>(
    data: &Data<'_, Samples<T>, Y>,
    g: impl Fn(usize, f64) -> f64,
) -> Vec<f64> {
    let points = data.points();
    let largest = (0..data.len()).map(|i| data.weight(i)).fold(0.0, f64::max);
    let weight = |i: usize| data.weight(i) / largest;
    let total: f64 = (0..data.len()).map(weight).sum();
    let mut means = vec![0.0; points.dim()];
    // Points of weight 0 are skipped: their value may overflow, and 0 · ∞ is NaN.
    for i in (0..data.len()).filter(|&i| data.weight(i) > 0.0) {
        let share = weight(i) / total;
        for (k, (mean, value)) in means.iter_mut().zip(points.item(i)).enumerate() {
            *mean += share * g(k, value.to_f64());
        }
    }
    means
}

fn means_of_squares<T: Scalar, Y: Targets>(
    data: &Data<'_, Samples<T>, Y>,
    means_: &[f64],
) -> Vec<f64> {
    means(data, |k, value| (value - means_[k]).powi(2))
}
