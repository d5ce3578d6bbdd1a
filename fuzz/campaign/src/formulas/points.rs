//! Few points of each kind that formulas are built on.

use crate::Draws;
use kern_core::{Samples, Scalar, SparseSamples};

/// Dense samples, some of them equal.
pub(super) fn dense<T: Scalar>(draws: &mut Draws<'_>) -> Samples<T> {
    let dim = draws.one_of(&[1, 2, 3, 130]);
    let n = 1 + draws.below(6);
    // Each in one way, or large numbers would meet nothing but each other.
    let hostile = draws.once_in(2);
    let sign = if draws.once_in(2) { 0.0 } else { -2.0 };
    let number = |draws: &mut Draws<'_>| match hostile && draws.once_in(3) {
        true => T::from_f64(draws.hostile()),
        false => T::from_f64(draws.between(sign, 2.0)),
    };
    let row: Vec<T> = (0..dim).map(|_| number(draws)).collect();
    let others = (1..n).flat_map(|_| match draws.once_in(4) {
        true => row.clone(),
        false => (0..dim).map(|_| number(draws)).collect(),
    });
    let values: Vec<T> = row.iter().copied().chain(others.collect::<Vec<T>>()).collect();
    finite(dim, values)
}

/// Samples without the numbers that samples cannot have.
fn finite<T: Scalar>(dim: usize, values: Vec<T>) -> Samples<T> {
    let values = values.into_iter().map(|value| match value.to_f64().is_finite() {
        true => value,
        false => T::ONE,
    });
    Samples::from_row_major(dim, values.collect())
        .expect("finite numbers, as many as there have to be")
}

/// Sparse samples of many dimensions.
pub(super) fn sparse(draws: &mut Draws<'_>) -> SparseSamples<f64> {
    let dim = draws.one_of(&[1, 3, 1000, 1 << 32]);
    let n = 1 + draws.below(6);
    let row = |draws: &mut Draws<'_>| {
        let mut features: Vec<u32> = (0..draws.below(4)).map(|_| draws.below(dim) as u32).collect();
        features.sort_unstable();
        features.dedup();
        let value = |feature| {
            let number = if draws.once_in(3) { draws.hostile() } else { draws.unit() };
            (feature, if number.is_normal() { number } else { 1.0 })
        };
        features.into_iter().map(value).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<(u32, f64)>> = (0..n).map(|_| row(draws)).collect();
    SparseSamples::from_rows(dim, &rows).expect("features that ascend, below the dimension")
}

/// Strings, of one length or several.
pub(super) fn strings(draws: &mut Draws<'_>) -> Vec<String> {
    let alphabet = draws.one_of(&["ab", "a b", "äß\u{1F600}a", "a"]);
    let letters: Vec<char> = alphabet.chars().collect();
    let equal = draws.once_in(2).then(|| draws.below(8));
    let string = |draws: &mut Draws<'_>| {
        let length = equal.unwrap_or_else(|| draws.below(12));
        (0..length).map(|_| draws.one_of(&letters)).collect()
    };
    (0..=draws.below(5)).map(|_| string(draws)).collect()
}
