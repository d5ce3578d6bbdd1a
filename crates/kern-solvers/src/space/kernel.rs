//! Functions that are expansions in kernel values.

use super::{NamedSpace, Space};
use crate::model::KernelExpansion;
use kern_core::parameters::Parameters;
use kern_core::{Kernel, Points, named_parameters};
use serde::{Deserialize, Serialize};

/// Functions f(x) = b + Σᵢ αᵢK(x, xᵢ) over the points of the fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnKernel<K> {
    pub(crate) kernel: K,
}

impl<K> OnKernel<K> {
    /// Functions of this kernel.
    pub const fn new(kernel: K) -> Self {
        Self { kernel }
    }

    /// The kernel.
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }
}

impl<P: Points, K: Kernel<P> + Clone> Space<P> for OnKernel<K> {
    type Function = KernelExpansion<P, K>;
}

named_parameters!([K: Parameters] OnKernel<K> {} with kernel under "kernel");

impl<K: Parameters> NamedSpace for OnKernel<K> {
    const NAME: &'static str = "OnKernel";
}
