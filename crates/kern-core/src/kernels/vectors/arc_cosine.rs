//! The arc-cosine kernels.

use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::tile::directions::{dense, direction, norm, sparse};
use crate::tile::{self, Scratch, Tile, united};
use crate::{Entry, Error, Kernel, Mercer, Points, Samples, Scalar, SparseSamples};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The arc-cosine kernel of order n: an infinitely wide layer of random neurons.
///
/// # Definition
/// K(x, y) = (‖x‖₂‖y‖₂)ⁿ·J_n(θ)/π, with the angle θ between x and y, for n = 0, 1, 2: J₀ = π − θ,
/// J₁ = sin θ + (π − θ)·cos θ, J₂ = 3·sin θ·cos θ + (π − θ)(1 + 2cos²θ). It is 2·E\[a(wᵀx)·a(wᵀy)\]
/// over w ~ N(0, I), where the activation a is a step function (n = 0), the rectifier max(0, ·)
/// (n = 1), or its square (n = 2): an inner product of features, hence Mercer. The step function is
/// ½ at 0, as in the reference, so for the zero vector K = ½ if n = 0, and 0 otherwise.
///
/// # Numerics
/// θ is twice the arctangent of ‖u − v‖/‖u + v‖, where u = x/‖x‖ and v = y/‖y‖. Unlike the
/// arccosine of the inner product, this is accurate at small angles. Blocks compute ‖u − v‖² with
/// the tile engine, and ‖u + v‖² as 4 − ‖u − v‖² except for nearly opposite points, which are
/// recomputed; blocks of sparse samples also recompute nearly parallel ones.
///
/// # References
/// Cho & Saul (2009), *Kernel Methods for Deep Learning*, equations 1 to 6; the angle: Kahan
/// (2006).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::ArcCosine};
/// let eval = |order| -> Result<f64, kern_core::Error> {
///     Ok(Kernel::<Samples<f64>>::eval(&ArcCosine::new(order)?, &[3.0, 0.0], &[0.0, 2.0]))
/// };
/// assert!((eval(0)? - 0.5).abs() < 1e-15); // a right angle
/// assert!((eval(1)? - 6.0 / std::f64::consts::PI).abs() < 1e-14);
/// assert!((eval(2)? - 18.0).abs() < 1e-13);
/// assert!(ArcCosine::new(3).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "neural network kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct ArcCosine {
    order: u32,
}

declared! {
    ArcCosine = "arc_cosine", [];
    order: Domain::count_to(0, 2), Setting::Count(1);
    => Self::new(order)
}

/// The file format.
#[derive(Clone, Serialize, Deserialize)]
struct Packed {
    order: u32,
}

impl TryFrom<Packed> for ArcCosine {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::new(packed.order)
    }
}

impl From<ArcCosine> for Packed {
    fn from(kernel: ArcCosine) -> Self {
        Packed { order: kernel.order }
    }
}

/// Beyond this ‖u − v‖², or this cosine, a block does not determine the angle accurately enough.
const NEARLY_OPPOSITE: f64 = 3.9;
const NEARLY_PARALLEL: f64 = 0.95;

/// The product of norms below which terms of a product in single precision may have underflowed.
const SMALLEST_PRODUCT: f64 = 1e-30;

impl ArcCosine {
    /// The kernel of order 0, 1 or 2.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another order.
    pub fn new(order: u32) -> Result<Self, Error> {
        match order {
            0..=2 => Ok(Self { order }),
            _ => {
                let (given, allowed) = (f64::from(order), "0, 1 or 2");
                Err(Error::Parameter { name: "order", given, allowed })
            }
        }
    }

    /// n.
    #[must_use]
    pub fn order(&self) -> u32 {
        self.order
    }

    /// The value, given both norms, ‖u − v‖² and ‖u + v‖².
    fn at(&self, lengths: [f64; 2], apart: f64, together: f64) -> f64 {
        let size = lengths[0] * lengths[1];
        if size <= 0.0 && lengths.iter().any(|length| *length <= 0.0) {
            return if self.order == 0 { 0.5 } else { 0.0 };
        }
        let rest = PI - 2.0 * libm::atan2(apart.sqrt(), together.sqrt());
        let whole = apart + together;
        let (sin, cos) = (2.0 * (apart * together).sqrt() / whole, (together - apart) / whole);
        match self.order {
            0 => rest / PI,
            1 => size * ((sin + rest * cos).max(0.0) / PI),
            _ => {
                let angular = 3.0 * sin * cos + rest * (1.0 + 2.0 * cos * cos);
                size * (size * (angular.max(0.0) / PI))
            }
        }
    }

    fn eval_dense<T: Scalar>(&self, x: &[T], y: &[T]) -> T {
        let ((mx, rx), (my, ry)) = (norm(dense(x)), norm(dense(y)));
        let unit = |m: f64, r: f64| move |v: f64| if r > 0.0 { v / m / r } else { 0.0 };
        let (u, v) = (unit(mx, rx), unit(my, ry));
        let (mut apart, mut together) = (0.0, 0.0);
        for (x, y) in dense(x).zip(dense(y)) {
            let (x, y) = (u(x), v(y));
            apart += (x - y) * (x - y);
            together += (x + y) * (x + y);
        }
        T::from_f64(self.at([mx * rx, my * ry], apart, together))
    }

    fn eval_sparse<T: Scalar>(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        let ((mx, rx), (my, ry)) = (norm(sparse(x)), norm(sparse(y)));
        let unit = |m: f64, r: f64| move |v: f64| if r > 0.0 { v / m / r } else { 0.0 };
        let (u, v) = (unit(mx, rx), unit(my, ry));
        let apart = united(x, y, |_, x, y| (u(x) - v(y)) * (u(x) - v(y)));
        let together = united(x, y, |_, x, y| (u(x) + v(y)) * (u(x) + v(y)));
        T::from_f64(self.at([mx * rx, my * ry], apart, together))
    }
}

fn length(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (m, r) = norm(values);
    m * r
}

impl<T: Scalar> Kernel<Samples<T>> for ArcCosine {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        self.eval_dense(x, y)
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        let rows: Vec<f64> = tile.rows().map(|p| length(dense(tile.a().item(p)))).collect();
        let mut finish = |j: usize, column: &mut [T]| {
            let y = tile.b().item(tile.cols().start + j);
            let own = length(dense(y));
            for ((value, &row), p) in column.iter_mut().zip(&rows).zip(tile.rows()) {
                let apart = value.to_f64();
                *value = if apart <= NEARLY_OPPOSITE {
                    T::from_f64(self.at([row, own], apart, 4.0 - apart))
                } else {
                    self.eval_dense(tile.a().item(p), y)
                };
            }
        };
        let dim = tile.a().dim();
        tile::distance_of_images(tile, dim, out, scratch, direction, &mut finish);
    }

    fn diag(&self, points: &Samples<T>, i: usize) -> T {
        let own = length(dense(points.item(i)));
        T::from_f64(self.at([own, own], 0.0, 4.0))
    }
}

impl<T: Scalar> Mercer<Samples<T>> for ArcCosine {}

impl<T: Scalar> Kernel<SparseSamples<T>> for ArcCosine {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        self.eval_sparse(x, y)
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
        let rows: Vec<f64> = tile.rows().map(|p| length(sparse(tile.a().item(p)))).collect();
        tile::for_each_column(out, scratch, |j, column| {
            let y = tile.b().item(tile.cols().start + j);
            let own = length(sparse(y));
            for ((value, &row), p) in column.iter_mut().zip(&rows).zip(tile.rows()) {
                // Neither products that left the range of the type nor 0/0 satisfy the bound.
                let cosine = value.to_f64() / (row * own);
                let is_known = row * own > SMALLEST_PRODUCT && cosine.abs() <= NEARLY_PARALLEL;
                *value = if is_known {
                    T::from_f64(self.at([row, own], 2.0 - 2.0 * cosine, 2.0 + 2.0 * cosine))
                } else {
                    self.eval_sparse(tile.a().item(p), y)
                };
            }
        });
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for ArcCosine {}
