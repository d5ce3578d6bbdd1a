//! Threads: every parallel loop of the library runs on the pool that its caller chose, or on none.
//!
//! Loops run on the current rayon pool: that of `pool.install(|| …)`, else rayon's global one, which
//! has a thread per core and is started by the first loop. Inside [`sequentially`] they run on the
//! calling thread, and no pool is looked at or started. Results have the same bits in all cases.
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_gram::{DenseGram, MemoryBudget, parallel::sequentially};
//! let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?;
//! let gram = || DenseGram::new(&Rbf::new(0.5)?, &x, &MemoryBudget::mebibytes(1));
//! let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
//! let on_two_threads = pool.install(gram)?;
//! let on_this_thread = sequentially(gram)?;
//! assert_eq!(on_two_threads.as_mat(), on_this_thread.as_mat());
//! # Ok::<(), kern_gram::Error>(())
//! ```

use rayon::prelude::*;
use std::cell::Cell;
use std::sync::Mutex;

thread_local! {
    /// True if this thread is inside [`sequentially`].
    static SEQUENTIAL: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` with all loops of the library on the calling thread: for programs that must not start
/// threads, because they fork, are embedded in a host that counts them, or have none.
///
/// The mode is that of the calling thread and ends with `f`, even if that panics. A thread that `f`
/// starts is not in it, nor is a pool that it installs.
///
/// # Examples
/// ```
/// use kern_gram::parallel::{sequentially, threads};
/// assert_eq!(sequentially(threads), 1);
/// ```
pub fn sequentially<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            SEQUENTIAL.set(self.0);
        }
    }
    let _restore = Restore(SEQUENTIAL.replace(true));
    f()
}

/// Runs `f` on a thread of the current pool, or on the calling thread inside [`sequentially`]: for
/// loops that call parallel ones often. A call from outside the pool puts its thread to sleep and
/// wakes others, which takes longer than many a tile; one from inside finds them awake.
///
/// # Examples
/// ```
/// assert_eq!(kern_gram::parallel::in_pool(|| 6 * 7), 42);
/// ```
pub fn in_pool<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    if SEQUENTIAL.get() {
        return f();
    }
    wake(threads());
    rayon::scope(|_| f())
}

/// The most threads of a loop that are woken from outside of the pool: further ones are woken by these.
const WOKEN: usize = 8;

/// Wakes the threads that share a loop, for a caller that is not in the pool. One thread that wakes the next leaves it on
/// its own core, next to an idle one, until the system balances its queues, which takes milliseconds: of two
/// threads on two cores one does all the work of a short fit (0062).
fn wake(workers: usize) {
    if rayon::current_thread_index().is_none() {
        // The loop itself wakes the first.
        (1..workers.min(WOKEN)).for_each(|_| rayon::spawn(|| {}));
    }
}

/// `f` of every task, in the order of the tasks. Each thread hands a state of its own, made by
/// `init`, from task to task; it is for buffers, and results must not depend on it.
///
/// # Examples
/// ```
/// let squares = kern_gram::parallel::map_init(vec![1, 2, 3], || (), |(), task| task * task);
/// assert_eq!(squares, [1, 4, 9]);
/// ```
pub fn map_init<I, S, R>(
    tasks: Vec<I>,
    init: impl Fn() -> S + Send + Sync,
    f: impl Fn(&mut S, I) -> R + Send + Sync,
) -> Vec<R>
where
    I: Send,
    R: Send,
{
    let workers = threads().min(tasks.len());
    if workers < 2 {
        let mut state = init();
        return tasks.into_iter().map(|task| f(&mut state, task)).collect();
    }
    let results: Vec<Option<R>> = tasks.iter().map(|_| None).collect();
    let results = Mutex::new(results);
    let queue = Mutex::new(tasks.into_iter().enumerate());
    let next = || queue.lock().ok()?.next();
    // One state per thread, however rayon would split the tasks: states hold buffers, and fresh
    // memory is dear.
    let work = || {
        let mut state = None;
        while let Some((i, task)) = next() {
            let result = f(state.get_or_insert_with(&init), task);
            // A lock fails where another thread has panicked, and then there will be no results.
            if let Ok(mut results) = results.lock() {
                results[i] = Some(result);
            }
        }
    };
    on_threads(workers, &work);
    results.into_inner().unwrap_or_default().into_iter().flatten().collect()
}

/// Runs `work` on so many threads of the pool at once. Not generic: what rayon makes of a loop is
/// compiled once, not for every loop of the library (40 % of the code of the tests of the solvers).
fn on_threads(workers: usize, work: &(dyn Fn() + Sync)) {
    wake(workers);
    (0..workers).into_par_iter().with_max_len(1).for_each(|_| work());
}

/// [`map_init`] for tasks without a result.
///
/// # Examples
/// ```
/// let mut values = [1, 2, 3];
/// let tasks = values.iter_mut().collect();
/// kern_gram::parallel::for_each_init(tasks, || (), |(), value| *value *= 10);
/// assert_eq!(values, [10, 20, 30]);
/// ```
pub fn for_each_init<I: Send, S>(
    tasks: Vec<I>,
    init: impl Fn() -> S + Send + Sync,
    f: impl Fn(&mut S, I) + Send + Sync,
) {
    map_init(tasks, init, f);
}

/// The number of threads that loops of the library have here: those of the current rayon pool; one inside [`sequentially`].
///
/// # Examples
/// ```
/// use kern_gram::parallel::{sequentially, threads};
/// assert_eq!(sequentially(threads), 1);
/// ```
#[must_use]
pub fn threads() -> usize {
    if SEQUENTIAL.get() { 1 } else { rayon::current_num_threads() }
}
