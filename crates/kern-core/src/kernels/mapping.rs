//! The mapping kernel: a sum over mappings between the parts of two points.

use crate::binding::Bound;
use crate::parameters::{Parameter, Parameters, Setting};
use crate::{Error, Kernel, Points, Prepared, Scratch};
use faer::MatMut;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// The mapping kernel: a sum over mappings between the parts of two points.
///
/// # Definition
/// R(x) = (x₀, x₁, …) are the parts of x, and M(x, y) is a family of mappings, each a set m of
/// pairs (i, j) of parts x_i and y_j: K(x, y) = Σ_{m ∈ M(x, y)} Π_{(i, j) ∈ m} k(x_i, y_j). A
/// mapping without pairs contributes 1. If M consists of all single pairs, this is
/// [`Convolution`](super::Convolution); with all order-preserving mappings of p parts it compares
/// subsequences; with mappings that preserve ancestors, trees.
///
/// # Domain
/// M must be symmetric: M(y, x) contains the mappings of M(x, y) with their pairs reversed.
/// Mappings are one-to-one.
///
/// The kernel is *not* marked Mercer. If M is also **transitive** (m ∈ M(x, y) and m' ∈ M(y, z)
/// that meet in the same parts of y compose to a mapping in M(x, z)), then K is positive
/// semi-definite for every Mercer kernel k; otherwise it may be indefinite. The compiler cannot
/// verify this: use [`AssumeMercer`](crate::closure::AssumeMercer). "The best mapping only", as in
/// an edit distance, is the classic example that is not transitive.
///
/// A pair (i, j) of non-existent parts makes the value NaN, which the caller reports as an error.
///
/// # Complexity
/// One value of k for each pair of each mapping. A Gram matrix decomposes each point once.
///
/// # References
/// Shin & Kuboyama (2008), *A generalization of Haussler's convolution kernel: mapping kernel*;
/// here with the products over a mapping written out.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, closure::AssumeMercer, kernels::{FnKernel, Mapping}};
/// let same = FnKernel::new(|p: &char, q: &char| f64::from(u8::from(p == q)));
/// let letters = |word: &String| word.chars().collect();
/// // Letter by letter from the left, for as long as both words go on.
/// let aligned = |x: &String, y: &String| {
///     let shorter = x.chars().count().min(y.chars().count());
///     (0..shorter).map(|i| vec![(i, i)]).collect()
/// };
/// let k = AssumeMercer(Mapping::new(letters, aligned, same));
/// let (x, y) = ("gram".to_string(), "grim".to_string());
/// assert_eq!(Kernel::<Vec<String>>::eval(&k, &x, &y), 3.0);
/// # let _: &dyn kern_core::Mercer<Vec<String>> = &k;
/// ```
pub struct Mapping<F, M, K, S> {
    parts: F,
    mappings: M,
    kernel: K,
    part: PhantomData<fn() -> S>,
}

crate::impl_kernel_ops!([F, M, K, S] Mapping<F, M, K, S>;);

impl<F, M, K, S> Mapping<F, M, K, S> {
    /// The sum over `mappings(x, y)` of the products of `kernel`, which acts on `Vec<S>`, over the
    /// pairs of `parts(x)` and `parts(y)`.
    pub fn new<X: ?Sized>(parts: F, mappings: M, kernel: K) -> Self
    where
        F: Fn(&X) -> Vec<S>,
        M: Fn(&X, &X) -> Vec<Vec<(usize, usize)>>,
    {
        Self { parts, mappings, kernel, part: PhantomData }
    }

    /// K of two points, given their parts. Terms are sorted before they are combined, so that the
    /// kernel is symmetric to the last bit, whatever the order of the mappings.
    fn sum<X: ?Sized>(&self, x: &X, y: &X, a: &[S], b: &[S]) -> f64
    where
        S: Clone + Send + Sync,
        M: Fn(&X, &X) -> Vec<Vec<(usize, usize)>>,
        K: Kernel<Vec<S>>,
    {
        let value = |&(i, j): &(usize, usize)| match (a.get(i), b.get(j)) {
            (Some(p), Some(q)) => self.kernel.eval(p, q),
            _ => f64::NAN,
        };
        let product = |m: &Vec<(usize, usize)>| sorted(m.iter().map(value)).product::<f64>();
        sorted((self.mappings)(x, y).iter().map(product)).sum()
    }

    fn decomposed<P>(&self, points: &P) -> Vec<Vec<S>>
    where
        P: Points + ?Sized,
        F: Fn(&P::Item) -> Vec<S>,
    {
        (0..points.len()).map(|i| (self.parts)(points.item(i))).collect()
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.into_iter()
}

impl<P, F, M, K, S> Kernel<P> for Mapping<F, M, K, S>
where
    P: Points<Scalar = f64> + ?Sized,
    S: Clone + Send + Sync,
    F: Fn(&P::Item) -> Vec<S> + Send + Sync,
    M: Fn(&P::Item, &P::Item) -> Vec<Vec<(usize, usize)>> + Send + Sync,
    K: Kernel<Vec<S>>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
        self.sum(x, y, &(self.parts)(x), &(self.parts)(y))
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        _: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<f64> + 'a>> {
        let rows = self.decomposed(a);
        let cols = (!std::ptr::addr_eq(a, b)).then(|| self.decomposed(b));
        Some(Box::new(Sides { kernel: self, points: (a, b), rows, cols }))
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.kernel.check(&self.decomposed(points).into_iter().flatten().collect())
    }
}

/// Both collections with the parts of their points.
struct Sides<'a, F, M, K, S, P: ?Sized> {
    kernel: &'a Mapping<F, M, K, S>,
    points: (&'a P, &'a P),
    rows: Vec<Vec<S>>,
    /// None if both are the same collection.
    cols: Option<Vec<Vec<S>>>,
}

impl<P, F, M, K, S> Bound<f64> for Sides<'_, F, M, K, S, P>
where
    P: Points<Scalar = f64> + ?Sized,
    S: Clone + Send + Sync,
    F: Send + Sync,
    M: Fn(&P::Item, &P::Item) -> Vec<Vec<(usize, usize)>> + Send + Sync,
    K: Kernel<Vec<S>>,
{
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut out: MatMut<'_, f64>,
        _: &mut Scratch<f64>,
    ) {
        let right = self.cols.as_ref().unwrap_or(&self.rows);
        for (j, q) in cols.enumerate() {
            for (i, p) in rows.clone().enumerate() {
                let (x, y) = (self.points.0.item(p), self.points.1.item(q));
                out[(i, j)] = self.kernel.sum(x, y, &self.rows[p], &right[q]);
            }
        }
    }

    fn diag(&self, i: usize) -> Option<f64> {
        let x = self.points.0.item(i);
        Some(self.kernel.sum(x, x, &self.rows[i], &self.rows[i]))
    }
}

impl<F: Clone, M: Clone, K: Clone, S> Clone for Mapping<F, M, K, S> {
    fn clone(&self) -> Self {
        let (parts, mappings) = (self.parts.clone(), self.mappings.clone());
        Self { parts, mappings, kernel: self.kernel.clone(), part: PhantomData }
    }
}

impl<F, M, K: fmt::Debug, S> fmt::Debug for Mapping<F, M, K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapping").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}

impl<F, M, K: Parameters, S> Parameters for Mapping<F, M, K, S> {
    fn parameters(&self) -> Vec<Parameter> {
        self.kernel.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.kernel.set_parameter(name, value)
    }
}

impl<F, M, K: fmt::Display, S> fmt::Display for Mapping<F, M, K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mapping({})", self.kernel)
    }
}
