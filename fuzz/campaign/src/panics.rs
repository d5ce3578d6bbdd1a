//! Panics as values, with their place.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, Once, PoisonError};

/// A panic that was caught.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panic {
    /// File and line.
    pub(crate) place: String,
    pub(crate) message: String,
}

/// The last panic of any thread: those of a pool are passed on without their place.
static LAST: Mutex<Option<Panic>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// Runs something that may panic.
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Panic> {
    HOOK.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let place = info.location().map_or_else(String::new, ToString::to_string);
            let message = info.payload_as_str().unwrap_or_default().to_owned();
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Panic { place, message });
        }));
    });
    panic::catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| LAST.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default())
}
