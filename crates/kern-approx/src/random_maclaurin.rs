//! Random Maclaurin features of dot-product kernels K(x, y) = Σₙ aₙ⟨x, y⟩ⁿ, aₙ ≥ 0: products of
//! random projections; and the power series of kernels, composites included.
//!
//! For polynomial kernels, see also `sketch`; with few monomials the exact map
//! ([`Explicit`](kern_core::Explicit)) is better.

use crate::Error;
use crate::panels::{PANEL, check_dim, widened};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::closure::{Exp, Product, Scaled, Sum};
use kern_core::kernels::{Linear, Polynomial};
use kern_core::products::matmul;
use kern_core::rand::RngExt;
use kern_core::tile::for_each_column;
use kern_core::{FeatureMap, Points, Samples, Scalar, Scratch, SparseSamples};
use kern_gram::{MemoryBudget, tile_ranges, zeros};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Degrees are drawn below this; the probability of all others is 2⁻⁶³.
const DEGREES: usize = 64;

/// Parameters of random Maclaurin features for a dot-product kernel Σₙ aₙ⟨x, y⟩ⁿ.
///
/// # Definition
/// ψ(x) = \[√a₀, √(a_N/(q_N·m))·Π_{k≤N} s_kᵀx, …\] with m random features. The degree N of each has
/// the distribution q_n ∝ 2⁻ⁿ on the n ≥ 1 with aₙ > 0, and s_k are vectors of random signs. If a₀
/// = 0 there is no constant feature. E ψ(x)ᵀψ(y) = K(x, y), up to terms of degree 64 and more.
///
/// For K = ⟨x, y⟩^p the variance is \[(‖x‖²‖y‖² + 2(⟨x, y⟩² − Σx_i²y_i²))^p − ⟨x, y⟩^{2p}\]/D. It grows
/// like ‖x‖^{2p}: scale the data to about unit length.
///
/// Defaults: 512 features, seed 0.
///
/// # References
/// Kar & Karnick (2012), *Random Feature Maps for Dot Product Kernels*, algorithm 1. Here the
/// constant term is exact, and degrees with a zero coefficient are never drawn.
///
/// # Examples
/// ```
/// use kern_approx::RandomMaclaurin;
/// use kern_core::{closure::Exp, kernels::Linear};
/// let map = RandomMaclaurin::new(Exp::new(Linear)).dim(1000).seed(3).sample(5)?;
/// assert_eq!((map.dim(), map.input_dim()), (1000, 5));
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[doc(alias = "Maclaurin")]
#[doc(alias = "Kar-Karnick")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct RandomMaclaurin<K> {
    kernel: K,
    dim: usize,
    seed: u64,
}

impl<K: DotProduct> RandomMaclaurin<K> {
    /// Creates features of `kernel` with default parameters.
    pub fn new(kernel: K) -> Self {
        Self { kernel, dim: 512, seed: 0 }
    }

    /// The number of features, D ≥ 1; at least 2 if there is a constant one.
    pub fn dim(mut self, dim: usize) -> Self {
        self.dim = dim;
        self
    }

    /// The seed of degrees and signs.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Draws the features for samples of dimension `input_dim`.
    ///
    /// # Errors
    /// [`Error::Zero`] if a dimension is 0, or no feature is left besides the constant one;
    /// [`Error::Coefficient`] for a coefficient that is negative or not finite; [`Error::Core`] for
    /// a polynomial of degree 64 or more; [`Error::Gram`] if the signs do not fit in memory.
    pub fn sample(&self, input_dim: usize) -> Result<MaclaurinMap, Error> {
        let (a, mass) = self.check(input_dim)?;
        // A constant kernel has no other features.
        let constant = usize::from(a[0] > 0.0 || mass == 0.0);
        let random = if mass > 0.0 { self.dim.saturating_sub(constant) } else { 0 };
        if self.dim == 0 || (random == 0 && mass > 0.0) {
            return Err(Error::Zero { what: "the number of features beside the constant one" });
        }
        let budget = MemoryBudget::available();
        budget.check::<f64>("the random signs", random, input_dim, "take fewer features")?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let draw = |_| degree(&a, mass * rng.random::<f64>());
        let mut degrees: Vec<usize> = (0..random).map(draw).collect();
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        let weight = |&n: &usize| (a[n] * mass / law(n) / random as f64).sqrt();
        let mut weights: Vec<f64> = degrees.iter().map(weight).collect();
        weights.resize(random + constant, a[0].sqrt());
        let longest = degrees.first().copied().unwrap_or(0);
        let layers = (0..longest).map(|k| degrees.partition_point(|&n| n > k)).collect();
        let signs = signs(degrees.iter().sum(), input_dim, &mut rng)?;
        Ok(MaclaurinMap { input_dim, weights, layers, signs })
    }

    /// The coefficients, and the sum of 2⁻ⁿ over the degrees n ≥ 1 with positive coefficients.
    fn check(&self, input_dim: usize) -> Result<(Vec<f64>, f64), Error> {
        if input_dim == 0 {
            return Err(Error::Zero { what: "the dimension of the samples" });
        }
        if let Some(degree) = self.kernel.degree().filter(|&degree| degree >= DEGREES) {
            let (name, given) = ("the degree of the kernel", degree as f64);
            let allowed = "below 64, or infinite";
            return Err(kern_core::Error::Parameter { name, given, allowed }.into());
        }
        let a = self.kernel.coefficients(DEGREES);
        if let Some(degree) = a.iter().position(|a| !(a.is_finite() && *a >= 0.0)) {
            return Err(Error::Coefficient { degree, given: a[degree] });
        }
        let mass = (1..DEGREES).filter(|&n| a[n] > 0.0).map(law).sum();
        Ok((a, mass))
    }
}

/// The unnormalised probability 2⁻ⁿ.
fn law(n: usize) -> f64 {
    0.5_f64.powf(n as f64)
}

/// The degree n ≥ 1 at which the cumulative probability of all n with aₙ > 0 exceeds u.
fn degree(a: &[f64], mut u: f64) -> usize {
    let mut last = 1;
    for n in (1..a.len()).filter(|&n| a[n] > 0.0) {
        last = n;
        u -= law(n);
        if u < 0.0 {
            break;
        }
    }
    last
}

fn signs(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Result<Mat<f64>, Error> {
    if rows == 0 {
        // Empty columns cost time, too, if there are 2³² of them.
        return Ok(Mat::new());
    }
    let budget = MemoryBudget::available();
    budget.check::<f64>("the random signs", rows, cols, "take fewer features")?;
    let mut signs = zeros(rows, cols)?;
    for i in 0..rows {
        for j in 0..cols {
            signs[(i, j)] = if rng.random() { 1.0 } else { -1.0 };
        }
    }
    Ok(signs)
}

/// A random Maclaurin feature map; see [`RandomMaclaurin`] for the definition.
///
/// # Complexity
/// d multiplications per factor; a feature has two factors on average if all aₙ > 0, and p if the
/// kernel is ⟨x, y⟩^p.
///
/// # Numerics
/// In double precision; the result is rounded to the type of the samples. Each factor has an error
/// of (d + 2)·u·‖x‖₁.
///
/// # Examples
/// ```
/// use kern_approx::{RandomMaclaurin, transform};
/// use kern_core::{Points, Samples, kernels::Polynomial};
/// use kern_gram::MemoryBudget;
/// let map = RandomMaclaurin::new(Polynomial::new(1.0, 1.0, 3)?).dim(20_000).sample(2)?;
/// let x = Samples::from_rows(&[[0.6, 0.8], [0.8, -0.6], [0.6, 0.0]])?;
/// let z = transform(&map, &x, &MemoryBudget::mebibytes(1))?;
/// let estimate: f64 = z.item(0).iter().zip(z.item(2)).map(|(a, b)| a * b).sum();
/// assert!((estimate - 1.36_f64.powi(3)).abs() < 0.2);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct MaclaurinMap {
    input_dim: usize,
    /// √(a_N/(q_N·m)) by descending degree, and √a₀.
    weights: Vec<f64>,
    /// The number of features with a k-th factor: the first ones, since degrees descend.
    layers: Vec<usize>,
    /// The signs of the first factors of all features, then of the second factors, …: one row each.
    /// Without rows it has no columns either.
    #[serde(with = "kern_core::serde_mat")]
    signs: Mat<f64>,
}

/// The serialised form, before validation.
#[derive(Deserialize)]
struct Packed {
    input_dim: usize,
    weights: Vec<f64>,
    layers: Vec<usize>,
    #[serde(with = "kern_core::serde_mat")]
    signs: Mat<f64>,
}

impl TryFrom<Packed> for MaclaurinMap {
    type Error = Error;
    fn try_from(Packed { input_dim, weights, layers, signs }: Packed) -> Result<Self, Error> {
        let descending = layers.is_sorted_by(|a, b| a >= b);
        let first = layers.first().is_none_or(|&count| count <= weights.len());
        let rows = layers.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
        if weights.is_empty() || !descending || !first || rows != Some(signs.nrows()) {
            return Err(Error::Invalid { what: "factors and features differ in number" });
        }
        if !weights.iter().all(|w| w.is_finite()) {
            return Err(Error::Invalid { what: "a weight is not finite" });
        }
        let cols = if signs.nrows() == 0 { 0 } else { input_dim };
        if input_dim == 0 || signs.ncols() != cols {
            return Err(Error::Invalid { what: "signs and coordinates differ in number" });
        }
        if signs.col_iter().any(|s| s.iter().any(|s| ![-1.0, 1.0].contains(s))) {
            return Err(Error::Invalid { what: "a sign is neither 1 nor -1" });
        }
        Ok(Self { input_dim, weights, layers, signs })
    }
}

impl MaclaurinMap {
    /// The number of features, D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.weights.len()
    }

    /// The dimension of the samples, d.
    #[must_use]
    pub fn input_dim(&self) -> usize {
        self.input_dim
    }

    /// Computes the features `chunk` of the samples x: weights times all factors. `factor` is a
    /// buffer of the size of `product`.
    fn multiply(
        &self,
        chunk: Range<usize>,
        x: MatRef<'_, f64>,
        mut product: MatMut<'_, f64>,
        mut factor: MatMut<'_, f64>,
    ) {
        for column in product.as_mut().col_iter_mut() {
            column.iter_mut().zip(&self.weights[chunk.clone()]).for_each(|(v, w)| *v = *w);
        }
        let mut start = 0;
        for &layer in &self.layers {
            let rows = layer.min(chunk.end).saturating_sub(chunk.start);
            if rows == 0 {
                break;
            }
            let signs = self.signs.as_ref().subrows(start + chunk.start, rows);
            let mut factor = factor.as_mut().subrows_mut(0, rows);
            matmul(factor.as_mut(), Accum::Replace, signs, x, 1.0);
            for (values, by) in product.as_mut().col_iter_mut().zip(factor.col_iter()) {
                values.iter_mut().zip(by.iter()).for_each(|(v, by)| *v *= by);
            }
            start += layer;
        }
    }
}

impl<T: Scalar> FeatureMap<Samples<T>> for MaclaurinMap {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn transform_into(
        &self,
        points: &Samples<T>,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
        _scratch: &mut Scratch<T>,
    ) {
        // tidy: allow(panic) because the trait's method carries the `# Panics` section.
        assert_eq!(out.shape(), (self.dim(), range.len()), "the output must be D x points");
        let (rows, cols) = (PANEL.0.min(self.dim()), PANEL.1.min(range.len()));
        let (mut product, mut factor) = (Mat::zeros(rows, cols), Mat::zeros(rows, cols));
        for samples in tile_ranges(range.len(), PANEL.1) {
            let x = widened(points, range.start + samples.start..range.start + samples.end);
            let x = MatRef::from_column_major_slice(&x, points.dim(), samples.len());
            let mut out = out.as_mut().subcols_mut(samples.start, samples.len());
            for chunk in tile_ranges(self.dim(), PANEL.0) {
                let shape = (chunk.len(), samples.len());
                let mut product = product.as_mut().submatrix_mut(0, 0, shape.0, shape.1);
                let factor = factor.as_mut().submatrix_mut(0, 0, shape.0, shape.1);
                self.multiply(chunk.clone(), x, product.as_mut(), factor);
                let to = out.as_mut().subrows_mut(chunk.start, chunk.len());
                for (to, from) in to.col_iter_mut().zip(product.col_iter()) {
                    to.iter_mut().zip(from.iter()).for_each(|(to, &v)| *to = T::from_f64(v));
                }
            }
        }
    }

    fn check(&self, points: &Samples<T>) -> Result<(), kern_core::Error> {
        check_dim(self.input_dim(), points.dim())
    }
}

/// Projections are sums over the stored entries: one multiplication per entry and factor of the
/// map.
impl<T: Scalar> FeatureMap<SparseSamples<T>> for MaclaurinMap {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn transform_into(
        &self,
        points: &SparseSamples<T>,
        range: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        // tidy: allow(panic) because the trait's method carries the `# Panics` section.
        assert_eq!(out.shape(), (self.dim(), range.len()), "the output must be D x points");
        let (mut factors, mut product) = (vec![0.0; self.signs.nrows()], vec![0.0; self.dim()]);
        for_each_column(out, scratch, |j, features| {
            factors.fill(0.0);
            let entries = if factors.is_empty() { &[] } else { points.item(range.start + j) };
            for entry in entries {
                if let Some(signs) = self.signs.col(entry.feature as usize).try_as_col_major() {
                    f64::axpy(entry.value.to_f64(), signs.as_slice(), &mut factors);
                }
            }
            product.copy_from_slice(&self.weights);
            let mut rest = factors.as_slice();
            for &layer in &self.layers {
                let (factor, later) = rest.split_at(layer);
                product.iter_mut().zip(factor).for_each(|(v, by)| *v *= by);
                rest = later;
            }
            features.iter_mut().zip(&product).for_each(|(to, &v)| *to = T::from_f64(v));
        });
    }

    fn check(&self, points: &SparseSamples<T>) -> Result<(), kern_core::Error> {
        check_dim(self.input_dim(), points.dim())
    }
}

/// A kernel that is a power series in the inner product: K(x, y) = Σₙ aₙ⟨x, y⟩ⁿ.
///
/// It is Mercer on all spaces if and only if all aₙ ≥ 0 (Schoenberg 1942). Closure rules preserve
/// it: sums add coefficients, products convolve them, and exp(K) has a recurrence.
///
/// # Examples
/// ```
/// use kern_approx::DotProduct;
/// use kern_core::{closure::Exp, kernels::{Linear, Polynomial}};
/// assert_eq!(Polynomial::new(2.0, 1.0, 2)?.coefficients(4), [1.0, 4.0, 4.0, 0.0]);
/// assert_eq!(Exp::new(2.0 * Linear).coefficients(4), [1.0, 2.0, 2.0, 4.0 / 3.0]);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to be a power series in the inner product"
)]
pub trait DotProduct: Send + Sync {
    /// a₀, …, a_{len−1}.
    fn coefficients(&self, len: usize) -> Vec<f64>;

    /// The largest n with aₙ > 0, or an upper bound; `None` if there are infinitely many.
    fn degree(&self) -> Option<usize>;
}

impl DotProduct for Linear {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        (0..len).map(|n| if n == 1 { 1.0 } else { 0.0 }).collect()
    }

    fn degree(&self) -> Option<usize> {
        Some(1)
    }
}

impl DotProduct for Polynomial {
    /// (p choose n)·γⁿ·r^(p−n).
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let degree = Polynomial::degree(self) as usize;
        let coefficient = |n: usize| {
            let choose = (0..n).fold(1.0, |c, i| c * (degree - i) as f64 / (i + 1) as f64);
            choose * self.gamma().powf(n as f64) * self.coef0().powf((degree - n) as f64)
        };
        (0..len).map(|n| if n <= degree { coefficient(n) } else { 0.0 }).collect()
    }

    fn degree(&self) -> Option<usize> {
        Some(Polynomial::degree(self) as usize)
    }
}

impl<K: DotProduct> DotProduct for Scaled<K> {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let mut a = self.kernel().coefficients(len);
        a.iter_mut().for_each(|a| *a *= self.weight());
        a
    }

    fn degree(&self) -> Option<usize> {
        self.kernel().degree()
    }
}

impl<A: DotProduct, B: DotProduct> DotProduct for Sum<A, B> {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let (a, b) = (self.left().coefficients(len), self.right().coefficients(len));
        a.iter().zip(&b).map(|(a, b)| a + b).collect()
    }

    fn degree(&self) -> Option<usize> {
        Some(self.left().degree()?.max(self.right().degree()?))
    }
}

impl<A: DotProduct, B: DotProduct> DotProduct for Product<A, B> {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let (a, b) = (self.left().coefficients(len), self.right().coefficients(len));
        (0..len).map(|n| (0..=n).map(|k| a[k] * b[n - k]).sum()).collect()
    }

    fn degree(&self) -> Option<usize> {
        self.left().degree()?.checked_add(self.right().degree()?)
    }
}

impl<K: DotProduct> DotProduct for Exp<K> {
    /// From (exp f)′ = f′·exp f: n·cₙ = Σₖ k·aₖ·c_{n−k}.
    fn coefficients(&self, len: usize) -> Vec<f64> {
        let a = self.kernel().coefficients(len);
        let mut c: Vec<f64> = Vec::with_capacity(len);
        for n in 0..len {
            let sum = (1..=n).map(|k| k as f64 * a[k] * c[n - k]).sum::<f64>();
            c.push(if n == 0 { a[0].exp() } else { sum / n as f64 });
        }
        c
    }

    fn degree(&self) -> Option<usize> {
        None
    }
}

impl<K: DotProduct + ?Sized> DotProduct for &K {
    fn coefficients(&self, len: usize) -> Vec<f64> {
        (**self).coefficients(len)
    }

    fn degree(&self) -> Option<usize> {
        (**self).degree()
    }
}
