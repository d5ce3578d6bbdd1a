//! The values of hyper-parameters, and those that are allowed: what an error shows of them.

mod domain;
mod setting;
mod short;

pub use domain::{Domain, Scale};
pub use setting::Setting;
pub(crate) use short::Short;
