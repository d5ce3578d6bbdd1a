//! Targets: the labels or values to be predicted.

use crate::Error;
use faer::{Mat, MatRef};
use kern_approx::statistics::check_finite;
use kern_core::{Scalar, serde_mat};
use serde::{Deserialize, Serialize};

/// A class label: any type that can be cloned and ordered, such as integers, strings, booleans or
/// an enum.
///
/// # Examples
/// ```
/// fn is_label<L: kern_solvers::Label>() {}
/// is_label::<u8>();
/// is_label::<String>();
/// is_label::<bool>();
/// ```
pub trait Label: Clone + Ord + Send + Sync {}
impl<L: Clone + Ord + Send + Sync> Label for L {}

/// Targets of points, split together with the points. `()` means no targets.
///
/// # Examples
/// ```
/// use kern_solvers::{Labels, Targets};
/// let y = Labels::new(["a", "b", "a"]);
/// assert_eq!(y.select(&[2, 1]).as_slice(), ["a", "b"]);
/// assert_eq!(y.strata(), Some(vec![0, 1, 0]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not targets",
    note = "targets are `Labels`, `Values`, `Outputs`, `LabelSets` or `()`"
)]
pub trait Targets: Clone + Send + Sync {
    /// The number of targets; `None` if they match any number of points.
    fn count(&self) -> Option<usize>;

    /// The targets of the points with these indices, in that order.
    ///
    /// # Panics
    /// If an index is not below the number of points, as indexing a slice does.
    #[must_use]
    fn select(&self, indices: &[usize]) -> Self;

    /// The class index of each point for stratified splits; `None` if there are no classes.
    fn strata(&self) -> Option<Vec<usize>> {
        None
    }

    /// Rejects targets that are non-finite or whose number differs from that of the points.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NotFinite`], [`Error::LabelCount`].
    fn check(&self, points: usize) -> Result<(), Error> {
        self.count().map_or(Ok(()), |given| Error::check_equal("targets", points, given))
    }
}

impl Targets for () {
    fn count(&self) -> Option<usize> {
        None
    }

    fn select(&self, _: &[usize]) {}
}

/// A class label for each point.
///
/// # Examples
/// ```
/// use kern_solvers::Labels;
/// let y = Labels::new(vec![3, 1, 3]);
/// assert_eq!(y.as_slice(), [3, 1, 3]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels<L>(Vec<L>);

impl<L: Label> Labels<L> {
    /// These labels, one per point.
    pub fn new(labels: impl Into<Vec<L>>) -> Self {
        Self(labels.into())
    }

    /// The labels.
    #[must_use]
    pub fn as_slice(&self) -> &[L] {
        &self.0
    }
}

impl<L: Label> Targets for Labels<L> {
    fn count(&self) -> Option<usize> {
        Some(self.0.len())
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self(indices.iter().map(|&i| self.0[i].clone()).collect())
    }

    fn strata(&self) -> Option<Vec<usize>> {
        let mut classes: Vec<&L> = self.0.iter().collect();
        classes.sort();
        classes.dedup();
        let number = |label: &L| classes.partition_point(|class| *class < label);
        Some(self.0.iter().map(number).collect())
    }

    fn check(&self, points: usize) -> Result<(), Error> {
        Error::check_equal("labels", points, self.0.len())
    }
}

/// A value for each point.
///
/// # Examples
/// ```
/// use kern_solvers::Values;
/// let y = Values::new([0.5, 2.0]);
/// assert_eq!(y.as_slice(), [0.5, 2.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Values<T>(Vec<T>);

impl<T: Scalar> Values<T> {
    /// These values, one per point.
    pub fn new(values: impl Into<Vec<T>>) -> Self {
        Self(values.into())
    }

    /// The values.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The values as a matrix with one column.
    #[must_use]
    pub fn as_mat(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice(&self.0, self.0.len(), 1)
    }
}

impl<T: Scalar> Targets for Values<T> {
    fn count(&self) -> Option<usize> {
        Some(self.0.len())
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self(indices.iter().map(|&i| self.0[i]).collect())
    }

    fn check(&self, points: usize) -> Result<(), Error> {
        check_values(points, self.as_mat())
    }
}

/// Several values for each point: points × outputs.
///
/// # Examples
/// ```
/// use kern_core::faer::mat;
/// use kern_solvers::{Outputs, Targets};
/// let y = Outputs::new(mat![[1.0, -1.0], [2.0, -2.0]]);
/// assert_eq!(y.select(&[1]).as_mat(), mat![[2.0, -2.0]]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Outputs<T: Scalar>(#[serde(with = "serde_mat")] Mat<T>);

impl<T: Scalar> Outputs<T> {
    /// These values, one row per point.
    #[must_use]
    pub fn new(outputs: Mat<T>) -> Self {
        Self(outputs)
    }

    /// The values.
    #[must_use]
    pub fn as_mat(&self) -> MatRef<'_, T> {
        self.0.as_ref()
    }
}

impl<T: Scalar> Targets for Outputs<T> {
    fn count(&self) -> Option<usize> {
        Some(self.0.nrows())
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self(Mat::from_fn(indices.len(), self.0.ncols(), |i, j| self.0[(indices[i], j)]))
    }

    fn check(&self, points: usize) -> Result<(), Error> {
        check_values(points, self.as_mat())
    }
}

/// Multi-label targets: whether each point has each label.
///
/// # Examples
/// ```
/// use kern_solvers::LabelSets;
/// let y = LabelSets::new(&[[true, false], [true, true]])?;
/// assert_eq!(y.rows()[1], [true, true]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<bool>>")]
pub struct LabelSets(Vec<Vec<bool>>);

impl TryFrom<Vec<Vec<bool>>> for LabelSets {
    type Error = Error;

    fn try_from(rows: Vec<Vec<bool>>) -> Result<Self, Error> {
        Self::new(&rows)
    }
}

impl LabelSets {
    /// One row per point, with one entry per label.
    ///
    /// # Errors
    /// [`Error::LabelCount`] for rows of different lengths.
    pub fn new(rows: &[impl AsRef<[bool]>]) -> Result<Self, Error> {
        let rows: Vec<Vec<bool>> = rows.iter().map(|row| row.as_ref().to_vec()).collect();
        let expected = rows.first().map_or(0, Vec::len);
        match rows.iter().position(|row| row.len() != expected) {
            Some(point) => Err(Error::LabelCount { point, expected, given: rows[point].len() }),
            None => Ok(Self(rows)),
        }
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Vec<bool>] {
        &self.0
    }
}

impl Targets for LabelSets {
    fn count(&self) -> Option<usize> {
        Some(self.0.len())
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self(indices.iter().map(|&i| self.0[i].clone()).collect())
    }
}

/// Rejects targets that are non-finite or whose number differs from that of the points.
fn check_values<T: Scalar>(points: usize, y: MatRef<'_, T>) -> Result<(), Error> {
    Error::check_equal("targets", points, y.nrows())?;
    Ok(check_finite(y)?)
}

/// A type whose slices can serve as targets: floating-point numbers become [`Values`]; integers,
/// booleans, characters and strings become [`Labels`].
///
/// # Examples
/// A custom label type:
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Labels, Target, svm::Svc};
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// enum Mood { Calm, Wild }
/// impl Target for Mood {
///     type Targets = Labels<Self>;
///     fn gather(moods: &[Self]) -> Labels<Self> {
///         Labels::new(moods)
///     }
/// }
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// let model = Svc::on_kernel(Rbf::new(1.0)?).fit(&x, &[Mood::Calm, Mood::Wild])?;
/// assert_eq!(model.predict(&x)?, [Mood::Calm, Mood::Wild]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "slices of `{Self}` cannot be converted to targets",
    note = "for labels of your own type use `Labels::new(y)`, or implement `Target`"
)]
pub trait Target: Sized {
    /// The type of targets that a slice becomes.
    type Targets: Targets;

    /// Converts a slice to targets.
    fn gather(targets: &[Self]) -> Self::Targets;
}

macro_rules! targets {
    ($($targets:ident: $($item:ty),+;)+) => {$($(
        impl Target for $item {
            type Targets = $targets<Self>;

            fn gather(targets: &[Self]) -> Self::Targets {
                $targets::new(targets)
            }
        }
    )+)+};
}
targets! {
    Labels: bool, char, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, String;
    Values: f32, f64;
}

impl<'s> Target for &'s str {
    type Targets = Labels<&'s str>;

    fn gather(targets: &[Self]) -> Self::Targets {
        Labels::new(targets)
    }
}

/// Conversion to targets: from slices, vectors and arrays of a [`Target`], matrices, and
/// [`Targets`] themselves.
///
/// Values given as literals need a type, `&[5.0_f64, 3.0]`: `f32` and `f64` are both targets, and
/// the compiler does not choose between them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be converted to targets",
    note = "targets are given by reference: a slice, an array or a `Vec` of floats, integers, booleans, characters or \
            strings, or a matrix",
    note = "labels of another type, such as an enum: `Labels::new(y)`, or implement `Target` for it; points without a \
            target must be left out"
)]
pub trait IntoTargets {
    /// The type of the targets.
    type Targets: Targets;

    /// Converts to targets.
    fn into_targets(self) -> Self::Targets;
}

impl<Y: Targets> IntoTargets for Y {
    type Targets = Y;

    fn into_targets(self) -> Y {
        self
    }
}

macro_rules! into_targets {
    ($([$($generics:tt)+] $given:ty => $targets:ty: $from:ident => $into:expr;)+) => {$(
        impl<$($generics)+> IntoTargets for $given {
            type Targets = $targets;

            fn into_targets(self) -> $targets {
                let $from = self;
                $into
            }
        }
    )+};
}
into_targets! {
    [E: Target] &[E] => E::Targets: slice => E::gather(slice);
    [E: Target] &Vec<E> => E::Targets: vector => E::gather(vector);
    [E: Target, const N: usize] &[E; N] => E::Targets: array => E::gather(array);
    [T: Scalar] MatRef<'_, T> => Outputs<T>: outputs => Outputs::new(outputs.to_owned());
    [T: Scalar] &Mat<T> => Outputs<T>: outputs => Outputs::new(outputs.clone());
}
