//! An ordered rooted tree with labelled nodes.

use crate::Error;
use crate::kernels::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An ordered rooted tree with labelled nodes, such as a parse tree.
///
/// # Definition
/// A node has a label and a sequence of children. The *production* of a node that has children is
/// its label and theirs, in order. There is at least one node. Nodes are numbered in pre-order: the
/// root is 0, and a node comes before its children.
///
/// Trees are written with brackets: `(S (NP (D a) (N cat)) (VP sleeps))`; [`str::parse`] reads this,
/// [`Display`](fmt::Display) writes it.
///
/// # Complexity
/// A few numbers and a string for each node, without pointers: depth costs no stack.
///
/// # Examples
/// ```
/// use kern_core::kernels::Tree;
/// let tree: Tree = "(S (NP (D a) (N cat)) (VP sleeps))".parse()?;
/// assert_eq!((tree.node_count(), tree.label(0)), (8, "S"));
/// assert_eq!(tree.children(0).map(|node| tree.label(node)).collect::<Vec<_>>(), ["NP", "VP"]);
/// assert_eq!(tree, Tree::new("S", [
///     Tree::new("NP", [Tree::new("D", [Tree::leaf("a")]), Tree::new("N", [Tree::leaf("cat")])]),
///     Tree::new("VP", [Tree::leaf("sleeps")]),
/// ]));
/// assert_eq!(tree.to_string(), "(S (NP (D a) (N cat)) (VP sleeps))");
/// # Ok::<(), kern_core::kernels::ParseTreeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Tree {
    /// For each node the node after the last one below it.
    ends: Vec<usize>,
    labels: Vec<String>,
    /// For each node the fingerprint of its production; of its label alone if it has no children.
    productions: Vec<u64>,
    /// The nodes that have children, by production.
    by_production: Vec<usize>,
}

/// The form in a file. Reading goes through the constructor.
#[derive(Serialize, Deserialize)]
struct Packed {
    labels: Vec<String>,
    children: Vec<usize>,
}

impl TryFrom<Packed> for Tree {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        Self::from_preorder(packed.labels, &packed.children)
    }
}

impl From<Tree> for Packed {
    fn from(tree: Tree) -> Self {
        let children = (0..tree.node_count()).map(|node| tree.children(node).count()).collect();
        Self { labels: tree.labels, children }
    }
}

impl Tree {
    /// A node without children.
    pub fn leaf(label: impl Into<String>) -> Self {
        Self::index(vec![label.into()], vec![1])
    }

    /// A node and the trees below it, in order.
    pub fn new(label: impl Into<String>, children: impl IntoIterator<Item = Tree>) -> Self {
        let (mut labels, mut ends) = (vec![label.into()], vec![0]);
        for child in children {
            let offset = ends.len();
            ends.extend(child.ends.iter().map(|end| end + offset));
            labels.extend(child.labels);
        }
        ends[0] = ends.len();
        Self::index(labels, ends)
    }

    /// The tree with these labels in pre-order, and the number of children of each node.
    ///
    /// # Errors
    /// [`Error::Dimension`] unless there is one number for each label and the numbers describe
    /// one tree.
    ///
    /// # Examples
    /// ```
    /// use kern_core::kernels::Tree;
    /// let labels = ["S", "a", "b"].map(String::from).to_vec();
    /// assert_eq!(Tree::from_preorder(labels.clone(), &[2, 0, 0])?.to_string(), "(S a b)");
    /// assert!(Tree::from_preorder(labels, &[1, 0, 0]).is_err());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn from_preorder(labels: Vec<String>, children: &[usize]) -> Result<Self, Error> {
        let wrong = |what, expected, given| Err(Error::Dimension { what, expected, given });
        let n = labels.len();
        if children.len() != n {
            return wrong("numbers of children, one for each node", n, children.len());
        }
        if n == 0 {
            return wrong("nodes of a tree, at least", 1, 0);
        }
        // From the last node to the first; `roots` are those that have no parent yet, first last.
        let (mut ends, mut roots) = (vec![0; n], Vec::new());
        for node in (0..n).rev() {
            let Some(rest) = roots.len().checked_sub(children[node]) else {
                return wrong(
                    "nodes that follow, for the children of a node",
                    children[node],
                    roots.len(),
                );
            };
            // The last child is the deepest of those that are taken.
            ends[node] = roots[rest..].first().map_or(node + 1, |&last: &usize| ends[last]);
            roots.truncate(rest);
            roots.push(node);
        }
        if roots.len() == 1 {
            Ok(Self::index(labels, ends))
        } else {
            wrong("roots of a tree", 1, roots.len())
        }
    }

    /// A tree of labels and ends that belong together.
    fn index(labels: Vec<String>, ends: Vec<usize>) -> Self {
        let mut tree = Self { ends, labels, productions: Vec::new(), by_production: Vec::new() };
        let nodes = 0..tree.node_count();
        tree.productions = nodes.clone().map(|node| tree.fingerprint(node)).collect();
        tree.by_production = nodes.filter(|&node| !tree.is_leaf(node)).collect();
        tree.by_production.sort_by_key(|&node| tree.productions[node]);
        tree
    }

    fn fingerprint(&self, node: usize) -> u64 {
        let start = Fingerprint::new(self.children(node).count() as u64).text(self.label(node));
        self.children(node).fold(start, |f, child| f.text(self.label(child))).finish()
    }

    /// The number of nodes, at least 1.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.labels.len()
    }

    /// The label of a node.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    #[must_use]
    pub fn label(&self, node: usize) -> &str {
        &self.labels[node]
    }

    /// The children of a node, in order.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.ends[node];
        let within = move |child: usize| (child < end).then_some(child);
        std::iter::successors(within(node + 1), move |&child| within(self.ends[child]))
    }

    /// True if a node has no children.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    #[must_use]
    pub fn is_leaf(&self, node: usize) -> bool {
        self.ends[node] == node + 1
    }

    /// For each node the fingerprint of its production.
    pub(super) fn productions(&self) -> &[u64] {
        &self.productions
    }

    /// The nodes with children, those of one production side by side, in pre-order among them.
    pub(super) fn by_production(&self) -> &[usize] {
        &self.by_production
    }
}

impl fmt::Display for Tree {
    /// With brackets. It can be read back if the labels have no brackets and no white space.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open: Vec<usize> = Vec::new();
        for node in 0..self.node_count() {
            while open.pop_if(|end| *end == node).is_some() {
                f.write_str(")")?;
            }
            let space = if node == 0 { "" } else { " " };
            if self.is_leaf(node) {
                write!(f, "{space}{}", self.label(node))?;
            } else {
                write!(f, "{space}({}", self.label(node))?;
                open.push(self.ends[node]);
            }
        }
        open.iter().try_for_each(|_| f.write_str(")"))
    }
}
