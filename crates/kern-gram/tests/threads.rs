//! The same bits for any number of threads: tiles and products with them.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::Samples;
use kern_core::faer::Mat;
use kern_core::kernels::{Linear, Rbf};
use kern_gram::parallel::{map_init, on_pool, sequentially, threads};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget};
use rayon::ThreadPoolBuilder;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::current;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);

fn samples(n: usize) -> Samples<f64> {
    let values = (0..n * 7).map(|k| ((k * 7919) % 1009) as f64 / 1009.0).collect();
    Samples::from_row_major(7, values).unwrap()
}

/// The results of `work` without a pool, and in and beside pools of 1, 2 and 8 threads, are equal.
fn assert_same_bits<R: PartialEq + Send>(work: impl Fn() -> R + Send + Sync) {
    let alone = sequentially(&work);
    for threads in [1, 2, 8] {
        let pool = Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
        assert!(alone == pool.install(&work), "{threads} threads");
        assert!(alone == on_pool(&pool, &work), "beside {threads} threads");
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
fn a_pool_is_that_of_its_call_even_in_a_panic_and_the_innermost_holds() {
    let pool = |threads| Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let (two, three) = (pool(2), pool(3));
    let inside = || (threads(), sequentially(|| (threads(), on_pool(&two, threads))), threads());
    let outside = threads();
    assert_eq!(on_pool(&three, inside), (3, (1, 2), 3));
    let panicking = AssertUnwindSafe(|| on_pool(&three, || panic!("on purpose")));
    assert!(catch_unwind(panicking).is_err());
    assert_eq!(threads(), outside);
    // From a thread of another pool, and from one of its own.
    assert_eq!(two.install(|| (on_pool(&three, threads), on_pool(&two, threads))), (3, 2));
    let squares = || map_init((0..50).collect(), || (), |(), task: usize| task * task);
    for from in [&two, &three] {
        assert!(from.install(|| on_pool(&three, squares)).into_iter().eq((0..50).map(|k| k * k)));
    }
}

/// As many tasks as the pool has threads, all of which wait for each other; the caller has one of them.
#[test]
fn the_caller_works_in_the_place_of_a_thread_of_its_pool() {
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(3).build().unwrap());
    let all = Barrier::new(3);
    let meet = || {
        map_init(
            vec![(); 3],
            || (),
            |(), ()| {
                all.wait();
                current().id()
            },
        )
    };
    let took_part = |_: &usize| {
        let found = on_pool(&pool, meet);
        assert!(found[0] != found[1] && found[1] != found[2] && found[2] != found[0]);
        found.contains(&current().id())
    };
    // All others may be faster once, but not as a rule.
    assert!((0..100).filter(took_part).count() > 50);
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
