//! Means in feature space, and the bounds that they leave on distances.

use crate::Error;
use faer::Mat;
use kern_core::Scalar;
use kern_gram::zeros;

/// Means, relative to the mean of the features.
pub(super) struct Means<T: Scalar> {
    /// D × k.
    pub(super) values: Mat<T>,
    /// ‖μ_c‖² of what is in `values`.
    pub(super) norms: Vec<f64>,
    /// `W_c`.
    pub(super) masses: Vec<f64>,
}

impl<T: Scalar> Means<T> {
    pub(super) fn none(dim: usize, k: usize) -> Result<Self, Error> {
        Ok(Self { values: zeros(dim, k)?, norms: vec![0.0; k], masses: vec![0.0; k] })
    }

    /// The centres of these sums; an empty cluster has none. And Σ_c `W_c`‖μ_c‖², in double precision.
    pub(super) fn new(sums: &Mat<f64>, masses: Vec<f64>) -> Result<(Self, f64), Error> {
        let (mut values, mut norms): (Mat<T>, _) = (zeros(sums.nrows(), sums.ncols())?, Vec::new());
        let mut explained = 0.0;
        for (c, &mass) in masses.iter().enumerate() {
            let (mut norm, mut total) = (0.0, 0.0);
            if mass > 0.0 {
                let column = values.col_as_slice_mut(c).iter_mut();
                for (value, &sum) in column.zip(sums.col_as_slice(c)) {
                    *value = T::from_f64(sum / mass);
                    norm += value.to_f64() * value.to_f64();
                    total += sum * sum;
                }
                explained += total / mass;
            }
            norms.push(norm);
        }
        Ok((Self { values, norms, masses }, explained))
    }

    /// The distance of each centre from one of another set.
    pub(super) fn distances_from(&self, other: &Self) -> Vec<f64> {
        let pairs = self.values.col_iter().zip(other.values.col_iter());
        let squared = pairs.map(|(a, b)| {
            let difference = a.iter().zip(b.iter()).map(|(a, b)| a.to_f64() - b.to_f64());
            difference.map(|difference| difference * difference).sum::<f64>()
        });
        squared.map(f64::sqrt).collect()
    }

    /// The nearest centre, by inner products with all of them: its number, and what is least and second least of
    /// d² − ‖x‖². The first of equals is the nearest.
    #[inline(always)]
    pub(super) fn nearest<'v>(&self, products: impl Iterator<Item = &'v T>) -> (u32, f64, f64)
    where
        T: 'v,
    {
        let (mut label, mut least, mut second) = (0, f64::INFINITY, f64::INFINITY);
        let clusters = self.norms.iter().zip(&self.masses);
        for (c, (product, (norm, &mass))) in (0..).zip(products.zip(clusters)) {
            if mass <= 0.0 {
                continue;
            }
            let value = norm - 2.0 * product.to_f64();
            if value < least {
                (label, least, second) = (c, value, least);
            } else if value < second {
                second = value;
            }
        }
        (label, least, second)
    }
}

/// Bounds on the distances of a point: at most so far from its own centre, at least so far from all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) upper: f64,
    pub(super) lower: f64,
}

impl Bounds {
    /// Nothing is known.
    pub(super) const NONE: Self = Self { upper: f64::INFINITY, lower: 0.0 };
}

/// The distances that centres have moved since bounds were computed.
pub(super) struct Drift {
    moved: Vec<f64>,
    greatest: usize,
    /// The greatest of the others.
    second: f64,
}

impl Drift {
    pub(super) fn new(moved: Vec<f64>) -> Self {
        let greatest = (0..moved.len()).fold(0, |a, b| if moved[b] > moved[a] { b } else { a });
        let others = moved.iter().enumerate().filter(|&(c, _)| c != greatest);
        let second = others.map(|(_, &moved)| moved).fold(0.0, f64::max);
        Self { moved, greatest, second }
    }

    /// The bounds of a point of this cluster now.
    #[inline(always)]
    pub(super) fn loosen(&self, label: u32, bounds: Bounds) -> Bounds {
        let label = label as usize;
        let others = if label == self.greatest { self.second } else { self.moved[self.greatest] };
        Bounds { upper: bounds.upper + self.moved[label], lower: bounds.lower - others }
    }
}
