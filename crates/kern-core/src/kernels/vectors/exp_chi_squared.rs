//! The exponential χ² kernel.

use super::check_non_negative;
use super::chi_squared::halved_sum;
use super::decay::Decay;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::lanes::Number;
use crate::tile::{self, Scratch, Term, Tile};
use crate::{Entry, Error, Kernel, Mercer, Order, Positive, Samples, Scalar, SparseSamples};
use faer::MatMut;
use serde::{Deserialize, Serialize};

/// The exponential χ² kernel, on vectors of non-negative numbers.
///
/// # Definition
/// K(x, y) = exp(−γ·Σⱼ (x_j − y_j)²/(x_j + y_j)), γ > 0, 0/0 = 0. Mercer: (a − b)²/(a + b) is a +
/// b − 4ab/(a + b), where a·b/(a + b) is PSD, so the sum is conditionally negative definite and its
/// exponential PSD (Schoenberg).
///
/// # Numerics
/// Dense blocks divide by no less than the smallest normal number, which settles 0/0. Sparse ones
/// work on shared features, and recompute entries whose rounding would show.
///
/// # References
/// Chapelle, Haffner & Vapnik (1999), *Support Vector Machines for Histogram-Based Image
/// Classification*; Berg, Christensen & Ressel (1984), *Harmonic Analysis on Semigroups*, section 3.2.
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

    fn order<'a>(&'a self, a: &'a Samples<T>, b: &'a Samples<T>) -> Option<Box<dyn Order<T> + 'a>> {
        self.dense_order((a, b), Contrast)
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        check_non_negative(points)
    }
}

impl<T: Scalar> Mercer<Samples<T>> for ExpChiSquared {}

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
