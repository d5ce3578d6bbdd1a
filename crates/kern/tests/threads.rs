//! Threads through all layers: none is started inside `sequentially`, and the bits of every result
//! are those of a pool of any size.
//!
//! This file holds a single test, so that no other one of its process starts threads.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern::approx::{Nystrom, RandomFourier, transform};
use kern::faer::{Mat, MatRef};
use kern::gram::{
    BlockedGram, CrossGram, DenseGram, GramExt, GramOperator, LazyGram, MemoryBudget, PackedGram,
    sequentially,
};
use kern::kernels::{Linear, Mahalanobis, Rbf};
use kern::solvers::{KNearest, Ridge, Sgd, Storage};
use kern::{Points, Samples};
use rayon::ThreadPoolBuilder;
use std::fs;

/// Enough for several tiles.
const N: usize = 600;
const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);

/// One way through the library and what it is called.
type Work = (&'static str, fn(&Samples<f64>, &[f64]) -> Vec<u64>);

const ALL: [Work; 10] = [
    ("dense Gram matrix", |x, _| {
        let gram = DenseGram::new(&Rbf::new(0.5).unwrap(), x, &BUDGET).unwrap();
        [bits(gram.as_mat()), bits(gram.apply(vectors().as_ref()).unwrap().as_ref())].concat()
    }),
    ("other Gram matrices", |x, _| {
        let kernel = Rbf::new(0.5).unwrap();
        let packed = PackedGram::new(&kernel, x, &BUDGET).unwrap();
        (&packed).plus_ridge(1.0).unwrap().check_psd(&BUDGET).unwrap();
        let blocked =
            BlockedGram::new(&kernel, x, &MemoryBudget::bytes(8 * 20 * N as u64)).unwrap();
        let v = vectors();
        let products = [packed.apply(v.as_ref()).unwrap(), blocked.apply(v.as_ref()).unwrap()];
        products.map(|product| bits(product.as_ref())).concat()
    }),
    ("lazy product", |x, _| {
        let kernel = Rbf::new(0.5).unwrap() + 0.1 * Linear;
        bits(LazyGram::new(&kernel, x).unwrap().apply(vectors().as_ref()).unwrap().as_ref())
    }),
    ("cross product", |x, _| {
        let few = x.select(&(0..N / 2).collect::<Vec<_>>()).unwrap();
        let kernel = Rbf::new(0.5).unwrap();
        let cross = CrossGram::new(&kernel, &few, x).unwrap();
        bits(cross.apply(vectors().as_ref()).unwrap().as_ref())
    }),
    ("metric", |x, _| {
        let metric = |i: usize, j: usize| if i == j { 9.0 } else { 1.0 / (i + j) as f64 };
        let kernel = Mahalanobis::new(Mat::from_fn(150, 150, metric).as_ref()).unwrap();
        let wide = Samples::from_row_major(150, x.as_slice()[..600].to_vec()).unwrap();
        bits(DenseGram::new(&kernel, &wide, &BUDGET).unwrap().as_mat())
    }),
    ("Nystrom", |x, _| {
        let map = Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(200).fit(x, &BUDGET).unwrap();
        let mut all = bits(columns(&transform(&map, x, &BUDGET).unwrap()));
        all.push(map.trace_error(x).unwrap().to_bits());
        all
    }),
    ("Fourier", |x, _| {
        let map = RandomFourier::new(Rbf::new(0.5).unwrap()).sample(x.dim()).unwrap();
        bits(columns(&transform(&map, x, &BUDGET).unwrap()))
    }),
    ("ridge", |x, y| {
        let model = Ridge::on_kernel(Rbf::new(0.5).unwrap()).lambda(1e-3).fit(x, y).unwrap();
        model.predict(x).unwrap().iter().map(|v| v.to_bits()).collect()
    }),
    ("SGD", |x, y| {
        let kernel = Rbf::new(0.5).unwrap();
        let map = RandomFourier::new(kernel).dim(50).sample(x.dim()).unwrap();
        let ways = [Storage::Cached, Storage::OnTheFly].map(|storage| {
            let on_kernel = Sgd::on_kernel(kernel).epochs(1).storage(storage).fit(x, y).unwrap();
            let on_features =
                Sgd::on_features(map.clone()).epochs(1).storage(storage).fit(x, y).unwrap();
            [on_kernel.predict(x).unwrap(), on_features.predict(x).unwrap()].concat()
        });
        ways.concat().iter().map(|v| v.to_bits()).collect()
    }),
    ("k nearest", |x, y| {
        let model = KNearest::by_distance(Rbf::new(0.5).unwrap()).neighbors(3).fit(x, y).unwrap();
        model.predict(x).unwrap().iter().map(|v| v.to_bits()).collect()
    }),
];

fn vectors() -> Mat<f64> {
    Mat::from_fn(N, 2, |i, j| (i + 3 * j) as f64 / N as f64)
}

fn columns(x: &Samples<f64>) -> MatRef<'_, f64> {
    x.columns(0..x.len())
}

fn bits(matrix: MatRef<'_, f64>) -> Vec<u64> {
    matrix.col_iter().flat_map(|column| column.iter().map(|v| v.to_bits())).collect()
}

/// The number of threads of this process, where the system tells.
fn threads() -> Option<usize> {
    Some(fs::read_dir("/proc/self/task").ok()?.count())
}

#[test]
fn no_thread_is_started_and_the_bits_are_those_of_every_pool() {
    let values = (0..N * 4).map(|k| ((k * 7919) % 1009) as f64 / 1009.0).collect();
    let x = Samples::from_row_major(4, values).unwrap();
    let y: Vec<f64> = (0..N).map(|i| (x.item(i)[0] * 6.0).sin()).collect();

    let before = threads();
    let alone = ALL.map(|(name, work)| {
        let result = sequentially(|| work(&x, &y));
        assert_eq!(threads(), before, "{name} started a thread");
        result
    });
    for count in [1, 2, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        for ((name, work), expected) in ALL.iter().zip(&alone) {
            assert!(pool.install(|| work(&x, &y)) == *expected, "{name} on {count} threads");
        }
        assert!(before.is_none() || threads() > before, "the count does not show threads");
    }
}
