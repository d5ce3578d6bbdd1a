//! Functions in the span of kernels at training points.

use super::decision::{check_numbers, with_intercepts};
use super::{Arity, Decision, FeatureExpansion};
use crate::Error;
use crate::differences::ByDifferences;
use faer::{ColMut, ColRef, Mat, MatRef};
use kern_approx::statistics::add_products;
use kern_approx::{NystromMap, transform};
use kern_core::feature_map::Fold;
use kern_core::memory::converted;
use kern_core::{
    Explicit, FeatureMap, Kernel, Named, Points, Prepared, Scalar, compiled_once, serde_mat,
};
use kern_gram::numerics::arithmetic::largest;
use kern_gram::{CrossGram, MemoryBudget, matrix_bytes, zero_vec, zeros};
use serde::{Deserialize, Serialize};
use std::iter::once;
use std::sync::OnceLock;

/// f(x) = b + Σᵢ αᵢ K(x, xᵢ), one intercept b and one column of coefficients per output.
///
/// In models based on distances (clusters, principal components, and SVMs on points far from the
/// origin), −½‖φ(x) − φ(xᵢ)‖² replaces K(x, xᵢ) if the kernel can compute it from differences of
/// points ([`Kernel::differences`]): it is near 0 and exact where K is large and rounded.
///
/// Only points with a nonzero coefficient are kept.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Linear};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let model = Ridge::on_kernel(Linear).lambda(0.5).fit(&x, &[1.0_f64, 2.0])?;
/// // w = Σ αᵢxᵢ = 5/(5 + nλ)
/// let expansion = model.decision();
/// let w = expansion.coefficients()[(0, 0)] + 2.0 * expansion.coefficients()[(1, 0)];
/// assert!((w - 5.0 / 6.0).abs() < 1e-15);
/// assert_eq!(expansion.points().len(), 2);
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
pub struct KernelExpansion<P: Points, K> {
    #[serde(with = "kern_core::named")]
    kernel: K,
    points: P,
    #[serde(with = "serde_mat")]
    coefficients: Mat<P::Scalar>,
    intercepts: Vec<P::Scalar>,
    /// Set if −½‖φ(x) − φ(xᵢ)‖² replaces K(x, xᵢ).
    by_differences: bool,
    #[serde(skip)]
    preparation: Preparation,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>, K: Named + Deserialize<'de>"))]
struct Unchecked<P: Points, K> {
    #[serde(with = "kern_core::named")]
    kernel: K,
    points: P,
    #[serde(with = "serde_mat")]
    coefficients: Mat<P::Scalar>,
    intercepts: Vec<P::Scalar>,
    by_differences: bool,
}

impl<P: Points, K: Kernel<P>> TryFrom<Unchecked<P, K>> for KernelExpansion<P, K> {
    type Error = Error;

    fn try_from(read: Unchecked<P, K>) -> Result<Self, Error> {
        let Unchecked { kernel, points, coefficients, intercepts, by_differences } = read;
        kernel.check(&points)?;
        let (expected, shape) = ((points.len(), coefficients.ncols()), coefficients.shape());
        kern_gram::Error::check_shape("the coefficients", expected, shape)?;
        check_numbers(coefficients.as_ref(), &intercepts)?;
        Ok(Self::of_parts(kernel, points, coefficients, intercepts, by_differences))
    }
}

impl<P: Points, K> Arity for KernelExpansion<P, K> {
    fn arity(&self) -> usize {
        self.coefficients.ncols()
    }
}

/// The points with nonzero coefficients, and these coefficients.
#[compiled_once]
fn support<P: Points>(
    points: &P,
    coefficients: MatRef<'_, P::Scalar>,
) -> Result<(P, Mat<P::Scalar>), Error> {
    let used = |&i: &usize| coefficients.row(i).iter().any(|&a| a != P::Scalar::ZERO);
    let support: Vec<usize> = (0..points.len()).filter(used).collect();
    let mut kept = zeros(support.len(), coefficients.ncols())?;
    for (mut to, &from) in kept.row_iter_mut().zip(&support) {
        to.copy_from(coefficients.row(from));
    }
    Ok((points.keep(&support)?, kept))
}

/// The largest K(x, x) of these points, at least 0; NaN if any is NaN.
#[compiled_once]
fn largest_diag<P: Points>(kernel: &dyn Kernel<P>, points: &P) -> f64 {
    let own = (0..points.len()).map(|i| kernel.diag(points, i).to_f64());
    largest(once(0.0).chain(own)).map_or(0.0, |(_, own)| own)
}

/// What was computed of the support vectors for the first prediction. It follows from them, so all
/// compare equal.
#[derive(Clone, Debug, Default)]
struct Preparation(OnceLock<Option<Prepared>>);

impl PartialEq for Preparation {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// b + Σᵢ αᵢ K(·, xᵢ) at all points.
#[compiled_once]
fn decide<P: Points>(
    kernel: &dyn Kernel<P>,
    points: &P,
    support: &P,
    preparation: &Preparation,
    coefficients: MatRef<'_, P::Scalar>,
    intercepts: &[P::Scalar],
    by_differences: bool,
) -> Result<Mat<P::Scalar>, Error> {
    let used = match by_differences {
        true => ByDifferences::of(kernel),
        false => ByDifferences::Itself(kernel),
    };
    if by_differences {
        kernel.check(points)?;
    }
    support.prepare_columns(points.len());
    let prepared = preparation.0.get_or_init(|| used.kernel().prepare(support)).as_ref();
    let cross = CrossGram::of_model(used.kernel(), points, support, prepared)?;
    with_intercepts(cross.apply(coefficients)?, intercepts)
}

impl<P: Points, K> KernelExpansion<P, K> {
    fn of_parts(
        kernel: K,
        points: P,
        coefficients: Mat<P::Scalar>,
        intercepts: Vec<P::Scalar>,
        by_differences: bool,
    ) -> Self {
        let preparation = Preparation::default();
        Self { kernel, points, coefficients, intercepts, by_differences, preparation }
    }

    /// The expansion with these coefficients (n × outputs), without points whose coefficients are
    /// zero.
    pub(crate) fn new(
        kernel: K,
        points: &P,
        coefficients: MatRef<'_, P::Scalar>,
    ) -> Result<Self, Error> {
        let (points, coefficients) = support(points, coefficients)?;
        let intercepts = zero_vec(coefficients.ncols())?;
        Ok(Self::of_parts(kernel, points, coefficients, intercepts, false))
    }

    /// Replaces the kernel.
    pub(crate) fn with_kernel<L>(self, kernel: L) -> KernelExpansion<P, L> {
        let Self { points, coefficients, intercepts, by_differences, .. } = self;
        KernelExpansion::of_parts(kernel, points, coefficients, intercepts, by_differences)
    }

    /// The function of the landmark features with these weights (features × outputs), as an
    /// expansion in kernel values with the landmarks.
    pub(crate) fn of_landmarks(
        map: &NystromMap<P, K>,
        weights: MatRef<'_, f64>,
    ) -> Result<Self, Error>
    where
        K: Kernel<P> + Clone,
    {
        let coefficients = Fold::of(map)?.coefficients(weights)?;
        Self::new(map.kernel().clone(), map.landmarks(), coefficients.as_ref())
    }

    /// The expansion with these coefficients at all points, including zero coefficients: for models
    /// with other per-point state.
    pub(crate) fn of_all(
        kernel: K,
        points: &P,
        coefficients: Mat<P::Scalar>,
    ) -> Result<Self, Error> {
        let all: Vec<usize> = (0..points.len()).collect();
        Self::of_support(kernel, points, &all, coefficients)
    }

    /// The expansion at the points with these indices, with a row of coefficients for each.
    pub(crate) fn of_support(
        kernel: K,
        points: &P,
        support: &[usize],
        coefficients: Mat<P::Scalar>,
    ) -> Result<Self, Error> {
        let intercepts = zero_vec(coefficients.ncols())?;
        let points = points.keep(support)?;
        Ok(Self::of_parts(kernel, points, coefficients, intercepts, false))
    }

    /// Replaces K(x, xᵢ) by −½‖φ(x) − φ(xᵢ)‖² if the kernel can compute it from differences of
    /// points ([`Kernel::differences`]): for functions that change only by a constant, or by a term
    /// that does not depend on the output.
    pub(crate) fn by_differences(self) -> Self {
        Self { by_differences: true, preparation: Preparation::default(), ..self }
    }

    /// Returns true if −½‖φ(x) − φ(xᵢ)‖² replaces K(x, xᵢ).
    pub fn is_by_differences(&self) -> bool {
        self.by_differences
    }

    /// Multiplies the function by c.
    pub(crate) fn times(mut self, c: P::Scalar) -> Self {
        self.coefficients.col_iter_mut().flat_map(ColMut::iter_mut).for_each(|a| *a *= c);
        self.intercepts.iter_mut().for_each(|b| *b *= c);
        self
    }

    /// Replaces the intercepts, one per output.
    pub(crate) fn with_intercepts(self, intercepts: Vec<P::Scalar>) -> Self {
        Self { intercepts, ..self }
    }

    /// Returns the function if its values at these points, which include its own, are finite: a
    /// model must be able to predict at its training points.
    ///
    /// For a Mercer kernel |K(x, xᵢ)| ≤ maxⱼ K(xⱼ, xⱼ), and squared distances are at most four
    /// times as large. The points are evaluated only if a sum of such values might overflow.
    ///
    /// # Errors
    /// As [`decide`](Decision::decide).
    pub(crate) fn answering(self, points: &P) -> Result<Self, Error>
    where
        K: Kernel<P>,
    {
        let largest = 4.0 * largest_diag(&self.kernel, points);
        let sizes = self.coefficients.col_iter().zip(&self.intercepts).map(|(column, b)| {
            let sum: f64 = column.iter().map(|a| a.to_f64().abs()).sum();
            sum * largest + largest + b.to_f64().abs()
        });
        let is_safe = |size: f64| P::Scalar::from_f64(size).is_finite_number();
        if !sizes.into_iter().all(is_safe) {
            self.decide(points)?;
        }
        Ok(self)
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The points xᵢ.
    pub fn points(&self) -> &P {
        &self.points
    }

    /// The coefficients αᵢ: points × outputs.
    pub fn coefficients(&self) -> MatRef<'_, P::Scalar> {
        self.coefficients.as_ref()
    }

    /// The intercepts, one per output; zeros if the solver fits none. They belong to the expansion
    /// as it is evaluated, which is one of distances for some SVMs on points far from the origin:
    /// [`kernel_intercepts`](Self::kernel_intercepts) belong to kernel values.
    pub fn intercepts(&self) -> &[P::Scalar] {
        &self.intercepts
    }

    /// The b of b + Σᵢ αᵢK(·, xᵢ), one per output.
    pub fn kernel_intercepts(&self) -> Vec<P::Scalar>
    where
        K: Kernel<P>,
    {
        if !self.by_differences || self.kernel.differences().is_none() {
            return self.intercepts.clone();
        }
        // The coefficients sum to zero, so that Σᵢ αᵢK(x, xᵢ) = Σᵢ αᵢ(K(xᵢ, xᵢ)/2 − ‖φ(x) −
        // φ(xᵢ)‖²/2).
        let own = |i: usize| self.kernel.diag(&self.points, i).to_f64();
        let own: Vec<f64> = (0..self.points.len()).map(own).collect();
        let outputs = self.coefficients.col_iter().zip(&self.intercepts);
        let intercept = |(column, b): (ColRef<'_, P::Scalar>, &P::Scalar)| {
            let terms = column.iter().zip(&own).map(|(a, own)| a.to_f64() * own);
            P::Scalar::from_f64(b.to_f64() - 0.5 * terms.sum::<f64>())
        };
        outputs.map(intercept).collect()
    }
}

impl<P: Points, K: Explicit<P>> KernelExpansion<P, K> {
    /// The same function as b + wᵀφ(x), w = Σᵢ αᵢφ(xᵢ), for a kernel with finitely many features: a
    /// prediction costs D products, whatever the number of support vectors.
    ///
    /// # Complexity
    /// The features of all points, and D products for each and each output.
    ///
    /// # Errors
    /// [`Error::Gram`] if the memory is exceeded; [`Error::Core`] if the kernel has too many
    /// features.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Linear};
    /// use kern_gram::MemoryBudget;
    /// use kern_solvers::{model::Decision, svm::Svc};
    /// let x = Samples::from_rows(&[[-2.0, 1.0], [0.0, 0.0], [3.0, 0.0], [5.0, -1.0]])?;
    /// let model = Svc::on_kernel(Linear).c(10.0).fit(&x, &[0, 0, 1, 1])?;
    /// let linear = model.decision().collapsed(&MemoryBudget::mebibytes(1))?;
    /// // The line in the middle between 0 and 3.
    /// assert!((linear.weights()[(0, 0)] - 2.0_f64 / 3.0).abs() < 1e-3);
    /// assert!((linear.intercepts()[0] + 1.0).abs() < 1e-3);
    /// let apart = linear.decide(&x)? - model.decision_values(&x)?;
    /// assert!(apart.norm_max() < 1e-12);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn collapsed(
        &self,
        budget: &MemoryBudget,
    ) -> Result<FeatureExpansion<K::Map, P::Scalar>, Error> {
        let map = self.kernel.feature_map(&self.points)?;
        let (dim, outputs) = (map.dim(), self.coefficients.ncols());
        let needed = matrix_bytes::<f64>(dim, 2 * outputs);
        budget.require("the weights of the features", needed, "keep the kernel")?;
        let features = transform(&map, &self.points, budget)?;
        let columns = MatRef::from_column_major_slice(features.as_slice(), dim, features.len());
        let mut weights = zeros(dim, outputs)?;
        add_products(weights.as_mut(), columns, self.coefficients());
        let expansion = FeatureExpansion::new(map, converted(weights.as_ref())?);
        Ok(expansion.with_intercepts(self.kernel_intercepts()))
    }
}

impl<P: Points, K: Kernel<P>> Decision<P> for KernelExpansion<P, K> {
    fn outputs(&self) -> usize {
        self.coefficients.ncols()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        check_numbers(self.coefficients(), &self.intercepts)
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        decide(
            &self.kernel,
            points,
            &self.points,
            &self.preparation,
            self.coefficients(),
            &self.intercepts,
            self.by_differences,
        )
    }
}
