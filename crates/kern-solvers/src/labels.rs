//! Class labels of any ordered type, and their numbers.

use crate::{Error, Label, Labels};
use faer::Mat;
use kern_core::Scalar;
use kern_gram::{MemoryBudget, zeros};

/// Labels as numbers 0 … c−1, in the order of the labels.
pub(crate) struct Encoded<L> {
    /// The distinct labels, in order.
    pub(crate) classes: Vec<L>,
    /// The class of each point.
    pub(crate) indices: Vec<usize>,
}

impl<L: Label> Encoded<L> {
    /// Numbers the labels.
    pub(crate) fn new(labels: &Labels<L>) -> Result<Self, Error> {
        let labels = labels.as_slice();
        let mut classes = labels.to_vec();
        classes.sort();
        classes.dedup();
        classes.shrink_to_fit();
        if classes.len() < 2 {
            return Err(Error::OneClass { points: labels.len() });
        }
        Self::among(classes, labels)
    }

    /// Numbers the labels by these classes, which are in order.
    pub(crate) fn among(classes: Vec<L>, labels: &[L]) -> Result<Self, Error> {
        let index = |(point, label): (usize, &L)| {
            classes.binary_search(label).map_err(|_| Error::UnknownLabel { point })
        };
        let indices = labels.iter().enumerate().map(index).collect::<Result<_, _>>()?;
        Ok(Self { classes, indices })
    }

    /// The number of problems of two classes.
    pub(crate) fn problems(&self) -> usize {
        if self.classes.len() == 2 { 1 } else { self.classes.len() }
    }

    /// ±1 targets: one column for two classes (+1 is the second class), else one per class,
    /// each against the rest.
    ///
    /// # Errors
    /// [`Error::Gram`] if there are so many classes that what a fit holds for all of them at once
    /// exceeds the budget.
    pub(crate) fn signs<T: Scalar>(&self, budget: &MemoryBudget) -> Result<Mat<T>, Error> {
        let (n, classes) = (self.indices.len(), self.classes.len());
        let (outputs, first) = if classes == 2 { (1, 1) } else { (classes, 0) };
        if outputs > 1 {
            // Targets, coefficients, fitted values, and what the model keeps.
            let what = "four numbers per point and class";
            budget.check::<T>(what, n, outputs.saturating_mul(4), "take fewer classes")?;
        }
        let mut signs = zeros(n, outputs)?;
        for output in 0..outputs {
            let column = signs.col_as_slice_mut(output).iter_mut();
            for (sign, &class) in column.zip(&self.indices) {
                *sign = if class == first + output { T::ONE } else { -T::ONE };
            }
        }
        Ok(signs)
    }
}
