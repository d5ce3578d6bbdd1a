//! The Jaccard (Tanimoto) kernel on sets.

use super::Set;
use super::set::{bag, once};
use crate::kernels::declaration::declared;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};

/// The Jaccard (Tanimoto) kernel: the fraction of all elements that are common.
///
/// # Definition
/// K(X, Y) = |X ∩ Y|/|X ∪ Y| for finite sets ([`Set`]), and K(∅, ∅) = 1, so that K(X, X) = 1 for
/// all sets. The empty set has K = 0 with every other set, so it forms a diagonal block of its own
/// and the kernel remains Mercer.
///
/// It is the probability that X and Y have the same minimum in a random order,
/// E\[φ(X)·φ(Y)\] with φ the indicator of the minimum: hence Mercer.
///
/// # Numerics
/// Elements are identified by 64-bit fingerprints: see [`Set`].
///
/// # Complexity
/// As for [`SetIntersection`](super::SetIntersection).
///
/// # References
/// Jaccard (1901); Mercer: Gower (1971), *A general coefficient of similarity and some of its
/// properties*; the random order: Broder (1997).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::Jaccard};
/// let value = |x, y| Kernel::<Vec<Vec<u8>>>::eval(&Jaccard, &x, &y);
/// assert_eq!(value(vec![1, 2, 3], vec![3, 4]), 0.25);
/// assert_eq!(value(vec![], vec![]), 1.0);
/// ```
#[doc(alias = "Tanimoto")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jaccard;

declared! {
    Jaccard = "jaccard", [];
    => Ok(Self)
}

impl<X: Set + ?Sized> Embedded<X> for Jaccard {
    fn bag(&self, x: &X) -> Bag {
        bag(x)
    }

    fn pair(&self, x: f64, y: f64) -> f64 {
        once(x, y)
    }

    fn finish(&self, shared: f64, x: f64, y: f64) -> f64 {
        let all = x + y - shared;
        if all > 0.0 { shared / all } else { 1.0 }
    }
}

crate::impl_embedded_kernel!(Jaccard, Set);
