//! Normal equations of least squares on features, and their serialised form, validated when read.

use super::streaming::{
    BLOCK, Panels, add_gram, add_lower, add_products, check_features, panel_bytes,
};
use super::{Error, Fingerprint, Observed};
use faer::{Mat, MatMut, MatRef};
use kern_core::memory::{LargeMat, convert_into};
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Points whose features one thread rounds at a time.
const COLUMNS: usize = 64;

/// The sums over samples that determine least squares on features.
///
/// # Definition
/// For features zᵢ ∈ R^D, targets yᵢ and weights βᵢ: n, Σβᵢ, Σβᵢzᵢzᵢᵀ, Σβᵢzᵢ, Σβᵢzᵢyᵢᵀ, Σβᵢyᵢ and
/// Σβᵢyᵢ², in double precision. All are sums over samples: those of two sets of samples add up to
/// those of their union ([`merge`](NormalEquations::merge)), in any order up to rounding.
///
/// # Complexity
/// Memory for D² values, of which the lower triangle is used; n·D² flops.
///
/// # Numerics
/// Features are multiplied in their own type, and sums of more than 512 products are in double
/// precision. The bits do not depend on the number of threads, nor on the budget.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples, faer::mat};
/// use kern_gram::MemoryBudget;
/// use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
/// let (map, budget) = (Identity::new(1), MemoryBudget::mebibytes(1));
/// let fingerprint = Fingerprint::of(&map)?;
/// let gather = |x: &[[f64; 1]], y: &[f64]| -> Result<_, kern_approx::statistics::Error> {
///     let mut sums = NormalEquations::new(1, 1, fingerprint, &budget)?;
///     let y = kern_core::faer::MatRef::from_column_major_slice(y, y.len(), 1);
///     sums.absorb(&map, &Samples::from_rows(x)?, &Observed::new(y), &budget)?;
///     Ok(sums)
/// };
/// let mut all = gather(&[[1.0], [2.0]], &[2.0, 4.0])?;
/// all.merge(&gather(&[[3.0]], &[6.0])?)?;
/// assert_eq!((all.count(), all.gram()[(0, 0)]), (3, 14.0));
/// let slope = all.moments()[(0, 1)] / all.gram()[(0, 0)];
/// assert_eq!(slope, 2.0);
/// # Ok::<(), kern_approx::statistics::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct NormalEquations {
    pub(super) fingerprint: Fingerprint,
    pub(super) count: u64,
    pub(super) weight: f64,
    /// Σβzzᵀ, lower triangle.
    pub(super) gram: LargeMat<f64>,
    /// Σβz, then Σβzyᵀ: D × (1 + outputs).
    pub(super) moments: Mat<f64>,
    /// Σβy and Σβy², outputs × 2.
    pub(super) targets: Mat<f64>,
}

impl NormalEquations {
    /// Empty sums, without samples, for features of dimension `dim`.
    ///
    /// # Errors
    /// [`Error::Count`] unless there are features and outputs; [`Error::Gram`] if D² values exceed
    /// the budget.
    pub fn new(
        dim: usize,
        outputs: usize,
        fingerprint: Fingerprint,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        for (name, given) in
            [("the dimension of the features", dim), ("the number of outputs", outputs)]
        {
            if given == 0 {
                return Err(Error::Count { name, given, allowed: "at least 1" });
            }
        }
        let bytes = Self::bytes(dim, outputs);
        budget.require("normal equations", bytes, "use fewer features")?;
        Ok(Self {
            fingerprint,
            count: 0,
            weight: 0.0,
            gram: LargeMat::zeros(dim, dim)?,
            moments: zeros(dim, outputs + 1)?,
            targets: zeros(outputs, 2)?,
        })
    }

    /// The memory of the sums in bytes.
    #[must_use]
    pub fn bytes(dim: usize, outputs: usize) -> u64 {
        matrix_bytes::<f64>(dim, dim.saturating_add(outputs).saturating_add(1))
    }

    /// The memory for gathering them from points, with the smallest panel.
    #[must_use]
    pub fn streaming_bytes<T: Scalar>(dim: usize, outputs: usize, n: usize) -> u64 {
        Self::bytes(dim, outputs).saturating_add(panel_bytes::<T>(dim, n))
    }

    /// The dimension D of the features.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.moments.nrows()
    }

    /// The number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.targets.nrows()
    }

    /// The number n of samples, those of weight zero included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Σβᵢ.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The fingerprint of the feature map.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Σβᵢzᵢzᵢᵀ. Only the lower triangle is meaningful.
    #[must_use]
    pub fn gram(&self) -> MatRef<'_, f64> {
        self.gram.as_ref()
    }

    /// Σβᵢzᵢ in column 0, Σβᵢzᵢyᵢᵀ in the others.
    #[must_use]
    pub fn moments(&self) -> MatRef<'_, f64> {
        self.moments.as_ref()
    }

    /// Σβᵢyᵢ in column 0, Σβᵢyᵢ² in column 1, one row per output.
    #[must_use]
    pub fn target_moments(&self) -> MatRef<'_, f64> {
        self.targets.as_ref()
    }

    /// Adds samples with given features.
    ///
    /// # Shapes and units
    /// `features` is D × samples, one column per sample.
    ///
    /// # Errors
    /// [`Error::Statistics`] if the number of features or outputs does not match, [`Error::Core`]
    /// for features that are not finite, [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`],
    /// [`Error::Weight`]. In these cases nothing is added.
    pub fn update<T: Scalar>(
        &mut self,
        features: MatRef<'_, T>,
        observed: &Observed<'_, T>,
    ) -> Result<(), Error> {
        self.check(features.nrows(), observed.outputs())?;
        observed.check(features.ncols())?;
        check_features(features)?;
        let all = 0..features.ncols();
        if observed.is_weighted() {
            let mut scaled = zeros(features.nrows(), features.ncols())?;
            scaled.copy_from(features);
            scale(scaled.as_mut(), observed, all.start);
            self.add(scaled.as_ref(), observed, all)
        } else {
            self.add(features, observed, all)
        }
    }

    /// Adds samples by a feature map, panel by panel, on all threads.
    ///
    /// # Complexity
    /// One panel of features, within the budget: at least 512·D values, at most 2²² or 512·D.
    ///
    /// # Errors
    /// As [`update`](NormalEquations::update); [`Error::Core`] for points that the map refuses,
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
        self.absorb_panels(map, points, observed, budget, |sums, z, range| {
            sums.add(z, observed, range)
        })
    }

    /// [`absorb`](Self::absorb), with features rounded to single precision before they are
    /// multiplied.
    pub fn absorb_rounded<P: Points, M: FeatureMap<P> + ?Sized>(
        &mut self,
        map: &M,
        points: &P,
        observed: &Observed<'_, P::Scalar>,
        budget: &MemoryBudget,
    ) -> Result<(), Error> {
        let own = panel_bytes::<f32>(map.dim(), points.len());
        let rest = MemoryBudget::bytes(budget.as_bytes().saturating_sub(own));
        let mut rounded = LargeMat::<f32>::zeros(map.dim(), BLOCK.min(points.len()))?;
        self.absorb_panels(map, points, observed, &rest, |sums, panel, range| {
            for block in tile_ranges(range.len(), BLOCK) {
                let mut z = rounded.as_mut().subcols_mut(0, block.len());
                round(panel.subcols(block.start, block.len()), z.as_mut());
                let range = range.start + block.start..range.start + block.end;
                sums.add(z.as_ref(), observed, range)?;
            }
            Ok(())
        })
    }

    /// Passes panels of features, multiplied by the square roots of their weights, to `add`, with
    /// the range of their points.
    fn absorb_panels<P: Points, M: FeatureMap<P> + ?Sized>(
        &mut self,
        map: &M,
        points: &P,
        observed: &Observed<'_, P::Scalar>,
        budget: &MemoryBudget,
        mut add: impl FnMut(&mut Self, MatRef<'_, P::Scalar>, Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.check(map.dim(), observed.outputs())?;
        observed.check(points.len())?;
        Panels::new(map, points, budget)?.for_each(|range, mut panel| {
            if observed.is_weighted() {
                scale(panel.as_mut(), observed, range.start);
            }
            add(self, panel.as_ref(), range)
        })
    }

    /// Adds the sums of other samples.
    ///
    /// # Errors
    /// [`Error::Fingerprint`] or [`Error::Statistics`] if they are incompatible.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.check_fingerprint(other.fingerprint)?;
        self.check(other.dim(), other.outputs())?;
        self.count = self.count.saturating_add(other.count);
        self.weight += other.weight;
        add_lower(self.gram.as_mut(), other.gram());
        self.moments += &other.moments;
        self.targets += &other.targets;
        Ok(())
    }

    /// Moves Σβzzᵀ out; only the other sums may be used afterwards.
    pub fn take_gram(&mut self) -> Result<LargeMat<f64>, Error> {
        Ok(std::mem::replace(&mut self.gram, LargeMat::zeros(0, 0)?))
    }

    /// Checks that the fingerprint matches.
    pub fn check_fingerprint(&self, given: Fingerprint) -> Result<(), Error> {
        self.fingerprint.check(given)
    }

    fn check(&self, dim: usize, outputs: usize) -> Result<(), Error> {
        let pairs = [("features", self.dim(), dim), ("outputs", self.outputs(), outputs)];
        for (what, expected, given) in pairs {
            if expected != given {
                return Err(Error::Statistics { what, expected, given });
            }
        }
        Ok(())
    }

    /// Adds features that are multiplied by the square roots of their weights.
    fn add<T: Scalar, V: Scalar>(
        &mut self,
        z: MatRef<'_, V>,
        observed: &Observed<'_, T>,
        range: Range<usize>,
    ) -> Result<(), Error> {
        let right = observed.whitened::<V>(range.clone())?;
        add_gram(self.gram.as_mut(), z);
        add_products(self.moments.as_mut(), z, right.as_ref());
        for i in range.clone() {
            let weight = observed.weight(i);
            self.weight += weight;
            for k in 0..observed.outputs() {
                let y = observed.targets()[(i, k)].to_f64();
                self.targets[(k, 0)] += weight * y;
                self.targets[(k, 1)] += weight * y * y;
            }
        }
        self.count = self.count.saturating_add(range.len() as u64);
        Ok(())
    }
}

/// Multiplies the features of each point by the square root of its weight; column 0 is point
/// `start`.
fn scale<T: Scalar>(mut z: MatMut<'_, T>, observed: &Observed<'_, T>, start: usize) {
    for j in 0..z.ncols() {
        let root = T::from_f64(observed.weight(start + j).sqrt());
        z.as_mut().col_mut(j).iter_mut().for_each(|v| *v *= root);
    }
}

/// `to` ← `from`, rounded.
fn round<T: Scalar>(from: MatRef<'_, T>, to: MatMut<'_, f32>) {
    parallel::for_each_init(
        column_blocks(to, COLUMNS),
        || (),
        |(), (start, to)| convert_into(from.subcols(start, to.ncols()), to),
    );
}

/// The format version, incremented whenever the meaning changes.
const VERSION: u32 = 1;

/// The serialised form: the lower triangle, column by column.
#[derive(Serialize, Deserialize)]
struct Packed {
    version: u32,
    fingerprint: Fingerprint,
    count: u64,
    weight: f64,
    lower: Vec<f64>,
    #[serde(with = "kern_core::serde_mat")]
    moments: Mat<f64>,
    #[serde(with = "kern_core::serde_mat")]
    targets: Mat<f64>,
}

impl From<NormalEquations> for Packed {
    fn from(sums: NormalEquations) -> Self {
        let NormalEquations { fingerprint, count, weight, gram, moments, targets } = sums;
        let dim = moments.nrows();
        let mut lower = Vec::with_capacity(dim * (dim + 1) / 2);
        for j in 0..dim {
            lower.extend(gram.as_ref().col(j).subrows(j, dim - j).iter());
        }
        Self { version: VERSION, fingerprint, count, weight, lower, moments, targets }
    }
}

impl TryFrom<Packed> for NormalEquations {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Self, String> {
        let Packed { version, fingerprint, count, weight, lower, moments, targets } = packed;
        if version != VERSION {
            return Err(format!(
                "statistics format {VERSION} is supported, the file has {version}"
            ));
        }
        let (dim, outputs) = (moments.nrows(), targets.nrows());
        let wanted = dim.checked_mul(dim.saturating_add(1)).map(|twice| twice / 2);
        let fits = wanted == Some(lower.len()) && moments.ncols() == outputs + 1;
        if dim == 0 || outputs == 0 || !fits || targets.ncols() != 2 {
            return Err(format!(
                "the sums of {dim} features and {outputs} outputs do not fit together"
            ));
        }
        let finite = |m: &Mat<f64>| m.col_iter().all(|column| column.iter().all(|v| v.is_finite()));
        let finite = finite(&moments) && finite(&targets) && lower.iter().all(|v| v.is_finite());
        if !finite || !weight.is_finite() || weight < 0.0 {
            return Err("a sum is not finite, or the weight negative".to_owned());
        }
        let mut gram = LargeMat::zeros(dim, dim).map_err(|error| error.to_string())?;
        let mut rest = lower.as_slice();
        for (j, column) in gram.as_mut().col_iter_mut().enumerate() {
            let (part, next) = rest.split_at(dim - j);
            let below = column.subrows_mut(j, part.len());
            below.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            rest = next;
        }
        Ok(Self { fingerprint, count, weight, gram, moments, targets })
    }
}
