//! Several classes as binary problems.

use faer::MatRef;
use kern_core::Scalar;
use serde::{Deserialize, Serialize};

/// How several classes are made of binary problems. Two classes are one problem either way, whose function is
/// positive for the second.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::{Decomposition, Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [4.0], [6.0], [7.0], [9.0], [10.0]])?;
/// let y = ["a", "a", "b", "b", "c", "c", "d", "d"];
/// let svc = || Svc::new(Rbf::new(0.5).unwrap());
/// assert_eq!(svc().fit(&x, &y)?.decision_values(&x)?.ncols(), 6);
/// let rest = svc().multi_class(Decomposition::OneVsRest).fit(&x, &y)?;
/// assert_eq!(rest.decision_values(&x)?.ncols(), 4);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Decomposition {
    /// One function per pair of classes a < b, in the order (0, 1), (0, 2) … (1, 2) …, learned from their points
    /// only. It votes for b if it is positive, else for a; of equal numbers of votes the first class wins, as in
    /// LIBSVM (whose functions have the other sign, and whose order of classes is that of the data).
    OneVsOne,
    /// One function per class, learned against all others. The greatest wins, of equals the first.
    OneVsRest,
}

impl Decomposition {
    /// The pairs of `classes` classes.
    pub(super) fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..classes).flat_map(move |a| (a + 1..classes).map(move |b| (a, b)))
    }

    /// The class that row `i` of the decision values stands for.
    pub(super) fn winner<T: Scalar>(
        self,
        values: MatRef<'_, T>,
        i: usize,
        classes: usize,
    ) -> usize {
        if classes == 2 {
            return usize::from(values[(i, 0)] > T::ZERO);
        }
        if self == Self::OneVsRest {
            let better = |best, k| if values[(i, k)] > values[(i, best)] { k } else { best };
            return (1..classes).fold(0, better);
        }
        let mut votes = vec![0_usize; classes];
        for (k, (a, b)) in Self::pairs(classes).enumerate() {
            votes[if values[(i, k)] > T::ZERO { b } else { a }] += 1;
        }
        (1..classes).fold(0, |best, c| if votes[c] > votes[best] { c } else { best })
    }
}
