//! Inverse square root of the landmarks' Gram matrix G̃, which maps kernel values with the
//! landmarks to features: in double precision, by its Cholesky factor or its eigenvalues.

use crate::{Error, tolerance};
use faer::{Accum, Mat, MatMut};
use kern_core::memory::converted;
use kern_core::products::{matmul, solve_lower};
use kern_core::{Scalar, Scratch, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::numerics::cholesky::factorise;
use kern_gram::{matrix_bytes, zeros};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// An inverse square root, and the eigenvalues of G̃ that it keeps.
#[derive(Clone, Debug)]
pub(super) struct Root<T: Scalar> {
    form: Form<T>,
    /// In descending order. Those of a triangular root are computed on first use.
    eigenvalues: OnceLock<Vec<f64>>,
}

/// The two forms of the root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) enum Form<T: Scalar> {
    /// L of G̃ = LLᵀ; features are L⁻¹k.
    Triangular {
        #[serde(with = "kern_core::serde_mat")]
        lower: Mat<T>,
    },
    /// U·Λ^{−1/2}, m × D, of the kept eigenvalues; features are Λ^{−1/2}Uᵀk.
    Spectral {
        #[serde(with = "kern_core::serde_mat")]
        projection: Mat<T>,
    },
}

/// The eigenvalues follow from the form, so they are not compared.
impl<T: Scalar> PartialEq for Root<T> {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

impl<T: Scalar> Root<T> {
    /// The memory of [`of_gram`](Root::of_gram), including the Gram matrix of the m landmarks: a
    /// copy in double precision, plus in turn that matrix, the Cholesky factor, its attempt, and
    /// its narrowed copy, or the eigenvectors with their workspace.
    pub(super) fn bytes(m: usize) -> u64 {
        let (gram, wide) = (matrix_bytes::<T>(m, m), matrix_bytes::<f64>(m, m));
        let factor = wide.saturating_add(gram);
        wide.saturating_add(factor.max(symmetric_eigen_bytes(m)))
    }

    /// The root for the Gram matrix of the landmarks in double precision, of at most the given
    /// rank.
    ///
    /// An unpivoted Cholesky factor is cheaper to compute and to apply than eigenvectors, and as
    /// accurate as long as no eigenvalue is near the rounding of the entries.
    pub(super) fn of_gram(wide: Mat<f64>, rank: Option<usize>) -> Result<Self, Error> {
        if rank.is_none()
            && well_conditioned::<T>(&wide)?
            && let Some(lower) = lower_factor(converted(wide.as_ref())?)
        {
            return Self::of_factor(&lower);
        }
        let rank = rank.unwrap_or(wide.nrows());
        let InverseRoot { eigenvalues, projection } = InverseRoot::new(wide, rank)?;
        Ok(Self { form: Form::Spectral { projection }, eigenvalues: eigenvalues.into() })
    }

    /// The root with a given Cholesky factor.
    pub(super) fn of_factor(lower: &Mat<f64>) -> Result<Self, Error> {
        let form = Form::Triangular { lower: converted(lower.as_ref())? };
        Ok(Self { form, eigenvalues: OnceLock::new() })
    }

    /// Validates the parts of a deserialised root.
    pub(super) fn of_parts(
        form: Form<T>,
        eigenvalues: Vec<f64>,
        landmarks: usize,
    ) -> Result<Self, Error> {
        let refused = |what| Err(Error::Invalid { what });
        let (matrix, dim) = (form.matrix(), eigenvalues.len());
        if dim == 0 || matrix.shape() != (landmarks, dim) {
            return refused("the projection or factor is not landmarks x eigenvalues");
        }
        let descending = eigenvalues.is_sorted_by(|a, b| a >= b);
        if !descending || eigenvalues.iter().any(|&v| !(v > 0.0 && v.is_finite())) {
            return refused("eigenvalues must be positive, finite, descending");
        }
        if matrix.col_iter().any(|u| u.iter().any(|v| !v.is_finite_number())) {
            return refused("the projection or factor is not finite");
        }
        let solvable = dim == landmarks && (0..dim).all(|i| matrix[(i, i)] > T::ZERO);
        if matches!(&form, Form::Triangular { .. }) && !solvable {
            return refused("the factor must be square with a positive diagonal");
        }
        Ok(Self { form, eigenvalues: eigenvalues.into() })
    }

    pub(super) fn form(&self) -> &Form<T> {
        &self.form
    }

    /// The number of features.
    pub(super) fn dim(&self) -> usize {
        self.form.matrix().ncols()
    }

    /// The kept eigenvalues of G̃, in descending order.
    pub(super) fn eigenvalues(&self) -> &[f64] {
        // The spectral form is stored with its eigenvalues.
        let find = || squared_singular_values(self.form.matrix()).unwrap_or_default();
        self.eigenvalues.get_or_init(find)
    }

    /// Writes the features of some points to `out`, D × points; `fill` writes the kernel values,
    /// one landmark per row.
    pub(super) fn apply(
        &self,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
        fill: impl FnOnce(MatMut<'_, T>, &mut Scratch<T>),
    ) {
        match &self.form {
            Form::Triangular { lower } => {
                fill(out.as_mut(), scratch);
                solve_lower(lower.as_ref(), out);
            }
            Form::Spectral { projection } => {
                scratch.with_matrix(projection.nrows(), out.ncols(), |mut values, scratch| {
                    fill(values.as_mut(), scratch);
                    let (u, one) = (projection.transpose(), T::ONE);
                    matmul(out.as_mut(), Accum::Replace, u, values.as_ref(), one);
                });
            }
        }
    }
}

impl<T: Scalar> Form<T> {
    fn matrix(&self) -> &Mat<T> {
        match self {
            Self::Triangular { lower: matrix } | Self::Spectral { projection: matrix } => matrix,
        }
    }
}

/// Returns true if all eigenvalues of a Gram matrix exceed [`tolerance::cholesky_floor`], that is
/// if it stays positive definite when this value is subtracted from its diagonal.
fn well_conditioned<T: Scalar>(gram: &Mat<f64>) -> Result<bool, Error> {
    let (m, mut shifted) = (gram.nrows(), converted(gram.as_ref())?);
    let largest = (0..m).map(|i| gram[(i, i)]).fold(0.0, f64::max);
    let floor = tolerance::cholesky_floor(m, largest, T::UNIT_ROUNDOFF);
    (0..m).for_each(|i| shifted[(i, i)] -= floor);
    Ok(floor > 0.0 && lower_factor(shifted).is_some())
}

/// The eigenvalues of LLᵀ in descending order; `None` if the iteration does not converge.
fn squared_singular_values<T: Scalar>(lower: &Mat<T>) -> Option<Vec<f64>> {
    let (wide, mut gram) =
        (converted::<_, f64>(lower.as_ref()).ok()?, zeros(lower.nrows(), lower.nrows()).ok()?);
    matmul(gram.as_mut(), Accum::Replace, wide.as_ref(), wide.transpose(), 1.0);
    drop(wide);
    let (values, _) = symmetric_eigen(gram.as_ref())?;
    // Positive, despite rounding.
    Some(values.into_iter().rev().map(|v| v.max(f64::MIN_POSITIVE)).collect())
}

/// The largest eigenvalues of G̃, and U·Λ^{−1/2} for them.
struct InverseRoot<T> {
    /// Kept eigenvalues, in descending order.
    eigenvalues: Vec<f64>,
    /// m × D.
    projection: Mat<T>,
}

impl<T: Scalar> InverseRoot<T> {
    /// At most `rank` eigenpairs of `gram`, those above the cut of
    /// [`tolerance::eigenvalue_cut`].
    fn new(gram: Mat<f64>, rank: usize) -> Result<Self, Error> {
        let m = gram.nrows();
        let pairs = symmetric_eigen(gram.as_ref());
        drop(gram);
        let (values, vectors) = pairs.ok_or(Error::NoConvergence { size: m })?;
        let (smallest, largest) = (values[0], values[m - 1]);
        let u = T::UNIT_ROUNDOFF;
        let allowed = -tolerance::NOT_PSD * m as f64 * u * largest.abs();
        if smallest < allowed {
            return Err(Error::NotPsd { eigenvalue: smallest, allowed });
        }
        let cut = tolerance::eigenvalue_cut(m, u) * largest;
        let kept = values.iter().rev().take(rank).take_while(|&&v| v > cut && v > 0.0).count();
        if kept == 0 {
            return Err(Error::NoPositiveEigenvalue { largest });
        }
        let eigenvalues: Vec<f64> = values.iter().rev().take(kept).copied().collect();
        let mut projection = zeros(m, kept)?;
        for (k, value) in eigenvalues.iter().enumerate() {
            for (to, &from) in
                projection.col_as_slice_mut(k).iter_mut().zip(vectors.col_as_slice(m - 1 - k))
            {
                *to = T::from_f64(from / value.sqrt());
            }
        }
        Ok(Self { eigenvalues, projection })
    }
}

/// Overwrites A = LLᵀ with L and zeros above the diagonal; `None` unless A is positive definite up
/// to rounding.
pub(super) fn lower_factor(mut matrix: Mat<f64>) -> Option<Mat<f64>> {
    factorise(matrix.as_mut()).ok()?;
    for j in 1..matrix.ncols() {
        matrix.col_as_slice_mut(j)[..j].fill(0.0);
    }
    Some(matrix)
}
