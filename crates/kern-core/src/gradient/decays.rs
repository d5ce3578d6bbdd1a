//! Derivatives of kernels on strings, trees, graphs and series in the logarithm of their decay λ or width σ.

use super::Differentiable;
use crate::kernels::{
    AttributedGraph, AttributedRandomWalk, GlobalAlignment, Graph, NormalizedGlobalAlignment,
    RandomWalk, Subsequence, SubsetTree, Subtree, Tree,
};
use crate::{Kernel, Mercer, Parameters, Points, Samples, Scratch, Tile};
use faer::{MatRef, unzip, zip};
use std::borrow::Borrow;

/// A kernel whose derivative is known pair by pair: `slope` is ∂K(x, y)/∂ln λ or ∂K(x, y)/∂ln σ.
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

/// In ln λ, and in the parameters of the kernel on attributes, which has the adjoint of each of its values.
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
                // Where a value is not known, neither is its derivative.
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
