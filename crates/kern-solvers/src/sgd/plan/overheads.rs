//! The overheads of SGD on this machine.

use super::{SgdTask, cost};
use crate::plan::{Machine, Machines, Way, remembered};
use crate::sgd::iterate::block_size;
use crate::sgd::u_space::computed_block;
use crate::sgd::{Sgd, Storage};
use crate::{Data, Error, Learner, Run};
use kern_approx::machine::{REPEATS, samples};
use kern_core::kernels::Rbf;
use kern_core::{Identity, Points};
use kern_gram::MemoryBudget;
use kern_gram::numerics::stopwatch::fastest;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Steps of the fits whose overhead is timed.
const STEPS: usize = 1 << 13;

/// Machines that were measured as a whole.
static MACHINES: Machines = Mutex::new(BTreeMap::new());

impl Machine {
    /// Measures this machine with the current rayon pool, in less than half a second: with the library's
    /// own loops, and SGD itself on tiny problems.
    ///
    /// What else runs at the time disturbs it; each number is the least of a few.
    ///
    /// # Errors
    /// [`Error::Core`] if the memory for it (300 MiB) is refused.
    ///
    /// # Examples
    /// ```
    /// use kern_solvers::plan::Machine;
    /// assert!(Machine::calibrate()?.double.kernel_value.at(10.0) > 0.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn calibrate() -> Result<Self, Error> {
        let mut machine = Self::calibrate_bare()?;
        overheads(&mut machine)?;
        Ok(machine)
    }

    /// [`calibrate`](Machine::calibrate), once per process and number of threads of the current rayon
    /// pool; later calls return what the first one found.
    ///
    /// It is the one thing that the library remembers between calls. No result depends on it: what a fit chooses by
    /// itself it chooses by [`Machine::NOMINAL`].
    ///
    /// # Errors
    /// As [`calibrate`](Machine::calibrate).
    pub fn this() -> Result<Arc<Self>, Error> {
        remembered(&MACHINES, || {
            let mut machine = *Self::bare()?;
            overheads(&mut machine)?;
            Ok(machine)
        })
    }
}

/// The time of a fit, a step and a block beyond all else: SGD with one feature, and with a kernel.
fn overheads(machine: &mut Machine) -> Result<(), Error> {
    /// Points, of which there must be several tiles so that threads are woken.
    const POINTS: usize = 512;
    let x = samples::<f64>(POINTS, 1)?;
    let labels: Vec<bool> = (0..x.len()).map(|i| i % 2 == 0).collect();
    // Asking the system how much memory there is takes longer than a small fit.
    let run = || Run::new().memory(MemoryBudget::bytes(u64::MAX)).time_limit(None);
    let data = Data::new(&x, &labels)?;
    let w_space = |storage, steps| {
        let sgd = Sgd::on_features(Identity::new(1)).storage(storage).iterations(steps);
        fastest(REPEATS, || sgd.learn(&data, &mut run()))
    };
    let u_space = |steps| {
        let sgd = Sgd::on_kernel(Rbf::new(1.0)?).storage(Storage::OnTheFly).iterations(steps);
        fastest(REPEATS, || sgd.learn(&data, &mut run()))
    };
    let (all, update) = (STEPS as f64, machine.double.update.seconds(0, 1.0));
    let nothing = w_space(Storage::Cached, 1)?;
    let cached = w_space(Storage::Cached, STEPS)? - nothing;
    machine.step = (cached / all - update).max(0.0);
    machine.fit = (nothing - POINTS as f64 * machine.step).max(0.0);
    let fly = w_space(Storage::OnTheFly, STEPS)? - nothing;
    let blocks = all / block_size::<f64>(1) as f64;
    machine.feature_block = ((fly - cached) / blocks).max(0.0);
    let task = SgdTask::new(POINTS, 1, STEPS / 2);
    let predicted = cost::predict(Way::KernelOnTheFly, &task, machine);
    let rest = u_space(STEPS / 2)? - predicted.map_or(0.0, |prediction| prediction.seconds());
    let blocks = all / 2.0 / computed_block(POINTS) as f64;
    machine.kernel_block = (rest / blocks).max(0.0);
    Ok(())
}
