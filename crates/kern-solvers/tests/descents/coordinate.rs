//! Single coordinates of the dual: what a step costs, that it ascends, and where steps lead.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::data::two;
use kern_core::kernels::Rbf;
use kern_core::{Kernel, Mercer, Points, Samples};
use kern_solvers::Error;
use kern_solvers::model::Decision;
use kern_solvers::svm::{CoordinateAscent, Svc};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A Gaussian kernel that counts its values. K(x, x) = 1 is known.
#[derive(Clone, Debug, Default)]
struct Counted(std::sync::Arc<AtomicUsize>);

impl Kernel<Samples<f64>> for Counted {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        let square = |(a, b): (&f64, &f64)| (a - b) * (a - b);
        (-0.5 * x.iter().zip(y).map(square).sum::<f64>()).exp()
    }

    fn diag(&self, _: &Samples<f64>, _: usize) -> f64 {
        1.0
    }
}

impl Mercer<Samples<f64>> for Counted {}

#[test]
fn a_step_evaluates_the_kernel_once_per_point_or_not_at_all() {
    let (x, y) = two(90);
    let kernel = Counted::default();
    let mut ascent = CoordinateAscent::new(&kernel, &x, &y, 1.0).unwrap();
    let asked = || kernel.0.load(Ordering::Relaxed);
    let (mut moved, mut rested) = (0, 0);
    for t in 0..1000 {
        let (before, i) = (asked(), (37 * t) % 90);
        let change = ascent.step_on(i).unwrap();
        let expected = if change == 0.0 { 0 } else { 90 };
        assert_eq!(asked() - before, expected);
        moved += usize::from(change != 0.0);
        rested += usize::from(change == 0.0);
        let now = asked();
        let evidence = (ascent.objective(), ascent.gap());
        assert!(evidence.0.is_finite() && asked() == now);
    }
    assert!(moved > 200 && rested > 200, "{moved} {rested}");
}

/// The maximum over its coordinate: no other value of it has a greater objective, and the objective never falls.
#[test]
fn a_step_is_the_best_on_its_coordinate() {
    let (x, y) = two(40);
    let kernel = Rbf::new(0.5).unwrap();
    let mut ascent = CoordinateAscent::new(&kernel, &x, &y, 2.0).unwrap().seed(3);
    let sign = |i: usize| if y[i] { 1.0 } else { -1.0 };
    let dual = |alpha: &[f64]| {
        let mut value: f64 = alpha.iter().sum();
        for i in 0..40 {
            for j in 0..40 {
                let k = Kernel::<Samples<f64>>::eval(&kernel, x.item(i), x.item(j));
                value -= 0.5 * alpha[i] * alpha[j] * sign(i) * sign(j) * k;
            }
        }
        value
    };
    let mut last = 0.0;
    for _ in 0..200 {
        let i = ascent.step().unwrap();
        let objective = ascent.objective();
        assert!(objective >= last - 1e-12);
        last = objective;
        let mut alpha = ascent.coefficients().to_vec();
        assert!((dual(&alpha) - objective).abs() < 1e-10);
        let best = alpha[i];
        for other in [best - 1e-3, best + 1e-3, 0.0, 2.0] {
            alpha[i] = other.clamp(0.0, 2.0);
            assert!(dual(&alpha) <= objective + 1e-12);
        }
    }
}

#[test]
fn steps_lead_to_the_machine_without_an_intercept() {
    let (x, y) = two(120);
    let kernel = Rbf::new(0.5).unwrap();
    for c in [0.3, 5.0] {
        let svc =
            Svc::on_kernel(kernel).c(c).intercept(false).violation(1e-10).fit(&x, &y).unwrap();
        let mut ascent = CoordinateAscent::new(&kernel, &x, &y, c).unwrap().seed(1);
        let mut gaps = vec![ascent.gap()];
        assert!((gaps[0] - c * 120.0).abs() < 1e-9);
        for _ in 0..5 {
            ascent.steps(20_000).unwrap();
            gaps.push(ascent.gap());
            let optimum = svc.report().objective;
            assert!(ascent.objective() <= optimum * (1.0 + 1e-9));
            assert!(ascent.objective() + gaps[gaps.len() - 1] >= optimum * (1.0 - 1e-9));
        }
        assert!(gaps[5] < 1e-6 * svc.report().objective, "{c}: {gaps:?}");
        let f = ascent.function().unwrap().decide(&x).unwrap();
        let g = svc.decision_values(&x).unwrap();
        assert!((0..120).all(|i| (f[(i, 0)] - g[(i, 0)]).abs() < 1e-2));
        assert!((0..120).all(|i| (f[(i, 0)] - ascent.values()[i]).abs() < 1e-9));
    }
}

#[test]
fn mistakes_are_refused() {
    let (x, y) = two(5);
    let kernel = Rbf::new(0.5).unwrap();
    let new = |labels: &[bool], c| CoordinateAscent::new(&kernel, &x, labels, c).map(drop);
    let length = Error::Length { what: "labels", expected: 5, given: 4 };
    assert_eq!(new(&y[..4], 1.0).unwrap_err(), length);
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(new(&y, c), Err(Error::Core(_))), "{c}");
    }
    let nothing = x.select(&[]).unwrap();
    assert!(matches!(CoordinateAscent::new(&kernel, &nothing, &[], 1.0), Err(Error::Empty)));
    let mut ascent = CoordinateAscent::new(&kernel, &x, &y, 1.0).unwrap();
    assert!(matches!(ascent.step_on(5), Err(Error::Core(_))));
    assert_eq!(ascent.coefficients(), [0.0; 5]);
}
