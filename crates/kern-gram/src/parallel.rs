//! Threads: every parallel loop of the library runs on the pool that the caller selects, or on the
//! calling thread.
//!
//! Loops run on the pool of [`on_pool`], else on the current rayon pool: that of
//! `pool.install(|| …)`, else rayon's global one, which has one thread per core and is started by
//! the first loop. A caller that is not a thread of the pool works instead of one of its threads.
//! Inside [`sequentially`] loops run on the calling thread, and no pool is used or started. Results
//! have the same bits in all cases.
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_gram::{DenseGram, MemoryBudget, on_pool, sequentially};
//! use std::sync::Arc;
//! let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?;
//! let gram = || DenseGram::new(&Rbf::new(0.5)?, &x, &MemoryBudget::mebibytes(1));
//! let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
//! let on_two_threads = on_pool(&pool, gram)?;
//! let on_this_thread = sequentially(gram)?;
//! assert_eq!(on_two_threads.as_mat(), on_this_thread.as_mat());
//! # Ok::<(), kern_gram::Error>(())
//! ```

use crate::interrupt;
use rayon::prelude::*;
use rayon::{Scope, ThreadPool};
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::vec;

/// The threads that the loops of a caller run on.
#[derive(Clone)]
enum Threads {
    /// All of the current rayon pool.
    Current,
    /// The caller, which is inside [`sequentially`].
    Own,
    /// All of this pool: the caller is inside [`on_pool`].
    Pool(Arc<ThreadPool>),
}

thread_local! {
    static THREADS: RefCell<Threads> = const { RefCell::new(Threads::Current) };
}

/// Runs `f` with the loops of the calling thread on these threads, until it returns or panics.
fn with<R>(threads: Threads, f: impl FnOnce() -> R) -> R {
    struct Restore(Threads);
    impl Drop for Restore {
        fn drop(&mut self) {
            THREADS.set(self.0.clone());
        }
    }
    let _restore = Restore(THREADS.replace(threads));
    f()
}

/// Runs `f` with all loops of the library on the calling thread: for programs that must not start
/// threads, because they fork, are embedded in a host that counts them, or have none.
///
/// The mode applies to the calling thread and ends with `f`, even if that panics. It applies
/// neither to threads that `f` starts, nor to a pool that it installs.
///
/// # Examples
/// ```
/// use kern_gram::parallel::{sequentially, threads};
/// assert_eq!(sequentially(threads), 1);
/// ```
pub fn sequentially<R>(f: impl FnOnce() -> R) -> R {
    with(Threads::Own, f)
}

/// Runs `f` on the calling thread, with all loops of the library on this pool. The caller works on
/// them instead of one of the pool's threads, so that no more threads work than the pool has.
///
/// `pool.install(f)` moves `f` to a thread of the pool; after a busy caller, the pool's threads may
/// then share one core for milliseconds, next to an idle one. As with [`sequentially`], the mode
/// applies to the calling thread, and the innermost of both takes effect.
///
/// # Examples
/// ```
/// use kern_gram::parallel::{on_pool, sequentially, threads};
/// let pool = std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap());
/// assert_eq!(on_pool(&pool, || (threads(), sequentially(threads))), (3, 1));
/// ```
pub fn on_pool<R>(pool: &Arc<ThreadPool>, f: impl FnOnce() -> R) -> R {
    with(Threads::Pool(Arc::clone(pool)), f)
}

/// Applies `f` to every task and returns the results in the order of the tasks. Each thread passes
/// a state of its own, created by `init`, from task to task; it is meant for buffers, and results
/// must not depend on it.
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
    let poll = interrupt::current();
    let results = Results::new(tasks.len());
    let queue = Queue::new(tasks);
    // One state per thread, however rayon would split the tasks: states hold buffers, and fresh
    // memory is expensive.
    let work = || {
        let mut next = queue.next();
        if next.is_none() {
            return;
        }
        let mut state = init();
        while let Some((i, task)) = next {
            interrupt::poll();
            results.put(i, f(&mut state, task));
            next = queue.next();
        }
    };
    match poll {
        None => on_threads(workers, &work),
        poll => on_threads(workers, &|| interrupt::attached(poll.clone(), &work)),
    }
    results.into_vec()
}

/// A queue from which threads take tasks one by one. Code that depends on the type of tasks only is
/// compiled once for each type, and not for every loop; the same holds for [`Results`]
/// (`docs/decisions/compile-time.md`).
struct Queue<I> {
    tasks: Mutex<vec::IntoIter<I>>,
    count: usize,
}

impl<I> Queue<I> {
    fn new(tasks: Vec<I>) -> Self {
        Self { count: tasks.len(), tasks: Mutex::new(tasks.into_iter()) }
    }

    /// The next task and its index.
    #[inline(never)]
    fn next(&self) -> Option<(usize, I)> {
        let mut tasks = self.tasks.lock().ok()?;
        let i = self.count - tasks.len();
        tasks.next().map(|task| (i, task))
    }
}

/// The results of tasks in their order, stored by any thread: for [`map_init`], and for loops that
/// find some results in one pass and the others in the next.
///
/// # Examples
/// ```
/// let results = kern_gram::parallel::Results::new(2);
/// results.put(1, "b");
/// results.put(0, "a");
/// assert_eq!(results.into_vec(), ["a", "b"]);
/// ```
#[derive(Debug)]
pub struct Results<R>(Mutex<Vec<Option<R>>>);

impl<R> Results<R> {
    /// Room for `count` results.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let mut none = Vec::with_capacity(count);
        none.resize_with(count, || None);
        Self(Mutex::new(none))
    }

    /// Stores result `i`, replacing an earlier one.
    ///
    /// # Panics
    /// If `i` is out of bounds.
    #[inline(never)]
    pub fn put(&self, i: usize, result: R) {
        // Locking fails only after another thread has panicked, and then there are no results.
        if let Ok(mut results) = self.0.lock() {
            results[i] = Some(result);
        }
    }

    /// All stored results; empty if a thread has panicked while it stored one.
    #[must_use]
    pub fn into_vec(self) -> Vec<R> {
        let results = self.0.into_inner().unwrap_or_default();
        let mut all = Vec::with_capacity(results.len());
        for result in results {
            all.extend(result);
        }
        all
    }
}

/// Runs `work` on `workers` threads at once. Not generic: rayon's code for a loop is compiled once,
/// not for every loop of the library (40 % of the code of the tests of the solvers).
fn on_threads(workers: usize, work: &(dyn Fn() + Sync)) {
    if workers < 2 {
        return work();
    }
    let seats = Seats::new(workers, work);
    match THREADS.with_borrow(Clone::clone) {
        Threads::Pool(pool) => pool.in_place_scope(|scope| seats.fill(scope)),
        _ if rayon::current_thread_index().is_some() => {
            (0..workers).into_par_iter().with_max_len(1).for_each(|_| work());
        }
        _ => rayon::in_place_scope(|scope| seats.fill(scope)),
    }
}

/// The largest number of threads that a caller outside of the pool wakes itself; further ones are
/// woken by these.
const CALLED: usize = 8;

/// Number of times that a caller yields before it sleeps, since waking up takes longer than many
/// loops do.
const YIELDS: usize = 64;

/// Seats for the threads of a loop that starts outside of the pool. The caller takes one and works
/// at once. A thread of the pool that it wakes may be scheduled on the caller's own core, next to
/// an idle one, for milliseconds, so one more thread is woken than there are seats, and the last to
/// arrive finds none (`docs/decisions/threads.md`).
struct Seats<'w> {
    work: &'w (dyn Fn() + Sync),
    seats: usize,
    taken: AtomicUsize,
    /// Threads that were woken and have finished.
    gone: AtomicUsize,
}

impl<'w> Seats<'w> {
    fn new(seats: usize, work: &'w (dyn Fn() + Sync)) -> Self {
        Self { work, seats, taken: AtomicUsize::new(0), gone: AtomicUsize::new(0) }
    }

    /// Wakes threads of a pool, and works until nothing is left to do; the scope ends when the last
    /// of them has finished.
    fn fill<'s>(&'s self, scope: &Scope<'s>) {
        for first in 0..self.seats.min(CALLED) {
            scope.spawn(move |scope| {
                let further = (first..self.seats).step_by(CALLED).skip(1);
                further.for_each(|_| scope.spawn(|_| self.come()));
                self.come();
            });
        }
        self.sit();
        let waiting = |_: &usize| self.gone.load(Ordering::Acquire) < self.seats;
        (0..YIELDS).take_while(waiting).for_each(|_| thread::yield_now());
    }

    /// Runs on a woken thread.
    fn come(&self) {
        self.sit();
        self.gone.fetch_add(1, Ordering::Release);
    }

    fn sit(&self) {
        if self.taken.fetch_add(1, Ordering::Relaxed) < self.seats {
            (self.work)();
        }
    }
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

/// The number of threads that loops use here: those of the pool of [`on_pool`], or of the current
/// rayon pool; one inside [`sequentially`].
///
/// # Examples
/// ```
/// use kern_gram::parallel::{sequentially, threads};
/// assert_eq!(sequentially(threads), 1);
/// ```
#[must_use]
pub fn threads() -> usize {
    THREADS.with_borrow(|threads| match threads {
        Threads::Current => rayon::current_num_threads(),
        Threads::Own => 1,
        Threads::Pool(pool) => pool.current_num_threads(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Seats, for_each_init};
    use std::panic::catch_unwind;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_seat_is_taken_once_and_whoever_comes_last_finds_none() {
        for seats in [2, 8, 9, 30] {
            let taken = AtomicUsize::new(0);
            let work = || {
                taken.fetch_add(1, Ordering::Relaxed);
            };
            let table = Seats::new(seats, &work);
            rayon::in_place_scope(|scope| table.fill(scope));
            assert_eq!(taken.load(Ordering::Relaxed), seats);
            assert_eq!(table.gone.load(Ordering::Relaxed), seats, "one more than are missing");
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_the_pool_in_order() {
        let unlucky = |(): &mut (), task: usize| assert!(task != 7, "unlucky");
        let run = || for_each_init((0..20).collect(), || (), unlucky);
        assert!(catch_unwind(run).is_err());
        let sum = AtomicUsize::new(0);
        for_each_init(
            (0..20).collect(),
            || (),
            |(), task| {
                sum.fetch_add(task, Ordering::Relaxed);
            },
        );
        assert_eq!(sum.into_inner(), 190);
    }
}
