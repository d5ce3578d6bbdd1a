//! The matrix R of features Rᵀχ, in double precision. It converts between coefficients of χ, which
//! are kernel values with landmarks in most cases, and weights of features.

use faer::{Mat, MatRef};
use kern_core::feature_map::{Fold, Folded};
use kern_core::memory::converted;
use kern_core::{Error, FeatureMap, Points, Scalar};

/// The matrix R, in the form used by the map.
#[derive(Debug)]
pub enum Whitening {
    /// R = I: features that are not a linear map of others.
    Identity,
    /// R as a matrix.
    Matrix(Mat<f64>),
    /// R = L⁻ᵀ, given L.
    InverseTransposed(Mat<f64>),
}

impl Whitening {
    /// The matrix R of a map.
    pub fn of<P: Points, M: FeatureMap<P>>(map: &M) -> Result<Self, Error> {
        Ok(match Folded::of(map).fold {
            Fold::Identity => Self::Identity,
            Fold::Matrix(root) => Self::Matrix(converted(root)?),
            Fold::InverseTransposed(lower) => Self::InverseTransposed(converted(lower)?),
        })
    }

    fn fold(&self) -> Fold<'_, f64> {
        match self {
            Self::Identity => Fold::Identity,
            Self::Matrix(root) => Fold::Matrix(root.as_ref()),
            Self::InverseTransposed(lower) => Fold::InverseTransposed(lower.as_ref()),
        }
    }

    /// c = Rw, in the type of the points.
    pub fn coefficients<T: Scalar>(&self, w: MatRef<'_, f64>) -> Result<Mat<T>, Error> {
        converted(self.fold().unfold(w)?.as_ref())
    }

    /// Rᵀv.
    pub fn features(&self, v: Mat<f64>) -> Result<Mat<f64>, Error> {
        self.fold().apply(v)
    }
}
