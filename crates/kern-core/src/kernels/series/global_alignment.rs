//! The global alignment kernel.

use super::alignment::Alignment;
use super::check_dims;
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::{Error, Kernel, Mercer, Points, Positive, Samples};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// The global alignment kernel of time series: a soft count of the ways to warp one onto the other.
///
/// # Definition
/// An alignment of x₁, …, x_n and y₁, …, y_m leads from (1, 1) to (n, m) by steps (1, 0), (0, 1) and (1, 1):
/// K(x, y) = Σ_π Π_{(i, j) ∈ π} κ(i, j), the sum over all alignments π, with
/// κ = g/(2 − g), g = exp(−‖x_i − y_j‖²/(2σ²)), σ > 0. So κ = exp(−φ) for
/// φ = ‖x_i − y_j‖²/(2σ²) + ln(2 − exp(−‖x_i − y_j‖²/(2σ²))).
///
/// With a window of T ≥ 1 ([`GlobalAlignment::windowed`]), ω·g stands for g, where ω = max(1 − |i − j|/T, 0): alignments
/// leave the diagonal by less than T steps, and K = 0 if |n − m| ≥ T. A series without vectors has K = 1 with another such
/// one, and 0 with all others.
///
/// It is Mercer. For any κ, K is the sum over all ways to repeat the vectors of x and of y to series of one length N of
/// Π_t χ(x_t, y_t), where κ = Σ_{r ≥ 1} χ^r, that is χ = κ/(1 + κ); so K is Mercer if χ is one and < 1. Here χ = ωg/2, which is one, since
/// the triangle ω is one on the integers. A plain g in the place of κ gives χ = g/(1 + g), which is not.
///
/// # Shapes and units
/// A series is a [`Samples<f64>`](Samples), a vector for each time. Lengths may differ, dimensions may not.
///
/// # Numerics
/// Values are sums of positive terms, computed with an exponent of their own, so that nothing overflows or underflows on
/// the way, whatever the lengths. The relative error is at most a few round-offs for each pair of an alignment, and
/// |ln g| of them more. The *result* may be no number: between constant series of n vectors it grows as (3 + √8)ⁿ, which is
/// infinite from about 400 of them on, and an error of the caller then. Its logarithm,
/// [`ln_value`](GlobalAlignment::ln_value), has no such limit, nor has
/// [`NormalizedGlobalAlignment`](super::NormalizedGlobalAlignment), which is the kernel to use. The order of x and y
/// changes no bit.
///
/// # Complexity
/// O(n·m·d) for series of n and m vectors of dimension d, min(n, m) numbers; with a window O(T·max(n, m)·d).
///
/// # References
/// Cuturi, Vert, Birkenes & Matsui (2007), *A kernel for time series based on global alignments*, for the kernel and χ;
/// Cuturi (2011), *Fast global alignment kernels*, for g/(2 − g) and the window.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::GlobalAlignment};
/// let k = GlobalAlignment::new(1.0)?;
/// let (x, y) = (Samples::from_rows(&[[0.0], [0.0]])?, Samples::from_rows(&[[0.0], [0.0], [0.0]])?);
/// // Equal vectors have κ = 1, and there are five alignments.
/// assert_eq!(Kernel::<Vec<Samples<f64>>>::eval(&k, &x, &y), 5.0);
/// let far = Samples::from_rows(&[[2.0]])?;
/// let g = (-2.0_f64).exp();
/// let value = Kernel::<Vec<Samples<f64>>>::eval(&k, &x, &far);
/// assert!((value - (g / (2.0 - g)).powi(2)).abs() < 1e-16);
/// assert_eq!(k.to_string(), "global_alignment(sigma=1, window=0)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "GAK")]
#[doc(alias = "DTW")]
#[doc(alias = "dynamic time warping")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalAlignment {
    pub(super) sigma: Positive,
    pub(super) window: usize,
}

declared! {
    GlobalAlignment = "global_alignment", [];
    sigma: Domain::positive();
    window: Domain::count(0), Setting::Count(0);
    => Ok(Self { sigma: Positive::new("sigma", sigma)?, window })
}

impl GlobalAlignment {
    /// Vectors at the distance σ have g = e^−½. A usual choice is a multiple of the median distance of vectors of
    /// different series, times the root of the median length.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0.
    pub fn new(sigma: f64) -> Result<Self, Error> {
        Ok(Self { sigma: Positive::new("sigma", sigma)?, window: 0 })
    }

    /// Alignments that leave the diagonal by less than `window` steps.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `sigma` is finite and > 0 and `window` ≥ 1.
    pub fn windowed(sigma: f64, window: usize) -> Result<Self, Error> {
        if window == 0 {
            return Err(Error::Parameter { name: "window", given: 0.0, allowed: "at least 1" });
        }
        Ok(Self { window, ..Self::new(sigma)? })
    }

    /// σ.
    #[doc(alias = "bandwidth")]
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.sigma.get()
    }

    /// T; 0 if there is none.
    #[must_use]
    pub fn window(&self) -> usize {
        self.window
    }

    /// ln K(x, y), −∞ for K = 0; NaN for series of different dimensions.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::GlobalAlignment};
    /// let x = Samples::from_row_major(1, vec![0.0; 5000])?;
    /// let ln = GlobalAlignment::new(1.0)?.ln_value(&x, &x);
    /// // Delannoy's number grows as (3 + √8)ⁿ.
    /// assert!((ln / 5000.0 - (3.0 + 8.0_f64.sqrt()).ln()).abs() < 2e-3);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    #[must_use]
    pub fn ln_value(&self, x: &Samples<f64>, y: &Samples<f64>) -> f64 {
        self.alignment().sum::<false>(x, y).ln()
    }

    /// ∂K(x, y)/∂ln σ.
    pub(crate) fn slope(&self, x: &Samples<f64>, y: &Samples<f64>) -> f64 {
        let sum = self.alignment().sum::<true>(x, y);
        sum.value() * sum.slope
    }

    pub(super) fn alignment(&self) -> Alignment {
        Alignment { sigma: self.sigma(), window: self.window }
    }
}

impl<P> Kernel<P> for GlobalAlignment
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
        self.alignment().sum::<false>(x.borrow(), y.borrow()).value()
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        check_dims(points)
    }
}

impl<P> Mercer<P> for GlobalAlignment
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Samples<f64>>,
{
}
