//! Low-rank Gram operator of explicit features.

use crate::edge::TILE_EDGE;
use crate::tiling::{first_non_finite, tile_ranges};
use crate::{Error, GramOperator, Rows, check, parallel, product, zeros};
use faer::mat::AsMatRef;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::Scalar;
use kern_core::products::inner_products;

/// G = Z·Zᵀ with the features of n points as the rows of Z, n × k: random features, Nyström
/// features, or those of a kernel with a finite-dimensional feature map. Positive semi-definite by
/// construction.
///
/// `M` is an owned [`Mat`] or a borrowed [`MatRef`]. Add a diagonal with
/// [`GramExt::plus_ridge`](crate::GramExt::plus_ridge) or
/// [`GramExt::plus_diagonal`](crate::GramExt::plus_diagonal).
///
/// # Complexity
/// A product takes 4·n·k·r flops and memory for at most 64·k·r values.
///
/// # Examples
/// ```
/// use kern_core::faer::mat;
/// use kern_gram::{GramExt, GramOperator, LowRankGram};
/// let z = mat![[1.0], [2.0], [3.0]];
/// let gram = LowRankGram::new(z.as_ref())?;
/// let v = mat![[1.0], [1.0], [1.0]];
/// assert_eq!(gram.apply(v.as_ref())?, mat![[6.0], [12.0], [18.0]]);
/// assert_eq!(gram.plus_ridge(0.5)?.diag(), [1.5, 4.5, 9.5]);
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[doc(alias = "low-rank kernel matrix")]
#[derive(Clone, Debug)]
pub struct LowRankGram<M> {
    features: M,
}

impl<T, M> LowRankGram<M>
where
    T: Scalar,
    M: AsMatRef<T = T, Rows = usize, Cols = usize>,
{
    /// The operator of a matrix of features, one point per row.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if a feature is not finite.
    pub fn new(features: M) -> Result<Self, Error> {
        match first_non_finite(features.as_mat_ref(), 0, 0) {
            Some(error) => Err(error),
            None => Ok(Self { features }),
        }
    }

    /// The features Z.
    pub fn features(&self) -> MatRef<'_, T> {
        self.features.as_mat_ref()
    }
}

/// Zᵀ·v: the partial sums of at most 64 stripes of rows, added in their order.
fn project<T: Scalar>(z: MatRef<'_, T>, v: MatRef<'_, T>) -> Result<Mat<T>, Error> {
    let edge = z.nrows().div_ceil(64).max(4 * TILE_EDGE);
    let parts = parallel::map_init(
        tile_ranges(z.nrows(), edge),
        || (),
        |(), rows| {
            let (z, v) = (z.subrows(rows.start, rows.len()), v.subrows(rows.start, rows.len()));
            let mut part = zeros(z.ncols(), v.ncols())?;
            inner_products(part.as_mut(), Accum::Replace, z, v, T::ONE);
            Ok::<_, Error>(part)
        },
    );
    let mut sum = zeros(z.ncols(), v.ncols())?;
    for part in parts {
        sum += part?;
    }
    Ok(sum)
}

/// The diagonal entry (i, i).
fn squared_norm<T: Scalar>(z: MatRef<'_, T>, i: usize) -> T {
    z.row(i).iter().map(|&z| z * z).sum()
}

/// The features of some points, as the columns of a matrix.
fn gather<T: Scalar>(z: MatRef<'_, T>, indices: &[usize]) -> Mat<T> {
    Mat::from_fn(z.ncols(), indices.len(), |k, b| z[(indices[b], k)])
}

impl<T, M> GramOperator<T> for LowRankGram<M>
where
    T: Scalar,
    M: AsMatRef<T = T, Rows = usize, Cols = usize> + Send + Sync,
{
    fn size(&self) -> usize {
        self.features().nrows()
    }

    fn diag(&self) -> Vec<T> {
        (0..self.size()).map(|i| squared_norm(self.features(), i)).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::submatrix(self.size(), rows, cols, out.as_ref())?;
        out.fill(T::ZERO);
        let right = gather(self.features(), cols);
        match rows {
            Rows::All => {
                product::by_stripes(Accum::Add, self.features(), right.as_ref(), out.as_mut());
            }
            Rows::Of(indices) => {
                let left = gather(self.features(), indices);
                product::by_stripes(Accum::Add, left.transpose(), right.as_ref(), out.as_mut());
            }
        }
        rows.for_each_diagonal(cols, 0..out.nrows(), |a, b| {
            out[(a, b)] = squared_norm(self.features(), cols[b]);
        });
        check::finite_entries(out.as_ref(), rows, cols)
    }

    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        check::product((self.size(), self.size()), v, out.as_ref())?;
        out.fill(T::ZERO);
        let v = project(self.features(), v)?;
        product::by_stripes(Accum::Add, self.features(), v.as_ref(), out.as_mut());
        check::finite_product(out.as_ref())
    }

    /// 2·n·k multiplications, compared with k for an entry.
    fn product_cost(&self) -> f64 {
        2.0 * self.size() as f64
    }
}
