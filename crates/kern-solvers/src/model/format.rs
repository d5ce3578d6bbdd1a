//! The head of a model's file: the version of the format, and the kind of model.

use kern_core::named::Name;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Written before everything else of the model `M`, and checked before anything else is read. Kernels and feature maps stand behind
/// their names, see [`Name`].
pub(crate) type Format<M> = (Version, Name<M>);

/// Reading a model of another version is an error, not a guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version;

/// Raised whenever the meaning of what is written changes.
const VERSION: u32 = 3;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        VERSION.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            VERSION => Ok(Self),
            given => {
                let message = format!("model format {VERSION} is supported, the file has {given}");
                Err(D::Error::custom(message))
            }
        }
    }
}
