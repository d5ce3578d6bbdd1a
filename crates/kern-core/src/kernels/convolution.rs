//! The convolution kernel: a sum over all pairs of parts of two points.

use crate::binding::Bound;
use crate::parameters::{Parameter, Parameters, Setting};
use crate::{Error, Gather, Kernel, Mercer, Points, Prepared, Scalar, Scratch, Tile};
use faer::MatMut;
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// The number of parts per side whose kernel values are held at once.
const CHUNK: usize = 256;

/// The convolution kernel: the sum of a kernel over all pairs of parts.
///
/// # Definition
/// R(x) is the finite collection of parts of x: K(x, y) = Σ_{p ∈ R(x)} Σ_{q ∈ R(y)} k(p, q). The
/// features are Σ_{p ∈ R(x)} φ(p), so K is Mercer if k is. A point without parts has K = 0.
///
/// For parts that are tuples (p₁, …, p_D), Haussler's form Σ Σ Πₔ kₔ(pₔ, qₔ) takes the product of
/// the kₔ as k: [`tensor_product`](crate::closure::tensor_product).
///
/// # Complexity
/// |R(x)|·|R(y)| values of k for each pair of points, computed in blocks. A Gram matrix decomposes
/// each point once and holds the parts of all points in memory.
///
/// # References
/// Haussler (1999), *Convolution kernels on discrete structures*.
///
/// # Examples
/// Words as bags of letters, compared by vowels and the rest:
/// ```
/// use kern_core::{Kernel, closure, kernels::{Convolution, FnKernel}};
/// let same = FnKernel::new(|p: &char, q: &char| f64::from(u8::from(p == q)));
/// let k = Convolution::new(|word: &String| word.chars().collect(), same);
/// let words = vec!["gram".to_string(), "grammar".to_string()];
/// assert_eq!(Kernel::<Vec<String>>::eval(&k, &words[0], &words[1]), 7.0); // g 1·1, r 1·2, a 1·2, m 1·2
///
/// let place = FnKernel::new(|i: &usize, j: &usize| f64::from(u8::from(i == j)));
/// let both = closure::tensor_product::<_, _, Vec<usize>, Vec<char>>(place, same);
/// let k = Convolution::new(|word: &String| word.chars().enumerate().collect(), both);
/// assert_eq!(Kernel::<Vec<String>>::eval(&k, &words[0], &words[1]), 4.0); // gram, in place
/// ```
pub struct Convolution<F, K, Q> {
    parts: F,
    kernel: K,
    target: PhantomData<fn() -> Q>,
}

crate::impl_kernel_ops!([F, K, Q] Convolution<F, K, Q>;);

impl<F, K, S> Convolution<F, K, Vec<S>> {
    /// The sum of `kernel`, which acts on `Vec<S>`, over all pairs of `parts(x)` and `parts(y)`.
    pub fn new<X: ?Sized>(parts: F, kernel: K) -> Self
    where
        F: Fn(&X) -> Vec<S>,
    {
        Self { parts, kernel, target: PhantomData }
    }
}

impl<F, K, Q: Gather> Convolution<F, K, Q> {
    /// The same for parts that form another type of collection, such as vectors in
    /// [`Samples`](crate::Samples).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Kernel, Samples, kernels::{Convolution, Rbf}};
    /// type Cloud = Vec<Vec<f64>>;
    /// let points = |cloud: &Cloud| cloud.clone();
    /// let k = Convolution::<_, _, Samples<f64>>::gathering(points, Rbf::new(1.0)?);
    /// let (x, y) = (vec![vec![0.0], vec![1.0]], vec![vec![1.0]]);
    /// assert_eq!(Kernel::<Vec<Cloud>>::eval(&k, &x, &y), 1.0 + (-1.0_f64).exp());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn gathering<X: ?Sized>(parts: F, kernel: K) -> Self
    where
        F: Fn(&X) -> Vec<Q::Owned>,
    {
        Self { parts, kernel, target: PhantomData }
    }

    /// The parts of a range of points, concatenated in the order of the points.
    fn decomposed<P>(&self, points: &P, range: Range<usize>) -> Result<Decomposed<Q>, Error>
    where
        P: Points + ?Sized,
        F: Fn(&P::Item) -> Vec<Q::Owned>,
    {
        let (mut starts, mut owners, mut parts) = (vec![0], Vec::new(), Vec::new());
        for (owner, i) in range.enumerate() {
            parts.extend((self.parts)(points.item(i)));
            owners.resize(parts.len(), owner);
            starts.push(parts.len());
        }
        // An empty collection of vectors cannot be constructed; the range of parts is then empty as
        // well.
        let parts = if parts.is_empty() { None } else { Some(Q::gather(parts)?) };
        Ok(Decomposed { starts, owners, parts })
    }
}

/// The parts of a collection of points.
struct Decomposed<Q> {
    /// Point i has the parts `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    /// The point of each part.
    owners: Vec<usize>,
    /// None if there are none.
    parts: Option<Q>,
}

impl<Q: Points> Decomposed<Q> {
    /// The parts of these points in chunks: of whole points, or of a single point with more parts
    /// than a chunk. The order of summation over parts therefore does not depend on the tile.
    fn chunks(&self, points: &Range<usize>) -> Vec<Range<usize>> {
        let (mut chunks, mut start) = (Vec::new(), self.starts[points.start]);
        for point in points.clone() {
            let (own, end) = (self.starts[point], self.starts[point + 1]);
            if end - start > CHUNK && own > start {
                chunks.push(start..own);
                start = own;
            }
            while end - start > CHUNK {
                chunks.push(start..start + CHUNK);
                start += CHUNK;
            }
            if start > own {
                chunks.push(start..end);
                start = end;
            }
        }
        let end = self.starts[points.end];
        chunks.extend((start < end).then_some(start..end));
        chunks
    }

    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        match (&self.parts, &other.parts) {
            (Some(own), Some(others)) => own.check_compatible(others),
            _ => Ok(()),
        }
    }
}

/// `out[(i, j)]` = Σ k(p, q) over the parts p of point `rows.start + i` of `a` and those q of point
/// `cols.start + j` of `b`.
fn fill<Q: Points, K: Kernel<Q>>(
    kernel: &K,
    a: &Decomposed<Q>,
    b: &Decomposed<Q>,
    rows: Range<usize>,
    cols: Range<usize>,
    mut out: MatMut<'_, Q::Scalar>,
    scratch: &mut Scratch<Q::Scalar>,
) {
    out.fill(Q::Scalar::ZERO);
    let (Some(left), Some(right)) = (&a.parts, &b.parts) else { return };
    for q in b.chunks(&cols) {
        for p in a.chunks(&rows) {
            scratch.with_matrix(p.len(), q.len(), |mut values, scratch| {
                let tile = Tile::new(left, p.clone(), right, q.clone());
                kernel.block(&tile, values.as_mut(), scratch);
                for (k, part) in q.clone().enumerate() {
                    let j = b.owners[part] - cols.start;
                    for (l, part) in p.clone().enumerate() {
                        out[(a.owners[part] - rows.start, j)] += values[(l, k)];
                    }
                }
            });
        }
    }
}

impl<P, Q, F, K> Kernel<P> for Convolution<F, K, Q>
where
    P: Points + ?Sized,
    Q: Gather<Scalar = P::Scalar>,
    F: Fn(&P::Item) -> Vec<Q::Owned> + Send + Sync,
    K: Kernel<Q>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        let (x, y) = ((self.parts)(x), (self.parts)(y));
        let mut by_y = vec![0.0; y.len()];
        let mut sum_by_x = 0.0;
        for p in &x {
            let mut row = 0.0;
            for (q, sum) in y.iter().zip(&mut by_y) {
                let value = self.kernel.eval(p.borrow(), q.borrow()).to_f64();
                row += value;
                *sum += value;
            }
            sum_by_x += row;
        }
        // The mean of both orders of summation is symmetric to the last bit.
        P::Scalar::from_f64(0.5 * (sum_by_x + by_y.iter().sum::<f64>()))
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
        let sides =
            (self.decomposed(tile.a(), tile.rows()), self.decomposed(tile.b(), tile.cols()));
        match sides {
            (Ok(a), Ok(b)) if a.check_compatible(&b).is_ok() => {
                fill(&self.kernel, &a, &b, 0..tile.nrows(), 0..tile.ncols(), out, scratch);
            }
            // Each side passed `check`, but their parts lie in different spaces. The non-finite
            // values are reported as an error by the caller.
            _ => tile.fill_pointwise(out, |_, _| P::Scalar::from_f64(f64::NAN)),
        }
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        _: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        let rows = self.decomposed(a, 0..a.len()).ok()?;
        let cols = if std::ptr::addr_eq(a, b) {
            None
        } else {
            let cols = self.decomposed(b, 0..b.len()).ok()?;
            rows.check_compatible(&cols).ok()?;
            Some(cols)
        };
        Some(Box::new(Sides { kernel: &self.kernel, rows, cols }))
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        match self.decomposed(points, 0..points.len())?.parts {
            Some(parts) => self.kernel.check(&parts),
            None => Ok(()),
        }
    }
}

/// Both collections, each decomposed once.
struct Sides<'a, K, Q> {
    kernel: &'a K,
    rows: Decomposed<Q>,
    /// None if both are the same collection.
    cols: Option<Decomposed<Q>>,
}

impl<T: Scalar, Q: Points<Scalar = T>, K: Kernel<Q>> Bound<T> for Sides<'_, K, Q> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let b = self.cols.as_ref().unwrap_or(&self.rows);
        fill(self.kernel, &self.rows, b, rows, cols, out, scratch);
    }
}

impl<P, Q, F, K> Mercer<P> for Convolution<F, K, Q>
where
    P: Points + ?Sized,
    Q: Gather<Scalar = P::Scalar>,
    F: Fn(&P::Item) -> Vec<Q::Owned> + Send + Sync,
    K: Mercer<Q>,
{
}

impl<F: Clone, K: Clone, Q> Clone for Convolution<F, K, Q> {
    fn clone(&self) -> Self {
        let (parts, kernel) = (self.parts.clone(), self.kernel.clone());
        Self { parts, kernel, target: PhantomData }
    }
}

impl<F, K: fmt::Debug, Q> fmt::Debug for Convolution<F, K, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Convolution").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}

impl<F, K: Parameters, Q> Parameters for Convolution<F, K, Q> {
    fn parameters(&self) -> Vec<Parameter> {
        self.kernel.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.kernel.set_parameter(name, value)
    }
}

impl<F, K: fmt::Display, Q> fmt::Display for Convolution<F, K, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "convolution({})", self.kernel)
    }
}
