//! Models whose function is an expansion in kernel values.

use crate::model::{
    Classifier, KernelExpansion, MultiRegressor, ProbabilisticClassifier, Regressor,
};
use kern_core::Points;

/// A model whose function is f(x) = b + Σᵢ αᵢK(x, xᵢ).
pub trait Expanded<P: Points> {
    /// The kernel K.
    type Kernel;

    /// The function.
    fn expansion(&self) -> &KernelExpansion<P, Self::Kernel>;
}

impl<P: Points, K> Expanded<P> for Regressor<KernelExpansion<P, K>> {
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}

impl<P: Points, K> Expanded<P> for MultiRegressor<KernelExpansion<P, K>> {
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}

impl<P: Points, K, L: crate::Label> Expanded<P> for Classifier<KernelExpansion<P, K>, L> {
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}

impl<P: Points, K, L: crate::Label> Expanded<P>
    for ProbabilisticClassifier<KernelExpansion<P, K>, L>
{
    type Kernel = K;

    fn expansion(&self) -> &KernelExpansion<P, K> {
        self.decision()
    }
}
