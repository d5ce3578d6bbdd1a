//! Stochastic dual coordinate ascent, one step at a time.

use crate::Error;
use crate::model::KernelExpansion;
use faer::Mat;
use kern_approx::statistics::check_length;
use kern_core::{Mercer, Points, Positive, Scalar};
use kern_gram::numerics::arithmetic::finite_diagonal;
use kern_gram::{GramOperator, LazyGram, Rows, zero_vec, zeros};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Stochastic dual coordinate ascent for C-SVC without intercept, one step at a time: for teaching,
/// and for a few cheap steps. [`Svc`](super::Svc) solves the same problem faster.
///
/// # Definition
/// maximise Σαᵢ − ½‖f‖² over 0 ≤ αᵢ ≤ C, f = Σ αᵢyᵢK(·, xᵢ). A step on i sets
///
/// αᵢ ← min(max(αᵢ + (1 − yᵢf(xᵢ))/K(xᵢ, xᵢ), 0), C),
///
/// the maximum over αᵢ. The values f(xⱼ) of all points are kept, so a step needs no sum over
/// points; if αᵢ changes, they change by a multiple of the column K(·, xᵢ).
///
/// # Complexity
/// A step evaluates the kernel n times, or not at all if αᵢ does not change: O(nd) for a Gaussian
/// kernel on R^d, the same as computing yᵢf(xᵢ) from α alone. Objective and gap take O(n) and no
/// kernel evaluations. Memory: five vectors of n floats.
///
/// # References
/// Hsieh, Chang, Lin, Keerthi & Sundararajan (2008), *A Dual Coordinate Descent Method for
/// Large-scale Linear SVM*, (9); Shalev-Shwartz & Zhang (2013), *Stochastic Dual Coordinate Ascent
/// Methods for Regularized Loss Minimization*, section 6.2.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::{CoordinateAscent, Svc};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [false, true, true, false];
/// let kernel = Rbf::new(0.5)?;
/// let mut ascent = CoordinateAscent::new(&kernel, &x, &y, 10.0)?.seed(7);
/// let before = ascent.objective();
/// ascent.step()?;
/// assert!(ascent.objective() > before);
/// ascent.steps(2000)?;
/// assert!(ascent.gap() < 1e-9);
/// let svc = Svc::on_kernel(kernel).c(10.0).intercept(false).violation(1e-9).fit(&x, &y)?;
/// assert!((svc.report().objective - ascent.objective()).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "SDCA")]
#[doc(alias = "dual coordinate descent")]
#[derive(Debug)]
pub struct CoordinateAscent<'a, P: Points, K> {
    kernel: &'a K,
    points: &'a P,
    gram: LazyGram<'a, K, P>,
    /// ±1.
    signs: Vec<f64>,
    c: f64,
    diagonal: Vec<f64>,
    alpha: Vec<f64>,
    /// f(xᵢ).
    values: Vec<f64>,
    column: Mat<P::Scalar>,
    rng: ChaCha8Rng,
}

impl<'a, P: Points, K: Mercer<P>> CoordinateAscent<'a, P, K> {
    /// Starts from α = 0 for these points, labels (true for y = +1), and penalty C > 0 of Σξᵢ.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::Length`] if the numbers of labels and points differ;
    /// [`Error::Core`] for C ≤ 0 or points that the kernel does not accept; [`Error::Gram`] for a
    /// non-finite K(x, x).
    pub fn new(kernel: &'a K, points: &'a P, labels: &[bool], c: f64) -> Result<Self, Error> {
        let n = points.len();
        check_length("labels", n, labels.len())?;
        Positive::new("c", c)?;
        let gram = LazyGram::new(kernel, points)?;
        let diagonal = finite_diagonal((0..n).map(|i| kernel.diag(points, i).to_f64()))?;
        Ok(Self {
            kernel,
            points,
            gram,
            signs: labels.iter().map(|&label| if label { 1.0 } else { -1.0 }).collect(),
            c,
            diagonal,
            alpha: zero_vec(n)?,
            values: zero_vec(n)?,
            column: zeros(n, 1)?,
            rng: ChaCha8Rng::seed_from_u64(0),
        })
    }

    /// The random seed of the coordinates drawn by [`step`](Self::step) from here on. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        self
    }

    /// Performs a step on a coordinate drawn uniformly at random, and returns its index.
    ///
    /// # Errors
    /// [`Error::Gram`] for a non-finite kernel value; the state is then unchanged.
    pub fn step(&mut self) -> Result<usize, Error> {
        let i = self.rng.random_range(0..self.alpha.len());
        self.step_on(i)?;
        Ok(i)
    }

    /// Performs `count` steps on random coordinates.
    ///
    /// # Errors
    /// As [`step`](Self::step); the steps before the error remain.
    pub fn steps(&mut self, count: usize) -> Result<(), Error> {
        (0..count).try_for_each(|_| self.step().map(drop))
    }

    /// Performs the step on coordinate i, and returns the change of αᵢ.
    ///
    /// # Errors
    /// [`Error::Core`] if i is out of range; otherwise as [`step`](Self::step).
    pub fn step_on(&mut self, i: usize) -> Result<f64, Error> {
        kern_core::Error::check_indices(&[i], self.alpha.len())?;
        let slope = 1.0 - self.signs[i] * self.values[i];
        let before = self.alpha[i];
        let after = if self.diagonal[i] > 0.0 {
            (before + slope / self.diagonal[i]).clamp(0.0, self.c)
        } else {
            // A point of norm 0 has f(x) = 0 for every α.
            self.c
        };
        let change = after - before;
        if change == 0.0 {
            return Ok(0.0);
        }
        self.gram.submatrix_into(Rows::All, &[i], self.column.as_mut())?;
        let by = self.signs[i] * change;
        let values = self.values.iter_mut().zip(self.column.col_as_slice(0));
        values.for_each(|(value, k)| *value = by.mul_add(k.to_f64(), *value));
        self.alpha[i] = after;
        Ok(change)
    }

    /// αᵢ of each point, in [0, C].
    pub fn coefficients(&self) -> &[f64] {
        &self.alpha
    }

    /// f(xᵢ) of each point.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The dual objective Σαᵢ − ½‖f‖²; no step lowers it.
    pub fn objective(&self) -> f64 {
        self.alpha.iter().sum::<f64>() - self.energy()
    }

    /// The duality gap: the primal objective ½‖f‖² + C Σ max(0, 1 − yᵢf(xᵢ)) minus the dual
    /// objective. It bounds the distance of either from the optimum.
    pub fn gap(&self) -> f64 {
        let margins = self.values.iter().zip(&self.signs).map(|(value, sign)| value * sign);
        let losses: f64 = margins.map(|margin| (1.0 - margin).max(0.0)).sum();
        (2.0 * self.energy() + self.c * losses - self.alpha.iter().sum::<f64>()).max(0.0)
    }

    /// The current function f.
    ///
    /// # Errors
    /// If memory for the points with non-zero coefficients cannot be allocated.
    pub fn function(&self) -> Result<KernelExpansion<P, K>, Error>
    where
        K: Clone,
    {
        let mut coefficients = zeros(self.alpha.len(), 1)?;
        let signed = self.alpha.iter().zip(&self.signs).map(|(alpha, sign)| alpha * sign);
        let column = coefficients.col_as_slice_mut(0).iter_mut();
        column.zip(signed).for_each(|(to, a)| *to = P::Scalar::from_f64(a));
        KernelExpansion::new(self.kernel.clone(), self.points, coefficients.as_ref())
    }

    /// ½‖f‖².
    fn energy(&self) -> f64 {
        let terms = self.alpha.iter().zip(&self.signs).zip(&self.values);
        0.5 * terms.map(|((alpha, sign), value)| alpha * sign * value).sum::<f64>()
    }
}
