//! The values of a column at which partial dependence is computed.

use kern_data::{Categories, Kind, Values};
use std::collections::BTreeMap;

/// The number of quantiles of a numeric column, and the largest number of categories.
const QUANTILES: usize = 20;
const CATEGORIES: usize = 20;

/// The values of a column.
pub(crate) enum Grid {
    /// Distinct quantiles of numbers or times.
    Quantiles { kind: Kind, values: Vec<f64> },
    /// Indices of categories that occur, in their order.
    Categories { levels: Vec<String>, codes: Vec<usize> },
}

impl Grid {
    /// The grid of a column; `None` for text, and for a column without any value.
    pub(crate) fn new(kind: &Kind, values: &Values) -> Option<Self> {
        let grid = match kind {
            Kind::Text => return None,
            Kind::Category { levels } => Self::of_categories(levels, values),
            _ => Self::Quantiles { kind: kind.clone(), values: quantiles(values.reals()?) },
        };
        (grid.len() > 0).then_some(grid)
    }

    fn of_categories(levels: &[String], values: &Values) -> Self {
        let places: BTreeMap<&String, usize> = levels.iter().zip(0..).collect();
        let mut counts = vec![0_usize; levels.len()];
        for text in (0..values.len()).filter_map(|row| values.text(row)) {
            places.get(&text).into_iter().for_each(|&code| counts[code] += 1);
        }
        let mut codes: Vec<usize> = (0..levels.len()).filter(|&code| counts[code] > 0).collect();
        codes.sort_by_key(|&code| std::cmp::Reverse(counts[code]));
        codes.truncate(CATEGORIES);
        codes.sort_unstable();
        Self::Categories { levels: levels.to_vec(), codes }
    }

    /// The number of values.
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Quantiles { values, .. } => values.len(),
            Self::Categories { codes, .. } => codes.len(),
        }
    }

    /// A column of `rows` equal values.
    pub(crate) fn column(&self, place: usize, rows: usize) -> Values {
        match self {
            Self::Quantiles { kind, values } => of_kind(kind, vec![values[place]; rows]),
            Self::Categories { levels, codes } => Values::Categories(Categories {
                levels: levels.clone(),
                codes: vec![u32::try_from(codes[place]).ok(); rows],
            }),
        }
    }
}

/// Numbers or times.
pub(crate) const fn of_kind(kind: &Kind, values: Vec<f64>) -> Values {
    match kind {
        Kind::Instant => Values::Instants(values),
        Kind::Duration => Values::Durations(values),
        _ => Values::Numbers(values),
    }
}

/// The quantiles (k + ½)/20, without repetitions.
fn quantiles(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() {
        return sorted;
    }
    let at = |k: usize| sorted[(2 * k + 1) * sorted.len() / (2 * QUANTILES)];
    let mut found: Vec<f64> = (0..QUANTILES).map(at).collect();
    found.dedup_by(|a, b| a.total_cmp(b).is_eq());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_distinct_values() {
        let values: Vec<f64> = (0..100).map(f64::from).chain([f64::NAN]).collect();
        let found = quantiles(&values);
        assert_eq!((found.len(), found[0], found[19]), (20, 2.0, 97.0));
        assert_eq!(quantiles(&[3.0, 3.0]), [3.0]);
        assert!(quantiles(&[f64::NAN]).is_empty());
    }

    #[test]
    fn categories_are_those_that_occur() {
        let levels = ["a", "b", "c"].map(String::from).to_vec();
        let codes = vec![Some(2), None, Some(0), Some(2)];
        let values = Values::Categories(Categories { levels: levels.clone(), codes });
        let grid = Grid::new(&Kind::Category { levels }, &values);
        assert!(matches!(grid, Some(Grid::Categories { codes, .. }) if codes == [0, 2]));
    }
}
