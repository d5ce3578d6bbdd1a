//! The check of hyper-parameters by what their declaration says.

use crate::Error;
use kern_core::parameters::{Declared, Domain, Setting};
use kern_core::{Decay, NonNegative, Positive};

/// Refuses a number outside of the domain that its declaration names.
pub(crate) fn check(settings: &impl Declared) -> Result<(), Error> {
    let Some((name, given, &allowed)) = settings.outside() else { return Ok(()) };
    match (&given, allowed) {
        (&Setting::Real(number), Domain::Real { open, greatest, .. }) => {
            if !open {
                NonNegative::new(name, number)?;
            } else if greatest < f64::MAX {
                Decay::new(name, number)?;
            } else {
                Positive::new(name, number)?;
            }
        }
        (Setting::Count(0), _) => {
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        _ => {}
    }
    // Domains that have no type of their own.
    Err(kern_core::Error::Setting { name: name.into(), given, allowed }.into())
}
