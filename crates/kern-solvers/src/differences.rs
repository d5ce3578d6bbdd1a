//! Kernels for sums whose coefficients add up to nothing, which are distances and what follows from them.

use kern_core::{Kernel, Points};

/// −½‖φ(x) − φ(y)‖² from the differences of points, or the kernel itself where its family has none
/// ([`Kernel::differences`]). Both give the same sums Σᵢⱼ cᵢcⱼK(xᵢ, xⱼ) if Σᵢ cᵢ = 0.
pub(crate) enum ByDifferences<'a, P: Points> {
    Apart(Box<dyn Kernel<P> + 'a>),
    Itself(&'a dyn Kernel<P>),
}

impl<'a, P: Points> ByDifferences<'a, P> {
    pub(crate) fn of(kernel: &'a dyn Kernel<P>) -> Self {
        kernel.differences().map_or(Self::Itself(kernel), Self::Apart)
    }

    pub(crate) fn kernel(&self) -> &(dyn Kernel<P> + 'a) {
        match self {
            Self::Apart(differences) => differences.as_ref(),
            Self::Itself(kernel) => *kernel,
        }
    }

    /// Tells whether it is another kernel, in which K(x, x) = 0.
    pub(crate) fn is_apart(&self) -> bool {
        matches!(self, Self::Apart(_))
    }
}
