//! The serialised form of the sums of logistic regression, checked when it is read.

use super::{Fingerprint, LogisticStatistics};
use faer::Mat;
use kern_core::memory::LargeMat;
use serde::{Deserialize, Serialize};

/// Raised whenever the meaning of what is written changes.
const VERSION: u32 = 1;

/// The written form: the lower triangle column after column.
#[derive(Serialize, Deserialize)]
pub(super) struct Packed {
    version: u32,
    fingerprint: Fingerprint,
    weights: Vec<f64>,
    intercept: f64,
    count: u64,
    loss: f64,
    sums: [f64; 2],
    #[serde(with = "kern_core::serde_mat")]
    moments: Mat<f64>,
    lower: Vec<f64>,
}

impl From<LogisticStatistics> for Packed {
    fn from(all: LogisticStatistics) -> Self {
        let LogisticStatistics { fingerprint, weights, intercept, count, .. } = all;
        let LogisticStatistics { loss, sums, moments, hessian, .. } = all;
        let (hessian, dim) = (hessian.as_ref(), weights.len());
        let lower = (0..dim).flat_map(|j| (j..dim).map(move |i| hessian[(i, j)])).collect();
        let version = VERSION;
        Self { version, fingerprint, weights, intercept, count, loss, sums, moments, lower }
    }
}

impl TryFrom<Packed> for LogisticStatistics {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Self, String> {
        let Packed { version, fingerprint, weights, intercept, count, .. } = packed;
        let Packed { loss, sums, moments, lower, .. } = packed;
        if version != VERSION {
            return Err(format!(
                "statistics format {VERSION} is supported, the file has {version}"
            ));
        }
        let dim = weights.len();
        let wanted = dim.checked_mul(dim.saturating_add(1)).map(|twice| twice / 2);
        if dim == 0 || wanted != Some(lower.len()) || moments.shape() != (dim, 2) {
            return Err(format!("the sums of {dim} features do not fit together"));
        }
        let finite = |all: &[f64]| all.iter().all(|v| v.is_finite());
        let of_moments = moments.col_iter().all(|column| column.iter().all(|v| v.is_finite()));
        let few = [intercept, loss, sums[0], sums[1]];
        if !(finite(&weights) && finite(&lower) && finite(&few) && of_moments) {
            return Err("a sum is not finite".to_owned());
        }
        if loss < 0.0 || sums[1] < 0.0 {
            return Err("the loss or the curvature is negative".to_owned());
        }
        let mut hessian = LargeMat::zeros(dim, dim).map_err(|error| error.to_string())?;
        let mut to = hessian.as_mut();
        let places = (0..dim).flat_map(|j| (j..dim).map(move |i| (i, j)));
        places.zip(lower).for_each(|(at, value)| to[at] = value);
        Ok(Self { fingerprint, weights, intercept, count, loss, sums, moments, hessian })
    }
}
