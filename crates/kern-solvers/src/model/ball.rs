//! A ball in feature space.

use super::{Arity, Decision, Geometry};
use crate::Error;
use faer::Mat;
use kern_core::{Points, Scalar};
use kern_gram::zeros;
use serde::{Deserialize, Serialize};

/// R² − ‖φ(x) − a‖², positive inside of the ball with centre a and radius R.
///
/// # Definition
/// [`products`](Self::products) is ⟨φ(x), a⟩ + (R² − ‖a‖²)/2, whose intercept is the second term;
/// the function is twice this minus ‖φ(x)‖².
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::svm::Svdd;
/// let x = Samples::from_rows(&[[1.0], [5.0], [4.0]])?;
/// let model = Svdd::on_kernel(Linear).nu(0.1).violation(1e-12).fit(&x)?;
/// let ball = model.decision();
/// assert!((ball.radius() - 2.0).abs() < 1e-9);
/// let far = ball.distances(&Samples::from_rows(&[[10.0]])?)?;
/// assert!((far[0] - 7.0).abs() < 1e-9); // from 3
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct Ball<D> {
    products: D,
    radius: f64,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
struct Unchecked<D> {
    products: D,
    radius: f64,
}

impl<D: Arity> TryFrom<Unchecked<D>> for Ball<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        Self::new(read.products, read.radius)
    }
}

impl<D> Ball<D> {
    /// The ball with these inner products, which have one output.
    ///
    /// # Errors
    /// [`Error::Count`] for several outputs, [`Error::Range`] for a radius that is negative or not
    /// finite.
    pub(crate) fn new(products: D, radius: f64) -> Result<Self, Error>
    where
        D: Arity,
    {
        Error::check_one_output(products.arity())?;
        check_radius(radius)?;
        Ok(Self { products, radius })
    }

    /// ⟨φ(x), a⟩ + (R² − ‖a‖²)/2, an expansion whose coefficients are those of the centre.
    pub const fn products(&self) -> &D {
        &self.products
    }

    /// The radius R.
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// ‖φ(x) − a‖ of each point.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn distances<P: Points>(&self, points: &P) -> Result<Vec<f64>, Error>
    where
        D: Geometry<P>,
    {
        let square = self.radius * self.radius;
        let distance = |value: f64| (square - value).max(0.0).sqrt();
        Ok(self.values(points)?.into_iter().map(distance).collect())
    }

    /// The function's values in double precision.
    fn values<P: Points>(&self, points: &P) -> Result<Vec<f64>, Error>
    where
        D: Geometry<P>,
    {
        let (own, products) = (self.products.squared_norms(points)?, self.products.decide(points)?);
        let pairs = own.iter().zip(products.col(0).iter());
        Ok(pairs.map(|(own, product)| 2.0 * product.to_f64() - own).collect())
    }
}

/// Rejects a negative or non-finite radius.
fn check_radius(radius: f64) -> Result<(), Error> {
    let what = "the radius of a ball";
    let is_one = radius.is_finite() && radius >= 0.0;
    if is_one { Ok(()) } else { Err(Error::Range { what, given: radius }) }
}

impl<D: Arity> Arity for Ball<D> {
    fn arity(&self) -> usize {
        self.products.arity()
    }
}

impl<P: Points, D: Geometry<P>> Decision<P> for Ball<D> {
    fn outputs(&self) -> usize {
        self.products.outputs()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        check_radius(self.radius)?;
        self.products.check_numbers()
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        let mut out: Mat<P::Scalar> = zeros(points.len(), 1)?;
        for (row, given) in self.values(points)?.into_iter().enumerate() {
            out[(row, 0)] = P::Scalar::from_f64(given);
            if !out[(row, 0)].is_finite_number() {
                return Err(kern_gram::Error::ProductNotFinite { row, col: 0, given }.into());
            }
        }
        Ok(out)
    }
}
