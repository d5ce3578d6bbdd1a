//! The choice between the exact kernel and landmarks.

use crate::{Error, Method, Task, Training};

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
        rows: usize,
        classes: usize,
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

    /// True if there is a fit on landmarks for this task and method.
    fn has_landmarks(&self, method: Method) -> bool {
        match self.task {
            Task::Classify => matches!(method, Method::Svm | Method::Logistic),
            Task::Regress => method == Method::Ridge,
            _ => false,
        }
    }

    /// True if this fit may take landmarks where the exact kernel is predicted to take too long.
    pub(crate) fn may_fall_back(&self, method: Method) -> bool {
        self.has_landmarks(method) && self.landmarks.is_none()
    }

    /// Refuses landmarks for a method that would not take them.
    pub(crate) fn check_landmarks(&self, method: Method) -> Result<(), Error> {
        if self.landmarks.is_some_and(|m| m > 0) && !self.has_landmarks(method) {
            return Err(Error::NotHere(
                "landmarks are for the methods svm and logistic of classes and for ridge of numbers; other fits are \
                 exact: leave landmarks out",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Method, Task, Training};

    #[test]
    fn many_classes_are_learned_exactly_longer_than_two() {
        let of = |training: &Training, method, (rows, classes): (usize, usize)| {
            training.landmarks_for(method, rows, classes)
        };
        let classify = Training::new(Task::Classify);
        assert_eq!(of(&classify, Method::Svm, (14_000, 26)), None);
        assert_eq!(of(&classify, Method::Svm, (14_000, 2)), Some(1000));
        assert_eq!(of(&classify, Method::Svm, (60_000, 26)), Some(1000));
        assert_eq!(of(&classify, Method::Logistic, (14_000, 26)), Some(1000));
        assert_eq!(of(&classify, Method::Svm, (10_000, 2)), None);
        assert_eq!(of(&classify.clone().landmarks(7), Method::Svm, (100, 2)), Some(7));
        assert_eq!(of(&classify.landmarks(0), Method::Svm, (90_000, 2)), None);
    }

    #[test]
    fn landmarks_are_refused_where_there_are_none() {
        let check = |task, method| Training::new(task).landmarks(20).check_landmarks(method);
        assert!(check(Task::Classify, Method::Svm).is_ok());
        assert!(check(Task::Regress, Method::Ridge).is_ok());
        for (task, method) in [
            (Task::Regress, Method::Svm),
            (Task::Classify, Method::Neighbors),
            (Task::Detect, Method::Svm),
        ] {
            assert!(check(task, method).unwrap_err().to_string().contains("leave landmarks out"));
            assert!(Training::new(task).landmarks(0).check_landmarks(method).is_ok());
        }
    }
}
