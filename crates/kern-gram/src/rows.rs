//! Selections of rows of an operator.

use std::ops::Range;

/// Some rows of an operator.
///
/// # Examples
/// ```
/// use kern_gram::Rows;
/// assert_eq!((Rows::All.count(5), Rows::All.at(3)), (5, 3));
/// assert_eq!((Rows::Of(&[4, 0]).count(5), Rows::Of(&[4, 0]).at(1)), (2, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows<'a> {
    /// All rows, in their order.
    All,
    /// The rows with the given indices, in that order.
    Of(&'a [usize]),
}

impl Rows<'_> {
    /// The number of selected rows of an operator of size `n`.
    #[must_use]
    pub fn count(self, n: usize) -> usize {
        match self {
            Self::All => n,
            Self::Of(indices) => indices.len(),
        }
    }

    /// The index of the `a`-th selected row.
    ///
    /// # Panics
    /// If `a` is out of bounds.
    #[must_use]
    pub fn at(self, a: usize) -> usize {
        match self {
            Self::All => a,
            Self::Of(indices) => indices[a],
        }
    }

    /// Calls `f(a, b)` for every a of `among` and every b with `self.at(a) == cols[b]`.
    pub(crate) fn for_each_diagonal(
        self,
        cols: &[usize],
        among: Range<usize>,
        mut f: impl FnMut(usize, usize),
    ) {
        match self {
            Self::All => {
                let found = cols.iter().enumerate().filter(|(_, j)| among.contains(j));
                found.for_each(|(b, &j)| f(j, b));
            }
            Self::Of(indices) => {
                let mut sorted: Vec<usize> = (0..cols.len()).collect();
                sorted.sort_unstable_by_key(|&b| cols[b]);
                for a in among {
                    let first = sorted.partition_point(|&b| cols[b] < indices[a]);
                    let same = sorted[first..].iter().take_while(|&&b| cols[b] == indices[a]);
                    same.for_each(|&b| f(a, b));
                }
            }
        }
    }
}
