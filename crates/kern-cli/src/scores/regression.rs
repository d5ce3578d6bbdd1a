//! Scores of predicted values.

use kern_solvers::pipeline::is_constant;

/// Scores of a regression.
pub(crate) struct RegressionScores {
    pub(crate) rows: usize,
    /// `None` if all targets are equal, where R² is undefined.
    pub(crate) r2: Option<f64>,
    /// The standard error of R² over the sampling of rows, by the delta method: the standard
    /// deviation over rows of (eᵢ² − (1 − R²)(yᵢ − ȳ)²)/var(y), divided by √n.
    pub(crate) r2_error: f64,
    pub(crate) root_mean_squared_error: f64,
    pub(crate) mean_absolute_error: f64,
}

impl RegressionScores {
    pub(crate) fn new(truth: &[f64], predicted: &[f64]) -> Self {
        let n = truth.len() as f64;
        let mean = truth.iter().sum::<f64>() / n;
        let pairs = || truth.iter().zip(predicted);
        let square = pairs().map(|(y, f)| (y - f).powi(2)).sum::<f64>() / n;
        let absolute = pairs().map(|(y, f)| (y - f).abs()).sum::<f64>() / n;
        let variance = truth.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
        let is_defined = !is_constant::<f64>(n, mean, variance);
        let influence = |(y, f): (&f64, &f64)| {
            ((y - f).powi(2) - square / variance * (y - mean).powi(2)) / variance
        };
        let influences = pairs().map(influence).map(|influence| influence.powi(2));
        Self {
            rows: truth.len(),
            r2: is_defined.then_some(1.0 - square / variance),
            r2_error: influences.sum::<f64>().sqrt() / n,
            root_mean_squared_error: square.sqrt(),
            mean_absolute_error: absolute,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard error of R² is its spread over samples.
    #[test]
    fn the_standard_error_of_r2() {
        let mut state = 1_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let mut draw = || {
            let truth: Vec<f64> = (0..100).map(|_| uniform()).collect();
            let predicted: Vec<f64> = truth.iter().map(|y| y + 0.5 * (uniform() - 0.5)).collect();
            RegressionScores::new(&truth, &predicted)
        };
        let drawn: Vec<RegressionScores> = (0..400).map(|_| draw()).collect();
        let values: Vec<f64> = drawn.iter().filter_map(|scores| scores.r2).collect();
        let mean = values.iter().sum::<f64>() / 400.0;
        let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 399.0).sqrt();
        let told = drawn.iter().map(|scores| scores.r2_error).sum::<f64>() / 400.0;
        assert!((told / spread - 1.0).abs() < 0.15, "{told} {spread}");
    }
}
