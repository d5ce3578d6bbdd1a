//! The generalisation bound of Rahimi and Recht for learning on random features.

use super::log_inverse;
use crate::Error;
use kern_core::Positive;

/// The excess risk of a function learned from n samples on D random features, compared with the
/// best function in the class that the features can represent.
///
/// # Definition
/// For features |φ(x; ω)| ≤ 1, ω ~ p, and C > 0, F is the set of all f(x) = ∫α(ω)φ(x; ω) dω with
/// |α(ω)| ≤ C·p(ω). The loss ℓ(f(x), y) is Lipschitz in f(x) with constant L (1 for the hinge and
/// the logistic loss), and R\[f\] is its expectation. For ω₁, …, ω_D ~ p and n samples, f̂ =
/// Σα_jφ(·; ω_j) minimises the mean loss subject to |α_j| ≤ C/D. Then, with probability at least 1
/// − δ,
///
/// R\[f̂\] − min_F R ≤ LC·((1 + √(2·ln(3/δ)))/√D + (2 + 2·√(2·ln(3/δ)))/√n).
///
/// The features of [`RandomFourier`](crate::RandomFourier) in the phase form are √(2/D)·φ with φ =
/// cos(ωᵀx + b), so the constraint for a linear model on them is |w_j| ≤ C/√(2D).
///
/// # Proof
/// Three events have probability at most δ/3 each. [`approximation`](Self::approximation): for the
/// best f in F, the mean of α(ω_j)/p(ω_j)·φ(·; ω_j) is farther from f in L² than the bound.
/// [`deviation`](Self::deviation): the risk of some function on the D features exceeds its mean
/// loss by more than the bound; the expectation of this excess is at most twice the Rademacher
/// complexity of the losses, which is at most L times that of the functions (Talagrand), C/√n; one
/// sample changes it by at most 2LC/n (McDiarmid). And Hoeffding's inequality fails for the one
/// function of the first event.
///
/// The paper has 2·(4LC + 2|ℓ(0)| + LC·√(½·ln(1/δ)))/√n in the second term, and 1 − 2δ. The
/// constants here follow from the proof: losses of |f| ≤ C have a range of 2LC.
///
/// # References
/// Rahimi & Recht (2008), *Weighted Sums of Random Kitchen Sinks: Replacing Minimization with Randomization in
/// Learning*, theorem 1 and lemmas 1 to 4; Bartlett & Mendelson (2002), *Rademacher and Gaussian Complexities*,
/// theorem 8, for the second event.
///
/// # Examples
/// ```
/// use kern_approx::bounds::KitchenSinks;
/// let hinge = KitchenSinks::new(1.0, 2.0)?;
/// let (few, many) = (hinge.excess_risk(10_000, 100, 0.05)?, hinge.excess_risk(10_000, 10_000, 0.05)?);
/// assert!(many < 0.5 * few);
/// // More features than samples hardly help.
/// assert!(hinge.excess_risk(10_000, 1_000_000, 0.05)? > 0.6 * many);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct KitchenSinks {
    lipschitz: f64,
    radius: f64,
}

impl KitchenSinks {
    /// The bound for a loss with Lipschitz constant L, and functions with |α(ω)| ≤ C·p(ω), C =
    /// `radius`.
    ///
    /// # Errors
    /// [`Error::Core`] unless both are finite and > 0.
    pub fn new(lipschitz: f64, radius: f64) -> Result<Self, Error> {
        let lipschitz = Positive::new("the Lipschitz constant", lipschitz)?.get();
        Ok(Self { lipschitz, radius: Positive::new("the radius", radius)?.get() })
    }

    /// C·(1 + √(2·ln(1/δ)))/√D: a bound on the L² distance between a function of F and its estimate
    /// by D features, which is exceeded with probability at most δ. The root mean square distance
    /// is at most C/√D, with equality for some functions.
    ///
    /// # Errors
    /// [`Error::Zero`] if D is 0, [`Error::Core`] unless 0 < δ ≤ 1.
    pub fn approximation(&self, features: usize, failure: f64) -> Result<f64, Error> {
        let root = root_of(features, "the number of features")?;
        Ok(self.radius * (1.0 + (2.0 * log_inverse(failure)?).sqrt()) / root)
    }

    /// LC·(2 + √(2·ln(1/δ)))/√n: a bound on the excess of risk over mean loss on n samples, for all
    /// functions on the features at once, which is exceeded with probability at most δ.
    ///
    /// # Errors
    /// [`Error::Zero`] if n is 0, [`Error::Core`] unless 0 < δ ≤ 1.
    pub fn deviation(&self, samples: usize, failure: f64) -> Result<f64, Error> {
        let root = root_of(samples, "the number of samples")?;
        Ok(self.lipschitz * self.radius * (2.0 + (2.0 * log_inverse(failure)?).sqrt()) / root)
    }

    /// The bound on R\[f̂\] − min_F R, which is exceeded with probability at most δ = `failure`.
    ///
    /// # Errors
    /// [`Error::Zero`] if n or D is 0, [`Error::Core`] unless 0 < δ ≤ 1.
    pub fn excess_risk(&self, samples: usize, features: usize, failure: f64) -> Result<f64, Error> {
        log_inverse(failure)?;
        let third = failure / 3.0;
        let approximation = self.lipschitz * self.approximation(features, third)?;
        // The loss of one function: a mean of n terms in an interval of length 2LC.
        let one = self.lipschitz * self.radius * (2.0 * log_inverse(third)?).sqrt();
        let root = root_of(samples, "the number of samples")?;
        Ok(approximation + self.deviation(samples, third)? + one / root)
    }
}

fn root_of(count: usize, what: &'static str) -> Result<f64, Error> {
    if count == 0 { Err(Error::Zero { what }) } else { Ok((count as f64).sqrt()) }
}
