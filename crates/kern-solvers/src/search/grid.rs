//! The candidates of a search: a grid or random draws of hyper-parameter values.
//!
//! An [`Axis`] holds the values of one hyper-parameter, by default those of [`ranges()`]. A grid
//! consists of all combinations of the points of all axes, with the last axis varying fastest;
//! random draws are independent of each other.

use crate::Error;
use kern_core::Finite;
use kern_core::parameters::{Parameters, Setting};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The largest number of values on an axis, beyond any practical search.
const MOST_VALUES: usize = 1_000_000;

/// The largest number of candidates.
const MOST_CANDIDATES: usize = 1_000_000;

/// The default range of C of SVMs and of λ of regressions.
const COSTS: (f64, f64) = (0.1, 1000.0);
const PENALTIES: (f64, f64) = (1e-7, 0.1);

/// The values of a hyper-parameter in a search: a list, or a range.
///
/// A grid uses all entries of a list or the points of a range, including both ends; a random search
/// draws from the list, or anywhere in the range.
///
/// # Examples
/// ```
/// use kern_core::parameters::Setting;
/// use kern_solvers::search::Axis;
/// assert_eq!(Axis::log(0.25, 4.0, 3).points()?, [0.25, 1.0, 4.0].map(Setting::Real));
/// assert_eq!(Axis::from([3_usize, 5]).points()?, [3, 5].map(Setting::Count));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Axis {
    /// These values.
    List(Vec<Setting>),
    /// Values in a range.
    Range(Range),
}

/// A range of values with linear or logarithmic spacing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The smallest value.
    pub smallest: f64,
    /// The largest value.
    pub largest: f64,
    /// The number of points of a grid.
    pub count: usize,
    /// True for logarithmic spacing.
    pub log: bool,
}

impl<S: Into<Setting>> From<Vec<S>> for Axis {
    fn from(list: Vec<S>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl<S: Into<Setting>, const N: usize> From<[S; N]> for Axis {
    fn from(list: [S; N]) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl Axis {
    /// `count` values from `smallest` to `largest` with logarithmic spacing.
    #[must_use]
    pub const fn log(smallest: f64, largest: f64, count: usize) -> Self {
        Self::Range(Range { smallest, largest, count, log: true })
    }

    /// `count` values from `smallest` to `largest` with linear spacing.
    #[must_use]
    pub const fn linear(smallest: f64, largest: f64, count: usize) -> Self {
        Self::Range(Range { smallest, largest, count, log: false })
    }

    /// The points of a grid on this axis.
    ///
    /// # Errors
    /// [`Error::Count`] for no points or more than 10⁶; [`Error::Core`] for range ends that are not
    /// finite, in the wrong order, or not positive on a logarithmic scale.
    pub fn points(&self) -> Result<Vec<Setting>, Error> {
        self.check()?;
        Ok(match self {
            Self::List(list) => list.clone(),
            Self::Range(range) => (0..range.count).map(|i| range.point(i)).collect(),
        })
    }

    /// A value drawn uniformly from the list, or on the scale of the range.
    fn draw(&self, rng: &mut impl Rng) -> Setting {
        match self {
            Self::List(list) => list[rng.random_range(0..list.len())].clone(),
            Self::Range(range) => Setting::Real(range.at(rng.random())),
        }
    }

    /// Checks the axis as [`points`](Axis::points) does, without computing the points.
    fn check(&self) -> Result<(), Error> {
        let given = match self {
            Self::List(list) => list.len(),
            Self::Range(range) => {
                range.check()?;
                range.count
            }
        };
        match given {
            1..=MOST_VALUES => Ok(()),
            _ => {
                let (name, allowed) = ("the number of values", "from 1 to 1000000");
                Err(Error::Count { name, given, allowed })
            }
        }
    }
}

impl Range {
    fn check(&self) -> Result<(), Error> {
        let smallest = Finite::new("the least value of a range", self.smallest)?.get();
        let largest = Finite::new("the greatest value of a range", self.largest)?.get();
        let refused =
            |name, given, allowed| Err(kern_core::Error::Parameter { name, given, allowed }.into());
        if self.log && smallest <= 0.0 {
            return refused("the least value of a logarithmic range", smallest, "greater than 0");
        }
        if smallest > largest {
            return refused("the greatest value of a range", largest, "at least the least one");
        }
        Ok(())
    }

    /// A point of the grid; the ends are exact.
    fn point(&self, i: usize) -> Setting {
        let last = self.count - 1;
        Setting::Real(match i {
            0 => self.smallest,
            _ if i == last => self.largest,
            _ => self.at(i as f64 / last as f64),
        })
    }

    /// The value at this fraction of the scale.
    fn at(&self, share: f64) -> f64 {
        let between = |a: f64, b: f64| (1.0 - share) * a + share * b;
        if self.log {
            // Powers of ten are exact in this form.
            10.0_f64.powf(between(self.smallest.log10(), self.largest.log10()))
        } else {
            between(self.smallest, self.largest)
        }
    }
}

/// The important hyper-parameters of a learner with ranges worth searching: C, λ, numbers of
/// neighbours, and kernel scales and degrees relative to their present values. The kernel should
/// therefore have the scale of the data, as found by
/// [`median_gamma`](kern_core::bandwidth::median_gamma).
///
/// # Examples
/// ```
/// use kern_core::kernels::Rbf;
/// use kern_solvers::search::ranges;
/// use kern_solvers::svm::Svc;
/// let ranges = ranges(&Svc::on_kernel(Rbf::new(0.5)?));
/// let names: Vec<&str> = ranges.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names, ["c", "kernel.gamma"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[must_use]
pub fn ranges(learner: &impl Parameters) -> Vec<(String, Axis)> {
    let named = |parameter: kern_core::parameters::Parameter| {
        let axis = axis(&parameter.name, &parameter.value)?;
        Some((parameter.name.to_string(), axis))
    };
    learner.parameters().into_iter().filter_map(named).collect()
}

/// The range of a hyper-parameter worth searching; `None` if it is unimportant.
fn axis(name: &str, value: &Setting) -> Option<Axis> {
    let last = name.rsplit('.').next()?;
    let around = |factor: f64, count| {
        let value = value.as_f64().filter(|value| *value > 0.0)?;
        Some(Axis::log(value / factor, value * factor, count))
    };
    match (last, name.contains("kernel")) {
        ("c", false) => Some(Axis::log(COSTS.0, COSTS.1, 5)),
        ("lambda", false) => Some(Axis::log(PENALTIES.0, PENALTIES.1, 7)),
        ("neighbors", false) => Some(Axis::from(vec![1_usize, 3, 5, 9, 15, 25])),
        ("gamma", true) => around(16.0, 5),
        ("length_scale", true) => around(4.0, 5),
        ("k" | "p" | "d", true) => Some(Axis::from(vec![2_usize, 3, 4, 5])),
        _ => None,
    }
}

/// The search strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Strategy {
    /// All combinations of points.
    #[default]
    Grid,
    /// Random draws.
    Random { draws: usize, seed: u64 },
}

/// All candidates, each with a value for every axis. The last axis varies fastest.
pub(super) fn candidates(
    strategy: Strategy,
    axes: &[(String, Axis)],
) -> Result<Vec<Vec<Setting>>, Error> {
    axes.iter().try_for_each(|(_, axis)| axis.check())?;
    match strategy {
        Strategy::Grid => grid(axes),
        Strategy::Random { draws, seed } => {
            check_count(Some(draws))?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut draw = || axes.iter().map(|(_, axis)| axis.draw(&mut rng)).collect();
            Ok((0..draws).map(|_| draw()).collect())
        }
    }
}

fn grid(axes: &[(String, Axis)]) -> Result<Vec<Vec<Setting>>, Error> {
    let points: Vec<Vec<Setting>> =
        axes.iter().map(|(_, axis)| axis.points()).collect::<Result<_, _>>()?;
    check_count(points.iter().try_fold(1_usize, |count, points| count.checked_mul(points.len())))?;
    let mut all = vec![Vec::with_capacity(axes.len())];
    for points in points {
        let longer = |begun: &Vec<Setting>| {
            let begun = begun.clone();
            points.iter().map(move |point| [&begun[..], std::slice::from_ref(point)].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

fn check_count(count: Option<usize>) -> Result<(), Error> {
    match count {
        Some(1..=MOST_CANDIDATES) => Ok(()),
        _ => {
            let (name, allowed) = ("the number of candidates", "from 1 to 1000000");
            Err(Error::Count { name, given: count.unwrap_or(usize::MAX), allowed })
        }
    }
}
