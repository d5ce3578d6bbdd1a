//! Tests of the vantage-point tree: equality with the search of all points, and what it saves.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::golden::digits;
use super::knn::{indices, line, uniform};
use kern_core::closure::Normalized;
use kern_core::kernels::{
    ExpChiSquared, Laplacian, Linear, Matern32, Polynomial, Rbf, Spectrum, Subsequence,
};
use kern_core::{Mercer, Points, Samples, Scalar, SparseSamples};
use kern_solvers::knn::{
    KNearest, Neighbor, Neighbors, RadiusNeighbors, SearchAlgorithm, VantageTree, Weighting, Within,
};
use kern_solvers::{Error, LabelSets, Values};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Indices and the bits of scores.
pub(crate) fn bits<T: Scalar>(rows: &[Vec<Neighbor<T>>]) -> Vec<Vec<(usize, u64)>> {
    let bits = |n: &Neighbor<T>| (n.index, n.score.to_f64().to_bits());
    rows.iter().map(|row| row.iter().map(bits).collect()).collect()
}

/// The tree finds what a search of all points does, for several k and radii, which scores of neighbours are.
fn assert_equals_brute<P: Points>(kernel: &dyn Mercer<P>, x: &P, queries: &P, tree: VantageTree) {
    let n = x.len();
    let mut radii = vec![0.0];
    for k in [1, 5, n / 3, n].map(|k| k.clamp(1, n)) {
        let params = KNearest::by_distance(kernel).neighbors(k);
        let brute = params.fit(x, ()).unwrap().neighbors(queries).unwrap();
        let model = params.clone().search(tree).fit(x, ()).unwrap();
        assert_eq!(bits(&model.neighbors(queries).unwrap()), bits(&brute), "k = {k}");
        radii.extend(brute.iter().step_by(7).map(|row| row[k - 1].score.to_f64()));
    }
    for radius in radii {
        let params = RadiusNeighbors::by_distance(kernel, radius);
        let brute = params.fit(x, ()).unwrap().neighbors(queries).unwrap();
        let model = params.clone().search(tree).fit(x, ()).unwrap();
        assert_eq!(bits(&model.neighbors(queries).unwrap()), bits(&brute), "radius {radius}");
    }
}

/// Points of [−1, 1]³, of which many are on a grid, and a third are copies of others.
fn mixed<T: Scalar>(n: usize, seed: u64) -> Samples<T> {
    let x = uniform::<T>(n, 3, seed);
    let rows = (0..n).map(|i| match i % 3 {
        0 => x.item(i).to_vec(),
        1 => x.item(i).iter().map(|v| T::from_f64((v.to_f64() * 4.0).round() / 4.0)).collect(),
        _ => x.item(i / 2).to_vec(),
    });
    Samples::from_rows(&rows.collect::<Vec<_>>()).unwrap()
}

fn assert_equals_brute_on_samples<T: Scalar>(kernel: &dyn Mercer<Samples<T>>) {
    for (n, leaf, seed) in
        [(1, 2, 0), (2, 2, 1), (7, 3, 2), (300, 2, 3), (333, 16, 4), (300, 300, 5)]
    {
        let tree = VantageTree::new().leaf(leaf).seed(seed);
        assert_equals_brute(kernel, &mixed::<T>(n, 51), &mixed::<T>(40, 52 + seed), tree);
    }
}

fn assert_all_equal_brute<T: Scalar>() {
    // At scales where values differ, where they round to 1, and where they underflow.
    for scale in [1e-12, 1.0, 1e5] {
        assert_equals_brute_on_samples::<T>(&Rbf::new(scale).unwrap());
        assert_equals_brute_on_samples::<T>(&Laplacian::new(scale).unwrap());
    }
    assert_equals_brute_on_samples::<T>(&(3.0 * Matern32::new(0.5).unwrap()));
    assert_equals_brute_on_samples::<T>(&Linear);
    assert_equals_brute_on_samples::<T>(&Polynomial::new(1.0, 1.0, 3).unwrap());
    assert_equals_brute_on_samples::<T>(&Normalized::new(Polynomial::new(1.0, 1.0, 2).unwrap()));
    assert_equals_brute_on_samples::<T>(&(Rbf::new(2.0).unwrap() + 0.25 * Linear));
    assert_equals_brute_on_samples::<T>(&(Rbf::new(1e5).unwrap() + Laplacian::new(1e5).unwrap()));
}

#[test]
fn tree_f64_finds_what_all_points_say() {
    assert_all_equal_brute::<f64>();
}

#[test]
fn tree_f32_finds_what_all_points_say() {
    assert_all_equal_brute::<f32>();
}

#[test]
fn tree_far_from_the_origin_finds_what_all_points_say() {
    // Distances are all rounding: in single precision d² of the linear kernel is off by 1.
    let shift = |x: Samples<f32>| {
        let values = x.as_slice().iter().map(|v| v + 1e3).collect();
        Samples::from_row_major(3, values).unwrap()
    };
    let (x, queries) = (shift(mixed(400, 53)), shift(mixed(50, 54)));
    assert_equals_brute(&Linear, &x, &queries, VantageTree::new().leaf(4));
    assert_equals_brute(&Rbf::new(1.0).unwrap(), &x, &queries, VantageTree::new().leaf(4));
    let positive = ExpChiSquared::new(0.5).unwrap();
    assert_equals_brute(&positive, &x, &queries, VantageTree::new().leaf(4));
}

/// Points of which three coordinates in four are 0, and the others small whole numbers: kernel values of linear kernels
/// are exact.
fn whole_numbers(n: usize, seed: u64) -> SparseSamples<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut row = |_| -> Vec<(u32, f64)> {
        let kept = (0..20).filter(|_| rng.random_ratio(1, 4)).collect::<Vec<u32>>();
        kept.into_iter().map(|k| (k, f64::from(rng.random_range(-3..=3)))).collect()
    };
    SparseSamples::from_rows(20, &(0..n).map(&mut row).collect::<Vec<_>>()).unwrap()
}

#[test]
fn tree_of_sparse_points_finds_what_all_points_say() {
    let (x, queries) = (whole_numbers(400, 81), whole_numbers(50, 82));
    for leaf in [2, 16] {
        let tree = VantageTree::new().leaf(leaf);
        assert_equals_brute(&Linear, &x, &queries, tree);
        assert_equals_brute(&Polynomial::new(1.0, 1.0, 2).unwrap(), &x, &queries, tree);
    }
}

/// Entries of sparse blocks depend on the block, but for rounding only.
#[test]
fn tree_of_sparse_points_without_ties_finds_what_all_points_say_but_for_rounding() {
    let sparse = |n, seed| {
        let dense = uniform::<f64>(n, 12, seed);
        let kept = dense.as_slice().iter().map(|&v| if v > 0.3 { v } else { 0.0 }).collect();
        SparseSamples::from_dense(&Samples::from_row_major(12, kept).unwrap()).unwrap()
    };
    let (x, queries) = (sparse(500, 83), sparse(60, 84));
    let kernels: [&dyn Mercer<SparseSamples<f64>>; 3] =
        [&Rbf::new(0.5).unwrap(), &Laplacian::new(0.5).unwrap(), &Linear];
    for kernel in kernels {
        let params = KNearest::by_distance(kernel).neighbors(7);
        let brute = params.fit(&x, &[0.0; 500]).unwrap();
        let tree = params.clone().search(VantageTree::new().leaf(8)).fit(&x, &[0.0; 500]).unwrap();
        let [expected, found] = [&brute, &tree].map(|model| model.neighbors(&queries).unwrap());
        assert_eq!(indices(&found), indices(&expected));
        for (found, expected) in found.concat().iter().zip(expected.concat()) {
            assert!((found.score - expected.score).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }
}

/// Words over two letters, many of them twice.
fn random_words(n: usize, seed: u64) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut word = || -> String {
        let len = rng.random_range(0..9);
        (0..len).map(|_| if rng.random() { 'a' } else { 'b' }).collect()
    };
    (0..n).map(|_| word()).collect()
}

#[test]
fn tree_of_strings_finds_what_all_points_say() {
    let (x, queries) = (random_words(300, 55), random_words(40, 56));
    let tree = VantageTree::new().leaf(4);
    assert_equals_brute(&Spectrum::new(2).unwrap(), &x, &queries, tree);
    assert_equals_brute(&Subsequence::new(3, 0.5).unwrap(), &x, &queries, tree);
}

/// A curved sheet: 2 dimensions in 20.
pub(crate) fn sheet<T: Scalar>(n: usize, seed: u64) -> Samples<T> {
    let at = uniform::<f64>(n, 2, seed);
    let row = |i: usize| -> Vec<T> {
        let [u, v] = [at.item(i)[0], at.item(i)[1]];
        (0..20)
            .map(|j| {
                T::from_f64(
                    (u * f64::from(j % 5) / 3.0 + v * f64::from(j / 5) / 2.0 + f64::from(j)).sin(),
                )
            })
            .collect()
    };
    Samples::from_rows(&(0..n).map(row).collect::<Vec<_>>()).unwrap()
}

fn mean(counts: &[usize]) -> f64 {
    counts.iter().sum::<usize>() as f64 / counts.len() as f64
}

#[test]
fn tree_on_a_sheet_compares_with_few_points() {
    let (x, queries) = (sheet::<f64>(5000, 57), sheet::<f64>(200, 58));
    let y = [0.0; 5000];
    let (tree, rbf) = (VantageTree::new().leaf(16), Rbf::new(0.1).unwrap());
    // Both metrics: ‖x − y‖, and that of the RKHS, which the sum of kernels has.
    let near = KNearest::by_distance(rbf).search(tree).fit(&x, &y).unwrap();
    let near = near.search().evaluations(&queries).unwrap();
    let sum = KNearest::by_distance(rbf + 2.0 * rbf).search(tree).fit(&x, &y).unwrap();
    let sum = sum.search().evaluations(&queries).unwrap();
    for counts in [near, sum] {
        // Seen: 55 and 61. Each query meets a leaf, of 10 points or 9, below 9 vantage points.
        assert!(counts.iter().all(|&count| (18..1000).contains(&count)), "{counts:?}");
        assert!(mean(&counts) < 100.0, "{}", mean(&counts));
    }
    let brute = KNearest::by_distance(rbf).fit(&x, &y).unwrap();
    assert_eq!(brute.search().evaluations(&queries).unwrap(), [5000; 200]);
}

#[test]
fn tree_of_a_narrow_kernel_is_as_good_as_that_of_a_wide_one() {
    let (x, queries) = (sheet::<f32>(2000, 59), sheet::<f32>(50, 60));
    let count = |gamma| {
        let params = KNearest::by_distance(Rbf::new(gamma).unwrap()).search(VantageTree::new());
        params.fit(&x, &[0.0; 2000]).unwrap().search().evaluations(&queries).unwrap()
    };
    assert_eq!(count(1e-6), count(1e6));
}

#[test]
fn bits_of_a_tree_on_any_number_of_threads_are_the_same() {
    let (x, queries) = (sheet::<f32>(3000, 61), sheet::<f32>(300, 62));
    let labels: Vec<usize> = (0..3000).map(|i| i % 5).collect();
    let params = KNearest::by_distance(Linear).search(VantageTree::new().seed(9));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = params.fit(&x, &labels).unwrap();
            let counts = model.search().evaluations(&queries).unwrap();
            (bits(&model.neighbors(&queries).unwrap()), counts, model)
        })
    };
    let expected = run(1);
    assert!([2, 8].into_iter().all(|threads| run(threads) == expected));
}

#[test]
fn models_by_tree_say_what_models_by_brute_force_say() {
    let (x, queries) = (sheet::<f64>(400, 63), sheet::<f64>(60, 64));
    let y: Vec<f64> = (0..400).map(|i| f64::from(i % 7)).collect();
    let outputs = faer::Mat::from_fn(400, 2, |i, j| y[i] + j as f64);
    let labels: Vec<[bool; 2]> = (0..400).map(|i| [i % 2 == 0, i % 3 == 0]).collect();
    let classes: Vec<usize> = (0..400).map(|i| i % 5).collect();
    let params = KNearest::by_distance(Rbf::new(0.3).unwrap()).weighting(Weighting::Weighted);
    let radius = RadiusNeighbors::by_distance(Rbf::new(0.3).unwrap(), 0.2);
    let said = |by: SearchAlgorithm| {
        let (near, within) = (params.clone().search(by), radius.clone().search(by));
        (
            near.fit(&x, &y).unwrap().predict(&queries).unwrap(),
            near.fit(&x, outputs.as_ref()).unwrap().predict(&queries).unwrap(),
            near.fit(&x, LabelSets::new(&labels).unwrap())
                .unwrap()
                .vote_fractions(&queries)
                .unwrap(),
            near.fit(&x, &classes).unwrap().predict_proba(&queries).unwrap(),
            within.fit(&x, &y).unwrap().predict(&queries).unwrap(),
            within.fit(&x, &classes).unwrap().predict_proba(&queries).unwrap(),
        )
    };
    assert_eq!(said(VantageTree::new().into()), said(SearchAlgorithm::Brute));
}

#[test]
fn queries_of_which_distances_might_overflow_are_compared_with_all() {
    let x = uniform::<f64>(100, 3, 65);
    let queries = Samples::from_rows(&[[1e200, 0.0, 0.0], [0.1, 0.2, 0.3]]).unwrap();
    let params = KNearest::by_distance(Rbf::new(1.0).unwrap()).neighbors(3);
    let brute = params.fit(&x, &[0.0; 100]).unwrap().neighbors(&queries).unwrap();
    let model = params.clone().search(VantageTree::new().leaf(4)).fit(&x, &[0.0; 100]).unwrap();
    assert_eq!(bits(&model.neighbors(&queries).unwrap()), bits(&brute));
    assert_eq!(model.search().evaluations(&queries).unwrap(), [100, 100]);
}

#[test]
fn models_with_trees_reloaded_are_the_same_and_bad_files_are_refused() {
    let x = sheet::<f64>(70, 66);
    let params = KNearest::by_distance(Rbf::new(1.0).unwrap()).search(VantageTree::new().seed(3));
    let model = params.fit(&x, &[0.5; 70]).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    type Model = Neighbors<Samples<f64>, Rbf, Values<f64>>;
    assert_eq!(serde_json::from_str::<Model>(&text).unwrap(), model);
    let bytes = postcard::to_stdvec(&model).unwrap();
    assert_eq!(postcard::from_bytes::<Model>(&bytes).unwrap(), model);
    for (from, to, message) in [
        ("\"leaf\":64", "\"leaf\":1", "leaf must be at least 2, got 1"),
        ("\"Distance\"", "\"Similarity\"", "by similarity all points are searched"),
    ] {
        assert!(text.contains(from), "{text}");
        let error = serde_json::from_str::<Model>(&text.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

fn within_one() -> Neighbors<Samples<f64>, Linear, Values<f64>, Within> {
    RadiusNeighbors::by_distance(Linear, 1.0).fit(&line(&[1.0, 2.0]), &[0.0; 2]).unwrap()
}

#[test]
fn tree_with_values_that_are_none_is_an_error() {
    let x = line(&[1.0, 1e200, 2.0, 3.0]);
    let params = KNearest::by_distance(Linear).neighbors(1);
    let tree = |leaf| params.clone().search(VantageTree::new().leaf(leaf));
    let error = tree(2).fit(&x, &[0.0; 4]).unwrap_err();
    assert!(matches!(error, Error::Gram(kern_gram::Error::NotFinite { .. })), "{error:?}");
    let error = tree(0).fit(&line(&[1.0]), &[0.0]).unwrap_err();
    assert_eq!(error, Error::Count { name: "leaf", given: 0, allowed: "at least 2" });
    let model = tree(2).fit(&line(&[1.0, 2.0, 3.0]), &[0.0; 3]).unwrap();
    // K(x, x) of the query is none.
    let far = line(&[1.0, 1e200]);
    let errors = [
        model.neighbors(&far).unwrap_err(),
        params.fit(&x.select(&[0]).unwrap(), &[0.0]).unwrap().neighbors(&far).unwrap_err(),
        within_one().neighbors(&far).unwrap_err(),
    ];
    for error in errors {
        let expected = matches!(error, Error::Gram(kern_gram::Error::NotFinite { row: 1, .. }));
        assert!(expected, "{error}");
    }
}

#[test]
fn digits_are_read_as_by_scikit_learn() {
    let images = digits::points();
    let of = |text: &str| text.chars().collect::<Vec<char>>();
    let (classes, expected) = (of(digits::CLASSES), of(digits::PREDICTED));
    let select = |range: Range<usize>| images.select(&range.collect::<Vec<_>>()).unwrap();
    let (x, queries) = (select(0..150), select(150..200));
    // Similarities of 1e-70: the order is that of the distance.
    let params = KNearest::by_distance(Rbf::new(0.1).unwrap());
    for by in [SearchAlgorithm::Brute, VantageTree::new().leaf(4).into()] {
        let model = params.clone().search(by).fit(&x, &classes[..150]).unwrap();
        assert_eq!(indices(&model.neighbors(&queries).unwrap()), digits::NEIGHBORS);
        assert_eq!(model.predict(&queries).unwrap(), expected);
    }
}

#[test]
fn sentences_are_classified_by_the_tree() {
    let subjects = ["the cat", "a small dog", "my old horse", "the bird", "our neighbour"];
    let verbs = ["sleeps", "eats", "walks", "waits", "sings", "falls"];
    let ends = ["in the garden", "near the river", "all day", "behind the house"];
    let dishes = ["bread", "soup", "rice", "cake", "salad"];
    let ways = ["bake", "boil", "season", "chop", "stir", "serve"];
    let times = ["with butter and salt", "for ten minutes", "on low heat", "with pepper"];
    let all = |a: &[&str], b: &[&str], c: &[&str]| -> Vec<String> {
        let pairs = a.iter().flat_map(|a| b.iter().map(move |b| format!("{a} {b}")));
        pairs
            .flat_map(|pair| c.iter().map(move |c| format!("{pair} {c}")).collect::<Vec<_>>())
            .collect()
    };
    let (stories, recipes) = (all(&subjects, &verbs, &ends), all(&ways, &dishes, &times));
    let x = [stories.clone(), recipes.clone()].concat();
    let labels = [vec!["story"; stories.len()], vec!["recipe"; recipes.len()]].concat();
    let queries =
        ["the dog sings near the garden", "chop the bread on low heat"].map(String::from).to_vec();
    let params = KNearest::by_distance(Normalized::new(Spectrum::new(3).unwrap())).neighbors(7);
    let brute = params.fit(&x, &labels).unwrap();
    let tree = params.clone().search(VantageTree::new().leaf(4)).fit(&x, &labels).unwrap();
    assert_eq!(tree.predict(&queries).unwrap(), ["story", "recipe"]);
    assert_eq!(bits(&tree.neighbors(&queries).unwrap()), bits(&brute.neighbors(&queries).unwrap()));
    // Seen: 303 and 295, more than the 240 sentences. Spectra of trigrams fill too many dimensions.
    let most = 2 * x.len();
    assert!(tree.search().evaluations(&queries).unwrap().iter().all(|&count| count < most));
}
