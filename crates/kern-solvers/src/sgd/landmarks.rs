//! SGD on landmarks: in w-space on their features, and back to kernel values.

use super::descent::Descent;
use super::fit::SgdSpace;
use super::w_space;
use crate::model::KernelExpansion;
use crate::space::OnLandmarks;
use crate::{Error, Report, Run};
use kern_core::memory::converted;
use kern_core::{Mercer, Points, Scalar, compiled_once};

impl<T, P, K> SgdSpace<P> for OnLandmarks<K>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Mercer<P> + Clone,
{
    fn descend(
        &self,
        points: &P,
        descent: &Descent<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let (function, report) = on_landmarks(&self.erased(), points, descent, run)?;
        Ok((function.with_kernel(self.nystrom().kernel().clone()), report))
    }
}

/// The fit, with a function that still lacks its kernel.
#[compiled_once]
fn on_landmarks<P: Points>(
    space: &OnLandmarks<&dyn Mercer<P>>,
    points: &P,
    descent: &Descent<'_, P::Scalar>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, ()>, Report), Error> {
    let map = space.features((points, descent.weights()), run)?;
    let reached = w_space::reach(&map, points, descent, None, run)?;
    let w = converted(reached.answer().as_ref())?;
    let function = KernelExpansion::of_landmarks(&map, w.as_ref())?;
    let intercepts = reached.intercepts(descent.outputs());
    Ok((function.with_intercepts(intercepts).with_kernel(()), reached.report()))
}
