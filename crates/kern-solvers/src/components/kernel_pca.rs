//! Kernel principal component analysis: the estimator, and its fit on a kernel.
//!
//! The components on a kernel are the leading eigenvectors of the centred Gram matrix G = S(I −
//! 1pᵀ)K(I − p1ᵀ)S, with S = diag(√β) and p = β/W.

use super::Components;
use super::block_krylov::{Operator, Search};
use super::leading_eigenvectors::{Found, distances, gram, leading_eigenvectors, orient, residual};
use crate::design::Design;
use crate::differences::ByDifferences;
use crate::estimator::check;
use crate::model::{Decision, KernelExpansion};
use crate::pipeline::Pipeline;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, Space, constructors, named_learners};
use crate::{Data, Error, Learner, Report, Run, Targets, Transformer, fit_sugar};
use faer::{Mat, MatMut, MatRef};
use kern_core::closure::AssumeMercer;
use kern_core::parameters::Domain;
use kern_core::tile::for_each_column;
use kern_core::{Mercer, Points, Samples, Scalar, Scratch, settings};
use kern_gram::{GramOperator, Rows, zeros};
use serde::{Deserialize, Serialize};

/// The negative eigenvalue of a kernel matrix, relative to the largest one, that rounding of its entries explains, in double and in
/// single precision: scikit-learn's.
const INDEFINITE: f64 = 1e-5;
const INDEFINITE_SINGLE: f64 = 5e-3;

fn indefinite<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { INDEFINITE } else { INDEFINITE_SINGLE }
}

/// Number of partial sums, which hide the latency of additions.
const LANES: usize = 8;

/// Kernel principal component analysis (kernel PCA), for nonlinear dimensionality reduction.
///
/// See [`components`](crate::components) for the definition. The model can be a step of a pipeline:
/// it maps points to their components. Components with an eigenvalue below rounding error are
/// dropped, so there may be fewer than requested.
///
/// # Numerics
/// The sign of a component makes its largest entry over the training points positive, as in
/// scikit-learn. Each [eigenvalue](Components::eigenvalues) is within its
/// [residual](Components::residuals) of an eigenvalue of the matrix.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::{Transformer, components::KernelPca};
/// // A small circle in a large one.
/// let at = |i: u32, radius: f64| [radius * f64::from(i).cos(), radius * f64::from(i).sin()];
/// let rows: Vec<[f64; 2]> = (0..80).map(|i| at(i, if i < 40 { 1.0 } else { 5.0 })).collect();
/// let x = Samples::from_rows(&rows)?;
/// let model = KernelPca::on_kernel(Rbf::new(0.05)?, 2).fit(&x)?;
/// let z = model.transform(&x)?;
/// // One of the components tells the circles apart.
/// let inner = |p: usize| (0..40).map(|i| z.item(i)[p]).fold(f64::NEG_INFINITY, f64::max);
/// let outer = |p: usize| (40..80).map(|i| z.item(i)[p]).fold(f64::INFINITY, f64::min);
/// assert!((0..2).any(|p| inner(p) < outer(p)) || model.explained_ratio()[0] > 0.2);
/// assert!(model.eigenvalues()[0] >= model.eigenvalues()[1]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "kPCA")]
#[doc(alias = "PCA")]
#[doc(alias = "principal component analysis")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPca<S> {
    space: S,
    settings: PcaSettings,
}

settings! {
    /// The parameters that do not depend on the space.
    pub(super) struct PcaSettings in settings;

    KernelPca {
        /// The number of components. Default: that of the constructor.
        components: usize = 2, Domain::count(1);
    }
    KernelPca on OnKernel {
        /// The residual of an eigenvector, relative to the largest eigenvalue, at which the
        /// iteration ends. Default: 1e-10, and 1e-5 for points in single precision.
        tolerance: f64, Domain::positive();
        /// The maximum number of products with a block of vectors. Default: 300.
        max_iterations: usize = 300, Domain::count(1);
        /// The seed of the first block of vectors. Default: 0.
        seed: u64 = 0;
    }
}

named_learners! { KernelPca: settings; }

constructors! {
    KernelPca(components: usize);
    /// Kernel PCA with this kernel and number of components.
    on_kernel;
    /// Kernel PCA in the span of Nyström landmarks, which are chosen in the fit by these
    /// parameters.
    on_landmarks;
    /// PCA on the features of this feature map.
    on_features;
}

impl<S> KernelPca<S> {
    /// Kernel PCA in this space.
    pub fn on(space: S, components: usize) -> Self {
        Self { space, settings: PcaSettings { components, ..PcaSettings::default() } }
    }

    /// A pipeline of this transformation and a learner.
    pub fn then<L>(self, learner: L) -> Pipeline<Self, L> {
        Pipeline::new(self, learner)
    }

    fit_sugar!(unsupervised);
}

/// A space in which principal components are found. Sealed: its methods take types that cannot be
/// named outside.
pub trait ComponentSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<Self::Function>, Error>;

    /// The coefficients of the function for the training points, if it has them; without sample
    /// weights they are z_p(xᵢ)/λ_p.
    #[doc(hidden)]
    #[must_use]
    fn coefficients(_: &Self::Function) -> Option<MatRef<'_, P::Scalar>> {
        None
    }
}

/// Weighted training points, and the settings of a fit.
#[derive(Debug)]
pub struct Task<'t, P> {
    pub(super) settings: &'t PcaSettings,
    pub(super) points: &'t P,
    /// β, unless all are 1.
    pub(super) weights: Option<&'t [f64]>,
}

/// Targets are ignored.
///
/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain, points that the kernel or the map
/// refuses, or a kernel matrix with negative eigenvalues beyond rounding error; [`Error::Count`]
/// for more components than points or features; [`Error::Empty`]; [`Error::Gram`] beyond the memory
/// of the run or for non-finite values; [`Error::Unsupported`] if all points have the same image in
/// feature space; [`Error::NoEigenvalues`]; [`Error::Stopped`] if the run ends a dense solver.
impl<P: Points, Y: Targets, S: ComponentSpace<P>> Learner<P, Y> for KernelPca<S> {
    type Model = Components<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let (settings, weights) = (&self.settings, data.sample_weights());
        let model =
            self.space.components(&Task { settings, points: data.points(), weights }, run)?;
        model.report().check()?;
        Ok(model)
    }
}

impl<S> KernelPca<S> {
    /// Fits the points, and returns the model with their components.
    ///
    /// # Errors
    /// As [`learn`](Learner::learn).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Points, Samples, kernels::Rbf};
    /// use kern_solvers::{Transformer, components::KernelPca};
    /// let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [4.0]])?;
    /// let (model, z) = KernelPca::on_kernel(Rbf::new(0.5)?, 2).fit_transform(&x)?;
    /// let again = model.transform(&x)?;
    /// assert!((0..4).all(|i| (0..2).all(|p| f64::abs(z.item(i)[p] - again.item(i)[p]) < 1e-12)));
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn fit_transform<P>(&self, points: &P) -> Result<Fitted<P, S>, Error>
    where
        P: Points,
        S: ComponentSpace<P, Function: Decision<P>>,
    {
        self.learn_transform(&Data::unlabelled(points)?, &mut Run::new())
    }

    /// Fits the data, and returns the model with the components of the points. On a kernel and
    /// without sample weights they come from the eigenvectors and take no further kernel values.
    /// They agree with [`transform`](Transformer::transform) up to the residuals divided by √λ_p.
    ///
    /// # Errors
    /// As [`learn`](Learner::learn).
    pub fn learn_transform<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Fitted<P, S>, Error>
    where
        P: Points,
        Y: Targets,
        S: ComponentSpace<P, Function: Decision<P>>,
    {
        let model = self.learn(data, run)?;
        let needed = Transformer::<P>::bytes(&model, data.points());
        run.budget().require("components of the points", needed, "take fewer points")?;
        let known = S::coefficients(model.decision()).filter(|_| data.sample_weights().is_none());
        let components = match known {
            Some(coefficients) => model.of_fit(coefficients)?,
            None => model.transform(data.points())?,
        };
        Ok((model, components))
    }
}

/// A model, and the components of its training points.
pub type Fitted<P, S> = (Components<<S as Space<P>>::Function>, Samples<<P as Points>::Scalar>);

impl<P: Points, K: Mercer<P> + Clone> ComponentSpace<P> for OnKernel<K> {
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<KernelExpansion<P, K>>, Error> {
        let Task { settings, points, weights } = *task;
        let design = Design::new((), points, weights.map(<[f64]>::to_vec), false)?;
        let (kernel, points) = (&self.kernel, design.points());
        kernel.check(points)?;
        let n = points.len();
        Error::check_most("the number of components", settings.components, n)?;
        let search = Search {
            size: n,
            count: settings.components,
            tolerance: residual::<P::Scalar>(settings.tolerance),
            max_iterations: settings.max_iterations,
            seed: settings.seed,
        };
        let compared = ByDifferences::of(kernel);
        let used = AssumeMercer(compared.kernel());
        let (gram, _) = gram(&used, points, &search, 0, run)?;
        let centred = Centred::new(&*gram, &design);
        let found = leading_eigenvectors(&search, &centred, run)?;
        finish(kernel, compared.is_apart(), points, &centred, found)
    }

    fn coefficients(function: &KernelExpansion<P, K>) -> Option<MatRef<'_, P::Scalar>> {
        Some(function.coefficients())
    }
}

/// The model of these eigenpairs, with residuals from one further product.
fn finish<P, K>(
    kernel: &K,
    is_apart: bool,
    points: &P,
    centred: &Centred<'_, P::Scalar>,
    mut found: Found<P::Scalar>,
) -> Result<Components<KernelExpansion<P, K>>, Error>
where
    P: Points,
    K: Mercer<P> + Clone,
{
    let n = points.len();
    let scale = found.values.first().map_or(0.0, |value| value.abs()).max(centred.largest());
    check_sign::<P::Scalar>(found.smallest, scale)?;
    let count = significant(&found.values, n as f64 * P::Scalar::UNIT_ROUNDOFF * scale)?;
    found.vectors.resize_with(n, count, |_, _| P::Scalar::ZERO);
    orient(&mut found.vectors);
    let (images, means) = centred.apply_with_means(found.vectors.as_ref())?;
    let residuals = distances(&found, &images);
    let total = centred.trace(&means);
    let mut vectors = found.vectors;
    for (p, value) in found.values[..count].iter().enumerate() {
        let scale = P::Scalar::from_f64(1.0 / value.sqrt());
        vectors.col_as_slice_mut(p).iter_mut().for_each(|u| *u *= scale);
    }
    centred.spread(vectors.as_mut());
    vectors.resize_with(n, count + 1, |i, _| P::Scalar::from_f64(-2.0 * centred.shares()[i]));
    let offset = |p: usize| {
        let pairs = vectors.col(p).iter().zip(&means);
        let sum: f64 = pairs.map(|(c, mean)| c.to_f64() * mean).sum();
        // ‖μ‖² = pᵀKp for the last function, whose coefficients are −2p.
        P::Scalar::from_f64(if p < count { -sum } else { -0.5 * sum })
    };
    let offsets = (0..=count).map(offset).collect();
    let function = KernelExpansion::new(kernel.clone(), points, vectors.as_ref())?;
    let function = if is_apart { function.by_differences() } else { function };
    let values = found.values[..count].to_vec();
    let objective = (total - values.iter().sum::<f64>()).max(0.0);
    let report = Report::new(found.status, found.iterations, objective, None);
    let function = function.with_intercepts(offsets);
    Ok(Components::new(function, values, residuals, total, centred.weight, report))
}

/// Refuses a matrix with a negative eigenvalue beyond the rounding errors of values up to `scale`:
/// it is not the Gram matrix of any feature space.
fn check_sign<T: Scalar>(smallest: f64, scale: f64) -> Result<(), Error> {
    let allowed = -indefinite::<T>() * scale;
    match smallest < allowed {
        true => Err(kern_core::Error::Indefinite { eigenvalue: smallest, allowed }.into()),
        false => Ok(()),
    }
}

/// G = S(I − 1pᵀ)K(I − p1ᵀ)S with S = diag(√β) and p = β/W.
struct Centred<'c, T: Scalar> {
    gram: &'c dyn GramOperator<T>,
    /// √β, unless all are 1.
    roots: Option<&'c [T]>,
    /// p.
    shares: Vec<f64>,
    /// W.
    weight: f64,
}

impl<'c, T: Scalar> Centred<'c, T> {
    fn new<P: Points<Scalar = T>>(
        gram: &'c dyn GramOperator<T>,
        design: &'c Design<'_, P, ()>,
    ) -> Self {
        let n = gram.size();
        let weight: f64 = (0..n).map(|i| design.weight(i)).sum();
        let shares = (0..n).map(|i| design.weight(i) / weight).collect();
        Self { gram, roots: design.roots(), shares, weight }
    }

    /// p.
    fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// max βᵢKᵢᵢ, the scale of rounding errors.
    fn largest(&self) -> f64 {
        let pairs = self.gram.diag().into_iter().zip(&self.shares);
        pairs.fold(0.0, |most: f64, (k, share)| most.max(share * self.weight * k.to_f64()))
    }

    /// tr G.
    fn trace(&self, means: &[f64]) -> f64 {
        let pairs = self.gram.diag().into_iter().zip(&self.shares);
        let own: f64 = pairs.map(|(k, share)| share * k.to_f64()).sum();
        let mean: f64 = means.iter().zip(&self.shares).map(|(mean, share)| mean * share).sum();
        self.weight * (own - mean).max(0.0)
    }

    /// V ← (I − p1ᵀ)SV: from coefficients of centred points to those of the points.
    fn spread(&self, v: MatMut<'_, T>) {
        for_each_column(v, &mut Scratch::new(), |_, column| {
            self.scale(column);
            let sum = sum(column, |v, _| v);
            let deduct = |(v, share): (&mut T, &f64)| *v -= T::from_f64(share * sum);
            column.iter_mut().zip(&self.shares).for_each(deduct);
        });
    }

    /// GV and Kp, by one product with K.
    fn apply_with_means(&self, v: MatRef<'_, T>) -> Result<(Mat<T>, Vec<f64>), Error> {
        let (n, count) = v.shape();
        let (mut spread, mut images): (Mat<T>, Mat<T>) =
            (zeros(n, count + 1)?, zeros(n, count + 1)?);
        spread.as_mut().subcols_mut(0, count).copy_from(v);
        self.spread(spread.as_mut().subcols_mut(0, count));
        let shares = spread.col_as_slice_mut(count).iter_mut().zip(&self.shares);
        shares.for_each(|(p, &share)| *p = T::from_f64(share));
        self.gram.apply_into(spread.as_ref(), images.as_mut())?;
        let means = images.col(count).iter().map(|mean| mean.to_f64()).collect();
        images.resize_with(n, count, |_, _| T::ZERO);
        self.centre(images.as_mut());
        Ok((images, means))
    }

    /// V ← S(I − 1pᵀ)V.
    fn centre(&self, v: MatMut<'_, T>) {
        for_each_column(v, &mut Scratch::new(), |_, column| {
            let mean = T::from_f64(sum(column, |v, i| self.shares[i] * v));
            column.iter_mut().for_each(|v| *v -= mean);
            self.scale(column);
        });
    }

    /// Multiplies a column by S.
    fn scale(&self, column: &mut [T]) {
        let Some(roots) = self.roots else { return };
        column.iter_mut().zip(roots).for_each(|(v, &root)| *v *= root);
    }
}

impl<T: Scalar> Operator<T> for Centred<'_, T> {
    fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        let mut spread: Mat<T> = zeros(v.nrows(), v.ncols())?;
        spread.copy_from(v);
        self.spread(spread.as_mut());
        self.gram.apply_into(spread.as_ref(), out.as_mut())?;
        self.centre(out);
        Ok(())
    }

    /// Columns of S(I − 1pᵀ)K, centred on one side only, since that takes no product.
    fn columns(&self, indices: &[usize], mut out: MatMut<'_, T>) -> Result<(), Error> {
        self.gram.submatrix_into(Rows::All, indices, out.as_mut())?;
        self.centre(out);
        Ok(())
    }
}

/// Σ term(vᵢ, i) in double precision.
fn sum<T: Scalar>(v: &[T], term: impl Fn(f64, usize) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    for (c, chunk) in v.chunks(LANES).enumerate() {
        for (lane, (sum, v)) in sums.iter_mut().zip(chunk).enumerate() {
            *sum += term(v.to_f64(), c * LANES + lane);
        }
    }
    sums.iter().sum()
}

/// The number of eigenvalues above the rounding error.
///
/// # Errors
/// [`Error::Unsupported`] if none is.
pub(super) fn significant(values: &[f64], rounding: f64) -> Result<usize, Error> {
    let count = values.iter().take_while(|&&v| v > 0.0 && v > rounding).count();
    match count {
        0 => Err(Error::Unsupported {
            what: "principal components of points that all have the same image",
            instead: "give points that differ",
        }),
        count => Ok(count),
    }
}
