//! Tests of k nearest neighbours: equality with a full sort, the agreement and the difference of
//! the two rankings, ties, votes and means, and files.
//!
//! Notation: n points, q queries, k neighbours; K the kernel, d its RKHS distance.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use kern_core::kernels::{Laplacian, Linear, Polynomial, Rbf};
use kern_core::{Kernel, Mercer, Points, Samples, Scalar};
use kern_solvers::knn::{KNearest, Nearness, Neighbor, Neighbors, Weighting};
use kern_solvers::{Labels, Target, Values};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// n points of the cube [−1, 1]^dim.
pub(crate) fn uniform<T: Scalar>(n: usize, dim: usize, seed: u64) -> Samples<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..n * dim).map(|_| T::from_f64(2.0 * rng.random::<f64>() - 1.0)).collect();
    Samples::from_row_major(dim, values).unwrap()
}

/// Points of the line.
pub(crate) fn line(values: &[f64]) -> Samples<f64> {
    Samples::from_row_major(1, values.to_vec()).unwrap()
}

pub(crate) fn indices<T: Scalar>(rows: &[Vec<Neighbor<T>>]) -> Vec<Vec<usize>> {
    rows.iter().map(|row| row.iter().map(|neighbor| neighbor.index).collect()).collect()
}

fn scores<T: Scalar>(row: &[Neighbor<T>]) -> Vec<f64> {
    row.iter().map(|neighbor| neighbor.score.to_f64()).collect()
}

/// The indices of all points in the order of `far`, smaller indices first among equals.
pub(crate) fn sorted(n: usize, far: impl Fn(usize) -> f64) -> Vec<usize> {
    sorted_by(n, &far)
}

/// [`sorted`], compiled once.
fn sorted_by(n: usize, far: &dyn Fn(usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    // A zero has a sign, which is no difference: −0 + 0 = 0.
    order.sort_by(|&i, &j| (far(i) + 0.0).total_cmp(&(far(j) + 0.0)));
    order
}

fn similarity<P: Points, K: Kernel<P>>(k: &K, queries: &P, q: usize, x: &P, i: usize) -> f64 {
    k.eval(queries.item(q), x.item(i)).to_f64()
}

/// d² by its definition.
fn distance2<P: Points, K: Kernel<P>>(k: &K, queries: &P, q: usize, x: &P, i: usize) -> f64 {
    let norms = similarity(k, queries, q, queries, q) + similarity(k, x, i, x, i);
    norms - 2.0 * similarity(k, queries, q, x, i)
}

/// Compares found rows with a full sort of `exact` (small is near) up to `allowed` of rounding:
/// the scores `measured` are those of the points named, and no nearer point is left out.
fn assert_nearest<T: Scalar>(
    rows: &[Vec<Neighbor<T>>],
    (n, k): (usize, usize),
    measured: impl Fn(T) -> f64,
    exact: impl Fn(usize, usize) -> f64,
    allowed: f64,
) {
    for (q, row) in rows.iter().enumerate() {
        let order = sorted(n, |i| exact(q, i));
        assert_eq!(row.len(), k);
        for (neighbor, &expected) in row.iter().zip(&order) {
            let measured = measured(neighbor.score);
            assert!((measured - exact(q, neighbor.index)).abs() <= allowed, "query {q}");
            assert!((measured - exact(q, expected)).abs() <= allowed, "query {q}");
        }
        let mut distinct: Vec<usize> = row.iter().map(|neighbor| neighbor.index).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), k, "query {q}");
    }
}

/// n, q and k: one point, k = 1, k = n, whole tiles, and sizes that no tile divides.
const SIZES: [(usize, usize, usize); 7] =
    [(1, 1, 1), (7, 3, 7), (256, 256, 5), (257, 17, 1), (300, 37, 300), (521, 601, 17), (5, 0, 2)];

fn assert_both_equal_full_sort<T: Scalar, K: Mercer<Samples<T>> + Copy>(kernel: K) {
    for (n, q, k) in SIZES {
        let (x, queries) = (uniform::<T>(n, 3, 1), uniform::<T>(q, 3, 2));
        // |K| ≤ 50 for the kernels below.
        let allowed = 1024.0 * T::UNIT_ROUNDOFF * 50.0;

        let model = KNearest::by_similarity(kernel).neighbors(k).fit(&x, ()).unwrap();
        let rows = model.neighbors(&queries).unwrap();
        assert_eq!(rows.len(), q);
        let exact = |q, i| -similarity(&kernel, &queries, q, &x, i);
        assert_nearest(&rows, (n, k), |score| -score.to_f64(), exact, allowed);

        let model = KNearest::by_distance(kernel).neighbors(k).fit(&x, ()).unwrap();
        let rows = model.neighbors(&queries).unwrap();
        assert_eq!(rows.len(), q);
        let exact = |q, i| distance2(&kernel, &queries, q, &x, i);
        assert_nearest(&rows, (n, k), |score| score.to_f64().powi(2), exact, allowed);
    }
}

#[test]
fn neighbors_random_f64_equal_full_sort() {
    assert_both_equal_full_sort::<f64, _>(Rbf::new(0.7).unwrap());
    assert_both_equal_full_sort::<f64, _>(Linear);
    assert_both_equal_full_sort::<f64, _>(Polynomial::new(1.0, 1.0, 2).unwrap());
    assert_both_equal_full_sort::<f64, _>(Laplacian::new(0.3).unwrap() + 2.0 * Linear);
}

#[test]
fn neighbors_random_f32_equal_full_sort() {
    assert_both_equal_full_sort::<f32, _>(Rbf::new(0.7).unwrap());
    assert_both_equal_full_sort::<f32, _>(Linear);
    assert_both_equal_full_sort::<f32, _>(Polynomial::new(1.0, 1.0, 2).unwrap());
    assert_both_equal_full_sort::<f32, _>(Laplacian::new(0.3).unwrap() + 2.0 * Linear);
}

#[test]
fn neighbors_behind_dyn_kernel_equal_static() {
    let (x, queries) = (uniform::<f64>(40, 2, 3), uniform::<f64>(9, 2, 4));
    let kernel = Rbf::new(1.0).unwrap();
    let object: &dyn Mercer<Samples<f64>> = &kernel;
    let expected = KNearest::by_distance(kernel).fit(&x, &[0.0; 40]).unwrap();
    let given = KNearest::by_distance(object).fit(&x, &[0.0; 40]).unwrap();
    assert_eq!(given.neighbors(&queries).unwrap(), expected.neighbors(&queries).unwrap());
}

/// Points of a small integer grid: many ties and duplicates, and arithmetic without rounding.
fn grid(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<[f64; 2]>> {
    let coordinate = || (-3..4_i32).prop_map(f64::from);
    prop::collection::vec([coordinate(), coordinate()], len)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn neighbors_on_grid_equal_full_sort_with_ties_by_index(
        x in grid(1..400),
        queries in grid(1..40),
        k in 0.0..1.0_f64,
    ) {
        let (x, queries) =
            (Samples::from_rows(&x).unwrap(), Samples::from_rows(&queries).unwrap());
        let n = x.len();
        let k = ((k * k * n as f64) as usize).clamp(1, n);
        let y = vec![0.0; n];
        let similar = KNearest::by_similarity(Linear).neighbors(k).fit(&x, &y).unwrap();
        let near = KNearest::by_distance(Linear).neighbors(k).fit(&x, &y).unwrap();
        let similar = indices(&similar.neighbors(&queries).unwrap());
        let near = indices(&near.neighbors(&queries).unwrap());
        for q in 0..queries.len() {
            let order = sorted(n, |i| -similarity(&Linear, &queries, q, &x, i));
            prop_assert_eq!(&similar[q], &order[..k]);
            let order = sorted(n, |i| distance2(&Linear, &queries, q, &x, i));
            prop_assert_eq!(&near[q], &order[..k]);
        }
    }

    #[test]
    fn rankings_with_constant_diagonal_agree(
        seed in any::<u64>(),
        (n, q) in (1..300_usize, 1..40_usize),
        gamma in 0.01..50.0_f64,
        k in 1..20_usize,
    ) {
        let (x, queries) = (uniform::<f32>(n, 3, seed), uniform::<f32>(q, 3, !seed));
        let (y, k) = (vec![0.0; n], k.min(n));
        let kernel = Rbf::new(gamma).unwrap() + 0.5 * Laplacian::new(gamma).unwrap();
        let similar = KNearest::by_similarity(kernel).neighbors(k).fit(&x, &y).unwrap();
        let near = KNearest::by_distance(kernel).neighbors(k).fit(&x, &y).unwrap();
        prop_assert_eq!(
            indices(&similar.neighbors(&queries).unwrap()),
            indices(&near.neighbors(&queries).unwrap())
        );
    }

    #[test]
    fn distances_of_a_row_never_decrease(
        seed in any::<u64>(),
        offset in -1e3..1e3_f64,
    ) {
        // Far from the origin, K(x, x) is large and distances are all rounding.
        let shifted = |seed| {
            let x = uniform::<f32>(60, 2, seed);
            let values = x.as_slice().iter().map(|v| v + offset as f32).collect();
            Samples::from_row_major(2, values).unwrap()
        };
        let (x, queries) = (shifted(seed), shifted(!seed));
        let model = KNearest::by_distance(Linear).neighbors(60).fit(&x, &[0.0; 60]).unwrap();
        for row in model.neighbors(&queries).unwrap() {
            prop_assert!(row[0].score >= 0.0);
            prop_assert!(row.windows(2).all(|pair| pair[0].score <= pair[1].score));
        }
    }
}

#[test]
fn rankings_of_linear_kernel_differ() {
    // Query (1, 1). Products: 2, 10, 0, −1. Distances²: 0, 64 + 0, 2, 0.25 + 6.25.
    let x = Samples::from_rows(&[[1.0, 1.0], [9.0, 1.0], [0.0, 0.0], [0.5, -1.5]]).unwrap();
    let query = Samples::from_rows(&[[1.0, 1.0]]).unwrap();
    let similar = KNearest::by_similarity(Linear).neighbors(4).fit(&x, &[0.0; 4]).unwrap();
    let rows = similar.neighbors(&query).unwrap();
    assert_eq!(indices(&rows), [[1, 0, 2, 3]]);
    assert_eq!(scores(&rows[0]), [10.0, 2.0, 0.0, -1.0]);
    assert_eq!(similar.nearness(), Nearness::Similarity);

    let near = KNearest::by_distance(Linear).neighbors(4).fit(&x, &[0.0; 4]).unwrap();
    let rows = near.neighbors(&query).unwrap();
    assert_eq!(indices(&rows), [[0, 2, 3, 1]]);
    assert_eq!(scores(&rows[0]), [0.0, 2.0_f64.sqrt(), 6.5_f64.sqrt(), 8.0]);
    assert_eq!(near.nearness(), Nearness::Distance);
}

#[test]
fn distance_of_rbf_is_euclidean_even_where_all_round_to_root_two() {
    let (x, queries) = (uniform::<f64>(300, 4, 5), uniform::<f64>(50, 4, 6));
    for gamma in [0.01, 1.0, 60.0] {
        let kernel = Rbf::new(gamma).unwrap();
        let model = KNearest::by_distance(kernel).neighbors(300).fit(&x, &[0.0; 300]).unwrap();
        let rows = model.neighbors(&queries).unwrap();
        for (q, row) in indices(&rows).iter().enumerate() {
            let squared = |i| {
                let pairs = queries.item(q).iter().zip(x.item(i));
                pairs.map(|(a, b): (&f64, &f64)| (a - b).powi(2)).sum::<f64>()
            };
            assert_eq!(*row, sorted(300, squared), "gamma {gamma}, query {q}");
        }
        let last = rows[0][299].score;
        assert_eq!(gamma > 50.0, last.to_bits() == 2.0_f64.sqrt().to_bits(), "{last}");
    }
}

/// Copies of one point all over a collection of 600.
fn assert_duplicates_in_order_of_index<T: Scalar>(dim: usize) {
    let (x, at) = (uniform::<T>(600, dim, 7), [3, 100, 255, 256, 300, 511, 512, 599]);
    let rows: Vec<&[T]> = (0..600).map(|i| x.item(if at.contains(&i) { 3 } else { i })).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let kernel = Rbf::new(0.5).unwrap();
    for queries in [x.select(&[3]).unwrap(), uniform(45, dim, 8)] {
        let near = KNearest::by_distance(kernel).neighbors(600).fit(&x, ()).unwrap();
        let similar = KNearest::by_similarity(kernel).neighbors(600).fit(&x, ()).unwrap();
        for rows in [near.neighbors(&queries).unwrap(), similar.neighbors(&queries).unwrap()] {
            for row in indices(&rows) {
                let found: Vec<usize> = row.into_iter().filter(|i| at.contains(i)).collect();
                assert_eq!(found, at);
            }
        }
    }
}

#[test]
fn duplicates_in_all_tiles_stay_in_order_of_index() {
    for dim in [1, 3, 16, 37] {
        assert_duplicates_in_order_of_index::<f32>(dim);
        assert_duplicates_in_order_of_index::<f64>(dim);
    }
}

#[test]
fn distance_to_itself_is_zero() {
    let x = uniform::<f32>(300, 5, 9);
    let model = KNearest::by_distance(Rbf::new(2.0).unwrap()).neighbors(1);
    let rows = model.fit(&x, &[0.0; 300]).unwrap().neighbors(&x).unwrap();
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row, &[Neighbor { index: i, score: 0.0 }]);
    }
}

#[test]
fn votes_equal_first_class_wins() {
    let x = line(&[-1.0, 1.0, -3.0, 3.0]);
    let y = ["z", "b", "c", "a"];
    let query = line(&[0.0]);
    let params = KNearest::by_distance(Linear);
    let model = params.clone().neighbors(2).fit(&x, &y).unwrap();
    assert_eq!(model.predict(&query).unwrap(), ["b"]);
    assert_eq!(model.predict_proba(&query).unwrap(), faer::mat![[0.0, 0.5, 0.0, 0.5]]);
    let model = params.clone().neighbors(4).fit(&x, &y).unwrap();
    assert_eq!(model.predict(&query).unwrap(), ["a"]);
}

#[test]
fn votes_weighted_by_distance_follow_the_near_one() {
    // Distances 1, 3, 4 and 8; the weights 1, 1/3, 1/4, 1/8 sum to 41/24.
    let x = line(&[1.0, -3.0, 4.0, 8.0]);
    let y = [true, false, false, true];
    let params = KNearest::by_distance(Linear).neighbors(3);
    let query = line(&[0.0]);
    assert_eq!(params.fit(&x, &y).unwrap().predict(&query).unwrap(), [false]);
    let params = params.clone().weighting(Weighting::Weighted);
    assert_eq!(params.fit(&x, &y).unwrap().predict(&query).unwrap(), [true]);
    let shares = params.clone().neighbors(4).fit(&x, &y).unwrap().predict_proba(&query).unwrap();
    assert!((shares[(0, 0)] - 14.0 / 41.0).abs() < 1e-15);
    assert!((shares[(0, 1)] - 27.0 / 41.0).abs() < 1e-15);
}

#[test]
fn votes_weighted_by_distance_zero_takes_all() {
    let x = line(&[2.0, 2.0, 2.0, 2.5, 2.5, 2.5, 2.5]);
    let y = [7, 3, 7, 3, 3, 3, 3_i64];
    let params = KNearest::by_distance(Linear).neighbors(7);
    let query = line(&[2.0]);
    assert_eq!(params.fit(&x, &y).unwrap().predict(&query).unwrap(), [3]);
    let model = params.clone().weighting(Weighting::Weighted).fit(&x, &y).unwrap();
    assert_eq!(model.predict(&query).unwrap(), [7]);
    assert_eq!(model.predict_proba(&query).unwrap(), faer::mat![[1.0 / 3.0, 2.0 / 3.0]]);
}

#[test]
fn votes_weighted_by_similarity_clip_negative_ones() {
    // Products with 1: 3, 1, −4, −5.
    let x = line(&[3.0, 1.0, -4.0, -5.0]);
    let y = ["a", "b", "b", "b"];
    let params = KNearest::by_similarity(Linear).neighbors(4).weighting(Weighting::Weighted);
    let model = params.fit(&x, &y).unwrap();
    assert_eq!(model.predict_proba(&line(&[1.0])).unwrap(), faer::mat![[0.75, 0.25]]);
    // Products with 0 are all 0: nobody is similar, all count the same.
    assert_eq!(model.predict_proba(&line(&[0.0])).unwrap(), faer::mat![[0.25, 0.75]]);
    // Products with −1: 5, 4, −1, −3.
    assert_eq!(model.predict_proba(&line(&[-1.0])).unwrap(), faer::mat![[0.0, 1.0]]);
}

#[test]
fn mean_and_weighted_mean_are_exact_on_the_line() {
    let (x, y) = (line(&[0.0, 1.0, 4.0, 100.0]), [10.0_f64, 20.0, 60.0, -1.0]);
    let queries = line(&[2.0, 0.0]);
    let params = KNearest::by_distance(Linear).neighbors(3);
    assert_eq!(params.fit(&x, &y).unwrap().predict(&queries).unwrap(), [30.0, 30.0]);
    // Distances from 2: 2, 1, 2, so (10/2 + 20 + 60/2)/2; 0 is a fitted point.
    let weighted = params.clone().weighting(Weighting::Weighted);
    assert_eq!(weighted.fit(&x, &y).unwrap().predict(&queries).unwrap(), [27.5, 10.0]);
    // Products with 2: 0, 2, 8, of which the first does not count: (2·20 + 8·60)/10.
    let similar = KNearest::by_similarity(Linear).neighbors(3).weighting(Weighting::Weighted);
    let model = similar.fit(&x.select(&[0, 1, 2]).unwrap(), &y[..3]).unwrap();
    assert_eq!(model.predict(&line(&[2.0])).unwrap(), [52.0]);
    assert_eq!(model.targets().as_slice(), &y[..3]);
}

#[test]
fn mean_of_huge_targets_does_not_overflow() {
    let params = KNearest::by_distance(Linear).neighbors(2);
    let model = params.fit(&line(&[0.0, 1.0]), &[f64::MAX, f64::MAX]).unwrap();
    assert_eq!(model.predict(&line(&[0.5])).unwrap(), [f64::MAX]);
}

#[test]
fn weighted_similarities_of_any_size_do_not_overflow() {
    let x = line(&[1e150, 2e150, 3e150]);
    let params = KNearest::by_similarity(Linear).neighbors(3).weighting(Weighting::Weighted);
    let votes = params.fit(&x, &[0, 0, 1]).unwrap().predict_proba(&line(&[4e157])).unwrap();
    assert!((votes[(0, 1)] - 0.5).abs() < 1e-15);
}

#[test]
fn labels_of_any_type_come_back() {
    fn check<L>(labels: &[L; 4], classes: &[L])
    where
        L: Target<Targets = Labels<L>> + kern_solvers::Label + std::fmt::Debug,
    {
        let x = line(&[0.0, 10.0, 20.0, 30.0]);
        let model = KNearest::by_distance(Linear).neighbors(1).fit(&x, labels).unwrap();
        assert_eq!(model.classes(), classes);
        assert_eq!(model.predict(&line(&[29.0, 1.0, 12.0, 20.0])).unwrap(), {
            let [a, b, c, d] = labels.clone();
            [d, a, b, c]
        });
        assert!((model.accuracy(&x, labels).unwrap() - 1.0).abs() < f64::EPSILON);
    }
    check(&["b", "a", "b", "c"].map(String::from), &["a", "b", "c"].map(String::from));
    check(&[true, false, false, true], &[false, true]);
    check(&[-7, i64::MAX, 0, i64::MIN], &[i64::MIN, -7, 0, i64::MAX]);
}

/// The number of common letters, each letter counted as often as it occurs in both: the minimum
/// kernel of the counts, which is Mercer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CommonLetters;

impl Kernel<Vec<String>> for CommonLetters {
    fn eval(&self, x: &String, y: &String) -> f64 {
        let count = |s: &str, letter| s.chars().filter(|&c| c == letter).count();
        let common = |letter| count(x, letter).min(count(y, letter)) as f64;
        ('a'..='z').map(common).sum()
    }
}
impl Mercer<Vec<String>> for CommonLetters {}

kern_core::named! { [] CommonLetters = "common_letters"; }

pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn strings_with_own_kernel_both_rankings() {
    let x = words(&["kernel", "kernels and more kernels", "gram", "colonel"]);
    let query = words(&["kernel"]);
    let similar = KNearest::by_similarity(CommonLetters).neighbors(2).fit(&x, &[0.0; 4]).unwrap();
    let rows = similar.neighbors(&query).unwrap();
    assert_eq!((indices(&rows), scores(&rows[0])), (vec![vec![0, 1]], vec![6.0, 6.0]));
    // Common letters with "colonel" are l, n, e: d² = 6 + 7 − 2·3.
    let near = KNearest::by_distance(CommonLetters).neighbors(2).fit(&x, &[0.0; 4]).unwrap();
    let rows = near.neighbors(&query).unwrap();
    assert_eq!((indices(&rows), scores(&rows[0])), (vec![vec![0, 3]], vec![0.0, 7.0_f64.sqrt()]));
    assert_eq!((near.points(), near.kernel()), (&x, &CommonLetters));
}

#[test]
fn bits_on_any_number_of_threads_are_the_same() {
    let (x, queries) = (uniform::<f32>(700, 6, 10), uniform::<f32>(1100, 6, 11));
    let labels: Vec<usize> = (0..700).map(|i| i % 5).collect();
    let params = KNearest::by_distance(Rbf::new(0.3).unwrap()).neighbors(9);
    let params = params.clone().weighting(Weighting::Weighted);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = params.fit(&x, &labels).unwrap();
            let rows = model.neighbors(&queries).unwrap();
            let rows: Vec<_> = rows.concat().iter().map(|n| (n.index, n.score.to_bits())).collect();
            (rows, model.predict_proba(&queries).unwrap(), model.predict(&queries).unwrap())
        })
    };
    let expected = run(1);
    assert!([2, 8].into_iter().all(|threads| run(threads) == expected));
}

#[test]
fn classifier_reloaded_predicts_the_same_bits() {
    let (x, queries) = (uniform::<f32>(80, 3, 12), uniform::<f32>(30, 3, 13));
    let labels: Vec<String> = (0..80).map(|i| format!("class {}", i % 3)).collect();
    let kernel = Rbf::new(0.1).unwrap() + 0.3 * Polynomial::new(1.0, 1.0, 3).unwrap();
    let params = KNearest::by_distance(kernel).weighting(Weighting::Weighted);
    let model = params.fit(&x, &labels).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let reloaded: Neighbors<Samples<f32>, _, Labels<String>> = serde_json::from_str(&text).unwrap();
    assert_eq!(reloaded, model);
    assert_eq!(reloaded.neighbors(&queries).unwrap(), model.neighbors(&queries).unwrap());
    assert_eq!(reloaded.predict_proba(&queries).unwrap(), model.predict_proba(&queries).unwrap());
    let bytes = postcard::to_stdvec(&model).unwrap();
    assert_eq!(postcard::from_bytes::<Neighbors<_, _, Labels<_>>>(&bytes).unwrap(), model);
}

#[test]
fn regressor_reloaded_predicts_the_same_bits() {
    let (x, y) = (words(&["abc", "aabb", "cab", "xyz"]), [0.1, 0.2, 0.3, 0.7]);
    let params = KNearest::by_similarity(CommonLetters).neighbors(3);
    let model = params.clone().weighting(Weighting::Weighted).fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let reloaded: Neighbors<Vec<String>, CommonLetters, Values<f64>> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(reloaded, model);
    let queries = words(&["bca", "", "yab"]);
    assert_eq!(reloaded.predict(&queries).unwrap(), model.predict(&queries).unwrap());
}

#[test]
fn file_with_invalid_content_is_refused() {
    let x = line(&[0.0, 1.0, 2.0]);
    let params = KNearest::by_distance(Rbf::new(1.0).unwrap()).neighbors(2);
    let regressor = serde_json::to_string(&params.fit(&x, &[1.5, 2.5, 3.5]).unwrap()).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(regressor.contains(from), "{regressor}");
        let read = serde_json::from_str::<Neighbors<Samples<f64>, Rbf, Values<f64>>>(
            &regressor.replace(from, to),
        );
        read.unwrap_err().to_string()
    };
    assert!(refused("\"format\":[3", "\"format\":[4").contains("model format 3 is supported"));
    assert!(refused("\"neighbors\":2", "\"neighbors\":4").contains("at most the number of points"));
    assert!(refused("[1.5,2.5,3.5]", "[1.5,2.5]").contains("targets: expected 3"));
    assert!(refused("\"gamma\":1.0", "\"gamma\":-1.0").contains("finite number > 0"));

    let classifier = serde_json::to_string(&params.fit(&x, &["a", "b", "a"]).unwrap()).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(classifier.contains(from), "{classifier}");
        let read = serde_json::from_str::<Neighbors<Samples<f64>, Rbf, Labels<String>>>(
            &classifier.replace(from, to),
        );
        read.unwrap_err().to_string()
    };
    assert!(refused("[0,1,0]", "[0,2,0]").contains("index 2 is out of bounds"));
    assert!(refused("[0,1,0]", "[0,1]").contains("labels: expected 3"));
    assert!(refused("[0,1,0]", "[1,1,1]").contains("at least two classes"));
}
