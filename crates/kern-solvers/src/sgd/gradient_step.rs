//! The stochastic gradient step, and the training loop that all spaces share.
//!
//! A step is w ← (1 − α_tλ)·w − α_t·(the mean of βℓ'·φ(x) over a batch). Intercepts take the same
//! step without the decay. With [`project`](super::Sgd::project), w is then scaled back into the
//! ball ‖w‖ ≤ √(L₀/λ); with the step size 1/(λt) this is Pegasos. The iterate is stored as w =
//! scale·v, so that the decay costs one multiplication. An [`Iterate`] holds v, as coefficients of
//! points or as weights of features.

use super::early_stop::{Verdict, Watch};
use super::intercepts::Intercepts;
use super::regularised_risk::Descent;
use crate::{Error, Observer, Progress, Status};
use kern_core::Scalar;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::{ControlFlow, Range};

/// The scale factor of SGD iterates is folded into them when it falls below this. Their product is
/// what counts; the bound keeps both factors far from underflow and costs one pass in 10⁶-fold decay.
const SMALLEST_SCALE: f64 = 1e-6;

/// Work between two calls of the observer, in entries read: less than a second. Since work is
/// counted, the same fit calls its observer equally often on every machine.
const ASK: usize = 1 << 27;

/// Entries read in the time that drawing a sample and the gradient of its loss take.
const SAMPLE: usize = 64;

/// Entries read in the time that a kernel value or a feature takes.
pub(super) const COMPUTED: usize = 16;

/// The outcome of a run, without the iterate.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) status: Status,
    /// The number of steps done, those of earlier runs included.
    pub(super) iterations: usize,
    /// The number of averaged iterates.
    pub(super) averaged: f64,
    /// The intercept b of each output; empty without intercepts.
    pub(super) intercepts: Vec<f64>,
}

/// Makes all steps of `descent` on `iterate`. At the end the scale is 1, so that v is w.
pub(super) fn run<T: Scalar>(
    descent: &Descent<'_, T>,
    iterate: &mut dyn Iterate,
    mut observer: Option<&mut dyn Observer>,
) -> Result<Outcome, Error> {
    let mut walk = Walk::new(descent, iterate.lookahead(), observer.is_some());
    let status = loop {
        if walk.t == descent.last {
            break Status::IterationsDone;
        }
        if let Some(status) = walk.block(iterate, &mut observer)? {
            break status;
        }
    };
    if let Some((numbers, intercepts)) = walk.best.take() {
        iterate.restore();
        (walk.numbers, walk.intercepts) = (numbers, intercepts);
    }
    let Numbers { scale, c, averaged } = walk.numbers;
    iterate.fold(scale, c);
    iterate.commit().map_err(|error| walk.diverged(error))?;
    let count = if descent.averages() { averaged } else { 0.0 };
    let intercepts = walk.intercepts.map(|intercepts| intercepts.answer(count));
    let intercepts = intercepts.unwrap_or_default();
    Ok(Outcome { status, iterations: walk.t, averaged, intercepts })
}

/// The scalars that turn the stored v into the iterate w = scale·v and into the sum of iterates
/// (see [`Vector`](super::averaging::Vector)).
#[derive(Clone, Copy)]
struct Numbers {
    scale: f64,
    c: f64,
    averaged: f64,
}

struct Walk<'p, 'a, T: Scalar> {
    descent: &'p Descent<'a, T>,
    rng: ChaCha8Rng,
    lookahead: usize,
    upcoming: Vec<usize>,
    margins: Vec<f64>,
    deltas: Vec<f64>,
    t: usize,
    /// The size of step t.
    step: f64,
    numbers: Numbers,
    intercepts: Option<Intercepts>,
    watch: Option<Watch>,
    best: Option<(Numbers, Option<Intercepts>)>,
    /// True if there is an observer: the losses since its last call are then summed.
    observed: bool,
    loss: f64,
    reported: usize,
    /// The work since the observer was last called.
    work: usize,
}

impl<'p, 'a, T: Scalar> Walk<'p, 'a, T> {
    fn new(descent: &'p Descent<'a, T>, lookahead: usize, observed: bool) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(descent.seed);
        // Each run of a stream has its own sequence of samples.
        rng.set_stream(descent.first as u64);
        Self {
            descent,
            rng,
            lookahead: lookahead.max(1),
            upcoming: Vec::new(),
            margins: Vec::new(),
            deltas: Vec::new(),
            t: descent.first,
            step: 0.0,
            numbers: Numbers { scale: 1.0, c: 0.0, averaged: descent.averaged },
            intercepts: descent.intercept.then(|| Intercepts::zero(descent.outputs())),
            watch: descent.early_stopping.map(Watch::new),
            best: None,
            observed,
            loss: 0.0,
            reported: descent.first,
            work: 0,
        }
    }

    /// Makes the steps of one block: as many batches as fit in the lookahead, or one batch that is
    /// larger than it.
    fn block(
        &mut self,
        iterate: &mut dyn Iterate,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Result<Option<Status>, Error> {
        let batch = self.descent.batch;
        if batch > self.lookahead {
            if self.large_batch(iterate, observer)?.is_break() {
                return Ok(Some(Status::Stopped));
            }
            return self.watch(iterate, observer);
        }
        let batches = (self.lookahead / batch).min(self.descent.last - self.t);
        self.draw(batches * batch);
        iterate.prepare(&self.upcoming, batch)?;
        for b in 0..batches {
            self.small_batch(b * batch..(b + 1) * batch, iterate)?;
            if let Some(status) = self.watch(iterate, observer)? {
                return Ok(Some(status));
            }
        }
        iterate.commit().map_err(|error| self.diverged(error))?;
        let flow = self.ask(observer, batches * batch, iterate.effort(), self.t, 0.0);
        Ok(flow.is_break().then_some(Status::Stopped))
    }

    /// Calls the observer within an epoch once enough work is done. The work grows by `samples`
    /// times `effort`; `iteration` steps and the fraction `share` of the next step are done.
    fn ask(
        &mut self,
        observer: &mut Option<&mut dyn Observer>,
        samples: usize,
        effort: usize,
        iteration: usize,
        share: f64,
    ) -> ControlFlow<()> {
        self.work = self.work.saturating_add(samples.saturating_mul(effort.saturating_add(SAMPLE)));
        if self.work < ASK || self.t == self.descent.last && share == 0.0 {
            return ControlFlow::Continue(());
        }
        self.work = 0;
        let Some(observer) = observer else { return ControlFlow::Continue(()) };
        let steps = (iteration - self.reported) as f64 + share;
        let loss = if steps > 0.0 { self.loss / steps } else { 0.0 };
        observer.observe(&Progress::new(iteration, self.descent.last, loss))
    }

    fn draw(&mut self, count: usize) {
        let among = &self.descent.training;
        self.upcoming.clear();
        self.upcoming.extend((0..count).map(|_| among.at(self.rng.random_range(0..among.len()))));
    }

    /// Makes a step on some of the upcoming samples.
    fn small_batch(&mut self, batch: Range<usize>, iterate: &mut dyn Iterate) -> Result<(), Error> {
        self.next_step()?;
        self.predict(batch.clone(), iterate)?;
        if self.descent.schedule.is_adaptive() {
            self.gradients(batch.clone(), 1.0 / batch.len() as f64);
            self.defer_intercepts(1.0);
            iterate.defer(batch, &self.deltas)?;
            return self.step_deferred(iterate);
        }
        self.decay(iterate);
        let share = self.step / batch.len() as f64;
        if self.gradients(batch.clone(), share / self.numbers.scale) {
            self.defer_intercepts(self.numbers.scale);
            iterate.step(batch, &self.deltas, self.numbers.c);
        }
        self.after_step(iterate);
        Ok(())
    }

    /// Makes a step on a batch larger than the lookahead: its samples are drawn in pieces, and the
    /// iterate does not change until all are done. If the observer stops the fit meanwhile, the
    /// step is dropped.
    fn large_batch(
        &mut self,
        iterate: &mut dyn Iterate,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Result<ControlFlow<()>, Error> {
        self.next_step()?;
        let mut left = self.descent.batch;
        let adaptive = self.descent.schedule.is_adaptive();
        let share = if adaptive { 1.0 } else { self.step } / left as f64;
        while left > 0 {
            let piece = self.lookahead.min(left);
            self.draw(piece);
            iterate.prepare(&self.upcoming, piece)?;
            self.predict(0..piece, iterate)?;
            self.gradients(0..piece, share);
            self.defer_intercepts(1.0);
            iterate.defer(0..piece, &self.deltas)?;
            left -= piece;
            let share = 1.0 - left as f64 / self.descent.batch as f64;
            let flow = self.ask(observer, piece, iterate.effort(), self.t - 1, share);
            if flow.is_break() {
                self.t -= 1;
                return Ok(flow);
            }
        }
        self.step_deferred(iterate)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Makes the deferred step.
    fn step_deferred(&mut self, iterate: &mut dyn Iterate) -> Result<(), Error> {
        if self.descent.schedule.is_adaptive() {
            iterate.step_adapted(self.step, self.descent.lambda, self.numbers.c)?;
        } else {
            self.decay(iterate);
            let Numbers { scale, c, .. } = self.numbers;
            iterate.step_deferred(1.0 / scale, c).map_err(|error| self.diverged(error))?;
        }
        self.after_step(iterate);
        Ok(())
    }

    fn next_step(&mut self) -> Result<(), Error> {
        self.t += 1;
        self.step = self.descent.schedule.at(self.t, self.descent.lambda);
        if self.step > 0.0 && self.step.is_finite() {
            Ok(())
        } else {
            Err(Error::StepSize { iteration: self.t, given: self.step })
        }
    }

    /// Computes the margins of these samples, and returns an error if one is not finite.
    fn predict(&mut self, batch: Range<usize>, iterate: &mut dyn Iterate) -> Result<(), Error> {
        self.margins.resize(batch.len() * self.descent.outputs(), 0.0);
        iterate.predict(batch.clone(), &mut self.margins);
        self.margins.iter_mut().for_each(|margin| *margin *= self.numbers.scale);
        if let Some(intercepts) = &self.intercepts {
            intercepts.shift(&mut self.margins);
        }
        for margin in &self.margins {
            if !margin.is_finite() {
                return Err(Error::Diverged { iteration: self.t, step: self.step });
            }
        }
        if self.observed {
            let outputs = self.descent.outputs();
            for (&i, m) in self.upcoming[batch].iter().zip(self.margins.chunks_exact(outputs)) {
                self.loss += self.descent.loss_at(i, m) / self.descent.batch as f64;
            }
        }
        Ok(())
    }

    /// w ← (1 − αλ)·w.
    fn decay(&mut self, iterate: &mut dyn Iterate) {
        self.shrink(1.0 - self.step * self.descent.lambda, iterate);
    }

    /// w ← factor·w.
    fn shrink(&mut self, factor: f64, iterate: &mut dyn Iterate) {
        self.numbers.scale *= factor;
        if self.numbers.scale.abs() < SMALLEST_SCALE {
            iterate.fold(self.numbers.scale, self.numbers.c);
            (self.numbers.scale, self.numbers.c) = (1.0, 0.0);
        }
    }

    /// Sets deltas = −factor·β·∇ℓ for these samples; returns true if any is nonzero.
    fn gradients(&mut self, batch: Range<usize>, factor: f64) -> bool {
        let (descent, outputs) = (self.descent, self.descent.outputs());
        self.deltas.resize(batch.len() * outputs, 0.0);
        let each = self.deltas.chunks_exact_mut(outputs).zip(self.margins.chunks_exact(outputs));
        let mut moved = false;
        for ((deltas, margins), &i) in each.zip(&self.upcoming[batch]) {
            descent.objective.gradient(margins, descent.targets_of(i), deltas);
            let factor = -factor * descent.weight(i);
            for delta in deltas {
                *delta *= factor;
                moved |= *delta != 0.0;
            }
        }
        moved
    }

    /// Adds to the deferred step of the intercepts, if there are any; deltas are in this unit.
    fn defer_intercepts(&mut self, unit: f64) {
        if let Some(intercepts) = &mut self.intercepts {
            intercepts.defer(&self.deltas, unit);
        }
    }

    /// After the step of w: makes the step of the intercepts, projects w into the ball, and adds
    /// the iterate to the average if it counts.
    fn after_step(&mut self, iterate: &mut dyn Iterate) {
        if let Some(intercepts) = &mut self.intercepts {
            match self.descent.schedule.is_adaptive() {
                true => intercepts.adapt(self.step),
                false => intercepts.advance(),
            }
        }
        if let Some(radius) = self.descent.radius {
            let norm = self.numbers.scale.abs() * iterate.square().max(0.0).sqrt();
            if norm > radius {
                self.shrink(radius / norm, iterate);
            }
        }
        if self.t >= self.descent.first_averaged {
            if let Some(intercepts) = &mut self.intercepts {
                intercepts.count();
            }
            self.numbers.c += self.numbers.scale;
            self.numbers.averaged += 1.0;
        }
    }

    /// At the end of an epoch or of the run: calls the observer and applies early stopping.
    fn watch(
        &mut self,
        iterate: &mut dyn Iterate,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Result<Option<Status>, Error> {
        let done = self.t == self.descent.last;
        if !(done || self.descent.ends_epoch(self.t)) {
            return Ok(None);
        }
        self.work = 0;
        if let Some(observer) = observer {
            let loss = self.loss / (self.t - self.reported).max(1) as f64;
            (self.loss, self.reported) = (0.0, self.t);
            let progress = Progress::new(self.t, self.descent.last, loss);
            if observer.observe(&progress).is_break() && !done {
                return Ok(Some(Status::Stopped));
            }
        }
        let Some(watch) = &mut self.watch else { return Ok(None) };
        if let Err(error) = iterate.commit() {
            return Err(self.diverged(error));
        }
        let (scale, intercepts) = (self.numbers.scale, self.intercepts.as_ref());
        let verdict = watch.verdict(held_out_loss(self.descent, iterate, scale, intercepts)?);
        if verdict == Verdict::Best {
            iterate.save();
            self.best = Some((self.numbers, self.intercepts.clone()));
        }
        Ok((verdict == Verdict::Stop && !done).then_some(Status::EarlyStopped))
    }

    /// Reports an overflow as divergence.
    fn diverged(&self, error: Error) -> Error {
        match error {
            Error::Gram(kern_gram::Error::ProductNotFinite { .. }) => {
                Error::Diverged { iteration: self.t, step: self.step }
            }
            other => other,
        }
    }
}

/// The mean loss of the held-out points.
fn held_out_loss<T: Scalar>(
    descent: &Descent<'_, T>,
    iterate: &mut dyn Iterate,
    scale: f64,
    intercepts: Option<&Intercepts>,
) -> Result<f64, Error> {
    let (points, outputs) = (&descent.held_out, descent.outputs());
    let mut margins = vec![0.0; points.len() * outputs];
    iterate.margins(points, &mut margins)?;
    margins.iter_mut().for_each(|margin| *margin *= scale);
    if let Some(intercepts) = intercepts {
        intercepts.shift(&mut margins);
    }
    let losses = points.iter().zip(margins.chunks_exact(outputs));
    Ok(losses.map(|(&i, m)| descent.loss_at(i, m)).sum::<f64>() / points.len() as f64)
}

/// An iterate w = Σᵢ uᵢφ(xᵢ) with several outputs, stored as u or as w.
///
/// Samples come in blocks whose indices are known in advance. Values of several samples and outputs
/// are stored sample by sample.
pub(super) trait Iterate {
    /// The number of upcoming samples that are best prepared together.
    fn lookahead(&self) -> usize;

    /// The approximate work of a sample in entries read, which decides how often the observer is
    /// called.
    fn effort(&self) -> usize;

    /// Prepares the samples with these indices, which come in batches of `batch`.
    fn prepare(&mut self, upcoming: &[usize], batch: usize) -> Result<(), Error>;

    /// wᵀφ(x) for some of the upcoming samples, with all steps made so far.
    fn predict(&mut self, batch: Range<usize>, margins: &mut [f64]);

    /// w ← w + Σ delta·φ(x) over these samples. `c` is that of
    /// [`Vector`](super::averaging::Vector).
    fn step(&mut self, batch: Range<usize>, deltas: &[f64], c: f64);

    /// Adds Σ delta·φ(x) over these samples to the deferred step.
    fn defer(&mut self, batch: Range<usize>, deltas: &[f64]) -> Result<(), Error>;

    /// Makes the deferred step, times `factor`.
    fn step_deferred(&mut self, factor: f64, c: f64) -> Result<(), Error>;

    /// Makes an AdaGrad step; the deferred sum is −g, the negative gradient without the penalty λw.
    fn step_adapted(&mut self, alpha: f64, lambda: f64, c: f64) -> Result<(), Error>;

    /// ‖w‖² after all steps made so far; only maintained if the descent projects.
    fn square(&self) -> f64;

    /// Brings everything that depends on w up to date with the steps; required before other samples
    /// are evaluated.
    fn commit(&mut self) -> Result<(), Error>;

    /// wᵀφ(x) for any samples, after a commit.
    fn margins(&mut self, indices: &[usize], margins: &mut [f64]) -> Result<(), Error>;

    /// w ← factor·w.
    fn fold(&mut self, factor: f64, c: f64);

    /// Saves a copy of w, which replaces the last one.
    fn save(&mut self);

    /// Restores the saved copy, if there is one.
    fn restore(&mut self);
}

/// The number of columns of this length to process at once: enough for fast matrix products, and at
/// most 16 MiB.
pub(super) fn block_size<T>(column: usize) -> usize {
    const BYTES: usize = 1 << 24;
    (BYTES / (column.max(1) * size_of::<T>())).clamp(1, 256)
}
