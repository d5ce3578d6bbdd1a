//! Kernels from formulas are values: cloned, compared, stored; they have the bits of typed kernels by
//! every method, their spectrum, and no size that breaks them.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::{Exp, Normalized, Power};
use kern_core::faer::Mat;
use kern_core::kernels::{Cosine, Laplacian, Linear, Matern32, Rbf, Spectrum};
use kern_core::{
    Binding, Error, FormulaKernel, FormulaSpectrum, Kernel, KernelSpec, Mercer, MercerFormula,
    Points, Samples, Scratch, Spectral, Tile, contract,
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use std::fmt::Display;

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The bits of `block`, `bind` and `diag` on all points.
fn bits<P: Points<Scalar = f64>>(kernel: &dyn Kernel<P>, points: &P) -> Vec<u64> {
    let (n, mut scratch) = (points.len(), Scratch::new());
    let (mut block, mut bound) = (Mat::zeros(n, n), Mat::zeros(n, n));
    kernel.block(&Tile::new(points, 0..n, points, 0..n), block.as_mut(), &mut scratch);
    Binding::new(kernel, points, points).block(0..n, 0..n, bound.as_mut(), &mut scratch);
    let all = [block, bound].into_iter().flat_map(|m| {
        m.col_iter().flat_map(|c| c.iter().copied().collect::<Vec<_>>()).collect::<Vec<f64>>()
    });
    all.chain((0..n).map(|i| kernel.diag(points, i))).map(f64::to_bits).collect()
}

fn assert_same<K: Mercer<Samples<f64>> + Display>(typed: &K) {
    let built = spec(&typed.to_string()).build_mercer::<Samples<f64>>().unwrap();
    for (name, points) in contract::sample_sets::<f64>(3).unwrap() {
        assert_eq!(bits(&built, &points), bits(typed, &points), "{typed} on {name}");
        let orders = |k: &dyn Kernel<Samples<f64>>| {
            k.search_order().is_some_and(|search| search.order(&points, &points).is_some())
        };
        assert_eq!(orders(&built), orders(typed), "{typed}");
    }
}

#[test]
fn built_kernels_have_the_bits_of_typed_ones() {
    let (rbf, laplacian) = (Rbf::new(0.1).unwrap(), Laplacian::new(2.0).unwrap());
    assert_same(&(0.5 * rbf));
    assert_same(&(rbf + Linear + 0.5 * laplacian + Cosine));
    assert_same(&(rbf * laplacian * Cosine * rbf));
    assert_same(&Power::new(Exp::new(0.5 * Normalized::new(Linear + rbf)), 3));
    // What is bound once per collection passes through sums and products.
    let typed = Spectrum::new(2).unwrap() + 0.5 * Spectrum::blended(1).unwrap();
    let words: Vec<String> = ["abcab", "ab cd", "", "abcab"].map(String::from).to_vec();
    let built = spec(&typed.to_string()).build_mercer::<Vec<String>>().unwrap();
    assert!(Binding::new(&built, &words, &words).is_bound());
    assert_eq!(bits(&built, &words), bits(&typed, &words));
}

#[test]
fn built_kernels_are_values() {
    let kernel = spec("0.5*rbf(gamma=0.1) + linear").build_mercer::<Samples<f64>>().unwrap();
    assert_eq!(kernel.clone(), kernel);
    assert_ne!(kernel, spec("0.5*rbf(gamma=0.2) + linear").build_mercer().unwrap());
    assert_eq!(kernel.to_string(), "0.5*rbf(gamma=0.1) + linear");
    assert_eq!(format!("{kernel:?}"), "MercerFormula(0.5*rbf(gamma=0.1) + linear)");
    assert_eq!((Linear * kernel.clone()).to_string(), "linear*(0.5*rbf(gamma=0.1) + linear)");
    assert_eq!((2.0 * kernel.clone()).to_string(), "2*(0.5*rbf(gamma=0.1) + linear)");
    let text = serde_json::to_string(&kernel).unwrap();
    assert_eq!(text, "\"0.5*rbf(gamma=0.1) + linear\"");
    let read: MercerFormula<Samples<f64>> = serde_json::from_str(&text).unwrap();
    let points = Samples::from_rows(&[[1.0, 2.0], [0.5, 0.0]]).unwrap();
    assert_eq!((bits(&read, &points), &read), (bits(&kernel, &points), &kernel));
    // A file goes through the checks of building.
    let refused = |text: &str| serde_json::from_str::<MercerFormula<Samples<f64>>>(text).is_err();
    assert!(refused("\"sigmoid(gamma=1)\"") && refused("\"rbf(gamma=0)\""));
    assert!(refused("\"spectrum(k=2)\"") && refused("3"));
    let plain: FormulaKernel<Samples<f64>> = serde_json::from_str("\"sigmoid(gamma=1)\"").unwrap();
    assert_eq!(plain.clone(), plain);
    assert_eq!(plain.to_string(), "sigmoid(gamma=1, coef0=0)");
}

#[test]
fn spectrum_is_that_of_the_typed_kernel() {
    let (rbf, laplacian) = (Rbf::new(0.1).unwrap(), Laplacian::new(2.0).unwrap());
    let matern = Matern32::new(0.7).unwrap();
    same_spectrum(&rbf);
    same_spectrum(&(0.5 * rbf + matern));
    same_spectrum(&(rbf * laplacian * matern));
    same_spectrum(&(0.25 * (0.5 * rbf + matern) * laplacian));
}

/// The same frequencies from the same random numbers.
fn same_spectrum<K: Spectral + Display>(typed: &K) {
    let built = spec(&typed.to_string()).spectrum().unwrap();
    let text = serde_json::to_string(&built).unwrap();
    let read: FormulaSpectrum = serde_json::from_str(&text).unwrap();
    let kernel = spec(&typed.to_string()).build_mercer::<Samples<f32>>().unwrap();
    assert_eq!((&read, kernel.spectrum().as_ref()), (&built, Ok(&built)));
    for dim in [1, 3] {
        for given in [&built as &dyn Spectral, &read, &kernel] {
            assert_eq!(given.mass().to_bits(), typed.mass().to_bits());
            assert_eq!(given.is_isotropic(), typed.is_isotropic());
            assert_eq!(given.uniforms(dim), typed.uniforms(dim));
            assert_eq!(given.check_spectrum(dim), Ok(()));
            let uniforms: Vec<f64> = (0..typed.uniforms(dim).unwrap())
                .map(|k| (0.3 + 0.618 * k as f64).fract())
                .collect();
            for seed in 0..20 {
                let draw = |k: &dyn Spectral| {
                    let (mut random, mut at) = (vec![0.0; dim], vec![0.0; dim]);
                    k.add_frequency(&mut ChaCha8Rng::seed_from_u64(seed), &mut random);
                    k.add_frequency_at(&uniforms, &mut at);
                    (random, at)
                };
                assert_eq!(draw(given), draw(typed), "{typed}");
            }
        }
    }
}

/// Three parts with masses ½, 1 and 1½: χ² with two degrees of freedom of 6000 choices is above 20.7 with
/// probability 3·10⁻⁵. The parts differ in scale by 10⁶, so a frequency tells its part.
#[test]
fn spectrum_of_many_terms_is_the_mixture_by_mass() {
    let text = "0.5*rbf(gamma=1e-12) + rbf(gamma=1) + 1.5*rbf(gamma=1e12)";
    let spectrum = spec(text).spectrum().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut counts = [0.0; 3];
    for _ in 0..6000 {
        let mut omega = [0.0; 3];
        spectrum.add_frequency(&mut rng, &mut omega);
        let size = omega.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        counts[usize::from(size > 1e-3) + usize::from(size > 1e3)] += 1.0;
    }
    let expected = [1000.0, 2000.0, 3000.0];
    let chi2: f64 = counts.iter().zip(expected).map(|(n, e)| (n - e) * (n - e) / e).sum();
    assert!(chi2 < 20.7, "{counts:?}");
}

#[test]
fn no_spectrum_is_a_typed_error() {
    for (text, family) in [
        ("linear", "linear"),
        ("rbf(gamma=1) + delta", "delta"),
        ("rbf(gamma=1)^2", "power"),
        ("exp(rbf(gamma=1))", "exp"),
        ("normalized(rbf(gamma=1))", "normalized"),
    ] {
        let none = Error::NoSpectrum { family };
        assert_eq!(spec(text).spectrum().err().as_ref(), Some(&none), "{text}");
        let kernel = spec(text).build_mercer::<Samples<f64>>().unwrap();
        assert_eq!(kernel.spectrum().err().as_ref(), Some(&none), "{text}");
        assert_eq!(kernel.check_spectrum(2), Err(none), "{text}");
    }
    let wrong = spec("ard_rbf(gamma=[1, 2])").build_mercer::<Samples<f64>>().unwrap();
    assert!(matches!(wrong.check_spectrum(3), Err(Error::Dimension { .. })));
    assert!(serde_json::from_str::<FormulaSpectrum>("\"linear\"").is_err());
}

fn many(count: usize, between: &str) -> String {
    vec!["rbf(gamma=1)"; count].join(between)
}

#[test]
fn long_formulas_are_flat_and_have_a_limit() {
    let x = Samples::from_rows(&[[1.0], [1.5]]).unwrap();
    for between in [" + ", "*"] {
        let kernel = spec(&many(10_000, between)).build_mercer::<Samples<f64>>().unwrap();
        let expected = if between == "*" { 1.0 } else { 10_000.0 };
        assert_eq!(kernel.diag(&x, 0).to_bits(), f64::to_bits(expected));
        assert_eq!(bits(&kernel, &x)[0], f64::to_bits(expected));
        assert_eq!(kernel.spectrum().unwrap().mass().to_bits(), f64::to_bits(expected));
        assert_eq!(kernel.clone(), kernel);
        let limit = 10_000;
        for given in [10_001, 60_000] {
            let error = many(given, between).parse::<KernelSpec>().unwrap_err();
            assert_eq!(error, Error::TooManyTerms { given, limit });
        }
    }
    // As deep as parentheses may be.
    let deep = "exp(".repeat(64) + "0*linear" + &")".repeat(64);
    let kernel = spec(&deep).build_mercer::<Samples<f64>>().unwrap();
    assert!(kernel.eval(&[1.0], &[1.0]).is_infinite());
    let deep = "(".repeat(63) + "linear" + &" + rbf(gamma=1))".repeat(63);
    let kernel = spec(&deep).build_mercer::<Samples<f64>>().unwrap();
    assert_eq!(kernel.eval(&[1.0], &[1.0]).to_bits(), 64.0_f64.to_bits());
}
