//! The choice between the exact kernel and landmarks.

use crate::{Error, Method, Task, Training};

/// Default number of landmarks.
pub(crate) const LANDMARKS: usize = 1000;

/// Largest number of rows for which the exact kernel is the default.
const EXACT: usize = 10_000;

/// The same limit for SVMs with many classes: each exact subproblem covers only two classes,
/// whereas one-vs-rest on landmarks uses all landmarks for each class. Measured fit times, exact
/// and with 1000 landmarks: 27 s and 99 s for 14,000 letters in 26 classes (accuracy 0.918 and
/// 0.881), 28 s and 16 s for 20,000 rows in two classes, 172 s and 30 s for 50,000 rows (equal
/// accuracy).
const MOST_EXACT: usize = 50_000;

impl Training {
    /// The number of landmarks for this many rows and classes; `None` for the exact kernel.
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

    /// Returns true if this task and method can be fitted on landmarks.
    fn has_landmarks(&self, method: Method) -> bool {
        match self.task {
            Task::Classify => matches!(method, Method::Svm | Method::Logistic),
            Task::Regress => method == Method::Ridge,
            _ => false,
        }
    }

    /// Returns true if this fit may use landmarks when the exact kernel is predicted to take too
    /// long.
    pub(crate) fn may_fall_back(&self, method: Method) -> bool {
        self.has_landmarks(method) && self.landmarks.is_none()
    }

    /// Rejects landmarks for a method that does not support them.
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
