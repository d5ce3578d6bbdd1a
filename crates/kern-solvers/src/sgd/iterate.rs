//! Iterates w as the engine needs them, wherever they live.

use crate::Error;
use std::ops::Range;

/// Numbers that are read in the time in which a kernel value or a feature is computed.
pub(super) const COMPUTED: usize = 16;

/// An iterate w = Σᵢ uᵢφ(xᵢ) with several outputs, stored as u or as w.
///
/// Samples come in blocks of which the indices are known in advance. Numbers of several samples and
/// outputs lie sample after sample.
pub(super) trait Iterate {
    /// The number of upcoming samples that are best looked at together.
    fn lookahead(&self) -> usize;

    /// Numbers that a sample takes, about: so much work is between two questions to whoever watches.
    fn effort(&self) -> usize;

    /// Gets ready for the samples with these indices, which come in batches of `batch`.
    fn prepare(&mut self, upcoming: &[usize], batch: usize) -> Result<(), Error>;

    /// wᵀφ(x) for some of the upcoming samples, with all steps made so far.
    fn predict(&mut self, batch: Range<usize>, margins: &mut [f64]);

    /// w ← w + Σ delta·φ(x) over these samples. `c` is that of [`Vector`](super::vector::Vector).
    fn step(&mut self, batch: Range<usize>, deltas: &[f64], c: f64);

    /// Remembers Σ delta·φ(x) over these samples, for a step later on.
    fn defer(&mut self, batch: Range<usize>, deltas: &[f64]) -> Result<(), Error>;

    /// Makes the step of all that was deferred, times `factor`.
    fn step_deferred(&mut self, factor: f64, c: f64) -> Result<(), Error>;

    /// Makes the step of AdaGrad with what was deferred as −g, the gradient without the penalty λw.
    fn step_adapted(&mut self, alpha: f64, lambda: f64, c: f64) -> Result<(), Error>;

    /// ‖w‖² with all steps made so far; only if the descent projects.
    fn square(&self) -> f64;

    /// Brings what depends on w up to date with the steps: to be called before other samples are
    /// looked at.
    fn commit(&mut self) -> Result<(), Error>;

    /// wᵀφ(x) for any samples, after a commit.
    fn margins(&mut self, indices: &[usize], margins: &mut [f64]) -> Result<(), Error>;

    /// w ← factor·w.
    fn fold(&mut self, factor: f64, c: f64);

    /// Keeps a copy of w as it is, instead of the last one that was kept.
    fn save(&mut self);

    /// Goes back to the copy, if there is one.
    fn restore(&mut self);
}

/// The number of columns of this length to work on at once: enough for matrix products to run at
/// speed, and not more than 16 MiB.
pub(super) fn block_size<T>(column: usize) -> usize {
    const BYTES: usize = 1 << 24;
    (BYTES / (column.max(1) * size_of::<T>())).clamp(1, 256)
}
