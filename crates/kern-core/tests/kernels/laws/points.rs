//! Random collections of vectors, texts, sets and anything else that has a strategy, with repetitions.

use kern_core::{Samples, Scalar};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// The largest number of vectors in a collection, and of their features.
const VECTORS: usize = 40;
const FEATURES: usize = 6;

/// The domain of the features.
#[derive(Clone, Copy, Debug)]
pub(super) enum Domain {
    Real,
    NonNegative,
    /// Non-negative, and the sum is 1 or, of nothing, 0.
    Simplex,
    Whole,
}

/// The way to the next vector.
#[derive(Clone, Debug)]
enum Step {
    /// Anywhere, of this size.
    New(f64, Vec<f64>),
    /// A copy of one before.
    Repeat(Index),
    /// In a cluster with one before: its features change by this part of the largest.
    Near(Index, f64, Vec<f64>),
}

fn step() -> impl Strategy<Value = Step> {
    let feature = prop_oneof![5 => -1.0..1.0_f64, 1 => Just(0.0)];
    let features = || vec(feature.clone(), FEATURES);
    let size = proptest::sample::select(vec![1e-3, 1.0, 1.0, 1.0, 30.0, 1e3]);
    let distance = proptest::sample::select(vec![1e-15, 1e-12, 1e-8, 1e-4, 1e-2, 0.1]);
    prop_oneof![
        4 => (size, features()).prop_map(|(size, at)| Step::New(size, at)),
        1 => any::<Index>().prop_map(Step::Repeat),
        3 => (any::<Index>(), distance, features()).prop_map(|(to, d, by)| Step::Near(to, d, by)),
    ]
}

fn walk(steps: Vec<Step>) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for step in steps {
        let row = match step {
            Step::New(size, at) => at.iter().map(|v| size * v).collect(),
            Step::Repeat(_) | Step::Near(..) if rows.is_empty() => vec![0.0; FEATURES],
            Step::Repeat(of) => of.get(&rows).clone(),
            Step::Near(to, distance, by) => {
                let near = to.get(&rows);
                let size = near.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
                near.iter().zip(by).map(|(v, by)| v + distance * size * by).collect()
            }
        };
        rows.push(row);
    }
    rows
}

impl Domain {
    fn restrict(self, row: &mut [f64]) {
        match self {
            Self::Real => {}
            Self::NonNegative => row.iter_mut().for_each(|v| *v = v.abs()),
            Self::Simplex => {
                let sum: f64 = row.iter().map(|v| v.abs()).sum();
                let sum = if sum > 0.0 { sum } else { 1.0 };
                row.iter_mut().for_each(|v| *v = v.abs() / sum);
            }
            Self::Whole => row.iter_mut().for_each(|v| *v = v.round()),
        }
    }

    /// Up to 40 vectors of one to six features.
    pub(super) fn samples<T: Scalar>(self) -> BoxedStrategy<Samples<T>> {
        let samples = move |(dim, steps): (usize, Vec<Step>)| {
            let mut values = Vec::new();
            for mut row in walk(steps) {
                row.truncate(dim);
                self.restrict(&mut row);
                values.extend(row.into_iter().map(T::from_f64));
            }
            Samples::from_row_major(dim, values).unwrap()
        };
        (1..=FEATURES, vec(step(), 0..=VECTORS)).prop_map(samples).boxed()
    }
}

/// Up to `most` points, some of which are copies of others.
pub(super) fn repeated<S>(point: S, most: usize) -> BoxedStrategy<Vec<S::Value>>
where
    S: Strategy + 'static,
    S::Value: Clone,
{
    let copies = |all: Vec<(S::Value, Option<Index>)>| {
        let mut points: Vec<S::Value> = Vec::new();
        for (point, copy) in all {
            let copied = copy.filter(|_| !points.is_empty()).map(|of| of.get(&points).clone());
            points.push(copied.unwrap_or(point));
        }
        points
    };
    let copy = proptest::option::weighted(0.2, any::<Index>());
    vec((point, copy), 0..=most).prop_map(copies).boxed()
}
