//! The χ² kernels on histograms: additive, Σⱼ 2x_jy_j/(x_j + y_j), and exponential, exp(−γ·Σⱼ (x_j
//! − y_j)²/(x_j + y_j)).

use super::additive::{additive_kernel, check_non_negative};
use super::decay::Decay;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::lanes::Number;
use crate::tile::{self, Scratch, Term, Tile};
use crate::{
    Entry, Error, Kernel, Mercer, Order, Positive, Samples, Scalar, SearchOrder, SparseSamples,
};
use faer::MatMut;
use serde::{Deserialize, Serialize};

/// The additive χ² kernel on non-negative vectors such as histograms.
///
/// # Definition
/// K(x, y) = Σⱼ 2·x_j·y_j/(x_j + y_j), 0/0 = 0. Mercer: 1/(a + b) = ∫₀^∞ exp(−ta)·exp(−tb) dt is
/// PSD for a, b > 0, and so are its product with a·b, and sums. (What scikit-learn calls
/// `additive_chi2_kernel` is another function, −Σⱼ (x_j − y_j)²/(x_j + y_j) = 2K(x, y) − ‖x‖₁ −
/// ‖y‖₁.)
///
/// # Numerics
/// Each term as min(a, b)·(max(a, b)/((a + b)/2)), which neither overflows nor cancels.
///
/// # References
/// Vedaldi & Zisserman (2012), *Efficient Additive Kernels via Explicit Feature Maps*, table 1.
///
/// # Examples
/// ```
/// use kern_core::{Error, Kernel, Samples, kernels::ChiSquared};
/// let k = ChiSquared;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[3.0, 0.0, 5.0], &[1.0, 0.0, 0.0]), 1.5);
/// let negative = Samples::from_rows(&[[1.0, -1.0]])?;
/// let error = Error::Negative { sample: 0, feature: 1, given: -1.0 };
/// assert_eq!(k.check(&negative), Err(error));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "chi2")]
#[doc(alias = "additive_chi2")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChiSquared;

declared! {
    ChiSquared = "chi2", [];
    => Ok(Self)
}

/// 2xy/(x + y).
#[derive(Clone, Copy)]
struct HarmonicMean;

impl Term for HarmonicMean {
    crate::products::compiled_loops!(HarmonicMean);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        x.at_most(y) * (x.at_least(y) / halved_sum(x, y))
    }
}

additive_kernel!(ChiSquared, HarmonicMean);

/// The exponential χ² kernel on non-negative vectors such as histograms.
///
/// # Definition
/// K(x, y) = exp(−γ·Σⱼ (x_j − y_j)²/(x_j + y_j)), γ > 0, 0/0 = 0. Mercer: (a − b)²/(a + b) is a +
/// b − 4ab/(a + b), where a·b/(a + b) is PSD, so the sum is conditionally negative definite and its
/// exponential PSD (Schoenberg).
///
/// # Numerics
/// Dense blocks divide by at least the smallest normal number, so that 0/0 = 0. Sparse blocks work
/// on common features and recompute entries with a significant rounding error.
///
/// # References
/// Chapelle, Haffner & Vapnik (1999), *Support Vector Machines for Histogram-Based Image
/// Classification*; Berg, Christensen & Ressel (1984), *Harmonic Analysis on Semigroups*,
/// section 3.2.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::ExpChiSquared};
/// let k = ExpChiSquared::new(0.5)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[3.0, 0.0], &[1.0, 0.0]), (-0.5_f64).exp());
/// assert!(k.check(&Samples::from_rows(&[[1.0, -1.0]])?).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "chi2")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpChiSquared {
    gamma: Positive,
}

declared! {
    ExpChiSquared = "exp_chi2", [unit_diagonal];
    gamma: Domain::positive();
    => Self::new(gamma)
}

impl ExpChiSquared {
    /// exp(−gamma·Σⱼ (x_j − y_j)²/(x_j + y_j)).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `gamma` is finite and > 0.
    pub fn new(gamma: f64) -> Result<Self, Error> {
        Ok(Self { gamma: Positive::new("gamma", gamma)? })
    }

    /// γ.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }
}

/// (x − y)²/(x + y).
#[derive(Clone, Copy)]
struct Contrast;

impl Term for Contrast {
    crate::products::compiled_loops!(Contrast);

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        let difference = (x - y).magnitude();
        // The quotient, at most 2, first: the square might overflow.
        x.constant(0.5) * difference * (difference / halved_sum(x, y))
    }
}

impl Decay for ExpChiSquared {
    fn rate(&self) -> f64 {
        self.gamma()
    }
}

impl<T: Scalar> Kernel<Samples<T>> for ExpChiSquared {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.at(Contrast.pair(x, y))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        self.dense_block(tile, out, scratch, Contrast);
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<T>>> {
        Some(self)
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        check_non_negative(points)
    }
}

impl<T: Scalar> Mercer<Samples<T>> for ExpChiSquared {}

impl<T: Scalar> SearchOrder<Samples<T>> for ExpChiSquared {
    fn order<'a>(&'a self, a: &'a Samples<T>, b: &'a Samples<T>) -> Option<Box<dyn Order<T> + 'a>> {
        self.dense_order(a, b, Contrast)
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for ExpChiSquared {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        self.at(tile::united(x, y, |_, x, y| Contrast.of(x, y)))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.sparse_block(tile, out, scratch, Contrast);
    }

    fn diag(&self, _: &SparseSamples<T>, _: usize) -> T {
        T::ONE
    }

    fn check(&self, points: &SparseSamples<T>) -> Result<(), Error> {
        check_non_negative(points)
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for ExpChiSquared {}

/// (x + y)/2, but at least the smallest normal number, so that it can be a divisor.
#[inline(always)]
fn halved_sum<N: Number>(x: N, y: N) -> N {
    let half = x.constant(0.5);
    (half * x + half * y).at_least(x.min_positive())
}
