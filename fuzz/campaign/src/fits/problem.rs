//! Data: few points with values that fits were not made for.

use crate::{Case, Draws};
use kern_core::{Samples, Scalar};

/// Points, targets of each kind, weights and queries.
#[derive(Debug)]
pub(super) struct Problem<T: Scalar> {
    pub(super) x: Samples<T>,
    pub(super) queries: Samples<T>,
    pub(super) labels: Vec<u8>,
    pub(super) values: Vec<T>,
    pub(super) weights: Option<Vec<f64>>,
}

impl<T: Scalar> Problem<T> {
    /// None if no points can have these coordinates.
    pub(super) fn draw(draws: &mut Draws<'_>, case: &mut Case) -> Option<Self> {
        let n = draws.one_of(&[1, 2, 2, 3, 4, 6, 10, 20, 40]);
        let dim = draws.one_of(&[1, 1, 2, 2, 3, 8, 130]);
        let columns: Vec<Column> = (0..dim).map(|_| Column::draw(draws)).collect();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for i in 0..n {
            let again = i > 0 && draws.once_in(5);
            let earlier = draws.below(i);
            let row = match again {
                true => rows[earlier].clone(),
                false => columns.iter().map(|column| column.value(draws)).collect(),
            };
            rows.push(row);
        }
        let queries = (0..1 + draws.below(6)).map(|_| match draws.below(3) {
            0 => rows[draws.below(n)].clone(),
            1 => columns.iter().map(|column| column.value(draws)).collect(),
            _ => vec![draws.hostile(); dim],
        });
        let queries = Self::samples(dim, queries.collect());
        if draws.once_in(50) {
            rows[0][0] = draws.one_of(&[f64::NAN, f64::INFINITY]);
        }
        let (labels, values) = (labels(n, draws), values(n, draws));
        let weights = weights(n, draws);
        note(
            case,
            &format!("{n} points in {dim} dimensions, {} bytes each", size_of::<T>()),
            &rows,
        );
        case.note(format!("labels {labels:?}\nvalues {values:?}\nweights {weights:?}"));
        let values = values.into_iter().map(T::from_f64).collect();
        let x = Self::samples(dim, rows)?;
        // Queries that cannot be are those of the fit.
        let queries = queries.unwrap_or_else(|| x.clone());
        Some(Self { x, queries, labels, values, weights })
    }

    fn samples(dim: usize, rows: Vec<Vec<f64>>) -> Option<Samples<T>> {
        let values = rows.into_iter().flatten().map(T::from_f64).collect();
        Samples::from_row_major(dim, values).ok()
    }
}

fn note(case: &mut Case, what: &str, rows: &[Vec<f64>]) {
    case.note(what);
    if rows[0].len() <= 8 {
        case.note(format!("{rows:?}"));
    }
}

/// The values of a coordinate.
#[derive(Clone, Copy, Debug)]
enum Column {
    Constant(f64),
    Uniform { shift: f64, scale: f64 },
    Hostile,
    Whole,
}

impl Column {
    fn draw(draws: &mut Draws<'_>) -> Self {
        match draws.below(16) {
            0 => Self::Constant(draws.hostile()),
            1 | 2 => Self::Uniform { shift: draws.power(6.0, 8.0), scale: 1.0 },
            3 => Self::Uniform { shift: 0.0, scale: draws.power(-300.0, 300.0) },
            4 => Self::Uniform { shift: 0.0, scale: draws.power(-30.0, 30.0) },
            5 => Self::Hostile,
            6 | 7 => Self::Whole,
            _ => Self::Uniform { shift: 0.0, scale: 1.0 },
        }
    }

    fn value(self, draws: &mut Draws<'_>) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Uniform { shift, scale } => shift + scale * draws.between(-2.0, 2.0),
            Self::Hostile => draws.hostile(),
            Self::Whole => draws.below(3) as f64,
        }
    }
}

/// Classes: two, several, one, as many as there are points, or one point of its own class.
fn labels(n: usize, draws: &mut Draws<'_>) -> Vec<u8> {
    let classes = draws.one_of(&[2, 2, 2, 2, 3, 4, 1, n]);
    if draws.once_in(6) {
        let odd = draws.below(n);
        return (0..n).map(|i| u8::from(i == odd)).collect();
    }
    let label = |i| if draws.once_in(3) { draws.below(classes) } else { i % classes };
    (0..n).map(label).map(|label| label as u8).collect()
}

/// Numbers: some of each size, constant, or hostile.
fn values(n: usize, draws: &mut Draws<'_>) -> Vec<f64> {
    let style = draws.below(8);
    let scale = match style {
        0 => draws.power(-300.0, 300.0),
        1 => draws.power(-20.0, 20.0),
        _ => 1.0,
    };
    let shift = if style == 2 { draws.power(0.0, 8.0) } else { 0.0 };
    let constant = draws.hostile();
    let value = |_| match style {
        3 => constant,
        4 => draws.hostile(),
        _ => shift + scale * draws.between(-2.0, 2.0),
    };
    (0..n).map(value).collect()
}

/// Weights: none, counts, or numbers of all sizes.
fn weights(n: usize, draws: &mut Draws<'_>) -> Option<Vec<f64>> {
    let style = draws.below(8);
    let weight = |_| match style {
        0 => draws.below(3) as f64,
        1 => draws.power(-2.0, 2.0),
        2 => draws.power(-300.0, 300.0),
        _ => draws.hostile().abs(),
    };
    (style < 4).then(|| (0..n).map(weight).collect())
}
