//! Work that is given up in its midst: a fit or a prediction that nobody waits for any more.
//!
//! Solvers ask an observer between their iterations, and return the model reached so far. Here the
//! loops themselves ask, between any two tasks, and nothing is returned: the stack is unwound as by
//! a panic, though without a message, up to [`interruptible`]. So every loop of the library can be
//! left, also those within a factorisation or a tile, and none has to pass an error on.

use crate::Error;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Returns true once the work is to be given up.
type Poll = Arc<dyn Fn() -> bool + Send + Sync>;

thread_local! {
    static POLL: RefCell<Option<Poll>> = const { RefCell::new(None) };
}

/// What is thrown to unwind the stack.
struct Interrupted;

/// Runs `f` until it returns, or until `is_cancelled` returns true: then fails within a fraction of
/// a second, whatever `f` computes with this library.
///
/// `is_cancelled` is called often, from all threads that work for `f`, so it should take less than
/// a microsecond: a load of an atomic flag, or a comparison of times. It is asked between the tasks
/// of parallel loops (tiles of a Gram matrix, panels of a factorisation, chunks of points), also
/// inside [`sequentially`](crate::sequentially), and between the iterations of solvers. One dense
/// eigendecomposition (of 2000 landmarks: seconds) and one call of a kernel of your own run to their
/// end.
///
/// To keep the model reached so far, end the fit by an observer instead (`Run::observer` of
/// `kern-solvers`). What `f` writes to outside of itself stays as it is at the time; models, Gram
/// matrices and pools that it uses remain usable. In a program with `panic = "abort"`, which cannot
/// unwind, `f` runs to its end.
///
/// # Errors
/// [`Error::Interrupted`] if `f` was given up.
///
/// # Panics
/// If `f` panics.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::{DenseGram, Error, MemoryBudget, interruptible};
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// let cancelled = Arc::new(AtomicBool::new(false)); // another thread keeps a clone, and sets it
/// let flag = Arc::clone(&cancelled);
/// let is_cancelled = move || flag.load(Ordering::Relaxed);
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?;
/// let gram = || DenseGram::new(&Rbf::new(0.5)?, &x, &MemoryBudget::mebibytes(1));
/// assert_eq!(interruptible(is_cancelled.clone(), gram)??.as_mat().nrows(), 3);
/// cancelled.store(true, Ordering::Relaxed);
/// assert!(matches!(interruptible(is_cancelled, gram), Err(Error::Interrupted)));
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "cancel")]
pub fn interruptible<R>(
    is_cancelled: impl Fn() -> bool + Send + Sync + 'static,
    f: impl FnOnce() -> R,
) -> Result<R, Error> {
    // Both may have to give up: the work outside asks for what is inside it, too.
    let outer = current();
    let poll: Poll =
        Arc::new(move || is_cancelled() || outer.as_ref().is_some_and(|outer| outer()));
    match catch_unwind(AssertUnwindSafe(|| attached(Some(poll), f))) {
        Ok(result) => Ok(result),
        Err(thrown) if thrown.is::<Interrupted>() => {
            // Further out, if that is where the request comes from.
            poll_now();
            Err(Error::Interrupted)
        }
        Err(panic) => resume_unwind(panic),
    }
}

/// Returns true inside [`interruptible`].
#[must_use]
pub fn is_interruptible() -> bool {
    POLL.with_borrow(Option::is_some)
}

/// Gives the work of the calling thread up if that was requested: for long loops of solvers, which
/// do not consist of parallel ones.
#[inline]
pub fn poll() {
    if is_interruptible() {
        poll_now();
    }
}

#[cold]
#[inline(never)]
fn poll_now() {
    let is_cancelled = current().is_some_and(|poll| poll());
    if is_cancelled && cfg!(panic = "unwind") {
        resume_unwind(Box::new(Interrupted));
    }
}

/// What the calling thread asks, for the threads that it starts.
pub(crate) fn current() -> Option<Poll> {
    POLL.with_borrow(Clone::clone)
}

/// Runs `f`, whose loops ask `poll`.
pub(crate) fn attached<R>(poll: Option<Poll>, f: impl FnOnce() -> R) -> R {
    struct Restore(Option<Poll>);
    impl Drop for Restore {
        fn drop(&mut self) {
            POLL.set(self.0.take());
        }
    }
    let _restore = Restore(POLL.replace(poll));
    f()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::parallel::{for_each_init, map_init, sequentially};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Runs `f` such that the request comes with the given question.
    fn after<R>(questions: usize, f: impl FnOnce() -> R) -> Result<R, Error> {
        let asked = AtomicUsize::new(0);
        interruptible(move || asked.fetch_add(1, Ordering::Relaxed) >= questions, f)
    }

    #[test]
    fn loops_end_wherever_they_are() {
        let done = AtomicUsize::new(0);
        let count = |(): &mut (), _: usize| {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let nested = || {
            let inner = |(): &mut (), _: usize| for_each_init((0..50).collect(), || (), count);
            for_each_init((0..50).collect(), || (), inner);
        };
        for questions in [0, 1, 10, 100] {
            done.store(0, Ordering::Relaxed);
            assert_eq!(after(questions, nested), Err(Error::Interrupted));
            assert!(done.load(Ordering::Relaxed) <= questions);
            assert_eq!(sequentially(|| after(questions, nested)), Err(Error::Interrupted));
        }
        assert!(!is_interruptible());
        assert_eq!(after(10_000, nested), Ok(()));
        assert_eq!(map_init(vec![1, 2], || (), |(), task| 2 * task), [2, 4]);
    }

    #[test]
    fn the_outer_request_ends_both() {
        let nested = || after(usize::MAX, || after(usize::MAX, poll).unwrap());
        assert_eq!(after(0, nested), Err(Error::Interrupted));
        // The inner one ends alone.
        assert_eq!(after(100, || after(0, poll)), Ok(Err(Error::Interrupted)));
    }

    #[test]
    fn a_panic_passes() {
        let panics = || after(10, || std::panic::panic_any("a message"));
        let payload = catch_unwind(panics).map(|_: Result<(), _>| ()).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"a message"));
    }
}
