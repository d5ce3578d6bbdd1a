//! Canonical correlations: the most correlated pairs of functions of two views, and their model.
//!
//! The covariances A and B of the features of each view, and C between the views, are centred sums
//! over the pairs. The correlations are the singular values of (A + κI)^{−½}C(B + κI)^{−½}. With
//! its singular vectors u_p and v_p, the directions are (A + κI)^{−½}u_p and (B + κI)^{−½}v_p.

use crate::components::leading_eigenvectors::orient;
use crate::model::{Arity, Decision, Format};
use crate::{Error, Model, Report, Run};
use faer::{Accum, Mat, MatRef};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_approx::transform;
use kern_core::memory::converted;
use kern_core::products::matmul;
use kern_core::{FeatureMap, Points, Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};
use serde::{Deserialize, Serialize};

/// Steps of a fit: the landmarks, the covariances, and the singular vectors.
pub(super) const STEPS: usize = 3;

/// The canonical correlations of two views, and their functions. Its [`predict`](Model::predict)
/// evaluates the functions of the first view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<D, E>",
    bound(deserialize = "D: Arity + Deserialize<'de>, E: Arity + Deserialize<'de>")
)]
pub struct CanonicalCorrelations<D, E> {
    format: Format<Self>,
    correlations: Vec<f64>,
    functions: (D, E),
    report: Report,
}

kern_core::named! { [D, E] CanonicalCorrelations<D, E> = "canonical_correlations"; }

/// Correlations before the checks of deserialisation.
#[derive(Deserialize)]
struct Unchecked<D, E> {
    #[serde(rename = "format")]
    _format: Format<CanonicalCorrelations<D, E>>,
    correlations: Vec<f64>,
    functions: (D, E),
    report: Report,
}

impl<D: Arity, E: Arity> TryFrom<Unchecked<D, E>> for CanonicalCorrelations<D, E> {
    type Error = Error;

    fn try_from(read: Unchecked<D, E>) -> Result<Self, Error> {
        let Unchecked { correlations, functions, report, .. } = read;
        for given in [functions.0.arity(), functions.1.arity()] {
            Error::check_equal("canonical functions", correlations.len(), given)?;
        }
        match correlations.iter().find(|rho| !(0.0..=1.0).contains(*rho)) {
            Some(&given) => Err(Error::Range { what: "a canonical correlation", given }),
            None => Ok(Self::new(correlations, functions, report)),
        }
    }
}

impl<D, E> CanonicalCorrelations<D, E> {
    pub(super) fn new(correlations: Vec<f64>, functions: (D, E), report: Report) -> Self {
        Self { format: Format::default(), correlations, functions, report }
    }

    /// The correlations ρ_p in descending order: the covariances of the pairs of functions on the
    /// training pairs.
    #[must_use]
    pub fn correlations(&self) -> &[f64] {
        &self.correlations
    }

    /// The functions of the first view and those of the second.
    #[must_use]
    pub const fn functions(&self) -> &(D, E) {
        &self.functions
    }

    /// f_p(x) for points of the first view, points × functions; the mean over the training points
    /// is 0.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn first<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.functions.0.decide(points)
    }

    /// g_p(y) for points of the second view, points × functions; the mean over the training points
    /// is 0.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn second<Q: Points>(&self, points: &Q) -> Result<Mat<Q::Scalar>, Error>
    where
        E: Decision<Q>,
    {
        self.functions.1.decide(points)
    }
}

impl<P: Points, D: Decision<P>, E: Send + Sync> Model<P> for CanonicalCorrelations<D, E> {
    type Answer = Mat<P::Scalar>;

    fn predict(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.first(points)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

/// A view: the feature map of its functions, and its points.
pub(super) struct View<'v, P, M> {
    pub(super) map: &'v M,
    pub(super) points: &'v P,
}

/// The pairs of directions with the largest regularised correlations.
pub(super) fn correlate<P, Q, M, N>(
    first: &View<'_, P, M>,
    second: &View<'_, Q, N>,
    weights: Option<&[f64]>,
    (count, penalty): (usize, f64),
    budget: &MemoryBudget,
    run: &mut Run<'_>,
) -> Result<Correlated, Error>
where
    P: Points,
    Q: Points,
    M: FeatureMap<P>,
    N: FeatureMap<Q>,
{
    let (r, s, n) = (first.map.dim(), second.map.dim(), first.points.len());
    let needed = NormalEquations::bytes(r, s)
        .saturating_add(NormalEquations::bytes(s, 1))
        .saturating_add(matrix_bytes::<f64>(r.saturating_add(s), 3 * r.saturating_add(s)))
        .saturating_add(symmetric_eigen_bytes(r.max(s)))
        .saturating_add(matrix_bytes::<P::Scalar>(n, s))
        .saturating_add(matrix_bytes::<Q::Scalar>(n, s));
    budget.require("canonical correlations", needed, "take fewer features or landmarks")?;
    let rest = MemoryBudget::bytes(budget.as_bytes() - needed);
    run.step(1, STEPS)?;
    let covariances = Covariances::new(first, second, weights, budget, &rest)?;
    run.step(2, STEPS)?;
    covariances.solve(count, penalty, P::Scalar::UNIT_ROUNDOFF.max(Q::Scalar::UNIT_ROUNDOFF))
}

/// Directions in the feature space of a view, and the means of the features along them.
pub(super) struct Directions {
    pub(super) weights: Mat<f64>,
    means: Vec<f64>,
}

/// Correlations in descending order, and the directions of both views.
pub(super) type Correlated = (Vec<f64>, Directions, Directions);

/// The centred covariances of two views.
struct Covariances {
    first: Mat<f64>,
    second: Mat<f64>,
    between: Mat<f64>,
    means: [Vec<f64>; 2],
    /// √(mean ‖ψ‖²·mean ‖χ‖²), the scale of the rounding errors of centred covariances.
    size: f64,
}

impl Covariances {
    fn new<P, Q, M, N>(
        first: &View<'_, P, M>,
        second: &View<'_, Q, N>,
        weights: Option<&[f64]>,
        budget: &MemoryBudget,
        rest: &MemoryBudget,
    ) -> Result<Self, Error>
    where
        P: Points,
        Q: Points,
        M: FeatureMap<P>,
        N: FeatureMap<Q>,
    {
        // The features of the second view are the targets of the first.
        let (map, points) = (second.map, second.points);
        let features = transform(map, points, budget)?;
        let rows = MatRef::from_row_major_slice(features.as_slice(), points.len(), map.dim());
        let targets: Mat<P::Scalar> = converted(rows)?;
        drop(features);
        let of_first = gathered(first, targets.as_ref(), weights, budget, rest)?;
        drop(targets);
        let none: Mat<Q::Scalar> = zeros(points.len(), 1)?;
        let of_second = gathered(second, none.as_ref(), weights, budget, rest)?;
        let weight = of_first.weight();
        let mean = |sums: &NormalEquations| -> Vec<f64> {
            sums.moments().col(0).iter().map(|sum| sum / weight).collect()
        };
        let means = [mean(&of_first), mean(&of_second)];
        let square = |sums: &NormalEquations, mean: &[f64]| {
            let gram = sums.gram();
            Mat::from_fn(mean.len(), mean.len(), |i, j| {
                gram[(i.max(j), i.min(j))] / weight - mean[i] * mean[j]
            })
        };
        let moments = of_first.moments();
        let between = Mat::from_fn(means[0].len(), means[1].len(), |i, j| {
            moments[(i, j + 1)] / weight - means[0][i] * means[1][j]
        });
        let trace = |sums: &NormalEquations| {
            let gram = sums.gram();
            (0..gram.nrows()).map(|i| gram[(i, i)]).sum::<f64>() / weight
        };
        let size = (trace(&of_first) * trace(&of_second)).sqrt();
        let (first, second) = (square(&of_first, &means[0]), square(&of_second, &means[1]));
        Ok(Self { first, second, between, means, size })
    }

    fn solve(self, count: usize, penalty: f64, rounding: f64) -> Result<Correlated, Error> {
        let (left, right) =
            (inverse_root(&self.first, penalty)?, inverse_root(&self.second, penalty)?);
        let whitened = product(&product(&left, &self.between)?, &right)?;
        let (r, s) = whitened.shape();
        let gram = product(&whitened.transpose().to_owned(), &whitened)?;
        let (squares, vectors) =
            symmetric_eigen(gram.as_ref()).ok_or(Error::NoEigenvalues { size: s })?;
        let largest = squares.last().copied().unwrap_or(0.0);
        // Centring cancels terms of this size, so smaller singular values are rounding errors.
        let unit = (r + s) as f64 * rounding;
        let floor = (unit * largest).max((unit * self.size / penalty).powi(2));
        let squares: Vec<f64> = squares.into_iter().rev().take(count).collect();
        let known = squares.iter().take_while(|&&square| square > floor).count();
        if known == 0 {
            return Err(Error::Unsupported {
                what: "canonical correlations of a view that does not vary with the other",
                instead: "give pairs whose parts vary",
            });
        }
        let correlations: Vec<f64> =
            squares[..known].iter().map(|square| square.sqrt().min(1.0)).collect();
        let mut of_second = Mat::from_fn(s, known, |j, p| vectors[(j, s - 1 - p)]);
        orient(&mut of_second);
        let mut of_first = product(&whitened, &of_second)?;
        for (p, square) in squares[..known].iter().enumerate() {
            of_first.col_as_slice_mut(p).iter_mut().for_each(|u| *u /= square.sqrt());
        }
        let [first_mean, second_mean] = self.means;
        let first = Directions::new(product(&left, &of_first)?, &first_mean);
        let second = Directions::new(product(&right, &of_second)?, &second_mean);
        Ok((correlations, first, second))
    }
}

impl Directions {
    fn new(weights: Mat<f64>, mean: &[f64]) -> Self {
        let along = |p: usize| weights.col(p).iter().zip(mean).map(|(w, mean)| w * mean).sum();
        let means = (0..weights.ncols()).map(along).collect();
        Self { weights, means }
    }

    /// The intercepts of functions whose mean is 0.
    pub(super) fn intercepts<T: Scalar>(&self) -> Vec<T> {
        self.means.iter().map(|mean| T::from_f64(-mean)).collect()
    }
}

fn gathered<P: Points, M: FeatureMap<P>>(
    view: &View<'_, P, M>,
    targets: MatRef<'_, P::Scalar>,
    weights: Option<&[f64]>,
    budget: &MemoryBudget,
    rest: &MemoryBudget,
) -> Result<NormalEquations, Error> {
    let (map, points) = (view.map, view.points);
    let observed = Observed::weighted(targets, weights);
    observed.check_fit(points.len())?;
    let fingerprint = Fingerprint::of("canonical correlations")?;
    let mut sums = NormalEquations::new(map.dim(), targets.ncols(), fingerprint, budget)?;
    sums.absorb(map, points, &observed, rest)?;
    Ok(sums)
}

/// (A + κI)^{−½} of a matrix that is positive semi-definite up to rounding.
fn inverse_root(matrix: &Mat<f64>, penalty: f64) -> Result<Mat<f64>, Error> {
    let n = matrix.nrows();
    let (values, vectors) =
        symmetric_eigen(matrix.as_ref()).ok_or(Error::NoEigenvalues { size: n })?;
    let scaled = Mat::from_fn(n, n, |i, p| vectors[(i, p)] / (values[p].max(0.0) + penalty).sqrt());
    product(&scaled, &vectors.transpose().to_owned())
}

/// AB.
fn product(a: &Mat<f64>, b: &Mat<f64>) -> Result<Mat<f64>, Error> {
    let mut out = zeros(a.nrows(), b.ncols())?;
    matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0);
    Ok(out)
}
