//! Data: points with targets, weights and groups.

use super::{IntoTargets, Targets};
use crate::Error;
use kern_approx::statistics::{check_length, check_weights};
use kern_core::Points;
use std::borrow::Cow;
use std::ops::Deref;

/// Points with their targets, weights and groups, which are split together.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples};
/// use kern_solvers::Data;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let data = Data::new(&x, &["a", "b", "b"])?.weights(&[1.0, 2.0, 0.5])?;
/// let fold = data.select(&[2, 0])?;
/// assert_eq!(fold.points().item(0), [2.0]);
/// assert_eq!(fold.targets().as_slice(), ["b", "a"]);
/// assert_eq!(fold.sample_weights(), Some(&[0.5, 1.0][..]));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Data<'a, P, Y = ()> {
    points: Held<'a, P>,
    targets: Y,
    weights: Option<Cow<'a, [f64]>>,
    groups: Option<Cow<'a, [usize]>>,
}

/// A borrowed value, or an owned one that need not be `Clone`.
#[derive(Clone, Debug)]
enum Held<'a, T> {
    Borrowed(&'a T),
    Owned(T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(held) => held,
            Self::Owned(held) => held,
        }
    }
}

impl<'a, P: Points> Data<'a, P> {
    /// Points without targets.
    ///
    /// # Errors
    /// [`Error::Empty`].
    pub fn unlabelled(points: &'a P) -> Result<Self, Error> {
        Self::new(points, ())
    }
}

impl<'a, P: Points, Y: Targets> Data<'a, P, Y> {
    /// Points and their targets.
    ///
    /// # Errors
    /// [`Error::Empty`] without points; [`Error::Length`] if the number of targets differs;
    /// [`Error::NotFinite`].
    pub fn new(points: &'a P, targets: impl IntoTargets<Targets = Y>) -> Result<Self, Error> {
        if points.is_empty() {
            return Err(Error::Empty);
        }
        let targets = targets.into_targets();
        targets.check(points.len())?;
        Ok(Self { points: Held::Borrowed(points), targets, weights: None, groups: None })
    }

    /// Sets a weight β ≥ 0 for each point: an integer weight repeats a point, 0 drops it.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Weight`]; [`Error::NoWeight`] if all are zero.
    pub fn weights(mut self, weights: &'a [f64]) -> Result<Self, Error> {
        check_weights(self.points.len(), weights)?;
        self.weights = Some(Cow::Borrowed(weights));
        Ok(self)
    }

    /// Sets a group number for each point; points of a group are kept together in one fold.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn groups(mut self, groups: &'a [usize]) -> Result<Self, Error> {
        check_length("groups", self.points.len(), groups.len())?;
        self.groups = Some(Cow::Borrowed(groups));
        Ok(self)
    }

    /// The points.
    pub fn points(&self) -> &P {
        &self.points
    }

    /// The targets.
    pub fn targets(&self) -> &Y {
        &self.targets
    }

    /// The weights, unless all are 1.
    pub fn sample_weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The weight of point `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The groups, if there are any.
    pub fn group_ids(&self) -> Option<&[usize]> {
        self.groups.as_deref()
    }

    /// The number n of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Always false: data has at least one point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The points with these indices and their targets, weights and groups, in this order.
    ///
    /// # Errors
    /// [`Error::Core`] for an index out of bounds; [`Error::Empty`] for no index;
    /// [`Error::NoWeight`] if all selected weights are zero.
    pub fn select(&self, indices: &[usize]) -> Result<Self, Error> {
        let points = self.points.select(indices)?;
        if indices.is_empty() {
            return Err(Error::Empty);
        }
        let chosen = |weights: &Cow<'_, [f64]>| indices.iter().map(|&i| weights[i]).collect();
        let weights: Option<Vec<f64>> = self.weights.as_ref().map(chosen);
        if let Some(weights) = &weights {
            check_weights(indices.len(), weights)?;
        }
        let numbers = |groups: &Cow<'_, [usize]>| indices.iter().map(|&i| groups[i]).collect();
        Ok(Data {
            points: Held::Owned(points),
            targets: self.targets.select(indices),
            weights: weights.map(Cow::Owned),
            groups: self.groups.as_ref().map(numbers).map(Cow::Owned),
        })
    }

    /// The same targets, weights and groups with other points, for example the transformed ones.
    ///
    /// # Errors
    /// [`Error::Length`] if the number of points differs.
    pub fn with_points<'b, Q: Points>(&'b self, points: &'b Q) -> Result<Data<'b, Q, Y>, Error> {
        check_length("points", self.points.len(), points.len())?;
        Ok(Data {
            points: Held::Borrowed(points),
            targets: self.targets.clone(),
            weights: self.weights.as_deref().map(Cow::Borrowed),
            groups: self.groups.as_deref().map(Cow::Borrowed),
        })
    }

    /// The same points, weights and groups with other targets.
    ///
    /// # Errors
    /// As [`new`](Data::new).
    pub fn with_targets<Z: Targets>(
        &self,
        targets: impl IntoTargets<Targets = Z>,
    ) -> Result<Data<'_, P, Z>, Error> {
        let targets = targets.into_targets();
        targets.check(self.points.len())?;
        Ok(Data {
            points: Held::Borrowed(&self.points),
            targets,
            weights: self.weights.as_deref().map(Cow::Borrowed),
            groups: self.groups.as_deref().map(Cow::Borrowed),
        })
    }
}
