//! Gram matrices of sparse samples and of structured points: what the dense kernels and the
//! definition say, in several stripes, on data that is awkward for an index by features.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "counts are exact")]

use kern_core::kernels::{Graph, Laplacian, Linear, Polynomial, Rbf, Spectrum, WeisfeilerLehman};
use kern_core::{Kernel, Points, Samples, Scalar, SparseSamples};
use kern_gram::{CrossGram, DenseGram, MemoryBudget, sequentially};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);

type Rows<T> = Vec<Vec<(u32, T)>>;

/// More than two stripes of samples, of which the last is not full.
const N: usize = 600;

/// Rows in which feature k occurs with probability `density(k)`.
fn random<T: Scalar>(dim: u32, density: impl Fn(u32) -> f64) -> Rows<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut row = || {
        let present: Vec<u32> = (0..dim).filter(|&k| rng.random::<f64>() < density(k)).collect();
        let value = |k| (k, T::from_f64(rng.random_range(-1.0..1.0)));
        present.into_iter().map(value).collect()
    };
    (0..N).map(|_| row()).collect()
}

/// Named collections over 40 features.
fn collections<T: Scalar>() -> [(&'static str, Rows<T>); 6] {
    let equal = vec![(3, T::from_f64(0.3)), (5, T::from_f64(-2.0)), (39, T::ONE)];
    // From features that nearly all have to features that hardly any has.
    let mixed = random(40, |k| 0.9 / f64::from(1 + k));
    let mut gaps = mixed.clone();
    gaps.iter_mut().step_by(3).for_each(Vec::clear);
    [
        ("mixed", mixed),
        ("dense", random(40, |_| 0.95)),
        ("with empty rows", gaps),
        ("all empty", vec![vec![]; N]),
        ("all equal", vec![equal; N]),
        (
            "disjoint",
            (0..N as u32).map(|i| vec![(i % 40, T::from_f64(f64::from(1 + i)))]).collect(),
        ),
    ]
}

/// The Gram matrices of the sparse samples and of the same samples with zeros agree to `allowed`
/// round-offs of √(K(x, x)·K(y, y)), and so do those of a part of them with all.
#[track_caller]
fn assert_agree<T, K>(name: &str, kernel: &K, rows: &Rows<T>, allowed: f64)
where
    T: Scalar,
    K: Kernel<SparseSamples<T>> + Kernel<Samples<T>>,
{
    let sparse = SparseSamples::from_rows(40, rows).unwrap();
    let dense = sparse.to_dense().unwrap();
    let given = DenseGram::new(kernel, &sparse, &BUDGET).unwrap().as_mat().to_owned();
    let expected = DenseGram::new(kernel, &dense, &BUDGET).unwrap().as_mat().to_owned();
    let part: Vec<usize> = (100..N - 30).collect();
    let part = sparse.select(&part).unwrap();
    let cross = CrossGram::new(kernel, &part, &sparse).unwrap().to_dense(&BUDGET).unwrap();
    for j in 0..N {
        for i in 0..N {
            let scale = (expected[(i, i)].to_f64() * expected[(j, j)].to_f64()).sqrt();
            let expected = expected[(i, j)].to_f64();
            let close =
                |given: T| (given.to_f64() - expected).abs() <= allowed * T::UNIT_ROUNDOFF * scale;
            assert!(close(given[(i, j)]), "{name} ({i}, {j}): {} and {expected}", given[(i, j)]);
            if (100..N - 30).contains(&i) {
                assert!(close(cross[(i - 100, j)]), "{name}: the part differs at ({i}, {j})");
            }
        }
    }
}

fn assert_all_agree<T: Scalar>() {
    for (name, rows) in collections::<T>() {
        // Sums of at most 40 products, in another order.
        assert_agree(name, &Linear, &rows, 40.0);
        assert_agree(name, &Polynomial::new(0.5, 1.0, 2).unwrap(), &rows, 160.0);
        // The error of a squared distance, in units of its scale (tolerance::TILE_ERROR), twice.
        assert_agree(name, &Rbf::new(0.3).unwrap(), &rows, 600.0);
        assert_agree(name, &Laplacian::new(0.1).unwrap(), &rows, 600.0);
    }
}

#[test]
fn sparse_and_dense_samples_have_the_same_gram_matrix_in_double_precision() {
    assert_all_agree::<f64>();
}

#[test]
fn sparse_and_dense_samples_have_the_same_gram_matrix_in_single_precision() {
    assert_all_agree::<f32>();
}

#[test]
fn near_duplicates_far_from_the_origin_keep_their_distance() {
    // ‖x‖² + ‖y‖² − 2⟨x, y⟩ would err by 10⁴ here: the entries are recomputed from differences.
    let rows: Rows<f64> = (0..300).map(|i| vec![(0, 1e10), (7, f64::from(i % 3))]).collect();
    let x = SparseSamples::from_rows(8, &rows).unwrap();
    let gram = DenseGram::new(&Rbf::new(0.5).unwrap(), &x, &BUDGET).unwrap().as_mat().to_owned();
    for (i, j) in [(0, 1), (299, 0), (298, 2), (257, 3)] {
        let distance = (i % 3) as f64 - (j % 3) as f64;
        let expected = (-0.5 * distance * distance).exp();
        assert!((gram[(i, j)] - expected).abs() <= 1e-15, "({i}, {j}): {}", gram[(i, j)]);
    }
}

#[test]
fn features_with_great_indices_take_no_more_memory_than_small_ones() {
    let rows: Rows<f64> = (0..N as u32).map(|i| vec![(u32::MAX - i % 7, 2.0)]).collect();
    let x = SparseSamples::from_rows(1 << 32, &rows).unwrap();
    let gram = DenseGram::new(&Linear, &x, &BUDGET).unwrap();
    assert_eq!(gram.as_mat()[(599, 4)], 4.0); // 599 % 7 = 4
    assert_eq!(gram.as_mat()[(599, 5)], 0.0);
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    // A new collection each time, so that the index is made anew, by whichever thread is first.
    let fill = || {
        let x = SparseSamples::from_rows(40, &random::<f64>(40, |k| 0.9 / f64::from(1 + k)));
        DenseGram::new(&Rbf::new(0.3).unwrap(), &x.unwrap(), &BUDGET).unwrap().as_mat().to_owned()
    };
    let alone = sequentially(fill);
    for threads in [1, 2, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(alone == pool.install(fill), "{threads} threads");
    }
}

#[test]
fn strings_and_graphs_in_several_stripes_have_the_values_of_the_definition() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut letters = |n: usize| -> String {
        (0..n).map(|_| char::from(b"acgt"[rng.random_range(0..4)])).collect()
    };
    let strings: Vec<String> = (0..N).map(|i| letters(i % 50)).collect();
    let spectrum = Spectrum::new(3).unwrap();
    let gram = DenseGram::new(&spectrum, &strings, &BUDGET).unwrap();
    let chain = |s: &String| {
        let edges: Vec<_> = (1..s.len()).map(|i| (i - 1, i)).collect();
        Graph::new(s.bytes().map(u64::from).collect(), &edges).unwrap()
    };
    let graphs: Vec<Graph> = strings.iter().map(chain).collect();
    let labels = WeisfeilerLehman::new(2).unwrap();
    let of_graphs = DenseGram::new(&labels, &graphs, &BUDGET).unwrap();
    for (i, j) in (0..N).flat_map(|i| (i % 41..N).step_by(41).map(move |j| (i, j))) {
        let expected: f64 = Kernel::<Vec<String>>::eval(&spectrum, &strings[i], &strings[j]);
        assert_eq!(gram.as_mat()[(i, j)], expected, "strings {i}, {j}");
        let expected: f64 = Kernel::<Vec<Graph>>::eval(&labels, &graphs[i], &graphs[j]);
        assert_eq!(of_graphs.as_mat()[(i, j)], expected, "graphs {i}, {j}");
    }
}
