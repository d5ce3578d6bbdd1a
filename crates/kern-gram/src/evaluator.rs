//! Pieces of the Gram matrix K(x, x), computed when they are needed.

use crate::column::Column;
use crate::groups::{self, Tiles};
use crate::tiling::{cuts, first_non_finite};
use crate::{Error, Rows, blocks, check, edge, product, stored};
use faer::{MatMut, MatRef};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch, Tile};
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// A kernel and points, bound once: what a kernel computes per point, such as the features of a
/// string, it computes when this is made and never again.
pub(crate) struct Evaluator<'a, K: ?Sized, P: Points + ?Sized> {
    kernel: &'a K,
    points: &'a P,
    binding: Binding<'a, K, P>,
    /// Found when it is needed for the first time.
    diag: OnceLock<Vec<P::Scalar>>,
}

impl<'a, K: Kernel<P> + ?Sized, P: Points + ?Sized> Evaluator<'a, K, P> {
    /// Checks that the kernel accepts the points, binds it, and looks at a pair for its symmetry.
    pub(crate) fn new(kernel: &'a K, points: &'a P) -> Result<Self, Error> {
        kernel.check(points)?;
        let binding = Binding::new(kernel, points, points);
        edge::mirrored(&binding, points.len())?;
        Ok(Self { kernel, points, binding, diag: OnceLock::new() })
    }

    pub(crate) fn size(&self) -> usize {
        self.points.len()
    }

    pub(crate) fn diag(&self) -> &[P::Scalar] {
        self.diag.get_or_init(|| (0..self.size()).map(|i| self.binding.diag(i)).collect())
    }

    /// out = G·v, tile by tile.
    pub(crate) fn apply_into(
        &self,
        v: MatRef<'_, P::Scalar>,
        out: MatMut<'_, P::Scalar>,
    ) -> Result<(), Error> {
        check::product((self.size(), self.size()), v, out.as_ref())?;
        product::apply_symmetric(&self.binding, &cuts(self.size()), v, out)
    }
}

impl<K: ?Sized, P: Points + ?Sized> fmt::Debug for Evaluator<'_, K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator").field("binding", &self.binding).finish_non_exhaustive()
    }
}

impl<T, K, P> Evaluator<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Kernel<P> + ?Sized,
{
    /// [`GramOperator::submatrix_into`](crate::GramOperator::submatrix_into).
    pub(crate) fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::submatrix(self.size(), rows, cols, out.as_ref())?;
        match rows {
            Rows::All => self.fill(self.points, rows, cols, out),
            // Binding a selection would repeat the work per point, so whole columns are computed.
            Rows::Of(_) if self.binding.is_bound() => {
                let fill = |b: Range<usize>, block: MatMut<'_, T>| {
                    self.fill(self.points, Rows::All, &cols[b], block)
                };
                blocks::for_each_block((self.size(), cols.len()), fill, |b, block| {
                    let out = out.as_mut().subcols_mut(b.start, b.len());
                    for (column, out) in block.col_iter().zip(out.col_iter_mut()) {
                        stored::copy_rows(column, rows, out);
                    }
                })
            }
            Rows::Of(indices) => self.fill(&self.points.select(indices)?, rows, cols, out),
        }
    }

    /// out = K(y, x_cols) for the points y = x_rows.
    fn fill(&self, y: &P, rows: Rows<'_>, cols: &[usize], out: MatMut<'_, T>) -> Result<(), Error> {
        groups::fill(&self.columns((y, rows), cols)?, &cuts(y.len()), out)
    }

    /// [`GramOperator::apply_columns_into`](crate::GramOperator::apply_columns_into).
    pub(crate) fn apply_columns_into(
        &self,
        cols: &[usize],
        v: MatRef<'_, T>,
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::column_product(self.size(), cols, v, out.as_ref())?;
        let tiles = self.columns((self.points, Rows::All), cols)?;
        groups::apply(&tiles, v, &cuts(self.size()), out.as_mut())?;
        check::finite_product(out.as_ref())
    }

    /// Whole columns, each in memory of its own.
    pub(crate) fn columns_into(&self, cols: &[usize], out: &mut [Column<T>]) -> Result<(), Error> {
        groups::columns(&self.columns((self.points, Rows::All), cols)?, &cuts(self.size()), out)
    }

    /// The columns x_cols of K(y, x) in groups of which each is computed by one tile per cut.
    fn columns<'e>(
        &'e self,
        (y, rows): (&'e P, Rows<'e>),
        cols: &'e [usize],
    ) -> Result<OfColumns<'e, K, P>, Error> {
        let (groups, points) = if self.binding.is_bound() {
            (groups::of_runs(cols), None)
        } else {
            let groups = groups::of_any(cols);
            let points = groups.iter().map(|cols| self.points.select(cols));
            let points = points.collect::<Result<_, _>>()?;
            (groups, Some(points))
        };
        Ok(OfColumns { evaluator: self, y, rows, groups, points })
    }
}

/// Columns of K(y, x), y = x_rows, in groups.
struct OfColumns<'e, K: ?Sized, P: Points> {
    evaluator: &'e Evaluator<'e, K, P>,
    y: &'e P,
    rows: Rows<'e>,
    groups: Vec<&'e [usize]>,
    /// Copies of the points of each group, or none if they are adjacent columns of a bound kernel.
    points: Option<Vec<P>>,
}

impl<T, K, P> Tiles<T> for OfColumns<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Kernel<P> + ?Sized,
{
    fn groups(&self) -> &[&[usize]] {
        &self.groups
    }

    fn compute(
        &self,
        group: usize,
        cut: &Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Option<Error> {
        let (evaluator, cols) = (self.evaluator, self.groups[group]);
        match &self.points {
            Some(points) => {
                let points = &points[group];
                let tile = Tile::new(self.y, cut.clone(), points, 0..points.len());
                evaluator.kernel.block(&tile, out.as_mut(), scratch);
            }
            None => {
                let run = cols[0]..cols[0] + cols.len();
                evaluator.binding.block(cut.clone(), run, out.as_mut(), scratch);
            }
        }
        finish(out, (self.rows, cols, cut), &|i| evaluator.diag()[i])
    }
}

/// Puts the exact diagonal in place in a tile of these columns and this cut of the rows. Says what is not finite.
fn finish<T: Scalar>(
    mut out: MatMut<'_, T>,
    (rows, cols, cut): (Rows<'_>, &[usize], &Range<usize>),
    diag: &dyn Fn(usize) -> T,
) -> Option<Error> {
    rows.for_each_diagonal(cols, cut.clone(), |a, b| out[(a - cut.start, b)] = diag(cols[b]));
    match first_non_finite(out.as_ref(), 0, 0)? {
        Error::NotFinite { row, col, given } => {
            Some(Error::NotFinite { row: rows.at(cut.start + row), col: cols[col], given })
        }
        other => Some(other),
    }
}
