//! The cost of perceptrons: bounds on mistakes, and accuracy on digits.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::print_stdout, reason = "what was measured is worth seeing")]

use super::classes::overlapping;
use super::knn::uniform;
use super::perceptron::{bounds, details, eval};
use super::perceptron_online::forgetron;
use super::real::{claim, numbers};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Mercer, Points, Samples};
use kern_solvers::Status;
use kern_solvers::model::{Classifier, KernelExpansion};
use kern_solvers::perceptron::{Budget, Order, Perceptron};

/// Points of the plane in stripes with gaps between them.
fn stripes() -> (Samples<f64>, Vec<bool>) {
    let (x, _) = overlapping(300, 2, 6.0);
    let wave = |i: &usize| (2.0 * x.item(*i)[0]).sin();
    let kept: Vec<usize> = (0..300).filter(|i| wave(i).abs() > 0.3).collect();
    (x.select(&kept).unwrap(), kept.iter().map(|i| wave(i) > 0.0).collect())
}

/// With y·f* ≥ 1, U = ‖f*‖ and s ≥ 1, a step f + τyp towards the projection p of a point at distance δ from it brings
/// ‖f − s·f*‖² down by τ(2s − 2y·f(x) − 2sUδ − τ‖p‖²) or more. That is 2s(1 − Uη) − R² for a mistake, of which no more than
/// s²U² can be paid: at most R²U²/(1 − Uη)² mistakes, for s = R²/(1 − Uη). For a right answer τ keeps it from being negative.
#[test]
fn mistakes_of_projectrons_are_within_their_bound() {
    let (x, y) = stripes();
    // Points of mistakes may be too far apart here for Projectron to project any.
    check_projectrons(&Rbf::new(1.0).unwrap(), &x, &y, |budget, share| {
        matches!(budget, Budget::ProjectionPlus { .. }) && share >= 0.5
    });
    let (x, y) = flat();
    check_projectrons(&Linear, &x, &y, |_, _| true);
}

/// Points on two sides of a plane that is near to all of them, and near the span of two axes; the longest has length 1. What a
/// mistake adds along the first axis, others have to take away, so there are many.
fn flat() -> (Samples<f64>, Vec<bool>) {
    let raw = uniform::<f64>(300, 6, 91);
    let row = |i: usize| -> Vec<f64> {
        let widths = [1.0, 0.2, 0.002, 0.002, 0.002, 0.002];
        let mut row: Vec<f64> = raw.item(i).iter().zip(widths).map(|(v, w)| w * v).collect();
        row[0] = 1.0 + row[0].abs();
        row
    };
    let rows: Vec<Vec<f64>> = (0..300).map(row).filter(|row| row[1].abs() > 0.04).collect();
    let length = |row: &Vec<f64>| row.iter().map(|v| v * v).sum::<f64>().sqrt();
    let longest = rows.iter().map(length).fold(0.0, f64::max);
    let y = rows.iter().map(|row| row[1] > 0.0).collect();
    let values = rows.concat().iter().map(|v| v / longest).collect();
    (Samples::from_row_major(6, values).unwrap(), y)
}

/// `projects` says for which budgets, and for which shares of the greatest distance, some points must be projected.
fn check_projectrons(
    k: &(impl Mercer<Samples<f64>> + Copy),
    x: &Samples<f64>,
    y: &[bool],
    projects: impl Fn(Budget, f64) -> bool,
) {
    let [limit, _] = bounds(k, x, y);
    let vectors = x.len();
    for share in [0.0, 0.2, 0.5, 0.8] {
        let (distance, most) = (share / limit.sqrt(), limit / (1.0 - share) / (1.0 - share));
        for budget in
            [Budget::Projection { vectors, distance }, Budget::ProjectionPlus { vectors, distance }]
        {
            for seed in 0..3 {
                let perceptron = Perceptron::on_kernel(*k).order(Order::Shuffled).seed(seed);
                let passes = most.ceil() as usize + 1;
                let model = perceptron.budget(budget).max_iterations(passes).fit(x, y).unwrap();
                let report = model.report();
                let told = details(report);
                println!("{budget:?}: {report}, {} projected of {most:.1}", told.projected);
                assert_eq!(report.status, Status::Converged, "{report}");
                assert!(told.mistakes as f64 <= most, "{told:?}, at most {most}");
                assert!(!projects(budget, share) || told.projected > 0, "{told:?}");
            }
        }
    }
}

/// For K(x, x) = 1, y·f* ≥ 1 and U = ‖f*‖: a mistake and the removal that follows one bring ‖f − f*‖² down by 1 − Ψ, and
/// shrinking by φ lifts it by U²(1 − φ)/(1 + φ) at most. Since ΣΨ ≤ (15/32)M, (17/32)M ≤ U²(1 + Σ (1 − φ)/(1 + φ)).
#[test]
fn mistakes_of_the_forgetron_are_within_their_bound() {
    // A cycle of one point more than it remembers: what comes is what it has just forgotten.
    let places: Vec<[f64; 1]> = (0..13).map(|i| [10.0 * f64::from(i)]).collect();
    let cycle: Vec<[f64; 1]> = (0..390).map(|t| places[t % 13]).collect();
    let turns: Vec<bool> = (0..390).map(|t| t % 13 % 2 == 0).collect();
    let k = Rbf::new(1.0).unwrap();
    let orthogonal = bounds(&k, &Samples::from_rows(&places).unwrap(), &turns[..13])[0];
    let (x, y) = stripes();
    let [limit, _] = bounds(&k, &x, &y);
    let cycle = Samples::from_rows(&cycle).unwrap();
    check_forgetron(&k, &cycle, &turns, (orthogonal, 12), 390);
    for vectors in [5, 10, 40] {
        check_forgetron(&k, &x, &y, (limit, vectors), 0);
    }
}

/// `least` mistakes are made.
fn check_forgetron<P: Points<Scalar = f64>>(
    k: &(impl Mercer<P> + Copy),
    x: &P,
    y: &[bool],
    (limit, vectors): (f64, usize),
    least: usize,
) {
    let classes: Vec<usize> = y.iter().map(|&y| usize::from(y)).collect();
    let naive = forgetron(eval(k, x), &classes, vectors);
    let perceptron = Perceptron::on_kernel(*k).budget(Budget::Oldest { vectors }).max_iterations(1);
    let mistakes = details(perceptron.fit(x, y).unwrap().report()).mistakes;
    assert_eq!(mistakes, naive.mistakes);
    let shrinking: f64 = naive.shrunk.iter().map(|phi| (1.0 - phi) / (1.0 + phi)).sum();
    let most = 32.0 / 17.0 * limit * (1.0 + shrinking);
    println!("{mistakes} mistakes of {most:.1} with {vectors}; {limit:.1} without a budget");
    assert!(least <= mistakes && mistakes as f64 <= most, "{mistakes}, at most {most}");
}

/// Images and what they show.
type Images = (Samples<f64>, Vec<u8>);

/// All 1797 digits, of 64 pixels from 0 to 16: two of three to learn from, and the third ones to be judged by.
fn digits() -> [Images; 2] {
    let rows = numbers("digits").unwrap();
    let part = |held: bool| -> Images {
        let kept = rows.iter().enumerate().filter(|(i, _)| (i % 3 == 2) == held);
        let (images, digits): (Vec<&[f64]>, Vec<u8>) =
            kept.map(|(_, row)| (&row[..64], row[64] as u8)).unzip();
        (Samples::from_rows(&images).unwrap(), digits)
    };
    [part(false), part(true)]
}

fn rbf() -> Rbf {
    Rbf::new(3e-4).unwrap()
}

#[test]
fn more_than_97_of_100_digits_are_read() {
    let [(x, y), (images, shown)] = digits();
    let last = Perceptron::on_kernel(rbf()).fit(&x, &y).unwrap();
    let mean = Perceptron::on_kernel(rbf()).averaged(true).fit(&x, &y).unwrap();
    assert_eq!(last.report().status, Status::Converged, "{}", last.report());
    assert_eq!(last.predict(&x).unwrap(), y);
    let accuracy = mean.accuracy(&images, &shown).unwrap();
    let what = "averaged perceptron: more than 97 % of 599 unseen images are read";
    assert_eq!(shown.len(), 599);
    claim(accuracy > 0.97, "digits", what, format_args!("{:.1} %", 100.0 * accuracy));
}

/// Two hundred support vectors, where a fit without a budget has more.
#[test]
fn on_a_budget_projections_lose_two_digits_of_100_and_removals_15() {
    let [(x, y), (images, shown)] = digits();
    let fit = |budget: Budget, averaged: bool| {
        let perceptron =
            Perceptron::on_kernel(rbf()).max_iterations(5).averaged(averaged).budget(budget);
        perceptron.fit(&x, &y).unwrap()
    };
    let accuracy = |model: &Classifier<KernelExpansion<Samples<f64>, Rbf>, u8>| {
        println!("{}: {:.4}", model.report(), model.accuracy(&images, &shown).unwrap());
        model.accuracy(&images, &shown).unwrap()
    };
    let [mean, last] = [true, false].map(|averaged| fit(Budget::None, averaged));
    assert!(mean.decision().points().len() > 200, "{}", mean.report());
    let [mean, last] = [accuracy(&mean), accuracy(&last)];
    let (vectors, distance) = (200, 0.3);
    for (budget, averaged, least) in [
        (Budget::Projection { vectors, distance }, true, mean - 0.02),
        (Budget::ProjectionPlus { vectors, distance }, true, mean - 0.02),
        (Budget::Random { vectors }, false, last - 0.15),
        (Budget::Oldest { vectors }, false, last - 0.15),
    ] {
        let model = fit(budget, averaged);
        assert!(model.decision().points().len() <= vectors);
        let accuracy = accuracy(&model);
        let what = format!("perceptron, {budget:?}: accuracy at least {least:.4}");
        claim(accuracy >= least, "digits", what, format_args!("{accuracy:.4}"));
    }
}

#[test]
fn mistakes_on_even_and_odd_digits_are_within_the_bound_of_novikoff() {
    let [(x, y), _] = digits();
    let odd: Vec<bool> = y.iter().map(|digit| digit % 2 == 1).collect();
    let [limit, _] = bounds(&rbf(), &x, &odd);
    for seed in 0..3 {
        let perceptron = Perceptron::on_kernel(rbf()).order(Order::Shuffled).seed(seed);
        let model = perceptron.max_iterations(1000).fit(&x, &odd).unwrap();
        assert_eq!(model.report().status, Status::Converged);
        let mistakes = details(model.report()).mistakes;
        let what = format!(
            "perceptron, seed {seed}, even and odd: no more mistakes than the bound of Novikoff, {limit:.1}"
        );
        claim(mistakes as f64 <= limit, "digits", what, mistakes);
    }
}
