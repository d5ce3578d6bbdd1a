//! The version of the file format of models.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Written with every model. Reading a model of another version is an error, not a guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format;

/// Raised whenever the meaning of what is written changes.
const VERSION: u32 = 1;

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        VERSION.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Format {
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
