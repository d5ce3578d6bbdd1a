//! The choice between the exact kernel and landmarks.

use crate::{Method, Task, Training};

/// Landmarks unless they are set.
pub(crate) const LANDMARKS: usize = 1000;

/// Rows up to which the exact kernel is taken: by solvers that need the whole kernel matrix, and by support vector machines,
/// which need the columns of their support vectors. On letters (14,000 rows of 26 classes) a machine on 1000 landmarks
/// takes longer than the exact one and is right less often; of two classes it is faster from here on.
const EXACT: usize = 10_000;
const EXACT_MACHINES: usize = 50_000;

impl Training {
    /// The number of landmarks for so many rows; none for the exact kernel.
    pub(crate) fn landmarks_for(&self, method: Method, rows: usize) -> Option<usize> {
        match (self.landmarks, self.task, method) {
            (Some(0), ..) => None,
            (Some(landmarks), ..) => Some(landmarks),
            (None, Task::Classify, Method::Svm) if rows <= EXACT_MACHINES => None,
            (None, ..) if rows <= EXACT => None,
            (None, ..) => Some(LANDMARKS),
        }
    }

    /// True if this fit may take landmarks where the exact kernel is predicted to take too long.
    pub(crate) fn may_fall_back(&self, method: Method) -> bool {
        let has_landmarks = match self.task {
            Task::Classify => matches!(method, Method::Svm | Method::Logistic),
            Task::Regress => method == Method::Ridge,
            _ => false,
        };
        has_landmarks && self.landmarks.is_none()
    }
}
