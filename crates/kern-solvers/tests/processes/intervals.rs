//! The jackknife+ against refits, and split conformal intervals by their definition.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::intervals::SplitConformal;
use kern_solvers::ridge::Ridge;
use kern_solvers::{Data, Error, Learner, Outputs, Run};

const N: usize = 30;

fn unit(k: usize) -> f64 {
    (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0)
}

fn points(from: usize, count: usize) -> Samples<f64> {
    let rows: Vec<[f64; 2]> =
        (from..from + count).map(|i| [unit(2 * i), unit(2 * i + 1)]).collect();
    Samples::from_rows(&rows).unwrap()
}

fn targets(x: &Samples<f64>) -> Mat<f64> {
    let value = |i: usize, j: usize| {
        let x = x.item(i);
        (3.0 * x[0]).sin() + (1 + j) as f64 * x[1] + 0.3 * unit(7 * i + j + 1000)
    };
    Mat::from_fn(x.len(), 2, value)
}

/// The k-th smallest, from 1.
fn sorted(mut values: Vec<f64>, k: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[k - 1]
}

#[test]
fn jackknife_plus_is_that_of_refits() {
    let (x, queries) = (points(0, N), points(500, 300));
    let y = targets(&x);
    for (intercept, weighted) in [(false, false), (true, false), (true, true)] {
        let weights: Vec<f64> = (0..N)
            .map(|i| {
                if !weighted {
                    1.0
                } else if i % 10 == 3 {
                    0.0
                } else {
                    0.5 + unit(i)
                }
            })
            .collect();
        let used: Vec<usize> = (0..N).filter(|&i| weights[i] > 0.0).collect();
        let ridge = Ridge::on_kernel(Rbf::new(2.0).unwrap()).lambda(0.01).intercept(intercept);
        let outputs = Outputs::new(y.clone());
        let data = Data::new(&x, outputs).unwrap().weights(&weights).unwrap();
        let factor = ridge.factor(&data, &Run::new()).unwrap();
        let jackknife = factor.jackknife_plus(y.as_ref()).unwrap();

        let refits: Vec<_> = used
            .iter()
            .map(|&i| {
                let mut without = weights.clone();
                without[i] = 0.0;
                let data = data.clone().weights(&without).unwrap();
                let model = ridge.learn(&data, &mut Run::new()).unwrap();
                let own = model.predict(&x.select(&[i]).unwrap()).unwrap();
                (model.predict(&queries).unwrap(), [0, 1].map(|j| (y[(i, j)] - own[(0, j)]).abs()))
            })
            .collect();
        for (coverage, n) in [(0.5, used.len()), (0.9, used.len())] {
            let k = (coverage * (n as f64 + 1.0) - 1e-9).ceil() as usize;
            let found = jackknife.predict(&queries, coverage).unwrap();
            for i in 0..queries.len() {
                for j in 0..2 {
                    let end = |sign: f64| {
                        let of = refits.iter().map(|(f, r)| sign * f[(i, j)] + r[j]).collect();
                        sign * sorted(of, k)
                    };
                    let off = (found.lower()[(i, j)] - end(-1.0)).abs()
                        + (found.upper()[(i, j)] - end(1.0)).abs();
                    assert!(off < 1e-10, "{intercept} {weighted} {coverage} {i} {j}: {off}");
                }
            }
        }
        let wide = jackknife.predict(&queries, 0.99).unwrap();
        assert_eq!(
            (wide.lower()[(0, 0)], wide.upper()[(0, 0)]),
            (f64::NEG_INFINITY, f64::INFINITY)
        );
        assert!(matches!(jackknife.predict(&queries, 1.0), Err(Error::Core(_))));
    }
}

#[test]
fn split_conformal_intervals_end_at_the_rank_of_the_residuals() {
    let (x, fresh, queries) = (points(0, N), points(100, 19), points(500, 5));
    let model = Ridge::on_kernel(Rbf::new(2.0).unwrap())
        .lambda(0.01)
        .fit(&x, Outputs::new(targets(&x)))
        .unwrap();
    let y = targets(&fresh);
    let conformal = SplitConformal::calibrate(model.decision(), &fresh, y.as_ref()).unwrap();
    let (f, at) = (model.predict(&fresh).unwrap(), model.predict(&queries).unwrap());
    let found = conformal.predict(model.decision(), &queries, 0.8).unwrap();
    for j in 0..2 {
        // 0.8·20 = 16.
        let q = sorted((0..19).map(|i| (y[(i, j)] - f[(i, j)]).abs()).collect(), 16);
        for i in 0..5 {
            assert!((found.lower()[(i, j)] - (at[(i, j)] - q)).abs() < 1e-12);
            assert!((found.upper()[(i, j)] - (at[(i, j)] + q)).abs() < 1e-12);
        }
    }
    // Of 19 residuals the greatest bounds 95 in 100.
    assert!(conformal.widths(0.95).unwrap()[0].is_finite());
    assert_eq!(conformal.widths(0.96).unwrap(), [f64::INFINITY; 2]);
    let text = serde_json::to_string(&conformal).unwrap();
    assert_eq!(serde_json::from_str::<SplitConformal<f64>>(&text).unwrap(), conformal);

    let one = y.as_ref().subcols(0, 1);
    assert!(SplitConformal::calibrate(model.decision(), &fresh, one).is_err());
    assert!(matches!(SplitConformal::new(Mat::<f64>::zeros(0, 1).as_ref()), Err(Error::Empty)));
    let bad = Mat::from_fn(2, 1, |i, _| if i == 1 { f64::NAN } else { 0.0 });
    assert!(SplitConformal::new(bad.as_ref()).is_err());
}
