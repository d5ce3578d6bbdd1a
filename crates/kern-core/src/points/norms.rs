//! The squared norms of dense samples, of which each is computed when it is asked for first.

use super::{Points, Samples};
use crate::Scalar;
use std::ops::Range;
use std::sync::OnceLock;

/// Samples whose norms are computed together: as many as a tile has.
const PIECE: usize = 256;

/// ‖x_i‖² of samples, as far as they are known. They follow from the samples, so all are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct SquaredNorms<T>(OnceLock<Vec<OnceLock<Vec<T>>>>);

impl<T> PartialEq for SquaredNorms<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T: Scalar> Samples<T> {
    /// `out[i]` = ‖x‖² of sample number `range.start + i`, a [`Scalar::dot`].
    ///
    /// # Panics
    /// If the lengths differ, or a sample is not there.
    pub(crate) fn squared_norms_into(&self, range: Range<usize>, out: &mut [T]) {
        let none = || (0..self.len().div_ceil(PIECE)).map(|_| OnceLock::new()).collect();
        let pieces = self.norms.0.get_or_init(none);
        let square = |i: usize| T::dot(self.item(i), self.item(i));
        for start in (range.start - range.start % PIECE..range.end).step_by(PIECE) {
            let all = start..self.len().min(start + PIECE);
            let piece = pieces[start / PIECE].get_or_init(|| all.clone().map(square).collect());
            let asked = all.start.max(range.start)..all.end.min(range.end);
            let place = asked.start - range.start..asked.end - range.start;
            out[place].copy_from_slice(&piece[asked.start - start..asked.end - start]);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn norms_of_any_range_are_inner_products() {
        let samples = Samples::from_row_major(3, (0..1800).map(f64::from).collect()).unwrap();
        for range in [0..600, 255..257, 300..300, 256..512, 10..20, 511..600] {
            let mut norms = vec![f64::NAN; range.len()];
            samples.squared_norms_into(range.clone(), &mut norms);
            let expected = range.map(|i| f64::dot(samples.item(i), samples.item(i)));
            assert!(norms.into_iter().eq(expected));
        }
        assert_eq!(samples, samples.clone());
    }
}
