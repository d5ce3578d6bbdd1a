//! The choice between the exact kernel and landmarks.

use crate::{Method, Task, Training};

/// Landmarks unless they are set.
pub(crate) const LANDMARKS: usize = 1000;

/// Rows up to which the exact kernel is taken.
const EXACT: usize = 10_000;

/// The same for support vector machines of many classes, whose exact problems are of two classes each, while each class
/// against the rest goes through all landmarks. Measured in seconds, exact and on 1000 landmarks: 27 and 99 of 14,000 letters
/// in 26 classes (right: 0.918 and 0.881), 28 and 16 of 20,000 rows in two classes, 172 and 30 of 50,000 (both alike).
const MOST_EXACT: usize = 50_000;

impl Training {
    /// The number of landmarks for so many rows and classes; none for the exact kernel.
    pub(crate) fn landmarks_for(
        &self,
        method: Method,
        (rows, classes): (usize, usize),
    ) -> Option<usize> {
        let machines = (EXACT / 2).saturating_mul(classes).clamp(EXACT, MOST_EXACT);
        match (self.landmarks, self.task, method) {
            (Some(0), ..) => None,
            (Some(landmarks), ..) => Some(landmarks),
            (None, Task::Classify, Method::Svm) if rows <= machines => None,
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

#[cfg(test)]
mod tests {
    use crate::{Method, Task, Training};

    #[test]
    fn many_classes_are_learned_exactly_longer_than_two() {
        let of = |training: &Training, method, sizes| training.landmarks_for(method, sizes);
        let classify = Training::new(Task::Classify);
        assert_eq!(of(&classify, Method::Svm, (14_000, 26)), None);
        assert_eq!(of(&classify, Method::Svm, (14_000, 2)), Some(1000));
        assert_eq!(of(&classify, Method::Svm, (60_000, 26)), Some(1000));
        assert_eq!(of(&classify, Method::Logistic, (14_000, 26)), Some(1000));
        assert_eq!(of(&classify, Method::Svm, (10_000, 2)), None);
        assert_eq!(of(&classify.clone().landmarks(7), Method::Svm, (100, 2)), Some(7));
        assert_eq!(of(&classify.landmarks(0), Method::Svm, (90_000, 2)), None);
    }
}
