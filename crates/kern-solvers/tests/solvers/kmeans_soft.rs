//! Tests of soft k-means: a monotone free energy, equality with expectation maximisation on coordinates, hard clusters as
//! the limit, weights, threads, and every error.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::fits::{with_weights, within};
use super::kmeans::details;
use kern_approx::Nystrom;
use kern_core::faer::{Mat, MatRef};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Kernel, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::kmeans::{KMeans, Seeding, SoftKMeans};
use kern_solvers::model::{KernelExpansion, SoftClusters};
use kern_solvers::{Error, Status};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn uniform(n: usize, seed: u64) -> Samples<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..2 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    Samples::from_row_major(2, values).unwrap()
}

/// One step of expectation maximisation on the line: centres and sizes of these shares, then the shares of those.
fn step(x: &[f64], shares: &[Vec<f64>], beta: f64) -> Vec<Vec<f64>> {
    let k = shares[0].len();
    let mass = |c: usize| shares.iter().map(|r| r[c]).sum::<f64>();
    let centre = |c: usize| shares.iter().zip(x).map(|(r, x)| r[c] * x).sum::<f64>() / mass(c);
    let row = |x: &f64| -> Vec<f64> {
        let part = |c: usize| mass(c) * (-beta * (x - centre(c)).powi(2)).exp();
        let sum: f64 = (0..k).map(part).sum();
        (0..k).map(|c| part(c) / sum).collect()
    };
    x.iter().map(row).collect()
}

#[test]
fn the_linear_kernel_is_a_mixture_of_gaussians() {
    let values = [0.0, 0.4, 1.1, 2.0, 2.6, 3.5, 3.6];
    let x = Samples::from_row_major(1, values.to_vec()).unwrap();
    let labels = vec![0, 0, 0, 1, 1, 1, 1];
    let mut shares: Vec<Vec<f64>> =
        labels.iter().map(|&c| (0..2).map(|b| f64::from(u8::from(b == c))).collect()).collect();
    for iterations in 0..6 {
        shares = step(&values, &shares, 0.7);
        let machine = SoftKMeans::on_kernel(Linear, 2).beta(0.7).progress(0.0);
        let machine = machine.seeding(Seeding::Labels(labels.clone())).max_iterations(iterations);
        let model = machine.fit(&x).unwrap();
        assert_eq!(model.report().status, Status::IterationsDone);
        for (i, expected) in shares.iter().enumerate() {
            for (c, expected) in expected.iter().enumerate() {
                let share = model.memberships()[(i, c)];
                assert!((share - expected).abs() < 1e-12, "{iterations} {i} {c}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_free_energy_never_rises(
        n in 3..80_usize, k in 1..7_usize, beta in 0.1..50.0_f64, seed in 0..u64::MAX, weighted in any::<bool>(),
    ) {
        let (x, k) = (uniform(n, seed), k.min(n));
        let weights: Vec<f64> = (0..n).map(|i| if weighted { (i % 3) as f64 } else { 1.0 }).collect();
        let kernel = Rbf::new(1.5).unwrap();
        let machine = SoftKMeans::on_kernel(kernel, k).beta(beta).seed(seed);
        let model = with_weights(&machine, &x, &weights).unwrap();
        let report = model.report();
        let energies = &details(report).objectives;
        prop_assert!(energies.is_sorted_by(|a, b| a >= b), "{:?}", energies);
        prop_assert!(matches!(report.status, Status::Converged | Status::IterationsDone));
        // The model sees its own points as the fit did.
        let shares = model.predict_memberships(&x).unwrap();
        for i in 0..n {
            let sum: f64 = shares.row(i).iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-14);
            for c in 0..k {
                prop_assert!((shares[(i, c)] - model.memberships()[(i, c)]).abs() < 1e-10 * (1.0 + beta));
            }
        }
        prop_assert!((model.sizes().iter().sum::<f64>() - 1.0).abs() < 1e-13);
    }
}

/// F = Σᵢ wᵢ Σ_c r_ic (d²_ic + ln(r_ic/π_c)/β) by its definition: with the sizes and the centres of the shares
/// `before`, at the shares `after`.
fn free_energy(
    gram: impl Fn(usize, usize) -> f64,
    weights: &[f64],
    beta: f64,
    (before, after): (MatRef<'_, f64>, MatRef<'_, f64>),
) -> f64 {
    let (n, total) = (weights.len(), weights.iter().sum::<f64>());
    let of_cluster = |c: usize| -> f64 {
        let part = |i: usize| weights[i] * before[(i, c)];
        let mass: f64 = (0..n).map(part).sum();
        if mass <= 0.0 {
            return 0.0; // Of a cluster without a size no point has a share.
        }
        let mean = |i: usize| (0..n).map(|j| part(j) * gram(i, j)).sum::<f64>() / mass;
        let norm = (0..n).map(|i| part(i) * mean(i)).sum::<f64>() / mass;
        let term = |i: usize| {
            let (share, squared) = (after[(i, c)], gram(i, i) - 2.0 * mean(i) + norm);
            let information = (share / (mass / total)).ln() / beta;
            if share > 0.0 { weights[i] * share * (squared + information) } else { 0.0 }
        };
        (0..n).map(term).sum()
    };
    (0..before.ncols()).map(of_cluster).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// F of the report is F after every step, from labels that are known.
    #[test]
    fn the_free_energy_is_that_of_the_definition(
        n in 3..40_usize, k in 1..6_usize, beta in 0.1..50.0_f64, seed in 0..u64::MAX, weighted in any::<bool>(),
    ) {
        let (x, k) = (uniform(n, seed), k.min(n));
        let weights: Vec<f64> = (0..n).map(|i| if weighted { ((i + 1) % 3) as f64 } else { 1.0 }).collect();
        let kernel = Rbf::new(1.5).unwrap();
        let gram = |i: usize, j: usize| Kernel::<Samples<f64>>::eval(&kernel, x.item(i), x.item(j));
        let labels: Vec<usize> = (0..n).map(|i| (i + i / k) % k).collect();
        let mut shares = Mat::from_fn(n, k, |i, c| f64::from(u8::from(labels[i] == c)));
        for iterations in 0..4 {
            let machine = SoftKMeans::on_kernel(kernel, k).beta(beta).progress(0.0);
            let machine = machine.seeding(Seeding::Labels(labels.clone())).max_iterations(iterations);
            let model = with_weights(&machine, &x, &weights).unwrap();
            if model.report().iterations < iterations {
                break; // Nothing is left to gain.
            }
            let exact = free_energy(gram, &weights, beta, (shares.as_ref(), model.memberships()));
            let given = model.report().objective;
            prop_assert!((given - exact).abs() < 1e-12 * n as f64 * (1.0 + 1.0 / beta), "{given} {exact}");
            shares = model.memberships().to_owned();
        }
    }
}

/// With a large β shares are 0 and 1, and F is the objective J, up to the entropy of the sizes over β.
#[test]
fn hard_clusters_are_the_limit() {
    let x = uniform(60, 4);
    let kernel = Rbf::new(2.0).unwrap();
    let hard = KMeans::on_kernel(kernel, 4).seed(1).fit(&x).unwrap();
    let labels = Seeding::Labels(hard.labels().to_vec());
    let beta = 1e6;
    let soft = SoftKMeans::on_kernel(kernel, 4).beta(beta).seeding(labels).fit(&x).unwrap();
    assert_eq!(soft.labels(), hard.labels());
    let difference = soft.report().objective - hard.report().objective;
    assert!((0.0..60.0 * 4.0_f64.ln() / beta + 1e-9).contains(&difference), "{difference}");
    // And with a small one there is nothing to tell clusters by.
    let blurred = SoftKMeans::on_kernel(kernel, 4).beta(1e-6).fit(&x).unwrap();
    let norms: Vec<f64> = (0..60).map(|i| blurred.memberships()[(i, 0)]).collect();
    assert!(norms.iter().all(|share| (share - norms[0]).abs() < 1e-4));
}

#[test]
fn weights_are_repeated_points() {
    let x = uniform(20, 6);
    let times: Vec<usize> = (0..20).map(|i| i % 3).collect();
    let repeated: Vec<usize> = (0..20).flat_map(|i| vec![i; times[i]]).collect();
    let start: Vec<usize> = (0..20).map(|i| i / 3 % 2).collect();
    let machine = |labels: Vec<usize>| {
        SoftKMeans::on_kernel(Rbf::new(1.0).unwrap(), 2).beta(3.0).seeding(Seeding::Labels(labels))
    };
    let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
    let weighted = with_weights(&machine(start.clone()), &x, &weights).unwrap();
    let labels = repeated.iter().map(|&i| start[i]).collect();
    let plain = machine(labels).fit(&x.select(&repeated).unwrap()).unwrap();
    let difference = weighted.report().objective - plain.report().objective;
    assert!(difference.abs() < 1e-10, "{difference}");
    let (a, b) =
        (weighted.predict_memberships(&x).unwrap(), plain.predict_memberships(&x).unwrap());
    assert!((a - b).norm_max() < 1e-6);
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let x = uniform(700, 8);
    let machine = || SoftKMeans::on_kernel(Rbf::new(2.0).unwrap(), 5).beta(10.0).max_iterations(20);
    let whole = machine().fit(&x).unwrap();
    let tight = MemoryBudget::bytes(700 * (5 * 8 * 6 + 8));
    let streamed = within(&machine(), &x, tight).unwrap();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| machine().fit(&x)).unwrap(), whole, "{threads} threads");
        assert_eq!(pool.install(|| within(&machine(), &x, tight)).unwrap(), streamed);
    }
    assert!((streamed.report().objective - whole.report().objective).abs() < 1e-9);
    let text = serde_json::to_string(&whole).unwrap();
    let read: SoftClusters<KernelExpansion<Samples<f64>, Rbf>> =
        serde_json::from_str(&text).unwrap();
    assert_eq!(read.predict(&x).unwrap(), whole.labels());
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["centres"]["norms"] = serde_json::json!([1.0]);
    assert!(
        serde_json::from_value::<SoftClusters<KernelExpansion<Samples<f64>, Rbf>>>(value).is_err()
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let x = uniform(5, 1);
    let new = || SoftKMeans::on_kernel(Linear, 2);
    assert!(matches!(
        SoftKMeans::on_kernel(Linear, 6).fit(&x),
        Err(Error::Count { name: "k", .. })
    ));
    for beta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(new().beta(beta).fit(&x), Err(Error::Core(_))), "{beta}");
    }
    assert!(matches!(new().progress(-1.0).fit(&x), Err(Error::Core(_))));
    let tiny = MemoryBudget::bytes(5 * (2 * 8 * 6 + 8) - 1);
    let refused = within(&new(), &x, tiny);
    assert!(matches!(refused, Err(Error::Gram(kern_gram::Error::Budget { .. }))));
}

/// Shares of features are those of their kernel.
#[test]
fn features_are_shared_as_by_their_kernel() {
    let x = uniform(300, 9);
    let labels = Seeding::Labels((0..300).map(|i| i % 3).collect());
    let exact = SoftKMeans::on_kernel(Linear, 3).beta(4.0).seeding(labels.clone());
    let exact = exact.max_iterations(20).fit(&x).unwrap();
    let features = SoftKMeans::on_features(Identity::new(2), 3).beta(4.0).seeding(labels.clone());
    let features = features.max_iterations(20).fit(&x).unwrap();
    let nystrom = Nystrom::new(Linear).landmarks(2);
    let landmarks = SoftKMeans::on_landmarks(nystrom, 3).beta(4.0).seeding(labels);
    let landmarks = within(&landmarks.max_iterations(20), &x, MemoryBudget::mebibytes(10)).unwrap();
    assert!((features.memberships() - exact.memberships()).norm_max() < 1e-9);
    assert!((landmarks.memberships() - exact.memberships()).norm_max() < 1e-9);
    let queries = uniform(20, 10);
    let shares = exact.predict_memberships(&queries).unwrap();
    assert!((features.predict_memberships(&queries).unwrap() - &shares).norm_max() < 1e-9);
    assert!((landmarks.predict_memberships(&queries).unwrap() - &shares).norm_max() < 1e-9);
    let smallest = 300 * (3 * 8 * 6 + 8) + 300 * 2 * 8;
    let machine = SoftKMeans::on_features(Identity::new(2), 3);
    assert!(matches!(
        within(&machine, &x, MemoryBudget::bytes(smallest)),
        Err(Error::Gram(kern_gram::Error::Budget { .. }))
    ));
}

/// β·d² beyond the greatest number leaves the nearest cluster, not NaN.
#[test]
fn shares_add_up_for_every_beta() {
    let x = Samples::from_rows(&[[0.0], [1.0], [1e3], [1e3 + 1.0]]).unwrap();
    let labels = Seeding::Labels(vec![0, 0, 1, 1]);
    let model = SoftKMeans::on_kernel(Linear, 2).beta(1e307).seeding(labels).fit(&x).unwrap();
    assert_eq!(model.labels(), [0, 0, 1, 1]);
    let far = Samples::from_rows(&[[-1e6], [400.0], [1e6]]).unwrap();
    let shares = model.predict_memberships(&far).unwrap();
    assert_eq!(shares, kern_core::faer::mat![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
}
