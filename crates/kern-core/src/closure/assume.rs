//! The assumption that a kernel is positive semi-definite.

use crate::kernel::delegate_kernel;
use crate::parameters::{Parameter, Parameters, Rule, Setting};
use crate::{Error, Kernel, Mercer, Points};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Marks a kernel as Mercer on the caller's responsibility.
///
/// The compiler accepts it where a Mercer kernel is required; nothing is checked. If the kernel is
/// not PSD on the data, solvers terminate with an error or with a certificate that does not close.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, closure::AssumeMercer, kernels::FnKernel};
/// let k = AssumeMercer(FnKernel::new(|x: &u32, y: &u32| f64::from((x & y).count_ones())));
/// assert_eq!(Kernel::<Vec<u32>>::eval(&k, &6, &3), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssumeMercer<K>(pub K);

impl<P: Points + ?Sized, K: Kernel<P>> Kernel<P> for AssumeMercer<K> {
    delegate_kernel!(|this| this.0);
}

impl<P: Points + ?Sized, K: Kernel<P>> Mercer<P> for AssumeMercer<K> {}

impl<K: Parameters> Parameters for AssumeMercer<K> {
    fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.0.set_parameter(name, value)
    }

    fn terms(&self, rule: Rule) -> usize {
        self.0.terms(rule)
    }
}

impl<K: fmt::Display> fmt::Display for AssumeMercer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
