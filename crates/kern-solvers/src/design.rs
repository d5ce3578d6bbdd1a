//! The learning problem without its targets: points, kernel and weights.

use crate::Error;
use crate::model::KernelExpansion;
use faer::{Mat, MatRef};
use kern_approx::statistics::check_weights;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::scale_rows;
use kern_gram::{CrossGram, zeros};

/// Points, kernel, weights β and the presence of an intercept.
///
/// A reference to a design with a concrete kernel converts to a design with `dyn Mercer<P>` or `dyn
/// Kernel<P>`: work that is cheap compared with kernel values is compiled for these rather than for
/// each kernel.
pub(crate) struct Design<'a, P: Points, K: ?Sized> {
    pub(crate) intercept: bool,
    all: &'a P,
    weighted: Option<Weighted<P>>,
    pub(crate) kernel: K,
}

/// The fields for weighted points.
struct Weighted<P: Points> {
    /// βᵢ of the points in use, all positive.
    weights: Vec<f64>,
    /// √βᵢ of these points.
    roots: Vec<P::Scalar>,
    /// These points and their indices, if other points have weight zero.
    part: Option<(P, Vec<usize>)>,
}

impl<'a, P: Points, K> Design<'a, P, K> {
    pub(crate) fn new(
        kernel: K,
        all: &'a P,
        weights: Option<Vec<f64>>,
        intercept: bool,
    ) -> Result<Self, Error> {
        if all.is_empty() {
            return Err(Error::Empty);
        }
        let weighted = weights.map(|weights| Weighted::new(all, weights)).transpose()?;
        Ok(Self { intercept, all, weighted, kernel })
    }
}

impl<P: Points, K: ?Sized> Design<'_, P, K> {
    /// The points of positive weight.
    pub(crate) fn points(&self) -> &P {
        match &self.weighted {
            Some(Weighted { part: Some((points, _)), .. }) => points,
            _ => self.all,
        }
    }

    /// n, including points of weight zero.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// The index in the training set of point `i` of [`points`](Design::points).
    pub(crate) fn index(&self, i: usize) -> usize {
        match &self.weighted {
            Some(Weighted { part: Some((_, indices)), .. }) => indices[i],
            _ => i,
        }
    }

    /// βᵢ of point `i` of [`points`](Design::points).
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weighted.as_ref().map_or(1.0, |weighted| weighted.weights[i])
    }

    /// β of [`points`](Design::points), unless all are 1.
    pub(crate) fn weights(&self) -> Option<Vec<f64>> {
        self.weighted.as_ref().map(|weighted| weighted.weights.clone())
    }

    /// √βᵢ.
    pub(crate) fn root(&self, i: usize) -> P::Scalar {
        self.weighted.as_ref().map_or(P::Scalar::ONE, |weighted| weighted.roots[i])
    }

    /// √β, unless all are 1.
    pub(crate) fn roots(&self) -> Option<&[P::Scalar]> {
        self.weighted.as_ref().map(|weighted| &*weighted.roots)
    }

    /// B^½y at the points in use.
    pub(crate) fn whiten(&self, y: MatRef<'_, P::Scalar>) -> Result<Mat<P::Scalar>, Error> {
        let mut out = zeros(self.points().len(), y.ncols())?;
        for j in 0..y.ncols() {
            let column = out.col_as_slice_mut(j).iter_mut().enumerate();
            column.for_each(|(i, out)| *out = self.root(i) * y[(self.index(i), j)]);
        }
        Ok(out)
    }

    /// α = B^½γ.
    pub(crate) fn unwhiten(&self, mut gamma: Mat<P::Scalar>) -> Mat<P::Scalar> {
        scale_rows(&mut gamma, self.roots());
        gamma
    }

    /// The indices in the training set of points of weight zero.
    pub(crate) fn dropped(&self) -> Vec<usize> {
        match &self.weighted {
            Some(Weighted { part: Some((_, used)), .. }) => {
                (0..self.count()).filter(|i| used.binary_search(i).is_err()).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl<P: Points, K: Kernel<P>> Design<'_, P, K> {
    /// The function with these coefficients at the points in use.
    pub(crate) fn into_model(
        self,
        alpha: MatRef<'_, P::Scalar>,
        intercepts: Vec<P::Scalar>,
    ) -> Result<KernelExpansion<P, K>, Error> {
        let points = match &self.weighted {
            Some(Weighted { part: Some((points, _)), .. }) => points,
            _ => self.all,
        };
        Ok(KernelExpansion::new(self.kernel, points, alpha)?.with_intercepts(intercepts))
    }
}

impl<P: Points, K: Kernel<P> + ?Sized> Design<'_, P, K> {
    /// Σⱼ K(xᵢ, xⱼ)αⱼ at these indices i in the training set.
    pub(crate) fn values_at(
        &self,
        indices: &[usize],
        alpha: MatRef<'_, P::Scalar>,
    ) -> Result<Mat<P::Scalar>, Error> {
        if indices.is_empty() {
            return Ok(zeros(0, alpha.ncols())?);
        }
        let queries = self.all.select(indices)?;
        Ok(CrossGram::new(&self.kernel, &queries, self.points())?.apply(alpha)?)
    }
}

impl<P: Points> Weighted<P> {
    fn new(points: &P, weights: Vec<f64>) -> Result<Self, Error> {
        check_weights(points.len(), &weights)?;
        let (weights, used) = positive(weights);
        let part = match used {
            None => None,
            Some(used) => Some((points.select(&used)?, used)),
        };
        let roots = weights.iter().map(|weight| P::Scalar::from_f64(weight.sqrt())).collect();
        Ok(Self { weights, roots, part })
    }
}

/// The indices of points of positive weight, in order; `None` if all are.
pub(crate) fn weighty(weights: &[f64]) -> Option<Vec<usize>> {
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    (used.len() < weights.len()).then_some(used)
}

/// The positive weights and the indices of their points, in order; `None` if all are positive.
pub(crate) fn positive(weights: Vec<f64>) -> (Vec<f64>, Option<Vec<usize>>) {
    match weighty(&weights) {
        None => (weights, None),
        Some(used) => (used.iter().map(|&i| weights[i]).collect(), Some(used)),
    }
}
