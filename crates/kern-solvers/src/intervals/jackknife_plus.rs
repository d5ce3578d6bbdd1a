//! Jackknife+ intervals for ridge regression.

use super::conformal::{Intervals, rank};
use crate::Error;
use crate::ridge::{FactoredRidge, LeftOut};
use faer::{ColRef, Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{parallel, tile_ranges};

/// Queries processed together.
const QUERIES: usize = 256;

/// Jackknife+ intervals from leave-one-out models, without refits; created by
/// [`FactoredRidge::jackknife_plus`].
///
/// # Definition
/// Let f₋ᵢ be the model fitted without point i, and Rᵢ = yᵢ − f₋ᵢ(xᵢ). The interval of x extends
/// from the ⌊a(n + 1)⌋-th smallest of f₋ᵢ(x) − |Rᵢ| to the ⌈(1 − a)(n + 1)⌉-th smallest of
/// f₋ᵢ(x) + |Rᵢ|. It contains the target of a new point with probability at least 1 − 2a for any
/// distribution, and about 1 − a for models that change little if one point is left out.
/// [`predict`](JackknifePlus::predict) takes the coverage 1 − a.
///
/// # Complexity
/// n³/3 flops once, 2n² per query, and O(n) per query and output; 256·n floats.
///
/// # References
/// Barber, Candès, Ramdas & Tibshirani (2021), *Predictive Inference with the Jackknife+*,
/// theorem 1.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::ColRef, kernels::Rbf};
/// use kern_solvers::{Data, Run, ridge::Ridge};
/// let x = Samples::from_rows(&(0..40).map(|i| [0.1 * f64::from(i)]).collect::<Vec<_>>())?;
/// let y: Vec<f64> = x.as_slice().iter().map(|x| x.sin() + 0.1 * (40.0 * x).cos()).collect();
/// let ridge = Ridge::on_kernel(Rbf::new(1.0)?).lambda(1e-3);
/// let data = Data::unlabelled(&x)?;
/// let factor = ridge.factor(&data, &Run::new())?;
/// let jackknife = factor.jackknife_plus(ColRef::from_slice(&y).as_mat())?;
///
/// let intervals = jackknife.predict(&Samples::from_rows(&[[2.03]])?, 0.9)?;
/// let truth = 2.03_f64.sin() + 0.1 * (40.0 * 2.03_f64).cos();
/// assert!(intervals.lower()[(0, 0)] < truth && truth < intervals.upper()[(0, 0)]);
/// // Of 40 points, no interval holds with a probability of 0.99.
/// assert_eq!(jackknife.predict(&x, 0.99)?.upper()[(0, 0)], f64::INFINITY);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "jackknife+")]
#[doc(alias = "conformal")]
#[doc(alias = "prediction interval")]
pub struct JackknifePlus<'f, 'a, P: Points, K> {
    factor: &'f FactoredRidge<'a, P, K>,
    left_out: LeftOut<P::Scalar>,
}

impl<P: Points, K> std::fmt::Debug for JackknifePlus<'_, '_, P, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JackknifePlus").field("factor", &self.factor).finish_non_exhaustive()
    }
}

impl<'a, P: Points, K: Kernel<P>> FactoredRidge<'a, P, K> {
    /// The jackknife+ for these targets, points × outputs.
    ///
    /// Points with weight zero are left out.
    ///
    /// # Errors
    /// As [`leave_one_out`](FactoredRidge::leave_one_out).
    pub fn jackknife_plus(
        &self,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<JackknifePlus<'_, 'a, P, K>, Error> {
        Ok(JackknifePlus { factor: self, left_out: self.left_out(targets)? })
    }
}

impl<P: Points, K: Kernel<P>> JackknifePlus<'_, '_, P, K> {
    /// The leave-one-out residuals yᵢ − f₋ᵢ(xᵢ) of the points with positive weight, in order, for
    /// each output.
    #[must_use]
    pub fn residuals(&self) -> MatRef<'_, P::Scalar> {
        self.left_out.residuals.as_ref()
    }

    /// The interval of each query and output.
    ///
    /// # Errors
    /// [`Error::Core`] unless 0 < coverage < 1, or if the kernel does not accept the queries;
    /// [`Error::Gram`] for non-finite values.
    pub fn predict(&self, queries: &P, coverage: f64) -> Result<Intervals<P::Scalar>, Error> {
        let (n, outputs) = self.left_out.residuals.shape();
        let rank = rank(coverage, n)?;
        let mut ends = [(); 2].map(|()| Mat::zeros(queries.len(), outputs));
        for range in tile_ranges(queries.len(), QUERIES) {
            let (start, indices): (usize, Vec<usize>) = (range.start, range.collect());
            let seen = self.factor.seen_from(&queries.select(&indices)?, &self.left_out, start)?;
            let tasks =
                (0..indices.len()).flat_map(|i| (0..outputs).map(move |j| (i, j))).collect();
            let interval = |buffer: &mut Vec<P::Scalar>, (i, j): (usize, usize)| {
                let influence = seen.influences.col(i);
                [-P::Scalar::ONE, P::Scalar::ONE]
                    .map(|sign| self.end(influence, seen.values[(i, j)], j, sign, rank, buffer))
            };
            let found = parallel::map_init(tasks, Vec::new, interval);
            for (task, pair) in found.into_iter().enumerate() {
                let (i, j) = (start + task / outputs, task % outputs);
                ends.iter_mut().zip(pair).for_each(|(ends, end)| ends[(i, j)] = end);
            }
        }
        let [lower, upper] = ends;
        Ok(Intervals::new(lower, upper))
    }

    /// The end of an interval on the side of `sign`, from the value f(x) and the influence of each
    /// point on it.
    fn end(
        &self,
        influence: ColRef<'_, P::Scalar>,
        value: P::Scalar,
        output: usize,
        sign: P::Scalar,
        rank: Option<usize>,
        buffer: &mut Vec<P::Scalar>,
    ) -> P::Scalar {
        let Some(rank) = rank else { return sign * P::Scalar::from_f64(f64::INFINITY) };
        let LeftOut { residuals, shifts, .. } = &self.left_out;
        let points = residuals.col(output).iter().zip(shifts.col(output).iter());
        buffer.clear();
        // The lower end is the negated upper end of the negated values.
        buffer.extend(points.zip(influence.iter()).map(|((&residual, &shift), &influence)| {
            let size = if residual < P::Scalar::ZERO { -residual } else { residual };
            sign * (value - shift * influence) + size
        }));
        sign * smallest(buffer, rank)
    }
}

/// The k-th smallest of these values, none of which is NaN; reorders them.
fn smallest<T: Scalar>(values: &mut [T], k: usize) -> T {
    let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
    *values.select_nth_unstable_by(k - 1, order).1
}
