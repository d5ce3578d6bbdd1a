//! Pre-images: input vectors whose feature vectors are near a point of feature space.

use super::Components;
use crate::Error;
use crate::lbfgs_b::{Minimum, Rules, minimise};
use crate::model::{Decision, KernelExpansion};
use faer::Mat;
use kern_core::gradient::PointGradient;
use kern_core::{Kernel, Points, Samples, Scalar, Scratch, Tile};
use kern_gram::parallel;
use std::ops::ControlFlow;

/// The relative decrease of a squared distance, and the slope of it, with which a descent to a pre-image ends.
const PRE_IMAGE: f64 = 1e-9;

/// The most steps of such a descent: those of kernels with kinks need not end.
const PRE_IMAGE_ITERATIONS: usize = 200;

/// Approximate pre-images of points in the span of principal components.
#[derive(Clone, Debug, PartialEq)]
pub struct PreImages<T: Scalar> {
    points: Samples<T>,
    squared_distances: Vec<f64>,
}

impl<T: Scalar> PreImages<T> {
    /// The vectors, in the order of the given components.
    #[must_use]
    pub fn points(&self) -> &Samples<T> {
        &self.points
    }

    /// ‖φ(x) − P‖² of each vector: 0 for an exact pre-image.
    #[must_use]
    pub fn squared_distances(&self) -> &[f64] {
        &self.squared_distances
    }
}

impl<T: Scalar, K: Kernel<Samples<T>> + PointGradient<T>>
    Components<KernelExpansion<Samples<T>, K>>
{
    /// For each z, a vector x with φ(x) as near as possible to P = μ + Σ_p z_p·v_p: a local
    /// minimum, since most P have no exact pre-image. For the components of the points themselves
    /// this denoises the points: it removes the part outside the components.
    ///
    /// ‖φ(x) − P‖² = ‖φ(x) − μ‖² − Σ_p z_p(x)² + Σ_p (z_p(x) − z_p)² is minimised by L-BFGS from
    /// two starts: the nearest training point, and the mean of the ten nearest ones. The better
    /// minimum is returned.
    ///
    /// # Shapes and units
    /// `components` has a column per component; the returned points have the dimension of the
    /// training points.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of components; as [`Decision::decide`] if the
    /// minimisation reaches non-finite values.
    ///
    /// # Complexity
    /// n² kernel values for the starts, and about 2 · 30 · n kernel values and gradients for each
    /// vector.
    ///
    /// # References
    /// Mika, Schölkopf, Smola, Müller, Scholz & Rätsch (1999), *Kernel PCA and De-Noising in
    /// Feature Spaces*, equation 7; the starts: Kwok & Tsang (2004), *The Pre-Image Problem in
    /// Kernel Methods*.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Points, Samples, kernels::Rbf};
    /// use kern_solvers::{Transformer, components::KernelPca};
    /// // A half circle.
    /// let at = |i: u32| [(0.1 * f64::from(i)).cos(), (0.1 * f64::from(i)).sin()];
    /// let x = Samples::from_rows(&(0..32).map(at).collect::<Vec<_>>())?;
    /// let model = KernelPca::on_kernel(Rbf::new(1.0)?, 4).fit(&x)?;
    /// // A point outside of the circle is drawn to it.
    /// let beside = Samples::from_rows(&[[0.0, 1.2]])?;
    /// let near = model.pre_images(&model.transform(&beside)?)?;
    /// let radius = near.points().item(0).iter().map(|v: &f64| v * v).sum::<f64>().sqrt();
    /// assert!((radius - 1.0).abs() < 0.1);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn pre_images(&self, components: &Samples<T>) -> Result<PreImages<T>, Error> {
        Error::check_equal("components", self.count(), components.dim())?;
        let starts = Starts::new(self)?;
        let one = |_: &mut (), j: usize| self.pre_image(&starts, components.item(j));
        let found = parallel::map_init((0..components.len()).collect(), || (), one);
        let (mut rows, mut squared_distances) = (Vec::new(), Vec::new());
        for minimum in found {
            let minimum = minimum?;
            rows.extend(minimum.at.iter().map(|&v| T::from_f64(v)));
            squared_distances.push(minimum.value);
        }
        let points = Samples::from_row_major(self.decision().points().dim(), rows)?;
        Ok(PreImages { points, squared_distances })
    }

    /// The better of two minima.
    fn pre_image(&self, starts: &Starts<'_, T>, z: &[T]) -> Result<Minimum, Error> {
        let target = Target::new(self, z);
        let mut smallest: Option<Minimum> = None;
        for start in starts.of(z) {
            let found = target.minimum(start)?;
            if smallest.as_ref().is_none_or(|smallest| found.value < smallest.value) {
                smallest = Some(found);
            }
        }
        smallest.ok_or(Error::Empty)
    }
}

/// The training points, as candidates for starts.
struct Starts<'s, T: Scalar> {
    points: &'s Samples<T>,
    /// z(x) of each point; `errors` are the squared distances from the span of the components.
    components: Mat<T>,
    errors: Vec<f64>,
}

impl<'s, T: Scalar> Starts<'s, T> {
    /// Number of nearest points whose mean is a start.
    const NEAR: usize = 10;

    fn new<K: Kernel<Samples<T>>>(
        model: &'s Components<KernelExpansion<Samples<T>, K>>,
    ) -> Result<Self, Error> {
        let points = model.decision().points();
        let components = model.components(points)?;
        Ok(Self { points, components, errors: model.reconstruction_errors(points)? })
    }

    /// The nearest point to P, and the mean of the nearest ones.
    fn of(&self, z: &[T]) -> [Vec<f64>; 2] {
        let distance = |i: usize| {
            let pairs = self.components.row(i).iter().zip(z);
            self.errors[i] + pairs.map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2)).sum::<f64>()
        };
        let mut near: Vec<(f64, usize)> =
            (0..self.points.len()).map(|i| (distance(i), i)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(Self::NEAR);
        [&near[..near.len().min(1)], &near].map(|some| self.mean(some))
    }

    fn mean(&self, some: &[(f64, usize)]) -> Vec<f64> {
        let share = 1.0 / some.len().max(1) as f64;
        let mut mean = vec![0.0; self.points.dim()];
        for &(_, i) in some {
            let pairs = mean.iter_mut().zip(self.points.item(i));
            pairs.for_each(|(mean, x)| *mean += share * x.to_f64());
        }
        mean
    }
}

/// The target P of a minimisation: φ(x)ᵀP = Σᵢ γᵢK(xᵢ, x) up to a constant.
struct Target<'t, T: Scalar, K> {
    model: &'t Components<KernelExpansion<Samples<T>, K>>,
    z: &'t [T],
    /// γ = C·(z, −½), where C has the coefficients of the components and of −2μ.
    gamma: Mat<T>,
}

impl<'t, T: Scalar, K: Kernel<Samples<T>> + PointGradient<T>> Target<'t, T, K> {
    fn new(model: &'t Components<KernelExpansion<Samples<T>, K>>, z: &'t [T]) -> Self {
        let coefficients = model.decision().coefficients();
        let gamma = Mat::from_fn(coefficients.nrows(), 1, |i, _| {
            let row = coefficients.row(i);
            let known: T = z.iter().enumerate().fold(T::ZERO, |sum, (p, &z)| sum + z * row[p]);
            known - T::from_f64(0.5) * row[z.len()]
        });
        Self { model, z, gamma }
    }

    /// ‖φ(x) − P‖² and its gradient in x.
    fn at(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let x = Samples::from_row_major(x.len(), x.iter().map(|&v| T::from_f64(v)).collect())?;
        let decision = self.model.decision();
        let values = decision.decide(&x)?;
        let norm = decision.kernel().diag(&x, 0).to_f64();
        let mut square = norm + values[(0, self.z.len())].to_f64();
        for (p, z) in self.z.iter().enumerate() {
            let (found, z) = (values[(0, p)].to_f64(), z.to_f64());
            square += z * (z - 2.0 * found);
        }
        let mut gradient: Mat<T> = Mat::zeros(x.dim(), 2);
        let scratch = &mut Scratch::new();
        let (kernel, centres) = (decision.kernel(), decision.points());
        let (mut own, mut cross) = gradient.as_mut().split_at_col_mut(1);
        let tile = Tile::new(&x, 0..1, &x, 0..1);
        let one = Mat::from_fn(1, 1, |_, _| T::ONE);
        kernel.add_point_gradients(&tile, one.as_ref(), 0.0, own.as_mut(), scratch);
        let tile = Tile::new(centres, 0..centres.len(), &x, 0..1);
        kernel.add_point_gradients(&tile, self.gamma.as_ref(), 0.0, cross.as_mut(), scratch);
        // ∂K(x, x)/∂x is twice the derivative in one argument.
        let slope = |k: usize| 2.0 * (own[(k, 0)].to_f64() - cross[(k, 0)].to_f64());
        let slopes = (0..x.dim()).map(slope).collect();
        // Rounding may produce a negative value.
        Ok((square.max(0.0), slopes))
    }

    fn minimum(&self, start: Vec<f64>) -> Result<Minimum, Error> {
        let rules =
            Rules { decrease: PRE_IMAGE, slope: PRE_IMAGE, max_iterations: PRE_IMAGE_ITERATIONS };
        let wide = vec![f64::INFINITY; start.len()];
        let low = vec![f64::NEG_INFINITY; start.len()];
        let mut function = |x: &[f64]| self.at(x);
        let mut go = |_: usize, _: f64| ControlFlow::Continue(());
        minimise(start, &low, &wide, rules, &mut function, &mut go)
    }
}
