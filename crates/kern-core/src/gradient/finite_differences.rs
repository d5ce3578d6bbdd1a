//! Verification of derivatives by finite differences.

use super::{Differentiable, FreeParameter, free_parameters, set_free_parameters};
use crate::{Points, Scalar, Scratch, Tile};
use faer::Mat;

/// Step size in the logarithms.
const STEP: f64 = 1e-4;
/// Derivatives below this count as zero.
const SMALLEST_SCALE: f64 = 1e-12;

/// Checks the derivatives of a kernel on these points against central differences of its values,
/// with an asymmetric adjoint. Errors must be within `tolerance` of the largest derivative.
///
/// # Errors
/// A message with the parameter whose derivative is wrong, or which cannot be changed.
///
/// # Examples
/// ```
/// use kern_core::{Samples, gradient::verify_gradient, kernels::{Matern52, Rbf}};
/// let x = Samples::from_rows(&[[0.0, 1.0], [0.5, 0.25], [2.0, -1.0]])?;
/// assert_eq!(verify_gradient(&(0.5 * Rbf::new(1.0)? + Matern52::new(0.75)?), &x, 1e-6), Ok(()));
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn verify_gradient<P, K>(kernel: &K, points: &P, tolerance: f64) -> Result<(), String>
where
    P: Points,
    K: Differentiable<P> + Clone,
{
    let n = points.len();
    let tile = Tile::new(points, 0..n, points, 0..n);
    let adjoint =
        Mat::from_fn(n, n, |i, j| P::Scalar::from_f64(((i * 31 + j * 17) % 13) as f64 / 6.0 - 0.9));
    let free = free_parameters(kernel);
    let mut gradient = vec![0.0; free.len()];
    kernel.pull_back(&tile, adjoint.as_ref(), &mut gradient, &mut Scratch::new());
    let total = |values: &[f64]| -> Result<f64, String> {
        let mut moved = kernel.clone();
        set_free_parameters(&mut moved, values).map_err(|error| error.to_string())?;
        let mut sum = 0.0;
        for i in 0..n {
            for j in 0..n {
                let value = moved.eval(points.item(i), points.item(j)).to_f64();
                sum += adjoint[(i, j)].to_f64() * value;
            }
        }
        Ok(sum)
    };
    compare(&free, &gradient, &total, tolerance)
}

/// Checks a gradient against differences of `total`, a function of the free parameters.
fn compare(
    free: &[FreeParameter],
    gradient: &[f64],
    total: &dyn Fn(&[f64]) -> Result<f64, String>,
    tolerance: f64,
) -> Result<(), String> {
    let total = |k: usize, step: f64| {
        let mut values: Vec<f64> = free.iter().map(|p| p.value).collect();
        values[k] *= step.exp();
        total(&values)
    };
    let mut expected = Vec::with_capacity(free.len());
    for k in 0..free.len() {
        // Richardson's extrapolation of two steps.
        let difference = |step: f64| Ok((total(k, step)? - total(k, -step)?) / (2.0 * step));
        let slopes: Result<(f64, f64), String> =
            difference(STEP).and_then(|near| Ok((near, difference(2.0 * STEP)?)));
        let (near, far) = slopes?;
        expected.push((4.0 * near - far) / 3.0);
    }
    let scale = expected.iter().fold(SMALLEST_SCALE, |scale, e| scale.max(e.abs()));
    for ((parameter, found), expected) in free.iter().zip(gradient).zip(&expected) {
        if (found - expected).abs().partial_cmp(&(tolerance * scale))
            != Some(std::cmp::Ordering::Less)
        {
            let name = &parameter.name;
            return Err(format!("the derivative in ln {name} is {found}, not {expected}"));
        }
    }
    Ok(())
}
