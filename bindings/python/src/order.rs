//! The description of a fit as given by Python.

use kern_core::faer::Mat;
use kern_core::parameters::{Parameters, Setting};
use kern_solvers::Error;

/// The targets of a fit.
pub(crate) enum Given {
    Nothing,
    Labels(Vec<i64>),
    Numbers(Vec<f64>),
    Outputs(Mat<f64>),
}

/// The learner, settings and targets of a fit.
pub(crate) struct Order {
    pub(crate) learner: String,
    pub(crate) formula: String,
    pub(crate) settings: Vec<(String, Setting)>,
    pub(crate) given: Given,
    pub(crate) weights: Option<Vec<f64>>,
}

/// The learner with the given settings.
pub(crate) fn set<L: Parameters>(mut learner: L, order: &Order) -> Result<L, Error> {
    for (name, value) in order.settings.iter().filter(|(name, _)| name != "seeds") {
        learner.set_parameter(name, value)?;
    }
    Ok(learner)
}

pub(crate) fn number(order: &Order, name: &str) -> Option<f64> {
    order.settings.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_f64())
}

pub(crate) fn unknown<T>() -> Result<T, Error> {
    let instead = "learn numbers, classes or nothing, as the learner is for";
    Err(Error::Unsupported { what: "this learner with these targets", instead })
}
