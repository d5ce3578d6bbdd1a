//! Tests of every kernel against golden values from independent arithmetic: mpmath with 50 digits,
//! in `data/golden.txt`, whose header holds the program that made it.
//!
//! The file names kernels by their printed formula, which that program evaluates as it stands, so
//! the formulas are tested, too. Each value comes with its condition: `scale`, on which relative
//! roundings act, and `tile`, the effect of an absolute error in the tile of an RBF kernel.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use kern_core::faer::Mat;
use kern_core::kernels::{Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use kern_core::{Error, Kernel, Samples, Scalar, Scratch, Tile, tolerance};
use std::collections::HashMap;
use std::fmt::Display;

/// Roundings that a value may suffer beyond one per elementary operation: three coordinates, up to
/// seven multiplications, 2 ulp = 4u of exp, conversions of γ, r and the weight.
const ROUNDINGS: f64 = 16.0;

type Boxed<T> = Box<dyn Kernel<Samples<T>>>;

fn named<T: Scalar>(kernel: impl Kernel<Samples<T>> + Display + 'static) -> (String, Boxed<T>) {
    (kernel.to_string(), Box::new(kernel))
}

/// The kernels of the golden file, by their formulas.
fn kernels<T: Scalar>() -> Result<HashMap<String, Boxed<T>>, Error> {
    let rbf = Rbf::new;
    let laplacian = Laplacian::new;
    let poly = |degree, gamma, coef0| Polynomial::new(gamma, coef0, degree);
    Ok(HashMap::from([
        named(Linear),
        named(poly(2, 1.0, 1.0)?),
        named(poly(3, 0.1, 0.0)?),
        named(poly(0, 2.0, 0.0)?),
        named(poly(7, 0.3, 0.7)?),
        named(rbf(0.5)?),
        named(rbf(1e-6)?),
        named(rbf(37.5)?),
        named(rbf(1e6)?),
        named(laplacian(0.1)?),
        named(laplacian(3.0)?),
        named(laplacian(200.0)?),
        named(Sigmoid::new(0.5, -1.0)?),
        named(Sigmoid::new(0.01, 0.0)?),
        named(Sigmoid::new(3.0, 20.0)?),
        named(rbf(0.5)? + Linear),
        named(Linear + 0.25 * laplacian(0.1)?),
        named(rbf(0.5)? * laplacian(0.1)?),
        named(Linear * poly(2, 1.0, 1.0)?),
        named(0.3 * rbf(0.5)?),
        named(0.0 * Linear),
        named(1000.0 * poly(3, 0.1, 0.0)?),
        named(0.5 * (rbf(1.0)? + Linear) * laplacian(2.0)?),
        named(Linear + rbf(0.5)? * (Linear + 0.1 * laplacian(3.0)?)),
    ]))
}

/// One line of the file.
struct Golden {
    formula: &'static str,
    x: Vec<f64>,
    y: Vec<f64>,
    value: f64,
    scale: f64,
    tile: f64,
}

fn golden_values() -> Vec<Golden> {
    let numbers = |cell: &str| cell.split(' ').map(|v| v.parse().unwrap()).collect::<Vec<f64>>();
    let parse = |line: &'static str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let condition: Vec<f64> = cells[3..].iter().flat_map(|cell| numbers(cell)).collect();
        let [value, scale, tile] = condition[..] else { panic!("{line}") };
        Golden { formula: cells[0], x: numbers(cells[1]), y: numbers(cells[2]), value, scale, tile }
    };
    let lines = include_str!("../data/golden.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(parse).collect()
}

#[track_caller]
fn assert_near<T: Scalar>(golden: &Golden, route: &str, given: T, allowed: f64) {
    // The numbers below the normal ones are flushed to zero.
    let allowed = allowed + 2.0_f64.powi(if size_of::<T>() == 4 { -126 } else { -1022 });
    let off = (given.to_f64() - golden.value).abs();
    let (formula, x, y, value) = (golden.formula, &golden.x, &golden.y, golden.value);
    assert!(off <= allowed, "{formula} at {x:?}, {y:?} by {route}: {given} instead of {value}");
}

fn eval_agrees<T: Scalar>() {
    let kernels = kernels::<T>().unwrap();
    for golden in golden_values() {
        let [x, y] =
            [&golden.x, &golden.y].map(|v| v.iter().map(|&v| T::from_f64(v)).collect::<Vec<T>>());
        let allowed = ROUNDINGS * T::UNIT_ROUNDOFF * golden.scale;
        let kernel = &kernels[golden.formula];
        assert_near(&golden, "eval", kernel.eval(&x, &y), allowed);
        assert_near(&golden, "eval, swapped", kernel.eval(&y, &x), allowed);
    }
}

#[test]
fn eval_golden_points_matches_mpmath() {
    eval_agrees::<f64>();
    eval_agrees::<f32>();
}

fn block_agrees<T: Scalar>() {
    let kernels = kernels::<T>().unwrap();
    for golden in golden_values() {
        let values = golden.x.iter().chain(&golden.y).map(|&v| T::from_f64(v)).collect();
        let points = Samples::from_row_major(golden.x.len(), values).unwrap();
        let kernel = &kernels[golden.formula];
        let mut out = Mat::zeros(2, 2);
        kernel.block(&Tile::new(&points, 0..2, &points, 0..2), out.as_mut(), &mut Scratch::new());
        let units = ROUNDINGS * golden.scale + tolerance::TILE_ERROR * golden.tile;
        assert_near(&golden, "block", out[(0, 1)], units * T::UNIT_ROUNDOFF);
        assert_near(&golden, "block, swapped", out[(1, 0)], units * T::UNIT_ROUNDOFF);
        if golden.x == golden.y {
            assert_near(&golden, "diag", kernel.diag(&points, 0), units * T::UNIT_ROUNDOFF);
        }
    }
}

#[test]
fn block_golden_points_matches_mpmath() {
    block_agrees::<f64>();
    block_agrees::<f32>();
}

/// No kernel of the file is left out on either side, and each has at least three values.
#[test]
fn golden_file_covers_every_kernel() {
    let kernels = kernels::<f64>().unwrap();
    let values = golden_values();
    assert!(values.iter().all(|golden| kernels.contains_key(golden.formula)));
    for formula in kernels.keys() {
        let count = values.iter().filter(|golden| golden.formula == formula).count();
        assert!(count >= 3, "{formula}: {count}");
    }
}

/// γ = 1/(2σ²): exp(−‖x−y‖²/(2·0.5²)) = exp(−2‖x−y‖²). From mpmath: exp(-mpf(2)*mpf('1.75')**2).
#[test]
fn rbf_from_sigma_matches_mpmath() {
    let kernel = Rbf::from_sigma(0.5).unwrap();
    let given = Kernel::<Samples<f64>>::eval(&kernel, &[0.5], &[-1.25]);
    let expected = 0.002_187_491_118_182_885;
    // t = 6.125: (1 + t) roundings of the result, one of exp.
    assert!((given - expected).abs() <= 8.0 * f64::EPSILON * expected, "{given}");
}
