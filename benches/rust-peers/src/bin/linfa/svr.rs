//! ε-SVR by linfa-svm, on one thread.

use crate::array;
use anyhow::Result;
use kern_core::{Points, Samples};
use kern_rust_peers::case::{Case, Judged};
use kern_rust_peers::svr::{Params, judge};
use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use linfa_svm::Svm;
use ndarray_016::Array1;

pub fn svr(case: &mut Case<'_>) -> Result<Judged> {
    let Params { c, gamma, epsilon, tolerance } = Params::of(case)?;
    let x: Samples<f64> = case.samples("x")?;
    let data = Dataset::new(array(&x)?, Array1::from(case.vector::<f64>("y")?));
    // linfa's exp(−‖x − y‖²/ε).
    let machine = Svm::<f64, f64>::params().gaussian_kernel(1.0 / gamma).eps(tolerance);
    let machine = machine.c_svr(c, Some(epsilon));
    let (judged, model) = case.measure(|| Ok(machine.fit(&data)?))?;
    let support: Vec<usize> = (0..x.len()).filter(|&i| model.alpha[i] != 0.0).collect();
    let beta = support.iter().map(|&i| model.alpha[i]).collect();
    let predictions = model.predict(array(&case.samples("x_test")?)?).targets.to_vec();
    judge(case, judged, &(x.select(&support)?, beta), &predictions)
}
