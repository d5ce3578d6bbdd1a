//! R of features Rᵀχ, in double precision: between coefficients of χ, kernel values with landmarks in most cases, and weights
//! of features.

use faer::{Mat, MatRef};
use kern_core::feature_map::{Fold, Folded};
use kern_core::{Error, FeatureMap, Points, Scalar};
use kern_gram::numerics::arithmetic::converted;

/// R, as the map has it.
#[derive(Debug)]
pub enum Whitening {
    /// R = 1: features that are not a linear map of others.
    Identity,
    /// R itself.
    Matrix(Mat<f64>),
    /// L; R = L⁻ᵀ.
    InverseTransposed(Mat<f64>),
}

impl Whitening {
    /// The root of the features of a map.
    pub fn of<P: Points, M: FeatureMap<P>>(map: &M) -> Result<Self, Error> {
        let Some(Folded { fold, .. }) = map.folded() else { return Ok(Self::Identity) };
        Ok(match fold {
            Fold::Matrix(root) => Self::Matrix(converted(root)?),
            Fold::InverseTransposed(lower) => Self::InverseTransposed(converted(lower)?),
        })
    }

    fn fold(&self) -> Option<Fold<'_, f64>> {
        match self {
            Self::Identity => None,
            Self::Matrix(root) => Some(Fold::Matrix(root.as_ref())),
            Self::InverseTransposed(lower) => Some(Fold::InverseTransposed(lower.as_ref())),
        }
    }

    /// c = Rw, in the type of the points.
    pub fn coefficients<T: Scalar>(&self, w: MatRef<'_, f64>) -> Result<Mat<T>, Error> {
        match self.fold() {
            Some(fold) => converted(fold.unfold(w)?.as_ref()),
            None => converted(w),
        }
    }

    /// Rᵀv.
    pub fn features(&self, v: Mat<f64>) -> Result<Mat<f64>, Error> {
        match self.fold() {
            Some(fold) => fold.apply(v),
            None => Ok(v),
        }
    }
}
