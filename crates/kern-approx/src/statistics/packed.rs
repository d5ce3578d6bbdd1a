//! The serialised form of normal equations, checked when it is read.

use super::{Fingerprint, NormalEquations};
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
    count: u64,
    weight: f64,
    lower: Vec<f64>,
    #[serde(with = "kern_core::serde_mat")]
    moments: Mat<f64>,
    #[serde(with = "kern_core::serde_mat")]
    targets: Mat<f64>,
}

impl From<NormalEquations> for Packed {
    fn from(sums: NormalEquations) -> Self {
        let NormalEquations { fingerprint, count, weight, gram, moments, targets } = sums;
        let dim = moments.nrows();
        let mut lower = Vec::with_capacity(dim * (dim + 1) / 2);
        for j in 0..dim {
            lower.extend(gram.as_ref().col(j).subrows(j, dim - j).iter());
        }
        Self { version: VERSION, fingerprint, count, weight, lower, moments, targets }
    }
}

impl TryFrom<Packed> for NormalEquations {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Self, String> {
        let Packed { version, fingerprint, count, weight, lower, moments, targets } = packed;
        if version != VERSION {
            return Err(format!(
                "statistics format {VERSION} is supported, the file has {version}"
            ));
        }
        let (dim, outputs) = (moments.nrows(), targets.nrows());
        let wanted = dim.checked_mul(dim.saturating_add(1)).map(|twice| twice / 2);
        let fits = wanted == Some(lower.len()) && moments.ncols() == outputs + 1;
        if dim == 0 || outputs == 0 || !fits || targets.ncols() != 2 {
            return Err(format!(
                "the sums of {dim} features and {outputs} outputs do not fit together"
            ));
        }
        let finite = |m: &Mat<f64>| m.col_iter().all(|column| column.iter().all(|v| v.is_finite()));
        let finite = finite(&moments) && finite(&targets) && lower.iter().all(|v| v.is_finite());
        if !finite || !weight.is_finite() || weight < 0.0 {
            return Err("a sum is not finite, or the weight negative".to_owned());
        }
        let mut gram = LargeMat::zeros(dim, dim).map_err(|error| error.to_string())?;
        let mut rest = lower.as_slice();
        for (j, column) in gram.as_mut().col_iter_mut().enumerate() {
            let (part, next) = rest.split_at(dim - j);
            let below = column.subrows_mut(j, part.len());
            below.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            rest = next;
        }
        Ok(Self { fingerprint, count, weight, gram, moments, targets })
    }
}
