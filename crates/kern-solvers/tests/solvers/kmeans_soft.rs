//! Tests of soft k-means: a monotone free energy, equality with expectation maximisation on coordinates, hard clusters as
//! the limit, weights, threads, and every error.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use kern_core::faer::{Mat, MatRef};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Kernel, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::kmeans::{KernelKMeans, Seeding, SoftKMeansModel, SoftKernelKMeans};
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
        let machine = SoftKernelKMeans::new(Linear, 2).beta(0.7).tolerance(0.0);
        let machine = machine.seeding(Seeding::Labels(labels.clone())).max_iterations(iterations);
        let model = machine.fit(&x).unwrap();
        assert_eq!(model.report().status, Status::IterationsDone);
        for (i, expected) in shares.iter().enumerate() {
            for (c, expected) in expected.iter().enumerate() {
                let share = model.shares()[(i, c)];
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
        let machine = SoftKernelKMeans::new(kernel, k).beta(beta).seed(seed).sample_weights(weights.clone());
        let model = machine.fit(&x).unwrap();
        let report = model.report();
        prop_assert!(report.free_energies.is_sorted_by(|a, b| a >= b), "{:?}", report.free_energies);
        prop_assert!(matches!(report.status, Status::Converged | Status::IterationsDone));
        // The model sees its own points as the fit did.
        let shares = model.responsibilities(&x).unwrap();
        for i in 0..n {
            let sum: f64 = shares.row(i).iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-14);
            for c in 0..k {
                prop_assert!((shares[(i, c)] - model.shares()[(i, c)]).abs() < 1e-10 * (1.0 + beta));
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

    /// What the report calls F is F after every step, from labels that are known.
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
            let machine = SoftKernelKMeans::new(kernel, k).beta(beta).tolerance(0.0);
            let machine = machine.seeding(Seeding::Labels(labels.clone())).max_iterations(iterations);
            let model = machine.sample_weights(weights.clone()).fit(&x).unwrap();
            if model.report().iterations < iterations {
                break; // Nothing is left to gain.
            }
            let exact = free_energy(gram, &weights, beta, (shares.as_ref(), model.shares()));
            let given = model.report().free_energy;
            prop_assert!((given - exact).abs() < 1e-12 * n as f64 * (1.0 + 1.0 / beta), "{given} {exact}");
            shares = model.shares().to_owned();
        }
    }
}

/// With a large β shares are 0 and 1, and F is the objective J, up to the entropy of the sizes over β.
#[test]
fn hard_clusters_are_the_limit() {
    let x = uniform(60, 4);
    let kernel = Rbf::new(2.0).unwrap();
    let hard = KernelKMeans::new(kernel, 4).seed(1).fit(&x).unwrap();
    let labels = Seeding::Labels(hard.labels().to_vec());
    let beta = 1e6;
    let soft = SoftKernelKMeans::new(kernel, 4).beta(beta).seeding(labels).fit(&x).unwrap();
    assert_eq!(soft.labels(), hard.labels());
    let difference = soft.report().free_energy - hard.report().objective;
    assert!((0.0..60.0 * 4.0_f64.ln() / beta + 1e-9).contains(&difference), "{difference}");
    // And with a small one there is nothing to tell clusters by.
    let blurred = SoftKernelKMeans::new(kernel, 4).beta(1e-6).fit(&x).unwrap();
    let norms: Vec<f64> = (0..60).map(|i| blurred.shares()[(i, 0)]).collect();
    assert!(norms.iter().all(|share| (share - norms[0]).abs() < 1e-4));
}

#[test]
fn weights_are_repeated_points() {
    let x = uniform(20, 6);
    let times: Vec<usize> = (0..20).map(|i| i % 3).collect();
    let repeated: Vec<usize> = (0..20).flat_map(|i| vec![i; times[i]]).collect();
    let start: Vec<usize> = (0..20).map(|i| i / 3 % 2).collect();
    let machine = |labels: Vec<usize>| {
        SoftKernelKMeans::new(Rbf::new(1.0).unwrap(), 2).beta(3.0).seeding(Seeding::Labels(labels))
    };
    let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
    let weighted = machine(start.clone()).sample_weights(weights).fit(&x).unwrap();
    let labels = repeated.iter().map(|&i| start[i]).collect();
    let plain = machine(labels).fit(&x.select(&repeated).unwrap()).unwrap();
    let difference = weighted.report().free_energy - plain.report().free_energy;
    assert!(difference.abs() < 1e-10, "{difference}");
    let (a, b) = (weighted.responsibilities(&x).unwrap(), plain.responsibilities(&x).unwrap());
    assert!((a - b).norm_max() < 1e-6);
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let x = uniform(700, 8);
    let machine = || SoftKernelKMeans::new(Rbf::new(2.0).unwrap(), 5).beta(10.0).max_iterations(20);
    let whole = machine().fit(&x).unwrap();
    let tight = MemoryBudget::bytes(700 * (5 * 8 * 6 + 8));
    let streamed = machine().budget(tight).fit(&x).unwrap();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| machine().fit(&x)).unwrap(), whole, "{threads} threads");
        assert_eq!(pool.install(|| machine().budget(tight).fit(&x)).unwrap(), streamed);
    }
    assert!((streamed.report().free_energy - whole.report().free_energy).abs() < 1e-9);
    let text = serde_json::to_string(&whole).unwrap();
    let read: SoftKMeansModel<Samples<f64>, Rbf> = serde_json::from_str(&text).unwrap();
    assert_eq!(read.assign(&x).unwrap(), whole.labels());
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["mixture"]["norms"] = serde_json::json!([1.0]);
    assert!(serde_json::from_value::<SoftKMeansModel<Samples<f64>, Rbf>>(value).is_err());
}

#[test]
fn what_cannot_be_is_refused() {
    let x = uniform(5, 1);
    let new = || SoftKernelKMeans::new(Linear, 2);
    assert!(matches!(
        SoftKernelKMeans::new(Linear, 6).fit(&x),
        Err(Error::Count { name: "k", .. })
    ));
    for beta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(new().beta(beta).fit(&x), Err(Error::Core(_))), "{beta}");
    }
    assert!(matches!(new().tolerance(-1.0).fit(&x), Err(Error::Core(_))));
    let tiny = MemoryBudget::bytes(5 * (2 * 8 * 6 + 8) - 1);
    assert!(matches!(
        new().budget(tiny).fit(&x),
        Err(Error::Gram(kern_gram::Error::Budget { .. }))
    ));
}
