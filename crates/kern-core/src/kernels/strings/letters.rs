//! Kernels on sequences of letters: decodes each string once per tile, not once per pair.

use crate::{Error, Points, Tile};
use faer::MatMut;
use std::num::NonZeroUsize;
use std::ops::Range;

/// The letters of a string.
pub(super) fn letters<S: AsRef<str> + ?Sized>(x: &S) -> Vec<char> {
    x.as_ref().chars().collect()
}

/// `out[(i, j)] = value(letters of a_i, letters of b_j)`.
pub(super) fn fill<P>(
    tile: &Tile<'_, P>,
    mut out: MatMut<'_, f64>,
    value: impl Fn(&[char], &[char]) -> f64,
) where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: AsRef<str>,
{
    tile.assert_shape(&out);
    let decoded = |points: &P, range: Range<usize>| -> Vec<Vec<char>> {
        range.map(|i| letters(points.item(i))).collect()
    };
    let rows = decoded(tile.a(), tile.rows());
    for (j, y) in decoded(tile.b(), tile.cols()).iter().enumerate() {
        for (i, x) in rows.iter().enumerate() {
            out[(i, j)] = value(x, y);
        }
    }
}

/// A positive number of letters.
pub(super) fn at_least_one(name: &'static str, given: usize) -> Result<NonZeroUsize, Error> {
    let allowed = "a whole number >= 1";
    NonZeroUsize::new(given).ok_or(Error::Parameter { name, given: given as f64, allowed })
}

/// Implements [`Kernel`](crate::Kernel) and [`Mercer`](crate::Mercer) on strings for a type with a
/// method `value(&self, &[char], &[char]) -> f64`.
macro_rules! impl_letter_kernel {
    ($kernel:ty) => {
        impl<P> $crate::Kernel<P> for $kernel
        where
            P: $crate::Points<Scalar = f64> + ?Sized,
            P::Item: AsRef<str>,
        {
            fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
                use $crate::kernels::strings::letters::letters;
                self.value(&letters(x), &letters(y))
            }
            fn block(
                &self,
                tile: &$crate::Tile<'_, P>,
                out: ::faer::MatMut<'_, f64>,
                _: &mut $crate::Scratch<f64>,
            ) {
                $crate::kernels::strings::letters::fill(tile, out, |x, y| self.value(x, y));
            }
        }
        impl<P> $crate::Mercer<P> for $kernel
        where
            P: $crate::Points<Scalar = f64> + ?Sized,
            P::Item: AsRef<str>,
        {
        }
    };
}

pub(super) use impl_letter_kernel;
