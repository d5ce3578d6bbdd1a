//! Sparse samples and embedded kernels: construction, errors, agreement with dense arithmetic.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "these values are exact")]

use kern_core::faer::Mat;
use kern_core::kernels::Linear;
use kern_core::{
    Bag, Embedded, Error, Kernel, Points, Samples, Scratch, SparseSamples, Tile, contract,
    impl_embedded_kernel,
};
use proptest::prelude::*;

fn sparse_rows() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let value = prop_oneof![3 => Just(0.0), 1 => -2.0..2.0_f64];
    proptest::collection::vec(proptest::collection::vec(value, 7), 1..25)
}

proptest! {
    #[test]
    fn sparse_inner_products_equal_dense_ones(rows in sparse_rows()) {
        let dense = Samples::from_rows(&rows).unwrap();
        let sparse = SparseSamples::from_dense(&dense).unwrap();
        prop_assert_eq!(sparse.to_dense().unwrap(), dense.clone());
        contract::verify_mercer(&Linear, &sparse).unwrap();
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                let expected: f64 = Kernel::<Samples<f64>>::eval(&Linear, dense.item(i), dense.item(j));
                let given: f64 =
                    Kernel::<SparseSamples<f64>>::eval(&Linear, sparse.item(i), sparse.item(j));
                prop_assert!((given - expected).abs() <= 1e-14 * 28.0);
            }
        }
    }

    #[test]
    fn selection_and_serialisation_keep_the_rows(rows in sparse_rows()) {
        let sparse = SparseSamples::from_dense(&Samples::from_rows(&rows).unwrap()).unwrap();
        let text = serde_json::to_string(&sparse).unwrap();
        prop_assert_eq!(&serde_json::from_str::<SparseSamples<f64>>(&text).unwrap(), &sparse);
        let last = rows.len() - 1;
        let picked = sparse.select(&[last, 0, last]).unwrap();
        prop_assert_eq!(picked.item(0), sparse.item(last));
        prop_assert_eq!(picked.item(1), sparse.item(0));
        prop_assert_eq!(picked.item(2), sparse.item(last));
    }
}

#[test]
fn rows_in_any_order_are_sorted_and_zeros_dropped() {
    let x = SparseSamples::from_rows(9, &[vec![(7, 1.0), (2, 0.0), (0, 3.0)]]).unwrap();
    let features: Vec<u32> = x.item(0).iter().map(|e| e.feature).collect();
    assert_eq!(features, [0, 7]);
}

#[test]
fn malformed_rows_are_typed_errors() {
    let rows = |dim, row: &[(u32, f64)]| SparseSamples::from_rows(dim, &[row]).unwrap_err();
    assert_eq!(rows(3, &[(3, 1.0)]), Error::Index { given: 3, len: 3 });
    assert!(matches!(rows(3, &[(1, 1.0), (1, 2.0)]), Error::Dimension { given: 2, .. }));
    assert!(matches!(rows(3, &[(1, f64::NAN)]), Error::NotFinite { sample: 0, feature: 1, .. }));
    assert!(matches!(rows(0, &[]), Error::Dimension { given: 0, .. }));
    let csr = |starts: &[usize]| SparseSamples::from_csr(3, starts, &[0, 1], &[1.0, 2.0]);
    assert!(csr(&[0, 2]).is_ok());
    for starts in [&[0, 1][..], &[], &[1, 2], &[0, 3], &[0, 2, 1, 2]] {
        assert!(matches!(csr(starts), Err(Error::Dimension { .. })), "{starts:?}");
    }
    let text = r#"{"dim":2,"starts":[0,1],"features":[5],"values":[1.0]}"#;
    assert!(serde_json::from_str::<SparseSamples<f64>>(text).is_err());
}

/// Letters that two words share, over the geometric mean of their lengths.
struct Letters;
impl<S: AsRef<str> + ?Sized> Embedded<S> for Letters {
    fn bag(&self, x: &S) -> Bag {
        x.as_ref().chars().map(|c| (u64::from(c), 1.0)).collect()
    }
    fn pair(&self, x: f64, y: f64) -> f64 {
        x.min(y)
    }
    fn finish(&self, shared: f64, x: f64, y: f64) -> f64 {
        if shared > 0.0 { shared / (x * y).sqrt() } else { 0.0 }
    }
}
impl_embedded_kernel!(Letters, AsRef<str>);

#[test]
fn embedded_kernel_keeps_the_contract_alone_and_composed() {
    let words = vec!["gram", "grammar", "", "kernel", "ramg", "q", "gram"];
    assert_eq!(Kernel::<Vec<&str>>::eval(&Letters, &"gram", &"grammar"), 4.0 / 28.0_f64.sqrt());
    contract::verify_mercer(&Letters, &words).unwrap();
    let owned: Vec<String> = words.iter().map(ToString::to_string).collect();
    contract::verify_mercer(&Letters, &owned).unwrap();
    let composed = kern_core::closure::Scaled::new(0.5, Letters).unwrap();
    let composed = kern_core::closure::Product::new(composed, Letters);
    contract::verify_mercer(&kern_core::closure::Sum::new(composed, Letters), &words).unwrap();
}

/// Counts the features that two points share.
struct Common;
impl<X: AsRef<[(u64, f64)]> + ?Sized> Embedded<X> for Common {
    fn bag(&self, x: &X) -> Bag {
        x.as_ref().iter().copied().collect()
    }
    fn pair(&self, _: f64, _: f64) -> f64 {
        1.0
    }
}
impl_embedded_kernel!(Common, AsRef<[(u64, f64)]>);

#[test]
fn a_feature_of_weight_zero_is_a_feature() {
    let some = [vec![(1, 0.0), (2, 1.0)], vec![(1, 0.0)], vec![(1, 3.0), (2, -1.0)], vec![]];
    let points: Vec<_> = some.into_iter().cycle().take(160).collect();
    assert_eq!(Kernel::<Vec<Vec<_>>>::eval(&Common, &points[0], &points[1]), 1.0);
    contract::verify(&Common, &points).unwrap();
}

proptest! {
    #[test]
    fn tiles_may_begin_and_end_anywhere(
        seed in 0_u64..100, top in 0_usize..700, height in 0_usize..700, left in 0_usize..700,
    ) {
        // Feature k is in every (k + 1)th sample, or so: from dense columns to single entries.
        let row = |i: u64| -> Vec<(u32, f64)> {
            let sum = |k: u32| i * 7919 + seed + u64::from(k * k);
            let present = |k: &u32| sum(*k).is_multiple_of(u64::from(k + 1));
            (0..60).filter(present).map(|k| (k, f64::from(k % 5 + 1) - i as f64)).collect()
        };
        let rows: Vec<_> = (0..700).map(row).collect();
        let x = SparseSamples::from_rows(60, &rows).unwrap();
        let tile = Tile::new(&x, top..(top + height).min(700), &x, left..(left + 3).min(700));
        let mut out = Mat::zeros(tile.nrows(), tile.ncols());
        Linear.block(&tile, out.as_mut(), &mut Scratch::new());
        for (j, q) in tile.cols().enumerate() {
            for (i, p) in tile.rows().enumerate() {
                // Whole numbers, so every order of summation gives the same.
                let expected: f64 =
                    Kernel::<SparseSamples<f64>>::eval(&Linear, x.item(p), x.item(q));
                prop_assert_eq!(out[(i, j)], expected);
            }
        }
    }
}
