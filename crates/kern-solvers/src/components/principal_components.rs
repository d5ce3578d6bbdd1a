//! The model of principal components: projections, explained variance, and reconstruction errors.

use crate::model::{Arity, Decision, Format, Geometry};
use crate::{Error, Model, Report, Transformer};
use faer::{Mat, MatRef};
use kern_core::memory::matrix_bytes;
use kern_core::{Points, Samples, Scalar};
use serde::{Deserialize, Serialize};

/// Principal components of points in feature space.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Linear};
/// use kern_solvers::{Transformer, components::KernelPca};
/// // Points of a line, and one beside it.
/// let x = Samples::from_rows(&[[1.0, 1.0], [2.0, 2.0], [6.0, 6.0]])?;
/// let model = KernelPca::on_kernel(Linear, 1).fit(&x)?;
/// let z = model.transform(&x)?;
/// let length: f64 = z.item(2)[0] - z.item(0)[0];
/// assert!((length.abs() - 50.0_f64.sqrt()).abs() < 1e-12);
/// assert!((model.explained_ratio()[0] - 1.0).abs() < 1e-12);
/// let beside = Samples::from_rows(&[[4.0, 4.0], [5.0, 3.0]])?;
/// let errors = model.reconstruction_errors(&beside)?;
/// assert!(errors[0] < 1e-10 && (errors[1] - 2.0_f64).abs() < 1e-10);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct Components<D> {
    format: Format<Self>,
    /// The function with the components as outputs, and ‖μ‖² − 2⟨φ(x), μ⟩ as the last one.
    decision: D,
    eigenvalues: Vec<f64>,
    residuals: Vec<f64>,
    /// The sum of all eigenvalues; `weight` is W.
    total: f64,
    weight: f64,
    report: Report,
}

kern_core::named! { [D] Components<D> = "components"; }

/// Components before the checks of deserialisation.
#[derive(Deserialize)]
struct Unchecked<D> {
    #[serde(rename = "format")]
    _format: Format<Components<D>>,
    decision: D,
    eigenvalues: Vec<f64>,
    residuals: Vec<f64>,
    total: f64,
    weight: f64,
    report: Report,
}

impl<D: Arity> TryFrom<Unchecked<D>> for Components<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        let Unchecked { decision, eigenvalues, residuals, total, weight, report, .. } = read;
        let outputs = decision.arity();
        Error::check_equal("eigenvalues", outputs.saturating_sub(1), eigenvalues.len())?;
        Error::check_equal("residuals", eigenvalues.len(), residuals.len())?;
        let is_allowed = |&value: &f64| value >= 0.0 && value.is_finite();
        let numbers = eigenvalues.iter().chain(&residuals).chain([&total, &weight]);
        let refused = numbers.copied().find(|value| !is_allowed(value));
        match refused {
            Some(given) => Err(Error::Range { what: "a number of principal components", given }),
            None if weight == 0.0 => {
                Err(Error::Range { what: "the weight of all points", given: 0.0 })
            }
            None => Ok(Self::new(decision, eigenvalues, residuals, total, weight, report)),
        }
    }
}

impl<D> Components<D> {
    pub(super) fn new(
        decision: D,
        eigenvalues: Vec<f64>,
        residuals: Vec<f64>,
        total: f64,
        weight: f64,
        report: Report,
    ) -> Self {
        let format = Format::default();
        Self { format, decision, eigenvalues, residuals, total, weight, report }
    }

    /// The function whose outputs are the components, and ‖μ‖² − 2⟨φ(x), μ⟩ as the last one.
    pub fn decision(&self) -> &D {
        &self.decision
    }

    /// The number of components.
    pub fn count(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The eigenvalues λ_p in descending order: the weighted sums of squared components over the
    /// training points.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The residuals ‖Gu − λu‖, from one further product. Each bounds the distance of an eigenvalue
    /// from the nearest one of the matrix.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The variances λ_p/W of the components.
    pub fn explained_variance(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|value| value / self.weight).collect()
    }

    /// The fraction of the total variance that each component explains.
    pub fn explained_ratio(&self) -> Vec<f64> {
        let share = |value: &f64| if self.total > 0.0 { value / self.total } else { 0.0 };
        self.eigenvalues.iter().map(share).collect()
    }

    /// The report of the fit.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The squared distance ‖φ(x) − μ‖² − Σ_p z_p(x)² of each point from its projection onto the
    /// components. Large values indicate outliers (novelty detection).
    ///
    /// # Errors
    /// If the points are incompatible with the training points, or a value is not finite.
    ///
    /// # References
    /// Hoffmann (2007), *Kernel PCA for Novelty Detection*.
    pub fn reconstruction_errors<P: Points>(&self, points: &P) -> Result<Vec<f64>, Error>
    where
        D: Geometry<P>,
    {
        let (values, norms) = (self.decision.decide(points)?, self.decision.squared_norms(points)?);
        let of_point = |i: usize| {
            let known: f64 = (0..self.count()).map(|p| values[(i, p)].to_f64().powi(2)).sum();
            norms[i] + values[(i, self.count())].to_f64() - known
        };
        // Rounding may produce a negative value.
        Ok((0..points.len()).map(|i| of_point(i).max(0.0)).collect())
    }

    /// z(xᵢ) of the training points of a fit without weights, from their coefficients: λ_p·c_ip.
    pub(super) fn of_fit<T: Scalar>(&self, c: MatRef<'_, T>) -> Result<Samples<T>, Error> {
        let values: Vec<T> = self.eigenvalues.iter().map(|&value| T::from_f64(value)).collect();
        let row = |i: usize| values.iter().enumerate().map(move |(p, &value)| value * c[(i, p)]);
        Ok(Samples::from_row_major(self.count(), (0..c.nrows()).flat_map(row).collect())?)
    }

    /// z(x) of each point: points × components.
    pub(super) fn components<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        let mut values = self.decision.decide(points)?;
        values.resize_with(points.len(), self.count(), |_, _| P::Scalar::ZERO);
        Ok(values)
    }
}

impl<P: Points, D: Decision<P>> Model<P> for Components<D> {
    type Answer = Mat<P::Scalar>;

    fn predict(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.components(points)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

impl<P: Points, D: Decision<P>> Transformer<P> for Components<D> {
    type Output = Samples<P::Scalar>;

    fn transform(&self, points: &P) -> Result<Samples<P::Scalar>, Error> {
        Ok(Samples::from_matrix(self.components(points)?.as_ref())?)
    }

    fn bytes(&self, points: &P) -> u64 {
        matrix_bytes::<P::Scalar>(points.len(), self.count().saturating_mul(2).saturating_add(1))
    }
}
