//! Budgets, and what happens without memory: an error with the numbers, never a panic or an abort.
//! How much memory the work really takes is measured in the tests of the facade.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::kernels::{FnKernel, Linear};
use kern_core::{Error as CoreError, Points, Samples};
use kern_gram::{
    BlockedGram, CrossGram, DenseGram, Error, MemoryBudget, PackedGram, Representation,
    matrix_bytes,
};
use proptest::prelude::*;

/// Points that take no memory, so that there can be any number of them.
fn points(n: usize) -> Vec<()> {
    vec![(); n]
}

fn one() -> FnKernel<fn(&(), &()) -> f64> {
    FnKernel::new(|(), ()| 1.0)
}

const NO_LIMIT: MemoryBudget = MemoryBudget::bytes(u64::MAX);

#[test]
fn what_no_machine_has_is_an_error_even_without_a_limit() {
    // 2⁵⁵ bytes are beyond every address space, those of 2⁶⁶ are not even a number.
    for n in [1 << 26, 1 << 31] {
        let refused = |error: Error| match error {
            Error::Core(CoreError::Allocation { bytes }) => {
                assert_eq!(bytes, matrix_bytes::<f64>(n, n));
            }
            other => panic!("{other}"),
        };
        let (x, kernel) = (points(n), one());
        refused(DenseGram::new(&kernel, &x, &NO_LIMIT).unwrap_err());
        refused(CrossGram::new(&kernel, &x, &x).unwrap().to_dense(&NO_LIMIT).unwrap_err());
    }
}

#[test]
fn the_advice_is_the_fastest_way_that_fits_and_it_does_fit() {
    let n = 600;
    let budgets = [
        (8 * 600 * 600 - 1, "a packed Gram matrix would fit"),
        (8 * 600 * 428 - 1, "a blocked Gram matrix would fit"),
        (8 * 600 - 1, "a lazy Gram matrix would fit"),
    ];
    for (bytes, expected) in budgets {
        let error = DenseGram::new(&one(), &points(n), &MemoryBudget::bytes(bytes)).unwrap_err();
        let Error::Budget { needed, allowed, instead, .. } = error else { panic!("{error}") };
        assert_eq!((needed, allowed, instead), (8 * 600 * 600, bytes, expected));
    }
    let exact = |way: Representation| MemoryBudget::bytes(way.bytes::<f64>(n));
    assert!(DenseGram::new(&one(), &points(n), &exact(Representation::Dense)).is_ok());
    assert!(PackedGram::new(&one(), &points(n), &exact(Representation::Packed)).is_ok());
    let (x, kernel) = (points(n), one());
    assert!(BlockedGram::new(&kernel, &x, &exact(Representation::Blocked)).is_ok());
}

#[test]
fn single_precision_takes_half() {
    let x = Samples::from_row_major(1, vec![0.5_f32; 100]).unwrap();
    let budget = MemoryBudget::bytes(4 * 100 * 100);
    assert!(DenseGram::new(&Linear, &x, &budget).is_ok());
    let wide = Samples::from_row_major(1, vec![0.5_f64; 100]).unwrap();
    assert!(DenseGram::new(&Linear, &wide, &budget).is_err());
    assert_eq!(x.len(), wide.len());
}

proptest! {
    #[test]
    fn sizes_saturate_where_they_overflow(rows: usize, cols: usize) {
        let exact = (rows as u128 * cols as u128).saturating_mul(8);
        prop_assert_eq!(u128::from(matrix_bytes::<f64>(rows, cols)), exact.min(u128::from(u64::MAX)));
    }

    #[test]
    fn more_budget_never_means_a_slower_way(n in 0_usize..1 << 40, less: u64, more: u64) {
        let (less, more) = (less.min(more), less.max(more));
        let bytes = |budget| {
            let budget = MemoryBudget::bytes(budget);
            let way = Representation::fitting::<f32>(n, &budget);
            prop_assert!(budget.fits(way.bytes::<f32>(n)));
            Ok(way)
        };
        prop_assert!(bytes(less)? as usize >= bytes(more)? as usize);
    }
}
