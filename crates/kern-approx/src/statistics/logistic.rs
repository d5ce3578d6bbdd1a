//! Sufficient statistics for a Newton step of logistic regression on features, and their serialised
//! form, validated when read.

use super::streaming::{Panels, add_gram, add_lower, add_products, check_features, panel_bytes};
use super::{Error, Fingerprint, Moments, Observed};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::memory::{LargeMat, converted};
use kern_core::products::inner_products;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::numerics::sigmoid::{sigmoid, softplus};
use kern_gram::{MemoryBudget, matrix_bytes, parallel, split_rows, tile_ranges, zeros};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Points per task. Divides the length of a panel, so sums do not depend on it.
const CHUNK: usize = 256;

/// The sums over samples that determine a Newton step of logistic regression on features, at f(x) =
/// b + wᵀψ(x).
///
/// # Definition
/// For features zᵢ ∈ R^D, classes yᵢ = ±1 and weights βᵢ, with fᵢ = b + wᵀzᵢ, gᵢ = −βᵢyᵢσ(−yᵢfᵢ)
/// and hᵢ = βᵢσ(fᵢ)σ(−fᵢ): n, Σβᵢ ln(1 + exp(−yᵢfᵢ)), Σgᵢ, Σhᵢ, Σgᵢzᵢ, Σhᵢzᵢ and Σhᵢzᵢzᵢᵀ, in
/// double precision. All are sums over samples: the statistics of two sets of samples at the same w
/// and b add up to those of their union ([`merge`](LogisticStatistics::merge)), in any order up to
/// rounding.
///
/// # Complexity
/// Memory for D² values, of which the lower triangle is used; n·D² flops.
///
/// # Numerics
/// As for [`NormalEquations`](super::NormalEquations). The bits depend neither on the number of
/// threads nor on the budget.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples, faer::mat};
/// use kern_gram::MemoryBudget;
/// use kern_approx::statistics::{Fingerprint, LogisticStatistics, Observed};
/// let (map, budget) = (Identity::new(1), MemoryBudget::mebibytes(1));
/// let (x, y) = (Samples::from_rows(&[[-1.0], [2.0]])?, mat![[-1.0], [1.0]]);
/// let fingerprint = Fingerprint::of(&map)?;
/// let (mut w, mut b) = (vec![0.0], 0.0);
/// for _ in 0..8 {
///     // One of these for each part of the data; then they are merged.
///     let mut sums = LogisticStatistics::new(&w, b, fingerprint, &budget)?;
///     sums.absorb(&map, &x, &Observed::new(y.as_ref()), &budget)?;
///     let (step, change) = sums.newton_step(0.1, true, &budget)?;
///     w.iter_mut().zip(step).for_each(|(w, step)| *w += step);
///     b += change;
/// }
/// let mut sums = LogisticStatistics::new(&w, b, fingerprint, &budget)?;
/// sums.absorb(&map, &x, &Observed::new(y.as_ref()), &budget)?;
/// assert!(sums.gap(0.1, true) < 1e-9 * sums.objective(0.1));
/// # Ok::<(), kern_approx::statistics::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct LogisticStatistics {
    pub(super) fingerprint: Fingerprint,
    /// w and b.
    pub(super) weights: Vec<f64>,
    pub(super) intercept: f64,
    pub(super) count: u64,
    pub(super) loss: f64,
    /// Σg and Σh.
    pub(super) sums: [f64; 2],
    /// Σgz and Σhz: D × 2.
    pub(super) moments: Mat<f64>,
    /// Σhzzᵀ, lower triangle.
    pub(super) hessian: LargeMat<f64>,
}

impl LogisticStatistics {
    /// Empty statistics, without samples, at these weights of the features and this intercept.
    ///
    /// # Errors
    /// [`Error::Count`] unless there are features; [`Error::Coefficient`] unless w and b are
    /// finite; [`Error::Gram`] if D² values exceed the budget.
    pub fn new(
        weights: &[f64],
        intercept: f64,
        fingerprint: Fingerprint,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let dim = weights.len();
        if dim == 0 {
            let name = "the dimension of the features";
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        let all = weights.iter().chain([&intercept]).enumerate();
        for (index, &given) in all {
            if !given.is_finite() {
                return Err(Error::Coefficient { index, given });
            }
        }
        let bytes = Self::bytes(dim);
        budget.require("the Hessian matrix of the features", bytes, "use fewer features")?;
        let (hessian, moments) = (LargeMat::zeros(dim, dim)?, zeros(dim, 2)?);
        let weights = weights.to_vec();
        Ok(Self {
            fingerprint,
            weights,
            intercept,
            count: 0,
            loss: 0.0,
            sums: [0.0; 2],
            moments,
            hessian,
        })
    }

    /// The memory of the statistics in bytes.
    #[must_use]
    pub fn bytes(dim: usize) -> u64 {
        matrix_bytes::<f64>(dim, dim.saturating_add(3))
    }

    /// The memory for gathering them from points, with the smallest panel.
    #[must_use]
    pub fn streaming_bytes<T: Scalar>(dim: usize, n: usize) -> u64 {
        Self::bytes(dim).saturating_add(panel_bytes::<T>(dim, n))
    }

    /// The dimension D of the features.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.weights.len()
    }

    /// The number n of samples, those of weight zero included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The fingerprint of the feature map.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// w.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// b.
    #[must_use]
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// Σβᵢ ln(1 + exp(−yᵢfᵢ)).
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Σgᵢzᵢ in column 0, Σhᵢzᵢ in column 1.
    #[must_use]
    pub fn moments(&self) -> MatRef<'_, f64> {
        self.moments.as_ref()
    }

    /// Σgᵢ and Σhᵢ.
    #[must_use]
    pub fn sums(&self) -> [f64; 2] {
        self.sums
    }

    /// Σhᵢzᵢzᵢᵀ. Only the lower triangle is meaningful.
    #[must_use]
    pub fn hessian(&self) -> MatRef<'_, f64> {
        self.hessian.as_ref()
    }

    /// J = loss/n + (λ/2)‖w‖².
    #[must_use]
    pub fn objective(&self, lambda: f64) -> f64 {
        self.summary(true).objective(&self.weights, lambda)
    }

    /// A bound on J − min J: the duality gap of logistic regression on features.
    #[must_use]
    pub fn gap(&self, lambda: f64, intercept: bool) -> f64 {
        self.summary(intercept).gap(&self.weights, lambda)
    }

    /// The Newton step for w and for b, the latter 0 unless there is an intercept.
    ///
    /// # Complexity
    /// D³/3 flops, and as much memory as the statistics.
    ///
    /// # Errors
    /// [`Error::Empty`] without samples; [`Error::Core`] for λ ≤ 0; [`Error::Gram`] if another D²
    /// values exceed the budget, or the matrix is not positive definite.
    pub fn newton_step(
        &self,
        lambda: f64,
        intercept: bool,
        budget: &MemoryBudget,
    ) -> Result<(Vec<f64>, f64), Error> {
        let lambda = kern_core::Positive::new("lambda", lambda)?.get();
        if self.count == 0 {
            return Err(Error::Empty);
        }
        let bytes = matrix_bytes::<f64>(self.dim(), self.dim());
        budget.require("the factor of the Hessian matrix", bytes, "use fewer features")?;
        self.summary(intercept).newton_step(self.hessian.clone(), &self.weights, lambda)
    }

    /// Adds samples with given features.
    ///
    /// # Shapes and units
    /// `features` is D × samples, one column per sample. `observed` has one output, −1 or 1.
    ///
    /// # Errors
    /// [`Error::Statistics`] if the number of features does not match, or for more than one output;
    /// [`Error::Sign`] for a target other than −1 and 1; [`Error::Core`] for features that are not
    /// finite, [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`], [`Error::Weight`]. In
    /// these cases nothing is added.
    pub fn update<T: Scalar>(
        &mut self,
        features: MatRef<'_, T>,
        observed: &Observed<'_, T>,
    ) -> Result<(), Error> {
        self.check(features.nrows(), features.ncols(), observed)?;
        check_features(features)?;
        let mut panel = zeros(features.nrows(), features.ncols())?;
        panel.copy_from(features);
        self.add(panel.as_mut(), observed, 0..features.ncols())
    }

    /// Adds samples by a feature map, panel by panel, on all threads.
    ///
    /// # Complexity
    /// One panel of features, within the budget: at least 512·D values, at most 2²² or 512·D.
    ///
    /// # Errors
    /// As [`update`](LogisticStatistics::update); [`Error::Core`] for points that the map refuses,
    /// [`Error::Gram`] if the smallest panel exceeds the budget. If a feature is not finite,
    /// earlier panels have already been added.
    pub fn absorb<P, M>(
        &mut self,
        map: &M,
        points: &P,
        observed: &Observed<'_, P::Scalar>,
        budget: &MemoryBudget,
    ) -> Result<(), Error>
    where
        P: Points,
        M: FeatureMap<P> + ?Sized,
    {
        self.check(map.dim(), points.len(), observed)?;
        Panels::new(map, points, budget)?.for_each(|range, panel| self.add(panel, observed, range))
    }

    /// Adds the statistics of other samples at the same w and b.
    ///
    /// # Errors
    /// [`Error::Fingerprint`], [`Error::Statistics`] or [`Error::OtherWeights`] if they are
    /// incompatible.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.fingerprint.check(other.fingerprint)?;
        let (expected, given) = (self.dim(), other.dim());
        if given != expected {
            return Err(Error::Statistics { what: "features", expected, given });
        }
        let bits = |s: &Self| -> Vec<u64> {
            s.weights.iter().chain([&s.intercept]).map(|v| v.to_bits()).collect()
        };
        if bits(self) != bits(other) {
            return Err(Error::OtherWeights);
        }
        self.count = self.count.saturating_add(other.count);
        self.loss += other.loss;
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, term)| *sum += term);
        self.moments += &other.moments;
        add_lower(self.hessian.as_mut(), other.hessian());
        Ok(())
    }

    /// All sums except the Hessian matrix.
    #[must_use]
    pub fn summary(&self, intercept: bool) -> Moments<'_> {
        let (count, loss, sums) = (self.count as f64, self.loss, self.sums);
        Moments { count, loss, sums, moments: self.moments.as_ref(), intercept }
    }

    /// Moves the Hessian matrix out; only the other sums may be used afterwards.
    pub fn take_hessian(&mut self) -> Result<LargeMat<f64>, Error> {
        Ok(std::mem::replace(&mut self.hessian, LargeMat::zeros(0, 0)?))
    }

    fn check<T: Scalar>(
        &self,
        dim: usize,
        n: usize,
        observed: &Observed<'_, T>,
    ) -> Result<(), Error> {
        for (what, expected, given) in
            [("features", self.dim(), dim), ("outputs", 1, observed.outputs())]
        {
            if expected != given {
                return Err(Error::Statistics { what, expected, given });
            }
        }
        observed.check(n)?;
        let odd = |&y: &T| y != T::ONE && y != -T::ONE;
        match observed.targets().col(0).iter().position(odd) {
            Some(point) => {
                let given = observed.targets()[(point, 0)].to_f64();
                Err(Error::Sign { point, given })
            }
            None => Ok(()),
        }
    }

    /// Adds the features of these points, which are overwritten.
    fn add<T: Scalar>(
        &mut self,
        mut z: MatMut<'_, T>,
        observed: &Observed<'_, T>,
        range: Range<usize>,
    ) -> Result<(), Error> {
        let w: Mat<T> =
            converted(MatRef::from_column_major_slice(&self.weights, self.weights.len(), 1))?;
        let mut right = zeros(range.len(), 2)?;
        let task = Task { observed, intercept: self.intercept, start: range.start };
        for terms in task.derivatives(z.as_ref(), w.as_ref(), right.as_mut()) {
            self.loss += terms[0];
            self.sums[0] += terms[1];
            self.sums[1] += terms[2];
        }
        add_products(self.moments.as_mut(), z.as_ref(), right.as_ref());
        for (j, h) in right.col(1).iter().enumerate() {
            let root = T::from_f64(h.to_f64().sqrt());
            z.as_mut().col_mut(j).iter_mut().for_each(|v| *v *= root);
        }
        add_gram(self.hessian.as_mut(), z.as_ref());
        self.count = self.count.saturating_add(range.len() as u64);
        Ok(())
    }
}

/// A chunk of points whose derivatives are computed.
struct Task<'t, 'o, T> {
    observed: &'t Observed<'o, T>,
    intercept: f64,
    /// The index of the first point.
    start: usize,
}

impl<T: Scalar> Task<'_, '_, T> {
    /// [g, h] of every point, and the sums of loss, g and h of each chunk.
    fn derivatives(
        &self,
        z: MatRef<'_, T>,
        w: MatRef<'_, T>,
        right: MatMut<'_, T>,
    ) -> Vec<[f64; 3]> {
        let ranges = tile_ranges(z.ncols(), CHUNK);
        let stripes = split_rows(right, &ranges).into_iter().zip(ranges).collect();
        let work = |_: &mut (), (mut out, range): (MatMut<'_, T>, Range<usize>)| {
            let z = z.subcols(range.start, range.len());
            let (f, one) = (out.as_mut().subcols_mut(0, 1), T::ONE);
            inner_products(f, Accum::Replace, z, w, one);
            let mut sums = [0.0; 3];
            for (row, i) in range.enumerate() {
                let (weight, y) = (
                    self.observed.weight(self.start + i),
                    self.observed.targets()[(self.start + i, 0)],
                );
                let (f, y) = (out[(row, 0)].to_f64() + self.intercept, y.to_f64());
                let (wrong, right) = sigmoid(-y * f);
                let (g, h) = (-weight * y * wrong, weight * wrong * right);
                sums[0] += weight * softplus(-y * f);
                sums[1] += g;
                sums[2] += h;
                (out[(row, 0)], out[(row, 1)]) = (T::from_f64(g), T::from_f64(h));
            }
            sums
        };
        parallel::map_init(stripes, || (), work)
    }
}

/// The format version, incremented whenever the meaning changes.
const VERSION: u32 = 1;

/// The serialised form: the lower triangle, column by column.
#[derive(Serialize, Deserialize)]
struct Packed {
    version: u32,
    fingerprint: Fingerprint,
    weights: Vec<f64>,
    intercept: f64,
    count: u64,
    loss: f64,
    sums: [f64; 2],
    #[serde(with = "kern_core::serde_mat")]
    moments: Mat<f64>,
    lower: Vec<f64>,
}

impl From<LogisticStatistics> for Packed {
    fn from(all: LogisticStatistics) -> Self {
        let LogisticStatistics { fingerprint, weights, intercept, count, .. } = all;
        let LogisticStatistics { loss, sums, moments, hessian, .. } = all;
        let (hessian, dim) = (hessian.as_ref(), weights.len());
        let lower = (0..dim).flat_map(|j| (j..dim).map(move |i| hessian[(i, j)])).collect();
        let version = VERSION;
        Self { version, fingerprint, weights, intercept, count, loss, sums, moments, lower }
    }
}

impl TryFrom<Packed> for LogisticStatistics {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Self, String> {
        let Packed { version, fingerprint, weights, intercept, count, .. } = packed;
        let Packed { loss, sums, moments, lower, .. } = packed;
        if version != VERSION {
            return Err(format!(
                "statistics format {VERSION} is supported, the file has {version}"
            ));
        }
        let dim = weights.len();
        let wanted = dim.checked_mul(dim.saturating_add(1)).map(|twice| twice / 2);
        if dim == 0 || wanted != Some(lower.len()) || moments.shape() != (dim, 2) {
            return Err(format!("the sums of {dim} features do not fit together"));
        }
        let finite = |all: &[f64]| all.iter().all(|v| v.is_finite());
        let of_moments = moments.col_iter().all(|column| column.iter().all(|v| v.is_finite()));
        let few = [intercept, loss, sums[0], sums[1]];
        if !(finite(&weights) && finite(&lower) && finite(&few) && of_moments) {
            return Err("a sum is not finite".to_owned());
        }
        if loss < 0.0 || sums[1] < 0.0 {
            return Err("the loss or the curvature is negative".to_owned());
        }
        let mut hessian = LargeMat::zeros(dim, dim).map_err(|error| error.to_string())?;
        let mut to = hessian.as_mut();
        let places = (0..dim).flat_map(|j| (j..dim).map(move |i| (i, j)));
        places.zip(lower).for_each(|(at, value)| to[at] = value);
        Ok(Self { fingerprint, weights, intercept, count, loss, sums, moments, hessian })
    }
}
