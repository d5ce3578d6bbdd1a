//! Properties of every choice of landmarks: order, exactness, certificate, on any source.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]
#![allow(clippy::float_cmp, reason = "the diagonal is meant exactly")]

use crate::common::{budget, eigenvalues, features, for_threads, gram, uniform};
use kern_approx::{Error, Nystrom, NystromFit, NystromMap, Selection, tolerance, transform};
use kern_core::closure::AssumeMercer;
use kern_core::faer::{Mat, Scale};
use kern_core::kernels::{
    FnKernel, Graph, Laplacian, Linear, Rbf, Sigmoid, Spectrum, WeisfeilerLehman,
};
use kern_core::{Mercer, Points, Samples, Scalar, SparseSamples};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget};
use proptest::prelude::*;
use std::fmt::Debug;

const U: f64 = <f64 as Scalar>::UNIT_ROUNDOFF;

const ALL: [Selection; 6] = [
    Selection::Uniform,
    Selection::Diagonal,
    Selection::KMeansPlusPlus,
    Selection::LeverageScores,
    Selection::RandomPivots,
    Selection::RandomPivotsPlain,
];

fn trace(a: &Mat<f64>) -> f64 {
    (0..a.nrows()).map(|i| a[(i, i)]).sum()
}

/// Every point as often as said.
fn repeated(x: &Samples<f64>, times: usize) -> Samples<f64> {
    let indices: Vec<usize> = (0..x.len() * times).map(|i| i % x.len()).collect();
    x.select(&indices).unwrap()
}

/// 0 ⪯ G_nys ⪯ G, exact on landmarks, and the certificate; returns the map.
fn check<P: Points, K: Mercer<P> + Clone + Debug>(
    params: &Nystrom<K>,
    kernel: &K,
    x: &P,
    selection: Selection,
) -> NystromMap<P, K> {
    let u = P::Scalar::UNIT_ROUNDOFF;
    let NystromFit { map, features: z, report, .. } =
        params.clone().fit_transform(x, &budget()).unwrap();
    let (n, g) = (x.len() as f64, gram(kernel, x, x));
    let largest = eigenvalues(&g)[x.len() - 1];
    // The order between new points is relative to G, too; see nystrom.rs. Random pivots are known
    // better.
    let pivots = [Selection::RandomPivots, Selection::RandomPivotsPlain];
    let slack = if pivots.contains(&selection) { 0.0 } else { 0.125 };
    // What the cut may remove from an entry of a landmark; see tolerance.rs.
    let cut = tolerance::eigenvalue_cut(map.landmarks().len(), u) * map.eigenvalues()[0];
    let worst = cut.sqrt() * g.norm_max().sqrt() + 64.0 * cut;
    let allowed = 100.0 * n * u * largest;
    let z = Mat::from_fn(z.dim(), z.len(), |i, j| z.item(j)[i].to_f64());
    let low = z.transpose() * &z;
    let residual = &g - &low;
    assert!(eigenvalues(&low)[0] >= -allowed, "{params:?}");
    let smallest = eigenvalues(&(Scale(1.0 + slack) * &g - &low))[0];
    assert!(smallest >= -allowed, "{params:?}: {smallest}, allowed {}", -allowed);
    // By the map, on landmarks.
    let at_landmarks = features(&map, map.landmarks()).transpose() * features(&map, x);
    let error = (at_landmarks - gram(kernel, map.landmarks(), x)).norm_max();
    assert!(error <= worst, "{params:?}: {error}");
    // The certificates of the fit and of the map, and the definition.
    let rounding = 100.0 * n * u * trace(&g);
    assert!((report.trace - trace(&g)).abs() <= rounding);
    let by_map = map.report(x).unwrap().trace_error;
    for (reported, extra) in [(report.trace_error, 0.0), (by_map, n * worst)] {
        assert!((reported - trace(&residual)).abs() <= rounding + extra, "{params:?}: {reported}");
    }
    assert_eq!((report.rank, report.landmarks), (map.rank(), map.landmarks().len()));
    map
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_exactness_and_certificate(
        n in 1_usize..60, d in 1_usize..4, part in 0.0..1.0_f64, gamma in 0.05..50.0_f64,
        times in 1_usize..4, seed in 0_u64..1000,
    ) {
        let x = repeated(&uniform(n, d, 1.0, seed), times);
        let m = 1 + (part * (x.len() - 1) as f64) as usize;
        for selection in ALL {
            let smooth = Rbf::new(gamma).unwrap();
            let params = |k| Nystrom::new(k).landmarks(m).selection(selection).seed(seed);
            check(&params(smooth), &smooth, &x, selection);
            let rough = Laplacian::new(gamma).unwrap();
            let params = Nystrom::new(rough).landmarks(m).selection(selection).seed(seed);
            check(&params, &rough, &x, selection);
        }
    }
}

#[test]
fn all_of_repeated_points_are_found_and_exact() {
    let (x, kernel) = (uniform::<f64>(40, 3, 1.0, 5), Laplacian::new(1.0).unwrap());
    for times in 1..=3 {
        let x = repeated(&x, times);
        for selection in ALL {
            let params = Nystrom::new(kernel).landmarks(x.len()).selection(selection);
            let map = check(&params, &kernel, &x, selection);
            assert_eq!(map.rank(), 40, "{selection:?}, {times} times");
            assert!(map.trace_error(&x).unwrap().abs() <= 64.0 * 40.0 * U);
        }
    }
}

#[test]
fn pivots_beat_uniform_landmarks_where_groups_are_rare() {
    // 400 points in one place, and eight far away from it and each other.
    let mut rows: Vec<[f64; 2]> = uniform::<f64>(400, 2, 0.1, 1)
        .as_slice()
        .chunks_exact(2)
        .map(|row| [row[0], row[1]])
        .collect();
    rows.extend((1..=8).map(|i| [10.0 * f64::from(i), 0.0]));
    let x = Samples::from_rows(&rows).unwrap();
    let error = |selection| {
        let params = Nystrom::new(Rbf::new(1.0).unwrap()).landmarks(16).selection(selection);
        params.fit(&x, &budget()).unwrap().trace_error(&x).unwrap()
    };
    // Uniform landmarks miss most of the eight: 16·8/408 of them are expected among 16.
    assert!(error(Selection::Uniform) >= 4.0 / 408.0);
    for selection in [Selection::RandomPivots, Selection::KMeansPlusPlus] {
        assert!(error(selection) <= 1.0 / 408.0, "{selection:?}: {}", error(selection));
    }
    assert!(error(Selection::LeverageScores) < error(Selection::Uniform));
}

#[test]
fn a_gram_matrix_gives_what_its_kernel_gives() {
    let (x, kernel) = (uniform::<f64>(300, 3, 1.0, 1), Rbf::new(1.0).unwrap());
    let dense = DenseGram::new(&kernel, &x, &budget()).unwrap();
    let lazy = LazyGram::new(&kernel, &x).unwrap();
    for selection in ALL {
        let points = Nystrom::new(kernel).landmarks(50).selection(selection).seed(7);
        let NystromFit { map, features: z, report, .. } =
            points.fit_transform(&x, &budget()).unwrap();
        let params = Nystrom::precomputed().landmarks(50).selection(selection).seed(7);
        let low = params.clone().fit_gram(&dense, &budget()).unwrap();
        assert_eq!(&x.select(low.landmarks()).unwrap(), map.landmarks(), "{selection:?}");
        assert_eq!(low, params.fit_gram(&lazy, &budget()).unwrap());
        assert!((report.trace_error - low.report().trace_error).abs() <= 300.0 * 64.0 * U);
        let values = gram(&kernel, map.landmarks(), &x);
        let extended = low.extend(values.as_ref()).unwrap();
        let product = |z: &Mat<f64>| z.transpose() * z;
        let z = Mat::from_fn(z.dim(), z.len(), |i, j| z.item(j)[i]);
        assert!((product(&extended) - product(&z)).norm_max() <= 50.0 * 64.0 * U);
    }
    let bounded = Nystrom::precomputed().landmarks(50).rank(9).fit_gram(&dense, &budget()).unwrap();
    assert_eq!((bounded.report().rank, bounded.report().landmarks), (9, 50));
}

#[test]
fn a_low_rank_gram_matrix_is_an_operator() {
    let x = uniform::<f64>(300, 3, 1.0, 1);
    let dense = DenseGram::new(&Rbf::new(1.0).unwrap(), &x, &budget()).unwrap();
    let params = Nystrom::precomputed().landmarks(30).selection(Selection::RandomPivots);
    let fit = params.fit_gram(&dense, &budget()).unwrap();
    let low = fit.operator().unwrap();
    let z = Mat::from_fn(30, 300, |i, j| fit.features().item(j)[i]);
    let full = z.transpose() * &z;
    let v = Mat::from_fn(300, 2, |i, j| (i as f64 * 0.7 + j as f64).sin());
    assert!((low.apply(v.as_ref()).unwrap() - &full * &v).norm_max() <= 1e-12);
    let left: f64 = dense.diag().iter().zip(low.diag()).map(|(g, l)| g - l).sum();
    assert!((fit.report().trace_error - left).abs() <= 300.0 * 64.0 * U);
    assert!(fit.extend(v.as_ref()).is_err());
}

#[test]
fn strings_and_graphs_are_exact_at_full_rank() {
    let text =
        "gram kernel merge ernest gramme kern rank ranking landmark mark remark generate rank";
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    let path = |n: usize, label: u64| {
        let edges: Vec<(usize, usize)> = (1..n).map(|i| (i - 1, i)).collect();
        Graph::new((0..n as u64).map(|i| (i * label) % 3).collect(), &edges).unwrap()
    };
    let graphs: Vec<Graph> = (0..12).map(|i| path(3 + i % 6, 1 + i as u64 % 2)).collect();
    let on_strings = Spectrum::new(2).unwrap();
    let on_graphs = WeisfeilerLehman::new(2).unwrap();
    for selection in ALL {
        let params = Nystrom::new(on_strings).landmarks(words.len()).selection(selection);
        let map = check(&params, &on_strings, &words, selection);
        assert!(map.rank() < words.len(), "one word occurs twice");
        assert!(map.trace_error(&words).unwrap().abs() <= 1e-13, "{selection:?}");
        let params = Nystrom::new(on_graphs).landmarks(graphs.len()).selection(selection);
        let map = check(&params, &on_graphs, &graphs, selection);
        assert!(map.trace_error(&graphs).unwrap().abs() <= 1e-13, "{selection:?}");
    }
}

#[test]
fn single_precision_is_as_good_as_its_round_off() {
    let x = uniform::<f32>(200, 2, 1.0, 6);
    for gamma in [0.3, 30.0] {
        for selection in ALL {
            let kernel = Rbf::new(gamma).unwrap();
            for m in [20, 200] {
                let params = Nystrom::new(kernel).landmarks(m).selection(selection);
                check(&params, &kernel, &x, selection);
            }
        }
    }
}

/// The same points, sparse, with about half of their coordinates.
fn sparse<T: Scalar>(n: usize, d: usize, seed: u64) -> SparseSamples<T> {
    let x = uniform::<T>(n, d, 1.0, seed);
    let row = |i: usize| -> Vec<(u32, T)> {
        let all = x.item(i).iter().enumerate().map(|(k, &v)| (k as u32, v));
        all.filter(|(k, _)| (*k as usize + i).is_multiple_of(2)).collect()
    };
    SparseSamples::from_rows(d, &(0..n).map(row).collect::<Vec<_>>()).unwrap()
}

#[test]
fn sparse_points_of_either_precision() {
    for selection in ALL {
        let kernel = Rbf::new(1.0).unwrap();
        for m in [10, 90] {
            let params = Nystrom::new(kernel).landmarks(m).selection(selection).seed(1);
            check(&params, &kernel, &sparse::<f64>(90, 6, 1), selection);
            check(&params, &kernel, &sparse::<f32>(90, 6, 1), selection);
            let params = Nystrom::new(Linear).landmarks(m).selection(selection).seed(1);
            let map = check(&params, &Linear, &sparse::<f64>(90, 6, 1), selection);
            assert_eq!(map.rank(), 6, "{selection:?}");
        }
    }
}

#[test]
fn both_roots_give_the_same_approximation() {
    let (x, kernel) = (uniform::<f64>(200, 3, 1.0, 2), Laplacian::new(1.0).unwrap());
    let params = Nystrom::new(kernel).landmarks(40).seed(3);
    let triangular = params.clone().fit(&x, &budget()).unwrap();
    let spectral = params.rank(40).fit(&x, &budget()).unwrap();
    assert!(triangular.lower().is_some() && triangular.projection().is_none());
    assert!(spectral.lower().is_none() && spectral.projection().is_some());
    let product = |map| {
        let z = features(map, &x);
        z.transpose() * &z
    };
    let allowed = 64.0 * 40.0 * U * spectral.condition();
    assert!((product(&triangular) - product(&spectral)).norm_max() <= allowed);
    assert_eq!(triangular.rank(), 40);
    for (a, b) in triangular.eigenvalues().iter().zip(spectral.eigenvalues()) {
        assert!((a - b).abs() <= 40.0 * U * spectral.eigenvalues()[0], "{a} for {b}");
    }
    // Near-dependent landmarks are no case for a factor without pivots.
    let twice = repeated(triangular.landmarks(), 2);
    let map = Nystrom::new(kernel).fit_landmarks(twice, &budget()).unwrap();
    assert!(map.lower().is_none() && map.rank() == 40);
}

#[test]
fn maps_of_random_pivots_are_stored_and_read() {
    type Map = NystromMap<Samples<f32>, Rbf>;
    let (x, kernel) = (uniform::<f32>(60, 2, 1.0, 1), Rbf::new(4.0).unwrap());
    let params = Nystrom::new(kernel).landmarks(12).selection(Selection::RandomPivots);
    let map = params.fit(&x, &budget()).unwrap();
    let json: Map = serde_json::from_str(&serde_json::to_string(&map).unwrap()).unwrap();
    let binary: Map = postcard::from_bytes(&postcard::to_stdvec(&map).unwrap()).unwrap();
    for read in [json, binary] {
        assert_eq!((&read, read.eigenvalues()), (&map, map.eigenvalues()));
        assert_eq!(features(&read, &x), features(&map, &x));
    }
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = serde_json::to_value(&map).unwrap();
        change(&mut value["root"]["Triangular"]["lower"]);
        serde_json::from_value::<Map>(value).unwrap_err().to_string()
    };
    assert!(refused(&|lower| lower["values"][0] = (-1.0).into()).contains("positive diagonal"));
    assert!(refused(&|lower| lower["nrows"] = 6.into()).contains("values"));
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let x = uniform::<f64>(1500, 4, 1.0, 1);
    for selection in ALL {
        let m = if selection == Selection::RandomPivotsPlain { 40 } else { 300 };
        let params = Nystrom::new(Rbf::new(1.0).unwrap()).landmarks(m).selection(selection);
        let results = for_threads(|| {
            let fitted = params.clone().fit_transform(&x, &budget()).unwrap();
            let low = Nystrom::precomputed().landmarks(40).selection(selection);
            let lazy = LazyGram::new(&Laplacian::new(1.0).unwrap(), &x).map(|gram| {
                let low = low.fit_gram(&gram, &budget()).unwrap();
                let v = Mat::from_fn(x.len(), 1, |i, _| i as f64);
                (low.operator().unwrap().apply(v.as_ref()).unwrap(), low)
            });
            (transform(&fitted.map, &x, &budget()).unwrap(), fitted, lazy.unwrap())
        });
        assert!(results.iter().all(|r| r == &results[0]), "{selection:?}");
    }
}

#[test]
fn what_cannot_be_done_is_an_error() {
    let x = uniform::<f64>(30, 2, 1.0, 1);
    for selection in ALL {
        let small = MemoryBudget::bytes(100);
        let fit = Nystrom::new(Rbf::new(1.0).unwrap()).landmarks(9).selection(selection);
        assert!(matches!(fit.clone().fit(&x, &small), Err(Error::Gram(_))), "{selection:?}");
        assert!(matches!(fit.fit_transform(&x, &small), Err(Error::Gram(_))), "{selection:?}");
        let zero = Nystrom::new(0.0 * Linear).landmarks(9).selection(selection);
        assert!(matches!(zero.fit(&x, &budget()), Err(Error::NoPositiveEigenvalue { .. })));
        let sigmoid = AssumeMercer(Sigmoid::new(5.0, -3.0).unwrap());
        let indefinite = Nystrom::new(sigmoid).landmarks(30).selection(selection);
        assert!(
            matches!(indefinite.fit(&x, &budget()), Err(Error::NotPsd { .. })),
            "{selection:?}"
        );
        let nan = |x: &f64, y: &f64| if x != y && x.max(*y) > 6.5 { f64::NAN } else { x * y };
        let params =
            Nystrom::new(AssumeMercer(FnKernel::new(nan))).landmarks(7).selection(selection);
        let points: Vec<f64> = (1..=7).map(f64::from).collect();
        let not_finite = params.fit_transform(&points, &budget());
        let expected = |e: &Error| {
            matches!(e, Error::Gram(kern_gram::Error::NotFinite { .. }) | Error::Core(_))
        };
        assert!(not_finite.is_err_and(|e| expected(&e)), "{selection:?}");
        let wrong = Nystrom::precomputed().landmarks(9).rank(10).selection(selection);
        let gram = DenseGram::new(&Linear, &x, &budget()).unwrap();
        assert_eq!(wrong.fit_gram(&gram, &budget()), Err(Error::Rank { given: 10, landmarks: 9 }));
    }
}
