//! Kernels with an explicit low-dimensional feature map φ: inner products ⟨φ(x), φ(y)⟩ and
//! distances of images, which are computed once per tile or once per collection.

use super::coordinates::{dot, operands};
use super::euclidean::SquaredDifference;
use super::{Bound, Product, Scratch, Term, Tile};
use crate::{Points, Prepared, Samples, Scalar};
use faer::MatMut;
use std::borrow::Cow;
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

/// The images of a whole collection, which stay in memory.
fn images<P: Points>(
    points: &P,
    dim: usize,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) -> Samples<P::Scalar> {
    let mut images = vec![P::Scalar::ZERO; points.len() * dim];
    fill(points, 0..points.len(), dim, &mut images, &image);
    // An image that is not finite makes values that are not, which are reported as an error.
    Samples::of_values(dim, images.into())
}

/// The images of a whole collection, prepared for [`bind_images`].
pub(crate) fn prepare_images<P: Points>(
    points: &P,
    dim: usize,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) -> Option<Prepared> {
    Some(Prepared::new(images(points, dim, image)))
}

/// The inner products of the images of two whole collections.
pub(crate) fn bind_images<'a, P: Points>(
    a: &'a P,
    b: &'a P,
    prepared: Option<&'a Prepared>,
    dim: usize,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
    let known: Option<&Samples<_>> = prepared.and_then(Prepared::data);
    let b = match known {
        Some(known) => {
            known.prepare_columns(a.len());
            Some(Cow::Borrowed(known))
        }
        // For a collection with itself, the usual Gram matrix, images are computed once.
        None => (!std::ptr::eq(a, b)).then(|| Cow::Owned(images(b, dim, &image))),
    };
    Some(Box::new(Images { a: images(a, dim, &image), b }))
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
struct Images<'a, T: Scalar> {
    a: Samples<T>,
    b: Option<Cow<'a, Samples<T>>>,
}

impl<T: Scalar> Bound<T> for Images<'_, T> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let b = self.b.as_deref().unwrap_or(&self.a);
        dot(&Tile::new(&self.a, rows, b, cols), out, scratch);
    }
}
