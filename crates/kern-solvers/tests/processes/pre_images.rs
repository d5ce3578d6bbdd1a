//! Pre-images: against minima that SciPy finds, of points that have one, and of real data with noise.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::iris::X as IRIS;
use crate::real::claim;
use crate::regression::rows_of;
use kern_core::gradient::PointGradient;
use kern_core::kernels::{Exponential, Laplacian, Matern52, Rbf};
use kern_core::{Mercer, Points, Samples};
use kern_solvers::components::KernelPca;
use kern_solvers::{Error, Transformer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// ```python
/// X = load_iris().data[1::5][:, :3]  # scikit-learn 1.9.1, numpy 2.4.6, scipy 1.17.1
/// k = lambda a, b: np.exp(-0.5 * ((a[:, None] - b[None])**2).sum(-1))
/// K = k(X, X); H = np.eye(30) - 1/30; w, V = np.linalg.eigh(H @ K @ H); w = w[::-1][:3]; V = V[:, ::-1][:, :3]
/// V *= np.sign(V[abs(V).argmax(0), range(3)]); A = H @ V / np.sqrt(w); c = 1/30 + A @ z
/// f = lambda x: 1 - 2 * (k(x[None], X)[0] @ c) + c @ K @ c
/// min((minimize(f, x, method="BFGS", options=dict(gtol=1e-12)) for x in X), key=lambda r: r.fun)  # with its gradient
/// ```
const MINIMA: [([f64; 3], [f64; 3], f64); 4] = [
    ([0.3, 0.1, -0.2], [5.12997872, 3.52982729, 1.49594714], 0.34143087130357763),
    ([-0.5, 0.2, 0.1], [5.88039875, 2.84496994, 4.57099781], 0.08721876438618481),
    ([0.9, -0.6, 0.4], [4.95438035, 3.31530847, 1.42174097], 0.5933558566301769),
    ([0.0, 0.0, 0.0], [6.14832238, 2.9157383, 4.73558839], 0.3561113357366488),
];

#[test]
fn the_nearest_images_are_those_of_scipy() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let model = KernelPca::on_kernel(Rbf::new(0.5).unwrap(), 3).fit(&x).unwrap();
    let z = Samples::from_rows(&MINIMA.map(|(z, _, _)| z)).unwrap();
    let found = model.pre_images(&z).unwrap();
    for (j, (_, point, distance)) in MINIMA.into_iter().enumerate() {
        let (at, square) = (found.points().item(j), found.squared_distances()[j]);
        assert!((square - distance).abs() < 1e-8, "{j}: {square} {distance}");
        assert!(at.iter().zip(point).all(|(a, b)| (a - b).abs() < 1e-3), "{j}: {at:?} {point:?}");
    }
}

/// With all components a point of the fit is its own pre-image.
fn points_are_found<K: Mercer<Samples<f64>> + PointGradient<f64> + Clone>(kernel: K) {
    let x = Samples::from_rows(&IRIS).unwrap();
    let model = KernelPca::on_kernel(kernel, 29).fit(&x).unwrap();
    let found = model.pre_images(&model.transform(&x).unwrap()).unwrap();
    for j in 0..x.len() {
        let pairs = found.points().item(j).iter().zip(x.item(j));
        let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3 && found.squared_distances()[j] < 1e-7, "{j}: {off}");
    }
}

#[test]
fn points_are_their_own_pre_images() {
    points_are_found(Rbf::new(0.5).unwrap());
    points_are_found(Matern52::new(1.0).unwrap());
    points_are_found(Exponential::new(0.5).unwrap());
    points_are_found(Laplacian::new(0.3).unwrap());
    points_are_found(Rbf::new(0.5).unwrap() + 0.5 * Matern52::new(1.0).unwrap());
}

/// Standardised digits with noise: pre-images of some components are nearer to what they were.
#[test]
fn digits_lose_noise() {
    let (x, _) = rows_of("digits").unwrap();
    let train = x.keep(&(0..100).collect::<Vec<_>>()).unwrap();
    let clean = x.keep(&(100..120).collect::<Vec<_>>()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let noisy = clean.as_slice().iter().map(|v| v + rng.sample::<f64, _>(StandardNormal));
    let noisy = Samples::from_row_major(clean.dim(), noisy.collect()).unwrap();
    let model = KernelPca::on_kernel(Rbf::new(2e-3).unwrap(), 20).fit(&train).unwrap();
    let found = model.pre_images(&model.transform(&noisy).unwrap()).unwrap();
    let error = |a: &Samples<f64>| -> f64 {
        a.as_slice().iter().zip(clean.as_slice()).map(|(a, b)| (a - b).powi(2)).sum()
    };
    let share = error(found.points()) / error(&noisy);
    let what = "pre-images of 20 components have at most 75 % of the squared noise";
    claim(share < 0.75, "digits", what, format_args!("{:.1} %", 100.0 * share));
}

#[test]
fn components_of_another_number_are_refused() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let model = KernelPca::on_kernel(Rbf::new(0.5).unwrap(), 3).fit(&x).unwrap();
    let two = Samples::from_rows(&[[0.0, 1.0]]).unwrap();
    assert_eq!(
        model.pre_images(&two).unwrap_err(),
        Error::Length { what: "components", expected: 3, given: 2 }
    );
}
