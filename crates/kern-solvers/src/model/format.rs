//! The header of a model file: the version of the format, and the kind of model.

use kern_core::named::Name;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Written before the model `M`, and checked before anything else is read. Kernels and feature maps
/// follow their names, see [`Name`].
pub(crate) type Format<M> = (Version, Name<M>);

/// The version of the format; a model of another version is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version;

/// Incremented whenever the meaning of the written data changes.
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
