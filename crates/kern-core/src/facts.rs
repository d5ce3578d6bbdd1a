//! Properties of kernels that are part of the type and that closure rules propagate.
//!
//! [`Mercer`](crate::Mercer) and [`Spectral`](crate::Spectral) are such properties; this module has
//! the others. Kernels state them where they are declared; the propagation rules are here.

use crate::closure::{AssumeMercer, Exp, Normalized, Power, Product, Scaled, Sum};

/// K(x, x) = 1 for all x.
///
/// The RKHS distance is then a decreasing function of the kernel, so that nearest neighbours by
/// similarity and by distance coincide; and |K| ≤ 1 if the kernel is Mercer.
///
/// # Examples
/// ```
/// use kern_core::{UnitDiagonal, closure::Power, kernels::{Laplacian, Rbf}};
/// fn is_unit<K: UnitDiagonal>(_: K) {}
/// is_unit(Power::new(Rbf::new(1.0)? * Laplacian::new(1.0)?, 2));
/// # Ok::<(), kern_core::Error>(())
/// ```
/// A sum of two such kernels has diagonal 2:
/// ```compile_fail,E0277
/// use kern_core::{UnitDiagonal, kernels::Rbf};
/// fn is_unit<K: UnitDiagonal>(_: K) {}
/// is_unit(Rbf::new(1.0)? + Rbf::new(2.0)?);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not known to have K(x, x) = 1")]
pub trait UnitDiagonal {}

/// K(x, y) depends on x − y only.
///
/// Weaker than [`Spectral`](crate::Spectral), which also provides a sampler of the spectrum.
///
/// # Examples
/// ```
/// use kern_core::{ShiftInvariant, closure::Exp, kernels::Rbf};
/// fn is_shift_invariant<K: ShiftInvariant>(_: K) {}
/// is_shift_invariant(Exp::new(0.5 * Rbf::new(1.0)?));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not known to be shift-invariant")]
pub trait ShiftInvariant {}

/// |K(x, y)| is bounded.
///
/// # Examples
/// ```
/// use kern_core::{Bounded, kernels::{Laplacian, Rbf}};
/// let k = 0.5 * Rbf::new(1.0)? + 2.0 * Laplacian::new(1.0)?;
/// assert_eq!(k.bound(), 2.5);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not known to be bounded")]
pub trait Bounded {
    /// sup |K(x, y)|, or an upper bound of it.
    fn bound(&self) -> f64;
}

impl<A: UnitDiagonal, B: UnitDiagonal> UnitDiagonal for Product<A, B> {}
impl<K: UnitDiagonal> UnitDiagonal for Power<K> {}
impl<K: UnitDiagonal> UnitDiagonal for AssumeMercer<K> {}

impl<A: ShiftInvariant, B: ShiftInvariant> ShiftInvariant for Sum<A, B> {}
impl<A: ShiftInvariant, B: ShiftInvariant> ShiftInvariant for Product<A, B> {}
impl<K: ShiftInvariant> ShiftInvariant for Scaled<K> {}
impl<K: ShiftInvariant> ShiftInvariant for Power<K> {}
impl<K: ShiftInvariant> ShiftInvariant for Exp<K> {}
impl<K: ShiftInvariant> ShiftInvariant for Normalized<K> {}
impl<K: ShiftInvariant> ShiftInvariant for AssumeMercer<K> {}

impl<A: Bounded, B: Bounded> Bounded for Sum<A, B> {
    fn bound(&self) -> f64 {
        self.left().bound() + self.right().bound()
    }
}

impl<A: Bounded, B: Bounded> Bounded for Product<A, B> {
    fn bound(&self) -> f64 {
        self.left().bound() * self.right().bound()
    }
}

impl<K: Bounded> Bounded for Scaled<K> {
    fn bound(&self) -> f64 {
        self.weight().abs() * self.kernel().bound()
    }
}

impl<K: Bounded> Bounded for Power<K> {
    fn bound(&self) -> f64 {
        self.kernel().bound().powi(self.exponent() as i32)
    }
}

impl<K: Bounded> Bounded for Exp<K> {
    fn bound(&self) -> f64 {
        self.kernel().bound().exp()
    }
}

impl<K: Bounded> Bounded for AssumeMercer<K> {
    fn bound(&self) -> f64 {
        self.0.bound()
    }
}
