//! Budgets: the largest number of support vectors, and the rule that enforces it.

use crate::Error;
use kern_core::parameters::Domain;
use kern_core::{NonNegative, fields};
use serde::{Deserialize, Serialize};

/// The largest number of support vectors, and the rule that enforces it.
///
/// Without a budget, every point that was ever a mistake is a support vector. With
/// [`Random`](Budget::Random) or [`Oldest`](Budget::Oldest) and several passes, a point may be in
/// the expansion more than once, as in a stream.
///
/// # References
/// Cavallanti, Cesa-Bianchi & Gentile (2007), *Tracking the Best Hyperplane with a Simple Budget
/// Perceptron*; Dekel, Shalev-Shwartz & Singer (2008), *The Forgetron*; Orabona, Keshet & Caputo
/// (2009), *Bounded Kernel-Based Online Learning*.
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
    /// No limit.
    None,
    /// The randomized budget perceptron: a new support vector replaces one that is drawn uniformly.
    Random {
        /// The largest number of support vectors.
        vectors: usize,
    },
    /// The self-tuned Forgetron: a new support vector replaces the oldest, after all coefficients
    /// are multiplied by the largest φ ≤ 1 that keeps Σ Ψ(σφ, φμ) over all removals at most 15/32
    /// of the number of mistakes. Here σ is the absolute value of the oldest coefficient, μ the
    /// margin of its point, and Ψ(λ, μ) = λ² + 2λ − 2λμ. The paper assumes K(x, x) ≤ 1, so K is
    /// divided by the largest K(x, x) so far.
    ///
    /// Mistake bound: let K(x, x) = 1, and let some f* have y·f*(x) ≥ 1 at all points of two
    /// classes. Then M mistakes with shrinking by φ₁, φ₂ … have (17/32)M ≤ ‖f*‖²(1 + Σ (1 − φ)/(1 +
    /// φ)). The reason: a removal and the mistake that added its point decrease ‖f − f*‖² by 1 − Ψ,
    /// and shrinking increases it by at most ‖f*‖²(1 − φ)/(1 + φ). If the largest K(x, x) grows
    /// along the stream, earlier removals were scaled by a smaller value, and the bound does not
    /// hold.
    #[doc(alias = "Forgetron")]
    Oldest {
        /// The largest number of support vectors.
        vectors: usize,
    },
    /// Projectron: the point of a mistake is replaced by its projection onto the span of the
    /// support vectors, which changes their coefficients, if it lies within `distance` of that span
    /// in feature space, or if the budget is full. A distance below rounding error counts as zero.
    ///
    /// Mistake bound: as long as the budget is not full, with two classes, and if some f* has
    /// y·f*(x) ≥ 1 at all points, there are at most R²‖f*‖²/(1 − η‖f*‖)² mistakes, for η‖f*‖ < 1
    /// and R² = max K(x, x). For η = 0 this is Novikoff's bound. Once the budget is full, points
    /// are projected from any distance, and the bound does not hold.
    #[doc(alias = "Projectron")]
    Projection {
        /// The largest number of support vectors.
        vectors: usize,
        /// The distance η ≥ 0.
        distance: f64,
    },
    /// Projectron++: the Projectron, which also updates on correct predictions with a margin below
    /// 1 if that needs no new support vector. Let l = 1 − margin, p the projection of the point and
    /// δ its distance from the span. If l > δ/η, τ·p is added with τ = min(1, l/‖p‖², 2(l −
    /// δ/η)/‖p‖²). If R² ≥ 1, as with K(x, x) = 1, the last term preserves the bound of
    /// `Projection`. With more than two classes, δ and ‖p‖ belong to the difference of the point in
    /// two functions, which is √2 times as long.
    #[doc(alias = "Projectron++")]
    ProjectionPlus {
        /// The largest number of support vectors.
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
    /// Refuses a budget of 0, and a distance outside its domain.
    pub(super) fn check(&self) -> Result<(), Error> {
        Error::check_positive("the budget of support vectors", self.vectors())?;
        if let Self::Projection { distance, .. } | Self::ProjectionPlus { distance, .. } = *self {
            NonNegative::new("distance", distance)?;
        }
        Ok(())
    }

    /// The largest number of support vectors.
    pub(super) fn vectors(&self) -> usize {
        match *self {
            Self::None => usize::MAX,
            Self::Random { vectors }
            | Self::Oldest { vectors }
            | Self::Projection { vectors, .. }
            | Self::ProjectionPlus { vectors, .. } => vectors,
        }
    }

    /// Returns true if support vectors are removed.
    pub(super) fn removes(&self) -> bool {
        matches!(self, Self::Random { .. } | Self::Oldest { .. })
    }

    /// Returns true if points are projected.
    pub(super) fn projects(&self) -> bool {
        matches!(self, Self::Projection { .. } | Self::ProjectionPlus { .. })
    }
}
