//! Processors of which no such instruction is used.

use super::{Hits, Keys};

/// There is none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {}

impl Instruction {
    /// None.
    pub(crate) fn new() -> Option<Self> {
        None
    }

    /// Cannot be called.
    pub(crate) fn exceeding(self, _: (&[i32], &[i32]), _: usize, _: Keys<'_>, _: &mut Hits) {
        match self {}
    }
}
