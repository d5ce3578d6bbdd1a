//! Learning tasks, which the target suggests, and the methods for them.

use crate::Error;
use kern_data::{Column, Values};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::str::FromStr;

/// Largest number of distinct integers that are treated as classes.
const CLASSES: usize = 20;

/// A learning task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Task {
    /// Classification: the target contains classes.
    Classify,
    /// Regression: the target contains numbers.
    Regress,
    /// Novelty detection: whether a row resembles the training rows. There is no target.
    Detect,
    /// Clustering into this number of clusters. There is no target.
    Cluster(usize),
    /// Projection on this number of principal components. There is no target.
    Components(usize),
}

/// A learning method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// A support vector machine: [`Svc`](kern_solvers::svm::Svc), [`Svr`](kern_solvers::svm::Svr),
    /// [`OneClass`](kern_solvers::svm::OneClass).
    Svm,
    /// Logistic regression, with probabilities: [`Logistic`](kern_solvers::logistic::Logistic).
    Logistic,
    /// Ridge regression: [`Ridge`](kern_solvers::ridge::Ridge).
    Ridge,
    /// The k nearest neighbours: [`KNearest`](kern_solvers::knn::KNearest).
    Neighbors,
    /// k-means: [`KMeans`](kern_solvers::kmeans::KMeans).
    KMeans,
    /// Principal components: [`KernelPca`](kern_solvers::components::KernelPca).
    Components,
}

impl Method {
    /// The method with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Self::Svm,
            Self::Logistic,
            Self::Ridge,
            Self::Neighbors,
            Self::KMeans,
            Self::Components,
        ];
        all.into_iter().find(|method| method.name() == name)
    }

    /// The name of the method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Svm => "svm",
            Self::Logistic => "logistic",
            Self::Ridge => "ridge",
            Self::Neighbors => "neighbors",
            Self::KMeans => "k-means",
            Self::Components => "components",
        }
    }
}

impl Task {
    /// The name of the task.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Regress => "regress",
            Self::Detect => "detect",
            Self::Cluster(_) => "cluster",
            Self::Components(_) => "components",
        }
    }

    pub(crate) const fn methods(self) -> &'static [Method] {
        match self {
            Self::Classify => &[Method::Svm, Method::Logistic, Method::Ridge, Method::Neighbors],
            Self::Regress => &[Method::Ridge, Method::Svm, Method::Neighbors],
            Self::Detect => &[Method::Svm],
            Self::Cluster(_) => &[Method::KMeans],
            Self::Components(_) => &[Method::Components],
        }
    }

    pub(crate) const fn allowed(self) -> &'static str {
        match self {
            Self::Classify => "svm, logistic, ridge, neighbors",
            Self::Regress => "ridge, svm, neighbors",
            Self::Detect => "svm",
            Self::Cluster(_) => "k-means",
            Self::Components(_) => "components",
        }
    }

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

    /// Returns true if the task needs targets.
    pub(crate) const fn has_target(self) -> bool {
        matches!(self, Self::Classify | Self::Regress)
    }
}

/// Parses the name of a task: `regress`, `classify`, `detect`, `cluster:K` or `components:K`.
impl FromStr for Task {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let count = |digits: &str| digits.parse().ok().filter(|&count: &usize| count > 0);
        let task = match name.split_once(':') {
            Some(("cluster", digits)) => count(digits).map(Self::Cluster),
            Some(("components", digits)) => count(digits).map(Self::Components),
            Some(_) => None,
            None => match name {
                "regress" => Some(Self::Regress),
                "classify" => Some(Self::Classify),
                "detect" => Some(Self::Detect),
                _ => None,
            },
        };
        task.ok_or_else(|| Error::Setting {
            name: "the task".to_string(),
            given: name.to_string(),
            allowed: "classify, regress, detect, cluster:K or components:K",
        })
    }
}
