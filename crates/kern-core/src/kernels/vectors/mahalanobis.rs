//! The linear kernel in another metric, xᵀAy.

use crate::binding::Bound;
use crate::points::check_dim;
use crate::tile::{self, Scratch, Tile};
use crate::{
    Entry, Error, Finite, Kernel, Mercer, Points, Prepared, Samples, Scalar, SparseSamples,
};
use crate::{symmetric_eigen, tolerance};
use faer::{Mat, MatMut, MatRef};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The Mahalanobis kernel: the linear kernel in another metric.
///
/// # Definition
/// K(x, y) = xᵀAy with a symmetric positive semi-definite d × d matrix A. If A is the inverse of a
/// covariance matrix, it is the inner product of the Mahalanobis distance. Mercer: its features are
/// √Λ·Vᵀx, where A = VΛVᵀ.
///
/// # Numerics
/// The constructor computes the eigenvalues of A (O(d³)) and rejects A if one is below
/// −64·d·u·λ_max ([`tolerance::CONTRACT_PSD`]), the most negative value that rounding of the
/// entries of A can cause. Eigenvalues between that and 0 are treated as 0. Every evaluation uses
/// the features, so the kernel is symmetric and PSD up to rounding for all points; blocks compute
/// the features once per sample.
///
/// # References
/// Mahalanobis (1936), *On the generalised distance in statistics*; closure under PSD forms: Shawe-
/// Taylor & Cristianini (2004), *Kernel Methods for Pattern Analysis*, proposition 3.22 (v).
///
/// # Examples
/// ```
/// use kern_core::{Error, Kernel, Samples, faer::mat, kernels::Mahalanobis};
/// let k = Mahalanobis::new(mat![[2.0, 1.0], [1.0, 2.0]].as_ref())?;
/// let value = Kernel::<Samples<f64>>::eval(&k, &[1.0, 0.0], &[1.0, 1.0]);
/// assert!((value - 3.0).abs() < 1e-14);
/// assert_eq!(k.to_string(), "mahalanobis(matrix=[[2, 1], [1, 2]])");
/// let indefinite = Mahalanobis::new(mat![[1.0, 2.0], [2.0, 1.0]].as_ref()).unwrap_err();
/// assert!(matches!(indefinite, Error::Indefinite { eigenvalue, .. } if eigenvalue < -0.99));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Mahalanobis {
    matrix: Mat<f64>,
    /// √Λ·Vᵀ without its zero rows: column j is the image of the unit vector e_j.
    root: Mat<f64>,
}

/// The file format: A only.
#[derive(Clone, Serialize, Deserialize)]
struct Packed {
    #[serde(with = "crate::serde_mat")]
    matrix: Mat<f64>,
}

impl TryFrom<Packed> for Mahalanobis {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::new(packed.matrix.as_ref())
    }
}

impl From<Mahalanobis> for Packed {
    fn from(kernel: Mahalanobis) -> Self {
        Packed { matrix: kernel.matrix }
    }
}

impl Mahalanobis {
    /// xᵀAy with A = `matrix`. Mirrored entries may differ by rounding error; their mean is used.
    ///
    /// # Errors
    /// [`Error::Dimension`] unless A is square and non-empty, [`Error::Parameter`] unless it is
    /// finite, [`Error::Asymmetric`], [`Error::Indefinite`] with the most negative eigenvalue.
    pub fn new(matrix: MatRef<'_, f64>) -> Result<Self, Error> {
        let dim = matrix.nrows();
        if dim == 0 {
            return Err(Error::Dimension { what: "rows of the matrix", expected: 1, given: 0 });
        }
        Error::check_dimension("columns of a square matrix", dim, matrix.ncols())?;
        let matrix = symmetric(matrix)?;
        let root = root(&matrix)?;
        Ok(Self { matrix, root })
    }

    /// A.
    #[must_use]
    pub fn matrix(&self) -> MatRef<'_, f64> {
        self.matrix.as_ref()
    }

    /// The dimension d of the samples.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.matrix.nrows()
    }

    /// The number of features: the number of positive eigenvalues of A, but at least one.
    pub(crate) fn rank(&self) -> usize {
        self.root.nrows()
    }

    /// The features of a sample.
    pub(crate) fn features<T: Scalar>(&self, x: &[T]) -> Vec<f64> {
        self.image(dense(x))
    }

    /// The features of a sample, given its non-zero coordinates.
    fn image(&self, coordinates: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut image = vec![0.0; self.root.nrows()];
        for (j, x) in coordinates {
            if let Some(column) = self.root.col(j).try_as_col_major() {
                f64::axpy(x, column.as_slice(), &mut image);
            }
        }
        image
    }

    fn value<T: Scalar>(x: &[f64], y: &[f64]) -> T {
        T::from_f64(x.iter().zip(y).map(|(x, y)| x * y).sum())
    }
}

/// A with its mirrored entries averaged, if they are equal up to rounding.
fn symmetric(matrix: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
    let dim = matrix.nrows();
    for j in 0..dim {
        for i in 0..dim {
            Finite::new("an entry of the matrix", matrix[(i, j)])?;
        }
    }
    let allowed = rounding(dim) * matrix.norm_max();
    for row in 0..dim {
        for col in 0..row {
            let (given, mirrored) = (matrix[(row, col)], matrix[(col, row)]);
            let is_symmetric = (given - mirrored).abs() <= allowed;
            if !is_symmetric {
                return Err(Error::Asymmetric { row, col, given, mirrored });
            }
        }
    }
    Ok(Mat::from_fn(dim, dim, |i, j| 0.5 * matrix[(i, j)] + 0.5 * matrix[(j, i)]))
}

/// √Λ·Vᵀ of A = VΛVᵀ, without the rows of zero eigenvalues (but at least one).
fn root(matrix: &Mat<f64>) -> Result<Mat<f64>, Error> {
    let dim = matrix.nrows();
    // Fails to converge only for entries near the limits of the floating-point range; no eigenvalue
    // is known then.
    let unknown = Error::Indefinite { eigenvalue: f64::NAN, allowed: 0.0 };
    let (values, u) = symmetric_eigen(matrix.as_ref()).ok_or(unknown)?;
    let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let allowed = -rounding(dim) * largest;
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let is_semidefinite = smallest >= allowed;
    if !is_semidefinite {
        return Err(Error::Indefinite { eigenvalue: smallest, allowed });
    }
    let mut kept: Vec<usize> = (0..dim).filter(|&k| values[k] > 0.0).collect();
    if kept.is_empty() {
        kept.push(0);
    }
    Ok(Mat::from_fn(kept.len(), dim, |k, j| values[kept[k]].max(0.0).sqrt() * u[(j, kept[k])]))
}

/// The relative rounding error of a d × d matrix that was computed in double precision.
fn rounding(dim: usize) -> f64 {
    tolerance::CONTRACT_PSD * dim as f64 * f64::UNIT_ROUNDOFF
}

fn write_image<T: Scalar>(image: &[f64], to: &mut [T]) {
    for (to, &v) in to.iter_mut().zip(image) {
        *to = T::from_f64(v);
    }
}

fn dense<T: Scalar>(x: &[T]) -> impl Iterator<Item = (usize, f64)> {
    x.iter().map(|v| v.to_f64()).enumerate()
}

fn sparse<T: Scalar>(x: &[Entry<T>]) -> impl Iterator<Item = (usize, f64)> {
    x.iter().map(|e| (e.feature as usize, e.value.to_f64()))
}

macro_rules! on_points {
    ($points:ident, $item:ty, $coordinates:ident) => {
        impl<T: Scalar> Kernel<$points<T>> for Mahalanobis {
            fn eval(&self, x: &$item, y: &$item) -> T {
                Self::value(&self.image($coordinates(x)), &self.image($coordinates(y)))
            }

            fn is_pointwise(&self) -> bool {
                false
            }

            fn block(
                &self,
                tile: &Tile<'_, $points<T>>,
                out: MatMut<'_, T>,
                scratch: &mut Scratch<T>,
            ) {
                let image = |x: &$item, to: &mut [T]| write_image(&self.image($coordinates(x)), to);
                tile::dot_of_images(tile, self.root.nrows(), out, scratch, image);
            }

            fn prepare(&self, points: &$points<T>) -> Option<Prepared> {
                let image = |x: &$item, to: &mut [T]| write_image(&self.image($coordinates(x)), to);
                tile::prepare_images(points, self.root.nrows(), image)
            }

            fn bind<'a>(
                &'a self,
                a: &'a $points<T>,
                b: &'a $points<T>,
                prepared: Option<&'a Prepared>,
            ) -> Option<Box<dyn Bound<T> + 'a>> {
                let image = |x: &$item, to: &mut [T]| write_image(&self.image($coordinates(x)), to);
                tile::bind_images(a, b, prepared, self.root.nrows(), image)
            }

            fn diag(&self, points: &$points<T>, i: usize) -> T {
                let image = |x: &$item, to: &mut [T]| write_image(&self.image($coordinates(x)), to);
                tile::dot_of_image(points.item(i), self.root.nrows(), image)
            }

            fn check(&self, points: &$points<T>) -> Result<(), Error> {
                check_dim(self.dim(), points.dim())
            }
        }

        impl<T: Scalar> Mercer<$points<T>> for Mahalanobis {}
    };
}

on_points!(Samples, [T], dense);
on_points!(SparseSamples, [Entry<T>], sparse);

crate::named! { [] Mahalanobis = "mahalanobis"; }

crate::impl_kernel_ops!([] Mahalanobis;);

/// No parameters: the matrix is not a scalar.
impl crate::Parameters for Mahalanobis {}

impl fmt::Display for Mahalanobis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("mahalanobis(matrix=[")?;
        for i in 0..self.dim() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            write_list(f, self.matrix.row(i).iter())?;
        }
        f.write_str("])")
    }
}

/// `[1, 0.5]`.
fn write_list<'a>(
    f: &mut fmt::Formatter<'_>,
    numbers: impl IntoIterator<Item = &'a f64>,
) -> fmt::Result {
    f.write_str("[")?;
    for (k, number) in numbers.into_iter().enumerate() {
        write!(f, "{}{number}", if k == 0 { "" } else { ", " })?;
    }
    f.write_str("]")
}
