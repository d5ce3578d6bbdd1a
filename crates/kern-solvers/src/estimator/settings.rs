//! The check of hyper-parameters by what their declaration says.

use crate::Error;
use kern_core::parameters::{Declared, Domain, Setting};
use kern_core::{Decay, NonNegative, Positive};

/// Refuses a number outside of the domain that its declaration names.
pub(crate) fn check(settings: &impl Declared) -> Result<(), Error> {
    match settings.outside() {
        None => {}
        Some((name, Setting::Real(given), &Domain::Real { open, greatest, .. })) => {
            if !open {
                NonNegative::new(name, given)?;
            } else if greatest < f64::MAX {
                Decay::new(name, given)?;
            } else {
                Positive::new(name, given)?;
            }
        }
        Some((name, Setting::Count(0), _)) => {
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        Some((name, given, &allowed)) => {
            return Err(kern_core::Error::Setting { name: name.into(), given, allowed }.into());
        }
    }
    Ok(())
}
