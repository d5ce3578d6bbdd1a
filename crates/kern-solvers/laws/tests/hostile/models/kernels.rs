//! A model on every other kind of points, and with every kernel that has parameters.

use super::Kind;
use super::functions::{N, points, values};
use kern_core::closure::{Exp, Normalized, Power};
use kern_core::faer::mat;
use kern_core::kernels::{
    ArcCosine, ArdRbf, AttributedGraph, AttributedRandomWalk, Cauchy, Constant, Cosine,
    ExpChiSquared, Exponential, GlobalAlignment, Graph, HammingRbf, Hellinger, Jaccard,
    Mahalanobis, Matern, Matern32, Matern52, Mismatch, NormalizedGlobalAlignment, Periodic,
    Polynomial, RandomWalk, RationalQuadratic, Rbf, ShortestPath, Spectrum, Subsequence,
    SubsetTree, Subtree, Tree, Wave, WeightedDegree, WeisfeilerLehman, White, WordCount,
};
use kern_core::{KernelSpec, Mercer, Named, Points, Samples};
use kern_gram::{GivenPoints, Precomputed, PrecomputedGram};
use kern_solvers::ridge::Ridge;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The model of a regression with this kernel on these points.
fn ridge<P, K>(name: &'static str, kernel: K, points: &P) -> Kind
where
    P: Points<Scalar = f64> + Clone + Serialize + DeserializeOwned + 'static,
    K: Mercer<P> + Clone + Named + Serialize + DeserializeOwned,
{
    let y = &values()[..points.len()];
    Kind::model(name, &Ridge::on_kernel(kernel).lambda(0.1).fit(points, y).unwrap(), points)
}

pub(super) fn kinds() -> Vec<Kind> {
    let mut all = on_vectors();
    all.extend(on_strings());
    all.extend(on_structures());
    all
}

fn on_vectors() -> Vec<Kind> {
    let x = points();
    let a = mat![[2.0, 1.0], [1.0, 2.0]];
    let formula: KernelSpec = "0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)^2".parse().unwrap();
    let gram = PrecomputedGram::new(mat![[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]);
    let given = GivenPoints::of_gram(gram.unwrap());
    let stationary = Cauchy::new(0.3).unwrap() * Exponential::new(0.5).unwrap();
    let smooth = Matern32::new(1.0).unwrap() * Matern52::new(2.0).unwrap();
    vec![
        ridge("relevance", ArdRbf::new(&[0.5, 0.1]).unwrap(), &x),
        ridge("Mahalanobis", Mahalanobis::new(a.as_ref()).unwrap(), &x),
        ridge("formula", formula.build_mercer::<Samples<f64>>().unwrap(), &x),
        ridge("given values", Precomputed, &given),
        ridge("stationary", stationary + smooth, &x),
        ridge(
            "waves",
            Periodic::new(0.7, 2.0).unwrap()
                + Wave::new(&[0.5, 0.1]).unwrap() * ArcCosine::new(1).unwrap(),
            &x,
        ),
        ridge(
            "noise",
            Matern::new(0.7, 2.0).unwrap() + Constant::new(0.5).unwrap() + White::new(0.1).unwrap(),
            &x,
        ),
        ridge("histograms", ExpChiSquared::new(0.5).unwrap() + Hellinger, &x),
        ridge(
            "closure",
            Power::new(Normalized::new(Exp::new(0.5 * Cosine)), 2)
                + Polynomial::new(0.5, 1.0, 3).unwrap() * RationalQuadratic::new(1.0, 1.0).unwrap(),
            &x,
        ),
    ]
}

fn on_strings() -> Vec<Kind> {
    let letter = |i: usize| ['A', 'C', 'G', 'T'][i % 4];
    let word = |i: usize| (0..5 + i % 4).map(|k| letter(i * k + k * k + i)).collect::<String>();
    let x: Vec<String> = (0..N).map(word).collect();
    let texts: Vec<String> = (0..6).map(|i| format!("to be {i} or not to be {}", i % 2)).collect();
    let sets: Vec<Vec<u32>> = (0..6).map(|i| (i..2 * i + 1).collect()).collect();
    vec![
        ridge("spectrum", Normalized::new(Spectrum::blended(3).unwrap()), &x),
        ridge("mismatch", Mismatch::new("ACGT", 3, 1).unwrap(), &x),
        ridge("subsequence", Subsequence::by_gaps(3, 0.5).unwrap(), &x),
        ridge("weighted degree", WeightedDegree::new(3).unwrap(), &x),
        ridge("Hamming", HammingRbf::new(0.5).unwrap(), &x),
        ridge("words", WordCount, &texts),
        ridge("sets", Jaccard, &sets),
    ]
}

fn on_structures() -> Vec<Kind> {
    let leaf = |i: usize| Tree::leaf(["cat", "dog"][i % 2]);
    let tree =
        |i: usize| Tree::new("NP", [Tree::new("D", [Tree::leaf("a")]), Tree::new("N", [leaf(i)])]);
    let trees: Vec<Tree> = (0..6).map(|i| Tree::new("S", (0..=i % 3).map(tree))).collect();
    let path = |n: usize| (1..n).map(|i| (i - 1, i)).chain([(0, n - 1)]).collect::<Vec<_>>();
    let graph = |n: usize| Graph::new((0..n as u64).map(|i| i % 2).collect(), &path(n)).unwrap();
    let graphs: Vec<Graph> = (3..9).map(graph).collect();
    let bonds = |n: usize| {
        let edges: Vec<_> = path(n).iter().map(|&(i, j)| (i, j, (i + j) as u64 % 3)).collect();
        Graph::with_edge_labels(vec![0; n], &edges).unwrap()
    };
    let labelled: Vec<Graph> = (3..9).map(bonds).collect();
    let series: Vec<Samples<f64>> = (3..9)
        .map(|n| (0..n).map(|i| (i * n) as f64 * 0.1).collect())
        .map(|numbers| Samples::from_row_major(1, numbers).unwrap())
        .collect();
    let attributed = |(graph, numbers): (&Graph, &Samples<f64>)| {
        AttributedGraph::new(graph.clone(), numbers.clone()).unwrap()
    };
    let attributed: Vec<AttributedGraph> = labelled.iter().zip(&series).map(attributed).collect();
    let similar = AttributedRandomWalk::new(0.1, Rbf::new(0.5).unwrap()).unwrap();
    vec![
        ridge("subset trees", Normalized::new(SubsetTree::new(0.5).unwrap()), &trees),
        ridge("subtrees", Subtree::new(0.5).unwrap(), &trees),
        ridge("Weisfeiler-Lehman", Normalized::new(WeisfeilerLehman::new(2).unwrap()), &graphs),
        ridge("shortest paths", ShortestPath, &graphs),
        ridge("random walks", RandomWalk::new(0.1).unwrap(), &graphs),
        ridge("labelled edges", RandomWalk::new(0.1).unwrap(), &labelled),
        ridge("attributes", similar, &attributed),
        ridge("alignments", GlobalAlignment::windowed(0.5, 9).unwrap(), &series),
        ridge("normalised alignments", NormalizedGlobalAlignment::new(0.5).unwrap(), &series),
    ]
}
