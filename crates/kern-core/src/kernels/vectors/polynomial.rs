//! The polynomial kernel, (γ·xᵀy + r)^p.

use super::linear::inner_product;
use crate::closure::power;
use crate::differences::{LARGEST_DEGREE, PolynomialDistance};
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::simd::dispatched;
use crate::tile::{self, Scratch, Term, Tile};
use crate::{
    Entry, Error, Kernel, Mercer, NonNegative, Points, Positive, Samples, Scalar, SparseSamples,
};
use faer::MatMut;
use serde::{Deserialize, Serialize};

/// The polynomial kernel: a power of an affine function of the inner product.
///
/// # Definition
/// K(x, y) = (γ·xᵀy + r)^p with γ > 0, r ≥ 0 and p ∈ ℕ. For example, γ = 1, r = 1, p = 2 is the
/// quadratic kernel (xᵀy + 1)². Its features are the monomials of degree at most p (of degree p if
/// r = 0).
///
/// # References
/// Schölkopf & Smola (2002), *Learning with Kernels*, section 2.3.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Polynomial};
/// let k = Polynomial::new(1.0, 1.0, 2)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[1.0, 2.0], &[3.0, 4.0]), 144.0);
/// assert_eq!(k.to_string(), "poly(degree=2, gamma=1, coef0=1)");
/// assert!(Polynomial::new(1.0, -1.0, 2).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "poly")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Polynomial {
    gamma: Positive,
    coef0: NonNegative,
    degree: u32,
}

declared! {
    Polynomial = "poly", [];
    degree: Domain::count_to(0, u32::MAX as u64), Setting::Count(3);
    gamma: Domain::positive(), Setting::Real(1.0);
    coef0: Domain::non_negative(), Setting::Real(0.0);
    => Self::new(gamma, coef0, degree)
}

impl Polynomial {
    /// (gamma·xᵀy + coef0)^degree.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `gamma` > 0 and `coef0` ≥ 0, both finite. A negative `coef0`
    /// would make the kernel indefinite.
    pub fn new(gamma: f64, coef0: f64, degree: u32) -> Result<Self, Error> {
        let gamma = Positive::new("gamma", gamma)?;
        Ok(Self { gamma, coef0: NonNegative::new("coef0", coef0)?, degree })
    }

    /// γ.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }

    /// The constant r.
    #[must_use]
    pub fn coef0(&self) -> f64 {
        self.coef0.get()
    }

    /// The exponent p.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    fn at<T: Scalar>(&self, inner_product: f64) -> T {
        T::from_f64(power(self.gamma().mul_add(inner_product, self.coef0()), self.degree))
    }

    /// Turns inner products into kernel values.
    fn map<T: Scalar>(&self, column: &mut [T]) {
        let (gamma, coef0) = (T::from_f64(self.gamma()), T::from_f64(self.coef0()));
        powers(column, gamma, coef0, self.degree);
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Polynomial {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.at(inner_product(x, y))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::fold_coordinates(tile, out, scratch, tile::Product, &mut |column| {
            self.map(column);
        });
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        let x = points.item(i);
        let mut value = [tile::Product.entry(x, x)];
        self.map(&mut value);
        value[0]
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<Samples<T>> + 'a>>
    where
        Samples<T>: 'a,
    {
        let (gamma, coef0, degree) = (self.gamma(), self.coef0(), self.degree);
        let distance = PolynomialDistance { gamma, coef0, degree };
        (degree <= LARGEST_DEGREE).then(|| Box::new(distance) as _)
    }
}

impl<T: Scalar> Kernel<SparseSamples<T>> for Polynomial {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        self.at(tile::shared(x, y, |x, y| x * y))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        tile::shared_features(tile, out.as_mut(), scratch, |x, y| x * y);
        tile::for_each_column(out, scratch, |_, column| self.map(column));
    }
}

dispatched! {
    /// v ← (gamma·v + coef0)^degree.
    fn powers<'a, T>(v: &'a mut [T], gamma: T, coef0: T, degree: u32) -> () {
        for v in v {
            *v = power(gamma.fma(*v, coef0), degree);
        }
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Polynomial {}

impl<T: Scalar> Mercer<SparseSamples<T>> for Polynomial {}
