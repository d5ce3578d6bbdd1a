//! Runs under the control of Python: Ctrl-C, progress, memory and threads.

use crate::error::value;
use kern_gram::{MemoryBudget, interruptible, on_pool, sequentially};
use kern_solvers::{Progress, Run};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, ThreadId};
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

/// What ends work for Python: an exception of a signal or of a callback.
struct Signals {
    /// The thread that Python calls the handlers of signals on, if it is its main thread.
    caller: ThreadId,
    /// The time of the last check.
    checked: Mutex<Instant>,
    raised: Mutex<Option<PyErr>>,
}

impl Signals {
    fn new() -> Arc<Self> {
        let (caller, checked) = (thread::current().id(), Mutex::new(Instant::now()));
        Arc::new(Self { caller, checked, raised: Mutex::new(None) })
    }

    /// Keeps the first exception only.
    fn raise(&self, error: PyErr) {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn take(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns true after an exception, having asked Python if the last time is long ago.
    fn have_arrived(&self) -> bool {
        if thread::current().id() == self.caller {
            let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
            if checked.elapsed() >= PAUSE {
                *checked = Instant::now();
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    self.raise(error);
                }
            }
        }
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Calls `work` while the GIL is released, with a run that checks for signals; an exception from a
/// signal or from the callback ends the work.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    watch: Watch,
    work: impl FnOnce(&mut Run<'_>) -> R + Send,
) -> PyResult<R> {
    let Watch { memory, callback, keep } = watch;
    let signals = Signals::new();
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
                signals.raise(error);
                ControlFlow::Break(())
            }
        }
    };
    let fit = || {
        let mut run = Run::new().observer(&mut observer);
        if let Some(bytes) = memory {
            run = run.memory(MemoryBudget::bytes(bytes));
        }
        inside(|| work(&mut run))
    };
    // A model to keep is reached only by way of the observer.
    let result = match keep {
        true => Ok(py.detach(fit)),
        false => interrupted_by(&signals, py, fit),
    };
    match signals.take() {
        Some(error) if keep && error.is_instance_of::<PyKeyboardInterrupt>(py) => result,
        Some(error) => Err(error),
        None => result,
    }
}

/// Calls `work` while the GIL is released.
pub(crate) fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| inside(work))
}

/// As [`detached`], but an exception from a signal ends the work: for work that changes no object.
pub(crate) fn with_signals<R: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let signals = Signals::new();
    let result = interrupted_by(&signals, py, || inside(work));
    signals.take().map_or(result, Err)
}

fn interrupted_by<R: Send>(
    signals: &Arc<Signals>,
    py: Python<'_>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let signals = Arc::clone(signals);
    py.detach(|| interruptible(move || signals.have_arrived(), work)).map_err(value)
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
