//! Classification by Gaussian processes against scikit-learn, and the likelihood's derivatives against differences.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::iris::X as IRIS;
use kern_core::Samples;
use kern_core::gradient::{free_parameters, set_free_parameters};
use kern_core::kernels::{ArdRbf, Rbf};
use kern_gram::MemoryBudget;
use kern_solvers::gaussian_process::{GaussianProcessClassifier, laplace_likelihood};
use kern_solvers::{Data, Error, Labels, Learner, Run, Status};

/// ```python
/// X = load_iris().data[1::5][:, :3]; t = np.repeat([0, 1, 2], 10)  # scikit-learn 1.9.1, numpy 2.4.6
/// k = ConstantKernel(2.0) * RBF(0.8)
/// m = GaussianProcessClassifier(k, optimizer=None).fit(X, (t == 1).astype(int))
/// m.log_marginal_likelihood(k.theta, eval_gradient=True)
/// m.base_estimator_.latent_mean_and_variance(Q)
/// GaussianProcessClassifier(k, optimizer=None).fit(X, t).log_marginal_likelihood() * 3
/// GaussianProcessClassifier(k).fit(X, (t == 1).astype(int)).log_marginal_likelihood_value_
/// ```
const LIKELIHOOD: f64 = -15.47874568143203;
/// In ln c and ln ℓ.
const GRADIENT: [f64; 2] = [1.9225417299870853, 0.22910658738533915];
const QUERIES: [[f64; 3]; 4] = [[5.0, 3.0, 2.0], [6.0, 2.8, 4.8], [6.5, 3.1, 5.1], [9.0, 9.0, 9.0]];
const MEANS: [f64; 4] =
    [-1.4814745188777738, -0.12545235120002385, -0.48324298779453345, -8.493485703373597e-13];
const VARIANCES: [f64; 4] = [1.3633283983601068, 0.5011537763146208, 0.5634173555598325, 2.0];
const OF_THREE: f64 = -40.89559128411763;
const LEARNED: f64 = -10.665838850688619;

fn iris() -> Samples<f64> {
    Samples::from_rows(&IRIS).unwrap()
}

fn second() -> Vec<bool> {
    (0..30).map(|i| i / 10 == 1).collect()
}

/// γ = 1/(2ℓ²).
fn kernel() -> kern_core::closure::Scaled<Rbf> {
    2.0 * Rbf::new(0.5 / 0.64).unwrap()
}

#[test]
fn likelihoods_and_posteriors_are_those_of_scikit_learn() {
    let (x, run) = (iris(), Run::new());
    let data = Data::new(&x, &second()).unwrap();
    let found = laplace_likelihood(&kernel(), &data, &run).unwrap();
    assert!((found.value - LIKELIHOOD).abs() < 1e-8, "{found:?}");
    assert!((found.gradient[0] - GRADIENT[0]).abs() < 1e-8, "{found:?}");
    assert!((found.gradient[1] + 0.5 * GRADIENT[1]).abs() < 1e-8, "{found:?}");

    let known = GaussianProcessClassifier::on_kernel(kernel()).fixed(true);
    let model = known.fit(&x, &second()).unwrap();
    let queries = Samples::from_rows(&QUERIES).unwrap();
    let latent = model.decision();
    let (means, variances) =
        (latent.latent_mean(&queries).unwrap(), latent.latent_variance(&queries).unwrap());
    for i in 0..4 {
        assert!((means[(i, 0)] - MEANS[i]).abs() < 1e-8, "{means:?}");
        assert!((variances[(i, 0)] - VARIANCES[i]).abs() < 1e-8, "{variances:?}");
    }
    assert!((latent.log_likelihood() - LIKELIHOOD).abs() < 1e-8);
    let p = model.predict_proba(&queries).unwrap();
    assert!((0..4).all(|i| (p[(i, 0)] + p[(i, 1)] - 1.0).abs() < 1e-15));
    // Its probabilities are those of a sum of five error functions, which is right to some thousandths.
    for (i, expected) in
        [0.23511327834489748, 0.4718437796706354, 0.39415378110470556, 0.5].into_iter().enumerate()
    {
        assert!((p[(i, 1)] - expected).abs() < 2e-3, "{p:?}");
    }
}

#[test]
fn each_class_has_a_function_and_all_share_the_kernel() {
    let x = iris();
    let labels: Vec<usize> = (0..30).map(|i| i / 10).collect();
    let data = Data::new(&x, Labels::new(labels.clone())).unwrap();
    let found = laplace_likelihood(&kernel(), &data, &Run::new()).unwrap();
    assert!((found.value - OF_THREE).abs() < 1e-7, "{found:?}");
    let model = GaussianProcessClassifier::on_kernel(kernel()).fit(&x, &labels).unwrap();
    assert!(model.report().objective < -OF_THREE);
    let p = model.predict_proba(&x).unwrap();
    assert_eq!(p.shape(), (30, 3));
    assert!(model.classifier().accuracy(&x, &labels).unwrap() >= 28.0 / 30.0);
}

#[test]
fn the_likelihood_that_is_learned_is_that_of_scikit_learn() {
    let x = iris();
    let model = GaussianProcessClassifier::on_kernel(kernel()).fit(&x, &second()).unwrap();
    let report = model.report();
    assert_eq!(report.status, Status::Converged);
    assert!(-report.objective > LEARNED - 1e-5, "{report:?}");
}

#[test]
fn slopes_are_differences() {
    let x = iris();
    let labels: Vec<usize> = (0..30).map(|i| (i / 7) % 3).collect();
    let weights: Vec<f64> = (0..30).map(|i| [1.0, 0.5, 2.0, 0.0][i % 4]).collect();
    let plain = Data::new(&x, Labels::new(labels)).unwrap();
    let weighted = plain.clone().weights(&weights).unwrap();
    let kernel = 3.0 * ArdRbf::new(&[0.5, 0.2, 1.0]).unwrap();
    for data in [plain, weighted] {
        let found = laplace_likelihood(&kernel, &data, &Run::new()).unwrap();
        let values: Vec<f64> = free_parameters(&kernel).iter().map(|p| p.value).collect();
        for k in 0..values.len() {
            let moved = |step: f64| {
                let (mut kernel, mut values) = (kernel.clone(), values.clone());
                values[k] *= step.exp();
                set_free_parameters(&mut kernel, &values).unwrap();
                laplace_likelihood(&kernel, &data, &Run::new()).unwrap().value
            };
            // Differences whose error is that of the fifth derivative.
            let step = 1e-3;
            let slope = (8.0 * (moved(step) - moved(-step)) - moved(2.0 * step)
                + moved(-2.0 * step))
                / (12.0 * step);
            assert!((found.gradient[k] - slope).abs() < 1e-6, "{k}: {found:?} {slope}");
        }
    }
}

#[test]
fn weights_are_repeated_points() {
    let x = iris();
    let y = second();
    let weights: Vec<f64> = (0..30).map(|i| f64::from(1 + i % 2)).collect();
    let data = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
    let known = GaussianProcessClassifier::on_kernel(kernel()).fixed(true);
    let model = known.learn(&data, &mut Run::new()).unwrap();
    let twice: Vec<usize> = (0..30).chain((1..30).step_by(2)).collect();
    let repeated = kern_core::Points::select(&x, &twice).unwrap();
    let labels: Vec<bool> = twice.iter().map(|&i| y[i]).collect();
    let expected = known.fit(&repeated, &labels).unwrap();
    let (p, expected) = (model.predict_proba(&x).unwrap(), expected.predict_proba(&x).unwrap());
    assert!((0..30).all(|i| (p[(i, 0)] - expected[(i, 0)]).abs() < 1e-9));
}

#[test]
fn models_survive_their_files_and_bad_input_is_refused() {
    let x = iris();
    let model =
        GaussianProcessClassifier::on_kernel(kernel()).fixed(true).fit(&x, &second()).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let read: kern_solvers::model::ProbabilisticClassifier<
        kern_solvers::gaussian_process::LatentPosterior<
            Samples<f64>,
            kern_core::closure::Scaled<Rbf>,
        >,
        bool,
    > = serde_json::from_str(&text).unwrap();
    assert_eq!(read.predict_proba(&x).unwrap(), model.predict_proba(&x).unwrap());
    let damaged = text.replace("\"log_likelihood\":-15", "\"log_likelihood\":-1e999");
    assert!(damaged != text && serde_json::from_str::<serde_json::Value>(&damaged).is_err());

    let same = vec![true; 30];
    let known = GaussianProcessClassifier::on_kernel(kernel());
    assert!(matches!(known.fit(&x, &same), Err(Error::OneClass { .. })));
    assert!(matches!(known.clone().lower(-1.0).fit(&x, &second()), Err(Error::Core(_))));
    assert!(matches!(known.clone().spread(0.5).fit(&x, &second()), Err(Error::Core(_))));
    let data = Data::new(&x, &second()).unwrap();
    let mut small = Run::new().memory(MemoryBudget::bytes(1000));
    assert!(matches!(known.learn(&data, &mut small), Err(Error::Gram(_))));
}

/// Tables with one large constant column, of kernels that grow with it: a fit answers or says why not.
#[test]
fn large_constant_columns_are_refused_or_answered() {
    use kern_core::kernels::{Linear, Polynomial};
    use kern_core::{KernelSpec, MercerFormula};
    for constant in [1e2, 1e4, 1e8, 1e12] {
        let x = Samples::from_rows(&[[4.0, constant], [9.0, constant], [6.0, constant]]).unwrap();
        let labels = [false, true, true];
        let formula = |text: &str| -> MercerFormula<Samples<f64>> {
            text.parse::<KernelSpec>().unwrap().build_mercer().unwrap()
        };
        let kernels = [
            formula("linear"),
            formula("poly(degree=3, gamma=0.5, coef0=0)"),
            formula("linear + rbf(gamma=1)"),
            formula("poly(degree=2, gamma=1, coef0=1) + constant(value=0.1)"),
        ];
        for kernel in kernels {
            let fitted = GaussianProcessClassifier::on_kernel(kernel.clone()).fit(&x, &labels);
            let Ok(model) = fitted else { continue };
            let probabilities = model.predict_proba(&x).unwrap();
            let finite = (0..3).all(|i| probabilities[(i, 0)].is_finite());
            assert!(finite, "{kernel} {constant}: {probabilities:?}");
        }
    }
    // Nothing is learned from inner products that are 0, which is an answer: one half.
    let zeros = Samples::from_rows(&[[0.0], [0.0]]).unwrap();
    for model in [
        GaussianProcessClassifier::on_kernel(1.0 * Linear)
            .fit(&zeros, &[false, true])
            .map(|m| m.predict(&zeros)),
        GaussianProcessClassifier::on_kernel(1.0 * Polynomial::new(1.0, 0.0, 2).unwrap())
            .fit(&zeros, &[false, true])
            .map(|m| m.predict(&zeros)),
    ] {
        assert!(model.is_err() || model.unwrap().is_ok());
    }
}
