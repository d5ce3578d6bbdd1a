//! Derivatives of radial kernels in the squared distance: what gradients of their functions in the points are made of.

use crate::closure::{Scaled, Sum};
use crate::kernels::{Exponential, Matern, Matern32, Matern52, RationalQuadratic, Rbf};
use crate::{Kernel, Samples, Scalar, Scratch};

/// A kernel of the Euclidean distance, K(x, y) = φ(‖x − y‖²), whose φ′ is known: the gradient of K(·, y) at x is
/// 2φ′(‖x − y‖²)·(x − y).
///
/// # Examples
/// ```
/// use kern_core::gradient::RadialProfile;
/// use kern_core::{Scratch, kernels::Rbf};
/// let mut squares = [0.0, 1.0];
/// (3.0 * Rbf::new(0.5)?).slopes(&mut squares, &mut Scratch::new());
/// assert_eq!(squares[0], -1.5);
/// assert!((squares[1] + 1.5 * (-0.5_f64).exp()).abs() < 1e-15);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a kernel of the Euclidean distance",
    note = "`Rbf`, `Exponential`, `Matern32`, `Matern52`, `Matern`, `RationalQuadratic`, their sums and multiples are; of a kernel of your own, implement `RadialProfile`"
)]
pub trait RadialProfile<T: Scalar>: Kernel<Samples<T>> {
    /// d² ← φ′(d²) for each of these squared distances; 0 where φ has no derivative, which may be at d² = 0: the gradient of
    /// K(·, y) at y is the mean of those around it.
    ///
    /// # Numerics
    /// A relative error of some ulp, where the parameters and the derivative are normal numbers of the type.
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>);
}

/// v ← c·v.
fn scale<T: Scalar>(v: &mut [T], c: f64) {
    let c = T::from_f64(c);
    v.iter_mut().for_each(|v| *v *= c);
}

/// φ = exp(−γd²).
impl<T: Scalar> RadialProfile<T> for Rbf {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        T::exp_scaled(squared_distances, T::from_f64(-self.gamma()));
        scale(squared_distances, -self.gamma());
    }
}

/// φ = exp(−γd): φ′ = −γ/(2d)·exp(−γd).
impl<T: Scalar> RadialProfile<T> for Exponential {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        let half = T::from_f64(-0.5 * self.gamma());
        with_copy(squared_distances, scratch, |values, distances| {
            T::sqrt_scaled(distances, T::ONE);
            values.copy_from_slice(distances);
            T::exp_scaled(values, T::from_f64(-self.gamma()));
            for (value, &distance) in values.iter_mut().zip(&*distances) {
                *value = if distance > T::ZERO { half * *value / distance } else { T::ZERO };
            }
        });
    }
}

/// φ = (1 + z)·exp(−z), z = √3·d/ℓ: φ′ = −3/(2ℓ²)·exp(−z).
impl<T: Scalar> RadialProfile<T> for Matern32 {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        let rate = 3.0_f64.sqrt() / self.length_scale();
        T::sqrt_scaled(squared_distances, T::from_f64(rate));
        T::exp_scaled(squared_distances, -T::ONE);
        scale(squared_distances, -0.5 * rate * rate);
    }
}

/// φ = (1 + z + z²/3)·exp(−z), z = √5·d/ℓ: φ′ = −5/(6ℓ²)·(1 + z)·exp(−z).
impl<T: Scalar> RadialProfile<T> for Matern52 {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        let rate = 5.0_f64.sqrt() / self.length_scale();
        with_copy(squared_distances, scratch, |values, arguments| {
            T::sqrt_scaled(arguments, T::from_f64(rate));
            values.copy_from_slice(arguments);
            T::exp_scaled(values, -T::ONE);
            for (value, &z) in values.iter_mut().zip(&*arguments) {
                // z may be infinite where exp(−z) is 0.
                *value = if *value > T::ZERO { (T::ONE + z) * *value } else { T::ZERO };
            }
        });
        scale(squared_distances, -rate * rate / 6.0);
    }
}

/// φ′ = −D/(2d²), D = ∂φ/∂ln ℓ.
impl<T: Scalar> RadialProfile<T> for Matern {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        Matern::slopes(self, squared_distances);
    }
}

/// φ = (1 + s)^−α, s = d²/(2αℓ²): φ′ = −1/(2ℓ²)·(1 + s)^(−α−1).
impl<T: Scalar> RadialProfile<T> for RationalQuadratic {
    fn slopes(&self, squared_distances: &mut [T], _: &mut Scratch<T>) {
        let rate = 0.5 / self.length_scale() / self.length_scale();
        T::ln_1p_scaled(squared_distances, T::from_f64(rate / self.alpha()));
        T::exp_scaled(squared_distances, T::from_f64(-self.alpha() - 1.0));
        scale(squared_distances, -rate);
    }
}

impl<T: Scalar, K> RadialProfile<T> for Scaled<K>
where
    K: RadialProfile<T>,
    Self: Kernel<Samples<T>>,
{
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        self.kernel().slopes(squared_distances, scratch);
        scale(squared_distances, self.weight());
    }
}

impl<T: Scalar, A, B> RadialProfile<T> for Sum<A, B>
where
    A: RadialProfile<T>,
    B: RadialProfile<T>,
    Self: Kernel<Samples<T>>,
{
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        let mut others = scratch.take(squared_distances.len());
        others.copy_from_slice(squared_distances);
        self.left().slopes(squared_distances, scratch);
        self.right().slopes(&mut others, scratch);
        squared_distances.iter_mut().zip(&others).for_each(|(sum, &other)| *sum += other);
        scratch.give(others);
    }
}

impl<T: Scalar, K: RadialProfile<T> + ?Sized> RadialProfile<T> for &K {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        (**self).slopes(squared_distances, scratch);
    }
}

impl<T: Scalar, K: RadialProfile<T> + ?Sized> RadialProfile<T> for Box<K> {
    fn slopes(&self, squared_distances: &mut [T], scratch: &mut Scratch<T>) {
        (**self).slopes(squared_distances, scratch);
    }
}

/// Lends `f` the values and a copy of them.
fn with_copy<T: Scalar>(
    values: &mut [T],
    scratch: &mut Scratch<T>,
    f: impl FnOnce(&mut [T], &mut [T]),
) {
    let mut copy = scratch.take(values.len());
    copy.copy_from_slice(values);
    f(values, &mut copy);
    scratch.give(copy);
}
