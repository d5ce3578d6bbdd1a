//! The header of a model file: the version of the format, and the kind of model.

use kern_core::named::Name;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Written before the model `M`, and checked before anything else is read. Kernels and feature maps
/// follow their names, see [`Name`].
pub(crate) type Format<M> = (Version, Name<M>);

/// The version of the format; a model of another version is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version;

/// Incremented whenever the meaning of the written data changes, in any crate. Files have it before
/// the model, too.
pub(crate) const VERSION: u32 = 3;

/// The way out of an older format.
const OUTDATED: &str =
    "fit the model again and save it, or predict with the version of kern that saved it";

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
                let way_out = if given < VERSION { OUTDATED } else { "update kern" };
                let message = format!("model format {VERSION} is supported, the file has {given}");
                Err(D::Error::custom(format!("{message}: {way_out}")))
            }
        }
    }
}
