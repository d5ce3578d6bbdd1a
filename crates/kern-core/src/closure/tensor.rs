//! The tensor product of kernels on two sets: a kernel on pairs.

use super::{Product, PullBack};
use crate::Gather;

/// The projection of a pair to one of its components.
type Projection<A, B, H> = fn(&(A, B)) -> H;

/// The tensor product of a kernel on 𝒳 and a kernel on 𝒴: a kernel on pairs in 𝒳 × 𝒴.
pub type TensorProduct<J, K, P, Q> = Product<
    PullBack<Projection<<P as Gather>::Owned, <Q as Gather>::Owned, <P as Gather>::Owned>, J, P>,
    PullBack<Projection<<P as Gather>::Owned, <Q as Gather>::Owned, <Q as Gather>::Owned>, K, Q>,
>;

/// K((x, y), (x', y')) = J(x, x')·K(y, y'): for points with two components of different kinds, such
/// as a text and a vector, or an input and the index of an output.
///
/// It is the product of the pull-backs along the two projections and inherits all their properties.
/// `P` and `Q` are the collections on which the two kernels act; points are `Vec`s of pairs.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, closure, kernels::{FnKernel, Linear}};
/// let same = FnKernel::new(|x: &char, y: &char| f64::from(u8::from(x == y)));
/// let k = closure::tensor_product::<_, _, Samples<f64>, Vec<char>>(Linear, same);
/// let points = vec![(vec![1.0, 2.0], 'a'), (vec![3.0, 4.0], 'a'), (vec![3.0, 4.0], 'b')];
/// let value = |i: usize, j: usize| Kernel::<Vec<_>>::eval(&k, &points[i], &points[j]);
/// assert_eq!((value(0, 1), value(0, 2)), (11.0, 0.0));
/// ```
pub fn tensor_product<J, K, P, Q>(left: J, right: K) -> TensorProduct<J, K, P, Q>
where
    P: Gather,
    Q: Gather,
    P::Owned: Clone,
    Q::Owned: Clone,
{
    let first: Projection<P::Owned, Q::Owned, P::Owned> = |pair| pair.0.clone();
    let second: Projection<P::Owned, Q::Owned, Q::Owned> = |pair| pair.1.clone();
    Product::new(PullBack::new(first, left), PullBack::new(second, right))
}
