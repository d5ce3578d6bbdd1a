//! The set intersection kernel, |X ∩ Y|, and its normalised form |X ∩ Y|/√(|X|·|Y|).

use super::Set;
use super::set::{bag, once};
use crate::kernels::declaration::declared;
use crate::{Bag, Embedded};
use serde::{Deserialize, Serialize};

/// The set intersection kernel: the number of common elements.
///
/// # Definition
/// K(X, Y) = |X ∩ Y| for finite sets ([`Set`]); the features are the indicators of the elements.
///
/// # Numerics
/// Elements are identified by 64-bit fingerprints: see [`Set`].
///
/// # Complexity
/// O(|X|·log|X|) for the features of a set, computed once per set for a Gram matrix, then one step
/// per common element.
///
/// # References
/// Shawe-Taylor & Cristianini (2004), *Kernel Methods for Pattern Analysis*, section 9.5: the
/// intersection kernel, with the counting measure.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::SetIntersection};
/// use std::collections::BTreeSet;
/// let (x, y) = (BTreeSet::from([1, 2, 3]), BTreeSet::from([2, 3, 4]));
/// assert_eq!(Kernel::<Vec<BTreeSet<u32>>>::eval(&SetIntersection, &x, &y), 2.0);
/// assert_eq!(Kernel::<Vec<Vec<&str>>>::eval(&SetIntersection, &vec!["a", "a"], &vec!["a"]), 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetIntersection;

declared! {
    SetIntersection = "set_intersection", [];
    => Ok(Self)
}

impl<X: Set + ?Sized> Embedded<X> for SetIntersection {
    fn bag(&self, x: &X) -> Bag {
        bag(x)
    }

    fn pair(&self, x: f64, y: f64) -> f64 {
        once(x, y)
    }
}

crate::impl_embedded_kernel!(SetIntersection, Set);

/// The normalised set intersection kernel: the cosine similarity of indicator vectors.
///
/// # Definition
/// K(X, Y) = |X ∩ Y|/√(|X|·|Y|) for finite sets ([`Set`]), and 0 if either is empty, K(∅, ∅)
/// included. Values lie in \[0, 1\]. The same as [`Normalized`](crate::closure::Normalized) of
/// [`SetIntersection`](super::SetIntersection), in one pass.
///
/// # Numerics
/// Elements are identified by 64-bit fingerprints: see [`Set`].
///
/// # Complexity
/// As for [`SetIntersection`](super::SetIntersection).
///
/// # References
/// Ochiai (1957); also known as the Ochiai coefficient in ecology and information retrieval.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::NormalizedSetIntersection};
/// let value = |x, y| Kernel::<Vec<Vec<char>>>::eval(&NormalizedSetIntersection, &x, &y);
/// assert_eq!(value("ab".chars().collect(), "bcdefghi".chars().collect()), 0.25);
/// assert_eq!(value(vec![], vec![]), 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NormalizedSetIntersection;

declared! {
    NormalizedSetIntersection = "normalized_set_intersection", [];
    => Ok(Self)
}

impl<X: Set + ?Sized> Embedded<X> for NormalizedSetIntersection {
    fn bag(&self, x: &X) -> Bag {
        bag(x)
    }

    fn pair(&self, x: f64, y: f64) -> f64 {
        once(x, y)
    }

    fn finish(&self, shared: f64, x: f64, y: f64) -> f64 {
        if shared > 0.0 { shared / (x * y).sqrt() } else { 0.0 }
    }
}

crate::impl_embedded_kernel!(NormalizedSetIntersection, Set);
