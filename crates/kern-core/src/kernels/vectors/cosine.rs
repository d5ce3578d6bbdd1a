//! The cosine kernel.

use crate::binding::Bound;
use crate::differences::CosineDistance;
use crate::kernels::declaration::declared;
use crate::tile::directions::{dense, direction, norm, sparse};
use crate::tile::{self, Scratch, Tile};
use crate::{Entry, Kernel, Mercer, Points, Prepared, Samples, Scalar, SparseSamples};
use faer::MatMut;
use faer::traits::math_utils::min_positive;
use serde::{Deserialize, Serialize};

/// The cosine kernel: the cosine of the angle between two vectors.
///
/// # Definition
/// K(x, y) = xᵀy/(‖x‖₂‖y‖₂), and 0 if one of them is the zero vector. Mercer: its features are
/// x/‖x‖.
///
/// # Numerics
/// Norms are computed from x/max|x_j|, so no square overflows or underflows. Blocks of dense
/// samples are inner products of x/‖x‖: absolute error ≤ (d + 4)u. Blocks of sparse samples divide
/// inner products by norms, and fall back to the definition where those leave the range of the
/// type.
///
/// # References
/// Salton & McGill (1983), *Introduction to Modern Information Retrieval*, section 4.1.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Cosine};
/// let eval = |x, y| Kernel::<Samples<f64>>::eval(&Cosine, x, y);
/// assert!((eval(&[3.0, 4.0], &[1e200, 0.0]) - 0.6).abs() < 1e-15);
/// assert_eq!(eval(&[3.0, 4.0], &[0.0, 0.0]), 0.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "cosine similarity")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cosine;

declared! {
    Cosine = "cosine", [];
    => Ok(Self)
}

/// Σₖ (x_k/m)(y_k/m')/(r·r'), or 0, given the norms as (m, r) with ‖x‖ = m·r.
fn cosine<T: Scalar>(
    (mx, rx): (f64, f64),
    (my, ry): (f64, f64),
    dot: impl FnOnce(&dyn Fn(f64, f64) -> f64) -> f64,
) -> T {
    let roots = rx * ry;
    let value = if roots > 0.0 { dot(&|x, y| (x / mx) * (y / my)) / roots } else { 0.0 };
    T::from_f64(value)
}

impl<T: Scalar> Kernel<Samples<T>> for Cosine {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        cosine(norm(dense(x)), norm(dense(y)), |pair| {
            dense(x).zip(dense(y)).map(|(x, y)| pair(x, y)).sum()
        })
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::dot_of_images(tile, tile.a().dim(), out, scratch, direction);
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        tile::dot_of_image(points.item(i), points.dim(), direction)
    }

    fn prepare(&self, points: &Samples<T>) -> Option<Prepared> {
        tile::prepare_images(points, points.dim(), direction)
    }

    fn bind<'a>(
        &'a self,
        a: &'a Samples<T>,
        b: &'a Samples<T>,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<T> + 'a>> {
        tile::bind_images(a, b, prepared, a.dim(), direction)
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<Samples<T>> + 'a>>
    where
        Samples<T>: 'a,
    {
        Some(Box::new(CosineDistance))
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Cosine {}

impl<T: Scalar> Kernel<SparseSamples<T>> for Cosine {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        cosine(norm(sparse(x)), norm(sparse(y)), |pair| tile::shared(x, y, pair))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        tile::shared_features(tile, out.as_mut(), scratch, |x, y| x * y);
        let length = |x: &[Entry<T>]| {
            let (m, r) = norm(sparse(x));
            T::from_f64(m * r)
        };
        let mut lengths = scratch.take(tile.nrows());
        for (to, p) in lengths.iter_mut().zip(tile.rows()) {
            *to = length(tile.a().item(p));
        }
        // Products that underflow are less than the smallest normal number, which is negligible
        // compared with a product of norms that is larger by a factor of u⁻².
        let tiny = min_positive::<T>().to_f64() / (T::UNIT_ROUNDOFF * T::UNIT_ROUNDOFF);
        let tiny = T::from_f64(tiny);
        tile::for_each_column(out, scratch, |j, column| {
            let y = tile.b().item(tile.cols().start + j);
            let length_y = length(y);
            for ((value, &length_x), p) in column.iter_mut().zip(&lengths).zip(tile.rows()) {
                let product = length_x * length_y;
                *value = if product > tiny && product.is_finite_number() {
                    *value / product
                } else if length_x <= T::ZERO || length_y <= T::ZERO {
                    T::ZERO
                } else {
                    Kernel::<SparseSamples<T>>::eval(self, tile.a().item(p), y)
                };
            }
        });
        scratch.give(lengths);
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for Cosine {}
