//! Canonical correlations: against SciPy on real data, by their definition on features, with weights.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::data::{columns, labelled, normal};
use crate::real;
use kern_approx::Nystrom;
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Identity, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::canonical::{CanonicalCorrelations, KernelCca, SecondView};
use kern_solvers::model::FeatureExpansion;
use kern_solvers::{Data, Error, Learner, Run};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Standardised wine, columns 0 to 5 and 6 to 12; numpy 2.4.6, scipy 1.17.1:
///
/// ```python
/// K, L = rbf(A, A, 1/6), rbf(B, B, 1/7); n = len(A); kappa = 0.01
/// def root(K): w, U = np.linalg.eigh(K); return U * np.sqrt(w), U / np.sqrt(w)
/// (F, Fi), (G, Gi) = root(K), root(L); Fc, Gc = F - F.mean(0), G - G.mean(0)
/// LA = cholesky(Fc.T @ Fc / n + kappa * np.eye(n), lower=True)  # LB alike
/// M = solve_triangular(LA, Fc.T @ Gc / n, lower=True); M = solve_triangular(LB, M.T, lower=True).T
/// U, S, Vt = np.linalg.svd(M); a = solve_triangular(LA.T, U[:, :4])  # b alike
/// f = rbf(A[:2] + 0.1, A, 1/6) @ (Fi @ a) - F.mean(0) @ a  # g at B[:2] - 0.1; f * g
/// ```
const CORRELATIONS: [f64; 4] =
    [0.8790081377178817, 0.7684489831049295, 0.586760210017226, 0.5475769201830689];
const PRODUCTS: [[f64; 4]; 2] = [
    [1.9779304331557492, 0.12963141656705182, 0.06580681638424354, 0.3552977045832626],
    [0.8487897691112315, -0.008412336397430407, 0.10312509388579306, 0.3235679646573638],
];
const MAGNITUDES: [[f64; 4]; 2] = [
    [1.3473037130227214, 0.34518532794905155, 0.3655286113992934, 0.6147825040879683],
    [1.0392789790362018, 0.059042839847864514, 0.436080515478629, 0.3406016058094402],
];

fn shifted(x: &Samples<f64>, by: f64) -> Samples<f64> {
    let rows: Vec<Vec<f64>> =
        (0..2).map(|i| x.item(i).iter().map(|value| value + by).collect()).collect();
    Samples::from_rows(&rows).unwrap()
}

#[test]
fn correlations_are_those_of_dense_matrices() {
    let (x, _) = labelled("wine").unwrap();
    let (a, b) = (columns(&x, 0..6), columns(&x, 6..13));
    let whole = |gamma| Nystrom::new(Rbf::new(gamma).unwrap()).landmarks(178);
    let cca = KernelCca::on_landmarks(whole(1.0 / 6.0), whole(1.0 / 7.0), 4);
    let model = cca.fit(&a, &b).unwrap();
    let pairs = model.correlations().iter().zip(CORRELATIONS);
    let worst = pairs.map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max);
    let claim = "canonical correlations of SciPy to 1e-9";
    real::claim(worst < 1e-9, "wine", claim, format_args!("worst difference {worst:.1e}"));
    let f = model.first(&shifted(&a, 0.1)).unwrap();
    let g = model.second(&shifted(&b, -0.1)).unwrap();
    for i in 0..2 {
        for p in 0..4 {
            let (product, magnitude) = (f[(i, p)] * g[(i, p)], f[(i, p)].abs());
            assert!((product - PRODUCTS[i][p]).abs() < 1e-7, "{product} {}", PRODUCTS[i][p]);
            assert!((magnitude - MAGNITUDES[i][p]).abs() < 1e-7, "{magnitude}");
        }
    }
    // Few landmarks see nearly as much.
    let few = |gamma| Nystrom::new(Rbf::new(gamma).unwrap()).landmarks(60);
    let few = KernelCca::on_landmarks(few(1.0 / 6.0), few(1.0 / 7.0), 1).fit(&a, &b).unwrap();
    let found = few.correlations()[0];
    assert!(found <= CORRELATIONS[0] + 1e-9 && found > 0.95 * CORRELATIONS[0], "{found}");
}

/// Two views of what is common to them, and noise.
fn views(n: usize) -> (Samples<f64>, Samples<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let (common, x, y) =
        (normal(&mut rng, n, 1, 0.0), normal(&mut rng, n, 2, 1.0), normal(&mut rng, n, 3, 0.0));
    let row = |noise: &Samples<f64>, i: usize| {
        let mut row = noise.item(i).to_vec();
        row[1] += 2.0 * common.item(i)[0];
        row
    };
    let rows = |noise: &Samples<f64>| (0..n).map(|i| row(noise, i)).collect::<Vec<_>>();
    (Samples::from_rows(&rows(&x)).unwrap(), Samples::from_rows(&rows(&y)).unwrap())
}

#[test]
fn functions_have_the_moments_of_the_definition() {
    type Model =
        CanonicalCorrelations<FeatureExpansion<Identity, f64>, FeatureExpansion<Identity, f64>>;
    let (x, y) = views(200);
    let weights: Vec<f64> = (0..200).map(|i| [1.0, 2.0, 0.0][i % 3]).collect();
    let total: f64 = weights.iter().sum();
    let penalty = 0.3;
    let cca = KernelCca::on_features(Identity::new(2), Identity::new(3), 2).penalty(penalty);
    let model: Model = {
        let data = Data::new(&x, SecondView::new(&y)).unwrap().weights(&weights).unwrap();
        cca.learn(&data, &mut Run::new()).unwrap()
    };
    let (f, g) = (model.first(&x).unwrap(), model.second(&y).unwrap());
    let mean = |values: &dyn Fn(usize) -> f64| {
        (0..200).map(|i| weights[i] * values(i)).sum::<f64>() / total
    };
    let (w, v) = (model.functions().0.weights(), model.functions().1.weights());
    for p in 0..2 {
        assert!(mean(&|i| f[(i, p)]).abs() < 1e-12 && mean(&|i| g[(i, p)]).abs() < 1e-12);
        for q in 0..2 {
            let unit = f64::from(u8::from(p == q));
            let of_w: f64 = (0..2).map(|j| w[(j, p)] * w[(j, q)]).sum();
            let of_v: f64 = (0..3).map(|j| v[(j, p)] * v[(j, q)]).sum();
            assert!((mean(&|i| f[(i, p)] * f[(i, q)]) + penalty * of_w - unit).abs() < 1e-11);
            assert!((mean(&|i| g[(i, p)] * g[(i, q)]) + penalty * of_v - unit).abs() < 1e-11);
            let expected = unit * model.correlations()[p];
            assert!((mean(&|i| f[(i, p)] * g[(i, q)]) - expected).abs() < 1e-11);
        }
    }
    assert!(model.correlations()[0] > 0.5 && model.correlations()[1] < 0.2);
    // Repeated points, and the same on the kernel.
    let repeated: Vec<usize> =
        (0..200).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let (x, y) = (x.select(&repeated).unwrap(), y.select(&repeated).unwrap());
    let whole = cca.fit(&x, &y).unwrap();
    let linear = |m| Nystrom::new(Linear).landmarks(m);
    let kernel = KernelCca::on_landmarks(linear(2), linear(3), 2).penalty(penalty);
    let kernel = kernel.fit(&x, &y).unwrap();
    for (p, &expected) in model.correlations().iter().enumerate() {
        assert!((whole.correlations()[p] - expected).abs() < 1e-12);
        assert!((kernel.correlations()[p] - expected).abs() < 1e-10);
    }
    let read: Model = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
    assert_eq!(read, model);
}

#[test]
fn what_has_no_correlations_is_refused() {
    let (x, y) = views(10);
    let cca = |count| KernelCca::on_features(Identity::new(2), Identity::new(3), count);
    assert!(matches!(cca(0).fit(&x, &y), Err(Error::Count { given: 0, .. })));
    assert!(matches!(cca(3).fit(&x, &y), Err(Error::Count { given: 3, .. })));
    assert!(matches!(cca(1).penalty(0.0).fit(&x, &y), Err(Error::Core(_))));
    let few = y.select(&[0, 1]).unwrap();
    assert!(matches!(cca(1).fit(&x, &few), Err(Error::Length { given: 2, .. })));
    let none = (x.select(&[]).unwrap(), y.select(&[]).unwrap());
    assert_eq!(cca(1).fit(&none.0, &none.1).map(|_| ()), Err(Error::Empty));
    let constant = x.select(&[0; 10]).unwrap();
    assert!(matches!(cca(1).fit(&constant, &y), Err(Error::Unsupported { .. })));
    let mut small = Run::new().memory(MemoryBudget::bytes(100));
    let data = Data::new(&x, SecondView::new(&y)).unwrap();
    assert!(matches!(cca(1).learn(&data, &mut small), Err(Error::Gram(_))));
}
