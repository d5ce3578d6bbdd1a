//! The decay of tree kernels.

use crate::Error;
use serde::{Deserialize, Serialize};

/// The weight λ ∈ (0, 1] of one production, checked also when it is read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub(super) struct Decay(f64);

impl Decay {
    pub(super) fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Decay {
    type Error = Error;
    fn try_from(given: f64) -> Result<Self, Error> {
        if given > 0.0 && given <= 1.0 {
            Ok(Self(given))
        } else {
            Err(Error::Parameter { name: "lambda", given, allowed: "a number > 0 and <= 1" })
        }
    }
}

impl From<Decay> for f64 {
    fn from(decay: Decay) -> f64 {
        decay.0
    }
}
