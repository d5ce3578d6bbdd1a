//! Feature maps of rows.

use crate::{Formula, Rows};
use faer::MatMut;
use kern_approx::{FourierMap, NystromMap};
use kern_core::feature_map::Folded;
use kern_core::{Error, FeatureMap, Identity, MercerFormula, Points, Row, Samples, Scratch, named};
use kern_solvers::rounds::LearnedMetric;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The features of rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum TableMap {
    /// Landmarks among rows of any columns.
    Rows(#[serde(with = "kern_core::named")] NystromMap<Rows, Formula>),
    /// Landmarks among rows of numbers.
    Landmarks(OnNumbers<OfLandmarks>),
    /// Random Fourier features of the numbers.
    Fourier(OnNumbers<FourierMap>),
    /// The numbers.
    Columns(OnNumbers<Identity>),
    /// Landmarks among rows of numbers, in a metric that was learned.
    Learned(OnNumbers<InMetric>),
}

named! { [] TableMap = "features of rows"; }

/// The same expression for every kind of map.
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

/// A map of vectors, on the numbers of rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    transparent,
    bound(
        serialize = "M: kern_core::Named + Serialize",
        deserialize = "M: kern_core::Named + Deserialize<'de>"
    )
)]
pub(crate) struct OnNumbers<M>(#[serde(with = "kern_core::named")] pub(crate) M);

/// Features of vectors by landmarks.
pub(crate) type OfLandmarks = NystromMap<Samples<f64>, MercerFormula<Samples<f64>>>;

/// The features of images in a metric.
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
            // Refused by `check`; features that are no numbers are refused, too.
            _ => out.fill(f64::NAN),
        }
    }

    fn check(&self, points: &Samples<f64>) -> Result<(), Error> {
        let (what, expected, given) = ("numbers of rows", self.metric.dim(), points.dim());
        if expected != given {
            return Err(Error::Dimension { what, expected, given });
        }
        // Both may have been read.
        let (what, expected) = ("coordinates of landmarks", self.metric.rank());
        match self.map.landmarks().dim() {
            given if given == expected => Ok(()),
            given => Err(Error::Dimension { what, expected, given }),
        }
    }
}

/// The numbers of rows as samples.
pub(crate) fn numbers(rows: &[Row]) -> Result<Samples<f64>, Error> {
    let dim = rows.first().map_or(0, |row| row.numbers.len());
    if let Some(row) = rows.iter().find(|row| row.numbers.len() != dim) {
        let (what, given) = ("numbers of rows", row.numbers.len());
        return Err(Error::Dimension { what, expected: dim, given });
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
            // Refused by `check`; features that are no numbers are refused, too.
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
