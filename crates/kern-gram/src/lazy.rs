//! Lazy (matrix-free) Gram matrix: nothing is stored, and blocks of K(x, x) are computed on demand.
//!
//! Columns are grouped; each group is computed by one tile for a stripe of rows. The loops over
//! groups depend neither on the kernel nor on the type of points: they are compiled once for each
//! precision (`docs/decisions/compile-time.md`).

use crate::column_cache::Column;
use crate::edge::TILE_EDGE;
use crate::tiling::{cuts, first_non_finite, report, split_rows};
use crate::{Error, GramOperator, Rows, blocks, check, edge, parallel, product, stored};
use faer::{ColMut, MatMut, MatRef};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch, Tile, compiled_once};
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// A Gram matrix whose entries are computed on demand.
///
/// Per-point work of the kernel, such as the features of a string, is done once by
/// [`LazyGram::new`] and kept: O(n) values or features.
///
/// # Complexity
/// A product takes n²/2 kernel evaluations, 2·n²·r flops, and O(n·r) memory plus one tile per
/// thread.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{GramOperator, LazyGram};
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let v = kern_core::faer::mat![[3.0], [4.0]];
/// assert_eq!(LazyGram::new(&Linear, &x)?.apply(v.as_ref())?[(1, 0)], 22.0);
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[doc(alias = "matrix-free")]
#[doc(alias = "KeOps")]
#[derive(Debug)]
pub struct LazyGram<'a, K: ?Sized, P: Points + ?Sized> {
    values: Evaluator<'a, K, P>,
}

impl<'a, P: Points + ?Sized, K: Kernel<P> + ?Sized> LazyGram<'a, K, P> {
    /// The Gram matrix of `points`.
    ///
    /// # Errors
    /// [`Error::Core`] if the kernel refuses the points.
    pub fn new(kernel: &'a K, points: &'a P) -> Result<Self, Error> {
        Ok(Self { values: Evaluator::new(kernel, points)? })
    }
}

impl<T, P, K> GramOperator<T> for LazyGram<'_, K, P>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Kernel<P> + ?Sized,
{
    fn size(&self) -> usize {
        self.values.size()
    }

    fn diag(&self) -> Vec<T> {
        self.values.diag().to_vec()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.values.submatrix_into(rows, cols, out)
    }

    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
        self.values.apply_into(v, out)
    }

    fn apply_columns_into(
        &self,
        cols: &[usize],
        v: MatRef<'_, T>,
        out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        self.values.apply_columns_into(cols, v, out)
    }

    /// Half of n², since each tile serves its mirror image, too.
    fn product_cost(&self) -> f64 {
        check::area(self.size(), self.size()) / 2.0
    }
}

/// A kernel bound to points: per-point work, such as the features of a string, is done once on
/// construction.
pub(crate) struct Evaluator<'a, K: ?Sized, P: Points + ?Sized> {
    kernel: &'a K,
    points: &'a P,
    binding: Binding<'a, K, P>,
    /// Computed on first use.
    diag: OnceLock<Vec<P::Scalar>>,
}

impl<'a, K: Kernel<P> + ?Sized, P: Points + ?Sized> Evaluator<'a, K, P> {
    /// Checks that the kernel accepts the points, binds it, and checks its symmetry on a pair.
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
        fill_groups(&self.columns(y, rows, cols)?, &cuts(y.len()), out)
    }

    /// [`GramOperator::apply_columns_into`](crate::GramOperator::apply_columns_into).
    pub(crate) fn apply_columns_into(
        &self,
        cols: &[usize],
        v: MatRef<'_, T>,
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::column_product(self.size(), cols, v, out.as_ref())?;
        let tiles = self.columns(self.points, Rows::All, cols)?;
        apply_groups(&tiles, v, &cuts(self.size()), out.as_mut())?;
        check::finite_product(out.as_ref())
    }

    /// Computes whole columns, each in memory of its own.
    pub(crate) fn columns_into(&self, cols: &[usize], out: &mut [Column<T>]) -> Result<(), Error> {
        fill_columns(&self.columns(self.points, Rows::All, cols)?, &cuts(self.size()), out)
    }

    /// The columns x_cols of K(y, x), in groups; each group is computed by one tile per range of
    /// rows.
    fn columns<'e>(
        &'e self,
        y: &'e P,
        rows: Rows<'e>,
        cols: &'e [usize],
    ) -> Result<OfColumns<'e, K, P>, Error> {
        let (groups, points) = if self.binding.is_bound() {
            (of_runs(cols), None)
        } else {
            let groups = of_any(cols);
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
    /// Copies of the points of each group, or `None` if they are adjacent columns of a bound
    /// kernel.
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
        finish(out, self.rows, cols, cut, &|i| evaluator.diag()[i])
    }
}

/// Sets the exact diagonal in a tile of these columns and this range of rows. Returns an error for
/// a value that is not finite.
fn finish<T: Scalar>(
    mut out: MatMut<'_, T>,
    rows: Rows<'_>,
    cols: &[usize],
    cut: &Range<usize>,
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

/// Tiles of groups of columns.
trait Tiles<T: Scalar>: Sync {
    /// The indices of the columns of each group.
    fn groups(&self) -> &[&[usize]];

    /// Computes one tile, of a group and a range of rows, with the exact diagonal. Returns an error
    /// for a value that is not finite.
    fn compute(
        &self,
        group: usize,
        cut: &Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Option<Error>;
}

/// Groups of at most as many columns as a tile has.
fn of_any(cols: &[usize]) -> Vec<&[usize]> {
    cols.chunks(TILE_EDGE).collect()
}

/// The same, of adjacent columns only.
fn of_runs(cols: &[usize]) -> Vec<&[usize]> {
    cols.chunk_by(|a, b| a + 1 == *b).flat_map(|run| run.chunks(TILE_EDGE)).collect()
}

/// Writes the columns to `out`.
#[compiled_once]
fn fill_groups<T: Scalar>(
    tiles: &dyn Tiles<T>,
    cuts: &[Range<usize>],
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    let mut tasks = Vec::with_capacity(cuts.len() * tiles.groups().len());
    for (g, cols) in tiles.groups().iter().enumerate() {
        let (part, rest) = out.split_at_col_mut(cols.len());
        out = rest;
        tasks.extend(split_rows(part, cuts).into_iter().zip(cuts).map(|task| (g, task)));
    }
    report(parallel::map_init(tasks, Scratch::new, |scratch, (g, (out, cut))| {
        tiles.compute(g, cut, out, scratch)
    }))
}

/// out = columns·v: one tile per stripe of rows and group, multiplied while it is in cache.
#[compiled_once]
fn apply_groups<T: Scalar>(
    tiles: &dyn Tiles<T>,
    v: MatRef<'_, T>,
    cuts: &[Range<usize>],
    out: MatMut<'_, T>,
) -> Result<(), Error> {
    let stripes = split_rows(out, cuts).into_iter().zip(cuts).collect();
    report(parallel::map_init(stripes, Scratch::new, |scratch, (mut out, cut)| {
        out.fill(T::ZERO);
        let (mut error, mut done) = (None, 0);
        for (g, cols) in tiles.groups().iter().enumerate() {
            let part = done..done + cols.len();
            scratch.with_matrix(cut.len(), part.len(), |mut block, scratch| {
                let found = tiles.compute(g, cut, block.as_mut(), scratch);
                error = error.take().or(found);
                product::add_product(out.as_mut(), block.as_ref(), v, &part);
            });
            done = part.end;
        }
        error
    }))
}

/// Computes whole columns, each in memory of its own: tiles are computed in a buffer and copied.
#[compiled_once]
fn fill_columns<T: Scalar>(
    tiles: &dyn Tiles<T>,
    cuts: &[Range<usize>],
    out: &mut [Column<T>],
) -> Result<(), Error> {
    let mut tasks = Vec::with_capacity(cuts.len() * tiles.groups().len());
    let mut rest = out;
    for (g, cols) in tiles.groups().iter().enumerate() {
        let (part, others) = rest.split_at_mut(cols.len());
        rest = others;
        tasks.extend(split_columns(part, cuts).into_iter().zip(cuts).map(|task| (g, task)));
    }
    report(parallel::map_init(tasks, Scratch::new, |scratch, (g, (pieces, cut))| {
        scratch.with_matrix(cut.len(), tiles.groups()[g].len(), |mut block, scratch| {
            let error = tiles.compute(g, cut, block.as_mut(), scratch);
            for (from, to) in block.as_ref().col_iter().zip(pieces) {
                ColMut::from_slice_mut(to).copy_from(from);
            }
            error
        })
    }))
}

/// For each range of rows, the pieces of all columns.
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
