//! Two views of the same things: the spaces of their functions, and the points of the second one.

use crate::Targets;
use crate::space::NamedSpace;
use kern_core::parameters::Parameters;
use kern_core::{Points, named_parameters};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The spaces of functions of two views. Hyper-parameters of the one are `first.…`, those of the other `second.…`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Views<S, R> {
    pub(super) first: S,
    pub(super) second: R,
}

named_parameters!(
    [S: Parameters, R: Parameters] Views<S, R> {} with first under "first", second under "second"
);

impl<S: NamedSpace, R: NamedSpace> NamedSpace for Views<S, R> {
    const NAME: &'static str = "Views";
}

/// The points of the second view, as what is known of those of the first: point i belongs to point i.
///
/// # Examples
/// ```
/// use kern_core::Points;
/// use kern_solvers::{Targets, canonical::SecondView};
/// let words = vec!["uno", "due", "tre"];
/// let view = SecondView::new(&words);
/// assert_eq!(view.count(), Some(3));
/// assert_eq!(view.select(&[2, 0]).points(), &["tre", "uno"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SecondView<'y, Q: Clone>(Cow<'y, Q>);

impl<'y, Q: Points + Clone> SecondView<'y, Q> {
    /// These points, one for each of the first view.
    pub const fn new(points: &'y Q) -> Self {
        Self(Cow::Borrowed(points))
    }

    /// The points.
    pub fn points(&self) -> &Q {
        &self.0
    }
}

impl<Q: Points + Clone> Targets for SecondView<'_, Q> {
    fn count(&self) -> Option<usize> {
        Some(self.0.len())
    }

    fn select(&self, indices: &[usize]) -> Self {
        match self.0.select(indices) {
            Ok(points) => Self(Cow::Owned(points)),
            // tidy: allow(panic) because the trait says so: an index is out of bounds.
            Err(error) => panic!("{error}"),
        }
    }
}
