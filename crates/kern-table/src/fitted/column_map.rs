//! Maps of the numeric columns that precede their standardization: ranks, and where a value is
//! missing.

use crate::Rows;
use kern_core::Row;
use serde::{Deserialize, Serialize};

/// Points of a piecewise linear map, at most.
const KNOTS: usize = 128;

/// How a contest maps the numeric columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// As they are.
    Plain,
    /// By their ranks, so that heavy tails and the unit of a column do not matter.
    Ranks,
}

/// A map of numeric columns that is learned from rows: each value becomes its rank in [−1, 1], if
/// these are asked for, and a column with missing values has a further column, 1 where its value is
/// missing and 0 elsewhere.
///
/// Ranks are those of the empirical distribution, in the middle of equal values, linear between
/// values, and constant beyond the smallest and largest one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnMap {
    /// The number of columns.
    width: usize,
    /// The map of each column; none if they stay as they are.
    curves: Vec<Curve>,
    /// The columns with missing values.
    missing: Vec<usize>,
}

/// A piecewise linear, increasing map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Curve {
    /// In ascending order.
    values: Vec<f64>,
    ranks: Vec<f64>,
}

impl ColumnMap {
    /// The map for these rows.
    pub(crate) fn learn(shape: Shape, rows: &Rows) -> Self {
        /// Fewer missing values do not determine what they mean.
        const FEWEST: usize = 5;
        let width = rows.first().map_or(0, |row| row.numbers.len());
        let absent = |k: usize| rows.iter().filter(|row| row.numbers[k].is_nan()).count();
        let is_missing = |k: &usize| (FEWEST..=rows.len() - FEWEST).contains(&absent(*k));
        let missing = match rows.len() {
            ..FEWEST => Vec::new(),
            _ => (0..width).filter(is_missing).collect(),
        };
        let column = |k: usize| rows.iter().map(move |row| row.numbers[k]);
        let curves = match shape {
            Shape::Plain => Vec::new(),
            Shape::Ranks => (0..width).map(|k| Curve::learn(column(k))).collect(),
        };
        Self { width, curves, missing }
    }

    /// The number of columns that are mapped.
    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// The number of columns after the map.
    pub(crate) const fn output_width(&self) -> usize {
        self.width + self.missing.len()
    }

    /// Returns true if what was deserialized is a map.
    pub(crate) fn is_valid(&self) -> bool {
        let is_curve = |curve: &Curve| {
            let is_finite = curve.values.iter().chain(&curve.ranks).all(|value| value.is_finite());
            curve.values.len() == curve.ranks.len()
                && curve.values.is_sorted_by(|a, b| a < b)
                && is_finite
        };
        (self.curves.is_empty() || self.curves.len() == self.width)
            && self.missing.iter().all(|&k| k < self.width)
            && self.curves.iter().all(is_curve)
    }

    /// The rows with mapped numbers. A missing value stays missing.
    pub(crate) fn transform(&self, rows: &Rows) -> Rows {
        let mapped = |row: &Row| {
            let number = |(k, &x): (usize, &f64)| self.curves.get(k).map_or(x, |curve| curve.at(x));
            let absent = self.missing.iter().map(|&k| f64::from(row.numbers[k].is_nan()));
            let numbers = row.numbers.iter().enumerate().map(number).chain(absent).collect();
            Row { numbers, ..row.clone() }
        };
        rows.iter().map(mapped).collect()
    }
}

impl Curve {
    fn learn(column: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = column.filter(|x| !x.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let mut curve = Self { values: Vec::new(), ranks: Vec::new() };
        let mut start = 0;
        // In ascending order, equal ones are those that do not ascend.
        for group in sorted.chunk_by(|a, b| a >= b) {
            let middle = start as f64 + 0.5 * group.len() as f64;
            start += group.len();
            curve.values.push(group[0]);
            curve.ranks.push(2.0 * middle / n - 1.0);
        }
        curve.thinned()
    }

    /// At most [`KNOTS`] of the points, about equally far from each other in rank.
    fn thinned(self) -> Self {
        let last = self.values.len().saturating_sub(1);
        if last < KNOTS {
            return self;
        }
        let mut thin = Self { values: Vec::new(), ranks: Vec::new() };
        let mut next = -1.0;
        for (k, (&value, &rank)) in self.values.iter().zip(&self.ranks).enumerate() {
            if rank >= next || k == last {
                thin.values.push(value);
                thin.ranks.push(rank);
                next = rank + 2.0 / (KNOTS - 2) as f64;
            }
        }
        thin
    }

    fn at(&self, x: f64) -> f64 {
        let Self { values, ranks } = self;
        let above = values.partition_point(|&value| value < x);
        match (above, values.len()) {
            _ if x.is_nan() => x,
            (_, 0) => 0.0,
            (0, _) => ranks[0],
            (above, count) if above == count => ranks[count - 1],
            (above, _) => {
                let (low, high) = (values[above - 1], values[above]);
                let share = (x - low) / (high - low);
                // The difference of two very large values may overflow.
                let share = if share.is_finite() { share } else { 0.5 };
                ranks[above - 1] + share * (ranks[above] - ranks[above - 1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[f64]) -> Rows {
        numbers.iter().map(|&x| Row { numbers: vec![x], ..Row::default() }).collect()
    }

    fn mapped(map: &ColumnMap, x: f64) -> Vec<f64> {
        map.transform(&rows(&[x])).remove(0).numbers
    }

    #[test]
    fn ranks_do_not_depend_on_the_unit_and_end_at_the_extremes() {
        let values: Vec<f64> = (0..400).map(f64::from).collect();
        let map = ColumnMap::learn(Shape::Ranks, &rows(&values));
        let powers: Vec<f64> = values.iter().map(|x| x.powi(3)).collect();
        let of_powers = ColumnMap::learn(Shape::Ranks, &rows(&powers));
        for (&x, &power) in values.iter().zip(&powers) {
            let (plain, other) = (mapped(&map, x)[0], mapped(&of_powers, power)[0]);
            assert!((plain - (x + 0.5) / 200.0 + 1.0).abs() < 1e-12, "{x}: {plain}");
            assert!((plain - other).abs() < 0.01, "{x}: {plain} {other}");
        }
        assert_eq!(mapped(&map, f64::MAX), mapped(&map, 399.0));
        assert_eq!(mapped(&map, f64::MIN), mapped(&map, 0.0));
        assert!(map.is_valid() && map.curves[0].values.len() <= KNOTS);
    }

    #[test]
    fn equal_values_share_their_middle_rank() {
        let map = ColumnMap::learn(Shape::Ranks, &rows(&[0.0, 0.0, 0.0, 7.0]));
        assert_eq!((mapped(&map, 0.0)[0], mapped(&map, 7.0)[0]), (-0.25, 0.75));
    }

    #[test]
    fn a_missing_value_is_a_column_if_there_are_enough() {
        let mut values = vec![1.0; 20];
        values[..5].fill(f64::NAN);
        let map = ColumnMap::learn(Shape::Plain, &rows(&values));
        assert_eq!((map.width(), map.output_width()), (1, 2));
        assert_eq!(mapped(&map, 3.0), [3.0, 0.0]);
        let absent = mapped(&map, f64::NAN);
        assert!(absent[0].is_nan());
        assert_eq!(absent[1..], [1.0]);
        values[0] = 1.0;
        assert_eq!(ColumnMap::learn(Shape::Plain, &rows(&values)).output_width(), 1);
    }
}
