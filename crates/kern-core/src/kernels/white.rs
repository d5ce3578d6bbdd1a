//! The white-noise kernel: independent noise for each distinct point.

use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::{Bounded, Error, Kernel, Mercer, NonNegative, Points, Scalar};
use serde::{Deserialize, Serialize};

/// The white-noise kernel on points of any type with `==`.
///
/// # Definition
/// K(x, y) = σ² if x = y, else 0, with the variance σ² ≥ 0: σ² times [`Delta`](super::Delta), and
/// Mercer like it.
///
/// A kernel is a function of two points, not of their positions in a table, so this kernel assigns
/// one noise value to each distinct *point*: two equal rows share it, and a new point that equals a
/// training point has the noise of that point, which a Gaussian process then predicts as part of
/// the function. Noise of each *observation*, which differs between equal rows and is not part of
/// the prediction, is the λ or the noise parameter of a learner, not a kernel. (scikit-learn's
/// `WhiteKernel` depends on positions: σ² on the diagonal of a training matrix, and 0 between
/// training and new points, even if these are equal.)
///
/// # Numerics
/// Exact up to rounding σ² to the type of the values. There is no spectrum, since K is not
/// continuous.
///
/// # References
/// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, section 2.2 and
/// table 4.1.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::White};
/// let k = White::new(0.25)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[1.0, 2.0], &[1.0, 2.0]), 0.25);
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[1.0, 2.0], &[1.0, 3.0]), 0.0);
/// assert_eq!(k.to_string(), "white(noise=0.25)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "WhiteKernel")]
#[doc(alias = "noise kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct White {
    noise: NonNegative,
}

declared! {
    White = "white", [shift_invariant];
    noise: Domain::non_negative().log(), Setting::Real(1.0);
    => Self::new(noise)
}

impl White {
    /// The kernel with the variance `noise`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `noise` is finite and ≥ 0.
    pub fn new(noise: f64) -> Result<Self, Error> {
        Ok(Self { noise: NonNegative::new("noise", noise)? })
    }

    /// σ².
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise.get()
    }
}

impl<P> Kernel<P> for White
where
    P: Points + ?Sized,
    P::Item: PartialEq,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        if x == y { P::Scalar::from_f64(self.noise()) } else { P::Scalar::ZERO }
    }
}

impl<P> Mercer<P> for White
where
    P: Points + ?Sized,
    P::Item: PartialEq,
{
}

impl Bounded for White {
    fn bound(&self) -> f64 {
        self.noise()
    }
}
