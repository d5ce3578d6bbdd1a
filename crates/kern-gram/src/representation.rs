//! Representations of a Gram matrix, and their memory.

use crate::column_cache;
use crate::{MemoryBudget, TILE_EDGE, matrix_bytes};

/// Representations of the Gram matrix of n points, from the fastest to the smallest.
///
/// # Examples
/// ```
/// use kern_gram::{MemoryBudget, Representation};
/// let fitting = |n| Representation::fitting::<f64>(n, &MemoryBudget::mebibytes(100));
/// assert_eq!(fitting(3_000), Representation::Dense);
/// assert_eq!(fitting(4_000), Representation::Packed);
/// assert_eq!(fitting(10_000), Representation::Blocked);
/// assert_eq!(fitting(100_000_000), Representation::Lazy);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Representation {
    /// All entries are stored.
    Dense,
    /// Every entry is stored once.
    Packed,
    /// Columns are computed on demand, and as many as fit are cached.
    Blocked,
    /// Nothing is stored.
    Lazy,
}

impl Representation {
    /// The fastest representation that fits the budget. The lazy one always does.
    #[must_use]
    pub fn fitting<T>(n: usize, budget: &MemoryBudget) -> Self {
        let fits = |way: &Self| budget.fits(way.bytes::<T>(n));
        [Self::Dense, Self::Packed, Self::Blocked].into_iter().find(fits).unwrap_or(Self::Lazy)
    }

    /// The minimal memory for n points, beyond the points and O(n) vectors.
    #[must_use]
    pub const fn bytes<T>(self, n: usize) -> u64 {
        match self {
            Self::Dense => matrix_bytes::<T>(n, n),
            // Half of the matrix, and half of each tile on the diagonal once more.
            Self::Packed => matrix_bytes::<T>(n, n.div_ceil(2).saturating_add(TILE_EDGE / 2)),
            Self::Blocked => column_cache::column_bytes::<T>(n),
            Self::Lazy => 0,
        }
    }

    /// Advice to use this representation, for an [`Error::Budget`](crate::Error::Budget).
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Dense => "a dense Gram matrix would fit",
            Self::Packed => "a packed Gram matrix would fit",
            Self::Blocked => "a blocked Gram matrix would fit",
            Self::Lazy => "a lazy Gram matrix would fit",
        }
    }
}
