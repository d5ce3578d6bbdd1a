//! Ordered rooted trees with labelled nodes, and their bracket notation.

use crate::Error;
use crate::kernels::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// An ordered rooted tree with labelled nodes, such as a parse tree.
///
/// # Definition
/// A node has a label and a sequence of children. The *production* of a node with children is its
/// label and theirs, in order. There is at least one node. Nodes are numbered in pre-order: the
/// root is 0, and a node precedes its children.
///
/// Trees are written in bracket notation, `(S (NP (D a) (N cat)) (VP sleeps))`, read by
/// [`str::parse`] and written by [`Display`](fmt::Display).
///
/// # Complexity
/// A few integers and a string for each node, without pointers, so the depth does not use stack
/// space. A tree of n nodes is built in O(n log n), also level by level with [`Tree::new`].
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Tree {
    /// A deque, so that a root can be put in front of its children.
    nodes: VecDeque<Node>,
    /// Computed on first use, so never for the parts of a larger tree.
    index: OnceLock<Index>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    /// The number of nodes of the subtree.
    size: usize,
    label: String,
}

/// Integers derived from the nodes.
#[derive(Clone, Debug)]
struct Index {
    /// For each node the node after the last one below it.
    ends: Vec<usize>,
    /// For each node the fingerprint of its production, or of its label if it has no children.
    productions: Vec<u64>,
    /// The nodes with children, grouped by production.
    by_production: Vec<usize>,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl Eq for Tree {}

impl Ord for Tree {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nodes.cmp(&other.nodes)
    }
}

impl PartialOrd for Tree {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The file format; deserialisation goes through the constructor.
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
        Self { labels: tree.nodes.into_iter().map(|node| node.label).collect(), children }
    }
}

impl Tree {
    /// A node without children.
    pub fn leaf(label: impl Into<String>) -> Self {
        Self::of(VecDeque::from([Node { size: 1, label: label.into() }]))
    }

    /// A node with these children, in order.
    pub fn new(label: impl Into<String>, children: impl IntoIterator<Item = Tree>) -> Self {
        let mut parts: Vec<VecDeque<Node>> =
            children.into_iter().map(|child| child.nodes).collect();
        // The largest subtree stays in place and the others move to it: a node moves at most log₂ n
        // times, however deep the tree grows.
        let largest = (0..parts.len()).max_by_key(|&part| parts[part].len()).unwrap_or(0);
        let after = parts.split_off((largest + 1).min(parts.len()));
        let mut nodes = parts.pop().unwrap_or_default();
        after.into_iter().for_each(|part| nodes.extend(part));
        parts.into_iter().flatten().rev().for_each(|node| nodes.push_front(node));
        nodes.push_front(Node { size: nodes.len() + 1, label: label.into() });
        Self::of(nodes)
    }

    fn of(nodes: VecDeque<Node>) -> Self {
        Self { nodes, index: OnceLock::new() }
    }

    /// The tree with these labels in pre-order, and the number of children of each node.
    ///
    /// # Errors
    /// [`Error::Dimension`] unless there is one count for each label and the counts describe a
    /// single tree.
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
        // From the last node to the first; `roots` are the nodes without a parent so far, first
        // last.
        let (mut ends, mut roots) = (vec![0; n], Vec::new());
        for node in (0..n).rev() {
            let Some(rest) = roots.len().checked_sub(children[node]) else {
                return wrong(
                    "nodes that follow, for the children of a node",
                    children[node],
                    roots.len(),
                );
            };
            // The last child is the deepest of those taken from the stack.
            ends[node] = roots[rest..].first().map_or(node + 1, |&last: &usize| ends[last]);
            roots.truncate(rest);
            roots.push(node);
        }
        if roots.len() == 1 {
            let sizes = ends.into_iter().enumerate().map(|(node, end)| end - node);
            let nodes = labels.into_iter().zip(sizes).map(|(label, size)| Node { size, label });
            Ok(Self::of(nodes.collect()))
        } else {
            wrong("roots of a tree", 1, roots.len())
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let sizes = self.nodes.iter().enumerate();
            let ends: Vec<usize> = sizes.map(|(at, node)| at + node.size).collect();
            let name = |node: usize| {
                let start = Fingerprint::new(children(&ends, node).count() as u64);
                let start = start.text(self.label(node));
                children(&ends, node).fold(start, |f, child| f.text(self.label(child))).finish()
            };
            let productions: Vec<u64> = (0..ends.len()).map(name).collect();
            let inner = (0..ends.len()).filter(|&node| ends[node] > node + 1);
            let mut by_production: Vec<usize> = inner.collect();
            by_production.sort_by_key(|&node| productions[node]);
            Index { ends, productions, by_production }
        })
    }

    /// The number of nodes, at least 1.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The label of a node.
    ///
    /// # Panics
    /// If `node` is out of bounds, as for a slice.
    #[must_use]
    pub fn label(&self, node: usize) -> &str {
        &self.nodes[node].label
    }

    /// The children of a node, in order.
    ///
    /// # Panics
    /// If `node` is out of bounds, as for a slice.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        children(&self.index().ends, node)
    }

    /// Whether a node has no children.
    ///
    /// # Panics
    /// If `node` is out of bounds, as for a slice.
    #[must_use]
    pub fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].size == 1
    }

    /// For each node the fingerprint of its production.
    pub(super) fn productions(&self) -> &[u64] {
        &self.index().productions
    }

    /// The nodes with children, grouped by production, in pre-order within each group.
    pub(super) fn by_production(&self) -> &[usize] {
        &self.index().by_production
    }
}

/// The children of a node, given the ends of all subtrees.
fn children(ends: &[usize], node: usize) -> impl Iterator<Item = usize> + '_ {
    let end = ends[node];
    let within = move |child: usize| (child < end).then_some(child);
    std::iter::successors(within(node + 1), move |&child| within(ends[child]))
}

impl fmt::Display for Tree {
    /// Bracket notation. It can be parsed if the labels contain no brackets and no white space.
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
                open.push(node + self.nodes[node].size);
            }
        }
        open.iter().try_for_each(|_| f.write_str(")"))
    }
}

/// An error in the bracket notation of a tree. Positions are byte offsets into the text.
///
/// # Examples
/// ```
/// use kern_core::kernels::{ParseTreeError, Tree};
/// let error = "(S (NP cat)".parse::<Tree>().unwrap_err();
/// assert_eq!(error, ParseTreeError::Unclosed { at: 0 });
/// assert_eq!(error.to_string(), "the bracket at byte 0 is not closed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTreeError {
    /// The text contains no tree.
    #[error("there is no tree in the text")]
    Empty,
    /// An opening bracket is not followed by a label.
    #[error("a label is expected at byte {at}, after the bracket")]
    NoLabel {
        /// The position at which a label is expected.
        at: usize,
    },
    /// A bracket is not closed.
    #[error("the bracket at byte {at} is not closed")]
    Unclosed {
        /// The position of the opening bracket, the innermost of several.
        at: usize,
    },
    /// A closing bracket has no opening bracket.
    #[error("the bracket at byte {at} closes nothing")]
    Unopened {
        /// The position of the bracket.
        at: usize,
    },
    /// The tree is followed by further text.
    #[error("the tree ends before byte {at}, where something follows")]
    Trailing {
        /// The position at which the further text starts.
        at: usize,
    },
}

/// Splits a text into brackets and labels, with their positions.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text[at..].trim_start();
        let start = text.len() - rest.len();
        let ends_label = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
        let length = match rest.chars().next()? {
            '(' | ')' => 1,
            _ => rest.find(ends_label).unwrap_or(rest.len()),
        };
        at = start + length;
        Some((start, &text[start..at]))
    })
}

impl FromStr for Tree {
    type Err = ParseTreeError;

    /// Parses `label` or `(label tree tree …)`, separated by white space. `(label)` is `label`.
    fn from_str(text: &str) -> Result<Self, ParseTreeError> {
        let (mut labels, mut children) = (Vec::new(), Vec::new());
        // The open brackets: their positions and nodes.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut tokens = tokens(text);
        while let Some((at, token)) = tokens.next() {
            if token == ")" {
                open.pop().ok_or(ParseTreeError::Unopened { at })?;
                continue;
            }
            match open.last() {
                Some(&(_, parent)) => children[parent] += 1,
                None if labels.is_empty() => {}
                None => return Err(ParseTreeError::Trailing { at }),
            }
            let mut label = token;
            if token == "(" {
                open.push((at, labels.len()));
                let (place, next) = tokens.next().ok_or(ParseTreeError::Unclosed { at })?;
                if matches!(next, "(" | ")") {
                    return Err(ParseTreeError::NoLabel { at: place });
                }
                label = next;
            }
            labels.push(label.to_string());
            children.push(0);
        }
        match open.last() {
            Some(&(at, _)) => Err(ParseTreeError::Unclosed { at }),
            // The counts describe one tree, unless there are none.
            None => Self::from_preorder(labels, &children).map_err(|_| ParseTreeError::Empty),
        }
    }
}
