//! Every loop gives the same bits under every instruction set that the processor has.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::kernels::{Cauchy, ChiSquared, Intersection, Laplacian, Linear, Matern52, Rbf};
use crate::{Kernel, Samples, Scalar, Scratch, Tile, tile};
use faer::{Mat, MatMut, MatRef};
use pulp::{Arch, Simd, WithSimd};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::any::type_name;
use std::cell::Cell;

thread_local! {
    /// The instruction set for the loops of this thread; `None` selects the best.
    static CHOSEN: Cell<Option<Arch>> = const { Cell::new(None) };
}

/// The instruction set for the loops of this thread.
#[must_use]
pub fn arch() -> Arch {
    CHOSEN.get().unwrap_or_default()
}

/// The portable baseline, and all that the processor has beyond it.
fn instruction_sets() -> Vec<Arch> {
    let mut sets = vec![Arch::Scalar, Arch::new()];
    #[cfg(target_arch = "x86_64")]
    sets.extend(pulp::x86::V3::try_new().map(Arch::V3));
    sets
}

/// The bits of a value, with all NaNs identified: which NaN an operation returns is not specified.
fn bits<T: Scalar>(v: T) -> u64 {
    let v = v.to_f64();
    if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() }
}

/// Calls `run` under every instruction set; all must give the bits of the baseline.
fn assert_portable<T: Scalar>(what: &str, run: impl Fn() -> Vec<T>) {
    let under = |set| {
        CHOSEN.set(Some(set));
        let result: Vec<u64> = run().into_iter().map(bits).collect();
        CHOSEN.set(None);
        result
    };
    let sets = instruction_sets();
    let portable = under(sets[0]);
    for &set in &sets[1..] {
        assert_eq!(under(set), portable, "{what} of {} numbers under {set:?}", portable.len());
    }
}

/// Values of every size and sign, special values included.
fn hostile<T: Scalar>(len: usize, seed: u64) -> Vec<T> {
    let special = [
        [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0, 0.25],
        [5e-324, -1e-310, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 709.79, -708.0, -746.0],
        [1e-45, -1e-40, f64::from(f32::MAX), 3e38, 88.73, -86.94, -104.0, 0.625],
    ];
    let reach: f64 = if T::UNIT_ROUNDOFF > f64::EPSILON { 150.0 } else { 1075.0 };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let number = |_| {
        let value = match rng.random_range(0..4) {
            0 => special[rng.random_range(0..3)][rng.random_range(0..8)],
            1 => rng.random_range(-1.5_f64..1.5),
            2 => rng.random_range(-800.0_f64..800.0),
            _ => rng.random_range(-1.0_f64..1.0).signum() * rng.random_range(-reach..reach).exp2(),
        };
        T::from_f64(value)
    };
    (0..len).map(number).collect()
}

/// The slice lengths that are tried: all tails of all register sizes, and a long one.
fn lengths() -> impl Iterator<Item = usize> {
    (0..100).chain([10_007])
}

fn assert_map_portable<T: Scalar>(what: &str, map: impl Fn(&mut [T])) {
    for len in lengths() {
        let input = hostile::<T>(len, len as u64);
        assert_portable(what, || {
            let mut v = input.clone();
            map(&mut v);
            v
        });
    }
}

fn assert_maps_portable<T: Scalar>() {
    let [one, half] = [1.0, -0.5].map(T::from_f64);
    assert_map_portable::<T>("exp", |v| T::exp_scaled(v, one));
    assert_map_portable::<T>("exp, scaled", |v| T::exp_scaled(v, half));
    assert_map_portable::<T>("tanh", |v| T::tanh_affine(v, one, half));
    assert_map_portable::<T>("ln_1p", |v| T::ln_1p_scaled(v, one));
    assert_map_portable::<T>("sqrt", |v| T::sqrt_scaled(v, half));
}

#[test]
fn elementary_functions_same_bits_under_all_instruction_sets() {
    assert_maps_portable::<f32>();
    assert_maps_portable::<f64>();
}

fn assert_trig_portable<T: Scalar>() {
    for len in lengths() {
        let turns = hostile::<f64>(len, len as u64);
        let map = |function: fn(&[f64], T, &mut [T])| {
            let mut out = vec![T::ZERO; len];
            function(&turns, T::from_f64(0.3), &mut out);
            out
        };
        assert_portable("cos", || map(T::cos_turns));
        assert_portable("sin", || map(T::sin_turns));
        let both = |turns: &[f64], scale: T, cos: &mut [T]| {
            let mut sin = vec![T::ZERO; turns.len()];
            T::cos_sin_turns(turns, scale, cos, &mut sin);
            // The sum of both results: a changed bit of either shows.
            cos.iter_mut().zip(sin).for_each(|(cos, sin)| *cos += sin);
        };
        assert_portable("cos, sin", || map(both));
    }
}

#[test]
fn cosine_and_sine_same_bits_under_all_instruction_sets() {
    assert_trig_portable::<f32>();
    assert_trig_portable::<f64>();
}

fn assert_transpose_portable<T: Scalar>() {
    for (m, n) in [(8, 8), (24, 17), (67, 32)] {
        let values = hostile::<T>(m * n, 3);
        let from = MatRef::from_column_major_slice(&values, m, n);
        assert_portable("transpose", || {
            let mut turned = vec![T::ZERO; m * n];
            tile::transpose(from, MatMut::from_column_major_slice_mut(&mut turned, n, m));
            turned
        });
    }
}

#[test]
fn transpose_same_bits_under_all_instruction_sets() {
    assert_transpose_portable::<f32>();
    assert_transpose_portable::<f64>();
}

fn assert_vectors_portable<T: Scalar>() {
    for len in lengths() {
        let (x, y) = (hostile::<T>(len, 1 + len as u64), hostile::<T>(len, 2 + len as u64));
        let finite = |v: &[T]| {
            let small = |v: T| if v.magnitude() < T::from_f64(1e6) { v } else { T::ONE };
            v.iter().map(|&v| small(v)).collect::<Vec<T>>()
        };
        assert_portable("axpy", || {
            let mut y = y.clone();
            T::axpy(T::from_f64(1.1), &x, &mut y);
            y
        });
        for (x, y) in [(finite(&x), finite(&y)), (x, y)] {
            assert_portable("dot", || vec![T::dot(&x, &y)]);
            assert_portable("all_finite", || vec![T::from_f64(f64::from(T::all_finite(&x)))]);
        }
    }
}

#[test]
fn vectors_same_bits_under_all_instruction_sets() {
    assert_vectors_portable::<f32>();
    assert_vectors_portable::<f64>();
}

/// All ingredients of dense blocks: the register kernel with its terms, and the profiles.
fn assert_blocks_portable<T: Scalar>(dim: usize) {
    let kernels: [&dyn Kernel<Samples<T>>; 7] = [
        &Linear,
        &Rbf::new(0.3).unwrap(),
        &Laplacian::new(0.3).unwrap(),
        &Cauchy::new(0.7).unwrap(),
        &Matern52::new(1.0).unwrap(),
        &ChiSquared,
        &Intersection,
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(dim as u64);
    let values = (0..70 * dim).map(|_| T::from_f64(rng.random_range(0.0..2.0))).collect();
    let x = Samples::from_row_major(dim, values).unwrap();
    for kernel in kernels {
        assert_portable("block", || {
            let mut out = Mat::<T>::zeros(67, 6);
            kernel.block(&Tile::new(&x, 1..68, &x, 3..9), out.as_mut(), &mut Scratch::new());
            out.col_iter().flat_map(|column| column.iter().copied()).collect()
        });
    }
}

#[test]
fn blocks_same_bits_under_all_instruction_sets() {
    for dim in [1, 7, 130] {
        assert_blocks_portable::<f32>(dim);
        assert_blocks_portable::<f64>(dim);
    }
}

/// The name of the instruction set that a loop is compiled for.
struct Name;

impl WithSimd for Name {
    type Output = &'static str;
    fn with_simd<S: Simd>(self, _: S) -> &'static str {
        type_name::<S>()
    }
}

/// Otherwise the tests above compare a path with itself.
#[test]
fn loops_are_compiled_for_the_chosen_instruction_set() {
    let name = |set| {
        CHOSEN.set(Some(set));
        let name = arch().dispatch(Name);
        CHOSEN.set(None);
        name
    };
    assert_eq!(name(Arch::Scalar), type_name::<pulp::Scalar>());
    assert_eq!(name(Arch::new()), Arch::new().dispatch(Name));
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        assert_eq!(name(Arch::V3(v3)), type_name::<pulp::x86::V3>());
    }
}
