//! The problem of one machine: points with their targets and weights, and what every round asks of them.

use super::gradients::{Fitted, pulled_back};
use super::metric::{Metric, mean_square};
use super::params::Settings;
use crate::ridge::Ridge;
use crate::space::OnKernel;
use crate::{Data, Error};
use faer::{Mat, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::numerics::arithmetic::scale_rows;
use kern_gram::zeros;

/// Points with their targets and weights, all of which are positive.
pub(super) struct Problem<'p, T: Scalar, K> {
    /// All kernels, and the one that is looked at.
    pub(super) kernels: &'p [K],
    pub(super) kernel: &'p K,
    pub(super) settings: &'p Settings,
    pub(super) points: &'p Samples<T>,
    pub(super) targets: MatRef<'p, T>,
    pub(super) weights: Option<&'p [f64]>,
    /// The number of points over that of those with a positive weight.
    pub(super) share: f64,
}

/// Some of the points of a problem, with their targets and weights.
pub(super) struct Part<T: Scalar> {
    points: Samples<T>,
    targets: Mat<T>,
    weights: Option<Vec<f64>>,
}

impl<T: Scalar, K> Problem<'_, T, K> {
    /// Some of the points.
    pub(super) fn part(&self, indices: &[usize]) -> Result<Part<T>, Error> {
        let points = self.points.select(indices)?;
        let mut targets: Mat<T> = zeros(indices.len(), self.targets.ncols())?;
        let pairs = targets.row_iter_mut().zip(indices);
        pairs.for_each(|(mut to, &i)| to.copy_from(self.targets.row(i)));
        let weights = self.weights.map(|all| indices.iter().map(|&i| all[i]).collect());
        Ok(Part { points, targets, weights })
    }

    /// The same problem on some of its points.
    pub(super) fn on<'q>(&'q self, part: &'q Part<T>) -> Problem<'q, T, K> {
        let (points, targets) = (&part.points, part.targets.as_ref());
        Problem { points, targets, weights: part.weights.as_deref(), ..*self }
    }

    /// The same problem with another of the kernels.
    pub(super) fn with_kernel(&self, kernel: usize) -> Self {
        Problem { kernel: &self.kernels[kernel], ..*self }
    }

    /// Images of the points with their weights.
    pub(super) fn data<'z>(
        &'z self,
        images: &'z Samples<T>,
    ) -> Result<Data<'z, Samples<T>>, Error> {
        let data = Data::unlabelled(images)?;
        match self.weights {
            Some(weights) => data.weights(weights),
            None => Ok(data),
        }
    }

    /// The root of the weighted mean of squares, summed over outputs.
    pub(super) fn mean<S: Scalar>(&self, residuals: &Mat<S>) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, row) in residuals.row_iter().enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[i]);
            sum += weight * row.iter().map(|r| r.to_f64() * r.to_f64()).sum::<f64>();
            total += weight;
        }
        (sum / total).sqrt()
    }

    /// α = B^½γ.
    pub(super) fn unwhitened(&self, mut gamma: Mat<T>) -> Mat<T> {
        let roots: Option<Vec<T>> = self
            .weights
            .map(|weights| weights.iter().map(|weight| T::from_f64(weight.sqrt())).collect());
        scale_rows(&mut gamma, roots.as_deref());
        gamma
    }

    /// The mean squared distance that the points have as they are, or 0 if all are equal.
    pub(super) fn distance(&self) -> Result<f64, Error> {
        let given = mean_square(self.points, self.weights);
        if given.is_finite() {
            return Ok(given);
        }
        Err(Error::Range { what: "the mean squared distance of the points", given })
    }

    /// R in the scale in which the mean squared distance of images is `distance`; none if M is 0.
    pub(super) fn scaled(&self, metric: &Metric, distance: f64) -> Result<Option<Metric>, Error> {
        if metric.rank() == 0 {
            return Ok(None);
        }
        let scale = (distance / mean_square(&metric.map(self.points)?, self.weights)).sqrt();
        Ok(scale.is_finite().then(|| metric.scaled(scale)))
    }
}

impl<T, K> Problem<'_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// Ridge regression with λ per sample of the points that are used.
    pub(super) fn ridge(&self, lambda: f64) -> Ridge<OnKernel<K>> {
        let ridge = Ridge::on_kernel(self.kernel.clone()).intercept(self.settings.intercept);
        ridge.lambda(lambda * self.share)
    }

    /// The metric of the average outer product of gradients of Σᵢ αᵢK(zᵢ, z), in no particular scale.
    pub(super) fn next(
        &self,
        fitted: (&Metric, &Samples<T>),
        alpha: MatRef<'_, T>,
        diagonal: bool,
    ) -> Result<Metric, Error> {
        let m = self.outer_products(fitted, alpha, diagonal)?;
        Metric::of(m.as_ref(), !self.kernel.is_rotation_invariant())
    }

    /// The average outer product of gradients, with a share of the mean of its diagonal: its lower triangle, or its diagonal as
    /// a column.
    pub(super) fn outer_products(
        &self,
        (metric, images): (&Metric, &Samples<T>),
        alpha: MatRef<'_, T>,
        diagonal: bool,
    ) -> Result<Mat<f64>, Error> {
        let least = T::UNIT_ROUNDOFF * mean_square(images, self.weights);
        let (kernel, weights) = (self.kernel, self.weights);
        let fitted = Fitted { kernel, centres: images, alpha, images, weights, least };
        let weight = weights.map_or(images.len() as f64, |weights| weights.iter().sum());
        let m = pulled_back(metric, fitted.outer_products(diagonal)?, 1.0 / weight)?;
        Ok(shrunk(m, self.settings.shrinkage))
    }
}

/// M with a share of the mean of its diagonal.
pub(super) fn shrunk(mut m: Mat<f64>, share: f64) -> Mat<f64> {
    let dim = m.nrows();
    let place = |k: usize| (k, if m.ncols() == 1 { 0 } else { k });
    let places: Vec<(usize, usize)> = (0..dim).map(place).collect();
    let mean = places.iter().map(|&at| m[at]).sum::<f64>() / dim as f64;
    places.iter().for_each(|&at| m[at] += share * mean);
    m
}
