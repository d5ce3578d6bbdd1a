//! Feature maps of rows.

use crate::{Formula, Rows};
use faer::MatMut;
use kern_approx::{FourierMap, NystromMap};
use kern_core::feature_map::Folded;
use kern_core::{Error, FeatureMap, Identity, MercerFormula, Points, Row, Samples, Scratch, named};
use kern_solvers::rounds::LearnedMetric;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A feature map of rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum TableMap {
    /// Landmarks among rows with any kinds of columns.
    Rows(#[serde(with = "kern_core::named")] NystromMap<Rows, Formula>),
    /// Landmarks among rows of numbers.
    Landmarks(OnNumbers<OfLandmarks>),
    /// Random Fourier features of the numeric columns.
    Fourier(OnNumbers<FourierMap>),
    /// The numeric columns themselves.
    Columns(OnNumbers<Identity>),
    /// Landmarks among rows of numbers, in a learned metric.
    Learned(OnNumbers<InMetric>),
}

named! { [] TableMap = "features of rows"; }

/// Evaluates the same expression for every kind of map.
macro_rules! each {
    ($map:expr, $inner:ident => $value:expr) => {
        match $map {
            TableMap::Rows($inner) => $value,
            TableMap::Landmarks($inner) => $value,
            TableMap::Fourier($inner) => $value,
            TableMap::Columns($inner) => $value,
            TableMap::Learned($inner) => $value,
        }
    };
}

impl FeatureMap<Rows> for TableMap {
    fn dim(&self) -> usize {
        each!(self, map => FeatureMap::<Rows>::dim(map))
    }

    fn transform_into(
        &self,
        rows: &Rows,
        range: Range<usize>,
        out: MatMut<'_, f64>,
        scratch: &mut Scratch<f64>,
    ) {
        each!(self, map => map.transform_into(rows, range, out, scratch));
    }

    fn check(&self, rows: &Rows) -> Result<(), Error> {
        each!(self, map => map.check(rows))
    }

    fn folded<'s>(&'s self) -> Option<Folded<'s, Rows>>
    where
        Rows: 's,
    {
        each!(self, map => map.folded())
    }
}

/// Applies a map of vectors to the numeric columns of rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    transparent,
    bound(
        serialize = "M: kern_core::Named + Serialize",
        deserialize = "M: kern_core::Named + Deserialize<'de>"
    )
)]
pub(crate) struct OnNumbers<M>(#[serde(with = "kern_core::named")] pub(crate) M);

/// Landmark features of vectors.
pub(crate) type OfLandmarks = NystromMap<Samples<f64>, MercerFormula<Samples<f64>>>;

/// Landmark features of vectors that were transformed by a metric.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InMetric {
    pub(crate) metric: LearnedMetric,
    #[serde(with = "kern_core::named")]
    pub(crate) map: OfLandmarks,
}

named! { [] InMetric = "landmarks in a metric"; }

impl FeatureMap<Samples<f64>> for InMetric {
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn transform_into(
        &self,
        points: &Samples<f64>,
        range: Range<usize>,
        mut out: MatMut<'_, f64>,
        scratch: &mut Scratch<f64>,
    ) {
        let indices: Vec<usize> = range.collect();
        let images = points.select(&indices).map(|some| self.metric.images(&some));
        match images {
            Ok(Ok(images)) => self.map.transform_into(&images, 0..images.len(), out, scratch),
            // `check` rejects this case; non-finite features are rejected as well.
            _ => out.fill(f64::NAN),
        }
    }

    fn check(&self, points: &Samples<f64>) -> Result<(), Error> {
        Error::check_dimension("numbers of rows", self.metric.dim(), points.dim())?;
        // Both may come from a file, so they need not match.
        let (expected, given) = (self.metric.rank(), self.map.landmarks().dim());
        Error::check_dimension("coordinates of landmarks", expected, given)
    }
}

/// The numeric columns of rows as samples.
pub(crate) fn numbers(rows: &[Row]) -> Result<Samples<f64>, Error> {
    let dim = rows.first().map_or(0, |row| row.numbers.len());
    for row in rows {
        Error::check_dimension("numbers of rows", dim, row.numbers.len())?;
    }
    let numbers = rows.iter().flat_map(|row| row.numbers.iter().copied()).collect();
    Samples::from_row_major(dim, numbers)
}

impl<M: FeatureMap<Samples<f64>>> FeatureMap<Rows> for OnNumbers<M> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn transform_into(
        &self,
        rows: &Rows,
        range: Range<usize>,
        mut out: MatMut<'_, f64>,
        scratch: &mut Scratch<f64>,
    ) {
        match numbers(&rows[range]) {
            Ok(samples) => {
                let all = 0..samples.len();
                self.0.transform_into(&samples, all, out, scratch);
            }
            // `check` rejects this case; non-finite features are rejected as well.
            Err(_) => out.fill(f64::NAN),
        }
    }

    fn check(&self, rows: &Rows) -> Result<(), Error> {
        if rows.is_empty() { Ok(()) } else { self.0.check(&numbers(rows)?) }
    }

    fn folded<'s>(&'s self) -> Option<Folded<'s, Rows>>
    where
        Rows: 's,
    {
        let Folded { inner, fold } = self.0.folded()?;
        Some(Folded { inner: Box::new(OnNumbers(inner)), fold })
    }
}
