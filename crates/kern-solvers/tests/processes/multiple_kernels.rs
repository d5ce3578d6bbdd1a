//! Weights of sums of kernels: by dense definitions, against grids of weights, on real data.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::regression::rows_of;
use kern_core::faer::Mat;
use kern_core::gradient::{free_parameters, set_free_parameters};
use kern_core::kernels::{Linear, Matern52, Rbf};
use kern_core::{Kernel, Parameters, Points, Samples};
use kern_solvers::multiple_kernels::{
    MultipleKernels, align_weights, centred_alignment, weight_gap,
};
use kern_solvers::ridge::Ridge;
use kern_solvers::svm::Svc;
use kern_solvers::{Data, Error, Learner, Outputs, Run};

fn gram<K: Kernel<Samples<f64>>>(kernel: &K, x: &Samples<f64>) -> Mat<f64> {
    Mat::from_fn(x.len(), x.len(), |i, j| kernel.eval(x.item(i), x.item(j)))
}

/// HKH.
fn centred(k: &Mat<f64>) -> Mat<f64> {
    let n = k.nrows();
    let h = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 1.0 / n as f64);
    &h * k * &h
}

fn product(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| (i, j))).map(|at| a[at] * b[at]).sum()
}

/// A wide and a narrow kernel and a linear one.
fn sum(
    dim: usize,
) -> impl kern_core::Mercer<Samples<f64>> + kern_core::gradient::Differentiable<Samples<f64>> + Clone
{
    let scale = 1.0 / dim as f64;
    0.5 * Rbf::new(0.5 * scale).unwrap()
        + 0.3 * Matern52::new(2.0).unwrap()
        + (0.2 * scale) * Linear
}

#[test]
fn alignments_are_those_of_the_definition() {
    for set in ["diabetes", "concrete"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let n = x.len();
        let y = Mat::from_fn(n, 2, |i, k| if k == 0 { y[i] } else { y[i].abs() });
        let data = Data::new(&x, Outputs::new(y.clone())).unwrap();
        let targets = centred(&(&y * y.transpose()));
        let kernel = sum(x.dim());
        let k = centred(&gram(&kernel, &x));
        let expected =
            product(&k, &targets) / (product(&k, &k) * product(&targets, &targets)).sqrt();
        let found = centred_alignment(&kernel, &data).unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");

        let aligned = align_weights(&kernel, &data).unwrap();
        let best = centred_alignment(&aligned, &data).unwrap();
        assert!(best >= found);
        // No weights near them are better, nor any on a grid.
        let values: Vec<f64> = free_parameters(&aligned).iter().map(|free| free.value).collect();
        let places: Vec<usize> = (0..values.len())
            .filter(|&k| free_parameters(&aligned)[k].name.ends_with("weight"))
            .collect();
        let total: f64 = places.iter().map(|&k| values[k]).sum();
        let given: f64 = places.iter().map(|&k| free_parameters(&kernel)[k].value).sum();
        assert!((total - given).abs() < 1e-12);
        for a in 0..=10 {
            for b in 0..=10 - a {
                let shares = [a, b, 10 - a - b].map(|share| f64::from(share) / 10.0);
                let mut values = values.clone();
                places.iter().zip(shares).for_each(|(&k, share)| values[k] = share);
                let mut other = kernel.clone();
                set_free_parameters(&mut other, &values).unwrap();
                assert!(centred_alignment(&other, &data).unwrap() <= best + 1e-9);
            }
        }
    }
}

#[test]
fn weights_are_better_than_any_on_a_grid() {
    for set in ["diabetes", "concrete"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let kernel = 0.5 * Rbf::new(0.05).unwrap() + 0.5 * Matern52::new(1.5).unwrap();
        let ridge = |kernel: &_| Ridge::on_kernel(Clone::clone(kernel)).lambda(1e-2);
        let data = Data::new(&x, &y).unwrap();
        for norm in [1.0, 2.0] {
            let learner =
                MultipleKernels::new(ridge(&kernel)).norm(norm).tolerance(1e-5).rounds(2000);
            let model = learner.learn(&data, &mut Run::new()).unwrap();
            let gap = weight_gap(&model, norm).unwrap();
            assert!((-1e-9..=1e-5).contains(&gap), "{gap}");
            let learned = model.decision().kernel();
            let weights = [learned.left().weight(), learned.right().weight()];
            let length = |v: [f64; 2]| v.iter().map(|v| v.powf(norm)).sum::<f64>().powf(1.0 / norm);
            assert!((length(weights) - length([0.5, 0.5])).abs() < 1e-9, "{weights:?}");
            let mut worst = 0.0_f64;
            for step in 0..=20 {
                let share = [f64::from(step), f64::from(20 - step)];
                let scale = length([0.5, 0.5]) / length(share);
                let other = (share[0] * scale) * Rbf::new(0.05).unwrap()
                    + (share[1] * scale) * Matern52::new(1.5).unwrap();
                let objective = ridge(&other).fit(&x, &y).unwrap().report().objective;
                assert!(model.report().objective < objective * (1.0 + 1e-5), "{norm} {step}");
                worst = worst.max(objective / model.report().objective);
            }
            assert!(worst > 1.01, "the weights make no difference");
        }
    }
}

#[test]
fn machines_learn_weights_too() {
    for set in ["diabetes", "concrete"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let classes: Vec<bool> = y.iter().map(|y| *y > 0.0).collect();
        let kernel = 0.5 * Rbf::new(0.05).unwrap() + 0.5 * Rbf::new(2.0).unwrap();
        let svc = Svc::on_kernel(kernel).c(2.0).tolerance(1e-6);
        let before = svc.fit(&x, &classes).unwrap();
        let model = MultipleKernels::new(svc).fit(&x, &classes).unwrap();
        assert!(model.report().objective < before.report().objective);
        let (gap, first) = (weight_gap(&model, 1.0).unwrap(), weight_gap(&before, 1.0).unwrap());
        assert!(gap < 0.0101 && first > 0.02, "{gap} {first}");
        let names: Vec<String> = MultipleKernels::new(Svc::on_kernel(kernel))
            .parameters()
            .iter()
            .map(|parameter| parameter.name.to_string())
            .collect();
        assert!(names.starts_with(
            &["weights.norm", "weights.tolerance", "weights.rounds"].map(String::from)
        ));
    }
}

#[test]
fn what_is_no_weighted_sum_is_refused() {
    let x = Samples::from_rows(&[[0.0], [1.0], [2.0]]).unwrap();
    let y = [0.0, 1.0, 0.5];
    let plain = MultipleKernels::new(Ridge::on_kernel(Rbf::new(1.0).unwrap()));
    assert!(matches!(plain.fit(&x, &y), Err(Error::Unsupported { .. })));
    // One term has no weight.
    let kernel = 0.5 * Rbf::new(1.0).unwrap() + 0.5 * Rbf::new(2.0).unwrap() + Linear;
    let part = MultipleKernels::new(Ridge::on_kernel(kernel)).fit(&x, &y);
    assert!(matches!(part, Err(Error::Unsupported { .. })));
    let data = Data::new(&x, &[1.0, 1.0, 1.0]).unwrap();
    let whole = 0.5 * Rbf::new(1.0).unwrap() + 0.5 * Rbf::new(2.0).unwrap();
    assert!(matches!(align_weights(&whole, &data), Err(Error::Unsupported { .. })));
    assert!(matches!(centred_alignment(&whole, &data), Err(Error::Unsupported { .. })));
    let learner = MultipleKernels::new(Ridge::on_kernel(whole));
    assert!(matches!(learner.norm(0.5).fit(&x, &y), Err(Error::Core(_))));
}
