//! Centres: weighted means of the points that they were given last.

use crate::Error;
use crate::kmeans::lloyd::finite;
use crate::model::{Centres, KernelExpansion};
use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::finite_diagonal;
use kern_gram::{CrossGram, GramOperator, LazyGram, zeros};

/// The points of a centre, the oldest first, and their weights, which add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Window {
    indices: Vec<usize>,
    weights: Vec<f64>,
}

impl Window {
    /// The mean of these points.
    pub(super) fn mean(indices: Vec<usize>) -> Self {
        let weights = vec![1.0 / indices.len() as f64; indices.len()];
        Self { indices, weights }
    }

    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// (1 − `rate`) times this centre and `rate` times the mean of the members, by no more than the last points.
    pub(super) fn step(&mut self, members: &[usize], rate: f64, truncation: usize) {
        self.weights.iter_mut().for_each(|weight| *weight *= 1.0 - rate);
        self.indices.extend_from_slice(members);
        self.weights.resize(self.indices.len(), rate / members.len() as f64);
        let oldest = self.indices.len().saturating_sub(truncation);
        self.indices.drain(..oldest);
        self.weights.drain(..oldest);
        let total: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|weight| *weight /= total);
    }
}

/// A centre that distances can be computed from.
pub(super) struct Centre<P: Points> {
    points: P,
    /// A column.
    weights: Mat<P::Scalar>,
    /// ‖μ‖².
    norm: f64,
}

impl<P: Points> Centre<P> {
    pub(super) fn new<K: Kernel<P>>(
        kernel: &K,
        points: &P,
        window: &Window,
    ) -> Result<Self, Error> {
        let points = points.select(&window.indices)?;
        let mut weights: Mat<P::Scalar> = zeros(window.len(), 1)?;
        let column = weights.col_as_slice_mut(0).iter_mut();
        column.zip(&window.weights).for_each(|(to, weight)| *to = P::Scalar::from_f64(*weight));
        let means = LazyGram::new(kernel, &points)?.apply(weights.as_ref())?;
        let pairs = weights.col_as_slice(0).iter().zip(means.col_as_slice(0));
        let norm = finite(pairs.map(|(weight, mean)| weight.to_f64() * mean.to_f64()).sum())?;
        Ok(Self { points, weights, norm })
    }

    /// ‖μ‖².
    pub(super) const fn norm(&self) -> f64 {
        self.norm
    }

    /// ⟨φ(x), μ⟩.
    fn products<K: Kernel<P>>(&self, kernel: &K, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        Ok(CrossGram::new(kernel, queries, &self.points)?.apply(self.weights.as_ref())?)
    }
}

/// The nearest centre of each query, the first of equals, and d² − K(x, x) for it.
pub(super) fn nearest<P: Points, K: Kernel<P>>(
    kernel: &K,
    centres: &[Option<Centre<P>>],
    queries: &P,
) -> Result<(Vec<usize>, Vec<f64>), Error> {
    let (mut labels, mut least) = (vec![0; queries.len()], vec![f64::INFINITY; queries.len()]);
    for (c, centre) in centres.iter().enumerate() {
        let Some(centre) = centre else { continue };
        let products = centre.products(kernel, queries)?;
        let places = labels.iter_mut().zip(&mut least);
        for ((label, least), product) in places.zip(products.col_as_slice(0)) {
            let value = centre.norm - 2.0 * product.to_f64();
            if value < *least {
                (*label, *least) = (c, value);
            }
        }
    }
    Ok((labels, least))
}

/// All centres in terms of the points of their windows, each of which is kept once. Those without a window have no mass.
pub(super) fn joined<P: Points, K: Kernel<P>>(
    (kernel, points): (K, &P),
    windows: &[Option<Window>],
    norms: Vec<f64>,
) -> Result<Centres<KernelExpansion<P, K>>, Error> {
    let all = windows.iter().flatten().flat_map(|window| &window.indices);
    let mut support: Vec<usize> = all.copied().collect();
    support.sort_unstable();
    support.dedup();
    let mut coefficients: Mat<P::Scalar> = zeros(support.len(), windows.len())?;
    for (c, window) in windows.iter().enumerate() {
        let Some(Window { indices, weights }) = window else { continue };
        for (index, &weight) in indices.iter().zip(weights) {
            let row = support.partition_point(|other| other < index);
            coefficients[(row, c)] += P::Scalar::from_f64(weight);
        }
    }
    let masses = windows.iter().map(|window| f64::from(u8::from(window.is_some()))).collect();
    let decision = KernelExpansion::of_support(kernel, points, &support, coefficients)?;
    Ok(Centres { decision, masses, norms })
}

/// K(x, x) of each point; refused unless it is finite.
pub(super) fn diagonal<P: Points, K: Kernel<P>>(kernel: &K, points: &P) -> Result<Vec<f64>, Error> {
    Ok(finite_diagonal((0..points.len()).map(|i| kernel.diag(points, i).to_f64()))?)
}
