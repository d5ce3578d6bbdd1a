//! The two central traits: a kernel is a function on pairs of points; a Mercer kernel is one that
//! is positive semi-definite.

use crate::{Bound, Error, Order, Points, Rough, Scratch, Tile};
use faer::{MatMut, MatRef};

/// A kernel: a symmetric function K: 𝒳 × 𝒳 → R.
///
/// One method is required, [`eval`](Kernel::eval): the definition. [`block`](Kernel::block) is
/// where speed lives: kernels on dense vectors override it with the tile engine, and closure rules
/// override it by combining the blocks of their parts. The trait is dyn-compatible.
///
/// A kernel is a function on *points* of a collection type `P`, so one value such as
/// `Rbf::new(0.5)?` serves dense f32 and f64 samples alike.
///
/// # Examples
/// A kernel of your own on a type of your own:
/// ```
/// use kern_core::{Kernel, Mercer};
///
/// #[derive(Clone)]
/// struct Interval { from: f64, to: f64 }
///
/// /// The length of the overlap: the inner product of indicator functions.
/// struct Overlap;
///
/// impl Kernel<Vec<Interval>> for Overlap {
///     fn eval(&self, x: &Interval, y: &Interval) -> f64 {
///         (x.to.min(y.to) - x.from.max(y.from)).max(0.0)
///     }
/// }
/// impl Mercer<Vec<Interval>> for Overlap {}
///
/// let points = vec![Interval { from: 0.0, to: 2.0 }, Interval { from: 1.0, to: 4.0 }];
/// assert_eq!(Overlap.eval(&points[0], &points[1]), 1.0);
/// kern_core::contract::verify_mercer(&Overlap, &points)?;
/// # Ok::<(), kern_core::contract::Violation>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel on the points `{P}`",
    note = "vector kernels act on `Samples<f32>` and `Samples<f64>`: make them of rows with `Samples::from_rows`",
    note = "constructors return a `Result`: add `?`",
    note = "a closure becomes a kernel with `FnKernel`, a formula with `KernelSpec::build` or `build_mercer`",
    note = "for your own type, implement `Kernel<Vec<YourType>>` (one method, `eval`)"
)]
pub trait Kernel<P: Points + ?Sized>: Send + Sync {
    /// K(x, y): the definition.
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar;

    /// All values of a tile: `out[(i, j)] = K(a_i, b_j)`.
    ///
    /// By default a loop of [`eval`](Kernel::eval). An override must agree with `eval` up to
    /// rounding; [`contract::verify`](crate::contract::verify) checks that.
    ///
    /// # Shapes and units
    /// `out` is [`tile.nrows()`](Tile::nrows) × [`tile.ncols()`](Tile::ncols).
    /// `scratch` lends reusable buffers.
    ///
    /// # Panics
    /// If `out` has another shape.
    fn block(
        &self,
        tile: &Tile<'_, P>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let _ = scratch;
        tile.fill_pointwise(out, |x, y| self.eval(x, y));
    }

    /// Tells whether values of a block are computed one by one, so that half of them are half the work.
    ///
    /// Then a Gram matrix asks for each pair once, in tiles that are cut for all threads where a value
    /// is dear. By default true; a kernel whose [`block`](Kernel::block) is faster than its values one
    /// by one says that it is not. A closure rule is pointwise if one of its parts is.
    fn is_pointwise(&self) -> bool {
        true
    }

    /// K(x_i, x_i).
    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        let x = points.item(i);
        self.eval(x, x)
    }

    /// Binds the kernel to two collections, if it can do some work once per collection rather than
    /// once per tile, such as computing an embedding. By default it cannot.
    ///
    /// Callers use a [`Binding`](crate::Binding), which falls back on [`block`](Kernel::block).
    fn bind<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        let _ = (a, b);
        None
    }

    /// The order of the values between two collections, if it can be had for less than the values,
    /// such as from distances without their exponential. By default it cannot.
    ///
    /// [`contract::verify`](crate::contract::verify) checks an override.
    fn order<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Order<P::Scalar> + 'a>> {
        let _ = (a, b);
        None
    }

    /// The points in single precision, if the values follow their geometry, and so their inner products: searches look there
    /// first. By default they do not.
    ///
    /// [`contract::verify`](crate::contract::verify) checks an override.
    fn rough<'a>(&self, points: &'a P) -> Option<Rough<'a>> {
        let _ = points;
        None
    }

    /// −½‖φ(x) − φ(y)‖² as a kernel, if it can be had from the differences of points rather than from K(x, x), K(x, y) and K(y, y), which
    /// cancel where points lie far from the origin: searches by distance, and all sums whose coefficients add up to
    /// nothing, are computed from it. By default it cannot.
    ///
    /// Equal points have the value 0. [`contract::verify`](crate::contract::verify) checks an override.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Kernel, Points, Samples, kernels::Linear};
    /// let x = Samples::<f32>::from_rows(&[[1e4], [1e4 + 0.125]])?;
    /// let (a, b) = (x.item(0), x.item(1));
    /// let k = |x, y| Kernel::<Samples<f32>>::eval(&Linear, x, y);
    /// assert_ne!(k(a, a) - 2.0 * k(a, b) + k(b, b), 0.015625);
    /// let apart = Kernel::<Samples<f32>>::differences(&Linear).ok_or("it has them")?;
    /// assert_eq!(-2.0 * apart.eval(a, b), 0.015625);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
    where
        P: 'a,
    {
        None
    }

    /// Checks that the kernel's parameters are valid and all `points` lie in its domain.
    ///
    /// Called once per collection before work starts; after it, evaluation cannot fail. By default
    /// all is well.
    ///
    /// # Errors
    /// What is wrong, with the value that was found and those that are allowed.
    fn check(&self, points: &P) -> Result<(), Error> {
        let _ = points;
        Ok(())
    }
}

/// A kernel that is positive semi-definite: Σᵢⱼ cᵢcⱼK(xᵢ, xⱼ) ≥ 0 for all points and all c.
///
/// Equivalently, an inner product of features, K(x, y) = ⟨φ(x), φ(y)⟩ (Mercer 1909; Aronszajn 1950).
/// The mark is inherited by every closure rule, so a composite of Mercer kernels is Mercer at
/// compile time, and a solver that needs the property does not accept a kernel without it.
///
/// # Examples
/// The sigmoid kernel is not Mercer, nor is anything built from it:
/// ```compile_fail,E0277
/// use kern_core::{Mercer, Samples, kernels::{Rbf, Sigmoid}};
/// fn needs_psd<K: Mercer<Samples<f64>>>(_: K) {}
/// needs_psd(Rbf::new(1.0)? + Sigmoid::new(1.0, 0.0)?);
/// # Ok::<(), kern_core::Error>(())
/// ```
/// Whoever knows better says so with [`AssumeMercer`](crate::closure::AssumeMercer):
/// ```
/// use kern_core::{Mercer, Samples, closure::AssumeMercer, kernels::{Rbf, Sigmoid}};
/// fn needs_psd<K: Mercer<Samples<f64>>>(_: K) {}
/// needs_psd(Rbf::new(1.0)? + AssumeMercer(Sigmoid::new(1.0, 0.0)?));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "positive definite")]
#[doc(alias = "positive semidefinite")]
#[doc(alias = "PSD")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be positive semi-definite on `{P}`",
    note = "this solver needs a Mercer kernel: add `?` to a constructor that returns a `Result`, make a formula a kernel \
            with `KernelSpec::build_mercer`, a closure with `FnKernel`, and samples of rows with `Samples::from_rows`",
    note = "if you know that a kernel of your own is one on your data, implement `Mercer`, or wrap it in `AssumeMercer`"
)]
pub trait Mercer<P: Points + ?Sized>: Kernel<P> {}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<P: Points + ?Sized, K: Kernel<P> + ?Sized> Kernel<P> for $pointer {
            fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
                (**self).eval(x, y)
            }
            fn is_pointwise(&self) -> bool {
                (**self).is_pointwise()
            }

            fn block(
                &self,
                tile: &Tile<'_, P>,
                out: MatMut<'_, P::Scalar>,
                scratch: &mut Scratch<P::Scalar>,
            ) {
                (**self).block(tile, out, scratch);
            }
            fn diag(&self, points: &P, i: usize) -> P::Scalar {
                (**self).diag(points, i)
            }
            fn bind<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
                (**self).bind(a, b)
            }
            fn order<'a>(&'a self, a: &'a P, b: &'a P) -> Option<Box<dyn Order<P::Scalar> + 'a>> {
                (**self).order(a, b)
            }
            fn rough<'a>(&self, points: &'a P) -> Option<Rough<'a>> {
                (**self).rough(points)
            }
            fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
            where
                P: 'a,
            {
                (**self).differences()
            }
            fn check(&self, points: &P) -> Result<(), Error> {
                (**self).check(points)
            }
        }
        impl<P: Points + ?Sized, K: Mercer<P> + ?Sized> Mercer<P> for $pointer {}
    )*};
}

delegate!(&K, Box<K>, std::sync::Arc<K>);

impl<P: Points + ?Sized> Tile<'_, P> {
    /// Computes this tile of `kernel` in a scratch buffer and hands it to `f`: how a closure rule
    /// gets the block of its second part.
    pub fn with_block<K: Kernel<P> + ?Sized>(
        &self,
        kernel: &K,
        scratch: &mut Scratch<P::Scalar>,
        f: impl FnOnce(MatRef<'_, P::Scalar>),
    ) {
        scratch.with_matrix(self.nrows(), self.ncols(), |mut out, scratch| {
            kernel.block(self, out.as_mut(), scratch);
            f(out.as_ref());
        });
    }
}
