//! Derivatives of kernels on strings, trees and graphs in the logarithm of their decay λ.

use super::Differentiable;
use crate::kernels::{Graph, RandomWalk, Subsequence, SubsetTree, Subtree, Tree};
use crate::{Kernel, Points, Scratch, Tile};
use faer::MatRef;
use std::borrow::Borrow;

/// A kernel whose derivative is known pair by pair: `slope` is ∂K(x, y)/∂ln λ.
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
}
