//! The loop that all ways of SGD share.

use super::iterate::Iterate;
use super::params::Settings;
use super::{Loss, Schedule};
use crate::observe::{Observer, Progress};
use crate::{Error, Status, tolerance};
use faer::MatRef;
use kern_core::Scalar;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What is to be learned, and how long.
#[derive(Debug)]
pub struct Problem<'a, T> {
    targets: MatRef<'a, T>,
    loss: Loss,
    schedule: Schedule,
    lambda: f64,
    iterations: usize,
    seed: u64,
}

/// The outcome of a run, beside the iterate itself.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) iterations: usize,
}

impl<'a, T: Scalar> Problem<'a, T> {
    pub(super) fn new(targets: MatRef<'a, T>, loss: Loss, settings: &Settings) -> Self {
        Self {
            targets,
            loss,
            schedule: settings.schedule,
            lambda: settings.l2,
            iterations: settings.iterations(targets.nrows()),
            seed: settings.seed,
        }
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.targets.ncols()
    }

    /// Runs all steps on `iterate`, which starts at zero.
    pub(super) fn run(
        &self,
        iterate: &mut dyn Iterate,
        mut observer: Option<&mut dyn Observer>,
    ) -> Result<Outcome, Error> {
        let n = self.targets.nrows();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut state = State::new(self.targets.ncols());
        let mut upcoming = Vec::with_capacity(iterate.lookahead());
        let mut t = 0;
        while t < self.iterations {
            let block = iterate.lookahead().min(self.iterations - t);
            upcoming.clear();
            upcoming.extend((0..block).map(|_| rng.random_range(0..n)));
            iterate.prepare(&upcoming)?;
            for (b, &i) in upcoming.iter().enumerate() {
                t += 1;
                self.step(t, (b, i), iterate, &mut state)?;
                if let Some(observer) = observer.as_deref_mut() {
                    state.loss += self.loss_at(i, &state);
                    let done = t == self.iterations;
                    if (done || t % n == 0) && observer.observe(&state.progress(t, self)).is_break()
                    {
                        iterate.scale(state.scale);
                        let status = if done { Status::IterationsDone } else { Status::Stopped };
                        return Ok(Outcome { status, iterations: t });
                    }
                }
            }
        }
        iterate.scale(state.scale);
        Ok(Outcome { status: Status::IterationsDone, iterations: t })
    }

    /// Step `t`, on upcoming sample `b` with index `i`.
    fn step(
        &self,
        t: usize,
        (b, i): (usize, usize),
        iterate: &mut dyn Iterate,
        state: &mut State,
    ) -> Result<(), Error> {
        let step = self.schedule.at(t, self.lambda);
        iterate.predict(b, &mut state.margins);
        for margin in &mut state.margins {
            *margin *= state.scale;
            if !margin.is_finite() {
                return Err(Error::Diverged { iteration: t, step });
            }
        }
        state.decay(1.0 - step * self.lambda, iterate);
        let mut moved = false;
        for (output, delta) in state.deltas.iter_mut().enumerate() {
            let y = self.targets[(i, output)].to_f64();
            *delta = -step * self.loss.derivative(state.margins[output], y) / state.scale;
            moved |= *delta != 0.0;
        }
        if moved {
            iterate.step(b, &state.deltas);
        }
        Ok(())
    }

    /// The loss of sample `i` at the margins before its step.
    fn loss_at(&self, i: usize, state: &State) -> f64 {
        let value =
            |(output, &m): (usize, &f64)| self.loss.value(m, self.targets[(i, output)].to_f64());
        state.margins.iter().enumerate().map(value).sum()
    }

    /// The objective (1/n) Σ ℓ + (λ/2)‖w‖², summed over outputs.
    pub(super) fn objective(&self, fitted: MatRef<'_, T>, squared_norm: f64) -> f64 {
        let (n, outputs) = fitted.shape();
        let loss = |i: usize, j: usize| {
            self.loss.value(fitted[(i, j)].to_f64(), self.targets[(i, j)].to_f64())
        };
        let total: f64 = (0..outputs).flat_map(|j| (0..n).map(move |i| loss(i, j))).sum();
        total / n as f64 + 0.5 * self.lambda * squared_norm
    }
}

/// Σᵢⱼ aᵢⱼbᵢⱼ.
pub(super) fn sum_of_products<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> f64 {
    let product = |i, j| a[(i, j)].to_f64() * b[(i, j)].to_f64();
    (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| product(i, j))).sum()
}

/// What changes from step to step. The iterate is `scale` times what is stored, so that the decay
/// (1 − αλ)·w costs one multiplication.
struct State {
    scale: f64,
    margins: Vec<f64>,
    deltas: Vec<f64>,
    loss: f64,
    reported: usize,
}

impl State {
    fn new(outputs: usize) -> Self {
        let zeros = vec![0.0; outputs];
        Self { scale: 1.0, margins: zeros.clone(), deltas: zeros, loss: 0.0, reported: 0 }
    }

    fn decay(&mut self, factor: f64, iterate: &mut dyn Iterate) {
        self.scale *= factor;
        if self.scale.abs() < tolerance::SMALLEST_SCALE {
            iterate.scale(self.scale);
            self.scale = 1.0;
        }
    }

    fn progress<T: Scalar>(&mut self, t: usize, problem: &Problem<'_, T>) -> Progress {
        let loss = self.loss / (t - self.reported) as f64;
        (self.loss, self.reported) = (0.0, t);
        Progress { iteration: t, total: problem.iterations, loss }
    }
}
