//! Class labels of any ordered type, and their numbers.

use crate::Error;
use faer::Mat;
use kern_core::Scalar;

/// A class label: anything that can be cloned and ordered. Integers, strings, booleans, your enum.
///
/// # Examples
/// ```
/// fn is_label<L: kern_solvers::Label>() {}
/// is_label::<u8>();
/// is_label::<String>();
/// is_label::<bool>();
/// ```
pub trait Label: Clone + Ord + Send + Sync {}
impl<L: Clone + Ord + Send + Sync> Label for L {}

/// Labels as numbers 0 … c−1, in the order of the labels.
pub(crate) struct Encoded<L> {
    /// The distinct labels, in order.
    pub(crate) classes: Vec<L>,
    /// The class of each point.
    pub(crate) indices: Vec<usize>,
}

impl<L: Label> Encoded<L> {
    /// Numbers the labels of `n` points.
    pub(crate) fn new(n: usize, labels: &[L]) -> Result<Self, Error> {
        check_length("labels", n, labels.len())?;
        let mut classes = labels.to_vec();
        classes.sort();
        classes.dedup();
        if classes.len() < 2 {
            return Err(Error::OneClass { points: n });
        }
        // Every label is among the classes, so the search finds it; the insertion point is it, too.
        let index = |label: &L| classes.binary_search(label).unwrap_or_else(|at| at);
        let indices = labels.iter().map(index).collect();
        Ok(Self { classes, indices })
    }

    /// ±1 targets: one column for two classes (+1 is the second class), else one per class,
    /// each against the rest.
    pub(crate) fn signs<T: Scalar>(&self) -> Mat<T> {
        let sign = |positive: bool| if positive { T::ONE } else { -T::ONE };
        let (n, c) = (self.indices.len(), self.classes.len());
        if c == 2 {
            Mat::from_fn(n, 1, |i, _| sign(self.indices[i] == 1))
        } else {
            Mat::from_fn(n, c, |i, k| sign(self.indices[i] == k))
        }
    }
}

/// Refuses no points at all, and a number of labels or targets other than that of the points.
pub(crate) fn check_length(what: &'static str, n: usize, given: usize) -> Result<(), Error> {
    if n == 0 {
        Err(Error::Empty)
    } else if n != given {
        Err(Error::Length { what, expected: n, given })
    } else {
        Ok(())
    }
}

/// Refuses targets that are not finite.
pub(crate) fn check_targets<T: Scalar>(n: usize, y: faer::MatRef<'_, T>) -> Result<(), Error> {
    check_length("targets", n, y.nrows())?;
    for output in 0..y.ncols() {
        if let Some(point) = (0..n).find(|&i| !y[(i, output)].is_finite_number()) {
            return Err(Error::NotFinite { point, output, given: y[(point, output)].to_f64() });
        }
    }
    Ok(())
}
