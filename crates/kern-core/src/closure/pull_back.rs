//! The pull-back of a kernel along a function: a kernel on derived features.

use crate::binding::Bound;
use crate::parameters::{Parameter, Parameters, Setting};
use crate::{Error, Gather, Kernel, Mercer, Points, Prepared, Scalar, Scratch, Tile};
use faer::MatMut;
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// The pull-back of a kernel: K(x, y) = K₁(f(x), f(y)).
///
/// # Definition
/// f: 𝒳 → 𝒴 is any function, K₁ a kernel on the collection type `Q` of points of 𝒴, and the
/// features are φ₁ ∘ f. It turns a kernel on vectors into a kernel on any objects from which
/// vectors can be computed.
///
/// f returns an owned point of `Q`, such as a `Vec<f64>` for `Samples<f64>`. `Q` must be named,
/// `PullBack::<_, _, Samples<f64>>::new(f, kernel)`: a `Vec<f64>` is also a point of a
/// `Vec<Vec<f64>>`, so the compiler cannot infer the collection from f.
///
/// # Complexity
/// A Gram matrix maps each point once and then uses the fast block of K₁.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, closure::PullBack, kernels::Linear};
/// let letters = |s: &String| vec![s.matches('a').count() as f64, s.matches('b').count() as f64];
/// let k = PullBack::<_, _, Samples<f64>>::new(letters, Linear);
/// let words = vec!["abba".to_string(), "baa".to_string()];
/// let value = Kernel::<Vec<String>>::eval(&k, &words[0], &words[1]);
/// assert_eq!(value, 2.0 * 2.0 + 2.0 * 1.0);
/// # fn is_mercer<K: kern_core::Mercer<Vec<String>>>(_: &K) {}
/// # is_mercer(&k);
/// ```
pub struct PullBack<F, K, Q> {
    f: F,
    kernel: K,
    target: PhantomData<fn() -> Q>,
}

impl<F, K, Q> PullBack<F, K, Q> {
    /// kernel(f(x), f(y)). The collection type `Q` must be named, see [`PullBack`].
    pub fn new(f: F, kernel: K) -> Self {
        Self { f, kernel, target: PhantomData }
    }

    /// The function f.
    pub fn function(&self) -> &F {
        &self.f
    }

    /// The kernel K₁.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// f of all points.
    pub(crate) fn map_all<P: Points + ?Sized>(&self, points: &P) -> Result<Q, Error>
    where
        Q: Gather,
        F: Fn(&P::Item) -> Q::Owned,
    {
        self.mapped(points, 0..points.len())
    }

    /// f of a range of points.
    fn mapped<P: Points + ?Sized>(&self, points: &P, range: Range<usize>) -> Result<Q, Error>
    where
        Q: Gather,
        F: Fn(&P::Item) -> Q::Owned,
    {
        Q::gather(range.map(|i| (self.f)(points.item(i))).collect())
    }
}

impl<P, Q, F, K> Kernel<P> for PullBack<F, K, Q>
where
    P: Points + ?Sized,
    Q: Gather<Scalar = P::Scalar>,
    F: Fn(&P::Item) -> Q::Owned + Send + Sync,
    K: Kernel<Q>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        self.kernel.eval((self.f)(x).borrow(), (self.f)(y).borrow())
    }

    fn is_pointwise(&self) -> bool {
        self.kernel.is_pointwise()
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let sides = (self.mapped(tile.a(), tile.rows()), self.mapped(tile.b(), tile.cols()));
        match sides {
            (Ok(a), Ok(b)) if a.check_compatible(&b).is_ok() => {
                self.kernel.block(&Tile::new(&a, 0..a.len(), &b, 0..b.len()), out, scratch);
            }
            // Each side passed `check`, but f mapped them to different spaces, such as vectors of
            // different lengths. The non-finite values are reported as an error by the caller.
            _ => tile.fill_pointwise(out, |_, _| P::Scalar::from_f64(f64::NAN)),
        }
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        _: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        let rows = self.map_all(a).ok()?;
        let cols = if std::ptr::addr_eq(a, b) {
            None
        } else {
            let cols = self.map_all(b).ok()?;
            rows.check_compatible(&cols).ok()?;
            Some(cols)
        };
        Some(Box::new(Mapped { kernel: &self.kernel, rows, cols }))
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        match self.mapped(points, i..i + 1) {
            Ok(image) => self.kernel.diag(&image, 0),
            Err(_) => Kernel::<P>::eval(self, points.item(i), points.item(i)),
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        if points.is_empty() {
            return Ok(());
        }
        self.kernel.check(&self.map_all(points)?)
    }
}

/// Both collections, mapped once.
struct Mapped<'a, K, Q> {
    kernel: &'a K,
    rows: Q,
    /// None if both are the same collection.
    cols: Option<Q>,
}

impl<T: Scalar, Q: Points<Scalar = T>, K: Kernel<Q>> Bound<T> for Mapped<'_, K, Q> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let b = self.cols.as_ref().unwrap_or(&self.rows);
        self.kernel.block(&Tile::new(&self.rows, rows, b, cols), out, scratch);
    }

    fn diag(&self, i: usize) -> Option<T> {
        Some(self.kernel.diag(&self.rows, i))
    }
}

impl<P, Q, F, K> Mercer<P> for PullBack<F, K, Q>
where
    P: Points + ?Sized,
    Q: Gather<Scalar = P::Scalar>,
    F: Fn(&P::Item) -> Q::Owned + Send + Sync,
    K: Mercer<Q>,
{
}

impl<F: Clone, K: Clone, Q> Clone for PullBack<F, K, Q> {
    fn clone(&self) -> Self {
        Self::new(self.f.clone(), self.kernel.clone())
    }
}

impl<F, K: fmt::Debug, Q> fmt::Debug for PullBack<F, K, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PullBack").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}

impl<F, K: Parameters, Q> Parameters for PullBack<F, K, Q> {
    fn parameters(&self) -> Vec<Parameter> {
        self.kernel.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.kernel.set_parameter(name, value)
    }
}

impl<F, K: fmt::Display, Q> fmt::Display for PullBack<F, K, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pull_back({})", self.kernel)
    }
}
