//! Plots, as SVG in files and in pages.

mod bars;
mod canvas;
mod curves;
mod places;
mod roc;
mod scatter;
mod search_plane;
mod series;

pub(crate) use bars::{Bar, bars, histogram};
pub(crate) use canvas::{Area, SIZE, elements, save};
pub(crate) use curves::{Curves, calibration, dots, lines};
pub(crate) use roc::{curves, roc};
pub(crate) use scatter::{predictions, residuals};
pub(crate) use search_plane::search_plane;
pub(crate) use series::Series;
