//! The tile engine: fills rectangular blocks of a Gram matrix at the speed of the machine.
//!
//! A [`Tile`] selects the pairs, and a [`Scratch`] lends memory that is reused from tile to tile.
//! The engine provides what dense kernels share: inner products ([`dot`]), squared Euclidean
//! distances ([`squared_distance`]) and L1 distances ([`l1_distance`]). A kernel applies its scalar
//! profile to each column while it is in cache.

mod coordinates;
pub(crate) mod directions;
mod euclidean;
mod images;
pub(crate) mod order;
mod sparse_tiles;

pub(crate) use coordinates::{Magnitude, fold_coordinates};
pub use coordinates::{dot, l1_distance};
pub use euclidean::squared_distance;
pub(crate) use euclidean::{order_by_squared_distance, weighted, weighted_squared_distance};
pub(crate) use images::{
    bind_images, distance_of_images, dot_of_image, dot_of_images, prepare_images,
};
pub use order::{Bound, Order};
pub use sparse_tiles::{shared, shared_features};
pub(crate) use sparse_tiles::{sparse_distance, sparse_squared_distance};

pub(crate) use crate::points::united;
pub use crate::products::transpose;
pub(crate) use crate::products::{Product, Term};
pub use crate::simd::{Buffer, Scratch};
use crate::{Points, Scalar, products};
use faer::MatMut;
use std::ops::Range;

/// The pairs (a_i, b_j), i in `rows`, j in `cols`, of two collections: a block of a Gram matrix.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, Scratch, Tile, faer::Mat, kernels::Linear};
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
/// let tile = Tile::new(&x, 1..3, &x, 0..2);
/// let mut out = Mat::zeros(tile.nrows(), tile.ncols());
/// Linear.block(&tile, out.as_mut(), &mut Scratch::new());
/// assert_eq!(out[(1, 0)], 3.0); // x_2 · x_0
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Tile<'a, P: ?Sized> {
    a: &'a P,
    rows: Range<usize>,
    b: &'a P,
    cols: Range<usize>,
}

impl<'a, P: Points + ?Sized> Tile<'a, P> {
    /// The tile of the points `rows` of `a` against the points `cols` of `b`.
    pub fn new(a: &'a P, rows: Range<usize>, b: &'a P, cols: Range<usize>) -> Self {
        Self { a, rows, b, cols }
    }

    /// The collection of the rows.
    #[must_use]
    pub fn a(&self) -> &'a P {
        self.a
    }

    /// The collection of the columns.
    #[must_use]
    pub fn b(&self) -> &'a P {
        self.b
    }

    /// Indices into [`a`](Tile::a).
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Indices into [`b`](Tile::b).
    #[must_use]
    pub fn cols(&self) -> Range<usize> {
        self.cols.clone()
    }

    /// The number of rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.rows.len()
    }

    /// The number of columns.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.cols.len()
    }

    /// Calls `fill` with this tile and `out` or, if the tile has few rows and many columns, with
    /// both transposed: vector registers then hold values of many columns, not of few rows. For
    /// values that have the same bits if the points of a pair are exchanged.
    pub(crate) fn turned_if_faster(
        &self,
        out: MatMut<'_, P::Scalar>,
        fill: impl FnOnce(&Self, MatMut<'_, P::Scalar>),
    ) {
        if products::are_better_turned::<P::Scalar>(self.nrows(), self.ncols()) {
            fill(&Self::new(self.b, self.cols(), self.a, self.rows()), out.transpose_mut());
        } else {
            fill(self, out);
        }
    }

    /// `out[(i, j)] = value(a_i, b_j)`: the fallback for kernels without a faster method.
    ///
    /// # Panics
    /// If `out` is not `nrows` × `ncols`.
    pub fn fill_pointwise(
        &self,
        mut out: MatMut<'_, P::Scalar>,
        value: impl Fn(&P::Item, &P::Item) -> P::Scalar,
    ) {
        self.assert_shape(&out);
        for (j, q) in self.cols().enumerate() {
            let y = self.b.item(q);
            for (i, p) in self.rows().enumerate() {
                out[(i, j)] = value(self.a.item(p), y);
            }
        }
    }

    /// Asserts the shape contract that every block method documents.
    pub(crate) fn assert_shape(&self, out: &MatMut<'_, P::Scalar>) {
        // tidy: allow(panic) because the public callers carry the `# Panics` section.
        assert_eq!(
            (out.nrows(), out.ncols()),
            (self.nrows(), self.ncols()),
            "the output of a tile must have the shape of the tile"
        );
    }
}

/// Calls `f(j, column j)` with every column of `out` as a slice, so that a kernel can apply its
/// scalar profile. Strided columns are copied out and back.
///
/// # Examples
/// ```
/// use kern_core::{Scratch, faer::mat, tile};
/// let mut out = mat![[1.0, 2.0], [3.0, 4.0]];
/// tile::for_each_column(out.as_mut(), &mut Scratch::new(), |_, column| {
///     column.iter_mut().for_each(|v| *v *= 10.0);
/// });
/// assert_eq!(out[(1, 0)], 30.0);
/// ```
pub fn for_each_column<T: Scalar>(
    mut out: MatMut<'_, T>,
    scratch: &mut Scratch<T>,
    mut f: impl FnMut(usize, &mut [T]),
) {
    for j in 0..out.ncols() {
        let mut column = out.as_mut().col_mut(j);
        if let Some(contiguous) = column.as_mut().try_as_col_major_mut() {
            f(j, contiguous.as_slice_mut());
        } else {
            let mut buffer = scratch.take(column.nrows());
            (0..column.nrows()).for_each(|i| buffer[i] = column[i]);
            f(j, &mut buffer);
            (0..column.nrows()).for_each(|i| column[i] = buffer[i]);
            scratch.give(buffer);
        }
    }
}
