//! Kernels on time series: any collection of [`Samples<f64>`](crate::Samples), a vector for each time, such as a
//! `Vec<Samples<f64>>`.

mod alignment;
mod global_alignment;
mod normalized_global_alignment;

pub use global_alignment::GlobalAlignment;
pub use normalized_global_alignment::NormalizedGlobalAlignment;

use crate::points::check_dim;
use crate::{Error, Points, Samples};
use std::borrow::Borrow;

/// Refuses series of different dimensions.
fn check_dims<P>(series: &P) -> Result<(), Error>
where
    P: Points + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
    let dim = |i| Borrow::<Samples<f64>>::borrow(series.item(i)).dim();
    (1..series.len()).try_for_each(|i| check_dim(dim(0), dim(i)))
}
