//! What the engine needs of an iterate w, wherever it lives.

use crate::Error;

/// An iterate w = Σᵢ uᵢφ(xᵢ) with several outputs, stored as u or as w.
pub(super) trait Iterate {
    /// How many upcoming samples are looked at together.
    fn lookahead(&self) -> usize;

    /// Gets ready for the samples with these indices.
    fn prepare(&mut self, upcoming: &[usize]) -> Result<(), Error>;

    /// wᵀφ(x) for upcoming sample `b`, one value per output.
    fn predict(&self, b: usize, out: &mut [f64]);

    /// w ← w + delta·φ(x) for upcoming sample `b`, one delta per output.
    fn step(&mut self, b: usize, delta: &[f64]);

    /// w ← factor·w.
    fn scale(&mut self, factor: f64);
}

/// The number of samples to look ahead at: enough for matrix products to run at speed, and not
/// more than 16 MiB of columns of so many numbers, of so many bytes each.
pub(crate) fn block_size(column: usize, bytes: usize) -> usize {
    const BYTES: usize = 1 << 24;
    (BYTES / (column.max(1) * bytes)).clamp(1, 256)
}
