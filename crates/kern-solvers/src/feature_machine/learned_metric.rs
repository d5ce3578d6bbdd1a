//! Learned metric M = RᵀR of a linear map R: K(Rx, Ry) is the kernel in this metric.

use crate::Error;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::products::matmul;
use kern_core::{Points, Samples, Scalar, serde_mat, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{parallel, tile_ranges, zero_vec};
use serde::{Deserialize, Serialize};

/// Points that are mapped together.
const BLOCK: usize = 512;

/// A linear map R: K(Rx, Ry) is the kernel in the metric M = RᵀR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedMetric(pub(super) Metric);

impl LearnedMetric {
    /// The identity x ↦ x.
    #[must_use]
    pub fn identity(dim: usize) -> Self {
        Self(Metric::identity(dim))
    }

    /// The mapped points Rx.
    ///
    /// # Errors
    /// [`Error::Core`] for points of another dimension, or non-finite mapped points.
    pub fn images(&self, points: &Samples<f64>) -> Result<Samples<f64>, Error> {
        kern_core::Error::check_dimension("coordinates of points", self.0.dim(), points.dim())?;
        self.0.map(points)
    }

    /// The matrix M = RᵀR.
    #[must_use]
    pub fn matrix(&self) -> Mat<f64> {
        self.0.matrix()
    }

    /// The dimension of the points.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.0.dim()
    }

    /// The dimension of the mapped points.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.rank()
    }
}

/// The linear map R.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Metric {
    /// A weight for each feature.
    Diagonal(Vec<f64>),
    /// Any matrix: √Λ·Vᵀ, or V·√Λ·Vᵀ for kernels that are not invariant under rotations.
    Full(#[serde(with = "serde_mat")] Mat<f64>),
}

impl Metric {
    /// M = I.
    pub(super) fn identity(dim: usize) -> Self {
        Self::Diagonal(vec![1.0; dim])
    }

    /// The root R of M, which is given by its lower triangle, or by its diagonal as a column.
    /// Eigenvalues that may be rounding errors are left out. The root is V·√Λ·Vᵀ if it has to be
    /// symmetric; otherwise √Λ·Vᵀ, which maps to fewer dimensions.
    pub(super) fn of(m: MatRef<'_, f64>, is_symmetric: bool) -> Result<Self, Error> {
        let dim = m.nrows();
        if m.ncols() == 1 {
            return Ok(Self::Diagonal(m.col(0).iter().map(|m| m.max(0.0).sqrt()).collect()));
        }
        let (values, vectors) = symmetric_eigen(m).ok_or(Error::NoEigenvalues { size: dim })?;
        let smallest = dim as f64 * f64::EPSILON * values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..dim).filter(|&k| values[k] > smallest).collect();
        let root = |power: f64| {
            Mat::from_fn(kept.len(), dim, |k, j| {
                values[kept[k]].powf(power) * vectors[(j, kept[k])]
            })
        };
        if !is_symmetric {
            return Ok(Self::Full(root(0.5)));
        }
        // Λ^¼Vᵀ, from both sides.
        let (half, mut whole) = (root(0.25), Mat::zeros(dim, dim));
        matmul(whole.as_mut(), Accum::Replace, half.transpose(), half.as_ref(), 1.0);
        Ok(Self::Full(whole))
    }

    /// Memory in bytes that [`of`](Metric::of) takes for a d × d matrix.
    pub(super) fn bytes(dim: usize) -> u64 {
        symmetric_eigen_bytes(dim)
    }

    /// The matrix M = RᵀR.
    pub(super) fn matrix(&self) -> Mat<f64> {
        match self {
            Self::Diagonal(scales) => Mat::from_fn(scales.len(), scales.len(), |i, j| {
                if i == j { scales[i] * scales[i] } else { 0.0 }
            }),
            Self::Full(root) => {
                let mut m = Mat::zeros(root.ncols(), root.ncols());
                matmul(m.as_mut(), Accum::Replace, root.transpose(), root.as_ref(), 1.0);
                m
            }
        }
    }

    /// The dimension of the points.
    pub(super) fn dim(&self) -> usize {
        match self {
            Self::Diagonal(scales) => scales.len(),
            Self::Full(root) => root.ncols(),
        }
    }

    /// The dimension of the mapped points.
    pub(super) fn rank(&self) -> usize {
        match self {
            Self::Diagonal(scales) => scales.len(),
            Self::Full(root) => root.nrows(),
        }
    }

    /// True if all entries of R are finite.
    pub(super) fn is_finite(&self) -> bool {
        match self {
            Self::Diagonal(scales) => f64::all_finite(scales),
            Self::Full(root) => root.col_iter().all(|c| c.iter().all(|v| v.is_finite())),
        }
    }

    /// c·R.
    pub(super) fn scaled(&self, c: f64) -> Self {
        match self {
            Self::Diagonal(scales) => Self::Diagonal(scales.iter().map(|s| c * s).collect()),
            Self::Full(root) => Self::Full(faer::Scale(c) * root),
        }
    }

    /// The mapped points Rx.
    pub(super) fn map<T: Scalar>(&self, points: &Samples<T>) -> Result<Samples<T>, Error> {
        let (n, rank) = (points.len(), self.rank());
        let mut values: Vec<T> = zero_vec(n * rank)?;
        let root = match self {
            Self::Diagonal(scales) => {
                let scales: Vec<T> = scales.iter().map(|&s| T::from_f64(s)).collect();
                let rows = values.chunks_exact_mut(rank).enumerate();
                rows.for_each(|(i, to)| {
                    let pairs = to.iter_mut().zip(points.item(i)).zip(&scales);
                    pairs.for_each(|((to, &x), &s)| *to = s * x);
                });
                return Ok(Samples::from_row_major(rank, values)?);
            }
            Self::Full(root) => Mat::from_fn(rank, root.ncols(), |i, j| T::from_f64(root[(i, j)])),
        };
        let blocks = tile_ranges(n, BLOCK).into_iter().zip(values.chunks_mut(BLOCK * rank));
        parallel::for_each_init(
            blocks.collect(),
            || (),
            |(), (range, to)| {
                let out = MatMut::from_column_major_slice_mut(to, rank, range.len());
                matmul(out, Accum::Replace, root.as_ref(), points.columns(range), T::ONE);
            },
        );
        Ok(Samples::from_row_major(rank, values)?)
    }
}

/// The mean, over all pairs, of the squared distances of points with these weights: 2Σ_k Var(z_k).
pub(super) fn mean_square<T: Scalar>(points: &Samples<T>, weights: Option<&[f64]>) -> f64 {
    let (n, dim) = (points.len(), points.dim());
    let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
    let total: f64 = (0..n).map(weight).sum();
    let mut mean = vec![0.0; dim];
    for i in 0..n {
        let share = weight(i) / total;
        mean.iter_mut().zip(points.item(i)).for_each(|(mean, x)| *mean += share * x.to_f64());
    }
    let square = |i: usize| -> f64 {
        let pairs = points.item(i).iter().zip(&mean);
        pairs.map(|(x, mean)| (x.to_f64() - mean).powi(2)).sum()
    };
    2.0 * (0..n).map(|i| weight(i) / total * square(i)).sum::<f64>()
}
