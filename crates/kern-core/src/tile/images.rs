//! Kernels with an explicit low-dimensional feature map φ: inner products ⟨φ(x), φ(y)⟩ and
//! distances of images, which are computed once per tile or once per collection.

use super::coordinates::operands;
use super::euclidean::SquaredDifference;
use super::{Bound, Product, Scratch, Term, Tile};
use crate::products::{Layout, Operands, PackedPoints, are_better_turned};
use crate::{Points, Prepared, Scalar};
use faer::{MatMut, MatRef};
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

/// The images of a whole collection: `dim` values per point.
fn images<P: Points>(
    points: &P,
    dim: usize,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) -> Vec<P::Scalar> {
    let mut images = vec![P::Scalar::ZERO; points.len() * dim];
    fill(points, 0..points.len(), dim, &mut images, &image);
    images
}

/// The images of the columns of later bindings, also in the layout of the register kernel.
struct PreparedImages<T> {
    images: Vec<T>,
    packed: Option<PackedPoints<T>>,
}

/// The images of a whole collection, prepared for [`bind_images`].
pub(crate) fn prepare_images<P: Points>(
    points: &P,
    dim: usize,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) -> Option<Prepared> {
    let images = images(points, dim, image);
    let columns = MatRef::from_column_major_slice(&images, dim, points.len());
    let packed = PackedPoints::new(columns);
    Some(Prepared::new(PreparedImages { images, packed }))
}

/// The images of two whole collections, which stay in memory.
pub(crate) fn bind_images<'a, P: Points>(
    a: &'a P,
    b: &'a P,
    prepared: Option<&'a Prepared>,
    dim: usize,
    image: impl Fn(&P::Item, &mut [P::Scalar]),
) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
    let known: Option<&PreparedImages<_>> = prepared.and_then(Prepared::data);
    let packed = known.and_then(|known| known.packed.as_ref());
    let b = match known {
        Some(known) => Some(Cow::Borrowed(known.images.as_slice())),
        // For a collection with itself, the usual Gram matrix, images are computed once.
        None => (!std::ptr::eq(a, b)).then(|| Cow::Owned(images(b, dim, &image))),
    };
    Some(Box::new(Images { dim, a: images(a, dim, &image), b, packed }))
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
    dim: usize,
    a: Vec<T>,
    b: Option<Cow<'a, [T]>>,
    packed: Option<&'a PackedPoints<T>>,
}

impl<T: Scalar> Bound<T> for Images<'_, T> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let part = |range: &Range<usize>| range.start * self.dim..range.end * self.dim;
        let b = self.b.as_deref().unwrap_or(&self.a);
        let (x, y) = (&self.a[part(&rows)], &b[part(&cols)]);
        if !are_better_turned::<T>(out.nrows(), out.ncols()) {
            return Product.fold(operands(self.dim, x, y), out, scratch, &mut |_, _| {});
        }
        let packed = self.packed.and_then(|packed| packed.panels(cols));
        let layout = packed.map_or(Layout::Unpacked, Layout::Panels);
        let turned = Operands { layout, ..operands(self.dim, y, x) };
        Product.fold(turned, out.transpose_mut(), scratch, &mut |_, _| {});
    }
}
