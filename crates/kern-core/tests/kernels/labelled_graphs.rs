//! Graphs with labels at their edges, and with attributes at their nodes: golden values, brute force, invariance, the
//! contract, and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "sums of counts are exact")]

use kern_core::closure::Normalized;
use kern_core::gradient::verify_gradient;
use kern_core::kernels::{
    AttributedGraph, AttributedRandomWalk, Constant, Graph, Linear, RandomWalk, Rbf, ShortestPath,
    WeisfeilerLehman,
};
use kern_core::{Error, Kernel, Mercer, Points, Samples, contract};
use proptest::prelude::*;
use std::borrow::Borrow;
use std::sync::Arc;

type Edge = (usize, usize, u64);

fn graph(labels: &[u64], edges: &[Edge]) -> Graph {
    Graph::with_edge_labels(labels.to_vec(), edges).unwrap()
}

fn eval<K: Kernel<Vec<G>>, G: Clone + Send + Sync>(kernel: &K, x: &G, y: &G) -> f64 {
    kernel.eval(x, y)
}

fn wl(rounds: usize) -> WeisfeilerLehman {
    WeisfeilerLehman::new(rounds).unwrap()
}

pub(crate) fn attributed(graph: &Graph, rows: &[[f64; 2]]) -> AttributedGraph {
    let attributes = Samples::from_row_major(2, rows.as_flattened().to_vec()).unwrap();
    AttributedGraph::new(graph.clone(), attributes).unwrap()
}

fn walk<K>(lambda: f64, kernel: K) -> AttributedRandomWalk<K> {
    AttributedRandomWalk::new(lambda, kernel).unwrap()
}

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

/// Four graphs of NumPy's `default_rng(7)`, with two attributes for each node.
fn golden() -> (Vec<Graph>, Vec<AttributedGraph>) {
    let graphs = vec![
        graph(
            &[1; 6],
            &[
                (0, 2, 2),
                (0, 4, 2),
                (0, 5, 2),
                (1, 5, 2),
                (2, 4, 1),
                (3, 3, 1),
                (3, 4, 2),
                (4, 5, 1),
            ],
        ),
        graph(
            &[0, 1, 0, 1, 1],
            &[(0, 2, 0), (0, 3, 2), (1, 1, 2), (1, 3, 2), (2, 3, 0), (3, 4, 2)],
        ),
        graph(
            &[0, 0, 0, 1, 1, 1, 0],
            &[
                (0, 4, 0),
                (1, 3, 1),
                (1, 4, 2),
                (2, 3, 1),
                (2, 5, 1),
                (2, 6, 1),
                (3, 5, 2),
                (3, 6, 1),
                (4, 5, 1),
            ],
        ),
        graph(&[0, 1, 0, 1], &[(0, 1, 2), (0, 3, 2), (1, 3, 0)]),
    ];
    let attributes: [&[[f64; 2]]; 4] = [
        &[
            [-0.79, 0.65],
            [-1.99, -0.46],
            [-0.1, 1.26],
            [0.69, -0.33],
            [-0.37, -0.25],
            [1.52, -0.43],
        ],
        &[[-0.3, 0.35], [-0.12, -0.2], [-1.11, -0.01], [-0.44, 1.17], [0.65, -0.02]],
        &[
            [0.67, -0.34],
            [1.05, -0.01],
            [0.58, -1.29],
            [0.35, -1.69],
            [-2.04, -0.3],
            [-0.9, 0.16],
            [2.24, -0.83],
        ],
        &[[-0.62, 0.21], [0.49, -0.18], [-0.21, 0.7], [0.52, -1.03]],
    ];
    let both = graphs.iter().zip(attributes).map(|(g, rows)| attributed(g, rows)).collect();
    (graphs, both)
}

/// From NumPy 2.4.6: labels of three rounds written out as nested tuples, with the sorted pairs of edge label and label of the
/// neighbour, and counted in common; and 3000 terms Σ λ^k 1ᵀA^k 1 and Σ λ^k 1ᵀ(DA)^k D1 for the matrix A of the product graph, built
/// pair of nodes by pair of nodes from (neighbour, edge label), λ = 0.03, κ = exp(−½‖a − a'‖²).
#[test]
fn kernels_have_the_golden_values_of_numpy() {
    let (graphs, with_attributes) = golden();
    let weisfeiler_lehman =
        [[56, 19, 18, 12], [19, 28, 17, 10], [18, 17, 46, 14], [12, 10, 14, 26]];
    let walks = [
        [40.34840161697335, 19.680354793267565, 18.967355363225607, 12.0],
        [19.680354793267565, 14.100445923092296, 17.44273977909578, 10.12562612702865],
        [18.967355363225607, 17.44273977909578, 26.656752683327248, 14.12562612702865],
        [12.0, 10.12562612702865, 14.12562612702865, 8.391142384105958],
    ];
    let weighted = [
        [15.255708781463866, 8.626519390686564, 5.44472185028947, 4.857665397938971],
        [8.626519390686564, 9.700656606428897, 3.849331365935014, 6.574449518330979],
        [5.444721850289471, 3.8493313659350146, 14.407403601313616, 3.3658693566214235],
        [4.85766539793897, 6.5744495183309795, 3.365869356621423, 7.339167038308523],
    ];
    let close = |given: f64, expected: f64| {
        assert!((given - expected).abs() <= 1e-14 * expected, "{given} {expected}");
    };
    for i in 0..4 {
        for j in 0..4 {
            let found = eval(&wl(3), &graphs[i], &graphs[j]);
            assert_eq!(found, f64::from(weisfeiler_lehman[i][j]), "{i} {j}");
            close(eval(&RandomWalk::new(0.03).unwrap(), &graphs[i], &graphs[j]), walks[i][j]);
            let (x, y) = (&with_attributes[i], &with_attributes[j]);
            close(eval(&walk(0.03, rbf()), x, y), weighted[i][j]);
        }
    }
}

#[test]
fn bonds_are_told_apart() {
    let single = graph(&[6, 8], &[(0, 1, 1)]);
    let double = graph(&[6, 8], &[(0, 1, 2)]);
    // Equal nodes in round 0 only; and walks without a step.
    assert_eq!(eval(&wl(2), &single, &double), 2.0);
    assert_eq!(eval(&wl(2), &single, &single), 6.0);
    let walks = RandomWalk::new(0.5).unwrap();
    assert_eq!(eval(&walks, &single, &double), 2.0);
    assert_eq!(eval(&walks, &double, &double), 4.0);
    assert_eq!(eval(&ShortestPath, &single, &double), 1.0);
    // A label of nodes that is the name of a pair with another edge, in the word of a neighbour, is none.
    assert_eq!(eval(&wl(1), &graph(&[2, 0], &[(0, 1, 1)]), &graph(&[1, 0], &[(0, 1, 2)])), 1.0);
}

#[test]
fn edges_with_labels_are_a_set() {
    let g = graph(&[4, 5, 6], &[(2, 0, 7), (0, 2, 7), (1, 1, 3), (2, 1, 0)]);
    assert_eq!(g.labeled_edges().collect::<Vec<_>>(), [(0, 2, 7), (1, 1, 3), (1, 2, 0)]);
    assert_eq!(g.edges().collect::<Vec<_>>(), [(0, 2), (1, 1), (1, 2)]);
    assert_eq!((g.neighbors(1), g.neighbor_labels(1)), (&[1, 2][..], &[3, 0][..]));
    assert_eq!((g.neighbors(2), g.neighbor_labels(2)), (&[0, 1][..], &[7, 0][..]));
    let plain = Graph::new(vec![4, 5, 6], &[(0, 2), (1, 1), (2, 1)]).unwrap();
    assert_ne!(g, plain);
    assert_eq!(plain.neighbor_labels(1), [0, 0]);
    assert_eq!(graph(&[4, 5, 6], &[(0, 2, 0), (1, 1, 0), (2, 1, 0)]), plain);
}

#[test]
fn wrong_labels_are_typed_errors() {
    let wrong = |edges: &[Edge]| Graph::with_edge_labels(vec![0; 3], edges).unwrap_err();
    let error = wrong(&[(0, 1, 5), (1, 2, 1), (1, 0, 4)]);
    assert_eq!(error, Error::EdgeLabels { edge: (0, 1), labels: (4, 5) });
    assert_eq!(error.to_string(), "the edge (0, 1) must have one label, got 4 and 5");
    assert_eq!(wrong(&[(2, 2, 1), (2, 2, 0)]), Error::EdgeLabels { edge: (2, 2), labels: (0, 1) });
    assert_eq!(wrong(&[(0, 3, 1)]), Error::Index { given: 3, len: 3 });
    let read = |text: &str| serde_json::from_str::<Graph>(text).map_err(|error| error.to_string());
    // A file from before there were labels of edges.
    let old = r#"{"labels":[1,2],"edges":[[0,1]]}"#;
    assert_eq!(read(old).unwrap(), graph(&[1, 2], &[(0, 1, 0)]));
    for (hostile, part) in [
        (r#"{"labels":[1,2],"edges":[[0,1]],"edge_labels":[1,2]}"#, "expected dimension 1, got 2"),
        (r#"{"labels":[1,2],"edges":[],"edge_labels":[1]}"#, "expected dimension 0, got 1"),
        (r#"{"labels":[1,2],"edges":[[0,1],[1,0]],"edge_labels":[1,2]}"#, "must have one label"),
        (r#"{"labels":[1],"edges":[[0,1]],"edge_labels":[1]}"#, "out of bounds"),
    ] {
        let error = read(hostile).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn wrong_attributes_are_typed_errors() {
    let two = Graph::new(vec![0; 2], &[(0, 1)]).unwrap();
    let vectors = |rows: &[[f64; 2]]| Samples::from_rows(rows).unwrap();
    let error = AttributedGraph::new(two.clone(), vectors(&[[0.0; 2]])).unwrap_err();
    assert_eq!(error, Error::Dimension { what: "attributes of nodes", expected: 2, given: 1 });
    let good = attributed(&two, &[[0.5, 1.0], [2.0, 0.0]]);
    let text = serde_json::to_string(&good).unwrap();
    assert_eq!(serde_json::from_str::<AttributedGraph>(&text).unwrap(), good);
    assert!(serde_json::from_str::<AttributedGraph>(&text.replace("[0,1]", "[0,2]")).is_err());
    assert!(serde_json::from_str::<AttributedGraph>(&text.replace("[0.5,1.0,", "[")).is_err());

    // Dimensions differ: in one collection an error, between two no number.
    let plane = AttributedGraph::new(two.clone(), Samples::from_rows(&[[0.0], [1.0]]).unwrap());
    let all = vec![good.clone(), plane.unwrap()];
    let k = walk(0.1, rbf());
    assert!(matches!(k.check(&all), Err(Error::Dimension { expected: 2, given: 1, .. })));
    assert!(eval(&k, &all[0], &all[1]).is_nan());
    // The kernel on attributes has its say, and its values may not be negative where labels are equal.
    let refused = walk(0.1, -1.0 * Linear).check(&vec![good.clone()]);
    assert!(matches!(refused, Err(Error::Parameter { given: -1.0, .. })));
    let opposed = attributed(&two, &[[-0.5, -1.0], [0.0, 0.0]]);
    assert!(eval(&walk(0.1, Linear), &good, &opposed).is_nan());
    assert!(eval(&walk(0.1, Linear), &good, &good).is_finite());
    let other = attributed(&Graph::new(vec![1; 2], &[]).unwrap(), &[[-0.5, -1.0], [0.0, 0.0]]);
    assert_eq!(eval(&walk(0.1, Linear), &good, &other), 0.0);
}

#[test]
fn divergent_lambda_is_an_error_of_the_collection() {
    let star = Graph::new(vec![0; 3], &[(0, 1), (0, 2)]).unwrap();
    let all = vec![attributed(&star, &[[1.0, 0.0], [0.0, 1.5], [0.0, 0.0]])];
    // Δ² = 4, and the greatest value on the diagonal is 2.25.
    assert!((AttributedRandomWalk::limit(&Linear, &all) - 1.0 / 9.0).abs() < 1e-16);
    assert_eq!(AttributedRandomWalk::limit(&rbf(), &all), 0.25);
    assert_eq!(walk(0.11, Linear).check(&all), Ok(()));
    for lambda in [1.0 / 9.0 + 1e-9, 0.2, 1e300] {
        let error = walk(lambda, Linear).check(&all).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "lambda", given, .. } if given == lambda));
        assert!(eval(&walk(lambda, Linear), &all[0], &all[0]).is_nan());
    }
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = AttributedRandomWalk::new(lambda, Linear);
        assert!(matches!(refused, Err(Error::Parameter { name: "lambda", .. })));
    }
    let read = serde_json::from_str::<AttributedRandomWalk<Rbf>>;
    assert!(read(r#"{"lambda":-1.0,"kernel":{"gamma":1.0}}"#).is_err());
    assert_eq!(read(&serde_json::to_string(&walk(0.3, rbf())).unwrap()).unwrap(), walk(0.3, rbf()));
    let many = Graph::new(vec![0; 4097], &[]).unwrap();
    let many = AttributedGraph::new(many, Samples::from_row_major(1, vec![0.0; 4097]).unwrap());
    let refused = walk(0.1, rbf()).check(&vec![many.unwrap()]);
    assert!(matches!(refused, Err(Error::TooMany { given: 4097, .. })));
}

/// A graph whose edges may have labels, and two numbers for each of its nodes.
pub(crate) fn any_graph() -> impl Strategy<Value = (Graph, Vec<[f64; 2]>)> {
    (0_usize..8).prop_flat_map(|n| {
        let labels = proptest::collection::vec(0..2_u64, n);
        let edge = (0..n.max(1), 0..n.max(1), 0..3_u64);
        let edges = proptest::collection::vec(edge, if n == 0 { 0..1 } else { 0..2 * n });
        let numbers = proptest::collection::vec([-1.5..1.5_f64, -1.5..1.5_f64], n);
        (labels, edges, numbers).prop_map(|(labels, edges, numbers)| {
            // The first label that is given to an edge is its label.
            let mut known: Vec<Edge> = Vec::new();
            for (i, j, label) in edges {
                let same = |e: &&Edge| [(i, j), (j, i)].contains(&(e.0, e.1));
                let label = known.iter().find(same).map_or(label, |e| e.2);
                known.push((i, j, label));
            }
            (graph(&labels, &known), numbers)
        })
    })
}

/// The same graph with its nodes in another order, and its edges reversed and in another order.
fn renumbered() -> impl Strategy<Value = (AttributedGraph, AttributedGraph)> {
    any_graph().prop_flat_map(|(g, rows)| {
        let order = Just((0..g.node_count()).collect::<Vec<_>>()).prop_shuffle();
        let edges = Just(g.labeled_edges().collect::<Vec<_>>()).prop_shuffle();
        (Just((g, rows)), order, edges).prop_map(|((g, rows), order, edges)| {
            let (mut labels, mut numbers) = (vec![0; order.len()], rows.clone());
            for (i, &to) in order.iter().enumerate() {
                (labels[to], numbers[to]) = (g.labels()[i], rows[i]);
            }
            let edges: Vec<Edge> = edges.iter().map(|&(i, j, e)| (order[j], order[i], e)).collect();
            (attributed(&g, &rows), attributed(&graph(&labels, &edges), &numbers))
        })
    })
}

fn written_out(g: &Graph, node: usize, round: usize) -> String {
    if round == 0 {
        return g.labels()[node].to_string();
    }
    let edges = g.neighbors(node).iter().zip(g.neighbor_labels(node));
    let word = |(&j, e): (&usize, &u64)| format!("{e}:{}", written_out(g, j, round - 1));
    let mut around: Vec<String> = edges.map(word).collect();
    around.sort();
    format!("[{}|{}]", written_out(g, node, round - 1), around.join(","))
}

fn naive_weisfeiler_lehman(h: usize, x: &Graph, y: &Graph) -> f64 {
    let mut sum = 0.0;
    for round in 0..=h {
        for i in 0..x.node_count() {
            let word = written_out(x, i, round);
            sum += (0..y.node_count()).filter(|&j| written_out(y, j, round) == word).count() as f64;
        }
    }
    sum
}

/// Walks by pairs of edges with equal labels, a term at a time.
fn naive_walks(lambda: f64, x: &AttributedGraph, y: &AttributedGraph, kappa: &Rbf) -> f64 {
    let (g, h) = (x.graph(), y.graph());
    let weight = |i: usize, j: usize| match g.labels()[i] == h.labels()[j] {
        true => {
            let (a, b) = (x.attributes().item(i), y.attributes().item(j));
            Kernel::<Samples<f64>>::eval(kappa, a, b)
        }
        false => 0.0,
    };
    let both = |of: &Graph| -> Vec<Edge> {
        let turned = of.labeled_edges().filter(|e| e.0 != e.1).map(|(i, j, e)| (j, i, e));
        of.labeled_edges().chain(turned).collect()
    };
    let (left, right) = (both(g), both(h));
    let mut walks: Vec<Vec<f64>> =
        (0..g.node_count()).map(|i| (0..h.node_count()).map(|j| weight(i, j)).collect()).collect();
    let mut sum = 0.0;
    for _ in 0..600 {
        sum += walks.iter().flatten().sum::<f64>();
        let mut next = vec![vec![0.0; h.node_count()]; g.node_count()];
        for &(i, k, e) in &left {
            for &(j, l, f) in &right {
                if e == f {
                    next[i][j] += lambda * weight(i, j) * walks[k][l];
                }
            }
        }
        walks = next;
    }
    sum
}

proptest! {
    #[test]
    fn kernels_equal_brute_force(x in any_graph(), y in any_graph(), h in 0_usize..4, share in 0.05..0.9_f64) {
        let found = eval(&wl(h), &x.0, &y.0);
        prop_assert_eq!(found, naive_weisfeiler_lehman(h, &x.0, &y.0));
        let all = [x, y].map(|(g, rows)| attributed(&g, &rows)).to_vec();
        let lambda = share * AttributedRandomWalk::limit(&rbf(), &all).min(1.0);
        let given = eval(&walk(lambda, rbf()), &all[0], &all[1]);
        let expected = naive_walks(lambda, &all[0], &all[1], &rbf());
        prop_assert!((given - expected).abs() <= 1e-12 * expected, "{given} {expected}");
        // Very wide, the kernel on attributes is 1.
        let wide = Rbf::new(1e-30).unwrap();
        let expected = naive_walks(lambda, &all[0], &all[1], &wide);
        let given = eval(&RandomWalk::new(lambda).unwrap(), &all[0], &all[1]);
        prop_assert!((given - expected).abs() <= 1e-12 * expected, "{given} {expected}");
        let constant = walk(lambda, Constant::new(1.0).unwrap());
        prop_assert!((given - eval(&constant, &all[0], &all[1])).abs() <= 1e-15 * given);
    }

    #[test]
    fn order_of_nodes_and_edges_does_not_matter((x, moved) in renumbered(), y in any_graph()) {
        let y = attributed(&y.0, &y.1);
        prop_assert_eq!(eval(&wl(3), &x, &y).to_bits(), eval(&wl(3), &moved, &y).to_bits());
        let (a, b) = (eval(&ShortestPath, &x, &y), eval(&ShortestPath, &moved, &y));
        prop_assert_eq!(a.to_bits(), b.to_bits());
        let lambda = 0.9 * RandomWalk::limit(&vec![x.clone(), y.clone()]).min(1.0);
        let walks = RandomWalk::new(lambda).unwrap();
        let (a, b) = (eval(&walks, &x, &y), eval(&walks, &moved, &y));
        prop_assert!((a - b).abs() <= 1e-13 * a);
        let walks = walk(lambda, rbf());
        let (a, b) = (eval(&walks, &x, &y), eval(&walks, &moved, &y));
        prop_assert!((a - b).abs() <= 1e-13 * a);
    }

    /// In one graph beside labelled edges, too: a node all of whose edges are plain has the word of a plain graph.
    #[test]
    fn label_zero_is_no_label((g, _) in any_graph(), other in any_graph()) {
        let plain = Graph::new(g.labels().to_vec(), &g.edges().collect::<Vec<_>>()).unwrap();
        let zeros: Vec<Edge> = g.edges().map(|(i, j)| (i, j, 0)).collect();
        let zeros = graph(g.labels(), &zeros);
        prop_assert_eq!(&zeros, &plain);
        let values = |x: &Graph| [1, 3].map(|h| eval(&wl(h), x, &other.0).to_bits());
        prop_assert_eq!(values(&zeros), values(&plain));
        // Any one label for all edges, in both graphs, is as good as none.
        let renamed = |label: u64, of: &Graph| {
            let edges: Vec<Edge> = of.edges().map(|(i, j)| (i, j, label)).collect();
            graph(of.labels(), &edges)
        };
        let lambda = 0.9 * RandomWalk::limit(&vec![g.clone(), other.0.clone()]).min(1.0);
        let walks = RandomWalk::new(lambda).unwrap();
        let (x, y) = (renamed(0, &g), renamed(0, &other.0));
        let (p, q) = (renamed(9, &g), renamed(9, &other.0));
        prop_assert_eq!(eval(&walks, &x, &y).to_bits(), eval(&walks, &p, &q).to_bits());
        prop_assert_eq!(eval(&wl(3), &x, &y).to_bits(), eval(&wl(3), &p, &q).to_bits());
    }

    #[test]
    fn random_collections_keep_the_contract(graphs in proptest::collection::vec(any_graph(), 0..10)) {
        let all: Vec<_> = graphs.iter().map(|(g, rows)| attributed(g, rows)).collect();
        contract::verify_mercer(&wl(2), &all).unwrap();
        contract::verify_mercer(&ShortestPath, &all).unwrap();
        let lambda = 0.95 * RandomWalk::limit(&all).min(1.0);
        contract::verify_mercer(&RandomWalk::new(lambda).unwrap(), &all).unwrap();
        contract::verify_mercer(&walk(lambda, rbf()), &all).unwrap();
        contract::verify_bits(&walk(lambda, rbf()), &all).unwrap();
        contract::verify_mercer(&Normalized::new(walk(lambda, rbf())), &all).unwrap();
    }

    #[test]
    fn serialisation_keeps_the_graph((g, rows) in any_graph()) {
        let x = attributed(&g, &rows);
        let text = serde_json::to_string(&x).unwrap();
        prop_assert_eq!(serde_json::from_str::<AttributedGraph>(&text).unwrap(), x);
    }
}

/// No nodes, no edges, loops, an edge label each, extreme labels, equal graphs, far attributes.
fn hostile() -> Vec<AttributedGraph> {
    let chain: Vec<Edge> = (1..30).map(|i| (i - 1, i, i as u64)).collect();
    let pair = graph(&[0, 0], &[(0, 1, u64::MAX)]);
    let far: Vec<[f64; 2]> = (0..30).map(|i| [1e6 * f64::from(i), 1.0]).collect();
    vec![
        attributed(&graph(&[], &[]), &[]),
        attributed(&graph(&[0], &[]), &[[0.0, -0.0]]),
        attributed(&graph(&[0], &[]), &[[-0.0, 0.0]]),
        attributed(&graph(&[u64::MAX], &[(0, 0, u64::MAX)]), &[[1e300, 0.0]]),
        attributed(&pair, &[[1.0, 2.0], [1.0, 2.0]]),
        attributed(&pair, &[[1.0, 2.0], [1.0, 2.0]]),
        attributed(&pair, &[[1.0, 2.0], [1.0, 2.5]]),
        attributed(&graph(&[0; 30], &chain), &far),
    ]
}

fn keeps_the_contract<K: Mercer<Vec<AttributedGraph>>>(kernel: &K) {
    let all = hostile();
    contract::verify_mercer(kernel, &all).unwrap();
    contract::verify_mercer(kernel, &Vec::new()).unwrap();
    for one in &all {
        contract::verify_mercer(kernel, &vec![one.clone()]).unwrap();
        contract::verify_mercer(kernel, &vec![one.clone(); 5]).unwrap();
    }
}

#[test]
fn hostile_graphs_keep_the_contract() {
    keeps_the_contract(&wl(3));
    keeps_the_contract(&ShortestPath);
    keeps_the_contract(&RandomWalk::new(0.2).unwrap());
    keeps_the_contract(&walk(0.2, rbf()));
    keeps_the_contract(&walk(0.2, 0.5 * rbf() + Constant::new(0.25).unwrap()));
    keeps_the_contract(&(wl(2) + 0.5 * Normalized::new(walk(0.2, rbf()))));
    let shared: Vec<Arc<AttributedGraph>> = hostile().into_iter().map(Arc::new).collect();
    contract::verify_mercer(&walk(0.2, rbf()), &shared).unwrap();
    let one: &Graph = shared[4].as_ref().borrow();
    assert_eq!(one.neighbor_labels(0), [u64::MAX]);
}

/// In λ and in the parameters of κ; no number where the value is none.
#[test]
fn gradients_of_walks_with_attributes() {
    let (_, all) = golden();
    verify_gradient(&walk(0.05, 0.7 * rbf()), &all, 1e-7).unwrap();
    let diverging = verify_gradient(&walk(0.2, rbf()), &all, 1e-7).unwrap_err();
    assert!(diverging.contains("NaN"), "{diverging}");
}
