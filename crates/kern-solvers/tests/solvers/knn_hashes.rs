//! Tests of hashing: the probability of collisions, what is found, and what is not.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::knn::{line, uniform};
use super::knn_tree::{bits, sheet};
use super::real::{claim, numbers};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Kernel, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::knn::{KNearest, KernelHashes, Neighbors, RadiusNeighbors, SearchAlgorithm};
use kern_solvers::{Data, Error, Learner, Run, Values};

#[test]
fn codes_collide_with_the_probability_of_their_angle() {
    // One bit and one table: of two points, the second is compared with the first if they collide. All points are
    // landmarks, so the features are exact.
    let kernel = Rbf::new(1.0).unwrap();
    for distance in [0.2, 0.6, 1.5] {
        let x = line(&[0.0, distance]);
        let value: f64 = Kernel::<Samples<f64>>::eval(&kernel, x.item(0), x.item(1));
        let p = 1.0 - value.acos() / std::f64::consts::PI;
        let trials = 1000;
        let hits = (0..trials).filter(|&seed| {
            let hashes = KernelHashes::new().tables(1).bits(1).probes(0).seed(seed);
            let params = RadiusNeighbors::by_distance(kernel, 2.0).search(hashes);
            let model = params.fit(&x, &[0.0; 2]).unwrap();
            let found = model.neighbors(&x.select(&[0]).unwrap()).unwrap()[0].len();
            assert!(found == 1 || found == 2);
            found == 2
        });
        // Hoeffding: P(|hits − np| ≥ t) ≤ 2·exp(−2t²/n), 1e-9 for each distance.
        let allowed = (trials as f64 * (2e9_f64).ln() / 2.0).sqrt();
        let hits = hits.count() as f64;
        assert!((hits - trials as f64 * p).abs() < allowed, "{distance}: {hits} {p}");
    }
}

#[test]
fn tables_of_several_bits_collide_as_their_formula_says() {
    let (kernel, trials) = (Rbf::new(1.0).unwrap(), 1000);
    let x = line(&[0.0, 0.6]);
    let value: f64 = Kernel::<Samples<f64>>::eval(&kernel, x.item(0), x.item(1));
    let p = 1.0 - value.acos() / std::f64::consts::PI;
    let found = |hashes: KernelHashes| {
        let params = RadiusNeighbors::by_distance(kernel, 2.0);
        let hits = (0..trials).filter(|&seed| {
            let model = params.clone().search(hashes.seed(seed)).fit(&x, &[0.0; 2]).unwrap();
            model.neighbors(&x.select(&[0]).unwrap()).unwrap()[0].len() == 2
        });
        hits.count() as f64 / trials as f64
    };
    // Hoeffding: P(|share − its mean| ≥ t) ≤ 2·exp(−2nt²), 1e-9 each.
    let allowed = ((2e9_f64).ln() / 2.0 / trials as f64).sqrt();
    for (tables, bits) in [(1, 4), (3, 4), (6, 8)] {
        let expected = 1.0 - (1.0 - p.powi(bits)).powi(tables);
        let hashes = KernelHashes::new().tables(tables as usize).bits(bits as usize);
        let share = found(hashes.probes(0));
        assert!((share - expected).abs() < allowed, "{tables} {bits}: {share} {expected}");
        // All codes that differ in one bit.
        let one_off = p.powi(bits) + f64::from(bits) * p.powi(bits - 1) * (1.0 - p);
        let expected = 1.0 - (1.0 - one_off).powi(tables);
        let share = found(hashes.probes(bits as usize));
        assert!((share - expected).abs() < allowed, "{tables} {bits}: {share} {expected}");
    }
}

/// Of 1797 images of digits every sixth is a query. Seen: 0.996, by 661 comparisons with points and landmarks among 1497.
#[test]
fn default_hashes_find_nine_of_ten_neighbours_of_digits() {
    let scaled = |row: &Vec<f64>| row[..64].iter().map(|v| v / 16.0).collect();
    let rows: Vec<Vec<f64>> = numbers("digits").unwrap().iter().map(scaled).collect();
    let part = |queries: bool| {
        let kept = rows.iter().enumerate().filter(|(i, _)| i.is_multiple_of(6) == queries);
        Samples::from_rows(&kept.map(|(_, row)| row).collect::<Vec<_>>()).unwrap()
    };
    let (queries, x) = (part(true), part(false));
    // The median of squared distances is near 10.
    let params = KNearest::by_distance(Rbf::new(0.1).unwrap()).neighbors(10);
    let model = params.clone().search(KernelHashes::new()).fit(&x, &vec![0.0; x.len()]).unwrap();
    let recall = model.search().recall(&queries).unwrap();
    let what = "hashes by default find at least 90 % of the 10 nearest neighbours";
    claim(recall >= 0.9, "digits", what, format_args!("{:.1} %", 100.0 * recall));
}

#[test]
fn recall_is_high_with_few_comparisons() {
    let (x, queries) = (sheet::<f64>(6000, 71), sheet::<f64>(200, 72));
    let params = KNearest::by_distance(Rbf::new(0.3).unwrap()).neighbors(10);
    let of = |hashes: KernelHashes| {
        let model = params.clone().search(hashes.landmarks(128)).fit(&x, &[0.0; 6000]).unwrap();
        let counts = model.search().evaluations(&queries).unwrap();
        let mean = counts.iter().sum::<usize>() as f64 / 200.0;
        (model.search().recall(&queries).unwrap(), mean)
    };
    // Seen: 1 by 2149 comparisons, and 0.92 by 266.
    let (recall, count) = of(KernelHashes::new().tables(16).bits(10).probes(4));
    assert!(recall > 0.9 && count < 3000.0, "{recall} {count}");
    let (fewer, less) = of(KernelHashes::new().tables(2).bits(14).probes(0));
    assert!(fewer < recall && less < count);
    let brute = params.fit(&x, &[0.0; 6000]).unwrap();
    assert!(brute.search().recall(&queries).unwrap() >= 1.0);
}

#[test]
fn what_is_found_has_the_scores_of_a_search_of_all() {
    let (x, queries) = (uniform::<f32>(500, 3, 73), uniform::<f32>(40, 3, 74));
    let params = KNearest::by_distance(Rbf::new(0.5).unwrap()).neighbors(500);
    let all = bits(&params.fit(&x, &[0.0; 500]).unwrap().neighbors(&queries).unwrap());
    let model =
        params.clone().neighbors(4).search(KernelHashes::new().landmarks(50)).fit(&x, &[0.0; 500]);
    for (row, all) in bits(&model.unwrap().neighbors(&queries).unwrap()).iter().zip(&all) {
        let places = row.iter().map(|found| all.iter().position(|other| other == found).unwrap());
        assert!(row.len() == 4 && places.is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn query_with_too_few_candidates_is_compared_with_all() {
    let (x, queries) = (uniform::<f64>(300, 3, 75), uniform::<f64>(40, 3, 76));
    let params = KNearest::by_distance(Linear).neighbors(300);
    let brute = params.fit(&x, &[0.0; 300]).unwrap().neighbors(&queries).unwrap();
    let model =
        params.clone().search(KernelHashes::new().landmarks(20)).fit(&x, &[0.0; 300]).unwrap();
    assert_eq!(bits(&model.neighbors(&queries).unwrap()), bits(&brute));
    // Three landmarks span all of the features.
    assert_eq!(model.search().evaluations(&queries).unwrap(), [303; 40]);
}

#[test]
fn bits_of_hashes_on_any_number_of_threads_are_the_same_and_files_keep_them() {
    let (x, queries) = (sheet::<f32>(700, 77), sheet::<f32>(300, 78));
    let hashes = KernelHashes::new().landmarks(60).seed(5);
    let params = KNearest::by_distance(Rbf::new(0.3).unwrap()).search(hashes);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = params.fit(&x, &[0.5; 700]).unwrap();
            (bits(&model.neighbors(&queries).unwrap()), model)
        })
    };
    let expected = run(1);
    assert!([2, 8].into_iter().all(|threads| run(threads) == expected));
    let bytes = postcard::to_stdvec(&expected.1).unwrap();
    assert_eq!(postcard::from_bytes::<Neighbors<_, _, Values<_>>>(&bytes).unwrap(), expected.1);
    assert_eq!(expected.1.search().algorithm(), SearchAlgorithm::Hashes(hashes));
}

#[test]
fn parameters_of_hashes_that_are_none_are_errors() {
    let x = line(&[0.0, 1.0, 2.0]);
    let fit = |hashes| KNearest::by_distance(Linear).neighbors(1).search(hashes).fit(&x, &[0.0; 3]);
    let hashes = KernelHashes::new();
    for (bad, expected, given) in [
        (hashes.tables(0), "tables", 0),
        (hashes.bits(0), "bits", 0),
        (hashes.bits(65), "bits", 65),
        (hashes.bits(3).probes(4), "probes", 4),
        (hashes.landmarks(0), "landmarks", 0),
    ] {
        match fit(bad).unwrap_err() {
            Error::Count { name, given: found, .. } => assert_eq!((name, found), (expected, given)),
            other => panic!("{other}"),
        }
    }
    let model = fit(hashes).unwrap();
    assert!(model.search().recall(&x).unwrap() >= 1.0);
    assert!(model.neighbors(&line(&[f64::MAX])).is_err());
}

#[test]
fn an_index_beyond_the_memory_is_an_error() {
    let x = uniform::<f64>(200, 3, 79);
    let fit = |hashes: KernelHashes, bytes| {
        let params = RadiusNeighbors::by_distance(Rbf::new(1.0).unwrap(), 0.5).search(hashes);
        let mut run = Run::new().memory(MemoryBudget::bytes(bytes));
        params.learn(&Data::unlabelled(&x).unwrap(), &mut run)
    };
    let hashes = KernelHashes::new().landmarks(20);
    assert!(fit(hashes, 10_000_000).is_ok());
    let is_beyond = |error| matches!(error, Error::Gram(kern_gram::Error::Budget { .. }));
    assert!(is_beyond(fit(hashes, 10_000).unwrap_err()));
    // More tables than any machine has room for.
    let most = fit(hashes.tables(usize::MAX / 64), u64::MAX / 4);
    assert!(matches!(most, Err(Error::Count { name: "tables", .. })));
    let brute = RadiusNeighbors::by_distance(Rbf::new(1.0).unwrap(), 0.5);
    let within = |bytes| {
        let mut run = Run::new().memory(MemoryBudget::bytes(bytes));
        brute.learn(&Data::unlabelled(&x).unwrap(), &mut run)
    };
    // A copy of the points.
    assert!(within(200 * 3 * 8).is_ok());
    assert!(is_beyond(within(200 * 3 * 8 - 1).unwrap_err()));
}
