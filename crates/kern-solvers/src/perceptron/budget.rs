//! The most support vectors there may be, and what happens beyond.

use crate::Error;
use kern_core::parameters::Domain;
use kern_core::{NonNegative, fields};
use serde::{Deserialize, Serialize};

/// The greatest number of support vectors, and what keeps it.
///
/// Without one, every point that was ever a mistake is a support vector. In a fit of several passes under a budget
/// that removes, a point may be in the expansion more than once, as it would be in a stream.
///
/// # References
/// Cavallanti, Cesa-Bianchi & Gentile (2007), *Tracking the Best Hyperplane with a Simple Budget Perceptron*; Dekel,
/// Shalev-Shwartz & Singer (2008), *The Forgetron*; Orabona, Keshet & Caputo (2009), *Bounded Kernel-Based Online
/// Learning*.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::perceptron::{Budget, Perceptron};
/// let rows: Vec<[f64; 1]> = (0..100).map(|i| [f64::from(i)]).collect();
/// let x = Samples::from_rows(&rows)?;
/// let y: Vec<bool> = (0..100).map(|i| i % 20 < 10).collect();
/// let perceptron = Perceptron::on_kernel(Rbf::new(0.05)?);
/// let all = perceptron.fit(&x, &y)?;
/// let few = perceptron.budget(Budget::Projection { vectors: 20, distance: 0.1 }).fit(&x, &y)?;
/// assert!(all.decision().points().len() > 20);
/// assert!(few.decision().points().len() <= 20);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Budget {
    /// No bound.
    None,
    /// The randomized budget perceptron: a new support vector takes the place of one that is drawn uniformly.
    Random {
        /// The greatest number of support vectors.
        vectors: usize,
    },
    /// The self-tuned Forgetron: a new support vector takes the place of the oldest, after all coefficients
    /// were multiplied by the greatest φ ≤ 1 that keeps Σ Ψ(σφ, φμ) over all removals at most 15/32 of the
    /// number of mistakes. σ is the size of the oldest coefficient, μ the margin of its point, Ψ(λ, μ) =
    /// λ² + 2λ − 2λμ, and K is divided by its greatest K(x, x) so far, for which the paper presumes at most 1.
    ///
    /// If K(x, x) = 1, and some f* has y·f*(x) ≥ 1 at all points of two classes, M mistakes with shrinking by φ₁, φ₂ … have
    /// (17/32)M ≤ ‖f*‖²(1 + Σ (1 − φ)/(1 + φ)): a removal and the mistake that brought its point bring ‖f − f*‖² down
    /// by 1 − Ψ, and shrinking lifts it by ‖f*‖²(1 − φ)/(1 + φ) at most. Where the greatest K(x, x) grows along the
    /// stream, earlier removals were charged by a smaller one, and nothing is promised.
    #[doc(alias = "Forgetron")]
    Oldest {
        /// The greatest number of support vectors.
        vectors: usize,
    },
    /// Projectron: if the point of a mistake lies, in the feature space, within `distance` of the span of the support
    /// vectors, or their number is the greatest, its projection is added in its stead, which changes their
    /// coefficients. A distance that rounding cannot tell from zero is one.
    ///
    /// While there is room, with two classes, and if some f* has y·f*(x) ≥ 1 at all points, there are at most
    /// R²‖f*‖²/(1 − η‖f*‖)² mistakes, for η‖f*‖ < 1 and R² = max K(x, x): Novikoff's bound for η = 0. Once the set is full,
    /// points are projected from any distance, and there is no such bound.
    #[doc(alias = "Projectron")]
    Projection {
        /// The greatest number of support vectors.
        vectors: usize,
        /// The distance η ≥ 0.
        distance: f64,
    },
    /// Projectron++: Projectron, which also learns from right answers with a margin less than 1, if it can without a new
    /// support vector: with l = 1 − margin, the projection p of the point and its distance δ from it, where l > δ/η, it
    /// adds τ·p, τ = min(1, l/‖p‖², 2(l − δ/η)/‖p‖²). The last of these keeps the bound of `Projection` (if R² ≥ 1, as
    /// where K(x, x) = 1). With more than two classes δ and ‖p‖ are those of the difference of the point in two
    /// functions, √2 times as long.
    #[doc(alias = "Projectron++")]
    ProjectionPlus {
        /// The greatest number of support vectors.
        vectors: usize,
        /// The distance η ≥ 0.
        distance: f64,
    },
}

fields!(Budget {
    Self::None => {}
    Self::Random { vectors } | Self::Oldest { vectors } => {
        "budget.vectors": vectors in Domain::count(1)
    }
    Self::Projection { vectors, distance } | Self::ProjectionPlus { vectors, distance } => {
        "budget.vectors": vectors in Domain::count(1),
        "budget.distance": distance in Domain::non_negative(),
    }
});

impl Budget {
    /// Refuses a budget of nothing, and distances that are none.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.vectors() == 0 {
            let name = "the budget of support vectors";
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        if let Self::Projection { distance, .. } | Self::ProjectionPlus { distance, .. } = *self {
            NonNegative::new("distance", distance)?;
        }
        Ok(())
    }

    /// The greatest number of support vectors.
    pub(super) fn vectors(&self) -> usize {
        match *self {
            Self::None => usize::MAX,
            Self::Random { vectors }
            | Self::Oldest { vectors }
            | Self::Projection { vectors, .. }
            | Self::ProjectionPlus { vectors, .. } => vectors,
        }
    }

    /// Tells whether support vectors are removed.
    pub(super) fn removes(&self) -> bool {
        matches!(self, Self::Random { .. } | Self::Oldest { .. })
    }

    /// Tells whether points are projected.
    pub(super) fn projects(&self) -> bool {
        matches!(self, Self::Projection { .. } | Self::ProjectionPlus { .. })
    }
}
