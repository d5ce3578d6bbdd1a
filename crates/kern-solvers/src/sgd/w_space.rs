//! SGD in w-space: on the weights of a feature map or of Nyström features.
//!
//! Features are stored, for all or for the first points, or computed for a block of upcoming
//! samples. A model on landmarks is converted to an expansion in kernel values.

use super::averaging::Vector;
use super::cost_model::{Effort, beside_vectors};
use super::gradient_step::{self, COMPUTED, Iterate, block_size};
use super::regularised_risk::Descent;
use super::stochastic_gradient_descent::{Known, Reached, SgdSpace, Storage};
use crate::model::{Decision, FeatureExpansion, KernelExpansion};
use crate::plan::Algorithm;
use crate::space::{OnFeatures, OnLandmarks};
use crate::{Error, Report, Run};
use faer::{Accum, Mat, MatMut, MatRef, Scale};
use kern_core::memory::{converted, prefetch};
use kern_core::products::{inner_products, matmul};
use kern_core::{FeatureMap, Mercer, Points, Samples, Scalar, compiled_once};
use kern_gram::numerics::arithmetic::inner;
use kern_gram::{MemoryBudget, matrix_bytes, parallel, split_rows, tile_ranges, zeros};
use std::ops::Range;

impl<T, P, M> SgdSpace<P> for OnFeatures<M>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P> + Clone,
{
    fn descend(
        &self,
        points: &P,
        descent: &Descent<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(FeatureExpansion<M, T>, Report), Error> {
        let reached = reach(&self.map, points, descent, None, run)?;
        let function = FeatureExpansion::new(self.map.clone(), reached.answer());
        let intercepts = reached.intercepts(descent.outputs());
        Ok((function.with_intercepts(intercepts), reached.report()))
    }
}

impl<T, P, K> SgdSpace<P> for OnLandmarks<K>
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
        let (function, report) = on_landmarks(&self.erased(), points, descent, run)?;
        Ok((function.with_kernel(self.nystrom().kernel().clone()), report))
    }
}

/// Runs SGD from the state `known`, or from zero.
#[compiled_once]
pub(super) fn reach<P: Points>(
    map: &dyn FeatureMap<P>,
    points: &P,
    descent: &Descent<'_, P::Scalar>,
    known: Option<&Known<P, P::Scalar>>,
    run: &mut Run<'_>,
) -> Result<Reached<P::Scalar>, Error> {
    map.check(points)?;
    let (dim, averages, budget) = (map.dim(), descent.averages(), run.budget());
    let w = match known {
        Some(known) => known.vector.extended(0, averages)?,
        None => Vector::zero(dim, descent.outputs(), averages)?,
    };
    // Exact and approximate features cost the same.
    let task = descent.task().exact_features(dim.max(1));
    let storage =
        descent.storage(&task, Algorithm::FeaturesCached, Algorithm::FeaturesOnTheFly, &budget)?;
    let cached = storage == Storage::Cached;
    let algorithm = if cached { Algorithm::FeaturesCached } else { Algorithm::FeaturesOnTheFly };
    let others = &[Algorithm::FeaturesCached, Algorithm::FeaturesOnTheFly];
    Effort { task, algorithm, others, upper: 0.0 }.check(
        run.predicted_limit(),
        &budget,
        |task| task.measure_exact(map, points),
    )?;
    let stored = match storage {
        Storage::Cached => Some(kern_approx::transform(map, points, &budget)?),
        Storage::Partial => {
            let left = beside_vectors(&budget, points.len(), descent.outputs());
            first_features(map, points, &left)?
        }
        Storage::OnTheFly | Storage::Auto => None,
    };
    let mut iterate = Weights::new(map, points, stored, w)?;
    let outcome = gradient_step::run(descent, &mut iterate, run.watcher())?;
    let vector = iterate.w;
    let w = vector.answer(outcome.averaged);
    let squared_norm = inner(w.as_ref(), w.as_ref());
    let function = FeatureExpansion::new(map, w);
    let values = function.decide(points)?;
    let objective = descent.objective(values.as_ref(), &outcome.intercepts, squared_norm);
    Ok(Reached { vector, outcome, objective, squared_norm })
}

/// Fits on landmarks; the caller adds the kernel to the function.
#[compiled_once]
fn on_landmarks<P: Points>(
    space: &OnLandmarks<&dyn Mercer<P>>,
    points: &P,
    descent: &Descent<'_, P::Scalar>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, ()>, Report), Error> {
    let map = space.features(points, descent.weights(), run)?;
    let reached = reach(&map, points, descent, None, run)?;
    let w = converted(reached.answer().as_ref())?;
    let function = KernelExpansion::of_landmarks(&map, w.as_ref())?;
    let intercepts = reached.intercepts(descent.outputs());
    Ok((function.with_intercepts(intercepts).with_kernel(()), reached.report()))
}

/// The features of the first points, as many as fit the budget.
fn first_features<P: Points>(
    map: &dyn FeatureMap<P>,
    points: &P,
    budget: &MemoryBudget,
) -> Result<Option<Samples<P::Scalar>>, Error> {
    let one = matrix_bytes::<P::Scalar>(map.dim(), 1).max(1);
    let count = usize::try_from(budget.as_bytes() / one).unwrap_or(usize::MAX).min(points.len());
    if count == points.len() {
        return Ok(Some(kern_approx::transform(map, points, budget)?));
    }
    let first: Vec<usize> = (0..count).collect();
    if first.is_empty() {
        return Ok(None);
    }
    Ok(Some(kern_approx::transform(map, &points.select(&first)?, budget)?))
}

struct Weights<'a, P: Points> {
    map: &'a dyn FeatureMap<P>,
    points: &'a P,
    w: Vector<P::Scalar>,
    upcoming: Vec<usize>,
    features: Features<P::Scalar>,
    /// The features of a batch, one sample per column.
    panel: Mat<P::Scalar>,
    deferred: Mat<P::Scalar>,
}

/// Bytes to prefetch: the processor foresees those after them. Measured for 20 to 4000 features,
/// against 512 to 4096 bytes and all bytes.
const BEGINNING: usize = 8192;

/// The features of the upcoming samples.
struct Features<T: Scalar> {
    /// The features of the first points.
    stored: Option<Samples<T>>,
    /// The features that are not stored, one per column.
    computed: Mat<T>,
    /// The location of the features of each upcoming sample.
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Stored(usize),
    Computed(usize),
}

impl<T: Scalar> Features<T> {
    /// Prefetches the features of upcoming sample `b`, if there is one, since samples are not
    /// contiguous.
    fn request(&self, b: usize) {
        if b < self.places.len() {
            prefetch(self.of(b), BEGINNING);
        }
    }

    /// The features of upcoming sample `b`.
    fn of(&self, b: usize) -> &[T] {
        match (self.places[b], &self.stored) {
            (Place::Stored(i), Some(z)) => z.item(i),
            (Place::Stored(i) | Place::Computed(i), _) => self.computed.col_as_slice(i),
        }
    }
}

impl<'a, P: Points> Weights<'a, P> {
    fn new(
        map: &'a dyn FeatureMap<P>,
        points: &'a P,
        stored: Option<Samples<P::Scalar>>,
        w: Vector<P::Scalar>,
    ) -> Result<Self, Error> {
        let dim = w.v.nrows();
        let all = stored.as_ref().is_some_and(|z| z.len() == points.len());
        let computed = zeros(dim, if all { 0 } else { block_size::<P::Scalar>(dim) })?;
        let features = Features { stored, computed, places: Vec::new() };
        let (panel, deferred) = (Mat::new(), Mat::new());
        Ok(Self { map, points, w, upcoming: Vec::new(), features, panel, deferred })
    }

    /// Copies the features of a batch into the panel.
    fn gather(&mut self, batch: Range<usize>) {
        for (column, b) in batch.enumerate() {
            self.panel.col_as_slice_mut(column).copy_from_slice(self.features.of(b));
        }
    }
}

impl<P: Points> Iterate for Weights<'_, P> {
    fn lookahead(&self) -> usize {
        block_size::<P::Scalar>(self.w.v.nrows())
    }

    fn effort(&self) -> usize {
        let (dim, outputs) = self.w.v.shape();
        let computed = if self.features.computed.ncols() == 0 { 0 } else { COMPUTED };
        dim.saturating_mul(outputs.saturating_add(computed))
    }

    fn prepare(&mut self, upcoming: &[usize], batch: usize) -> Result<(), Error> {
        if self.panel.ncols() < batch && batch > 1 {
            self.panel = zeros(self.w.v.nrows(), batch)?;
        }
        self.upcoming.clear();
        self.upcoming.extend_from_slice(upcoming);
        let Features { stored, computed, places } = &mut self.features;
        places.clear();
        let stored = stored.as_ref().map_or(0, Samples::len);
        let mut missing = Vec::new();
        for &i in upcoming {
            if i < stored {
                places.push(Place::Stored(i));
            } else {
                places.push(Place::Computed(missing.len()));
                missing.push(i);
            }
        }
        if !missing.is_empty() {
            let out = computed.subcols_mut(0, missing.len());
            kern_approx::transform_indices_into(self.map, self.points, &missing, out)?;
        }
        Ok(())
    }

    fn predict(&mut self, batch: Range<usize>, margins: &mut [f64]) {
        if batch.len() == 1 {
            let z = self.features.of(batch.start);
            self.features.request(batch.end);
            for (k, margin) in margins.iter_mut().enumerate() {
                *margin = P::Scalar::dot(z, self.w.v.col_as_slice(k)).to_f64();
            }
        } else {
            let count = batch.len();
            self.gather(batch);
            products(self.w.v.as_ref(), self.panel.subcols(0, count), margins);
        }
    }

    fn step(&mut self, batch: Range<usize>, deltas: &[f64], c: f64) {
        let count = batch.len();
        if count > 1 {
            let panel = self.panel.subcols(0, count);
            add_products(self.w.v.as_mut(), panel, deltas, 1.0);
            if let Some(parts) = &mut self.w.parts {
                add_products(parts.as_mut(), panel, deltas, c);
            }
            return;
        }
        self.w.add_multiples(self.features.of(batch.start), deltas, c);
    }

    fn defer(&mut self, batch: Range<usize>, deltas: &[f64]) -> Result<(), Error> {
        if self.deferred.ncols() == 0 {
            self.deferred = zeros(self.w.v.nrows(), self.w.v.ncols())?;
        }
        if batch.len() > 1 {
            let panel = self.panel.subcols(0, batch.len());
            add_products(self.deferred.as_mut(), panel, deltas, 1.0);
        } else {
            let z = self.features.of(batch.start);
            for (k, &delta) in deltas.iter().enumerate() {
                P::Scalar::axpy(P::Scalar::from_f64(delta), z, self.deferred.col_as_slice_mut(k));
            }
        }
        Ok(())
    }

    fn step_deferred(&mut self, factor: f64, c: f64) -> Result<(), Error> {
        self.w.v += Scale(P::Scalar::from_f64(factor)) * &self.deferred;
        if let Some(parts) = &mut self.w.parts {
            *parts += Scale(P::Scalar::from_f64(factor * c)) * &self.deferred;
        }
        self.deferred.fill(P::Scalar::ZERO);
        Ok(())
    }

    fn step_adapted(&mut self, alpha: f64, lambda: f64, c: f64) -> Result<(), Error> {
        let Vector { v, parts, squares, .. } = &mut self.w;
        let squares = match squares {
            Some(squares) => squares,
            none => none.insert(zeros(v.nrows(), v.ncols())?),
        };
        for k in 0..v.ncols() {
            let steps = self.deferred.col_as_slice_mut(k).iter_mut();
            let each = v.col_as_slice_mut(k).iter_mut().zip(steps);
            for ((w, step), square) in each.zip(squares.col_as_slice_mut(k)) {
                let descent = step.to_f64() - lambda * w.to_f64();
                *square += descent * descent;
                // A coordinate whose gradient was always zero does not move.
                let size = if *square > 0.0 { alpha / square.sqrt() } else { 0.0 };
                *step = P::Scalar::from_f64(size * descent);
                *w += *step;
            }
        }
        if let Some(parts) = parts {
            *parts += Scale(P::Scalar::from_f64(c)) * &self.deferred;
        }
        self.deferred.fill(P::Scalar::ZERO);
        Ok(())
    }

    fn square(&self) -> f64 {
        inner(self.w.v.as_ref(), self.w.v.as_ref())
    }

    fn commit(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn margins(&mut self, indices: &[usize], margins: &mut [f64]) -> Result<(), Error> {
        let upcoming = std::mem::take(&mut self.upcoming);
        let outputs = self.w.v.ncols();
        let block = self.lookahead();
        for (indices, margins) in indices.chunks(block).zip(margins.chunks_mut(block * outputs)) {
            self.prepare(indices, indices.len())?;
            self.predict(0..indices.len(), margins);
        }
        // Prepares the samples of the current block again.
        self.prepare(&upcoming, 1)
    }

    fn fold(&mut self, factor: f64, c: f64) {
        self.w.fold(factor, c);
    }

    fn save(&mut self) {
        self.w.save();
    }

    fn restore(&mut self) {
        self.w.restore();
    }
}

/// The smallest number of multiplications per parallel task.
const TASK: usize = 1 << 16;

/// wᵀz for every column of `z`, sample by sample.
fn products<T: Scalar>(w: MatRef<'_, T>, z: MatRef<'_, T>, margins: &mut [f64]) {
    let (dim, outputs) = w.shape();
    let chunk = (TASK / (dim * outputs).max(1)).max(64);
    let tasks = margins.chunks_mut(chunk * outputs).enumerate().collect();
    parallel::for_each_init(tasks, Vec::new, |buffer, (at, margins): (usize, &mut [f64])| {
        let count = margins.len() / outputs;
        buffer.resize(margins.len(), T::ZERO);
        let out = MatMut::from_column_major_slice_mut(buffer, outputs, count);
        let z = z.subcols(at * chunk, count);
        inner_products(out.transpose_mut(), Accum::Replace, z, w, T::ONE);
        margins.iter_mut().zip(&*buffer).for_each(|(margin, value)| *margin = value.to_f64());
    });
}

/// w += c·z·deltas.
fn add_products<T: Scalar>(w: MatMut<'_, T>, z: MatRef<'_, T>, deltas: &[f64], c: f64) {
    let (count, outputs) = (z.ncols(), w.ncols());
    let deltas: Vec<T> = deltas.iter().map(|&delta| T::from_f64(delta)).collect();
    let deltas = MatRef::from_row_major_slice(&deltas, count, outputs);
    let rows = tile_ranges(w.nrows(), (TASK / (count * outputs).max(1)).max(64));
    let tasks = split_rows(w, &rows).into_iter().zip(rows).collect();
    parallel::for_each_init(
        tasks,
        || (),
        |(), (w, rows)| {
            let z = z.subrows(rows.start, rows.len());
            matmul(w, Accum::Add, z, deltas, T::from_f64(c));
        },
    );
}
