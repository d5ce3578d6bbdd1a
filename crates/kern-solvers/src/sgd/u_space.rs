//! SGD in u-space: on the coefficients of a kernel expansion.
//!
//! The margins f = K·u of all points are kept up to date, so a step that leaves u unchanged is
//! free. A step that changes u_i by δ adds δ·K(·, xᵢ) to the margins: immediately for the samples
//! of the same block, and at the end of the block, by one matrix product, for all other points.

use super::averaging::Vector;
use super::cost_model::{Effort, beside_vectors};
use super::gradient_step::{self, COMPUTED, Iterate, Outcome};
use super::regularised_risk::Descent;
use super::stochastic_gradient_descent::{Known, Reached, SgdSpace, Storage};
use crate::model::KernelExpansion;
use crate::plan::{Algorithm, enough_landmarks, upper};
use crate::space::OnKernel;
use crate::{Error, Observer, Report, Run};
use faer::{Mat, MatRef};
use kern_core::memory::converted;
use kern_core::{Mercer, Points, Scalar, compiled_once};
use kern_gram::numerics::arithmetic::inner;
use kern_gram::{BlockedGram, CrossGram, DenseGram, GramOperator, LazyGram, Rows, zeros};
use std::ops::Range;

/// Samples per block with a stored Gram matrix. A larger block costs a cache line per pair of
/// samples, a smaller one more products. Seconds for n = 4096 and T = 20n: 0.44 for 8 samples, 0.28
/// for 16, 0.24 for 32.
pub(super) const STORED_BLOCK: usize = 32;

/// Samples per block for n points without a stored matrix. Kernel values among the samples come on
/// top of those with all points, so blocks are small compared with n.
pub(super) fn computed_block(n: usize) -> usize {
    (n / 8).clamp(16, 256)
}

impl<T, P, K> SgdSpace<P> for OnKernel<K>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Mercer<P> + Clone,
{
    fn descend(
        &self,
        points: &P,
        descent: &Descent<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let reached = reach(&self.kernel, points, descent, None, run)?;
        let u = converted(reached.answer().as_ref())?;
        let function = KernelExpansion::new(self.kernel.clone(), points, u.as_ref())?;
        let function = function.with_intercepts(reached.intercepts(descent.outputs()));
        Ok((function.answering(points)?, reached.report()))
    }
}

/// Runs SGD from the state `known`, or from zero.
#[compiled_once]
pub(super) fn reach<P: Points>(
    kernel: &dyn Mercer<P>,
    points: &P,
    descent: &Descent<'_, P::Scalar>,
    known: Option<&Known<P, f64>>,
    run: &mut Run<'_>,
) -> Result<Reached<f64>, Error> {
    if descent.schedule.is_adaptive() {
        return Err(Error::AdaptiveKernel);
    }
    let (n, outputs) = (points.len(), descent.outputs());
    let budget = run.budget();
    if outputs > 1 {
        let what = "the coefficients and margins of SGD";
        budget.check::<f64>(what, n, outputs.saturating_mul(8), "take fewer classes")?;
    }
    let task = descent.task();
    let storage =
        descent.storage(&task, Algorithm::GramCached, Algorithm::KernelOnTheFly, &budget)?;
    let cached = storage == Storage::Cached;
    let algorithm = if cached { Algorithm::GramCached } else { Algorithm::KernelOnTheFly };
    let values = n as f64 * if cached { n as f64 / 2.0 } else { task.steps() as f64 };
    let limit = run.predicted_limit();
    let effort = Effort {
        task: task.landmarks(enough_landmarks(n)),
        algorithm,
        others: &[Algorithm::GramCached, Algorithm::KernelOnTheFly, Algorithm::Landmarks],
        upper: upper(limit, kernel, points, values),
    };
    effort.check(limit, &budget, |task| task.measure_kernel(kernel, points))?;
    let start = Start::new(kernel, points, descent, known)?;
    let observer = run.watcher();
    match storage {
        Storage::Cached => {
            let gram = DenseGram::new(kernel, points, &budget)?;
            start.run(&gram, &gram, descent, observer)
        }
        Storage::Partial => {
            let gram = BlockedGram::new(kernel, points, &beside_vectors(&budget, n, outputs))?;
            let single = LazyGram::new(kernel, points)?;
            start.run(&gram, &single, descent, observer)
        }
        Storage::OnTheFly | Storage::Auto => {
            let gram = LazyGram::new(kernel, points)?;
            start.run(&gram, &gram, descent, observer)
        }
    }
}

/// The start of a descent.
struct Start {
    /// Coefficients of the points of the starting state, then of the new points.
    u: Vector<f64>,
    /// The margins of the new points, due to the starting state.
    f: Mat<f64>,
    /// ‖w‖² of the starting state.
    squared_norm: f64,
}

impl Start {
    fn new<P: Points>(
        kernel: &dyn Mercer<P>,
        points: &P,
        descent: &Descent<'_, P::Scalar>,
        known: Option<&Known<P, f64>>,
    ) -> Result<Self, Error> {
        let (n, outputs) = (points.len(), descent.outputs());
        let averages = descent.averages();
        let Some((known, old)) = known.and_then(|known| Some((known, known.points.as_ref()?)))
        else {
            let u = Vector::zero(n, outputs, averages)?;
            return Ok(Self { u, f: zeros(n, outputs)?, squared_norm: 0.0 });
        };
        let v = converted(known.vector.v.as_ref())?;
        let f = converted(CrossGram::new(kernel, points, old)?.apply(v.as_ref())?.as_ref())?;
        let u = known.vector.extended(n, averages)?;
        Ok(Self { u, f, squared_norm: known.squared_norm })
    }

    fn run<T: Scalar>(
        self,
        gram: &dyn GramOperator<T>,
        single: &dyn GramOperator<T>,
        descent: &Descent<'_, T>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Reached<f64>, Error> {
        let Self { u, f, squared_norm } = self;
        let before = (u.v.nrows() > f.nrows()).then(|| (f.clone(), squared_norm));
        let mut iterate = Coefficients::new(gram, single, u, f, descent.radius.is_some())?;
        let outcome = gradient_step::run(descent, &mut iterate, observer)?;
        let squared_norm = iterate.squared_norm(before);
        let objective = iterate.objective(descent, &outcome, squared_norm)?;
        Ok(Reached { vector: iterate.u, outcome, objective, squared_norm })
    }
}

struct Coefficients<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    /// The same matrix without a column cache, which look-ups of single values would disturb.
    single: &'a dyn GramOperator<T>,
    u: Vector<f64>,
    /// The number of rows of u that belong to the starting state.
    old: usize,
    /// The factor by which the starting state has been multiplied.
    factor: f64,
    f: Mat<f64>,
    saved: Option<(Mat<f64>, f64)>,
    stored: bool,
    upcoming: Vec<usize>,
    margins: Vec<f64>,
    /// Kernel values among the upcoming samples: read at once, since reads between dependent steps
    /// would wait for each other.
    pairs: Mat<T>,
    pending: Change<T>,
    deferred: Change<T>,
    /// The change of f in the last product.
    added: Mat<T>,
    /// ‖w‖², if w is projected.
    square: Option<f64>,
}

/// Changes of u, point by point, with an entry per output.
struct Change<T> {
    points: Vec<usize>,
    deltas: Vec<T>,
}

impl<'a, T: Scalar> Coefficients<'a, T> {
    fn new(
        gram: &'a dyn GramOperator<T>,
        single: &'a dyn GramOperator<T>,
        u: Vector<f64>,
        f: Mat<f64>,
        measured: bool,
    ) -> Result<Self, Error> {
        let (n, outputs) = f.shape();
        let stored = n > 0 && gram.stored_column(0).is_some();
        let mut iterate = Self {
            gram,
            single,
            old: u.v.nrows() - n,
            u,
            factor: 1.0,
            f,
            saved: None,
            stored,
            upcoming: Vec::new(),
            margins: Vec::new(),
            pairs: Mat::new(),
            pending: Change::new(),
            deferred: Change::new(),
            added: zeros(n, outputs)?,
            square: measured.then_some(0.0),
        };
        let block = iterate.lookahead();
        iterate.pairs = zeros(block, block)?;
        Ok(iterate)
    }

    /// f += K[:, points]·deltas.
    fn add(&mut self, change: &Change<T>) -> Result<(), Error> {
        if change.points.is_empty() {
            return Ok(());
        }
        let (count, outputs) = (change.points.len(), self.f.ncols());
        let deltas = MatRef::from_row_major_slice(&change.deltas, count, outputs);
        self.gram.apply_columns_into(&change.points, deltas, self.added.as_mut())?;
        for k in 0..outputs {
            let added = self.added.col_as_slice(k);
            self.f.col_as_slice_mut(k).iter_mut().zip(added).for_each(|(f, a)| *f += a.to_f64());
        }
        Ok(())
    }

    /// ‖w‖². With w = s·w₀ + Δ for the starting state w₀, ‖w‖² = s²‖w₀‖² + Σᵢ uᵢ(fᵢ + s·f₀ᵢ).
    fn squared_norm(&self, before: Option<(Mat<f64>, f64)>) -> f64 {
        let u = self.u.v.subrows(self.old, self.f.nrows());
        let own = inner(u, self.f.as_ref());
        before.map_or(own, |(f, squared_norm)| {
            let cross = inner(u, f.as_ref());
            own + self.factor * cross + self.factor.powi(2) * squared_norm
        })
    }

    /// The objective of the model; in a stream with averaging, that of the last iterate.
    fn objective(
        &self,
        descent: &Descent<'_, T>,
        outcome: &Outcome,
        squared_norm: f64,
    ) -> Result<f64, Error> {
        if !descent.averages() || self.old > 0 {
            return Ok(descent.objective(self.f.as_ref(), &outcome.intercepts, squared_norm));
        }
        let u: Mat<T> = converted(self.u.answer(outcome.averaged).as_ref())?;
        let fitted = self.gram.apply(u.as_ref())?;
        let squared_norm = inner(u.as_ref(), fitted.as_ref());
        Ok(descent.objective(fitted.as_ref(), &outcome.intercepts, squared_norm))
    }

    /// The increase of ‖w‖² by a step on these samples: Σ_b δ_b(2m_b + Σ_c δ_cK(x_b, x_c)), where m
    /// are the margins before the step.
    fn lengthened(&self, batch: Range<usize>, deltas: &[f64]) -> f64 {
        let outputs = self.f.ncols();
        let delta = |b: usize, k: usize| deltas[(b - batch.start) * outputs + k];
        let mut total = 0.0;
        for b in batch.clone() {
            for k in (0..outputs).filter(|&k| delta(b, k) != 0.0) {
                let term = |c: usize| delta(c, k) * self.pairs[(c, b)].to_f64();
                let others: f64 = batch.clone().map(term).sum();
                total += delta(b, k) * (2.0 * self.margins[b * outputs + k] + others);
            }
        }
        total
    }

    /// Reads the kernel values among the upcoming samples; from a stored matrix only those below
    /// the diagonal, unless ‖w‖² needs all.
    fn look_up(&mut self, upcoming: &[usize]) -> Result<(), Error> {
        let count = upcoming.len();
        if self.stored && self.square.is_none() {
            for (b, &i) in upcoming.iter().enumerate() {
                let Some(column) = self.gram.stored_column(i) else { continue };
                let later = self.pairs.col_as_slice_mut(b)[b..count].iter_mut().zip(&upcoming[b..]);
                later.for_each(|(k, &later)| *k = column[later]);
            }
            return Ok(());
        }
        let out = self.pairs.submatrix_mut(0, 0, count, count);
        Ok(self.single.submatrix_into(Rows::Of(upcoming), upcoming, out)?)
    }

    /// Adds the step of sample `b` to the margins of the upcoming samples from `after` on.
    fn correct(&mut self, b: usize, after: usize, deltas: &[f64]) {
        let column = &self.pairs.col_as_slice(b)[after..];
        if let [delta] = deltas {
            let margins = self.margins[after..].iter_mut().zip(column);
            return margins.for_each(|(m, k)| *m += k.to_f64() * delta);
        }
        let margins = self.margins[after * deltas.len()..].chunks_exact_mut(deltas.len());
        for (margins, k) in margins.zip(column) {
            let k = k.to_f64();
            margins.iter_mut().zip(deltas).for_each(|(m, delta)| *m += k * delta);
        }
    }
}

impl<T: Scalar> Iterate for Coefficients<'_, T> {
    fn lookahead(&self) -> usize {
        if self.stored { STORED_BLOCK } else { computed_block(self.f.nrows()) }
    }

    fn effort(&self) -> usize {
        let (n, outputs) = self.f.shape();
        n.saturating_mul(outputs.saturating_add(if self.stored { 0 } else { COMPUTED }))
    }

    fn prepare(&mut self, upcoming: &[usize], batch: usize) -> Result<(), Error> {
        self.upcoming.clear();
        self.upcoming.extend_from_slice(upcoming);
        let mut margins = std::mem::take(&mut self.margins);
        margins.resize(upcoming.len() * self.f.ncols(), 0.0);
        self.margins(upcoming, &mut margins)?;
        self.margins = margins;
        if batch < upcoming.len() || self.square.is_some() {
            self.look_up(upcoming)?;
        }
        Ok(())
    }

    fn predict(&mut self, batch: Range<usize>, margins: &mut [f64]) {
        let outputs = self.f.ncols();
        margins.copy_from_slice(&self.margins[batch.start * outputs..batch.end * outputs]);
    }

    fn step(&mut self, batch: Range<usize>, deltas: &[f64], c: f64) {
        if let Some(square) = self.square {
            self.square = Some(square + self.lengthened(batch.clone(), deltas));
        }
        let after = batch.end;
        for (b, deltas) in batch.zip(deltas.chunks_exact(self.f.ncols())) {
            if deltas.iter().all(|&delta| delta == 0.0) {
                continue;
            }
            let i = self.upcoming[b];
            for (k, &delta) in deltas.iter().enumerate() {
                self.u.add((self.old + i, k), delta, c);
            }
            self.pending.push(i, deltas);
            self.correct(b, after, deltas);
        }
    }

    fn defer(&mut self, batch: Range<usize>, deltas: &[f64]) -> Result<(), Error> {
        for (&i, deltas) in self.upcoming[batch].iter().zip(deltas.chunks_exact(self.f.ncols())) {
            if deltas.iter().any(|&delta| delta != 0.0) {
                self.deferred.push(i, deltas);
            }
        }
        // A batch may be far larger than the number of points.
        if self.deferred.points.len() >= self.f.nrows().saturating_mul(2) {
            self.deferred.merge(self.f.shape());
        }
        Ok(())
    }

    fn step_deferred(&mut self, factor: f64, c: f64) -> Result<(), Error> {
        let outputs = self.f.ncols();
        let mut deferred = std::mem::replace(&mut self.deferred, Change::new());
        for (&i, deltas) in deferred.points.iter().zip(deferred.deltas.chunks_exact_mut(outputs)) {
            for (k, delta) in deltas.iter_mut().enumerate() {
                let scaled = factor * delta.to_f64();
                self.u.add((self.old + i, k), scaled, c);
                *delta = T::from_f64(scaled);
            }
        }
        self.add(&deferred)?;
        if let Some(square) = &mut self.square {
            for (&i, deltas) in deferred.points.iter().zip(deferred.deltas.chunks_exact(outputs)) {
                for (k, delta) in deltas.iter().enumerate() {
                    let (after, added) = (self.f[(i, k)], self.added[(i, k)].to_f64());
                    *square += delta.to_f64() * (2.0 * after - added);
                }
            }
        }
        Ok(())
    }

    fn square(&self) -> f64 {
        self.square.unwrap_or_default()
    }

    fn step_adapted(&mut self, _: f64, _: f64, _: f64) -> Result<(), Error> {
        Err(Error::AdaptiveKernel)
    }

    fn commit(&mut self) -> Result<(), Error> {
        let mut pending = std::mem::replace(&mut self.pending, Change::new());
        let added = self.add(&pending);
        pending.clear();
        self.pending = pending;
        added
    }

    fn margins(&mut self, indices: &[usize], margins: &mut [f64]) -> Result<(), Error> {
        for (&i, margins) in indices.iter().zip(margins.chunks_exact_mut(self.f.ncols())) {
            for (k, margin) in margins.iter_mut().enumerate() {
                *margin = self.f[(i, k)];
            }
        }
        Ok(())
    }

    fn fold(&mut self, factor: f64, c: f64) {
        self.u.fold(factor, c);
        self.factor *= factor;
        self.f *= faer::Scale(factor);
        self.square = self.square.map(|square| factor * factor * square);
        self.margins.iter_mut().for_each(|margin| *margin *= factor);
        self.pending.deltas.iter_mut().for_each(|delta| *delta *= T::from_f64(factor));
    }

    fn save(&mut self) {
        self.u.save();
        self.saved = Some((self.f.clone(), self.factor));
    }

    fn restore(&mut self) {
        self.u.restore();
        if let Some((f, factor)) = self.saved.take() {
            (self.f, self.factor, self.pending) = (f, factor, Change::new());
        }
    }
}

impl<T: Scalar> Change<T> {
    fn new() -> Self {
        Self { points: Vec::new(), deltas: Vec::new() }
    }

    fn clear(&mut self) {
        self.points.clear();
        self.deltas.clear();
    }

    /// Merges the changes of each of n points into one, in the order of the points.
    fn merge(&mut self, (n, outputs): (usize, usize)) {
        let mut sums = vec![T::ZERO; n * outputs];
        for (&i, deltas) in self.points.iter().zip(self.deltas.chunks_exact(outputs)) {
            let sums = sums[i * outputs..(i + 1) * outputs].iter_mut();
            sums.zip(deltas).for_each(|(sum, &delta)| *sum += delta);
        }
        self.clear();
        for (i, sums) in sums.chunks_exact(outputs).enumerate() {
            if sums.iter().any(|&sum| sum != T::ZERO) {
                self.points.push(i);
                self.deltas.extend_from_slice(sums);
            }
        }
    }

    fn push(&mut self, point: usize, deltas: &[f64]) {
        self.points.push(point);
        self.deltas.extend(deltas.iter().map(|&delta| T::from_f64(delta)));
    }
}
