//! Tree kernels and trees: golden values, explicit enumeration, the contract, depth, and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "sums of counts are exact")]

use kern_core::closure::Normalized;
use kern_core::kernels::{ParseTreeError, SubsetTree, Subtree, Tree};
use kern_core::{Error, Kernel, Mercer, contract};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn tree(text: &str) -> Tree {
    text.parse().unwrap()
}

fn sst(lambda: f64, x: &Tree, y: &Tree) -> f64 {
    Kernel::<Vec<Tree>>::eval(&SubsetTree::new(lambda).unwrap(), x, y)
}

fn st(lambda: f64, x: &Tree, y: &Tree) -> f64 {
    Kernel::<Vec<Tree>>::eval(&Subtree::new(lambda).unwrap(), x, y)
}

/// Few labels and few children, so that productions repeat.
pub(crate) fn any_tree() -> impl Strategy<Value = Tree> {
    let leaf = "[ab]".prop_map(Tree::leaf);
    leaf.prop_recursive(3, 16, 3, |below| {
        ("[AB]", proptest::collection::vec(below, 1..4))
            .prop_map(|(label, below)| Tree::new(label, below))
    })
}

/// All fragments that start at a node, written with brackets.
fn fragments(x: &Tree, node: usize) -> Vec<String> {
    if x.is_leaf(node) {
        return Vec::new();
    }
    let mut all = vec![format!("({}", x.label(node))];
    for child in x.children(node) {
        let mut ways = fragments(x, child);
        ways.push(x.label(child).to_string());
        all = all.iter().flat_map(|w| ways.iter().map(move |v| format!("{w} {v}"))).collect();
    }
    all.iter().map(|w| format!("{w})")).collect()
}

/// The complete subtree below a node, written with brackets; nothing for a leaf.
fn complete(x: &Tree, node: usize) -> Vec<String> {
    fragments(x, node).into_iter().max_by_key(String::len).into_iter().collect()
}

/// Σ λ^productions over the common words, counted.
fn shared(lambda: f64, x: &Tree, y: &Tree, words: fn(&Tree, usize) -> Vec<String>) -> f64 {
    let count = |t: &Tree| {
        let mut counts: HashMap<String, f64> = HashMap::new();
        let all = (0..t.node_count()).flat_map(|node| words(t, node));
        all.for_each(|w| *counts.entry(w).or_default() += 1.0);
        counts
    };
    let (x, y) = (count(x), count(y));
    let weight = |w: &str| lambda.powi(w.matches('(').count() as i32);
    x.iter().map(|(w, c)| weight(w) * c * y.get(w).unwrap_or(&0.0)).sum()
}

const CAT: &str = "(S (NP (D a) (N cat)) (VP sleeps))";
const DOG: &str = "(S (NP (D a) (N dog)) (VP sleeps))";

#[test]
fn subset_tree_has_its_golden_values() {
    let (cat, dog) = (tree(CAT), tree(DOG));
    // Fragments by root: D 1, N 1, NP 2·2, VP 1, S (1 + 4)·(1 + 1).
    assert_eq!(sst(1.0, &cat, &cat), 17.0);
    // Common: D 1, NP 2·1, VP 1, S (1 + 2)·(1 + 1).
    assert_eq!(sst(1.0, &cat, &dog), 10.0);
    // D ½, NP ½·1½, VP ½, S ½·(1 + ¾)·1½.
    assert_eq!(sst(0.5, &cat, &dog), 0.5 + 0.75 + 0.5 + 1.3125);
    // Occurrences are counted: 2·2 pairs of (B c), and 2·2 fragments at A.
    let twice = tree("(A (B c) (B c))");
    assert_eq!(sst(1.0, &twice, &twice), 8.0);
    // The order of children counts.
    assert_eq!(sst(1.0, &tree("(A b c)"), &tree("(A c b)")), 0.0);
    // Without a production there is no fragment.
    assert_eq!(sst(1.0, &tree("a"), &tree("a")), 0.0);
    assert_eq!(sst(1.0, &tree("a"), &tree("(a a)")), 0.0);
}

#[test]
fn subtree_has_its_golden_values() {
    let (cat, dog) = (tree(CAT), tree(DOG));
    assert_eq!(st(1.0, &cat, &cat), 5.0);
    assert_eq!(st(1.0, &cat, &dog), 2.0); // (D a), (VP sleeps)
    // D, N, VP one production each, NP three, S five.
    assert!((st(0.5, &cat, &cat) - (3.0 * 0.5 + 0.125 + 0.03125)).abs() < 1e-15);
    let twice = tree("(A (B c) (B c))");
    assert_eq!(st(1.0, &twice, &twice), 2.0 * 2.0 + 1.0);
    assert_eq!(st(1.0, &tree("(A b c)"), &tree("(A c b)")), 0.0);
    assert_eq!(st(1.0, &tree("a"), &tree("a")), 0.0);
    // A leaf is not a node with the same label and something below it.
    assert_eq!(st(1.0, &tree("(A (B c))"), &tree("(A B)")), 0.0);
    assert_eq!(sst(1.0, &tree("(A (B c))"), &tree("(A B)")), 1.0);
}

proptest! {
    #[test]
    fn kernels_equal_the_enumeration(x in any_tree(), y in any_tree(), lambda in 0.05..=1.0_f64) {
        prop_assert_eq!(sst(1.0, &x, &y), shared(1.0, &x, &y, fragments));
        prop_assert_eq!(st(1.0, &x, &y), shared(1.0, &x, &y, complete));
        let (given, expected) = (sst(lambda, &x, &y), shared(lambda, &x, &y, fragments));
        prop_assert!((given - expected).abs() <= 1e-13 * expected, "{given} {expected}");
        let (given, expected) = (st(lambda, &x, &y), shared(lambda, &x, &y, complete));
        prop_assert!((given - expected).abs() <= 1e-13 * expected, "{given} {expected}");
    }

    #[test]
    fn random_collections_keep_the_contract(
        trees in proptest::collection::vec(any_tree(), 0..12),
        lambda in 0.05..=1.0_f64,
    ) {
        contract::verify_mercer(&SubsetTree::new(lambda).unwrap(), &trees).unwrap();
        contract::verify_mercer(&Subtree::new(lambda).unwrap(), &trees).unwrap();
    }

    #[test]
    fn trees_survive_notation_and_serialisation(x in any_tree()) {
        prop_assert_eq!(&tree(&x.to_string()), &x);
        let text = serde_json::to_string(&x).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Tree>(&text).unwrap(), &x);
    }

    #[test]
    fn any_text_is_a_tree_or_an_error(text in "[ ()ab]{0,24}") {
        if let Ok(x) = text.parse::<Tree>() {
            prop_assert_eq!(tree(&x.to_string()), x);
        }
    }
}

fn keeps_the_contract<K: Mercer<Vec<Tree>>>(kernel: &K) {
    let wide = Tree::new("A", (0..50).map(|i| Tree::new("B", [Tree::leaf((i % 3).to_string())])));
    let all = vec![
        tree("a"),
        tree("a"),
        tree("(a a)"),
        tree("(a (a (a (a (a a)))))"),
        tree("(a (a (a (a a))))"),
        tree(CAT),
        tree(DOG),
        tree(DOG),
        Tree::new("", [Tree::leaf(""), Tree::leaf("( )")]),
        wide,
    ];
    contract::verify_mercer(kernel, &all).unwrap();
    contract::verify_mercer(kernel, &Vec::new()).unwrap();
    for one in &all {
        contract::verify_mercer(kernel, &vec![one.clone()]).unwrap();
        contract::verify_mercer(kernel, &vec![one.clone(); 4]).unwrap();
    }
}

#[test]
fn hostile_trees_keep_the_contract_alone_and_composed() {
    let (sst, st) = (SubsetTree::new(0.4).unwrap(), Subtree::new(0.9).unwrap());
    keeps_the_contract(&sst);
    keeps_the_contract(&st);
    keeps_the_contract(&SubsetTree::new(1.0).unwrap());
    keeps_the_contract(&(sst + 0.5 * st));
    keeps_the_contract(&(2.0 * sst * st));
    keeps_the_contract(&Normalized::new(sst));
    assert_eq!((sst + 0.5 * st).to_string(), "subset_tree(lambda=0.4) + 0.5*subtree(lambda=0.9)");
    let shared: Vec<Arc<Tree>> = [CAT, DOG].map(|t| Arc::new(tree(t))).to_vec();
    contract::verify_mercer(&sst, &shared).unwrap();
}

#[test]
fn depth_costs_no_stack() {
    let depth = 200_000;
    let text: String = (0..depth).map(|i| format!("(n{} ", i % 20_000)).collect();
    let deep = tree(&format!("{text}leaf{}", ")".repeat(depth)));
    assert_eq!(deep.node_count(), depth + 1);
    assert_eq!(tree(&deep.to_string()), deep);
    // Every node starts a chain: fragments of p productions are weighted by ½^p, and 10 of the
    // nodes are alike, so the value is near 10·depth.
    let value = sst(0.5, &deep, &deep);
    assert!((value / (10.0 * depth as f64) - 1.0).abs() < 1e-3, "{value}");
    assert!(st(0.5, &deep, &deep).is_finite());
    let text = serde_json::to_string(&deep).unwrap();
    assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), deep);
}

/// Each level of a tree moved all nodes below it once: 10⁵ levels took minutes.
#[test]
fn trees_grow_level_by_level_in_no_time() {
    let start = Instant::now();
    let grow = |tree: Tree, level: usize| match level % 3 {
        0 => Tree::new("a", [tree]),
        1 => Tree::new("b", [tree, Tree::leaf("last")]),
        _ => Tree::new("c", [Tree::leaf("first"), tree, Tree::new("d", [Tree::leaf("e")])]),
    };
    let grown = (0..100_000).fold(Tree::leaf("deepest"), grow);
    assert_eq!(tree(&grown.to_string()), grown);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// A tree of so many nodes of one production that their pairs would fill the memory.
#[test]
fn more_pairs_than_memory_are_a_typed_error() {
    let of_nodes = |nodes: usize| {
        let same = (0..nodes).map(|_| Tree::new("a", [Tree::leaf("b")]));
        vec![Tree::new("all", same)]
    };
    let kernel = SubsetTree::new(0.5).unwrap();
    // One more pair is that of the root with itself.
    let (what, limit) = ("pairs of nodes of one production in a tree", 1 << 26);
    let many = Error::TooMany { what, given: (1 << 26) + 1, limit };
    assert_eq!(kernel.check(&of_nodes(1 << 13)), Err(many));
    assert_eq!(kernel.check(&of_nodes((1 << 13) - 1)), Ok(()));
}

#[test]
fn malformed_notation_is_an_error_with_its_place() {
    let error = |text: &str| text.parse::<Tree>().unwrap_err();
    assert_eq!(error(""), ParseTreeError::Empty);
    assert_eq!(error(" \n"), ParseTreeError::Empty);
    assert_eq!(error("()"), ParseTreeError::NoLabel { at: 1 });
    assert_eq!(error("(a ((b) c))"), ParseTreeError::NoLabel { at: 4 });
    assert_eq!(error("(a (b c)"), ParseTreeError::Unclosed { at: 0 });
    assert_eq!(error("(a (b"), ParseTreeError::Unclosed { at: 3 });
    assert_eq!(error("(a ("), ParseTreeError::Unclosed { at: 3 });
    assert_eq!(error("(a b))"), ParseTreeError::Unopened { at: 5 });
    assert_eq!(error(")"), ParseTreeError::Unopened { at: 0 });
    assert_eq!(error("(a b) c"), ParseTreeError::Trailing { at: 6 });
    assert_eq!(error("a b"), ParseTreeError::Trailing { at: 2 });
    // Positions are bytes, also behind longer characters.
    assert_eq!(error("(日 本))"), ParseTreeError::Unopened { at: 9 });
    assert_eq!(tree("\t( a\n b(c d)e )"), tree("(a b (c d) e)"));
    assert_eq!(tree("(a)"), Tree::leaf("a"));
}

#[test]
fn inconsistent_trees_are_typed_errors() {
    let build = |n: usize, children: &[usize]| Tree::from_preorder(vec!["a".into(); n], children);
    assert_eq!(build(4, &[2, 1, 0, 0]).unwrap(), tree("(a (a a) a)"));
    let huge = [usize::MAX, 0];
    for (n, children) in [
        (0, &[][..]),
        (1, &[][..]),
        (1, &[1][..]),
        (2, &[0, 0][..]),
        (3, &[1, 0, 0][..]),
        (3, &[2, 1, 0][..]),
        (2, &huge[..]),
    ] {
        assert!(matches!(build(n, children), Err(Error::Dimension { .. })), "{n} {children:?}");
    }
    assert!(serde_json::from_str::<Tree>(r#"{"labels":["a"],"children":[1]}"#).is_err());
}

#[test]
fn decay_is_checked_also_when_read() {
    for lambda in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        let st = Subtree::new(lambda).unwrap_err();
        assert!(matches!(st, Error::Parameter { name: "lambda", .. }), "{st}");
        assert!(SubsetTree::new(lambda).is_err());
    }
    assert!(serde_json::from_str::<SubsetTree>(r#"{"lambda":2.0}"#).is_err());
    let text = serde_json::to_string(&Subtree::new(0.25).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Subtree>(&text).unwrap().lambda(), 0.25);
}
