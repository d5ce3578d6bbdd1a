//! What is to be planned: the sizes of a problem, and the ways to run it.

use crate::Error;
use kern_core::{NonNegative, Positive};
use serde::{Deserialize, Serialize};

/// A way to run SGD.
///
/// # Examples
/// ```
/// use kern_solvers::plan::Way;
/// assert_eq!(Way::GramCached.to_string(), "Gram matrix cached");
/// assert!(Way::GramCached.is_exact() && !Way::ApproximateCached.is_exact());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Way {
    /// Whichever of the others a plan recommends.
    Auto,
    /// w-space; exact features are computed whenever a sample comes up.
    FeaturesOnTheFly,
    /// w-space; the exact features of all points are kept.
    FeaturesCached,
    /// u-space; kernel values are computed whenever a sample comes up.
    KernelOnTheFly,
    /// u-space; the Gram matrix is kept.
    GramCached,
    /// w-space; approximate features are computed whenever a sample comes up.
    ApproximateOnTheFly,
    /// w-space; the approximate features of all points are kept.
    ApproximateCached,
}

impl Way {
    /// All six to choose from, in the order of the table.
    pub const ALL: [Self; 6] = [
        Self::FeaturesOnTheFly,
        Self::FeaturesCached,
        Self::KernelOnTheFly,
        Self::GramCached,
        Self::ApproximateOnTheFly,
        Self::ApproximateCached,
    ];

    /// Whether it learns with the kernel itself. All exact ways give the same model up to rounding.
    #[must_use]
    pub fn is_exact(self) -> bool {
        !matches!(self, Self::Auto | Self::ApproximateOnTheFly | Self::ApproximateCached)
    }

    /// Its name in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "as planned",
            Self::FeaturesOnTheFly => "features on the fly",
            Self::FeaturesCached => "features cached",
            Self::KernelOnTheFly => "kernel on the fly",
            Self::GramCached => "Gram matrix cached",
            Self::ApproximateOnTheFly => "approximate features on the fly",
            Self::ApproximateCached => "approximate features cached",
        }
    }
}

/// The type of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// `f32`, 4 bytes.
    Single,
    /// `f64`, 8 bytes.
    #[default]
    Double,
}

impl Precision {
    /// Bytes per number.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// The precision of the type `T`.
    #[must_use]
    pub const fn of<T>() -> Self {
        if size_of::<T>() == 4 { Self::Single } else { Self::Double }
    }
}

/// The sizes of a problem.
///
/// # Examples
/// ```
/// use kern_solvers::plan::{Precision, Task};
/// let task = Task::new(5000, 10, 100_000) // n points of R^d, T steps
///     .exact_features(66) // of the quadratic kernel
///     .approximate_features(32) // of a sketch of it
///     .outputs(3)
///     .precision(Precision::Single);
/// assert_eq!((task.points(), task.steps()), (5000, 100_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub(super) points: usize,
    pub(super) dim: usize,
    pub(super) steps: usize,
    pub(super) exact: Option<usize>,
    pub(super) approximate: Option<usize>,
    pub(super) outputs: usize,
    pub(super) precision: Precision,
    pub(super) active_share: f64,
    pub(super) approximation_welcome: bool,
    pub(super) kernel: Option<KernelSeconds>,
    pub(super) exact_seconds: Option<f64>,
    pub(super) approximate_seconds: Option<f64>,
}

/// What a kernel was measured to take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KernelSeconds {
    /// Work per point before the first value, such as an embedding.
    pub(super) per_point: f64,
    pub(super) per_value: f64,
    /// Whether that work is kept with the points, see [`Kernel::bind`](kern_core::Kernel::bind).
    pub(super) bound: bool,
}

impl Task {
    /// `points` (n) of dimension `dim` (d), `steps` (T); one output in double precision, and no features.
    #[must_use]
    pub const fn new(points: usize, dim: usize, steps: usize) -> Self {
        Self {
            points,
            dim,
            steps,
            exact: None,
            approximate: None,
            outputs: 1,
            precision: Precision::Double,
            active_share: 1.0,
            approximation_welcome: false,
            kernel: None,
            exact_seconds: None,
            approximate_seconds: None,
        }
    }

    /// n.
    #[must_use]
    pub const fn points(&self) -> usize {
        self.points
    }

    /// T.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// D, the number of features whose inner product is the kernel. Default: the kernel has none.
    #[must_use]
    pub const fn exact_features(mut self, features: usize) -> Self {
        self.exact = Some(features);
        self
    }

    /// D′, the number of features whose inner product approximates the kernel. Default: there are none.
    #[must_use]
    pub const fn approximate_features(mut self, features: usize) -> Self {
        self.approximate = Some(features);
        self
    }

    /// Whether approximate features may be recommended. Default: no, since they change the answer.
    #[must_use]
    pub const fn approximation_welcome(mut self, welcome: bool) -> Self {
        self.approximation_welcome = welcome;
        self
    }

    /// The number of outputs: 1 for a number or two classes, else one per class. Default: 1.
    #[must_use]
    pub const fn outputs(mut self, outputs: usize) -> Self {
        self.outputs = outputs;
        self
    }

    /// The type of the numbers. Default: double.
    #[must_use]
    pub const fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// The share of steps that change the iterate, in \[0, 1\]: 1 for the logistic and the squared loss,
    /// less for the hinge loss, whose derivative is 0 for points beyond the margin. Default: 1.
    #[must_use]
    pub const fn active_share(mut self, share: f64) -> Self {
        self.active_share = share;
        self
    }

    /// Seconds per kernel value, on all threads together, instead of the machine's constants; they are
    /// those of the RBF kernel, and kernels on strings or graphs take a thousand times as long.
    #[must_use]
    pub const fn kernel_seconds(mut self, seconds: f64) -> Self {
        self.kernel = Some(KernelSeconds { per_point: 0.0, per_value: seconds, bound: false });
        self
    }

    /// Seconds for all D features of one point, on all threads together, instead of the machine's constants;
    /// they are those of a random Fourier map.
    #[must_use]
    pub const fn exact_feature_seconds(mut self, seconds: f64) -> Self {
        self.exact_seconds = Some(seconds);
        self
    }

    /// As [`exact_feature_seconds`](Task::exact_feature_seconds), for the D′ approximate features.
    #[must_use]
    pub const fn approximate_feature_seconds(mut self, seconds: f64) -> Self {
        self.approximate_seconds = Some(seconds);
        self
    }

    /// Refuses what makes no sense.
    pub(super) fn check(&self) -> Result<(), Error> {
        let counts = [
            ("the number of points of a task", Some(self.points)),
            ("the dimension of a task", Some(self.dim)),
            ("the number of steps of a task", Some(self.steps)),
            ("the number of outputs of a task", Some(self.outputs)),
            ("the number of exact features", self.exact),
            ("the number of approximate features", self.approximate),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == Some(0)) {
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        NonNegative::new("the share of active steps", self.active_share)?;
        // 1 − share is non-negative too; the message names what was given.
        NonNegative::new("1 - the share of active steps", 1.0 - self.active_share)?;
        if let Some(kernel) = self.kernel {
            NonNegative::new("seconds per point of the kernel", kernel.per_point)?;
            Positive::new("seconds per kernel value", kernel.per_value)?;
        }
        for seconds in [self.exact_seconds, self.approximate_seconds].into_iter().flatten() {
            Positive::new("seconds per point of the features", seconds)?;
        }
        Ok(())
    }
}
