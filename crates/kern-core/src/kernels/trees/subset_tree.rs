//! The subset-tree kernel (SST).

use super::Tree;
use crate::kernels::declaration::declared;
use crate::kernels::dual_numbers::{Dual, Number};
use crate::parameters::Domain;
use crate::{Decay, Error, Kernel, Mercer, Points};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::ops::Range;

/// The largest number of pairs of nodes with equal productions.
const PAIRS: u64 = 1 << 26;

/// The subset-tree kernel (SST): counts common tree fragments.
///
/// # Definition
/// A fragment contains a node with all its children and continues below any subset of these:
/// productions are never split. K(x, y) = Σ_t λ^{p(t)}·c_t(x)·c_t(y) over all fragments t with at
/// least one production, where c_t counts occurrences, p(t) is the number of productions, and λ ∈
/// (0, 1] the decay. A tree with a single node has no production, so K = 0.
///
/// It is computed as K(x, y) = Σ_{a ∈ x} Σ_{b ∈ y} C(a, b), where C(a, b) = 0 unless a and b have
/// the same production, and otherwise C(a, b) = λ·Πⱼ(1 + C(aⱼ, bⱼ)) over their children; for leaves
/// C = 0.
///
/// # Numerics
/// The number of fragments is exponential in the size of a tree: with λ = 1 the value overflows for
/// trees of some thousand nodes, which the caller reports as an error.
/// [`Normalized`](crate::closure::Normalized) and λ < 1 keep large trees comparable. Productions
/// are compared by 64-bit fingerprints; among N different ones a collision has probability at most
/// N²/2⁶⁵.
///
/// # Complexity
/// O(n + n' + p·b) time, where p is the number of pairs of nodes with equal productions and b the
/// number of children, and p floats of memory. There is no recursion, so the depth is unlimited.
/// [`check`](Kernel::check) rejects trees with more than 2²⁶ pairs with themselves, half a
/// gigabyte; two trees that pass have no more pairs with each other.
///
/// # References
/// Collins & Duffy (2001), *Convolution kernels for natural language*; Moschitti (2006), *Making
/// tree kernels practical for natural language learning*, for pairs by sorted productions.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::{SubsetTree, Tree}};
/// let cat: Tree = "(NP (D a) (N cat))".parse()?;
/// let dog: Tree = "(NP (D a) (N dog))".parse()?;
/// let k = SubsetTree::new(1.0)?;
/// // (D a), (NP D N), (NP (D a) N)
/// assert_eq!(Kernel::<Vec<Tree>>::eval(&k, &cat, &dog), 3.0);
/// // (D a), (N cat), (NP D N), (NP (D a) N), (NP D (N cat)), (NP (D a) (N cat))
/// assert_eq!(Kernel::<Vec<Tree>>::eval(&k, &cat, &cat), 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "SST")]
#[doc(alias = "tree kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubsetTree {
    lambda: Decay,
}

declared! {
    SubsetTree = "subset_tree", [];
    lambda: Domain::fraction();
    => Self::new(lambda)
}

impl SubsetTree {
    /// The kernel with the decay λ for each production; λ = 1 means no decay.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 < λ ≤ 1.
    pub fn new(lambda: f64) -> Result<Self, Error> {
        Ok(Self { lambda: Decay::new("lambda", lambda)? })
    }

    /// λ.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.lambda.get()
    }

    /// ∂K(x, y)/∂ln λ.
    pub(crate) fn slope(&self, x: &Tree, y: &Tree) -> f64 {
        Self::common_fragments(Dual::parameter(self.lambda()), x, y).slope
    }

    /// Σ C(a, b). Children have larger indices than their parents, so iterating from the last node
    /// of x to the first, the values that a pair depends on are already computed.
    fn common_fragments<N: Number>(lambda: N, x: &Tree, y: &Tree) -> N {
        let pairs = Pairs::new(x, y);
        let one = N::from(1.0);
        let mut sum = N::from(0.0);
        let mut common = vec![sum; pairs.count];
        for a in (0..x.node_count()).rev() {
            for (at, b) in pairs.of(a).zip(&y.by_production()[pairs.partners[a].clone()]) {
                let children = x.children(a).zip(y.children(*b));
                let below = children.filter_map(|(c, d)| pairs.find(c, d)).map(|i| one + common[i]);
                common[at] = lambda * below.fold(one, |product, factor| product * factor);
                sum = sum + common[at];
            }
        }
        sum
    }
}

/// The number of pairs of nodes of a tree with the same production, Σ c² for productions that occur
/// c times. Two trees have Σ c·c' such pairs, at most the larger of their own numbers
/// (Cauchy–Schwarz).
fn own_pairs(tree: &Tree) -> u64 {
    let production = |node: &usize| tree.productions()[*node];
    let same = tree.by_production().chunk_by(|a, b| production(a) == production(b));
    same.map(|nodes| (nodes.len() as u64).saturating_pow(2)).fold(0, u64::saturating_add)
}

/// The numbered pairs of nodes of x and y with the same production.
struct Pairs {
    /// For each node of x, the nodes of y with its production, as a range of `y.by_production()`.
    partners: Vec<Range<usize>>,
    /// For each node of x, the number of its first pair.
    starts: Vec<usize>,
    /// For each node of y, its index in `y.by_production()`; out of bounds for leaves.
    places: Vec<usize>,
    count: usize,
}

impl Pairs {
    fn new(x: &Tree, y: &Tree) -> Self {
        let n = x.node_count();
        let (sorted, production) = (y.by_production(), |node: &usize| y.productions()[*node]);
        let mut pairs =
            Self { partners: vec![0..0; n], starts: vec![0; n], places: Vec::new(), count: 0 };
        let (mut current, mut range) = (None, 0..0);
        for &a in x.by_production() {
            let own = x.productions()[a];
            if current.replace(own) != Some(own) {
                let tail = &sorted[range.end..];
                let start = range.end + tail.partition_point(|b| production(b) < own);
                let end = start + sorted[start..].partition_point(|b| production(b) == own);
                range = start..end;
            }
            pairs.partners[a] = range.clone();
            pairs.starts[a] = pairs.count;
            pairs.count += range.len();
        }
        pairs.places = vec![usize::MAX; y.node_count()];
        sorted.iter().enumerate().for_each(|(place, &b)| pairs.places[b] = place);
        pairs
    }

    /// The numbers of the pairs of node `a` of x.
    fn of(&self, a: usize) -> Range<usize> {
        self.starts[a]..self.starts[a] + self.partners[a].len()
    }

    /// The number of the pair (a, b), if the nodes have the same production.
    fn find(&self, a: usize, b: usize) -> Option<usize> {
        let (partners, place) = (&self.partners[a], self.places[b]);
        partners.contains(&place).then(|| self.starts[a] + place - partners.start)
    }
}

impl<P> Kernel<P> for SubsetTree
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Tree>,
{
    fn eval(&self, x: &P::Item, y: &P::Item) -> f64 {
        let (x, y): (&Tree, &Tree) = (x.borrow(), y.borrow());
        // In a fixed order, so that the kernel is symmetric to the last bit.
        let (x, y) = if x <= y { (x, y) } else { (y, x) };
        Self::common_fragments(self.lambda(), x, y)
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        let pairs = |i| own_pairs(points.item(i).borrow());
        match (0..points.len()).map(pairs).max() {
            Some(given) if given > PAIRS => {
                let what = "pairs of nodes of one production in a tree";
                Err(Error::TooMany { what, given, limit: PAIRS })
            }
            _ => Ok(()),
        }
    }
}

impl<P> Mercer<P> for SubsetTree
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Borrow<Tree>,
{
}
