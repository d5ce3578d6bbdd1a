//! Targets of mean 0 and variance 1.

use crate::Error;
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_gram::zeros;

/// The numbers that are subtracted from the targets of each output, and by which they are divided.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Units {
    pub(super) offsets: Vec<f64>,
    pub(super) scales: Vec<f64>,
}

impl Units {
    /// The units in which targets are given.
    pub(super) fn given(outputs: usize) -> Self {
        Self { offsets: vec![0.0; outputs], scales: vec![1.0; outputs] }
    }

    /// The mean and the standard deviation of each output; of equal targets the latter is 1.
    pub(super) fn of<T: Scalar>(
        y: MatRef<'_, T>,
        weight: impl Fn(usize) -> f64,
    ) -> Result<Self, Error> {
        let mut units = Self::given(0);
        let total: f64 = (0..y.nrows()).map(&weight).sum();
        for column in y.col_iter() {
            let mean_of = |f: &dyn Fn(f64) -> f64| -> f64 {
                let terms = column.iter().enumerate();
                terms.map(|(i, y)| weight(i) * f(y.to_f64())).sum::<f64>() / total
            };
            let mean = mean_of(&|y| y);
            let scale = mean_of(&|y| (y - mean) * (y - mean)).sqrt();
            if !scale.is_finite() {
                return Err(Error::Range { what: "the standard deviation", given: scale });
            }
            // What rounding leaves of equal targets is no scale.
            let least = T::UNIT_ROUNDOFF * mean.abs();
            units.offsets.push(mean);
            units.scales.push(if scale > least { scale } else { 1.0 });
        }
        Ok(units)
    }

    /// The targets in these units.
    pub(super) fn normalised<T: Scalar>(&self, y: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        let mut out = zeros(y.nrows(), y.ncols())?;
        for k in 0..y.ncols() {
            let column = out.col_as_slice_mut(k).iter_mut().zip(y.col(k).iter());
            let (offset, scale) = (self.offsets[k], self.scales[k]);
            column.for_each(|(out, y)| *out = T::from_f64((y.to_f64() - offset) / scale));
        }
        Ok(out)
    }
}
