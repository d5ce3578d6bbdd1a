//! Kernels on rows of a table: each acts on the part of a row that it knows.

use super::family::{Family, known};
use super::shared::Shared;
use crate::closure::PullBack;
use crate::gradient::Differentiable;
use crate::kernels::Declared;
use crate::parameters::Setting;
use crate::{Error, Mercer, Row, Samples};

type Rows = Vec<Row>;

/// A part of a row.
type Part<V> = fn(&Row) -> V;

/// A family for vectors, on the numbers.
pub(super) const fn on_numbers<
    K: Declared + Mercer<Samples<f64>> + Differentiable<Samples<f64>> + 'static,
>() -> Family<Rows> {
    Family { known: known::<K>(), build: numbers::<K> }
}

/// A family for strings, on the text.
pub(super) const fn on_text<
    K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static,
>() -> Family<Rows> {
    Family { known: known::<K>(), build: text::<K> }
}

/// A family that compares letters, on the categories where there are any.
pub(super) const fn on_letters<
    K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static,
>() -> Family<Rows> {
    Family { known: known::<K>(), build: letters::<K> }
}

fn numbers<K: Declared + Mercer<Samples<f64>> + Differentiable<Samples<f64>> + 'static>(
    values: &[Setting],
) -> Result<Shared<Rows>, Error> {
    let part: Part<Vec<f64>> = |row| row.numbers.clone();
    Ok(Shared::new(PullBack::<_, _, Samples<f64>>::new(part, K::from_settings(values)?)))
}

fn text<K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static>(
    values: &[Setting],
) -> Result<Shared<Rows>, Error> {
    let part: Part<String> = |row| row.text.clone();
    Ok(Shared::new(PullBack::<_, _, Vec<String>>::new(part, K::from_settings(values)?)))
}

fn letters<K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static>(
    values: &[Setting],
) -> Result<Shared<Rows>, Error> {
    let part: Part<String> = |row| {
        let part = if row.categories.is_empty() { &row.text } else { &row.categories };
        part.clone()
    };
    Ok(Shared::new(PullBack::<_, _, Vec<String>>::new(part, K::from_settings(values)?)))
}
