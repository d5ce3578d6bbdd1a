//! Tests of searches that begin in less precision: they find, to the bit, what a search in the
//! precision of the points finds.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use crate::knn::uniform;
use kern_core::kernels::{Linear, Matern32, Rbf};
use kern_core::{Kernel, Mercer, Points, Samples, Scalar};
use kern_solvers::knn::{KNearest, Nearness, Neighbor, RadiusNeighbors};

/// Points and queries for which less precision comes first.
const POINTS: usize = 16_500;
const QUERIES: usize = 150;
/// So few queries are compared in the precision of the points alone.
const FEW: usize = 100;
const DIM: usize = 20;

type Rows<T> = Vec<Vec<Neighbor<T>>>;

/// The neighbours of all queries at once, and of few at a time.
fn both<T: Scalar, K: Mercer<Samples<T>> + Clone>(
    kernel: &K,
    (x, queries): (&Samples<T>, &Samples<T>),
    (k, nearness): (usize, Nearness),
) -> [Rows<T>; 2] {
    let kernel = kernel.clone();
    let model = match nearness {
        Nearness::Distance => KNearest::by_distance(kernel).neighbors(k).fit(x, ()).unwrap(),
        Nearness::Similarity => KNearest::by_similarity(kernel).neighbors(k).fit(x, ()).unwrap(),
    };
    let parts = parts(queries, |some| model.neighbors(some).unwrap());
    [model.neighbors(queries).unwrap(), parts]
}

/// The answers to few queries at a time.
fn parts<T: Scalar>(queries: &Samples<T>, ask: impl Fn(&Samples<T>) -> Rows<T>) -> Rows<T> {
    let part = |start: usize| {
        let some: Vec<usize> = (start..queries.len().min(start + FEW)).collect();
        ask(&queries.select(&some).unwrap())
    };
    (0..queries.len()).step_by(FEW).flat_map(part).collect()
}

/// The neighbours of all queries at once, and of few at a time, within the score of the k-th
/// neighbour of one of them: on the threshold itself, that is.
fn within<T: Scalar>(
    (x, queries): (&Samples<T>, &Samples<T>),
    (k, nearness): (usize, Nearness),
) -> [Rows<T>; 2]
where
    Linear: Mercer<Samples<T>>,
{
    let one = queries.select(&[7]).unwrap();
    let model = match nearness {
        Nearness::Distance => {
            let nearest = KNearest::by_distance(Linear).neighbors(k).fit(x, ()).unwrap();
            let score = nearest.neighbors(&one).unwrap()[0][k - 1].score.to_f64();
            RadiusNeighbors::by_distance(Linear, score).fit(x, ()).unwrap()
        }
        Nearness::Similarity => {
            let nearest = KNearest::by_similarity(Linear).neighbors(k).fit(x, ()).unwrap();
            let score = nearest.neighbors(&one).unwrap()[0][k - 1].score.to_f64();
            RadiusNeighbors::by_similarity(Linear, score).fit(x, ()).unwrap()
        }
    };
    let parts = parts(queries, |some| model.neighbors(some).unwrap());
    [model.neighbors(queries).unwrap(), parts]
}

#[track_caller]
fn assert_same<T: Scalar>(name: &str, [all, parts]: [Rows<T>; 2]) {
    let bits = |rows: Rows<T>| -> Vec<Vec<(usize, u64)>> {
        let one = |neighbor: Neighbor<T>| (neighbor.index, neighbor.score.to_f64().to_bits());
        rows.into_iter().map(|row| row.into_iter().map(one).collect()).collect()
    };
    assert_eq!(all.len(), QUERIES, "{name}");
    assert!(bits(all) == bits(parts), "{name}");
}

fn mapped<T: Scalar>(x: &Samples<f64>, f: impl Fn(f64) -> f64) -> Samples<T> {
    let values = x.as_slice().iter().map(|&v| T::from_f64(f(v))).collect();
    Samples::from_row_major(x.dim(), values).unwrap()
}

/// Hostile collections, with their names, whose inner products are numbers of this type.
fn collections<T: Scalar>() -> Vec<(&'static str, Samples<T>)> {
    let x = uniform::<f64>(POINTS, DIM, 3);
    let mut all = vec![
        ("on a grid, with many ties", mapped(&x, f64::round)),
        ("translated", mapped(&x, |v| 1e6 + 1e-3 * v)),
        ("tiny", mapped(&x, |v| 1e-30 * v)),
        ("lost in single precision", mapped(&x, |v| 1e-60 * v)),
        ("huge", mapped(&x, |v| 1e17 * v)),
        ("one far away", mapped(&x, |v| if v > 0.99999 { 1e4 * v } else { v })),
        ("generic", mapped(&x, |v| v)),
    ];
    if size_of::<T>() > size_of::<f32>() {
        all.push(("beyond single precision", mapped(&x, |v| 1e30 * v)));
    }
    all
}

#[test]
fn a_search_that_begins_in_less_precision_finds_the_same_bits() {
    check::<f64>();
    check::<f32>();
}

fn check<T: Scalar>()
where
    Linear: Mercer<Samples<T>>,
    Rbf: Mercer<Samples<T>>,
{
    for (name, x) in collections::<T>() {
        // Some of the points themselves, and others.
        let some: Vec<usize> = (0..QUERIES).map(|q| q * 107).collect();
        let own = x.select(&some).unwrap();
        let pair = (&x, &own);
        assert_same(name, both(&Linear, pair, (7, Nearness::Distance)));
        assert_same(name, both(&Linear, pair, (1, Nearness::Similarity)));
        assert_same(name, both(&Rbf::new(0.3).unwrap(), pair, (10, Nearness::Distance)));
        assert_same(name, both(&Rbf::new(0.3).unwrap(), pair, (10, Nearness::Similarity)));
        for (k, nearness) in [(20, Nearness::Distance), (9, Nearness::Similarity)] {
            assert_same(name, within(pair, (k, nearness)));
        }
    }
}

#[test]
fn some_queries_have_none_within_a_threshold_and_others_many() {
    let (x, queries) = (uniform::<f64>(POINTS, DIM, 8), uniform::<f64>(QUERIES, DIM, 9));
    let [found, expected] = within((&x, &queries), (3, Nearness::Distance));
    let counts = || found.iter().map(Vec::len);
    assert!(counts().min() == Some(0) && counts().max() > Some(3));
    assert_same("some", [found, expected]);
    // More than are looked at one by one.
    let [found, expected] = within((&x, &queries), (POINTS / 2, Nearness::Distance));
    assert!(found[7].len() == POINTS / 2);
    assert_same("many", [found, expected]);
}

#[test]
fn closures_and_formulas_of_distances_find_the_same_bits() {
    let (x, queries) = (uniform::<f64>(POINTS, DIM, 4), uniform::<f64>(QUERIES, DIM, 5));
    let pair = (&x, &queries);
    let kernel = 2.0 * Matern32::new(1.5).unwrap();
    assert_same("scaled", both(&kernel, pair, (250, Nearness::Distance)));
    assert_same("scaled", both(&(2.0 * Linear), pair, (3, Nearness::Distance)));
    let formula: kern_core::KernelSpec = "3*rbf(gamma=0.1)".parse().unwrap();
    let formula = formula.build_mercer::<Samples<f64>>().unwrap();
    let search = formula.search_order().unwrap();
    assert!(search.single_precision(&x).is_some());
    assert_same("formula", both(&formula, pair, (3, Nearness::Distance)));
}

#[test]
fn dimensions_from_products_find_the_same_bits() {
    // From 128 coordinates on, distances come from products.
    let (x, queries) = (uniform::<f64>(POINTS, 130, 6), uniform::<f64>(QUERIES, 130, 7));
    let kernel = Rbf::new(0.01).unwrap();
    assert_same("many", both(&kernel, (&x, &queries), (5, Nearness::Distance)));
}
