//! R of RRᵀ = K_mm⁻¹, in double precision: between coefficients of landmarks and weights of features.

use crate::NystromMap;
use faer::{Accum, Mat, MatRef};
use kern_core::products::{inner_products, matmul, solve_lower, solve_upper};
use kern_core::{Error, Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::converted;
use kern_gram::zeros;

/// The root, as the map has it.
#[derive(Debug)]
pub enum Whitening {
    /// L; R = L⁻ᵀ.
    Triangular(Mat<f64>),
    /// R itself, m × D.
    Spectral(Mat<f64>),
}

impl Whitening {
    /// The root of the features of a map.
    pub fn of<P: Points, K: Kernel<P>>(map: &NystromMap<P, K>) -> Result<Self, Error> {
        match (map.lower(), map.projection()) {
            (Some(lower), _) => Ok(Self::Triangular(converted(lower)?)),
            (None, Some(projection)) => Ok(Self::Spectral(converted(projection)?)),
            (None, None) => Ok(Self::Spectral(zeros(map.landmarks().len(), 0)?)),
        }
    }

    /// c = Rw, in the type of the points.
    pub fn coefficients<T: Scalar>(&self, w: MatRef<'_, f64>) -> Result<Mat<T>, Error> {
        let wide = match self {
            Self::Triangular(lower) => {
                let mut c = zeros(w.nrows(), w.ncols())?;
                c.copy_from(w);
                solve_upper(lower.as_ref(), c.as_mut());
                c
            }
            Self::Spectral(root) => {
                let mut c = zeros(root.nrows(), w.ncols())?;
                matmul(c.as_mut(), Accum::Replace, root.as_ref(), w, 1.0);
                c
            }
        };
        converted(wide.as_ref())
    }

    /// Rᵀv.
    pub fn features(&self, mut v: Mat<f64>) -> Result<Mat<f64>, Error> {
        match self {
            Self::Triangular(lower) => {
                solve_lower(lower.as_ref(), v.as_mut());
                Ok(v)
            }
            Self::Spectral(root) => {
                let mut out = zeros(root.ncols(), v.ncols())?;
                inner_products(out.as_mut(), Accum::Replace, root.as_ref(), v.as_ref(), 1.0);
                Ok(out)
            }
        }
    }
}
