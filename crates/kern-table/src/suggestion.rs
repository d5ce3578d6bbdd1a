//! The task suggested by the values of a target: one rule for the command line, Python and Rust.

use crate::Task;
use kern_data::{Column, Values};
use std::collections::HashSet;

/// Largest number of distinct integers that are treated as classes.
const CLASSES: usize = 20;

impl Task {
    /// The task suggested by a target column, and the reason in words.
    ///
    /// Strings and booleans are classes. Integers with at most 20 distinct values are classes, too,
    /// whatever type they are stored as; other numbers, dates, times and durations are regression
    /// targets.
    ///
    /// # Examples
    /// ```
    /// use kern_data::{Column, Values};
    /// use kern_table::Task;
    /// let column = |values| Column { name: "y".into(), values: Values::Numbers(values) };
    /// let (task, reason) = Task::suggested(&column(vec![0.0, 1.0, 2.0, 1.0]));
    /// assert_eq!((task, reason.as_str()), (Task::Classify, "the target has 3 different whole numbers"));
    /// assert_eq!(Task::suggested(&column((0..100).map(f64::from).collect())).0, Task::Regress);
    /// assert_eq!(Task::suggested(&column(vec![0.5, 1.0])).0, Task::Regress);
    /// ```
    #[must_use]
    pub fn suggested(target: &Column) -> (Self, String) {
        let numbers = match &target.values {
            Values::Categories(_) | Values::Texts(_) => {
                return (Self::Classify, "the target has words".to_string());
            }
            Values::Instants(_) => return (Self::Regress, "the target has times".to_string()),
            Values::Durations(_) => return (Self::Regress, "the target has durations".to_string()),
            values => values.reals().unwrap_or_default(),
        };
        let mut different = HashSet::new();
        for number in numbers.iter().filter(|number| !number.is_nan()) {
            if number.fract() != 0.0 {
                return (Self::Regress, "the target has fractions".to_string());
            }
            // 0 and −0 are the same number.
            different.insert((number + 0.0).to_bits());
            if different.len() > CLASSES {
                let reason = format!("the target has more than {CLASSES} different numbers");
                return (Self::Regress, reason);
            }
        }
        let count = different.len();
        (Self::Classify, format!("the target has {count} different whole numbers"))
    }
}
