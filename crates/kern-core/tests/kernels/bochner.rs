//! Spectral densities of profiles against closed forms, profiles that are no kernels with the places where their
//! densities are least, and the laws of frequencies.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::bochner::{NegativePart, ProfileSpectrum, ProfileTransform};
use kern_core::kernels::{Cauchy, FnKernel, Laplacian, Matern32, Matern52, Polynomial, Rbf};
use kern_core::{Error, Kernel, KernelSpec, Samples, Spectral};
use proptest::prelude::*;
use std::f64::consts::{LN_2, PI, SQRT_2, TAU};

/// The density within its own error, which has to be small beside the density at 0.
fn check_density<K: Kernel<Samples<f64>>>(kernel: &K, scale: f64, exact: impl Fn(f64) -> f64) {
    let transform = ProfileTransform::of_kernel(kernel).unwrap();
    assert!(transform.error() < 1e-12 * exact(0.0), "{} of {}", transform.error(), exact(0.0));
    for t in [0.0, 1e-6, 0.03, 0.4, 1.0, 1.7, 3.0, 5.5, 20.0, 300.0, 1e4, 1e8, 1e15] {
        for omega in [scale * t, -scale * t] {
            let (found, exact) = (transform.density(omega), exact(omega));
            let off = (found - exact).abs();
            assert!(off <= transform.error(), "{omega}: {found} for {exact}, {transform:?}");
        }
    }
    assert_eq!(transform.negative_part(), None);
    assert!(ProfileSpectrum::new(&transform).unwrap().error() < 1e-5);
}

#[test]
fn densities_are_the_closed_forms_at_every_scale() {
    for scale in [1e-8, 0.3, 1.0, 7e6_f64] {
        // ω ~ N(0, 2γ); Cauchy(0, γ); Laplace(0, γ).
        let gamma = 0.5 * scale * scale;
        check_density(&Rbf::new(gamma).unwrap(), scale, |w| {
            (-0.5 * (w / scale).powi(2)).exp() / (scale * TAU.sqrt())
        });
        check_density(&Laplacian::new(scale).unwrap(), scale, |w| {
            1.0 / (PI * scale * (1.0 + (w / scale).powi(2)))
        });
        check_density(&Cauchy::new(scale).unwrap(), scale, |w| {
            (-(w / scale).abs()).exp() / (2.0 * scale)
        });
        // Student's t with 3 and 5 degrees of freedom.
        check_density(&Matern32::new(scale.recip()).unwrap(), scale, |w| {
            2.0 / (PI * 3.0_f64.sqrt() * scale * (1.0 + (w / scale).powi(2) / 3.0).powi(2))
        });
        check_density(&Matern52::new(scale.recip()).unwrap(), scale, |w| {
            let t = 1.0 + (w / scale).powi(2) / 5.0;
            8.0 / (3.0 * PI * 5.0_f64.sqrt() * scale * t.powi(3))
        });
    }
}

/// Formulas have their spectrum in closed form, or have none; a power is computed all the same.
#[test]
fn a_formula_without_a_spectrum_has_a_density() {
    let spec: KernelSpec = "3*rbf(gamma=1)^2".parse().unwrap();
    assert!(matches!(spec.spectrum(), Err(Error::NoSpectrum { family: "power" })));
    let transform = ProfileTransform::of_kernel(&spec.build::<Samples<f64>>().unwrap()).unwrap();
    assert_eq!(transform.mass().to_bits(), 3.0_f64.to_bits());
    for omega in [0.0, 1.0, 5.0_f64] {
        let exact = (-omega * omega / 8.0).exp() / (2.0 * TAU.sqrt());
        assert!((transform.density(omega) - exact).abs() <= transform.error());
    }
    // Where a formula has a spectrum, its frequencies are those of the density, here of the sum of a normal and
    // a Cauchy variable, whose characteristic function is the formula.
    let spec: KernelSpec = "rbf(gamma=0.5)*laplacian(gamma=0.7)".parse().unwrap();
    let computed = ProfileTransform::of_kernel(&spec.build::<Samples<f64>>().unwrap()).unwrap();
    let computed = ProfileSpectrum::new(&computed).unwrap();
    let closed = spec.spectrum().unwrap();
    let mut rng =
        <rand_chacha::ChaCha8Rng as rand_chacha::rand_core::SeedableRng>::seed_from_u64(1);
    let count = 100_000;
    let median_of_upper_half = computed.quantile(0.75);
    let below = |_: &usize| {
        let mut omega = [0.0];
        closed.add_frequency(&mut rng, &mut omega);
        omega[0] <= median_of_upper_half
    };
    let share = (0..count).filter(below).count() as f64 / f64::from(count as u32);
    // Hoeffding, with a probability of 10⁻⁶.
    assert!((share - 0.75).abs() <= ((2e6_f64).ln() / (2.0 * f64::from(count as u32))).sqrt());
}

/// exp(−δ⁴), a smooth box and √(1 − |δ|): mpmath, 30 digits, `quad` of κ(δ)·cos(ωδ) over 32 intervals and `findroot`
/// of its derivative. The others in closed form.
#[test]
fn what_is_no_kernel_is_refused_with_the_place() {
    fn check(profile: impl Fn(f64) -> f64, omega: f64, density: f64) {
        let transform = ProfileTransform::new(profile).unwrap();
        let NegativePart { omega: found, density: smallest, error, .. } =
            transform.negative_part().unwrap();
        assert!((found - omega).abs() < 1e-6 * omega, "{found} for {omega}");
        assert!(
            (smallest - density).abs() <= error && error < 1e-10,
            "{smallest} for {density}: {error}"
        );
        assert_eq!(
            ProfileSpectrum::new(&transform).unwrap_err(),
            Error::NegativeDensity { omega: found, density: smallest, error }
        );
    }
    check(|d| (-d.powi(4)).exp(), 4.591_814_091_503_94, -0.029_806_510_937_064_7);
    let smooth_box = |d: f64| (1.0 + (-20.0_f64).exp()) / (1.0 + (20.0 * (d.abs() - 1.0)).exp());
    check(smooth_box, 4.458_181_700_193_04, -0.063_763_526_889_235_6);
    check(|d| (1.0 - d.abs()).max(0.0).sqrt(), 5.307_734_685_277_18, -0.017_126_252_389_692_2);
    // sin(ω)/(πω), least where tan ω = ω.
    let root = 4.493_409_457_909_064;
    check(|d| f64::from(d.abs() <= 1.0), root, root.sin() / (PI * root));
    // exp(−x)·(cos x + sin x)/(2√2) with x = ω/√2, least at x = π.
    let quartic = (SQRT_2 * PI, -(-PI).exp() / (2.0 * SQRT_2));
    check(|d| 1.0 / (1.0 + d.powi(4)), quartic.0, quartic.1);
    // The same with a scale, and a factor, which change the place and the size.
    check(|d| 5.0 / (1.0 + (d / 1e4).powi(4)), 1e-4 * quartic.0, 1e4 * quartic.1);
}

#[test]
fn kernels_whose_densities_touch_zero_are_accepted() {
    let cosine = |d: f64| (1.0 - d.abs()).max(0.0) * (PI * d).cos() + (PI * d.abs()).sin() / PI;
    let bohman = move |d: f64| if d.abs() < 1.0 { cosine(d) } else { 0.0 };
    let profiles: [&dyn Fn(f64) -> f64; 4] = [
        // 2(1 − cos ω)/(2πω²): zero at all multiples of 2π.
        &|d| (1.0 - d.abs()).max(0.0),
        &|d| (1.0 - d.abs()).max(0.0).powi(2),
        // The box folded with itself, in a smoother way.
        &bohman,
        // sech²(δ), whose density is ω/(2·sinh(πω/2)).
        &|d| d.cosh().powi(-2),
    ];
    for (k, profile) in profiles.iter().enumerate() {
        let transform = ProfileTransform::new(profile).unwrap();
        assert!(transform.error() < 1e-12, "{k}: {transform:?}");
        assert_eq!(transform.negative_part(), None, "{k}");
        assert!(ProfileSpectrum::new(&transform).unwrap().error() < 1e-3, "{k}");
    }
    let triangle = ProfileTransform::new(profiles[0]).unwrap();
    for omega in [1e-3, 1.0, TAU, 9.0, 1e3_f64] {
        let exact = 2.0 * (0.5 * omega).sin().powi(2) / (PI * omega * omega);
        assert!((triangle.density(omega) - exact).abs() <= triangle.error(), "{omega}");
    }
    let sech = ProfileTransform::new(profiles[3]).unwrap();
    let exact = 0.171_582_892_388_727;
    assert!((sech.density(1.3) - exact).abs() < 1e-14);
}

/// A tail that oscillates and decays slowly costs accuracy, and the error says how much.
#[test]
fn the_error_is_honest_where_it_is_great() {
    let squared_sinc = |d: f64| if d.abs() < 1e-9 { 1.0 } else { (d.sin() / d).powi(2) };
    let transform = ProfileTransform::new(squared_sinc).unwrap();
    assert!(transform.error() < 1e-2, "{transform:?}");
    for omega in [0.0, 0.1, 0.7, 1.3, 1.9, 2.0, 2.1, 5.0, 100.0] {
        let exact = f64::max(2.0 - omega, 0.0) / 4.0;
        let off = (transform.density(omega) - exact).abs();
        assert!(off <= transform.error(), "{omega}: {off}, {transform:?}");
    }
    assert_eq!(transform.negative_part(), None);
}

/// Peaks far from 0, as narrow as a 200th of their frequency; of more waves than can be resolved, an error.
#[test]
fn frequencies_far_from_zero_are_found() {
    let wave = |place: f64| move |d: f64| (place * d).cos() * (-0.5 * d * d).exp();
    assert!(matches!(ProfileTransform::new(wave(1e5)), Err(Error::NoDensity { .. })));
    for place in [30.0, 200.0] {
        let wave = wave(place);
        let transform = ProfileTransform::new(wave).unwrap();
        let spectrum = ProfileSpectrum::new(&transform).unwrap();
        // Half of N(place, 1), and half of N(−place, 1).
        assert!((spectrum.quantile(0.75) - place).abs() < 1e-6, "{place}");
        assert!((transform.density(place) - 0.5 / TAU.sqrt()).abs() <= transform.error());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// κ(δ) = exp(−δ²/2) − b·exp(−δ²/(2s²)), s > 1, has a density proportional to exp(−ω²/2) − bs·exp(−s²ω²/2),
    /// which is negative exactly if bs > 1, and least at 0 then.
    #[test]
    fn the_border_between_kernels_and_others_is_found(s in 1.5..6.0_f64, off in 1e-9..0.3_f64) {
        for (b, is_kernel) in [((1.0 - off) / s, true), ((1.0 + off) / s, false)] {
            let profile = |d: f64| (-0.5 * d * d).exp() - b * (-0.5 * (d / s).powi(2)).exp();
            let transform = ProfileTransform::new(profile).unwrap();
            let exact = (1.0 - b * s) / (TAU.sqrt() * (1.0 - b));
            prop_assert_eq!(transform.negative_part().is_none(), is_kernel);
            if let Some(negative) = transform.negative_part() {
                prop_assert!((negative.density - exact).abs() <= negative.error);
                prop_assert!(negative.omega < 1e-3);
            }
        }
    }
}

/// F(quantile(u)) = u by closed forms, to within the error that the sampler states.
#[test]
fn quantiles_are_those_of_the_closed_forms() {
    fn check<K: Kernel<Samples<f64>>>(kernel: &K, largest: f64, cdf: impl Fn(f64) -> f64) {
        let transform = ProfileTransform::of_kernel(kernel).unwrap();
        let spectrum = ProfileSpectrum::new(&transform).unwrap();
        assert!(spectrum.error() <= largest, "{spectrum:?}");
        for k in 1..1000 {
            let u = f64::from(k) / 1000.0;
            let omega = spectrum.quantile(u);
            assert!((cdf(omega) - u).abs() <= spectrum.error() + 1e-15, "{u}: {omega}");
            assert!((spectrum.quantile(1.0 - u) + omega).abs() <= 1e-9 * (1.0 + omega.abs()));
        }
        // Far tails: the power law continues the density.
        for u in [1e-9, 1e-12_f64] {
            let (there, exact) = (cdf(spectrum.quantile(u)), u);
            assert!((there - exact).abs() <= spectrum.error(), "{there} for {u}");
        }
    }
    check(&Rbf::new(0.5).unwrap(), 1e-8, |w| 0.5 * libm::erfc(-w / SQRT_2));
    check(&Cauchy::new(2.0).unwrap(), 1e-8, |w| {
        let half = 0.5 * (-w.abs() / 2.0).exp();
        if w < 0.0 { half } else { 1.0 - half }
    });
    // Below 0 without the cancellation in ½ + atan(ω/3)/π.
    check(&Laplacian::new(3.0).unwrap(), 1e-5, |w| {
        if w < 0.0 { (-3.0 / w).atan() / PI } else { 1.0 - (3.0 / w).atan() / PI }
    });
    // The tail of a Cauchy law, far beyond the pieces: ω = −γ/(πu) to a relative part of it.
    let laplacian = ProfileTransform::of_kernel(&Laplacian::new(3.0).unwrap()).unwrap();
    let far = ProfileSpectrum::new(&laplacian).unwrap().quantile(1e-9);
    assert!((far * PI * 1e-9 / -3.0 - 1.0).abs() < 0.2, "{far}");
}

#[test]
fn a_spectrum_is_for_one_coordinate_and_adds() {
    let transform = ProfileTransform::new(|d| 2.0 * (-d.abs()).exp()).unwrap();
    let spectrum = ProfileSpectrum::new(&transform).unwrap();
    assert_eq!(spectrum.check_spectrum(1), Ok(()));
    assert!(matches!(spectrum.check_spectrum(2), Err(Error::Dimension { expected: 1, .. })));
    assert_eq!((spectrum.uniforms(1), spectrum.uniforms(2)), (Some(1), None));
    assert_eq!(spectrum.mass().to_bits(), 2.0_f64.to_bits());
    let mut omega = [10.0];
    spectrum.add_frequency_at(&[0.75], &mut omega);
    assert!((omega[0] - 11.0).abs() < 1e-6, "the upper quartile of a Cauchy law: {omega:?}");
}

#[test]
fn profiles_that_are_none_are_typed_errors() {
    let error = |profile: &dyn Fn(f64) -> f64| ProfileTransform::new(profile).unwrap_err();
    for mass in [0.0, -1.0] {
        let expected = Error::Profile { at: 0.0, given: mass, required: "a number > 0" };
        assert_eq!(error(&|d: f64| mass * (-d * d).exp()), expected);
    }
    assert!(matches!(error(&|_| f64::NAN), Error::Profile { given, .. } if given.is_nan()));
    let infinite = |d: f64| if d > 3.0 { f64::INFINITY } else { (-d * d).exp() };
    assert!(matches!(error(&infinite), Error::Profile { given: f64::INFINITY, .. }));
    let uneven = |d: f64| (-d * d).exp() * (1.0 + 1e-6 * d.tanh());
    assert!(matches!(error(&uneven), Error::Uneven { .. }));
    assert!(matches!(error(&|d: f64| (-d).exp().min(1.0)), Error::Uneven { .. }));
    let not_integrable: [&dyn Fn(f64) -> f64; 6] = [
        &|_| 1.0,
        &f64::cos,
        &|d| 1.0 / (1.0 + d.abs()),
        &|d| (1.0 + d * d).powf(-0.5),
        &|d| 0.5 + 0.5 * (-d * d).exp(),
        // White noise.
        &|d| f64::from(d.abs() < f64::MIN_POSITIVE),
    ];
    for (k, profile) in not_integrable.iter().enumerate() {
        assert!(matches!(error(profile), Error::NoDensity { .. }), "{k}: {}", error(profile));
    }
    // Just integrable.
    assert!(ProfileTransform::new(|d| (1.0 + d * d).powf(-0.6)).is_ok());
}

#[test]
fn kernels_that_are_not_of_differences_are_typed_errors() {
    let shifting = FnKernel::new(|x: &[f64], y: &[f64]| {
        (-(x[0] - y[0]).powi(2) - LN_2 * (x[0] * y[0]).abs()).exp()
    });
    let error = ProfileTransform::of_kernel(&shifting).unwrap_err();
    assert!(matches!(error, Error::NotStationary { .. }), "{error}");
    assert!(ProfileTransform::of_kernel(&Polynomial::new(1.0, 1.0, 2).unwrap()).is_err());
}
