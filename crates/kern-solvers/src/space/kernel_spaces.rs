//! Kernel expansions at all training points or at landmarks.

use super::{NamedSpace, Space};
use crate::design::weighty;
use crate::model::KernelExpansion;
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::{Error, Run};
use kern_approx::{Nystrom, NystromMap};
use kern_core::parameters::Parameters;
use kern_core::{Kernel, Mercer, Points, named_parameters};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Flops per nm² + m³ of the smallest work of a solver on m landmarks: the features of all points
/// once, and their eigenvectors.
const FLOPS: f64 = 4.0;

/// Functions f(x) = b + Σᵢ αᵢK(x, xᵢ) over the training points.
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

/// Functions f(x) = b + Σⱼ cⱼK(x, zⱼ) over landmarks zⱼ chosen from the training points.
#[doc(alias = "Falkon")]
#[doc(alias = "Nyström")]
#[doc(alias = "Nystroem")]
#[doc(alias = "inducing points")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnLandmarks<K> {
    pub(crate) nystrom: Nystrom<K>,
}

impl<K> OnLandmarks<K> {
    /// Functions on the landmarks selected by these parameters.
    pub const fn new(nystrom: Nystrom<K>) -> Self {
        Self { nystrom }
    }

    /// The selection of landmarks.
    pub const fn nystrom(&self) -> &Nystrom<K> {
        &self.nystrom
    }

    /// The same selection with a reference to the kernel as a trait object.
    pub(crate) fn erased<P: Points>(&self) -> OnLandmarks<&dyn Mercer<P>>
    where
        K: Mercer<P>,
    {
        OnLandmarks::new(self.nystrom.erased())
    }

    /// The features of landmarks chosen from the points of nonzero weight, unless the computation
    /// is predicted to exceed the deadline of the run.
    pub(crate) fn features<P>(
        &self,
        points: &P,
        weights: Option<&[f64]>,
        run: &Run<'_>,
    ) -> Result<NystromMap<P, K>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        let (nystrom, budget) = (self.nystrom.clone(), run.budget());
        if let Some(end) = run.ends_at() {
            let left = end.saturating_duration_since(Instant::now());
            let [n, m] = [points.len(), nystrom.count()].map(|count| count as f64);
            let parts = vec![
                (Work::KernelValues, Count::values(n * m)),
                (Work::Products, Count::flops(FLOPS * (n * m * m + m.powi(3)))),
            ];
            let effort = Effort::counted(Algorithm::Landmarks, parts);
            within((Some(left), &budget), nystrom.kernel(), points, &[effort], &[])?;
        }
        Ok(match weights.and_then(weighty) {
            Some(used) => nystrom.fit(&points.select(&used)?, &budget)?,
            None => nystrom.fit(points, &budget)?,
        })
    }
}

impl<P: Points, K: Kernel<P> + Clone> Space<P> for OnLandmarks<K> {
    type Function = KernelExpansion<P, K>;
}

named_parameters!([K: Parameters] OnLandmarks<K> {} with nystrom);

impl<K: Parameters> NamedSpace for OnLandmarks<K> {
    const NAME: &'static str = "OnLandmarks";
}
