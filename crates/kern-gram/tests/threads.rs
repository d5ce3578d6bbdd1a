//! The same bits for any number of threads: tiles and products with them.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::Samples;
use kern_core::faer::Mat;
use kern_core::kernels::{Linear, Rbf};
use kern_gram::parallel::{map_init, sequentially, threads};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget};
use rayon::ThreadPoolBuilder;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::thread::current;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);

fn samples(n: usize) -> Samples<f64> {
    let values = (0..n * 7).map(|k| ((k * 7919) % 1009) as f64 / 1009.0).collect();
    Samples::from_row_major(7, values).unwrap()
}

/// The results of `work` without a pool and in pools of 1, 2 and 8 threads are equal.
fn assert_same_bits<R: PartialEq + Send>(work: impl Fn() -> R + Send + Sync) {
    let run = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work)
    };
    let alone = sequentially(&work);
    for threads in [1, 2, 8] {
        assert!(alone == run(threads), "{threads} threads");
    }
}

#[test]
fn the_sequential_mode_ends_with_its_call_even_in_a_panic() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| {
        let outside = threads();
        assert_eq!(sequentially(|| (sequentially(threads), threads())), (1, 1));
        assert!(catch_unwind(|| sequentially(|| panic!("on purpose"))).is_err());
        assert_eq!((outside, threads()), (2, 2));
    });
}

#[test]
fn tasks_run_on_the_calling_thread_in_their_order() {
    let order = Mutex::new(Vec::new());
    let caller = current().id();
    let results = sequentially(|| {
        map_init(
            (0..100).collect(),
            || (),
            |(), task: usize| {
                order.lock().unwrap().push(task);
                (current().id(), task)
            },
        )
    });
    assert!(results.iter().enumerate().all(|(i, &result)| result == (caller, i)));
    assert!(order.into_inner().unwrap().is_sorted());
}

#[test]
fn gram_matrices_have_the_same_bits() {
    let x = samples(700);
    let kernel = Rbf::new(0.5).unwrap() + 0.1 * Linear;
    assert_same_bits(|| DenseGram::new(&kernel, &x, &BUDGET).unwrap().as_mat().to_owned());
    let v = Mat::from_fn(700, 2, |i, j| (i + j) as f64 / 700.0);
    assert_same_bits(|| LazyGram::new(&kernel, &x).unwrap().apply(v.as_ref()).unwrap());
    assert_same_bits(|| DenseGram::new(&kernel, &x, &BUDGET).unwrap().apply(v.as_ref()).unwrap());
}
