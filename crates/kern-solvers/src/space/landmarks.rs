//! Functions that are expansions in kernel values with a few landmarks.

use super::{NamedSpace, Space};
use crate::Error;
use crate::model::KernelExpansion;
use kern_approx::{Nystrom, NystromMap};
use kern_core::parameters::Parameters;
use kern_core::{Kernel, Mercer, Points, named_parameters};
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// Functions f(x) = b + Σⱼ cⱼK(x, zⱼ) over landmarks zⱼ, which are chosen among the points of the fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnLandmarks<K> {
    pub(crate) nystrom: Nystrom<K>,
}

impl<K> OnLandmarks<K> {
    /// Functions on the landmarks that these parameters choose.
    pub const fn new(nystrom: Nystrom<K>) -> Self {
        Self { nystrom }
    }

    /// The choice of landmarks.
    pub const fn nystrom(&self) -> &Nystrom<K> {
        &self.nystrom
    }

    /// The same choice with a reference to the kernel as a trait object.
    pub(crate) fn erased<P: Points>(&self) -> OnLandmarks<&dyn Mercer<P>>
    where
        K: Mercer<P>,
    {
        OnLandmarks::new(self.nystrom.erased())
    }

    /// The features of the landmarks that are chosen among these points.
    pub(crate) fn features<P>(
        &self,
        points: &P,
        budget: &MemoryBudget,
    ) -> Result<NystromMap<P, K>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        Ok(self.nystrom.clone().fit(points, budget)?)
    }
}

impl<P: Points, K: Kernel<P> + Clone> Space<P> for OnLandmarks<K> {
    type Function = KernelExpansion<P, K>;
}

named_parameters!([K: Parameters] OnLandmarks<K> {} with nystrom);

impl<K: Parameters> NamedSpace for OnLandmarks<K> {
    const NAME: &'static str = "OnLandmarks";
}
