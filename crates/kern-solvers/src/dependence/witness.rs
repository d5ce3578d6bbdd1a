//! The witness function of two samples.

use crate::Error;
use crate::model::{Arity, Decision, Format, KernelExpansion};
use faer::Mat;
use kern_core::{Kernel, Mercer, Named, Points, Scalar};
use serde::{Deserialize, Serialize};

/// The witness function of two samples: positive where the first sample is denser, negative where
/// the second is.
///
/// # Definition
/// f(t) = ΣᵢK(xᵢ, t)/m − ΣⱼK(yⱼ, t)/n. Up to scale it is the function of norm 1 that maximises the
/// difference between the means over x and over y. For f itself, that difference is the biased
/// estimate of the [squared MMD](super::mmd()).
///
/// # References
/// Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*, section 2.3.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{dependence::Witness, model::Decision};
/// let x = Samples::from_rows(&[[0.0_f64], [0.5]])?;
/// let y = Samples::from_rows(&[[4.0], [4.5], [5.0]])?;
/// let witness = Witness::new(Rbf::new(1.0)?, &x, &y)?;
/// let values = witness.decide(&Samples::from_rows(&[[0.2], [2.2], [4.6]])?)?;
/// assert!(values[(0, 0)] > 0.5 && values[(1, 0)].abs() < 0.1 && values[(2, 0)] < -0.5);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<P, K>",
    bound(
        serialize = "P: Serialize, K: Named + Serialize",
        deserialize = "P: Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"
    )
)]
pub struct Witness<P: Points, K> {
    format: Format<Self>,
    first: KernelExpansion<P, K>,
    second: KernelExpansion<P, K>,
}

kern_core::named! { [P: Points, K] Witness<P, K> = "witness"; }

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"))]
struct Unchecked<P: Points, K> {
    format: Format<Witness<P, K>>,
    first: KernelExpansion<P, K>,
    second: KernelExpansion<P, K>,
}

impl<P: Points, K> TryFrom<Unchecked<P, K>> for Witness<P, K> {
    type Error = Error;

    fn try_from(Unchecked { format, first, second }: Unchecked<P, K>) -> Result<Self, Error> {
        Error::check_one_output(first.arity())?;
        Error::check_one_output(second.arity())?;
        Ok(Self { format, first, second })
    }
}

impl<P: Points, K: Mercer<P> + Clone> Witness<P, K> {
    /// The witness function of these samples.
    ///
    /// # Errors
    /// [`Error::Empty`] for an empty sample; [`Error::Core`] if the kernel refuses the points.
    pub fn new(kernel: K, x: &P, y: &P) -> Result<Self, Error> {
        if x.is_empty() || y.is_empty() {
            return Err(Error::Empty);
        }
        x.check_compatible(y)?;
        kernel.check(x)?;
        kernel.check(y)?;
        let mean = |kernel, points: &P, sign: f64| {
            let weight = P::Scalar::from_f64(sign / points.len() as f64);
            let weights = Mat::full(points.len(), 1, weight);
            KernelExpansion::new(kernel, points, weights.as_ref())
        };
        let (first, second) = (mean(kernel.clone(), x, 1.0)?, mean(kernel, y, -1.0)?);
        Ok(Self { format: Format::default(), first, second })
    }
}

impl<P: Points, K> Arity for Witness<P, K> {
    fn arity(&self) -> usize {
        1
    }
}

impl<P: Points, K: Kernel<P>> Decision<P> for Witness<P, K> {
    fn outputs(&self) -> usize {
        1
    }

    fn check_numbers(&self) -> Result<(), Error> {
        self.first.check_numbers()?;
        self.second.check_numbers()
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        Ok(self.first.decide(points)? + self.second.decide(points)?)
    }
}
