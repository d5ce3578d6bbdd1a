//! The cache of a blocked Gram matrix: its counts, its bound in bytes, what it may evict, and that
//! it has no influence on any bit.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::common::{matrix, samples, words};
use kern_core::closure::Normalized;
use kern_core::faer::Mat;
use kern_core::kernels::{
    FnKernel, Laplacian, Linear, Mahalanobis, Polynomial, Rbf, Sigmoid, Spectrum,
};
use kern_core::{Kernel, Points, Samples, SparseSamples};
use kern_gram::{BlockedGram, Error, GramOperator, MemoryBudget, TILE_EDGE};
use proptest::prelude::*;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A budget for so many columns of f64.
fn columns(count: usize, n: usize) -> MemoryBudget {
    MemoryBudget::bytes((count * n * 8) as u64)
}

fn line(n: usize) -> Samples<f64> {
    Samples::from_row_major(1, (0..n).map(|i| i as f64).collect()).unwrap()
}

/// The least-recently-used policy, as plainly as it can be written.
#[derive(Default)]
struct Model {
    /// The most recently used column comes last.
    stored: VecDeque<usize>,
    hits: u64,
    misses: u64,
    evictions: u64,
}

impl Model {
    fn request(&mut self, indices: &[usize], capacity: usize) {
        let mut missing: Vec<_> =
            indices.iter().copied().filter(|j| !self.stored.contains(j)).collect();
        missing.sort_unstable();
        missing.dedup();
        self.misses += missing.len() as u64;
        self.hits += (indices.len() - missing.len()) as u64;
        let unused: Vec<_> = self.stored.iter().copied().filter(|j| !indices.contains(j)).collect();
        let lacking = (self.stored.len() + missing.len()).saturating_sub(capacity);
        for victim in &unused[..lacking] {
            self.stored.retain(|j| j != victim);
            self.evictions += 1;
        }
        self.stored.extend(missing);
        for &j in indices {
            self.stored.retain(|&other| other != j);
            self.stored.push_back(j);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn counts_are_those_of_least_recently_used(
        requests in prop::collection::vec(prop::collection::vec(0_usize..20, 0..5), 1..40),
        capacity in 5_usize..12,
    ) {
        let x = line(20);
        let gram = BlockedGram::new(&Linear, &x, &columns(capacity, 20)).unwrap();
        let mut model = Model::default();
        for request in &requests {
            let given = gram.columns(request).unwrap();
            model.request(request, capacity);
            for (column, &j) in given.iter().zip(request) {
                prop_assert!(column.iter().enumerate().all(|(i, &v)| v == (i * j) as f64));
            }
            let now = gram.statistics();
            prop_assert_eq!(
                (now.hits, now.misses, now.evictions, now.columns),
                (model.hits, model.misses, model.evictions, model.stored.len())
            );
        }
    }

    #[test]
    fn columns_in_use_stay_and_bytes_keep_to_the_budget(
        steps in prop::collection::vec((prop::collection::vec(0_usize..20, 0..4), any::<bool>()), 1..60),
        capacity in 1_usize..9,
    ) {
        let x = line(20);
        let gram = BlockedGram::new(&Linear, &x, &columns(capacity, 20)).unwrap();
        let (mut held, mut asked) = (VecDeque::new(), 0);
        for (request, release) in &steps {
            if *release {
                held.pop_front();
            }
            let in_use: Vec<usize> =
                held.iter().flat_map(|(indices, _): &(Vec<usize>, _)| indices.clone()).collect();
            let before = gram.statistics();
            match gram.columns(request) {
                Ok(given) => {
                    asked += request.len() as u64;
                    let pinned = request.iter().filter(|j| in_use.contains(j)).count() as u64;
                    prop_assert!(gram.statistics().hits - before.hits >= pinned);
                    held.push_back((request.clone(), given));
                }
                Err(error) => {
                    let all: std::collections::BTreeSet<_> = in_use.iter().chain(request).collect();
                    prop_assert!(all.len() > capacity, "refused without need: {error}");
                    prop_assert_eq!(gram.statistics(), before);
                }
            }
            let now = gram.statistics();
            prop_assert_eq!(now.hits + now.misses, asked);
            prop_assert!(now.bytes <= now.capacity_bytes);
            prop_assert_eq!(now.capacity_bytes, (capacity * 20 * 8) as u64);
            for (indices, given) in &held {
                for (b, &j) in indices.iter().enumerate() {
                    prop_assert!(given.column(b).iter().enumerate().all(|(i, &v)| v == (i * j) as f64));
                }
            }
        }
    }
}

/// Columns that are asked for in groups and orders of all kinds, with a cache of any size, have the
/// bits of columns that are computed one by one.
fn assert_cache_has_no_influence<P: Points, K: Kernel<P>>(name: &str, kernel: &K, x: &P) {
    let n = x.len();
    let column = (n * size_of::<P::Scalar>()) as u64;
    let alone = BlockedGram::new(kernel, x, &MemoryBudget::bytes(column)).unwrap();
    let one = |j: usize| alone.columns(&[j]).unwrap().column(0).to_vec();
    let expected: Vec<_> = (0..n).map(one).collect();
    let diag = alone.diag();
    for capacity in [2, 7, n as u64] {
        let gram = BlockedGram::new(kernel, x, &MemoryBudget::bytes(capacity * column)).unwrap();
        for (width, stride) in [(1, 1), (2, 41), (3, 1), (17, 41), (64, 1), (n, 41)] {
            let indices: Vec<usize> = (0..n).map(|k| (k * stride + width) % n).collect();
            for group in indices.chunks(width) {
                let mut out = Mat::zeros(n, group.len());
                gram.columns_into(group, out.as_mut()).unwrap();
                for (b, &j) in group.iter().enumerate() {
                    assert!(out.col_as_slice(b) == expected[j], "{name}, column {j} of {group:?}");
                    assert!(out[(j, b)] == diag[j], "{name}, diagonal {j}");
                }
            }
        }
    }
}

#[test]
fn the_cache_has_no_influence_on_any_bit_of_dense_samples() {
    for n in [1, 20, TILE_EDGE + 5] {
        for dim in [1, 3, 100] {
            let x = samples::<f64>(n, dim, (n + dim) as u64);
            let single = samples::<f32>(n, dim, (n + dim) as u64);
            assert_cache_has_no_influence("linear", &Linear, &x);
            assert_cache_has_no_influence("linear f32", &Linear, &single);
            let poly = Polynomial::new(0.5, 1.0, 3).unwrap();
            assert_cache_has_no_influence("polynomial", &poly, &x);
            assert_cache_has_no_influence("rbf", &Rbf::new(0.3).unwrap(), &x);
            assert_cache_has_no_influence("narrow rbf", &Rbf::new(3000.0).unwrap(), &x);
            assert_cache_has_no_influence("rbf f32", &Rbf::new(0.3).unwrap(), &single);
            assert_cache_has_no_influence("laplacian", &Laplacian::new(0.3).unwrap(), &x);
        }
    }
    let x = samples::<f64>(40, 600, 1);
    assert_cache_has_no_influence("rbf", &Rbf::new(0.01).unwrap(), &x);
    assert_cache_has_no_influence("sigmoid", &Sigmoid::new(0.1, 0.2).unwrap(), &x);
}

#[test]
fn the_cache_has_no_influence_on_any_bit_of_bound_kernels_and_other_points() {
    let n = TILE_EDGE + 30;
    let x = samples::<f64>(n, 4, 1);
    let cosine = Normalized::new(Polynomial::new(1.0, 1.0, 2).unwrap());
    assert_cache_has_no_influence("normalized", &cosine, &x);
    let factor = matrix::<f64>(4, 4, 2);
    let form = Mahalanobis::new((&factor * factor.transpose()).as_ref()).unwrap();
    assert_cache_has_no_influence("mahalanobis", &form, &x);
    assert_cache_has_no_influence("sum", &(form + Rbf::new(0.5).unwrap()), &x);
    assert_cache_has_no_influence("strings", &Spectrum::new(3).unwrap(), &words(n));
    let hidden = samples::<f64>(n, 40, 3);
    let sparse = SparseSamples::from_dense(&hidden).unwrap();
    assert_cache_has_no_influence("sparse", &Polynomial::new(1.0, 1.0, 3).unwrap(), &sparse);
}

#[test]
fn a_budget_below_one_column_is_refused_and_a_working_set_beyond_it_too() {
    let x = line(100);
    let error = BlockedGram::new(&Linear, &x, &MemoryBudget::bytes(799)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a column of a blocked Gram matrix needs 800 bytes, the memory budget is 799; \
         a lazy Gram matrix would fit"
    );
    let gram = BlockedGram::new(&Linear, &x, &MemoryBudget::bytes(3 * 800 + 799)).unwrap();
    assert_eq!(gram.capacity(), 3);
    let held = gram.columns(&[4, 5]).unwrap();
    match gram.columns(&[5, 6, 7]).unwrap_err() {
        Error::Budget { needed, allowed, .. } => assert_eq!((needed, allowed), (3200, 2400)),
        other => panic!("{other}"),
    }
    // Without the cache it goes on.
    let mut out = Mat::zeros(100, 4);
    gram.columns_into(&[9, 8, 7, 6], out.as_mut()).unwrap();
    assert_eq!(out[(3, 1)], 24.0);
    assert_eq!(held.column(1)[3], 15.0);
    assert_eq!(gram.columns(&[4]).unwrap().column(0)[3], 12.0);
    assert!(matches!(gram.columns(&[100]), Err(Error::Core(_))));
}

#[test]
fn a_frugal_cache_doubles_once_as_many_as_it_keeps_were_computed_again() {
    let x = line(13);
    let gram =
        BlockedGram::new(&Linear, &x, &columns(13, 13)).unwrap().initial_budget(&columns(2, 13));
    let computed = |indices: &[usize]| {
        let before = gram.statistics().misses;
        let given = gram.columns(indices).unwrap();
        for (column, &j) in given.iter().zip(indices) {
            assert!(column.iter().enumerate().all(|(i, k)| *k == (i * j) as f64), "{j}");
        }
        gram.statistics().misses - before
    };
    assert_eq!((computed(&[0, 1]), computed(&[3, 4])), (2, 2));
    assert_eq!(gram.statistics().columns, 2);
    assert_eq!(computed(&[1]), 1, "one of two was computed again");
    assert_eq!((computed(&[0]), gram.statistics().columns), (1, 3), "both were");
    assert_eq!(computed(&[0, 1]), 0);
    assert_eq!((gram.capacity(), gram.statistics().evictions), (13, 3));
    let all: Vec<usize> = (0..13).collect();
    assert_eq!(computed(&all), 10, "a request gets what it needs");
    assert_eq!((computed(&all), gram.statistics().columns), (0, 13));
}

#[test]
fn all_places_in_use_do_not_stop_the_operator() {
    let x = line(30);
    let gram = BlockedGram::new(&Linear, &x, &columns(1, 30)).unwrap();
    let held = gram.columns(&[3]).unwrap();
    let mut out = Mat::zeros(30, 2);
    gram.columns_into(&[1, 2], out.as_mut()).unwrap();
    assert_eq!((out[(5, 0)], out[(5, 1)]), (5.0, 10.0));
    let statistics = gram.statistics();
    assert_eq!((statistics.hits, statistics.misses, statistics.columns), (0, 3, 1));
    assert_eq!(held.len(), 1);
}

#[test]
fn a_kernel_that_panics_or_has_no_value_leaves_the_cache_whole() {
    let hole = FnKernel::new(|x: &usize, y: &usize| {
        assert!(*x.max(y) != 13, "unlucky");
        if *x.max(y) == 7 && x != y { f64::NAN } else { (x * y) as f64 }
    });
    let points: Vec<usize> = (0..40).filter(|&i| i != 13).collect();
    let gram = BlockedGram::new(&hole, &points, &columns(2, 39)).unwrap();
    let error = gram.columns(&[20, 7]).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 0, col: 7, .. }), "{error}");
    assert_eq!(gram.statistics().bytes, 0);

    let points: Vec<usize> = (0..40).filter(|&i| i != 7).collect();
    let gram = BlockedGram::new(&hole, &points, &columns(2, 39)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| gram.columns(&[1]))).is_err());
    assert_eq!(gram.statistics().bytes, 0, "the place is free again");
}

#[test]
fn many_threads_share_a_cache() {
    let x = samples::<f64>(200, 6, 1);
    let kernel = Rbf::new(0.4).unwrap();
    let alone = BlockedGram::new(&kernel, &x, &columns(200, 200)).unwrap();
    let gram = BlockedGram::new(&kernel, &x, &columns(40, 200)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    pool.install(|| {
        (0..400_usize).into_par_iter().for_each(|k| {
            let indices = [k * 7 % 200, k * 31 % 200, k % 11];
            let given = gram.columns(&indices).unwrap();
            let expected = alone.columns(&indices).unwrap();
            assert!(given.iter().eq(expected.iter()));
            let now = gram.statistics();
            assert!(now.bytes <= now.capacity_bytes);
        });
    });
    let end = gram.statistics();
    assert_eq!(end.hits + end.misses, 1200);
    assert_eq!(end.bytes, end.columns as u64 * 1600);
}

#[test]
fn no_points_need_no_memory() {
    let none = line(0);
    let gram = BlockedGram::new(&Linear, &none, &MemoryBudget::bytes(0)).unwrap();
    assert_eq!((gram.size(), gram.capacity()), (0, 0));
    assert!(gram.columns(&[]).unwrap().is_empty());
    assert_eq!(gram.apply(Mat::zeros(0, 2).as_ref()).unwrap().shape(), (0, 2));
}

#[test]
fn columns_of_f32_take_half_the_bytes() {
    let x = samples::<f32>(10, 2, 1);
    let gram = BlockedGram::new(&Linear, &x, &MemoryBudget::bytes(80)).unwrap();
    assert_eq!(gram.capacity(), 2);
}
