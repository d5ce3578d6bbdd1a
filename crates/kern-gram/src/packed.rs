//! Packed Gram matrix: only the lower half is stored.

use crate::edge::{self, TILE_EDGE};
use crate::product::{self, Add};
use crate::tiling::{cuts, fill_tiles, symmetric_tiles, tile_ranges, tiles_below};
use crate::{Error, GramOperator, MemoryBudget, Representation, Rows, check, parallel};
use faer::{ColMut, MatMut, MatRef};
use kern_core::memory::Pages;
use kern_core::{Binding, Kernel, Points, Scalar};
use std::ops::Range;

/// A Gram matrix that stores its lower half only.
///
/// The entries have the bits of a [`DenseGram`](crate::DenseGram), in half the memory. Products
/// read every value once and use it twice, which makes them more than twice as fast where memory
/// bandwidth is the limit: n = 8000 with up to four right-hand sides. Gathering a column takes ten
/// times as long, since half of it lies in stored rows; for some kernels recomputing it is faster.
///
/// # Complexity
/// n²/2 values, plus half a tile edge per row because diagonal tiles are stored whole; n²/2 kernel
/// evaluations.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{GramOperator, MemoryBudget, PackedGram};
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
/// let gram = PackedGram::new(&Linear, &x, &MemoryBudget::mebibytes(1))?;
/// let v = kern_core::faer::mat![[1.0], [1.0], [1.0]];
/// assert_eq!(gram.apply(v.as_ref())?[(2, 0)], 18.0);
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[doc(alias = "packed storage")]
#[doc(alias = "kernel matrix")]
#[derive(Clone, Debug)]
pub struct PackedGram<T: Scalar> {
    size: usize,
    cuts: Vec<Range<usize>>,
    /// The tiles, one after the other: (I, J), I ≥ J, has index I·(I + 1)/2 + J.
    values: Pages<T>,
}

impl<T: Scalar> PackedGram<T> {
    /// Computes all K(x_i, x_j), i ≥ j.
    ///
    /// # Errors
    /// [`Error::Budget`] if the values exceed the budget, [`Error::Core`] if the kernel refuses the
    /// points, [`Error::NotFinite`] if a value is not finite.
    pub fn new<P, K>(kernel: &K, points: &P, budget: &MemoryBudget) -> Result<Self, Error>
    where
        P: Points<Scalar = T> + ?Sized,
        K: Kernel<P> + ?Sized,
    {
        Self::of(&kernel, points, budget)
    }

    /// [`PackedGram::new`], compiled once for each kind of points.
    fn of<P>(kernel: &dyn Kernel<P>, points: &P, budget: &MemoryBudget) -> Result<Self, Error>
    where
        P: Points<Scalar = T> + ?Sized,
    {
        let size = points.len();
        let (way, fitting) = (Representation::Packed, Representation::fitting::<T>(size, budget));
        budget.require("a packed Gram matrix", way.bytes::<T>(size), fitting.advice())?;
        kernel.check(points)?;
        let cuts = cuts(size);
        let of_row = |(i, rows): (usize, _)| cuts[..=i].iter().map(move |cols| (rows, cols));
        let places: Vec<_> = cuts.iter().enumerate().flat_map(of_row).collect();
        let len = places.iter().map(|(rows, cols)| rows.len() * cols.len()).sum();
        let mut values = Pages::zeroed(len)?;
        let binding = Binding::new(kernel, points, points);
        let edge = edge::symmetric_edge(&binding, points.len())?;
        let (mut rest, mut tiles) = (&mut *values, Vec::with_capacity(places.len()));
        for (rows, cols) in places {
            let (tile, after) = rest.split_at_mut(rows.len() * cols.len());
            rest = after;
            let tile = MatMut::from_column_major_slice_mut(tile, rows.len(), cols.len());
            let (row_cuts, col_cuts) = (cut(rows, edge), cut(cols, edge));
            tiles.extend(match rows == cols {
                true => symmetric_tiles(tile, &row_cuts),
                false => tiles_below(tile, &row_cuts, &col_cuts),
            });
        }
        fill_tiles(&binding, tiles)?;
        Ok(Self { size, cuts, values })
    }

    /// The ranges of rows, and of columns, of the tiles.
    #[must_use]
    pub fn cuts(&self) -> &[Range<usize>] {
        &self.cuts
    }

    /// The tile in the rows `cuts()[i]` and the columns `cuts()[j]`, i ≥ j.
    ///
    /// # Panics
    /// If j > i, or an index is out of bounds.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Linear};
    /// use kern_gram::{MemoryBudget, PackedGram};
    /// let x = Samples::from_rows(&[[1.0], [2.0]])?;
    /// let gram = PackedGram::new(&Linear, &x, &MemoryBudget::mebibytes(1))?;
    /// assert_eq!(gram.cuts(), [0..2]);
    /// assert_eq!(gram.tile(0, 0)[(1, 0)], 2.0);
    /// # Ok::<(), kern_gram::Error>(())
    /// ```
    #[must_use]
    pub fn tile(&self, i: usize, j: usize) -> MatRef<'_, T> {
        let (rows, cols) = (&self.cuts[i], &self.cuts[..=i][j]);
        // All rows above hold rows.start·(rows.start + TILE_EDGE)/2 values.
        let start = rows.start * (rows.start + TILE_EDGE) / 2 + rows.len() * cols.start;
        let values = &self.values[start..start + rows.len() * cols.len()];
        MatRef::from_column_major_slice(values, rows.len(), cols.len())
    }

    fn entry(&self, i: usize, j: usize) -> T {
        let (row, col) = (i.max(j), i.min(j));
        self.tile(row / TILE_EDGE, col / TILE_EDGE)[(row % TILE_EDGE, col % TILE_EDGE)]
    }

    /// Copies column `j`: a column of the tiles on and below the diagonal, a row of those left of
    /// it.
    fn column_into(&self, j: usize, mut out: ColMut<'_, T>) {
        let (tile, inside) = (j / TILE_EDGE, j % TILE_EDGE);
        for (i, cut) in self.cuts.iter().enumerate() {
            let mut part = out.as_mut().subrows_mut(cut.start, cut.len());
            if i < tile {
                part.copy_from(self.tile(tile, i).row(inside).transpose());
            } else {
                part.copy_from(self.tile(i, tile).col(inside));
            }
        }
    }
}

impl<T: Scalar> GramOperator<T> for PackedGram<T> {
    fn size(&self) -> usize {
        self.size
    }

    fn diag(&self) -> Vec<T> {
        (0..self.size).map(|i| self.entry(i, i)).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::submatrix(self.size, rows, cols, out.as_ref())?;
        // Half of a column is scattered in memory; several threads overlap the cache misses.
        let tasks = out.col_iter_mut().zip(cols).collect();
        parallel::for_each_init(
            tasks,
            || (),
            |(), (out, &j)| match rows {
                Rows::All => self.column_into(j, out),
                Rows::Of(rows) => {
                    out.iter_mut().zip(rows).for_each(|(out, &i)| *out = self.entry(i, j));
                }
            },
        );
        Ok(())
    }

    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        check::product((self.size, self.size), v, out.as_ref())?;
        let with_tile = |_: &mut _, i, j, add: Add<'_, T>| add(self.tile(i, j));
        product::apply_tiles(&self.cuts, with_tile, v, out.as_mut())?;
        check::finite_product(out.as_ref())
    }

    /// Gathering an entry takes about sixteen times as long as reading it in order.
    fn product_cost(&self) -> f64 {
        check::area(self.size, self.size) / 16.0
    }
}

/// The ranges that cut a range into pieces of `edge`.
fn cut(range: &Range<usize>, edge: usize) -> Vec<Range<usize>> {
    let shift = |piece: Range<usize>| range.start + piece.start..range.start + piece.end;
    tile_ranges(range.len(), edge).into_iter().map(shift).collect()
}
