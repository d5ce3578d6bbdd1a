//! The last step of every Fourier map: from phases to features.

use super::FourierForm;
use crate::tolerance;
use kern_core::Scalar;

/// Cosines and sines, or cosines with random phases, of `count` frequencies.
pub(super) struct Wave<'a> {
    /// m, the number of frequencies.
    pub(super) count: usize,
    /// The phases b/2π; none in the paired form.
    pub(super) offsets: Option<&'a [f64]>,
    /// κ(0).
    pub(super) mass: f64,
}

impl Wave<'_> {
    pub(super) fn form(&self) -> FourierForm {
        if self.offsets.is_some() { FourierForm::Phase } else { FourierForm::Paired }
    }

    /// D.
    pub(super) fn dim(&self) -> usize {
        match self.form() {
            FourierForm::Paired => 2 * self.count,
            FourierForm::Phase => self.count,
        }
    }

    /// √(2κ(0)/D).
    fn scale(&self) -> f64 {
        (2.0 * self.mass / self.dim() as f64).sqrt()
    }

    /// The features of one sample that belong to the phases ωᵀx/2π of frequencies from `start` on.
    pub(super) fn write<T: Scalar>(&self, phases: &mut [f64], start: usize, features: &mut [T]) {
        let (scale, to) = (T::from_f64(self.scale()), start..start + phases.len());
        if let Some(offsets) = self.offsets {
            f64::axpy(1.0, &offsets[to.clone()], phases);
            T::cos_turns(phases, scale, &mut features[to]);
        } else {
            let (cos, sin) = features.split_at_mut(self.count);
            T::cos_sin_turns(phases, scale, &mut cos[to.clone()], &mut sin[to]);
        }
    }
}

/// Every phase keeps a fractional part ([`tolerance::MAX_TURNS`]) if `reach` turns per unit of the
/// greatest coordinate are the most there can be.
pub(super) fn check_reach(greatest: f64, reach: f64) -> Result<(), kern_core::Error> {
    if greatest * reach < tolerance::MAX_TURNS {
        Ok(())
    } else {
        let name = "the greatest coordinate";
        let allowed = "so small that phases are below 2^52 turns";
        Err(kern_core::Error::Parameter { name, given: greatest, allowed })
    }
}
