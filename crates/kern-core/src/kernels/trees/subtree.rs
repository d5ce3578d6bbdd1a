//! The subtree kernel (ST).

use super::Tree;
use crate::kernels::declaration::declared;
use crate::kernels::fingerprint::Fingerprint;
use crate::parameters::Domain;
use crate::{Bag, Decay, Embedded, Error};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// The subtree kernel (ST): counts common complete subtrees.
///
/// # Definition
/// A complete subtree is a node with all its descendants. K(x, y) = Σ_t λ^{p(t)}·c_t(x)·c_t(y) over
/// all complete subtrees t with at least one production, where c_t counts occurrences, p(t) is the
/// number of productions (nodes with children) of t, and λ ∈ (0, 1] the decay. The features are
/// λ^{p(t)/2}·c_t. A tree with a single node has no production, so K = 0.
///
/// # Numerics
/// Subtrees are identified by 64-bit fingerprints, the same on every machine; among N different
/// ones a collision has probability at most N²/2⁶⁵.
///
/// # Complexity
/// O(n log n) for a tree of n nodes; then a sparse inner product. A Gram matrix embeds each tree
/// once.
///
/// # References
/// Vishwanathan & Smola (2002), *Fast kernels for string and tree matching*; with decay and without
/// single nodes, as Moschitti (2006), *Making tree kernels practical for natural language
/// learning*, with σ = 0.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, kernels::{Subtree, Tree}};
/// let cat: Tree = "(NP (D a) (N cat))".parse()?;
/// let dog: Tree = "(NP (D a) (N dog))".parse()?;
/// let k = Subtree::new(0.5)?;
/// let common = Kernel::<Vec<Tree>>::eval(&k, &cat, &dog);
/// assert!((common - 0.5).abs() < 1e-15); // (D a)
/// let own = Kernel::<Vec<Tree>>::eval(&k, &cat, &cat);
/// assert!((own - (0.5 + 0.5 + 0.125)).abs() < 1e-15); // (D a), (N cat), all
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "ST")]
#[doc(alias = "tree kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subtree {
    lambda: Decay,
}

declared! {
    Subtree = "subtree", [];
    lambda: Domain::fraction();
    => Self::new(lambda)
}

impl Subtree {
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

    /// ∂K(x, y)/∂ln λ: each subtree is weighted by its number of productions.
    pub(crate) fn slope(&self, x: &Tree, y: &Tree) -> f64 {
        let weighted = self.weighted_bag(x, |productions| productions as f64);
        weighted.shared(&self.weighted_bag(y, |_| 1.0), |v, w| v * w)
    }

    /// The complete subtrees, each weighted by λ to half its number of productions, times a factor.
    fn weighted_bag(&self, tree: &Tree, factor: impl Fn(usize) -> f64) -> Bag {
        let n = tree.node_count();
        // For each node, the fingerprint and the number of productions of its subtree.
        let mut below = vec![(0, 0); n];
        for node in (0..n).rev() {
            let start = Fingerprint::new(u64::from(!tree.is_leaf(node))).text(tree.label(node));
            let own = (start, usize::from(!tree.is_leaf(node)));
            let (name, productions) = tree.children(node).fold(own, |(name, count), child| {
                (name.word(below[child].0), count + below[child].1)
            });
            below[node] = (name.finish(), productions);
        }
        let root = self.lambda().sqrt();
        let weight = |productions| factor(productions) * root.powf(productions as f64);
        below.into_iter().filter(|b| b.1 > 0).map(|(name, count)| (name, weight(count))).collect()
    }
}

impl<T: Borrow<Tree> + ?Sized> Embedded<T> for Subtree {
    fn bag(&self, x: &T) -> Bag {
        self.weighted_bag(x.borrow(), |_| 1.0)
    }
}

crate::impl_embedded_kernel!(Subtree, Borrow<Tree>);
