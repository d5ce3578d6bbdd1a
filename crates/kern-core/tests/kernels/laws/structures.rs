//! Kernels of sets, texts, strings, trees, graphs, time series and parts.

use super::points::repeated;
use super::{Laws, Line, boxed};
use crate::graph_kernels::any_graph;
use crate::part_kernels::{bytes, in_order};
use crate::series_kernels::any_series;
use crate::set_kernels::{set, text};
use crate::tree_kernels::any_tree;
use crate::{labelled_graphs, string_kernels};
use kern_core::Samples;
use kern_core::closure::AssumeMercer;
use kern_core::kernels::{
    AttributedRandomWalk, BagOfWords, Convolution, Delta, FnKernel, GlobalAlignment, Hamming,
    HammingRbf, Jaccard, Mapping, Mismatch, NormalizedBagOfWords, NormalizedGlobalAlignment,
    NormalizedSetIntersection, RandomWalk, Rbf, SetIntersection, ShortestPath, Spectrum,
    Subsequence, SubsetTree, Subtree, WeightedDegree, WeisfeilerLehman, WordCount,
};
use proptest::prelude::*;

/// The largest number of points in a collection.
const POINTS: usize = 24;

#[test]
fn kernels_of_sets() {
    let sets = || repeated(set(), POINTS);
    let table = vec![
        Line::new("SetIntersection", sets(), |_, _| boxed(Ok(SetIntersection))),
        Line::new("NormalizedSetIntersection", sets(), |_, _| boxed(Ok(NormalizedSetIntersection))),
        Line::new("Jaccard", sets(), |_, _| boxed(Ok(Jaccard))),
        Line::new("Delta", sets(), |_, _| boxed(Ok(Delta))),
    ];
    table.into_iter().for_each(Line::hold);
}

#[test]
fn kernels_of_texts() {
    let texts = || repeated(text(), POINTS);
    let table = vec![
        Line::new("WordCount", texts(), |_, _| boxed(Ok(WordCount))),
        Line::new("BagOfWords", texts(), |_, _| boxed(Ok(BagOfWords))),
        Line::new("NormalizedBagOfWords", texts(), |_, _| boxed(Ok(NormalizedBagOfWords))),
    ];
    table.into_iter().for_each(Line::hold);
}

#[test]
fn kernels_of_strings() {
    let strings = || repeated(string_kernels::short_string(), POINTS);
    let table = vec![
        Line::new("Spectrum", strings(), |p, _| boxed(Spectrum::new(p.count(0, 1, 4)))),
        Line::new("Spectrum", strings(), |p, _| boxed(Spectrum::blended(p.count(0, 1, 4)))),
        Line::new("Mismatch", strings(), |p, _| {
            let k = p.count(0, 1, 4);
            boxed(Mismatch::new("ACG", k, k / 2))
        }),
        Line::new("Subsequence", strings(), |p, _| {
            boxed(Subsequence::new(p.count(0, 1, 4), p.between(1, 0.05, 1.0)))
        }),
        Line::new("Subsequence", strings(), |p, _| {
            boxed(Subsequence::by_gaps(p.count(0, 1, 4), p.between(1, 0.05, 1.0)))
        }),
        Line::new("Hamming", strings(), |_, _| boxed(Ok(Hamming))),
        Line::new("HammingRbf", strings(), |p, _| boxed(HammingRbf::new(p.rate(0, 2.0)))),
        Line::new("WeightedDegree", strings(), |p, _| boxed(WeightedDegree::new(p.count(0, 1, 4)))),
    ];
    table.into_iter().for_each(Line::hold);
}

#[test]
fn kernels_of_trees() {
    let trees = || repeated(any_tree(), POINTS);
    let table = vec![
        Line::new("Subtree", trees(), |p, _| boxed(Subtree::new(p.between(0, 0.05, 1.0)))),
        Line::new("SubsetTree", trees(), |p, _| boxed(SubsetTree::new(p.between(0, 0.05, 1.0)))),
    ];
    table.into_iter().for_each(Line::hold);
}

#[test]
fn kernels_of_graphs() {
    let graphs = || repeated(any_graph(), POINTS / 2);
    let table = vec![
        Line::new("WeisfeilerLehman", graphs(), |p, _| {
            boxed(WeisfeilerLehman::new(p.count(0, 0, 3)))
        }),
        Line::new("ShortestPath", graphs(), |_, _| boxed(Ok(ShortestPath))),
        Line::new("RandomWalk", graphs(), |p, x| {
            boxed(RandomWalk::new(p.between(0, 0.05, 0.95) * RandomWalk::limit(x).min(1.0)))
        }),
    ];
    table.into_iter().for_each(Line::hold);
    let attributed = labelled_graphs::any_graph()
        .prop_map(|(graph, rows)| labelled_graphs::attributed(&graph, &rows));
    Line::new("AttributedRandomWalk", repeated(attributed, POINTS / 2), |p, x| {
        let rbf = Rbf::new(p.rate(1, 2.0)).unwrap();
        let limit = AttributedRandomWalk::limit(&rbf, x).min(1.0);
        boxed(AttributedRandomWalk::new(p.between(0, 0.05, 0.95) * limit, rbf))
    })
    .hold();
}

#[test]
fn kernels_of_time_series() {
    let series = || repeated(any_series(9), POINTS / 2);
    let table = vec![
        Line::new("GlobalAlignment", series(), |p, _| boxed(GlobalAlignment::new(p.rate(0, 0.5)))),
        Line::new("GlobalAlignment", series(), |p, _| {
            boxed(GlobalAlignment::windowed(p.rate(0, 0.5), p.count(1, 1, 5)))
        }),
        Line::new("NormalizedGlobalAlignment", series(), |p, _| {
            boxed(NormalizedGlobalAlignment::new(p.rate(0, 0.5)))
        }),
    ];
    table.into_iter().for_each(Line::hold);
}

#[test]
fn kernels_of_parts() {
    let point = proptest::collection::vec(-2.0..2.0_f64, 3);
    let clouds = repeated(proptest::collection::vec(point, 0..7), POINTS);
    Line::new("Convolution", clouds, |p, _| {
        let rbf = Rbf::new(p.rate(0, 2.0)).unwrap();
        boxed(Ok(Convolution::<_, _, Samples<f64>>::gathering(Vec::clone, rbf)))
    })
    .keeping(Laws::Ordered)
    .hold();
    // Common subsequences of two letters: a transitive family of mappings.
    Line::new("Mapping", repeated("[abc]{0,5}", POINTS / 2), |_, _| {
        let same = FnKernel::new(|p: &u8, q: &u8| f64::from(u8::from(p == q)));
        boxed(Ok(AssumeMercer(Mapping::new(bytes, in_order(2), same))))
    })
    .hold();
}
