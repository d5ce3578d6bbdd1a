//! The two central traits: [`Kernel`], a function on pairs of points, and [`Mercer`], a positive
//! semi-definite kernel.

use crate::{Bound, Error, Points, Prepared, Scratch, SearchOrder, Tile};
use faer::{MatMut, MatRef};

/// A kernel: a symmetric function K: 𝒳 × 𝒳 → R.
///
/// **One method is enough**: [`eval`](Kernel::eval), the definition. All others have defaults, and
/// a kernel may override each of them on its own.
///
/// - **For speed**, with the same values: [`block`](Kernel::block) computes many values at once,
///   and [`is_pointwise`](Kernel::is_pointwise) is false if that is faster than single values;
///   [`diag`](Kernel::diag) is for a known K(x, x); [`prepare`](Kernel::prepare) and
///   [`bind`](Kernel::bind) do once per collection what `block` would repeat for each tile; and
///   [`search_order`](Kernel::search_order) orders values without computing them.
/// - **For evidence**: [`check`](Kernel::check) rejects points outside the domain before work
///   starts, and [`differences`](Kernel::differences) computes accurate distances where those from
///   values cancel.
///
/// Kernels on dense vectors override `block` with the tile engine, closure rules by combining the
/// blocks of their parts. [`contract::verify`](crate::contract::verify) tests that overrides agree
/// with `eval`. The trait is dyn-compatible.
///
/// A kernel is a function on the points of a collection type `P`, so one value such as
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
    /// By default a loop over [`eval`](Kernel::eval). An override must agree with `eval` up to
    /// rounding; [`contract::verify`](crate::contract::verify) checks this.
    ///
    /// # Shapes and units
    /// `out` is [`tile.nrows()`](Tile::nrows) × [`tile.ncols()`](Tile::ncols).
    /// `scratch` provides reusable buffers.
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

    /// Whether the entries of a block are computed one by one, so that half the entries take half
    /// the work.
    ///
    /// If so, a Gram matrix evaluates each pair once, in tiles that occupy all threads where values
    /// are expensive. Default: true; a kernel whose [`block`](Kernel::block) is faster than single
    /// evaluations returns false. A closure rule is pointwise if any of its parts is.
    fn is_pointwise(&self) -> bool {
        true
    }

    /// K(x_i, x_i).
    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        let x = points.item(i);
        self.eval(x, x)
    }

    /// What the kernel computes of a collection before it is bound, such as embeddings, if that
    /// depends on nothing else: a model keeps it with its points. Default: none.
    fn prepare(&self, points: &P) -> Option<Prepared> {
        let _ = points;
        None
    }

    /// Binds the kernel to two collections, if some work, such as computing an embedding, can be
    /// done once per collection instead of once per tile; `prepared` is what
    /// [`prepare`](Kernel::prepare) returned for `b`, if it was called. Values have the same bits
    /// with and without it. Default: none.
    ///
    /// Callers use a [`Binding`](crate::Binding), which falls back to [`block`](Kernel::block).
    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        let _ = (a, b, prepared);
        None
    }

    /// The order of the values without the values, for searches: this kernel as a
    /// [`SearchOrder`], if it implements that trait. Default: none.
    fn search_order(&self) -> Option<&dyn SearchOrder<P>> {
        None
    }

    /// −½‖φ(x) − φ(y)‖² as a kernel, if it can be computed from the differences of points instead
    /// of from K(x, x), K(x, y) and K(y, y), which cancel where points lie far from the origin. It
    /// is used for searches by distance and for sums whose coefficients add up to zero. Default:
    /// none.
    ///
    /// Equal points have value 0. [`contract::verify`](crate::contract::verify) checks an override.
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
    /// Called once per collection before work starts; afterwards, evaluation cannot fail. The
    /// default accepts everything.
    ///
    /// # Errors
    /// What is wrong, with the value found and the allowed values.
    fn check(&self, points: &P) -> Result<(), Error> {
        let _ = points;
        Ok(())
    }
}

/// A kernel that is positive semi-definite: Σᵢⱼ cᵢcⱼK(xᵢ, xⱼ) ≥ 0 for all points and all c.
///
/// Equivalently, an inner product of features, K(x, y) = ⟨φ(x), φ(y)⟩ (Mercer 1909;
/// Aronszajn 1950). Every closure rule propagates this marker, so that a composite of Mercer
/// kernels is Mercer at compile time. Solvers that require the property do not accept a kernel
/// without it.
///
/// # Examples
/// The sigmoid kernel is not Mercer, nor is anything built from it:
/// ```compile_fail,E0277
/// use kern_core::{Mercer, Samples, kernels::{Rbf, Sigmoid}};
/// fn needs_psd<K: Mercer<Samples<f64>>>(_: K) {}
/// needs_psd(Rbf::new(1.0)? + Sigmoid::new(1.0, 0.0)?);
/// # Ok::<(), kern_core::Error>(())
/// ```
/// If you know that it is PSD on your data, use [`AssumeMercer`](crate::closure::AssumeMercer):
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
            with `KernelSpec::build_mercer`, a closure with `AssumeMercer(FnKernel::new(f))`, and samples of rows with \
            `Samples::from_rows`",
    note = "if you know that a kernel of your own is one on your data, implement `Mercer`, or wrap it in `AssumeMercer`"
)]
pub trait Mercer<P: Points + ?Sized>: Kernel<P> {}

/// The methods of a kernel that is another kernel: `delegate_kernel!(|this| this.kernel)`.
macro_rules! delegate_kernel {
    (|$this:ident| $kernel:expr) => {
        fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
            let $this = self;
            $kernel.eval(x, y)
        }

        fn is_pointwise(&self) -> bool {
            let $this = self;
            $kernel.is_pointwise()
        }

        fn block(
            &self,
            tile: &$crate::Tile<'_, P>,
            out: faer::MatMut<'_, P::Scalar>,
            scratch: &mut $crate::Scratch<P::Scalar>,
        ) {
            let $this = self;
            $kernel.block(tile, out, scratch);
        }

        fn diag(&self, points: &P, i: usize) -> P::Scalar {
            let $this = self;
            $kernel.diag(points, i)
        }

        fn prepare(&self, points: &P) -> Option<$crate::Prepared> {
            let $this = self;
            $kernel.prepare(points)
        }

        fn bind<'a>(
            &'a self,
            a: &'a P,
            b: &'a P,
            prepared: Option<&'a $crate::Prepared>,
        ) -> Option<Box<dyn $crate::Bound<P::Scalar> + 'a>> {
            let $this = self;
            $kernel.bind(a, b, prepared)
        }

        fn search_order(&self) -> Option<&dyn $crate::SearchOrder<P>> {
            let $this = self;
            $kernel.search_order()
        }

        fn differences<'a>(&'a self) -> Option<Box<dyn $crate::Kernel<P> + 'a>>
        where
            P: 'a,
        {
            let $this = self;
            $kernel.differences()
        }

        fn check(&self, points: &P) -> Result<(), $crate::Error> {
            let $this = self;
            $kernel.check(points)
        }
    };
}

pub(crate) use delegate_kernel;

macro_rules! pointers {
    ($($pointer:ty),*) => {$(
        impl<P: Points + ?Sized, K: Kernel<P> + ?Sized> Kernel<P> for $pointer {
            delegate_kernel!(|this| **this);
        }
        impl<P: Points + ?Sized, K: Mercer<P> + ?Sized> Mercer<P> for $pointer {}
    )*};
}

pointers!(&K, Box<K>, std::sync::Arc<K>);

impl<P: Points + ?Sized> Tile<'_, P> {
    /// Computes this tile of `kernel` in a scratch buffer and passes it to `f`; closure rules use
    /// it for the block of their second part.
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
