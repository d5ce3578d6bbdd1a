//! The vote: from the values of functions to a class.

use faer::MatRef;
use kern_core::Scalar;
use serde::{Deserialize, Serialize};

/// The meaning of the functions of a classifier. With two classes there is one function, and the second class is where
/// it is positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Vote {
    /// A function per class, the greatest wins; of equals the first in the order of the labels.
    #[default]
    Greatest,
    /// A function for each pair of classes, in the order (0, 1), (0, 2) … (1, 2) …, positive for the second of the two. The
    /// class with the most votes wins, of equals the first in the order of the labels.
    Pairs,
}

impl Vote {
    /// The number of functions that so many classes need.
    pub(crate) fn functions(self, classes: usize) -> usize {
        match (classes, self) {
            (2, _) => 1,
            (_, Self::Greatest) => classes,
            (_, Self::Pairs) => classes.saturating_mul(classes.saturating_sub(1)) / 2,
        }
    }

    /// The class that row `i` of the values stands for.
    pub(crate) fn winner<T: Scalar>(
        self,
        values: MatRef<'_, T>,
        i: usize,
        classes: usize,
    ) -> usize {
        if classes == 2 {
            return usize::from(values[(i, 0)] > T::ZERO);
        }
        match self {
            Self::Greatest => greatest(classes, |class| values[(i, class)]),
            Self::Pairs => {
                let mut votes = vec![0_usize; classes];
                let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
                for (column, (a, b)) in pairs.enumerate() {
                    votes[if values[(i, column)] > T::ZERO { b } else { a }] += 1;
                }
                greatest(classes, |class| votes[class])
            }
        }
    }
}

/// The first of the greatest.
fn greatest<V: PartialOrd>(count: usize, value: impl Fn(usize) -> V) -> usize {
    let best = |best, k| if value(k) > value(best) { k } else { best };
    (1..count).fold(0, best)
}
