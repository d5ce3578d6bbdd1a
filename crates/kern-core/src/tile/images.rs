//! Kernels with an explicit low-dimensional feature map φ: inner products ⟨φ(x), φ(y)⟩ and
//! distances of images, which are computed once per tile or once per collection.

use super::coordinates::operands;
use super::euclidean::SquaredDifference;
use super::{Bound, Product, Scratch, Term, Tile};
use crate::products::are_better_turned;
use crate::{Points, Scalar};
use faer::MatMut;
use std::ops::Range;

/// `out[(i, j)] = ⟨φ(a_i), φ(b_j)⟩`, where `image` writes the `dim` coordinates of φ.
pub(crate) fn dot_of_images<P: Points>(
    tile: &Tile<'_, P>,
    dim: usize,
    out: MatMut<'_, P::Scalar>,
    scratch: &mut Scratch<P::Scalar>,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) {
    tile.turned_if_faster(out, |tile, out| {
        fold_images(tile, dim, out, scratch, image, Product, &mut |_, _| {});
    });
}

/// `out[(i, j)] = ‖φ(a_i) − φ(b_j)‖²`; each column passes through `finish(j, column)`.
pub(crate) fn distance_of_images<P: Points>(
    tile: &Tile<'_, P>,
    dim: usize,
    out: MatMut<'_, P::Scalar>,
    scratch: &mut Scratch<P::Scalar>,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
    finish: &mut dyn FnMut(usize, &mut [P::Scalar]),
) {
    fold_images(tile, dim, out, scratch, image, SquaredDifference, finish);
}

fn fold_images<P: Points>(
    tile: &Tile<'_, P>,
    dim: usize,
    out: MatMut<'_, P::Scalar>,
    scratch: &mut Scratch<P::Scalar>,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
    term: impl Term,
    finish: &mut dyn FnMut(usize, &mut [P::Scalar]),
) {
    tile.assert_shape(&out);
    let mut all = |points: &P, range: Range<usize>| {
        let mut images = scratch.take(range.len() * dim);
        fill(points, range, dim, &mut images, &image);
        images
    };
    let (a, b) = (all(tile.a(), tile.rows()), all(tile.b(), tile.cols()));
    term.fold(operands(dim, &a, &b), out, scratch, finish);
    scratch.give(a);
    scratch.give(b);
}

/// The entry ⟨φ(x), φ(x)⟩ of a tile, bit for bit.
pub(crate) fn dot_of_image<X: ?Sized, T: Scalar>(
    x: &X,
    dim: usize,
    image: impl Fn(&X, &mut [T]),
) -> T {
    let mut to = vec![T::ZERO; dim];
    image(x, &mut to);
    Product.entry(&to, &to)
}

/// The images of two whole collections, which stay in memory: `dim` values per point.
pub(crate) fn bind_images<'a, P: Points>(
    a: &'a P,
    b: &'a P,
    dim: usize,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
    let all = |points: &P| {
        let mut images = vec![P::Scalar::ZERO; points.len() * dim];
        fill(points, 0..points.len(), dim, &mut images, &image);
        images
    };
    // For a collection with itself, the usual Gram matrix, images are computed once.
    let other = (!std::ptr::eq(a, b)).then(|| all(b));
    Some(Box::new(Images { dim, a: all(a), b: other }))
}

fn fill<P: Points>(
    points: &P,
    range: Range<usize>,
    dim: usize,
    images: &mut [P::Scalar],
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) {
    for (i, to) in range.zip(images.chunks_exact_mut(dim)) {
        image(points.item(i), to);
    }
}

/// Images of the rows and, if the collections differ, of the columns.
struct Images<T> {
    dim: usize,
    a: Vec<T>,
    b: Option<Vec<T>>,
}

impl<T: Scalar> Bound<T> for Images<T> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let part = |range: &Range<usize>| range.start * self.dim..range.end * self.dim;
        let b = self.b.as_ref().unwrap_or(&self.a);
        let (mut rows, mut cols, mut out) = (&self.a[part(&rows)], &b[part(&cols)], out);
        if are_better_turned::<T>(out.nrows(), out.ncols()) {
            (rows, cols, out) = (cols, rows, out.transpose_mut());
        }
        Product.fold(operands(self.dim, rows, cols), out, scratch, &mut |_, _| {});
    }
}
