//! Derivatives of kernels in the logarithms of their parameters, summed over the pairs of a tile:
//! kernels on vectors and strings, and the decay λ or width σ of kernels on strings, trees, graphs
//! and time series.

use super::Differentiable;
use crate::kernels::{
    ArcCosine, ArdRbf, AttributedGraph, AttributedRandomWalk, BagOfWords, Cauchy, ChiSquared,
    Constant, Cosine, Delta, ExpChiSquared, Exponential, GlobalAlignment, Graph, Hamming,
    HammingRbf, Hellinger, Intersection, Laplacian, Linear, Matern, Matern32, Matern52,
    NormalizedBagOfWords, NormalizedGlobalAlignment, Periodic, Polynomial, RandomWalk,
    RationalQuadratic, Rbf, Sigmoid, Spectrum, Subsequence, SubsetTree, Subtree, Tree, Wave,
    WeightedDegree, White, WordCount,
};
use crate::products::matmul;
use crate::tile::{self, united};
use crate::{Kernel, Mercer, Parameters, Points, Samples, Scalar, Scratch, SparseSamples, Tile};
use faer::{Accum, MatMut, MatRef, unzip, zip};
use std::borrow::Borrow;
use std::f64::consts::{PI, TAU};

/// Kernels without free parameters.
macro_rules! constant {
    ($($kernel:ty),*) => {$(
        impl<P: Points + ?Sized> Differentiable<P> for $kernel
        where
            $kernel: Kernel<P>,
        {
            fn pull_back(
                &self,
                _: &Tile<'_, P>,
                _: MatRef<'_, P::Scalar>,
                _: &mut [f64],
                _: &mut Scratch<P::Scalar>,
            ) {
            }
        }
    )*};
}

constant!(Linear, ArcCosine, Cosine, ChiSquared, Hellinger, Intersection, Delta);
constant!(Hamming, Spectrum, WeightedDegree, BagOfWords, NormalizedBagOfWords, WordCount);

/// Kernels whose derivatives are functions of their values.
macro_rules! of_values {
    ($slopes:expr; $($kernel:ty),*) => {$(
        impl<P: Points + ?Sized> Differentiable<P> for $kernel
        where
            $kernel: Kernel<P>,
        {
            fn pull_back(
                &self,
                tile: &Tile<'_, P>,
                adjoint: MatRef<'_, P::Scalar>,
                gradient: &mut [f64],
                scratch: &mut Scratch<P::Scalar>,
            ) {
                tile.with_block(self, scratch, |k| add(gradient, &sum(adjoint, k, $slopes)));
            }
        }
    )*};
}

// K = exp(−γD) for any distance D: ∂K/∂ln γ = K ln K.
of_values!(
    |k: f64| [if k > 0.0 { k * k.ln() } else { 0.0 }];
    Rbf, Laplacian, Exponential, ExpChiSquared, HammingRbf
);
// K is proportional to its parameter.
of_values!(|k: f64| [k]; Constant, White);

/// A function of the squared distance or the inner product, with its derivatives in the parameters.
macro_rules! profile {
    ($kernel:ty, $of:ident, |$this:ident, $value:ident| $slopes:expr) => {
        impl<P: VectorPoints> Differentiable<P> for $kernel
        where
            $kernel: Kernel<P>,
        {
            fn pull_back(
                &self,
                tile: &Tile<'_, P>,
                adjoint: MatRef<'_, P::Scalar>,
                gradient: &mut [f64],
                scratch: &mut Scratch<P::Scalar>,
            ) {
                let $this = self;
                scratch.with_matrix(tile.nrows(), tile.ncols(), |mut out, scratch| {
                    P::$of(tile, out.as_mut(), scratch);
                    add(gradient, &sum(adjoint, out.as_ref(), |$value: f64| $slopes));
                });
            }
        }
    };
}

// With z = √3·r/ℓ, K = (1 + z)·e^−z.
profile!(Matern32, distances, |kernel, d| {
    let z = (3.0 * d).sqrt() / kernel.length_scale();
    [z * z * (-z).exp()]
});
// With z = √5·r/ℓ, K = (1 + z + z²/3)·e^−z.
profile!(Matern52, distances, |kernel, d| {
    let z = (5.0 * d).sqrt() / kernel.length_scale();
    [z * z * (1.0 + z) / 3.0 * (-z).exp()]
});
profile!(Matern, distances, |kernel, d| [kernel.slope(d)]);
// With s = r²/(2αℓ²), K = (1 + s)^−α.
profile!(RationalQuadratic, distances, |kernel, d| {
    let (alpha, length) = (kernel.alpha(), kernel.length_scale());
    let s = d / length / length / (2.0 * alpha);
    let (log, share) = (s.ln_1p(), s / (1.0 + s));
    let k = (-alpha * log).exp();
    [alpha * k * (share - log), 2.0 * alpha * k * share]
});
// K = (γs + c)^p.
profile!(Polynomial, products, |kernel, s| {
    let (scaled, c) = (kernel.gamma() * s, kernel.coef0());
    match kernel.degree() {
        0 => [0.0; 2],
        p => {
            let below = f64::from(p) * power(scaled + c, p - 1);
            [below * scaled, below * c]
        }
    }
});
// K = tanh(γs + c); c may be negative, and is not free.
profile!(Sigmoid, products, |kernel, s| {
    let scaled = kernel.gamma() * s;
    let k = (scaled + kernel.coef0()).tanh();
    [(1.0 - k * k) * scaled]
});

/// xᵖ for any whole p.
fn power(x: f64, p: u32) -> f64 {
    match i32::try_from(p) {
        Ok(p) => x.powi(p),
        Err(_) => x.powf(f64::from(p)),
    }
}

/// K = Πₖ 1/(1 + γ²δₖ²): ∂K/∂ln γ = −2K Σₖ γ²δₖ²/(1 + γ²δₖ²).
impl<P: VectorPoints> Differentiable<P> for Cauchy
where
    Cauchy: Kernel<P>,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        _: &mut Scratch<P::Scalar>,
    ) {
        let squared = self.gamma() * self.gamma();
        let mut total = 0.0;
        for (j, q) in tile.cols().enumerate() {
            for (i, p) in tile.rows().enumerate() {
                let (x, y) = (tile.a().item(p), tile.b().item(q));
                let mut shares = 0.0;
                P::for_each_coordinate(x, y, |_, x, y| {
                    let square = squared * (x - y) * (x - y);
                    shares += if square.is_finite() { square / (1.0 + square) } else { 1.0 };
                });
                total += adjoint[(i, j)].to_f64() * self.eval(x, y).to_f64() * shares;
            }
        }
        add(gradient, &[-2.0 * total]);
    }
}

/// K = exp(−2S/ℓ²), S = Σₖ sin²(πδₖ/p): ∂K/∂ln p = (2K/ℓ²)·Σₖ sin(2πδₖ/p)·πδₖ/p, ∂K/∂ln ℓ = −2K ln K.
impl<P: VectorPoints> Differentiable<P> for Periodic
where
    Periodic: Kernel<P>,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        _: &mut Scratch<P::Scalar>,
    ) {
        let (period, length) = (self.period(), self.length_scale());
        let mut totals = [0.0; 2];
        for (j, q) in tile.cols().enumerate() {
            for (i, p) in tile.rows().enumerate() {
                let (x, y) = (tile.a().item(p), tile.b().item(q));
                let k = self.eval(x, y).to_f64();
                if k <= 0.0 {
                    continue;
                }
                let mut turned = 0.0;
                P::for_each_coordinate(x, y, |_, x, y| {
                    let angle = PI * ((x - y) / period);
                    turned += (2.0 * angle).sin() * angle;
                });
                let weighted = adjoint[(i, j)].to_f64() * k;
                totals[0] += weighted * (2.0 * turned / length / length);
                totals[1] -= 2.0 * weighted * k.ln();
            }
        }
        add(gradient, &totals);
    }
}

/// K = Πₖ cos αₖ, αₖ = 2πfₖδₖ: ∂K/∂ln fₖ = −αₖ·sin αₖ·Π_{l≠k} cos αₗ, with products of the factors
/// before and after k.
impl<P: VectorPoints> Differentiable<P> for Wave
where
    Wave: Kernel<P>,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        _: &mut Scratch<P::Scalar>,
    ) {
        let mut angles: Vec<(usize, f64)> = Vec::with_capacity(self.frequency().len());
        for (j, q) in tile.cols().enumerate() {
            for (i, p) in tile.rows().enumerate() {
                angles.clear();
                P::for_each_coordinate(tile.a().item(p), tile.b().item(q), |k, x, y| {
                    let frequency = self.frequency().get(k).copied().unwrap_or(0.0);
                    angles.push((k, TAU * (frequency * (x - y))));
                });
                let mut before = adjoint[(i, j)].to_f64();
                for (at, &(k, angle)) in angles.iter().enumerate() {
                    let behind: f64 =
                        angles[at + 1..].iter().map(|(_, angle)| angle.cos()).product();
                    gradient[k] -= before * angle * angle.sin() * behind;
                    before *= angle.cos();
                }
            }
        }
    }
}

/// K = exp(−Σₖ γₖδₖ²), A = adjoint∘K: ∂/∂ln γₖ = −γₖ(Σᵢ rᵢx²ᵢₖ + Σⱼ cⱼy²ⱼₖ − 2(XᵀAY)ₖₖ), with r and
/// c the row and column sums of A: one matrix product for all k. Points are taken relative to the
/// first one of the tile, so that data far from the origin loses no digits.
impl<T: Scalar> Differentiable<Samples<T>> for ArdRbf {
    fn pull_back(
        &self,
        tile: &Tile<'_, Samples<T>>,
        adjoint: MatRef<'_, T>,
        gradient: &mut [f64],
        scratch: &mut Scratch<T>,
    ) {
        let (n, m, d) = (tile.nrows(), tile.ncols(), self.gamma().len());
        if n == 0 || m == 0 {
            return;
        }
        let origin = tile.b().item(tile.cols().start);
        scratch.with_matrix(n, m, |mut a, scratch| {
            self.block(tile, a.as_mut(), scratch);
            for (a, adjoint) in a.as_mut().col_iter_mut().zip(adjoint.col_iter()) {
                a.iter_mut().zip(adjoint.iter()).for_each(|(a, &adjoint)| *a *= adjoint);
            }
            let a = a.as_ref();
            scratch.with_matrix(n, d, |mut x, scratch| {
                for (i, p) in tile.rows().enumerate() {
                    let row = tile.a().item(p).iter().zip(origin).enumerate();
                    row.for_each(|(k, (&x_k, &origin))| x[(i, k)] = x_k - origin);
                }
                scratch.with_matrix(m, d, |mut ax, _| {
                    matmul(ax.as_mut(), Accum::Replace, a.transpose(), x.as_ref(), T::ONE);
                    let mut terms = vec![0.0; d];
                    for i in 0..n {
                        let r: f64 = a.row(i).iter().map(|a| a.to_f64()).sum();
                        for (k, term) in terms.iter_mut().enumerate() {
                            *term += r * x[(i, k)].to_f64() * x[(i, k)].to_f64();
                        }
                    }
                    for (j, q) in tile.cols().enumerate() {
                        let c: f64 = a.col(j).iter().map(|a| a.to_f64()).sum();
                        for (k, (&y, &origin)) in tile.b().item(q).iter().zip(origin).enumerate() {
                            let y = (y - origin).to_f64();
                            terms[k] += y * (c * y - 2.0 * ax[(j, k)].to_f64());
                        }
                    }
                    let scaled = terms.iter().zip(self.gamma());
                    let scaled: Vec<f64> = scaled.map(|(term, gamma)| -gamma * term).collect();
                    add(gradient, &scaled);
                });
            });
        });
    }
}

impl<T: Scalar> Differentiable<SparseSamples<T>> for ArdRbf {
    fn pull_back(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        adjoint: MatRef<'_, T>,
        gradient: &mut [f64],
        scratch: &mut Scratch<T>,
    ) {
        tile.with_block(self, scratch, |values| {
            for (j, q) in tile.cols().enumerate() {
                for (i, p) in tile.rows().enumerate() {
                    let weight = adjoint[(i, j)].to_f64() * values[(i, j)].to_f64();
                    let (x, y) = (tile.a().item(p), tile.b().item(q));
                    SparseSamples::for_each_coordinate(x, y, |k, x, y| {
                        gradient[k] -= weight * self.gamma()[k] * (x - y) * (x - y);
                    });
                }
            }
        });
    }
}

/// A kernel whose derivative is computed pair by pair: `slope` is ∂K(x, y)/∂ln λ or ∂K(x, y)/∂ln σ.
macro_rules! pair_by_pair {
    ($($kernel:ty: $bound:path, |$this:ident, $x:ident, $y:ident| $slope:expr;)*) => {$(
        impl<P> Differentiable<P> for $kernel
        where
            P: Points<Scalar = f64> + ?Sized,
            P::Item: $bound,
            $kernel: Kernel<P>,
        {
            fn pull_back(
                &self,
                tile: &Tile<'_, P>,
                adjoint: MatRef<'_, f64>,
                gradient: &mut [f64],
                _: &mut Scratch<f64>,
            ) {
                let $this = self;
                for (j, q) in tile.cols().enumerate() {
                    let $y = tile.b().item(q);
                    for (i, p) in tile.rows().enumerate() {
                        let $x = tile.a().item(p);
                        gradient[0] += adjoint[(i, j)] * $slope;
                    }
                }
            }
        }
    )*};
}

pair_by_pair! {
    Subsequence: AsRef<str>, |kernel, x, y| kernel.slope(x.as_ref(), y.as_ref());
    SubsetTree: Borrow<Tree>, |kernel, x, y| kernel.slope(x.borrow(), y.borrow());
    Subtree: Borrow<Tree>, |kernel, x, y| kernel.slope(x.borrow(), y.borrow());
    RandomWalk: Borrow<Graph>, |kernel, x, y| kernel.slope(x.borrow(), y.borrow());
    GlobalAlignment: Borrow<Samples<f64>>, |kernel, x, y| kernel.slope(x.borrow(), y.borrow());
    NormalizedGlobalAlignment: Borrow<Samples<f64>>,
        |kernel, x, y| kernel.slope(x.borrow(), y.borrow());
}

/// In ln λ, and in the parameters of the kernel on attributes, which has the adjoint of each of its
/// values.
impl<P, K> Differentiable<P> for AttributedRandomWalk<K>
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<AttributedGraph>,
    K: Differentiable<Samples<f64>> + Mercer<Samples<f64>>,
    Self: Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, f64>,
        gradient: &mut [f64],
        scratch: &mut Scratch<f64>,
    ) {
        for (j, q) in tile.cols().enumerate() {
            let y: &AttributedGraph = tile.b().item(q).borrow();
            for (i, p) in tile.rows().enumerate() {
                let x: &AttributedGraph = tile.a().item(p).borrow();
                // Where a value is not defined, neither is its derivative.
                let Some((mut slopes, slope)) = self.slopes(x, y) else {
                    return gradient.fill(f64::NAN);
                };
                let Some((own, inner)) = gradient.split_first_mut() else { return };
                *own += adjoint[(i, j)] * slope;
                zip!(&mut slopes).for_each(|unzip!(slope)| *slope *= adjoint[(i, j)]);
                let (a, b) = (x.attributes(), y.attributes());
                let values = Tile::new(a, 0..a.len(), b, 0..b.len());
                self.kernel().pull_back(&values, slopes.as_ref(), inner, scratch);
            }
        }
    }
}

/// Vectors with inner products and distances by tiles.
pub trait VectorPoints: Points {
    /// aᵢᵀbⱼ.
    fn products(
        tile: &Tile<'_, Self>,
        out: MatMut<'_, Self::Scalar>,
        scratch: &mut Scratch<Self::Scalar>,
    );

    /// ‖aᵢ − bⱼ‖².
    fn distances(
        tile: &Tile<'_, Self>,
        out: MatMut<'_, Self::Scalar>,
        scratch: &mut Scratch<Self::Scalar>,
    );

    /// Calls `f(k, aᵢₖ, bⱼₖ)` for each coordinate that either point stores.
    fn for_each_coordinate(a: &Self::Item, b: &Self::Item, f: impl FnMut(usize, f64, f64));
}

impl<T: Scalar> VectorPoints for Samples<T> {
    fn products(tile: &Tile<'_, Self>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::dot(tile, out, scratch);
    }

    fn distances(tile: &Tile<'_, Self>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        tile::squared_distance(tile, out, scratch);
    }

    fn for_each_coordinate(a: &[T], b: &[T], mut f: impl FnMut(usize, f64, f64)) {
        a.iter().zip(b).enumerate().for_each(|(k, (a, b))| f(k, a.to_f64(), b.to_f64()));
    }
}

impl<T: Scalar> VectorPoints for SparseSamples<T> {
    fn products(tile: &Tile<'_, Self>, out: MatMut<'_, T>, _: &mut Scratch<T>) {
        tile.fill_pointwise(out, |x, y| T::from_f64(tile::shared(x, y, |x, y| x * y)));
    }

    fn distances(tile: &Tile<'_, Self>, out: MatMut<'_, T>, _: &mut Scratch<T>) {
        let square = |_: u32, x: f64, y: f64| (x - y) * (x - y);
        tile.fill_pointwise(out, |x, y| T::from_f64(united(x, y, square)));
    }

    fn for_each_coordinate(a: &Self::Item, b: &Self::Item, mut f: impl FnMut(usize, f64, f64)) {
        let cell = std::cell::RefCell::new(&mut f);
        let _ = united(a, b, |k, x, y| {
            (*cell.borrow_mut())(k as usize, x, y);
            0.0
        });
    }
}

/// Σᵢⱼ adjointᵢⱼ·slope_k(valueᵢⱼ), for each k.
pub(super) fn sum<T: Scalar, const N: usize>(
    adjoint: MatRef<'_, T>,
    values: MatRef<'_, T>,
    slope: impl Fn(f64) -> [f64; N],
) -> [f64; N] {
    let mut sums = [0.0; N];
    for (adjoint, values) in adjoint.col_iter().zip(values.col_iter()) {
        for (adjoint, value) in adjoint.iter().zip(values.iter()) {
            let (adjoint, slopes) = (adjoint.to_f64(), slope(value.to_f64()));
            sums.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += adjoint * slope);
        }
    }
    sums
}

/// Adds to the leading entries of a gradient.
fn add(gradient: &mut [f64], terms: &[f64]) {
    gradient.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}
