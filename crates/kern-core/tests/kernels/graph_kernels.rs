//! Graph kernels: golden values, brute force, invariance, the contract, and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "sums of counts are exact")]

use kern_core::closure::Normalized;
use kern_core::faer::linalg::solvers::Solve;
use kern_core::faer::{Mat, mat};
use kern_core::kernels::{Graph, RandomWalk, ShortestPath, WeisfeilerLehman};
use kern_core::{Error, Kernel, Mercer, contract};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

fn graph(labels: &[u64], edges: &[(usize, usize)]) -> Graph {
    Graph::new(labels.to_vec(), edges).unwrap()
}

fn eval<K: Kernel<Vec<Graph>>>(kernel: &K, x: &Graph, y: &Graph) -> f64 {
    kernel.eval(x, y)
}

/// Empty, single nodes, no edges, disconnected, loops, duplicates, extreme labels, a long path.
fn hostile() -> Vec<Graph> {
    let chain: Vec<_> = (1..40).map(|i| (i - 1, i)).collect();
    vec![
        graph(&[], &[]),
        graph(&[0], &[]),
        graph(&[u64::MAX], &[(0, 0)]),
        graph(&[0, 0, 1], &[]),
        graph(&[0, 1, 0, 1], &[(0, 1), (2, 3)]),
        graph(&[0, 1, 0, 1], &[(1, 0), (0, 1), (3, 2), (1, 0)]),
        graph(&[1, 0, 2, 0], &[(0, 1), (1, 2), (2, 0), (3, 3)]),
        graph(&[1, 0, 2, 0], &[(0, 1), (1, 2), (2, 0), (3, 3)]),
        graph(&[0; 40], &chain),
    ]
}

pub(crate) fn any_graph() -> impl Strategy<Value = Graph> {
    (0_usize..9).prop_flat_map(|n| {
        let labels = proptest::collection::vec(0..3_u64, n);
        let edge = (0..n.max(1), 0..n.max(1));
        let edges = proptest::collection::vec(edge, if n == 0 { 0..1 } else { 0..2 * n });
        (labels, edges).prop_map(|(labels, edges)| Graph::new(labels, &edges).unwrap())
    })
}

/// A graph and the same graph with its nodes in another order.
fn renumbered() -> impl Strategy<Value = (Graph, Graph)> {
    any_graph().prop_flat_map(|g| {
        let order = Just((0..g.node_count()).collect::<Vec<_>>()).prop_shuffle();
        (Just(g), order).prop_map(|(g, order)| {
            let mut labels = vec![0; order.len()];
            order.iter().enumerate().for_each(|(i, &to)| labels[to] = g.labels()[i]);
            let edges: Vec<_> = g.edges().map(|(i, j)| (order[j], order[i])).collect();
            let moved = Graph::new(labels, &edges).unwrap();
            (g, moved)
        })
    })
}

/// The label of a node in a round, written out as a word: no hashes.
fn written_out(g: &Graph, node: usize, round: usize) -> String {
    if round == 0 {
        return g.labels()[node].to_string();
    }
    let mut around: Vec<String> =
        g.neighbors(node).iter().map(|&j| written_out(g, j, round - 1)).collect();
    around.sort();
    format!("[{}|{}]", written_out(g, node, round - 1), around.join(","))
}

fn naive_weisfeiler_lehman(h: usize, x: &Graph, y: &Graph) -> f64 {
    let mut sum = 0.0;
    for round in 0..=h {
        let words = |g: &Graph| -> Vec<String> {
            (0..g.node_count()).map(|i| written_out(g, i, round)).collect()
        };
        let (a, b) = (words(x), words(y));
        sum += a.iter().flat_map(|v| b.iter().filter(move |w| v == *w)).count() as f64;
    }
    sum
}

/// All pairs of nodes with their labels and distance (Floyd & Warshall), ordered or not.
fn pairs(g: &Graph, ordered: bool) -> HashMap<(u64, u64, usize), f64> {
    let n = g.node_count();
    let far = usize::MAX / 4;
    let mut d = vec![vec![far; n]; n];
    for (i, row) in d.iter_mut().enumerate() {
        g.neighbors(i).iter().for_each(|&j| row[j] = 1);
        row[i] = 0;
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                d[i][j] = d[i][j].min(d[i][k] + d[k][j]);
            }
        }
    }
    let mut counts = HashMap::new();
    for (i, row) in d.iter().enumerate() {
        for (j, &distance) in row.iter().enumerate() {
            let (a, b) = (g.labels()[i], g.labels()[j]);
            if distance < far && if ordered { i != j } else { i < j } {
                let names = if ordered { (a, b) } else { (a.min(b), a.max(b)) };
                *counts.entry((names.0, names.1, distance)).or_insert(0.0) += 1.0;
            }
        }
    }
    counts
}

fn naive_shortest_path(x: &Graph, y: &Graph, ordered: bool) -> f64 {
    let (x, y) = (pairs(x, ordered), pairs(y, ordered));
    x.iter().map(|(name, count)| count * y.get(name).unwrap_or(&0.0)).sum()
}

/// The adjacency matrix of the product graph, on the pairs with equal labels only.
fn product_graph(x: &Graph, y: &Graph) -> Mat<f64> {
    let all = (0..x.node_count()).flat_map(|i| (0..y.node_count()).map(move |j| (i, j)));
    let nodes: Vec<_> = all.filter(|&(i, j)| x.labels()[i] == y.labels()[j]).collect();
    Mat::from_fn(nodes.len(), nodes.len(), |p, q| {
        let ((i, j), (k, l)) = (nodes[p], nodes[q]);
        f64::from(u8::from(x.neighbors(i).contains(&k) && y.neighbors(j).contains(&l)))
    })
}

fn dense_random_walk(lambda: f64, x: &Graph, y: &Graph) -> f64 {
    let a = product_graph(x, y);
    let n = a.nrows();
    let system = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - lambda * a[(i, j)]);
    system.partial_piv_lu().solve(Mat::<f64>::full(n, 1, 1.0)).sum()
}

fn power_series(lambda: f64, x: &Graph, y: &Graph) -> f64 {
    let a = product_graph(x, y);
    let mut walks = Mat::<f64>::full(a.nrows(), 1, 1.0);
    let mut sum = 0.0;
    for _ in 0..3000 {
        sum += walks.sum();
        walks = (&a * &walks) * kern_core::faer::Scale(lambda);
    }
    sum
}

#[test]
fn weisfeiler_lehman_has_its_golden_values() {
    let wl = |rounds| WeisfeilerLehman::new(rounds).unwrap();
    let (node, other) = (graph(&[7], &[]), graph(&[8], &[]));
    // A single node keeps a label of its own in each of h + 1 rounds.
    assert_eq!(eval(&wl(3), &node, &node), 4.0);
    assert_eq!(eval(&wl(3), &node, &other), 0.0);
    // No edges: 2·1 + 1·3 common labels in each round.
    let (scattered, more) = (graph(&[0, 0, 1], &[]), graph(&[1, 1, 1, 0], &[]));
    assert_eq!(eval(&wl(0), &scattered, &more), 5.0);
    assert_eq!(eval(&wl(2), &scattered, &more), 15.0);
    // C–C–O against C–O: 2·1 + 1·1 labels; in round 1 C(C), C(CO), O(C) and C(O), O(C) share O(C);
    // in round 2 the C beside that O differs.
    let (chain, bond) = (graph(&[6, 6, 8], &[(0, 1), (1, 2)]), graph(&[6, 8], &[(0, 1)]));
    assert_eq!(eval(&wl(0), &chain, &bond), 3.0);
    assert_eq!(eval(&wl(1), &chain, &bond), 4.0);
    assert_eq!(eval(&wl(2), &chain, &bond), 4.0);
    // Two triangles and a hexagon: the classical pair that the test cannot tell apart.
    let triangles = graph(&[0; 6], &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]);
    let hexagon = graph(&[0; 6], &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]);
    assert_eq!(eval(&wl(4), &triangles, &hexagon), 5.0 * 36.0);
    assert_eq!(eval(&wl(4), &graph(&[], &[]), &hexagon), 0.0);
}

#[test]
fn shortest_path_has_its_golden_values() {
    let sp = |x: &Graph, y: &Graph| eval(&ShortestPath, x, y);
    let node = graph(&[7], &[]);
    assert_eq!(sp(&node, &node), 0.0);
    let scattered = graph(&[0, 0, 1], &[]);
    assert_eq!(sp(&scattered, &scattered), 0.0);
    // C–C–O: {C,C} 1, {C,O} 1, {C,O} 2. C–O: {C,O} 1.
    let (chain, bond) = (graph(&[6, 6, 8], &[(0, 1), (1, 2)]), graph(&[6, 8], &[(0, 1)]));
    assert_eq!(sp(&chain, &bond), 1.0);
    assert_eq!(sp(&chain, &chain), 3.0);
    // Two triangles have six pairs at 1; the hexagon 6, 6, 3 at 1, 2, 3.
    let triangles = graph(&[0; 6], &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]);
    let hexagon = graph(&[0; 6], &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]);
    assert_eq!(sp(&triangles, &hexagon), 36.0);
    assert_eq!(sp(&hexagon, &hexagon), 36.0 + 36.0 + 9.0);
    // A loop is no shorter way to anywhere.
    assert_eq!(sp(&graph(&[6, 8], &[(0, 1), (0, 0)]), &bond), 1.0);
}

#[test]
fn random_walk_has_its_golden_values() {
    let close = |given: f64, expected: f64| {
        assert!((given - expected).abs() <= 1e-14 * expected.abs(), "{given} {expected}");
    };
    let rw = |lambda, x: &Graph, y: &Graph| eval(&RandomWalk::new(lambda).unwrap(), x, y);
    let node = graph(&[7], &[]);
    close(rw(0.5, &node, &node), 1.0);
    close(rw(0.5, &node, &graph(&[8], &[])), 0.0);
    // Without edges there are only walks of no steps, whatever λ.
    close(rw(50.0, &graph(&[0, 0, 1], &[]), &graph(&[1, 1, 1, 0], &[])), 5.0);
    // A loop on each: one walk of every length.
    close(rw(0.5, &graph(&[1], &[(0, 0)]), &graph(&[1], &[(0, 0)])), 2.0);
    // Regular graphs of degree 2: 18·Σ(4λ)^k.
    let (triangle, hexagon) = (
        graph(&[0; 3], &[(0, 1), (1, 2), (2, 0)]),
        graph(&[0; 6], &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]),
    );
    close(rw(0.2, &triangle, &hexagon), 18.0 / (1.0 - 0.8));
    // C–C–O against itself: the product has the nodes 00, 01, 10, 11, 22 and the edges 00–11,
    // 01–10, 11–22.
    let chain = graph(&[6, 6, 8], &[(0, 1), (1, 2)]);
    let a = mat![
        [1.0, 0.0, 0.0, -0.2, 0.0],
        [0.0, 1.0, -0.2, 0.0, 0.0],
        [0.0, -0.2, 1.0, 0.0, 0.0],
        [-0.2, 0.0, 0.0, 1.0, -0.2],
        [0.0, 0.0, 0.0, -0.2, 1.0]
    ];
    let expected = a.partial_piv_lu().solve(Mat::<f64>::full(5, 1, 1.0)).sum();
    close(rw(0.2, &chain, &chain), expected);
    // By hand: 01, 10 give 2/(1 − 0.2); the path 00–11–22 gives (3 + 4·0.2)/(1 − 2·0.2²).
    close(expected, 2.0 / 0.8 + 3.8 / 0.92);
}

/// GraKeL 0.1.11 on six random graphs: `WeisfeilerLehman(n_iter=3, base_graph_kernel=
/// VertexHistogram)`, `ShortestPath(with_labels=True)`, `RandomWalkLabeled(lamda=0.02,
/// method_type="baseline")`. The second counts ordered pairs; the third counts every pair of nodes
/// with different labels as a walk without steps, which is subtracted here.
#[test]
fn kernels_agree_with_grakel() {
    let graphs = [
        graph(&[0, 1, 1, 2, 2, 2, 2, 0], &[(2, 0), (4, 0), (4, 3), (5, 1), (6, 0), (6, 4), (7, 0)]),
        graph(&[0, 0, 0, 0, 2], &[(1, 0), (2, 0), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)]),
        graph(
            &[0, 0, 2, 2, 2, 0, 0],
            &[(2, 0), (3, 0), (4, 2), (4, 3), (6, 0), (6, 1), (6, 2), (6, 3)],
        ),
        graph(&[1, 2, 1, 0, 2, 1, 2, 2], &[(1, 0), (3, 1), (5, 4), (7, 1), (7, 4)]),
        graph(&[1, 1, 2, 2, 2], &[(1, 0), (2, 0), (2, 1), (3, 0), (3, 2)]),
        graph(&[2, 1, 1, 1, 2, 2, 1], &[(2, 0), (3, 0), (5, 4), (6, 0), (6, 2)]),
    ];
    let weisfeiler_lehman = [
        [48, 12, 21, 26, 16, 23],
        [12, 42, 19, 8, 3, 3],
        [21, 19, 52, 17, 9, 9],
        [26, 8, 17, 52, 22, 29],
        [16, 3, 9, 22, 28, 19],
        [23, 3, 9, 29, 19, 58],
    ];
    let ordered_paths = [
        [68, 34, 70, 50, 18, 14],
        [34, 100, 72, 8, 0, 0],
        [70, 72, 106, 38, 8, 8],
        [50, 8, 38, 58, 24, 20],
        [18, 0, 8, 24, 28, 26],
        [14, 0, 8, 20, 26, 42],
    ];
    let walks_of_the_first = [
        64.68242705417997,
        40.59658489108334,
        56.86177239032886,
        64.5016720911683,
        40.289064244453954,
        56.28988188548436,
    ];
    let random_walk = RandomWalk::new(0.02).unwrap();
    for (i, x) in graphs.iter().enumerate() {
        for (j, y) in graphs.iter().enumerate() {
            let wl = eval(&WeisfeilerLehman::new(3).unwrap(), x, y);
            assert_eq!(wl, f64::from(weisfeiler_lehman[i][j]), "{i} {j}");
            assert_eq!(naive_shortest_path(x, y, true), f64::from(ordered_paths[i][j]));
            assert_eq!(eval(&ShortestPath, x, y), naive_shortest_path(x, y, false), "{i} {j}");
        }
        let unmatched =
            graphs[0].node_count() * x.node_count() - product_graph(&graphs[0], x).nrows();
        let expected = walks_of_the_first[i] - unmatched as f64;
        assert!((eval(&random_walk, &graphs[0], x) - expected).abs() < 1e-12, "{i}");
    }
}

proptest! {
    #[test]
    fn kernels_equal_brute_force(x in any_graph(), y in any_graph(), h in 0_usize..4) {
        let wl = eval(&WeisfeilerLehman::new(h).unwrap(), &x, &y);
        prop_assert_eq!(wl, naive_weisfeiler_lehman(h, &x, &y));
        prop_assert_eq!(eval(&ShortestPath, &x, &y), naive_shortest_path(&x, &y, false));
    }

    #[test]
    fn random_walk_equals_the_dense_solution_and_the_series(
        x in any_graph(),
        y in any_graph(),
        share in 0.05..0.99_f64,
    ) {
        let limit = RandomWalk::limit(&vec![x.clone(), y.clone()]);
        let lambda = share * limit.min(1.0);
        let given = eval(&RandomWalk::new(lambda).unwrap(), &x, &y);
        for expected in [dense_random_walk(lambda, &x, &y), power_series(lambda, &x, &y)] {
            prop_assert!((given - expected).abs() <= 1e-12 * expected, "{given} {expected}");
        }
    }

    #[test]
    fn order_of_the_nodes_does_not_matter((x, moved) in renumbered(), y in any_graph()) {
        let wl = WeisfeilerLehman::new(3).unwrap();
        prop_assert_eq!(eval(&wl, &x, &y).to_bits(), eval(&wl, &moved, &y).to_bits());
        let (a, b) = (eval(&ShortestPath, &x, &y), eval(&ShortestPath, &moved, &y));
        prop_assert_eq!(a.to_bits(), b.to_bits());
        let rw = RandomWalk::new(0.9 * RandomWalk::limit(&vec![x.clone(), y.clone()]).min(1.0)).unwrap();
        let (a, b) = (eval(&rw, &x, &y), eval(&rw, &moved, &y));
        prop_assert!((a - b).abs() <= 1e-13 * a);
    }

    #[test]
    fn random_collections_keep_the_contract(graphs in proptest::collection::vec(any_graph(), 0..12)) {
        contract::verify_mercer(&WeisfeilerLehman::new(2).unwrap(), &graphs).unwrap();
        contract::verify_mercer(&ShortestPath, &graphs).unwrap();
        let lambda = 0.95 * RandomWalk::limit(&graphs).min(1.0);
        contract::verify_mercer(&RandomWalk::new(lambda).unwrap(), &graphs).unwrap();
    }

    #[test]
    fn serialisation_keeps_the_graph(x in any_graph()) {
        let text = serde_json::to_string(&x).unwrap();
        prop_assert_eq!(serde_json::from_str::<Graph>(&text).unwrap(), x);
    }
}

fn keeps_the_contract<K: Mercer<Vec<Graph>>>(kernel: &K) {
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
    keeps_the_contract(&WeisfeilerLehman::new(0).unwrap());
    keeps_the_contract(&WeisfeilerLehman::new(3).unwrap());
    keeps_the_contract(&ShortestPath);
    keeps_the_contract(&RandomWalk::new(0.2).unwrap());
}

#[test]
fn composites_keep_the_contract() {
    let wl = WeisfeilerLehman::new(2).unwrap();
    let walk = RandomWalk::new(0.1).unwrap();
    keeps_the_contract(&(wl + 0.5 * ShortestPath));
    keeps_the_contract(&(wl * walk + 2.0 * walk));
    keeps_the_contract(&(Normalized::new(wl) * Normalized::new(walk)));
    let sum = wl + 0.5 * ShortestPath;
    assert_eq!(sum.to_string(), "weisfeiler_lehman(iterations=2) + 0.5*shortest_path");
    assert_eq!(walk.to_string(), "random_walk(lambda=0.1)");
}

#[test]
fn shared_graphs_are_graphs() {
    let shared: Vec<Arc<Graph>> = hostile().into_iter().map(Arc::new).collect();
    contract::verify_mercer(&WeisfeilerLehman::new(2).unwrap(), &shared).unwrap();
    contract::verify_mercer(&RandomWalk::new(0.1).unwrap(), &shared).unwrap();
}

#[test]
fn edges_are_a_set() {
    let g = graph(&[4, 5, 6], &[(2, 0), (0, 2), (1, 1), (2, 0), (1, 1)]);
    assert_eq!(g.edges().collect::<Vec<_>>(), [(0, 2), (1, 1)]);
    assert_eq!((g.edge_count(), g.max_degree()), (2, 1));
    assert_eq!(g.neighbors(1), [1]);
    assert_eq!(g, graph(&[4, 5, 6], &[(1, 1), (0, 2)]));
}

#[test]
fn wrong_graphs_are_typed_errors() {
    let wrong = |labels: &[u64], edge| Graph::new(labels.to_vec(), &[edge]).unwrap_err();
    assert_eq!(wrong(&[0, 0], (0, 2)), Error::Index { given: 2, len: 2 });
    assert_eq!(wrong(&[0, 0], (9, 1)), Error::Index { given: 9, len: 2 });
    assert_eq!(wrong(&[], (0, 0)), Error::Index { given: 0, len: 0 });
    assert!(serde_json::from_str::<Graph>(r#"{"labels":[1],"edges":[[0,1]]}"#).is_err());
}

#[test]
fn divergent_lambda_is_an_error_of_the_collection() {
    let star = graph(&[0; 4], &[(0, 1), (0, 2), (0, 3)]);
    let collection = vec![graph(&[0], &[]), star.clone()];
    assert!((RandomWalk::limit(&collection) - 1.0 / 9.0).abs() < 1e-16);
    assert!(RandomWalk::limit(&vec![graph(&[0, 0], &[])]).is_infinite());
    let walk = |lambda| RandomWalk::new(lambda).unwrap();
    assert_eq!(walk(0.11).check(&collection), Ok(()));
    for lambda in [1.0 / 9.0, 0.2, 1e300] {
        let error = walk(lambda).check(&collection).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "lambda", given, .. } if given == lambda));
        assert!(error.to_string().contains("less than 1/Δ²"), "{error}");
        assert!(eval(&walk(lambda), &star, &star).is_nan());
    }
    // Close to the limit it converges, too, where the limit is the spectral radius (a cycle) and
    // where not (a path).
    let near = (1.0 - 1e-9) / 4.0;
    let cycle = graph(&[0; 5], &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
    assert!((eval(&walk(near), &cycle, &cycle) / (25.0 / 1e-9) - 1.0).abs() < 1e-6);
    let path = graph(&[0; 60], &(1..60).map(|i| (i - 1, i)).collect::<Vec<_>>());
    let (given, expected) =
        (eval(&walk(near), &path, &cycle), dense_random_walk(near, &path, &cycle));
    assert!((given / expected - 1.0).abs() < 1e-10, "{given} {expected}");
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(RandomWalk::new(lambda), Err(Error::Parameter { name: "lambda", .. })));
    }
    assert!(serde_json::from_str::<RandomWalk>(r#"{"lambda":-1.0}"#).is_err());
}

/// A number of rounds that would never end, and graphs whose pairs of nodes would fill the memory.
#[test]
fn more_than_anybody_waits_for_is_a_typed_error() {
    let rounds = Error::TooMany { what: "rounds of relabelling", given: 1001, limit: 1000 };
    assert_eq!(WeisfeilerLehman::new(1001), Err(rounds));
    let file = format!(r#"{{"iterations":{}}}"#, u64::MAX);
    assert!(serde_json::from_str::<WeisfeilerLehman>(&file).is_err());
    let one = graph(&[1], &[]);
    assert_eq!(eval(&WeisfeilerLehman::new(1000).unwrap(), &one, &one), 1001.0);

    let walk = RandomWalk::new(0.5).unwrap();
    let of_nodes = |nodes: usize| vec![Graph::new(vec![0; nodes], &[]).unwrap()];
    let nodes = Error::TooMany { what: "nodes of a graph", given: 4097, limit: 4096 };
    assert_eq!(walk.check(&of_nodes(4097)), Err(nodes));
    assert_eq!(walk.check(&of_nodes(4096)), Ok(()));
}

#[test]
fn kernels_are_serialisable() {
    let text = serde_json::to_string(&WeisfeilerLehman::new(5).unwrap()).unwrap();
    let read: WeisfeilerLehman = serde_json::from_str(&text).unwrap();
    assert_eq!(read.iterations(), 5);
    let text = serde_json::to_string(&RandomWalk::new(0.3).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<RandomWalk>(&text).unwrap().lambda(), 0.3);
    let text = serde_json::to_string(&ShortestPath).unwrap();
    assert_eq!(serde_json::from_str::<ShortestPath>(&text).unwrap(), ShortestPath);
}
