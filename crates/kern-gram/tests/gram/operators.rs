//! Every representation of a Gram matrix is the same matrix: dense, packed, precomputed, blocked,
//! lazy and low-rank, on dense, sparse and other points, in f32 and f64, around the tile edge.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::common::{BUDGET, assert_is, distance, matrix, samples, widen, words};
use kern_core::closure::Normalized;
use kern_core::embedding::Embedded;
use kern_core::faer::Mat;
use kern_core::kernels::{Laplacian, Linear, Polynomial, Rbf, Spectrum};
use kern_core::{Bag, Kernel, Points, Samples, Scalar, SparseSamples, impl_embedded_kernel};
use kern_gram::{
    BlockedGram, CrossGram, CrossOperator, DenseGram, GramExt, GramOperator, LazyGram, LowRankGram,
    MemoryBudget, PackedGram, PrecomputedCross, PrecomputedGram, TILE_EDGE, sequentially,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn definition<P: Points, K: Kernel<P>>(kernel: &K, a: &P, b: &P) -> Mat<f64> {
    Mat::from_fn(a.len(), b.len(), |i, j| kernel.eval(a.item(i), b.item(j)).to_f64())
}

/// All representations of K(x, x) are the definition of the kernel, entries within `tolerance`, and
/// have the same entries to the last bit.
fn assert_representations<P: Points, K: Kernel<P>>(kernel: &K, x: &P, tolerance: f64) {
    let dense = DenseGram::new(kernel, x, &BUDGET).unwrap();
    for operator in assert_close_representations(kernel, x, tolerance) {
        assert!(operator.to_dense(&BUDGET).unwrap() == dense.as_mat(), "n = {}", x.len());
    }
}

/// All representations of K(x, x), which are its definition but for `tolerance` per entry.
fn assert_close_representations<'a, P: Points, K: Kernel<P>>(
    kernel: &'a K,
    x: &'a P,
    tolerance: f64,
) -> Vec<Box<dyn GramOperator<P::Scalar> + 'a>> {
    let n = x.len();
    let expected = definition(kernel, x, x);
    let dense = DenseGram::new(kernel, x, &BUDGET).unwrap();
    let five_columns = MemoryBudget::bytes((5 * n * size_of::<P::Scalar>()) as u64);
    assert_is(&PrecomputedGram::new(dense.as_mat()).unwrap(), &expected, tolerance);
    let operators: Vec<Box<dyn GramOperator<P::Scalar> + 'a>> = vec![
        Box::new(PrecomputedGram::new(dense.as_mat().to_owned()).unwrap()),
        Box::new(dense),
        Box::new(PackedGram::new(kernel, x, &BUDGET).unwrap()),
        Box::new(BlockedGram::new(kernel, x, &BUDGET).unwrap()),
        Box::new(BlockedGram::new(kernel, x, &five_columns).unwrap()),
        Box::new(LazyGram::new(kernel, x).unwrap()),
    ];
    for operator in &operators {
        assert_is(operator, &expected, tolerance);
    }
    operators
}

/// 256 roundings are what a tile may err by in the argument of a profile
/// (`kern_core::tolerance::TILE_ERROR`); twice that for good measure.
fn tolerance<T: Scalar>() -> f64 {
    2.0 * kern_core::tolerance::TILE_ERROR * T::UNIT_ROUNDOFF
}

#[test]
fn representations_agree_around_the_tile_edge() {
    let rbf = Rbf::new(0.7).unwrap();
    for n in [0, 1, 2, 33, TILE_EDGE - 1, TILE_EDGE, TILE_EDGE + 1, 2 * TILE_EDGE + 34] {
        assert_representations(&rbf, &samples::<f64>(n, 5, n as u64), tolerance::<f64>());
        assert_representations(&rbf, &samples::<f32>(n, 5, n as u64), tolerance::<f32>());
    }
}

#[test]
fn representations_agree_for_kernels_of_every_shape() {
    let x = samples::<f64>(TILE_EDGE + 50, 4, 1);
    let u = tolerance::<f64>();
    assert_representations(&Linear, &x, 4.0 * u);
    assert_representations(&Polynomial::new(1.0, 1.0, 3).unwrap(), &x, 125.0 * u);
    assert_representations(&Laplacian::new(0.5).unwrap(), &x, u);
    assert_representations(&(Rbf::new(1.0).unwrap() * Linear + 0.5 * Linear), &x, 8.0 * u);
    // Bound: it computes the norms once.
    assert_representations(&Normalized::new(Polynomial::new(1.0, 1.0, 2).unwrap()), &x, u);
    let high = samples::<f32>(150, 200, 2);
    assert_representations(&Rbf::new(0.01).unwrap(), &high, tolerance::<f32>());
}

#[test]
fn representations_agree_on_sparse_samples_and_strings() {
    let dense = samples::<f64>(140, 30, 3);
    let kept = dense.to_matrix();
    let rows: Vec<Vec<(u32, f64)>> = (0..140)
        .map(|i| (0..30).filter(|k| (i + k) % 5 == 0).map(|k| (k as u32, kept[(i, k)])).collect())
        .collect();
    let sparse = SparseSamples::from_rows(30, &rows).unwrap();
    assert_close_representations(&Rbf::new(0.3).unwrap(), &sparse, tolerance::<f64>());
    assert_close_representations(&Linear, &sparse, 30.0 * tolerance::<f64>());
    // Counts are exact.
    assert_representations(&Spectrum::new(2).unwrap(), &words(TILE_EDGE + 50), 0.0);
}

#[test]
fn two_far_clusters_keep_their_digits_in_every_representation() {
    let x = samples::<f64>(150, 3, 3);
    let moved = x.as_slice().chunks(3).enumerate().flat_map(|(i, row)| {
        let offset = if i % 2 == 0 { 0.0 } else { 1e6 };
        row.iter().map(move |v| offset + 1e-3 * v)
    });
    let x = Samples::from_row_major(3, moved.collect()).unwrap();
    assert_representations(&Rbf::new(1e5).unwrap(), &x, 2.0 * tolerance::<f64>());
}

#[test]
fn tiles_of_a_large_matrix_have_the_entries_of_small_ones() {
    // Distances by products, except between near points, with tiles that have many of these and few.
    let (n, d) = (4100, 130);
    let x = samples::<f32>(n, d, 4);
    let moved = x.as_slice().chunks(d).enumerate().flat_map(|(i, row)| {
        let (centre, spread) = if i % 3 == 0 || i > 3500 { (8.0, 1e-3) } else { (0.0, 1.0) };
        row.iter().map(move |v| centre + spread * v)
    });
    let x = Samples::from_row_major(d, moved.collect()).unwrap();
    let budget = MemoryBudget::mebibytes(128);
    let rbf = Rbf::new(0.01).unwrap();
    // More threads get smaller tiles.
    let dense = sequentially(|| DenseGram::new(&rbf, &x, &budget).unwrap());
    let packed = PackedGram::new(&rbf, &x, &budget).unwrap();
    assert!(packed.to_dense(&budget).unwrap() == dense.as_mat());
}

#[test]
fn low_rank_is_the_product_of_its_features() {
    for (n, k) in [(0, 3), (1, 1), (5, 0), (300, 7), (2500, 3)] {
        let z = matrix::<f64>(n, k, 5);
        let expected = &z * z.transpose();
        let gram = LowRankGram::new(z.as_ref()).unwrap();
        assert_is(&gram, &expected, (k + 1) as f64 * 8.0 * f64::UNIT_ROUNDOFF);
        assert_is(&LowRankGram::new(z).unwrap(), &expected, 1e-14);
    }
    let z = matrix::<f32>(60, 4, 6);
    let expected = widen(z.as_ref()) * widen(z.transpose());
    assert_is(&LowRankGram::new(z).unwrap(), &expected, 32.0 * f32::UNIT_ROUNDOFF);
}

#[test]
fn pointers_to_operators_are_operators() {
    let gram = DenseGram::new(&Linear, &samples::<f64>(9, 2, 1), &BUDGET).unwrap();
    let expected = gram.as_mat().to_owned();
    assert_is::<f64>(&&gram, &expected, 0.0);
    let shared: Arc<dyn GramOperator<f64>> = Arc::new(gram);
    assert_is::<f64>(&shared, &expected, 0.0);
    assert!(shared.stored_column(3).is_some());
    assert_eq!(shared.product_cost(), (*shared).product_cost());
}

#[test]
fn cross_operators_agree() {
    let (a, b) = (samples::<f64>(40, 3, 1), samples::<f64>(150, 3, 2));
    let both =
        kern_core::Samples::from_row_major(3, [a.as_slice(), b.as_slice()].concat()).unwrap();
    let kernel = Rbf::new(0.8).unwrap();
    let cross = CrossGram::new(&kernel, &a, &b).unwrap();
    let expected = definition(&kernel, &a, &b);
    let values = cross.to_dense(&BUDGET).unwrap();
    let (queries, training): (Vec<_>, Vec<_>) = ((0..40).collect(), (40..190).collect());
    let lazy = LazyGram::new(&kernel, &both).unwrap();
    let part = lazy.submatrix(&queries, &training).unwrap();
    let v = matrix::<f64>(150, 2, 3);
    let product = &expected * &v;
    let operators: [&dyn CrossOperator<f64>; 4] = [
        &cross,
        &PrecomputedCross::new(values.as_ref()).unwrap(),
        &PrecomputedCross::new(values.clone()).unwrap(),
        &part,
    ];
    for operator in operators {
        assert_eq!(operator.shape(), (40, 150));
        let given = operator.to_dense(&BUDGET).unwrap();
        assert!(distance(&given, &expected) <= tolerance::<f64>());
        let given = operator.apply(v.as_ref()).unwrap();
        assert!(distance(&given, &product) <= 150.0 * tolerance::<f64>());
    }
}

/// Counts how often a point is embedded.
struct Counting(AtomicUsize);

impl<S: AsRef<str> + ?Sized> Embedded<S> for Counting {
    fn bag(&self, x: &S) -> Bag {
        self.0.fetch_add(1, Ordering::Relaxed);
        x.as_ref().chars().map(|c| (u64::from(c), 1.0)).collect()
    }
}

impl_embedded_kernel!(Counting, AsRef<str>);

#[test]
fn points_are_embedded_once_and_not_per_call() {
    let (kernel, x) = (Counting(AtomicUsize::new(0)), words(200));
    let count = |kernel: &Counting| kernel.0.swap(0, Ordering::Relaxed);
    let lazy = LazyGram::new(&kernel, &x).unwrap();
    let blocked = BlockedGram::new(&kernel, &x, &BUDGET).unwrap();
    assert_eq!(count(&kernel), 400, "once per point and operator");
    let v = matrix::<f64>(200, 1, 1);
    for operator in [&lazy as &dyn GramOperator<f64>, &blocked] {
        operator.diag();
        let mut columns = Mat::zeros(200, 3);
        for _ in 0..2 {
            operator.columns_into(&[7, 199, 8], columns.as_mut()).unwrap();
            operator.apply(v.as_ref()).unwrap();
        }
        assert_eq!(count(&kernel), 0);
    }
}
