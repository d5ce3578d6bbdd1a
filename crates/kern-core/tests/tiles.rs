//! Tests of the tile engine: inner products, L1 and squared distances, and the blocks of distance
//! kernels, against double-double references on ordinary and hostile data.
//!
//! Notation: u is the unit round-off, d the dimension, δ the bound on the error of d² that
//! `squared_distance` reports to its caller.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

#[path = "support/dd.rs"]
mod dd;

use dd::Dd;
use kern_core::faer::{Mat, MatMut};
use kern_core::kernels::{Laplacian, Rbf};
use kern_core::{Kernel, Points, Samples, Scalar, Scratch, Tile, tile, tolerance};
use proptest::prelude::*;

const DIMS: [usize; 6] = [1, 2, 3, 8, 64, 784];

/// The point sets: a name and the coordinate of sample i given a number in [−1, 1).
type Shape = (&'static str, fn(usize, f64) -> f64);
const SHAPES: [Shape; 4] = [
    ("generic", |_, v| v),
    ("translated by 1e6", |_, v| 1e6 + v),
    ("two clusters 1e6 apart", |i, v| if i % 2 == 0 { v } else { 1e6 + v }),
    ("coincident", |i, _| (i % 3) as f64 * 0.3),
];

/// Numbers in [−1, 1) by a 64-bit linear congruence (Knuth's MMIX).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / 2.0_f64.powi(52) - 1.0
    }
}

/// n samples; distances in the generic set are about 1 whatever the dimension.
fn samples<T: Scalar>(n: usize, dim: usize, seed: u64, shape: Shape) -> Samples<T> {
    let mut next = noise(seed);
    let spread = (dim as f64).sqrt().recip();
    let values = (0..n * dim).map(|k| T::from_f64(shape.1(k / dim, spread * next()))).collect();
    Samples::from_row_major(dim, values).unwrap()
}

/// Σₖ f(xₖ, yₖ) in double-double.
fn exact<T: Scalar>(x: &[T], y: &[T], f: impl Fn(Dd, Dd) -> Dd) -> f64 {
    let pairs = x.iter().zip(y).map(|(x, y)| (Dd::from(x.to_f64()), Dd::from(y.to_f64())));
    let sum = pairs.fold(Dd::default(), |sum, (x, y)| sum + f(x, y));
    sum.hi + sum.lo
}

fn exact_squared_distance<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    exact(x, y, |x, y| (x - y) * (x - y))
}

fn exact_l1<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    exact(x, y, |x, y| if (x - y).hi < 0.0 { y - x } else { x - y })
}

/// Runs `check(name, tile)` on a tile of different collections, every dimension and shape.
fn for_each_tile<T: Scalar>(check: impl Fn(&str, &Tile<'_, Samples<T>>)) {
    for dim in DIMS {
        for shape in SHAPES {
            let (a, b) = (samples::<T>(19, dim, 1, shape), samples::<T>(13, dim, 2, shape));
            let name = format!("{}, dim {dim}, u = {:e}", shape.0, T::UNIT_ROUNDOFF);
            check(&name, &Tile::new(&a, 2..19, &b, 1..12));
            check(&name, &Tile::new(&a, 0..19, &a, 0..19));
        }
    }
}

/// Calls `f(x, y, out_ij)` for every entry of the tile.
fn for_each_entry<T: Scalar>(
    tile: &Tile<'_, Samples<T>>,
    out: &Mat<T>,
    mut f: impl FnMut(&[T], &[T], f64),
) {
    for (j, q) in tile.cols().enumerate() {
        for (i, p) in tile.rows().enumerate() {
            f(tile.a().item(p), tile.b().item(q), out[(i, j)].to_f64());
        }
    }
}

fn zeros<T: Scalar>(tile: &Tile<'_, Samples<T>>) -> Mat<T> {
    Mat::zeros(tile.nrows(), tile.ncols())
}

/// `given` = `expected` ± `allowed`, where NaN is never equal.
#[track_caller]
fn assert_near(name: &str, given: f64, expected: f64, allowed: f64) {
    let off = (given - expected).abs();
    assert!(off <= allowed, "{name}: {given:e}, expected {expected:e}: off {off:e} > {allowed:e}");
}

fn dot_matches<T: Scalar>() {
    for_each_tile::<T>(|name, tile| {
        let mut out = zeros(tile);
        tile::dot(tile, out.as_mut());
        for_each_entry(tile, &out, |x, y, given| {
            let magnitude = |v: Dd| if v.hi < 0.0 { -v } else { v };
            let size = exact(x, y, |x, y| magnitude(x * y));
            let allowed = x.len() as f64 * T::UNIT_ROUNDOFF * size;
            assert_near(name, given, exact(x, y, |x, y| x * y), allowed);
        });
    });
}

#[test]
fn dot_every_shape_and_dimension_matches_reference() {
    dot_matches::<f64>();
    dot_matches::<f32>();
}

fn l1_matches<T: Scalar>() {
    for_each_tile::<T>(|name, tile| {
        let mut out = zeros(tile);
        tile::l1_distance(tile, out.as_mut(), &mut Scratch::new());
        for_each_entry(tile, &out, |x, y, given| {
            let expected = exact_l1(x, y);
            assert_near(name, given, expected, x.len() as f64 * T::UNIT_ROUNDOFF * expected);
        });
    });
}

#[test]
fn l1_distance_every_shape_and_dimension_matches_reference() {
    l1_matches::<f64>();
    l1_matches::<f32>();
}

/// All entries from differences: relative error (d + 2)u, whatever the data.
fn recomputed_distance_matches<T: Scalar>() {
    for_each_tile::<T>(|name, tile| {
        let mut out = zeros(tile);
        tile::squared_distance(tile, out.as_mut(), &mut Scratch::new(), |_| f64::INFINITY);
        for_each_entry(tile, &out, |x, y, given| {
            let expected = exact_squared_distance(x, y);
            assert_near(name, given, expected, (x.len() + 2) as f64 * T::UNIT_ROUNDOFF * expected);
        });
    });
}

#[test]
fn squared_distance_all_recomputed_is_relatively_accurate() {
    recomputed_distance_matches::<f64>();
    recomputed_distance_matches::<f32>();
}

/// No entry from differences: absolute error at most the δ that is reported, and never negative.
/// Returns the greatest error in units of δ.
fn expanded_distance_stays_below_reported_error<T: Scalar>() -> f64 {
    let greatest = std::cell::Cell::new(0.0_f64);
    for_each_tile::<T>(|name, tile| {
        let mut out = zeros(tile);
        let mut reported = f64::NAN;
        tile::squared_distance(tile, out.as_mut(), &mut Scratch::new(), |error| {
            reported = error;
            0.0
        });
        for_each_entry(tile, &out, |x, y, given| {
            let expected = exact_squared_distance(x, y);
            assert!(given >= 0.0, "{name}: {given}");
            assert_near(name, given, expected, reported);
            greatest.set(greatest.get().max((given - expected).abs() / reported));
        });
    });
    greatest.get()
}

/// Measured: 0.31·δ in f64 and 0.32·δ in f32, both at d = 784; 0.13·δ up to d = 64.
#[test]
fn squared_distance_not_recomputed_errs_by_less_than_reported() {
    let f64_part = expanded_distance_stays_below_reported_error::<f64>();
    let f32_part = expanded_distance_stays_below_reported_error::<f32>();
    // The bound is meant to be generous, not absurd.
    assert!(f64_part > 1e-3 && f32_part > 1e-3, "{f64_part}, {f32_part}");
}

/// Rows of equal coordinates: all roundings of a running sum go the same way, the worst case of δ.
fn equal_coordinates_stay_below_reported_error<T: Scalar>(dim: usize) {
    for step in 0..60 {
        let scale = 1.0 + 0.037 * f64::from(step);
        let row = |i: usize| T::from_f64(scale * [0.0, 0.3, 0.6, 1.1][i]);
        let values = (0..4 * dim).map(|k| row(k / dim)).collect();
        let x = Samples::from_row_major(dim, values).unwrap();
        let tile = Tile::new(&x, 0..4, &x, 0..4);
        let (mut out, mut reported) = (zeros(&tile), f64::NAN);
        tile::squared_distance(&tile, out.as_mut(), &mut Scratch::new(), |error| {
            reported = error;
            0.0
        });
        for_each_entry(&tile, &out, |x, y, given| {
            let expected = exact_squared_distance(x, y);
            assert_near(&format!("dim {dim}"), given, expected, reported);
        });
    }
}

/// Measured: 0.71·δ (d = 512; the product). With a plain running sum for ‖x‖² in f64 it was 2.8·δ.
#[test]
fn squared_distance_equal_coordinates_errs_by_less_than_reported() {
    for dim in [100, 256, 512, 784, 2048, 20_000] {
        equal_coordinates_stay_below_reported_error::<f64>(dim);
        equal_coordinates_stay_below_reported_error::<f32>(dim);
    }
}

/// A threshold between: entries below it are relatively accurate, the others within δ.
#[test]
fn squared_distance_threshold_separates_recomputed_entries() {
    let clusters = SHAPES[2];
    let x = samples::<f32>(20, 3, 7, clusters);
    let tile = Tile::new(&x, 0..20, &x, 0..20);
    let mut out = zeros(&tile);
    tile::squared_distance(&tile, out.as_mut(), &mut Scratch::new(), |_| 1e9);
    let u = f32::UNIT_ROUNDOFF;
    for_each_entry(&tile, &out, |x, y, given| {
        // Within a cluster, where δ (about 1e6) would swallow the distance of about 1.
        let expected = exact_squared_distance(x, y);
        let reach = 2.0 * 0.5e6 * 3.0_f64.sqrt() * 1.01;
        let delta = tolerance::squared_distance_error(3, u) * reach * reach;
        let allowed = if expected < 1e8 { 5.0 * u * expected } else { delta };
        assert_near("two clusters", given, expected, allowed);
    });
}

/// Fills `whole` with a marker and one tile into its middle, through the view that `at` cuts out.
fn strided_agrees<T: Scalar>(
    fill: impl Fn(&Tile<'_, Samples<T>>, MatMut<'_, T>),
    tile: &Tile<'_, Samples<T>>,
    allowed: f64,
) {
    let (m, n) = (tile.nrows(), tile.ncols());
    let mut expected = zeros(tile);
    fill(tile, expected.as_mut());
    let marker = T::from_f64(-77.0);

    let mut inside = Mat::from_fn(m + 5, n + 4, |_, _| marker);
    fill(tile, inside.as_mut().submatrix_mut(3, 2, m, n));
    let mut transposed = Mat::from_fn(n + 4, m + 5, |_, _| marker);
    fill(tile, transposed.as_mut().submatrix_mut(2, 3, n, m).transpose_mut());
    let mut reversed = Mat::from_fn(m, n, |_, _| marker);
    fill(tile, reversed.as_mut().reverse_rows_and_cols_mut());

    for j in 0..n + 4 {
        for i in 0..m + 5 {
            let (a, b) = (inside[(i, j)].to_f64(), transposed[(j, i)].to_f64());
            if (3..m + 3).contains(&i) && (2..n + 2).contains(&j) {
                let value = expected[(i - 3, j - 2)].to_f64();
                assert_near("submatrix", a, value, allowed);
                assert_near("transposed", b, value, allowed);
                let c = reversed[(m - 1 - (i - 3), n - 1 - (j - 2))].to_f64();
                assert_near("reversed", c, value, allowed);
            } else {
                assert_eq!(
                    (a.to_bits(), b.to_bits()),
                    ((-77.0_f64).to_bits(), (-77.0_f64).to_bits())
                );
            }
        }
    }
}

/// Strided outputs hold the same values, and nothing around them is written.
fn strided_outputs_agree<T: Scalar>() {
    let x = samples::<T>(21, 8, 3, SHAPES[0]);
    let tile = Tile::new(&x, 1..20, &x, 4..17);
    // ‖x‖² ≤ 1, so d·u bounds the reordering of a sum and its value alike; distances are ≤ √8·2.
    let allowed = 8.0 * T::UNIT_ROUNDOFF;
    strided_agrees(|t, out| tile::dot(t, out), &tile, 2.0 * allowed);
    strided_agrees(|t, out| tile::l1_distance(t, out, &mut Scratch::new()), &tile, 0.0);
    strided_agrees(
        |t, out| tile::squared_distance(t, out, &mut Scratch::new(), |_| 0.0),
        &tile,
        8.0 * allowed,
    );
    let rbf = Rbf::new(0.5).unwrap();
    strided_agrees(|t, out| rbf.block(t, out, &mut Scratch::new()), &tile, 8.0 * allowed);
}

#[test]
fn strided_outputs_hold_the_same_values_and_nothing_else_is_written() {
    strided_outputs_agree::<f64>();
    strided_outputs_agree::<f32>();
}

#[test]
fn for_each_column_strided_visits_every_column_once_in_order() {
    let mut out = Mat::from_fn(4, 3, |i, j| (10 * i + j) as f64);
    let mut seen = Vec::new();
    tile::for_each_column(out.as_mut().transpose_mut(), &mut Scratch::new(), |j, column| {
        seen.push((j, column.to_vec()));
        column.fill(-1.0);
    });
    let expected =
        (0..4).map(|i| (i, vec![10.0 * i as f64, 10.0 * i as f64 + 1.0, 10.0 * i as f64 + 2.0]));
    assert_eq!(seen, expected.collect::<Vec<_>>());
    assert_eq!(out, Mat::from_fn(4, 3, |_, _| -1.0));
}

/// |block − exp(−γd²)| for RBF, in units of u:
/// - [`tolerance::TILE_ERROR`] for entries that are not recomputed, by the choice of threshold;
/// - t·exp(−t) ≤ 1/e times the relative error of the argument t = γd² otherwise: d + 2 for d²
///   (accumulated in f64: 3 in f32), 1 for γ, 1 for the product;
/// - 2 ulp = 4u of exp.
fn rbf_bound(dim: usize, u: f64) -> f64 {
    let argument = (dim + 4) as f64 / std::f64::consts::E;
    (tolerance::TILE_ERROR + argument + 4.0) * u
}

/// `block` and `eval` against the double-double distance, and against each other.
fn rbf_block_matches<T: Scalar>() {
    for gamma in [1e-9, 1e-3, 0.5, 20.0, 1e5] {
        let rbf = Rbf::new(gamma).unwrap();
        for_each_tile::<T>(|name, tile| {
            let mut out = zeros(tile);
            rbf.block(tile, out.as_mut(), &mut Scratch::new());
            for_each_entry(tile, &out, |x, y, given| {
                let allowed = rbf_bound(x.len(), T::UNIT_ROUNDOFF);
                let exact = (-gamma * exact_squared_distance(x, y)).exp();
                assert_near(name, given, exact, allowed);
                assert_near(name, given, Kernel::<Samples<T>>::eval(&rbf, x, y).to_f64(), allowed);
            });
        });
    }
}

#[test]
fn rbf_block_every_shape_dimension_and_gamma_matches_eval() {
    rbf_block_matches::<f64>();
    rbf_block_matches::<f32>();
}

/// |block − eval| ≤ ((d + 2)/e + 4)u for Laplacian: differences first, nothing cancels.
fn laplacian_block_matches<T: Scalar>() {
    for gamma in [1e-9, 0.5, 1e5] {
        let laplacian = Laplacian::new(gamma).unwrap();
        for_each_tile::<T>(|name, tile| {
            let mut out = zeros(tile);
            laplacian.block(tile, out.as_mut(), &mut Scratch::new());
            for_each_entry(tile, &out, |x, y, given| {
                let argument = (x.len() + 2) as f64 / std::f64::consts::E;
                let exact = (-gamma * exact_l1(x, y)).exp();
                assert_near(name, given, exact, (argument + 4.0) * T::UNIT_ROUNDOFF);
            });
        });
    }
}

#[test]
fn laplacian_block_every_shape_dimension_and_gamma_matches_reference() {
    laplacian_block_matches::<f64>();
    laplacian_block_matches::<f32>();
}

/// What the guard is for: ‖x‖² + ‖y‖² − 2⟨x, y⟩ in f32, without centring or recomputation.
#[test]
fn rbf_block_f32_far_from_origin_right_where_naive_expansion_is_wrong() {
    for shape in [SHAPES[1], SHAPES[2]] {
        let x = samples::<f32>(20, 8, 5, shape);
        let tile = Tile::new(&x, 0..20, &x, 0..20);
        let rbf = Rbf::new(0.5).unwrap();
        let mut block = zeros(&tile);
        rbf.block(&tile, block.as_mut(), &mut Scratch::new());
        let mut dots = zeros(&tile);
        tile::dot(&tile, dots.as_mut());
        let (mut naive_error, mut block_error) = (0.0_f64, 0.0_f64);
        for j in 0..20 {
            for i in 0..20 {
                let exact = (-0.5 * exact_squared_distance(x.item(i), x.item(j))).exp();
                let naive = (dots[(i, i)] + dots[(j, j)] - 2.0 * dots[(i, j)]).max(0.0);
                naive_error = naive_error.max((f64::from((-0.5 * naive).exp()) - exact).abs());
                block_error = block_error.max((f64::from(block[(i, j)]) - exact).abs());
            }
        }
        assert!(naive_error > 1e-2, "{}: naive error {naive_error:e}", shape.0);
        assert!(block_error <= rbf_bound(8, f32::UNIT_ROUNDOFF), "{}: {block_error:e}", shape.0);
    }
}

/// Coordinates whose squares overflow: 1 on the diagonal and for equal points, 0 elsewhere.
fn huge_coordinates_give_zero_and_one<T: Scalar>(huge: f64, gamma: f64) {
    for dim in [1, 3, 64] {
        let row = |k: usize| (0..dim).map(move |j| if j == k % dim { huge } else { -huge });
        let values = [0, 0, 1].into_iter().flat_map(row);
        let extra = (0..dim).map(|_| 0.25 * huge).chain((0..dim).map(|_| 0.0));
        let values: Vec<T> = values.chain(extra).map(T::from_f64).collect();
        let x = Samples::from_row_major(dim, values).unwrap();
        let tile = Tile::new(&x, 0..5, &x, 0..5);
        for kernel in
            [&Rbf::new(gamma).unwrap() as &dyn Kernel<Samples<T>>, &Laplacian::new(gamma).unwrap()]
        {
            let mut out = zeros(&tile);
            kernel.block(&tile, out.as_mut(), &mut Scratch::new());
            for_each_entry(&tile, &out, |x, y, given| {
                let expected = if x == y { 1.0_f64 } else { 0.0 };
                let name = format!("coordinate {huge:e}, gamma {gamma:e}, dim {dim}");
                assert_near(&name, given, expected, 0.0);
                assert_near(&name, kernel.eval(x, y).to_f64(), expected, 0.0);
            });
        }
    }
}

#[test]
fn huge_coordinates_blocks_are_zero_or_one_never_nan() {
    for gamma in [1e-6, 0.5, 1e6] {
        huge_coordinates_give_zero_and_one::<f64>(1e200, gamma);
        huge_coordinates_give_zero_and_one::<f64>(1.7e308, gamma);
        huge_coordinates_give_zero_and_one::<f32>(1e30, gamma);
        huge_coordinates_give_zero_and_one::<f32>(3.4e38, gamma);
    }
}

/// A γ that f32 cannot hold, or distances that it cannot hold, must not make NaN of what `eval`
/// computes without trouble.
#[test]
fn gamma_or_distance_outside_f32_blocks_agree_with_eval() {
    let scales =
        [(1e39, 1.0), (1e300, 1e-3), (1e-50, 1e30), (1e-50, 1e25), (1e-39, 1.3e19), (1e-300, 1.0)];
    for (gamma, size) in scales {
        let values = [-1.0, 1.0, 0.5, 0.0].map(|v| (v * size) as f32).to_vec();
        let x = Samples::from_row_major(1, values).unwrap();
        let tile = Tile::new(&x, 0..4, &x, 0..4);
        for kernel in [
            &Rbf::new(gamma).unwrap() as &dyn Kernel<Samples<f32>>,
            &Laplacian::new(gamma).unwrap(),
        ] {
            let mut out = zeros(&tile);
            kernel.block(&tile, out.as_mut(), &mut Scratch::new());
            for_each_entry(&tile, &out, |x, y, given| {
                let name = format!("gamma {gamma:e}, coordinates {size:e}");
                let allowed = rbf_bound(1, f32::UNIT_ROUNDOFF);
                assert_near(&name, given, f64::from(kernel.eval(x, y)), allowed);
            });
        }
    }
}

/// ‖x‖² + ‖y‖² = 3.41·10³⁸ overflows f32, 2⟨x, y⟩ = 3.40·10³⁸ does not: the expanded form says ∞
/// where ‖x − y‖² = 1.21·10³⁶.
#[test]
fn rbf_block_overflow_of_norms_alone_agrees_with_eval() {
    let x = Samples::from_rows(&[[1.25e19_f32], [1.36e19], [-1.3e19], [-1.31e19]]).unwrap();
    let rbf = Rbf::new(3e-36).unwrap();
    let tile = Tile::new(&x, 0..4, &x, 0..4);
    let mut out = zeros(&tile);
    rbf.block(&tile, out.as_mut(), &mut Scratch::new());
    assert!((0.02..0.03).contains(&out[(0, 1)]), "exp(-3.63), not {}", out[(0, 1)]);
    for_each_entry(&tile, &out, |x, y, given| {
        let expected = f64::from(Kernel::<Samples<f32>>::eval(&rbf, x, y));
        assert_near("norms overflow", given, expected, rbf_bound(1, f32::UNIT_ROUNDOFF));
    });
}

#[test]
fn empty_tiles_write_nothing_and_do_not_panic() {
    let x = samples::<f64>(4, 3, 1, SHAPES[0]);
    let none = Samples::<f64>::from_row_major(3, Vec::new()).unwrap();
    let tiles = [
        Tile::new(&x, 0..4, &none, 0..0),
        Tile::new(&none, 0..0, &x, 1..3),
        Tile::new(&x, 2..2, &x, 4..4),
    ];
    for tile in tiles {
        let mut out = zeros(&tile);
        tile::dot(&tile, out.as_mut());
        tile::l1_distance(&tile, out.as_mut(), &mut Scratch::new());
        tile::squared_distance(&tile, out.as_mut(), &mut Scratch::new(), |_| 1.0);
        assert_eq!(out.shape(), (tile.nrows(), tile.ncols()));
    }
}

#[test]
#[should_panic(expected = "shape of the tile")]
fn wrong_output_shape_panics() {
    let x = samples::<f64>(4, 3, 1, SHAPES[0]);
    tile::dot(&Tile::new(&x, 0..4, &x, 0..2), Mat::zeros(2, 4).as_mut());
}

/// Buffers that come back with old contents do not show in results.
#[test]
fn dirty_scratch_same_bits_as_clean_scratch() {
    let mut dirty = Scratch::new();
    for len in [1000, 10, 500] {
        dirty.give(vec![f64::NAN; len]);
    }
    let x = samples::<f64>(17, 5, 9, SHAPES[2]);
    let tile = Tile::new(&x, 3..17, &x, 0..9);
    let kernel = Rbf::new(0.3).unwrap() * Laplacian::new(0.1).unwrap() + Rbf::new(2.0).unwrap();
    let (mut clean, mut reused) = (zeros(&tile), zeros(&tile));
    kernel.block(&tile, clean.as_mut(), &mut Scratch::new());
    for _ in 0..3 {
        kernel.block(&tile, reused.as_mut().reverse_rows_mut(), &mut dirty);
        kernel.block(&tile, reused.as_mut(), &mut dirty);
        assert_eq!(clean, reused);
    }
}

proptest! {
    // Cases are seeded anew each time; a failure prints its input, which becomes a test of its own.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any finite data of any magnitude, any γ: the block is what the definition says.
    #[test]
    fn rbf_block_any_data_agrees_with_eval(
        dim in 1_usize..6,
        exponent in -20_i32..20,
        offset in -1e8_f64..1e8,
        log_gamma in -20.0_f64..20.0,
        seed: u64,
    ) {
        let mut next = noise(seed);
        let size = 10.0_f64.powi(exponent);
        let values: Vec<f64> = (0..9 * dim).map(|_| size * (offset + next())).collect();
        let x = Samples::from_row_major(dim, values).unwrap();
        let rbf = Rbf::new(10.0_f64.powf(log_gamma) / (size * size)).unwrap();
        let tile = Tile::new(&x, 0..9, &x, 2..7);
        let mut out = zeros(&tile);
        rbf.block(&tile, out.as_mut(), &mut Scratch::new());
        for_each_entry(&tile, &out, |x, y, given| {
            let expected = Kernel::<Samples<f64>>::eval(&rbf, x, y);
            assert_near("block", given, expected, rbf_bound(dim, f64::UNIT_ROUNDOFF));
        });
    }

    /// A block of a block: every tile of a Gram matrix holds the entries of the whole.
    #[test]
    fn l1_distance_any_subtile_is_part_of_the_whole(
        (first, last) in (0_usize..10).prop_flat_map(|a| (Just(a), a..=10)),
        (left, right) in (0_usize..10).prop_flat_map(|a| (Just(a), a..=10)),
        seed: u64,
    ) {
        let x = samples::<f32>(10, 4, seed, SHAPES[0]);
        let whole = Tile::new(&x, 0..10, &x, 0..10);
        let part = Tile::new(&x, first..last, &x, left..right);
        let (mut all, mut some) = (zeros(&whole), zeros(&part));
        tile::l1_distance(&whole, all.as_mut(), &mut Scratch::new());
        tile::l1_distance(&part, some.as_mut(), &mut Scratch::new());
        prop_assert_eq!(some, all.submatrix(first, left, last - first, right - left).to_owned());
    }
}
