//! Runs under the control of Python: Ctrl-C, progress, memory and threads.

use crate::error::value;
use kern_gram::{MemoryBudget, on_pool, sequentially};
use kern_solvers::{Progress, Run};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The interval between checks for signals and between calls of a callback.
const PAUSE: Duration = Duration::from_millis(100);

/// The threads that fits use: those that were set, or those of a forked process.
static THREADS: RwLock<Threads> = RwLock::new(Threads::All);

#[derive(Clone)]
enum Threads {
    /// One thread per core.
    All,
    /// The calling thread only, without a pool.
    One,
    Some(Arc<rayon::ThreadPool>),
}

/// The settings of a run, as Python gives them.
pub(crate) struct Watch {
    pub(crate) memory: Option<u64>,
    pub(crate) callback: Option<Py<PyAny>>,
    /// If true, Ctrl-C ends the fit with the model reached so far instead of an exception.
    pub(crate) keep: bool,
}

/// The memory from this thread's `kernrs.config`, or the free memory.
pub(crate) fn budget(py: Python<'_>) -> PyResult<MemoryBudget> {
    let config = py.import("kernrs._config")?.call_method0("get_config")?;
    let memory: Option<u64> = config.get_item("memory")?.extract()?;
    Ok(memory.map_or_else(MemoryBudget::available, MemoryBudget::bytes))
}

/// Calls `work` while the GIL is released, with a run that checks for signals; an exception from a
/// signal or from the callback ends the work.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    watch: Watch,
    work: impl FnOnce(&mut Run<'_>) -> R + Send,
) -> PyResult<R> {
    let Watch { memory, callback, keep } = watch;
    let mut raised = None;
    let mut last = Instant::now();
    let mut observer = |progress: &Progress| {
        if last.elapsed() < PAUSE {
            return ControlFlow::Continue(());
        }
        last = Instant::now();
        let called = Python::attach(|py| {
            py.check_signals()?;
            match &callback {
                None => Ok(()),
                Some(callback) => {
                    let more = PyDict::new(py);
                    more.set_item("violation", progress.violation)?;
                    more.set_item("tolerance", progress.tolerance)?;
                    more.set_item("fraction", progress.fraction())?;
                    let told = (progress.iteration, progress.total, progress.loss);
                    callback.call(py, told, Some(&more)).map(|_| ())
                }
            }
        });
        match called {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                // Only the first exception is kept.
                raised.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    };
    let result = py.detach(|| {
        let mut run = Run::new().observer(&mut observer);
        if let Some(bytes) = memory {
            run = run.memory(MemoryBudget::bytes(bytes));
        }
        inside(|| work(&mut run))
    });
    match raised {
        Some(error) if keep && error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(result),
        Some(error) => Err(error),
        None => Ok(result),
    }
}

/// Calls `work` while the GIL is released.
pub(crate) fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| inside(work))
}

/// The configured threads.
fn threads() -> Threads {
    THREADS.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Calls `work` on this thread, which receives Python's signals, with loops on the configured
/// threads.
fn inside<R>(work: impl FnOnce() -> R) -> R {
    match threads() {
        Threads::All => work(),
        Threads::One => sequentially(work),
        Threads::Some(pool) => on_pool(&pool, work),
    }
}

/// Sets the number of threads; `None` for the number of cores.
#[pyfunction]
#[pyo3(signature = (threads))]
pub(crate) fn set_threads(threads: Option<usize>) -> PyResult<()> {
    let threads = match threads {
        None => Threads::All,
        Some(0 | 1) => Threads::One,
        Some(threads) => {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            Threads::Some(Arc::new(builder.build().map_err(value)?))
        }
    };
    *THREADS.write().unwrap_or_else(PoisonError::into_inner) = threads;
    Ok(())
}

/// Creates new threads in a forked process, since those of its parent do not exist in it.
#[pyfunction]
pub(crate) fn after_fork(threads: usize) -> PyResult<()> {
    set_threads(Some(threads))
}
