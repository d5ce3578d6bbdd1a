//! Derivatives of closure rules: the adjoint of a composed kernel becomes the adjoints of its
//! parts.

use super::Differentiable;
use super::free_parameters::count;
use super::parameter_gradients::sum;
use crate::closure::{
    AssumeMercer, Conjugated, Exp, Normalized, Power, Product, PullBack, Scaled, Sum,
};
use crate::{Gather, Kernel, Parameters, Points, Scalar, Scratch, Tile};
use faer::{MatMut, MatRef};

/// Passes adjoint∘f(values) to `then`.
fn with_adjoint<T: Scalar>(
    adjoint: MatRef<'_, T>,
    values: MatRef<'_, T>,
    scratch: &mut Scratch<T>,
    f: impl Fn(T) -> T,
    then: impl FnOnce(MatRef<'_, T>, &mut Scratch<T>),
) {
    scratch.with_matrix(adjoint.nrows(), adjoint.ncols(), |mut out, scratch| {
        fill(out.as_mut(), |i, j| adjoint[(i, j)] * f(values[(i, j)]));
        then(out.as_ref(), scratch);
    });
}

fn fill<T: Scalar>(mut out: MatMut<'_, T>, value: impl Fn(usize, usize) -> T) {
    for j in 0..out.ncols() {
        (0..out.nrows()).for_each(|i| out[(i, j)] = value(i, j));
    }
}

/// Each term has the adjoint of the sum.
impl<P, A, B> Differentiable<P> for Sum<A, B>
where
    P: Points + ?Sized,
    A: Differentiable<P>,
    B: Differentiable<P>,
    Self: Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let (left, right) = gradient.split_at_mut(count(self.left()));
        self.left().pull_back(tile, adjoint, left, scratch);
        self.right().pull_back(tile, adjoint, right, scratch);
    }
}

/// Each factor has the adjoint times the other factor.
impl<P, A, B> Differentiable<P> for Product<A, B>
where
    P: Points + ?Sized,
    A: Differentiable<P>,
    B: Differentiable<P>,
    Self: Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let (left, right) = gradient.split_at_mut(count(self.left()));
        times(tile, self.right(), adjoint, scratch, |adjoint, scratch| {
            self.left().pull_back(tile, adjoint, left, scratch);
        });
        times(tile, self.left(), adjoint, scratch, |adjoint, scratch| {
            self.right().pull_back(tile, adjoint, right, scratch);
        });
    }
}

/// Passes adjoint∘K to `then`.
fn times<P: Points + ?Sized>(
    tile: &Tile<'_, P>,
    kernel: &impl Kernel<P>,
    adjoint: MatRef<'_, P::Scalar>,
    scratch: &mut Scratch<P::Scalar>,
    then: impl FnOnce(MatRef<'_, P::Scalar>, &mut Scratch<P::Scalar>),
) {
    scratch.with_matrix(tile.nrows(), tile.ncols(), |mut values, scratch| {
        kernel.block(tile, values.as_mut(), scratch);
        with_adjoint(adjoint, values.as_ref(), scratch, |k| k, then);
    });
}

/// ∂(cK)/∂ln c = cK; the inner kernel has c times the adjoint.
impl<P, K> Differentiable<P> for Scaled<K>
where
    P: Points + ?Sized,
    K: Differentiable<P>,
    Self: Kernel<P> + Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let Some((own, inner)) = gradient.split_first_mut() else { return };
        let weight = P::Scalar::from_f64(self.weight());
        scratch.with_matrix(tile.nrows(), tile.ncols(), |mut values, scratch| {
            self.block(tile, values.as_mut(), scratch);
            *own += sum(adjoint, values.as_ref(), |k| [k])[0];
            with_adjoint(
                adjoint,
                values.as_ref(),
                scratch,
                |_| weight,
                |adjoint, scratch| {
                    self.kernel().pull_back(tile, adjoint, inner, scratch);
                },
            );
        });
    }
}

/// The inner kernel has the adjoint times pK^(p − 1).
impl<P, K> Differentiable<P> for Power<K>
where
    P: Points + ?Sized,
    K: Differentiable<P>,
    Self: Kernel<P> + Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let Some(below) = self.exponent().checked_sub(1) else { return };
        let factor = P::Scalar::from_f64(f64::from(self.exponent()));
        scratch.with_matrix(tile.nrows(), tile.ncols(), |mut values, scratch| {
            self.kernel().block(tile, values.as_mut(), scratch);
            let slope = |k| factor * crate::closure::power(k, below);
            with_adjoint(adjoint, values.as_ref(), scratch, slope, |adjoint, scratch| {
                self.kernel().pull_back(tile, adjoint, gradient, scratch);
            });
        });
    }
}

/// The inner kernel has the adjoint times e^K.
impl<P, K> Differentiable<P> for Exp<K>
where
    P: Points + ?Sized,
    K: Differentiable<P>,
    Self: Kernel<P> + Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        times(tile, self, adjoint, scratch, |adjoint, scratch| {
            self.kernel().pull_back(tile, adjoint, gradient, scratch);
        });
    }
}

/// K̂ = K/√(k_x·k_y): the inner kernel has the adjoint divided by the roots, and K(x, x) has −½Σⱼ
/// adjointⱼ·K̂ⱼ/k_x.
impl<P, K> Differentiable<P> for Normalized<K>
where
    P: Points + ?Sized,
    K: Differentiable<P>,
    Self: Kernel<P> + Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let kernel = self.kernel();
        let squared = |points: &P, range: std::ops::Range<usize>| -> Vec<f64> {
            range.map(|i| kernel.diag(points, i).to_f64()).collect()
        };
        let rows = squared(tile.a(), tile.rows());
        let cols = squared(tile.b(), tile.cols());
        let inverse = |k: f64| if k > 0.0 { 1.0 / k.sqrt() } else { 0.0 };
        scratch.with_matrix(tile.nrows(), tile.ncols(), |mut values, scratch| {
            kernel.block(tile, values.as_mut(), scratch);
            let (mut of_rows, mut of_cols) = (vec![0.0; rows.len()], vec![0.0; cols.len()]);
            for j in 0..cols.len() {
                for i in 0..rows.len() {
                    let scaled = adjoint[(i, j)].to_f64() * inverse(rows[i]) * inverse(cols[j]);
                    let half = -0.5 * scaled * values[(i, j)].to_f64();
                    of_rows[i] += half;
                    of_cols[j] += half;
                    values[(i, j)] = P::Scalar::from_f64(scaled);
                }
            }
            kernel.pull_back(tile, values.as_ref(), gradient, scratch);
            let mut of_diagonal = |points: &P, i: usize, sum: f64, k: f64| {
                if k > 0.0 {
                    scratch.with_matrix(1, 1, |mut one, scratch| {
                        one[(0, 0)] = P::Scalar::from_f64(sum / k);
                        let pair = Tile::new(points, i..i + 1, points, i..i + 1);
                        kernel.pull_back(&pair, one.as_ref(), gradient, scratch);
                    });
                }
            };
            for (i, p) in tile.rows().enumerate() {
                of_diagonal(tile.a(), p, of_rows[i], rows[i]);
            }
            for (j, q) in tile.cols().enumerate() {
                of_diagonal(tile.b(), q, of_cols[j], cols[j]);
            }
        });
    }
}

/// The inner kernel has the adjoint times f(x)f(y).
impl<P, F, K> Differentiable<P> for Conjugated<F, K>
where
    P: Points + ?Sized,
    F: Fn(&P::Item) -> P::Scalar + Send + Sync,
    K: Differentiable<P>,
    Self: Kernel<P> + Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let f = self.function();
        let rows: Vec<_> = tile.rows().map(|i| f(tile.a().item(i))).collect();
        let cols: Vec<_> = tile.cols().map(|j| f(tile.b().item(j))).collect();
        scratch.with_matrix(tile.nrows(), tile.ncols(), |mut scaled, scratch| {
            fill(scaled.as_mut(), |i, j| adjoint[(i, j)] * rows[i] * cols[j]);
            self.kernel().pull_back(tile, scaled.as_ref(), gradient, scratch);
        });
    }
}

/// The mapped points have the adjoint of the original ones.
impl<P, Q, F, K> Differentiable<P> for PullBack<F, K, Q>
where
    P: Points + ?Sized,
    Q: Gather<Scalar = P::Scalar>,
    F: Fn(&P::Item) -> Q::Owned + Send + Sync,
    K: Differentiable<Q>,
    Self: Kernel<P> + Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let images = |points: &P, range: std::ops::Range<usize>| {
            Q::gather(range.map(|i| (self.function())(points.item(i))).collect())
        };
        let sides = (images(tile.a(), tile.rows()), images(tile.b(), tile.cols()));
        match sides {
            (Ok(a), Ok(b)) if a.check_compatible(&b).is_ok() => {
                let tile = Tile::new(&a, 0..a.len(), &b, 0..b.len());
                self.kernel().pull_back(&tile, adjoint, gradient, scratch);
            }
            // Where a value is not defined, neither is its derivative.
            _ => gradient.fill(f64::NAN),
        }
    }
}

impl<P, K> Differentiable<P> for AssumeMercer<K>
where
    P: Points + ?Sized,
    K: Differentiable<P>,
    Self: Kernel<P> + Parameters,
{
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.0.pull_back(tile, adjoint, gradient, scratch);
    }
}
