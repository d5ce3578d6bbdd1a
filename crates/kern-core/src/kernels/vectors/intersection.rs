//! The histogram intersection kernel.

use super::additive::additive_kernel;
use crate::kernels::declaration::declared;
use crate::simd::lanes::Number;
use crate::tile::Term;
use serde::{Deserialize, Serialize};

/// The histogram intersection kernel on non-negative vectors.
///
/// # Definition
/// K(x, y) = Σⱼ min(x_j, y_j). Mercer: min(a, b) = ∫₀^∞ 1\[t < a\]·1\[t < b\] dt is an inner
/// product of indicator functions.
///
/// # Numerics
/// Minima are exact; their sum has a relative error of at most d·u.
///
/// # References
/// Swain & Ballard (1991), *Color Indexing*; Mercer: Barla, Odone & Verri (2003).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Intersection};
/// assert_eq!(Kernel::<Samples<f64>>::eval(&Intersection, &[3.0, 0.5], &[1.0, 2.0]), 1.5);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "histogram intersection")]
#[doc(alias = "min kernel")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intersection;

declared! {
    Intersection = "intersection", [];
    => Ok(Self)
}

/// min(x, y).
#[derive(Clone, Copy)]
struct Minimum;

impl Term for Minimum {
    crate::products::compiled_loops!(Minimum);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        x.at_most(y)
    }
}

additive_kernel!(Intersection, Minimum);
