//! The shape of the block of sums that stays in registers.
//!
//! A step of the register kernel loads R registers of rows and one number of each of C columns, for R·C multiply-adds,
//! and the second-level cache has R·C cycles or half of that to deliver the rows. Measured on one core of a Sapphire
//! Rapids, of 100 GFLOP/s: 4 × 4 reaches 54, 2 × 12 and 3 × 8 75, 4 × 6 72; on Zen 4, of 58: 2 × 12 51, 4 × 6 55, and for
//! squared differences 35 and 43.

use crate::simd::lanes::Vectors;
use crate::simd::{Scalar, arch};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// Columns of the wide block.
pub(super) const WIDE: usize = 6;
/// Columns of the narrow block, which is for what is left over by wide ones.
pub(super) const NARROW: usize = 4;

/// The registers that one column of a panel fills: with six columns, 24 of 32 registers hold sums, or 12 of 16.
pub(super) const fn registers<S: Simd>() -> usize {
    // AVX-512 and NEON have 32 registers, of 8 doubles and of 2; AVX2 has 16, of 4.
    if S::F64_LANES >= 8 || S::F64_LANES == 2 { 4 } else { 2 }
}

/// The number of rows in a panel of numbers of this type, on this processor.
pub(super) fn height<T: Scalar>() -> usize {
    arch().dispatch(Height::<T>(PhantomData))
}

struct Height<T>(PhantomData<T>);

impl<T: Vectors> WithSimd for Height<T> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        registers::<S>() * size_of::<T::Vector<S>>() / size_of::<T>()
    }
}
