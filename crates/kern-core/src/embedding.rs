//! Kernels with an explicit sparse embedding: strings, sets and graphs as bags of features.
//!
//! Such a kernel is a sum over the features w shared by two points, o = Σ_w pair(x_w, y_w),
//! possibly normalised by the same sum of each point with itself. A Gram matrix computes the
//! features once per point and the sums as a sparse product.

use crate::points::Entry;
use crate::{Bound, Points, Prepared, Scratch, SparseSamples, Tile, tile};
use faer::MatMut;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

/// A bag of features: distinct features in ascending order, each with its weight.
///
/// # Examples
/// ```
/// use kern_core::Bag;
/// let bag: Bag = [(7, 1.0), (3, 1.0), (7, 1.0)].into_iter().collect();
/// assert_eq!(bag.features(), [(3, 1.0), (7, 2.0)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bag {
    features: Vec<(u64, f64)>,
}

impl Bag {
    /// The features and their weights, in ascending order of the features.
    #[must_use]
    pub fn features(&self) -> &[(u64, f64)] {
        &self.features
    }

    /// Σ_w pair(x_w, y_w) over the common features.
    pub fn shared(&self, other: &Self, pair: impl Fn(f64, f64) -> f64) -> f64 {
        let (mut x, mut y) = (self.features.as_slice(), other.features.as_slice());
        let mut sum = 0.0;
        while let ([a, x_rest @ ..], [b, y_rest @ ..]) = (x, y) {
            if a.0 == b.0 {
                sum += pair(a.1, b.1);
            }
            if a.0 <= b.0 {
                x = x_rest;
            }
            if b.0 <= a.0 {
                y = y_rest;
            }
        }
        sum
    }
}

impl FromIterator<(u64, f64)> for Bag {
    /// Sums the weights of equal features.
    fn from_iter<I: IntoIterator<Item = (u64, f64)>>(features: I) -> Self {
        let mut features: Vec<_> = features.into_iter().collect();
        features.sort_by_key(|f| f.0);
        features.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { features }
    }
}

/// A kernel that is a sum over shared features;
/// [`impl_embedded_kernel`](crate::impl_embedded_kernel) implements [`Kernel`](crate::Kernel) for
/// it.
pub trait Embedded<X: ?Sized>: Send + Sync {
    /// The features of a point.
    fn bag(&self, x: &X) -> Bag;

    /// The contribution of a feature with weights x and y. Default: x·y. Vectorised code may also
    /// evaluate it at x = 0; the result is discarded unless 0 is a weight.
    fn pair(&self, x: f64, y: f64) -> f64 {
        x * y
    }

    /// The kernel value from the sums o(x, y), o(x, x) and o(y, y). Default: o(x, y).
    fn finish(&self, shared: f64, x: f64, y: f64) -> f64 {
        let _ = (x, y);
        shared
    }
}

/// [`Kernel::eval`](crate::Kernel::eval) of an embedded kernel.
pub fn eval<X: ?Sized, E: Embedded<X> + ?Sized>(kernel: &E, x: &X, y: &X) -> f64 {
    let (x, y) = (kernel.bag(x), kernel.bag(y));
    let own = |bag: &Bag| bag.shared(bag, |v, w| kernel.pair(v, w));
    kernel.finish(x.shared(&y, |v, w| kernel.pair(v, w)), own(&x), own(&y))
}

/// [`Kernel::diag`](crate::Kernel::diag) of an embedded kernel.
pub fn diag<X: ?Sized, E: Embedded<X> + ?Sized>(kernel: &E, x: &X) -> f64 {
    let bag = kernel.bag(x);
    let own = bag.shared(&bag, |v, w| kernel.pair(v, w));
    kernel.finish(own, own, own)
}

/// [`Kernel::block`](crate::Kernel::block) of an embedded kernel: embeds the points of the tile.
pub fn block<P, E>(kernel: &E, tile: &Tile<'_, P>, out: MatMut<'_, f64>, scratch: &mut Scratch<f64>)
where
    P: Points<Scalar = f64> + ?Sized,
    E: Embedded<P::Item> + ?Sized,
{
    let bags = |points: &P, range: Range<usize>| -> Vec<Bag> {
        range.map(|i| kernel.bag(points.item(i))).collect()
    };
    let (rows, cols) = (bags(tile.a(), tile.rows()), bags(tile.b(), tile.cols()));
    let sides = Sides::new(kernel, &rows, Some(&cols));
    sides.block(0..rows.len(), 0..cols.len(), out, scratch);
}

fn bags<P, E>(kernel: &E, points: &P) -> Vec<Bag>
where
    P: Points + ?Sized,
    E: Embedded<P::Item> + ?Sized,
{
    (0..points.len()).map(|i| kernel.bag(points.item(i))).collect()
}

/// [`Kernel::prepare`](crate::Kernel::prepare) of an embedded kernel: the embeddings.
pub fn prepare<P, E>(kernel: &E, points: &P) -> Option<Prepared>
where
    P: Points<Scalar = f64> + ?Sized,
    E: Embedded<P::Item>,
{
    let bags = bags(kernel, points);
    let dictionary = dictionary(&bags);
    let side = Side::new(kernel, &bags, &dictionary);
    Some(Prepared::new(PreparedSide { side, dictionary }))
}

/// [`Kernel::bind`](crate::Kernel::bind) of an embedded kernel: embeds each collection once, the
/// columns only if they are not prepared.
pub fn bind<'a, P, E>(
    kernel: &'a E,
    a: &'a P,
    b: &'a P,
    prepared: Option<&'a Prepared>,
) -> Option<Box<dyn Bound<f64> + 'a>>
where
    P: Points<Scalar = f64> + ?Sized,
    E: Embedded<P::Item>,
{
    let rows = bags(kernel, a);
    if let Some(PreparedSide { side, dictionary }) = prepared.and_then(Prepared::data) {
        let (rows, cols) = (Side::new(kernel, &rows, dictionary), Some(Cow::Borrowed(side)));
        return Some(Box::new(Sides { kernel, rows, cols, point: PhantomData }));
    }
    let cols = (!std::ptr::addr_eq(a, b)).then(|| bags(kernel, b));
    Some(Box::new(Sides::new(kernel, &rows, cols.as_deref())))
}

/// The distinct features of all bags, in ascending order.
fn dictionary<'b>(bags: impl IntoIterator<Item = &'b Bag>) -> Vec<u64> {
    let features = bags.into_iter().flat_map(|bag| bag.features.iter().map(|f| f.0));
    let mut dictionary: Vec<u64> = features.collect();
    dictionary.sort_unstable();
    dictionary.dedup();
    dictionary
}

/// Both sides of a matrix as sparse samples over a common dictionary.
struct Sides<'a, E: ?Sized, X: ?Sized> {
    kernel: &'a E,
    rows: Side,
    /// None if both sides are the same collection.
    cols: Option<Cow<'a, Side>>,
    point: PhantomData<fn(&X)>,
}

#[derive(Clone)]
struct Side {
    points: SparseSamples<f64>,
    /// Σ_w pair(x_w, x_w) of each point.
    own: Vec<f64>,
}

/// The columns of later bindings, over a dictionary of their own features: others are in no sum.
struct PreparedSide {
    side: Side,
    dictionary: Vec<u64>,
}

impl<'a, X: ?Sized, E: Embedded<X> + ?Sized> Sides<'a, E, X> {
    fn new(kernel: &'a E, rows: &[Bag], cols: Option<&[Bag]>) -> Self {
        let dictionary = dictionary(rows.iter().chain(cols.unwrap_or(&[])));
        let side = |bags: &[Bag]| Side::new(kernel, bags, &dictionary);
        let (rows, cols) = (side(rows), cols.map(|cols| Cow::Owned(side(cols))));
        Self { kernel, rows, cols, point: PhantomData }
    }
}

impl Side {
    /// The bags without the features that are not in the dictionary, which keep their part in the
    /// sums of each point with itself.
    fn new<X: ?Sized, E: Embedded<X> + ?Sized>(
        kernel: &E,
        bags: &[Bag],
        dictionary: &[u64],
    ) -> Self {
        let entry = |&(name, value): &(u64, f64)| {
            let feature = dictionary.binary_search(&name).ok()? as u32;
            Some(Entry { feature, value })
        };
        let rows = bags.iter().map(|bag| bag.features.iter().filter_map(entry).collect());
        let points = SparseSamples::from_sorted(dictionary.len(), rows);
        let own = bags.iter().map(|bag| bag.shared(bag, |v, w| kernel.pair(v, w))).collect();
        Self { points, own }
    }
}

impl<X: ?Sized, E: Embedded<X> + ?Sized> Bound<f64> for Sides<'_, E, X> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut out: MatMut<'_, f64>,
        scratch: &mut Scratch<f64>,
    ) {
        let right = self.cols.as_deref().unwrap_or(&self.rows);
        // The columns are looked up: those of a model are there from the last call.
        let tile = Tile::new(&right.points, cols.clone(), &self.rows.points, rows.clone());
        let pair = |v, w| self.kernel.pair(w, v);
        tile::shared_features(&tile, out.as_mut().transpose_mut(), scratch, pair);
        for (j, y) in cols.enumerate() {
            for (i, x) in rows.clone().enumerate() {
                out[(i, j)] = self.kernel.finish(out[(i, j)], self.rows.own[x], right.own[y]);
            }
        }
    }

    fn diag(&self, i: usize) -> Option<f64> {
        let own = self.rows.own[i];
        Some(self.kernel.finish(own, own, own))
    }
}

/// Implements [`Kernel`](crate::Kernel) and [`Mercer`](crate::Mercer) for an [`Embedded`] kernel,
/// on every collection whose items satisfy the bound.
///
/// # Examples
/// ```
/// use kern_core::{Bag, Embedded, Kernel, impl_embedded_kernel};
/// /// Counts the letters that two strings share.
/// struct Letters;
/// impl<S: AsRef<str> + ?Sized> Embedded<S> for Letters {
///     fn bag(&self, x: &S) -> Bag {
///         x.as_ref().chars().map(|c| (u64::from(c), 1.0)).collect()
///     }
/// }
/// impl_embedded_kernel!(Letters, AsRef<str>);
/// assert_eq!(Kernel::<Vec<&str>>::eval(&Letters, &"gram", &"grammar"), 7.0);
/// ```
#[macro_export]
macro_rules! impl_embedded_kernel {
    ($kernel:ty, $($bound:tt)+) => {
        impl<P> $crate::Kernel<P> for $kernel
        where
            P: $crate::Points<Scalar = f64> + ?Sized,
            P::Item: $($bound)+,
        {
            fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
                $crate::embedding::eval(self, x, y)
            }
            fn is_pointwise(&self) -> bool {
                false
            }

            fn block(
                &self,
                tile: &$crate::Tile<'_, P>,
                out: $crate::faer::MatMut<'_, f64>,
                scratch: &mut $crate::Scratch<f64>,
            ) {
                $crate::embedding::block(self, tile, out, scratch);
            }
            fn diag(&self, points: &P, i: usize) -> f64 {
                $crate::embedding::diag(self, points.item(i))
            }
            fn prepare(&self, points: &P) -> Option<$crate::Prepared> {
                $crate::embedding::prepare(self, points)
            }
            fn bind<'a>(
                &'a self,
                a: &'a P,
                b: &'a P,
                prepared: Option<&'a $crate::Prepared>,
            ) -> Option<Box<dyn $crate::Bound<f64> + 'a>> {
                $crate::embedding::bind(self, a, b, prepared)
            }
        }
        impl<P> $crate::Mercer<P> for $kernel
        where
            P: $crate::Points<Scalar = f64> + ?Sized,
            P::Item: $($bound)+,
        {
        }
    };
}
