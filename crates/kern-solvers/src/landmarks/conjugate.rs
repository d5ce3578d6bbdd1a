//! Preconditioned conjugate gradients for several right-hand sides, which share the products.

use crate::Error;
use faer::Mat;
use kern_gram::zeros;

/// v ↦ Hv.
pub(crate) type Product<'o> = dyn Fn(&Mat<f64>) -> Result<Mat<f64>, Error> + 'o;

/// A symmetric positive definite matrix and its preconditioner.
pub(crate) struct Operator<'o> {
    /// v ↦ Hv.
    pub(crate) product: &'o Product<'o>,
    /// v ↦ S⁻¹v.
    pub(crate) precondition: &'o dyn Fn(Mat<f64>) -> Mat<f64>,
}

/// Where to stop.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// rᵀS⁻¹r of a right-hand side that is solved.
    pub(crate) energy: f64,
    pub(crate) iterations: usize,
}

/// aₖᵀbₖ for all columns k.
pub(crate) fn inner(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    let dot = |k| a.col_as_slice(k).iter().zip(b.col_as_slice(k)).map(|(a, b)| a * b).sum();
    (0..a.ncols()).map(dot).collect()
}

/// d with Hd ≈ r, and how many products that took. A column that is solved is left alone.
pub(crate) fn solve(
    operator: &Operator<'_>,
    mut residual: Mat<f64>,
    limit: Limit,
) -> Result<(Mat<f64>, usize), Error> {
    let mut solution = zeros(residual.nrows(), residual.ncols())?;
    let mut direction = (operator.precondition)(residual.clone());
    let mut energies = inner(&residual, &direction);
    for iteration in 0..limit.iterations {
        let open: Vec<bool> = energies.iter().map(|&energy| energy > limit.energy).collect();
        if !open.contains(&true) {
            return Ok((solution, iteration));
        }
        let product = (operator.product)(&direction)?;
        let curvatures = inner(&direction, &product);
        for k in (0..open.len()).filter(|&k| open[k]) {
            let step = energies[k] / curvatures[k];
            axpy(step, direction.col_as_slice(k), solution.col_as_slice_mut(k));
            axpy(-step, product.col_as_slice(k), residual.col_as_slice_mut(k));
        }
        let preconditioned = (operator.precondition)(residual.clone());
        let next = inner(&residual, &preconditioned);
        for k in (0..open.len()).filter(|&k| open[k]) {
            let beta = next[k] / energies[k];
            let pairs =
                direction.col_as_slice_mut(k).iter_mut().zip(preconditioned.col_as_slice(k));
            pairs.for_each(|(p, z)| *p = z + beta * *p);
            energies[k] = next[k];
        }
    }
    Ok((solution, limit.iterations))
}

fn axpy(factor: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}
