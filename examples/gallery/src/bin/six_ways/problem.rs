//! A learning problem that can be run in each of the six ways.

use anyhow::{Context, Result};
use kern::approx::{FeatureMap, FourierForm, RandomFourier, TensorSketch};
use kern::gram::MemoryBudget;
use kern::kernels::{Polynomial, Rbf};
use kern::solvers::plan::{Algorithm, Machine, Plan};
use kern::solvers::{Data, Learner, Run, Sgd, SgdTask, Storage};
use kern::{Explicit, Mercer, Points, Samples};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

type Map = Box<dyn FeatureMap<Samples<f64>>>;

/// A kernel, its exact features if there are finitely many, and approximate ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Family {
    /// A polynomial kernel of this degree; a tensor sketch with this number of features.
    Polynomial(u32, usize),
    /// The RBF kernel; random Fourier features.
    Rbf(usize),
    /// Random Fourier features that are taken for the exact features of the kernel that they define;
    /// the one exact map here whose features take O(d) each.
    FourierAsExact(usize),
}

/// Points with labels, a kernel and feature maps on them.
pub(crate) struct Problem {
    /// The points.
    pub(crate) points: Samples<f64>,
    labels: Vec<bool>,
    kernel: Box<dyn Mercer<Samples<f64>>>,
    exact: Option<Map>,
    approximate: Option<Map>,
}

impl Problem {
    /// `n` points uniform in the unit cube of R^`dim`, in two classes.
    ///
    /// # Errors
    /// If the kernel has too many features.
    pub(crate) fn new(n: usize, dim: usize, family: Family) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let values: Vec<f64> = (0..n * dim).map(|_| rng.random()).collect();
        let labels = values.chunks(dim).map(|x| x.iter().sum::<f64>() > 0.5 * dim as f64).collect();
        let points = Samples::from_row_major(dim, values)?;
        let gamma = 1.0 / dim as f64;
        let rbf = Rbf::new(gamma)?;
        let fourier = |count: usize| -> Result<Map> {
            let form =
                if count.is_multiple_of(2) { FourierForm::Paired } else { FourierForm::Phase };
            Ok(Box::new(RandomFourier::new(rbf).dim(count).form(form).sample(dim)?))
        };
        Ok(match family {
            Family::Polynomial(degree, count) => {
                let kernel = Polynomial::new(gamma, 0.5, degree)?;
                let exact: Map = Box::new(kernel.feature_map(&points)?);
                let sketch: Map = Box::new(TensorSketch::new(kernel).dim(count).sample(dim)?);
                let (exact, approximate) = (Some(exact), Some(sketch));
                Self { points, labels, kernel: Box::new(kernel), exact, approximate }
            }
            Family::Rbf(count) => {
                let approximate = Some(fourier(count)?);
                Self { points, labels, kernel: Box::new(rbf), exact: None, approximate }
            }
            Family::FourierAsExact(count) => {
                let exact = Some(fourier(count)?);
                Self { points, labels, kernel: Box::new(rbf), exact, approximate: None }
            }
        })
    }

    /// The task that the planner is told: the sizes, and measurements of kernel and features.
    ///
    /// # Errors
    /// None in practice: the points are good.
    pub(crate) fn task(&self, steps: usize) -> Result<SgdTask> {
        let task = SgdTask::new(self.points.len(), self.points.dim(), steps);
        let mut task = task.measure_kernel(&*self.kernel, &self.points)?;
        if let Some(map) = &self.exact {
            task = task.measure_exact(&**map, &self.points)?;
        }
        if let Some(map) = &self.approximate {
            task = task.measure_approximate(&**map, &self.points)?;
        }
        Ok(task)
    }

    /// The plan for so many steps.
    ///
    /// # Errors
    /// None in practice.
    pub(crate) fn plan(
        &self,
        task: &SgdTask,
        budget: &MemoryBudget,
        machine: &Machine,
    ) -> Result<Plan> {
        Ok(task.plan(budget, machine)?)
    }

    /// The number of features of a way; none for those on a kernel.
    #[must_use]
    pub(crate) fn features(&self, algorithm: Algorithm) -> Option<usize> {
        self.map(algorithm).map(FeatureMap::dim)
    }

    fn map(&self, algorithm: Algorithm) -> Option<&dyn FeatureMap<Samples<f64>>> {
        match algorithm {
            Algorithm::FeaturesOnTheFly | Algorithm::FeaturesCached => self.exact.as_deref(),
            Algorithm::ApproximateOnTheFly | Algorithm::ApproximateCached => {
                self.approximate.as_deref()
            }
            _ => None,
        }
    }

    /// Seconds of one fit.
    ///
    /// # Errors
    /// If the way needs features that the problem has not, or the budget is exceeded.
    pub(crate) fn fit(
        &self,
        algorithm: Algorithm,
        steps: usize,
        budget: MemoryBudget,
    ) -> Result<f64> {
        let storage = match algorithm {
            Algorithm::FeaturesCached | Algorithm::GramCached | Algorithm::ApproximateCached => {
                Storage::Cached
            }
            _ => Storage::OnTheFly,
        };
        let data = Data::new(&self.points, &self.labels)?;
        let mut run = Run::new().memory(budget);
        let start = Instant::now();
        if matches!(algorithm, Algorithm::KernelOnTheFly | Algorithm::GramCached) {
            let sgd = Sgd::on_kernel(&*self.kernel).storage(storage).iterations(steps);
            sgd.learn(&data, &mut run)?;
        } else {
            let map = self.map(algorithm).context("there are no such features")?;
            let sgd = Sgd::on_features(map).storage(storage).iterations(steps);
            sgd.learn(&data, &mut run)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }

    /// The least seconds of some fits: of `runs` at least, two or more, since memory that a virtual
    /// machine has not used for a while comes back slowly (measured here: 1 ns per byte, later 0.05);
    /// and of more short ones.
    ///
    /// # Errors
    /// As [`fit`](Problem::fit).
    pub(crate) fn measure(
        &self,
        algorithm: Algorithm,
        steps: usize,
        budget: MemoryBudget,
        runs: usize,
    ) -> Result<f64> {
        /// No further repeat once so many seconds are spent, and repeats at most.
        const SPENT: f64 = 0.05;
        const REPEATS: usize = 7;
        let (mut smallest, mut spent) = (f64::INFINITY, 0.0);
        for repeat in 0..REPEATS {
            if repeat >= runs && spent > SPENT {
                break;
            }
            let seconds = self.fit(algorithm, steps, budget)?;
            smallest = smallest.min(seconds);
            spent += seconds;
        }
        Ok(smallest)
    }
}

/// The operations of a way by the table of costs, whatever a machine makes of them.
#[must_use]
pub(crate) fn nominal(algorithm: Algorithm, [n, d, features, steps]: [usize; 4]) -> f64 {
    let [n, d, features, steps] = [n, d, features, steps].map(|count| count as f64);
    match algorithm {
        Algorithm::FeaturesOnTheFly | Algorithm::ApproximateOnTheFly => d * features * steps,
        Algorithm::FeaturesCached | Algorithm::ApproximateCached => {
            n * d * features + features * steps
        }
        Algorithm::KernelOnTheFly => n * d * steps,
        Algorithm::GramCached => n * n * d + n * steps,
        _ => 0.0,
    }
}
