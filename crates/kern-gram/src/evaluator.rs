//! Pieces of the Gram matrix K(x, x), computed when they are needed.

use crate::column::Column;
use crate::edge::{self, TILE_EDGE};
use crate::tiling::{cuts, first_non_finite, report, split_rows};
use crate::{Error, Rows, blocks, check, multiply, parallel, product, stored};
use faer::{ColMut, MatMut, MatRef};
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
    fn fill(
        &self,
        y: &P,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        let (cuts, groups) = (cuts(y.len()), self.groups(cols)?);
        let mut tasks = Vec::with_capacity(cuts.len() * groups.len());
        for group in &groups {
            let (part, rest) = out.split_at_col_mut(group.cols.len());
            out = rest;
            tasks.extend(split_rows(part, &cuts).into_iter().zip(&cuts).map(|t| (group, t)));
        }
        report(parallel::map_init(tasks, Scratch::new, |scratch, (group, (out, cut))| {
            self.compute(group, (y, rows, cut), out, scratch)
        }))
    }

    /// [`GramOperator::apply_columns_into`](crate::GramOperator::apply_columns_into): one tile per
    /// stripe of rows and group of columns, multiplied while it is in cache.
    pub(crate) fn apply_columns_into(
        &self,
        cols: &[usize],
        v: MatRef<'_, T>,
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::column_product(self.size(), cols, v, out.as_ref())?;
        let (cuts, groups) = (cuts(self.size()), self.groups(cols)?);
        let stripes = split_rows(out.as_mut(), &cuts).into_iter().zip(&cuts).collect();
        report(parallel::map_init(stripes, Scratch::new, |scratch, (mut out, cut)| {
            out.fill(T::ZERO);
            let (mut error, mut done) = (None, 0);
            for group in &groups {
                let part = done..done + group.cols.len();
                scratch.with_matrix(cut.len(), part.len(), |mut block, scratch| {
                    let target = (self.points, Rows::All, cut);
                    let found = self.compute(group, target, block.as_mut(), scratch);
                    error = error.take().or(found);
                    multiply::add_product(out.as_mut(), block.as_ref(), v, &part);
                });
                done = part.end;
            }
            error
        }))?;
        check::finite_product(out.as_ref())
    }

    /// Whole columns, each in memory of its own: tiles are computed in a buffer and handed out.
    pub(crate) fn columns_into(&self, cols: &[usize], out: &mut [Column<T>]) -> Result<(), Error> {
        let (cuts, groups) = (cuts(self.size()), self.groups(cols)?);
        let mut tasks = Vec::with_capacity(cuts.len() * groups.len());
        let mut rest = out;
        for group in &groups {
            let (part, others) = rest.split_at_mut(group.cols.len());
            rest = others;
            tasks.extend(split_columns(part, &cuts).into_iter().zip(&cuts).map(|t| (group, t)));
        }
        report(parallel::map_init(tasks, Scratch::new, |scratch, (group, (pieces, cut))| {
            scratch.with_matrix(cut.len(), group.cols.len(), |mut block, scratch| {
                let target = (self.points, Rows::All, cut);
                let error = self.compute(group, target, block.as_mut(), scratch);
                for (from, to) in block.as_ref().col_iter().zip(pieces) {
                    ColMut::from_slice_mut(to).copy_from(from);
                }
                error
            })
        }))
    }

    /// The columns in groups of which each is computed by one tile per cut.
    fn groups<'c>(&self, cols: &'c [usize]) -> Result<Vec<Group<'c, P>>, Error> {
        if self.binding.is_bound() {
            let runs = cols.chunk_by(|a, b| a + 1 == *b);
            let groups = runs.flat_map(|run| run.chunks(TILE_EDGE));
            return Ok(groups.map(|cols| Group { cols, points: None }).collect());
        }
        let select = |cols| Ok(Group { cols, points: Some(self.points.select(cols)?) });
        cols.chunks(TILE_EDGE).map(select).collect()
    }

    /// One tile: `out = K(y_cut, x_group)`, y = x_rows, with the exact diagonal. Says what is not
    /// finite.
    fn compute(
        &self,
        group: &Group<'_, P>,
        (y, rows, cut): (&P, Rows<'_>, &Range<usize>),
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Option<Error> {
        let cols = group.cols;
        match &group.points {
            Some(points) => {
                let tile = Tile::new(y, cut.clone(), points, 0..points.len());
                self.kernel.block(&tile, out.as_mut(), scratch);
            }
            None => {
                let run = cols[0]..cols[0] + cols.len();
                self.binding.block(cut.clone(), run, out.as_mut(), scratch);
            }
        }
        finish(out, (rows, cols, cut), &|i| self.diag()[i])
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

/// Columns that are computed together.
struct Group<'c, P> {
    /// Their indices, of which there is at least one.
    cols: &'c [usize],
    /// Copies of their points, or none if they are adjacent columns of a bound kernel.
    points: Option<P>,
}

/// The pieces of columns that lie in the same cut, for each cut.
fn split_columns<'o, T>(
    columns: &'o mut [Column<T>],
    cuts: &[Range<usize>],
) -> Vec<Vec<&'o mut [T]>> {
    let mut pieces: Vec<_> = cuts.iter().map(|_| Vec::with_capacity(columns.len())).collect();
    for column in columns {
        let mut rest = &mut **column;
        for (pieces, cut) in pieces.iter_mut().zip(cuts) {
            let (piece, below) = rest.split_at_mut(cut.len());
            pieces.push(piece);
            rest = below;
        }
    }
    pieces
}
