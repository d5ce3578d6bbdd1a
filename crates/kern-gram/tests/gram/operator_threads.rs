//! Every operator has the same bits for any number of threads.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::common::{BUDGET, matrix, samples};
use kern_core::kernels::{Linear, Rbf};
use kern_gram::{
    BlockedGram, DenseGram, GramExt, GramOperator, LazyGram, LowRankGram, MemoryBudget, PackedGram,
    sequentially,
};
use rayon::ThreadPoolBuilder;

/// Entries and a product, in pools of 1, 2 and 8 threads and without one.
fn assert_same_bits<G: GramOperator<f64>>(make: impl Fn() -> G + Send + Sync) {
    let work = || {
        let gram = make();
        let v = matrix::<f64>(gram.size(), 2, 3);
        (gram.to_dense(&BUDGET).unwrap(), gram.apply(v.as_ref()).unwrap())
    };
    let alone = sequentially(work);
    for threads in [1, 2, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(work) == alone, "{threads} threads");
    }
}

#[test]
fn operators_have_the_same_bits() {
    let x = samples::<f64>(600, 5, 1);
    let kernel = Rbf::new(0.5).unwrap() + 0.1 * Linear;
    assert_same_bits(|| DenseGram::new(&kernel, &x, &BUDGET).unwrap());
    assert_same_bits(|| PackedGram::new(&kernel, &x, &BUDGET).unwrap());
    assert_same_bits(|| LazyGram::new(&kernel, &x).unwrap());
    let fifty = MemoryBudget::bytes(50 * 600 * 8);
    assert_same_bits(|| BlockedGram::new(&kernel, &x, &fifty).unwrap());
    let features = matrix::<f64>(3000, 9, 2);
    let some: Vec<usize> = (0..3000).step_by(11).collect();
    assert_same_bits(|| LowRankGram::new(features.as_ref()).unwrap().select(&some).unwrap());
}

#[test]
fn views_have_the_same_bits() {
    let x = samples::<f64>(500, 5, 1);
    let kernel = Rbf::new(0.5).unwrap();
    let lazy = || LazyGram::new(&kernel, &x).unwrap();
    let some: Vec<usize> = (0..500).filter(|i| i % 4 > 0).collect();
    assert_same_bits(|| lazy().select(&some).unwrap());
    assert_same_bits(|| lazy().centered().unwrap().plus_ridge(0.1).unwrap());
    assert_same_bits(|| lazy().normalized().unwrap().scaled(2.0).unwrap());
    assert_same_bits(|| lazy().schur_product(lazy()).unwrap());
    assert_same_bits(|| lazy().plus(lazy()).unwrap());
}
