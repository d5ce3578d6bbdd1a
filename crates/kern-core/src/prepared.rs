//! What kernels keep of the points of a model.

use std::any::Any;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// What a kernel computed of a collection once and for all, such as embeddings:
/// [`Kernel::prepare`](crate::Kernel::prepare) returns it, a model keeps it with its points, and
/// [`Kernel::bind`](crate::Kernel::bind) uses it for the columns.
///
/// # Examples
/// ```
/// use kern_core::{Binding, Kernel, Scratch, faer::Mat, kernels::Spectrum};
/// let (kernel, words) = (Spectrum::new(1)?, vec!["gram", "kernel"]);
/// let prepared = Kernel::<Vec<&str>>::prepare(&kernel, &words).ok_or("it has embeddings")?;
/// let (query, mut out) = (vec!["grammar"], Mat::zeros(1, 2));
/// let binding = Binding::prepared(&kernel, &query, &words, Some(&prepared));
/// binding.block(0..1, 0..2, out.as_mut(), &mut Scratch::new());
/// assert_eq!((out[(0, 0)], out[(0, 1)]), (7.0, 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Prepared(Kept);

#[derive(Clone)]
enum Kept {
    Data(Arc<dyn Any + Send + Sync>),
    /// Of the parts of a closure rule.
    Parts(Vec<Option<Prepared>>),
}

impl Prepared {
    /// Wraps the data of one kernel.
    pub fn new(data: impl Any + Send + Sync) -> Self {
        Self(Kept::Data(Arc::new(data)))
    }

    /// Wraps what the parts of a composite kernel prepared; `None` if none of them did.
    pub fn of_parts(parts: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let parts: Vec<_> = parts.into_iter().collect();
        parts.iter().any(Option::is_some).then_some(Self(Kept::Parts(parts)))
    }

    /// The data, if they have this type.
    #[must_use]
    pub fn data<D: Any>(&self) -> Option<&D> {
        match &self.0 {
            Kept::Data(data) => data.downcast_ref(),
            Kept::Parts(_) => None,
        }
    }

    /// What part `i` of a composite kernel prepared.
    #[must_use]
    pub fn part(&self, i: usize) -> Option<&Self> {
        match &self.0 {
            Kept::Data(_) => None,
            Kept::Parts(parts) => parts.get(i)?.as_ref(),
        }
    }
}

/// The data do not change, so a panic leaves them as they are.
impl UnwindSafe for Prepared {}
impl RefUnwindSafe for Prepared {}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}
