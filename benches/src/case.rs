//! The number types and sizes in which tasks come.

use clap::ValueEnum;
use std::fmt;

/// A number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dtype {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dtype::F32 => "f32",
            Dtype::F64 => "f64",
        })
    }
}

/// The size of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Size {
    /// The sizes for which there are targets.
    Full,
    /// A look in a minute or so.
    Quick,
    /// For the tests of this program.
    Tiny,
}

impl Size {
    pub(crate) fn pick<V>(self, full: V, quick: V, tiny: V) -> V {
        match self {
            Size::Full => full,
            Size::Quick => quick,
            Size::Tiny => tiny,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pick("full", "quick", "tiny"))
    }
}
