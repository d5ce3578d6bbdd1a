//! Clusters in the feature space that is seen from one of the points: the same distances, and so the same clusters.

use crate::Error;
use crate::differences::FromOrigin;
use crate::model::{Centres, KernelExpansion};
use kern_core::{Kernel, Points, Scalar};

/// Centres by distances from differences, of those in the space that is seen from z: ‖μ − φ(z)‖² becomes Σᵢⱼ uᵢuⱼD(xᵢ, xⱼ) of
/// μ = Σᵢ uᵢφ(xᵢ), with Σᵢ uᵢ = 1.
pub(super) fn centres<P: Points, K: Kernel<P>>(
    (origin, points): (&FromOrigin<'_, P>, &P),
    kernel: K,
    centres: Centres<KernelExpansion<P, &FromOrigin<'_, P>>>,
) -> Result<Centres<KernelExpansion<P, K>>, Error> {
    let Centres { decision, masses, mut norms } = centres;
    let from = origin.distances(decision.points());
    for ((column, norm), &mass) in decision.coefficients().col_iter().zip(&mut norms).zip(&masses) {
        if mass > 0.0 {
            let terms = column.iter().zip(&from).map(|(u, from)| u.to_f64() * from);
            *norm += 2.0 * terms.sum::<f64>();
        }
    }
    let decision = decision.with_kernel(kernel).by_differences().answering(points)?;
    Ok(Centres { decision, masses, norms })
}
