//! The golden values of `data/vector_golden.txt` and the kernels they are of, on any collection of
//! vectors.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use kern_core::faer::mat;
use kern_core::kernels::{
    ArcCosine, ArdRbf, Cauchy, ChiSquared, Constant, Cosine, Delta, ExpChiSquared, Exponential,
    Hellinger, Intersection, Mahalanobis, Matern, Matern32, Matern52, Periodic, RationalQuadratic,
    Rbf, Wave, White,
};
use kern_core::{Error, Kernel, Mercer, Points, Samples, Scalar, SparseSamples};
use std::collections::HashMap;
use std::fmt::Display;

/// Roundings that a value may suffer beyond one per elementary operation: three coordinates, 2 ulp =
/// 4u of exp, conversions of the parameters.
pub(crate) const ROUNDINGS: f64 = 16.0;

/// A collection on which all kernels of the file are defined.
pub(crate) trait Vectors<T: Scalar>: Points<Scalar = T> + Sized
where
    Self::Item: PartialEq,
{
    /// The collection of dense rows.
    fn of(dim: usize, values: Vec<T>) -> Self;
}

impl<T: Scalar> Vectors<T> for Samples<T> {
    fn of(dim: usize, values: Vec<T>) -> Self {
        Samples::from_row_major(dim, values).unwrap()
    }
}

impl<T: Scalar> Vectors<T> for SparseSamples<T> {
    fn of(dim: usize, values: Vec<T>) -> Self {
        SparseSamples::from_dense(&Samples::from_row_major(dim, values).unwrap()).unwrap()
    }
}

pub(crate) type Boxed<P> = Box<dyn Kernel<P>>;

fn named<P: Points>(kernel: impl Mercer<P> + Display + 'static) -> (String, Boxed<P>) {
    (kernel.to_string(), Box::new(kernel))
}

/// The kernels of the file by their formulas, for one type of points.
macro_rules! kernels {
    ($name:ident, $points:ident) => {
        pub(crate) fn $name<T: Scalar>() -> Result<HashMap<String, Boxed<$points<T>>>, Error> {
            let strange = mat![[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
            let regular = mat![[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 3.0]];
            let zero = mat![[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
            Ok(HashMap::from([
                named(Rbf::new(0.5)?),
                named(ArdRbf::new(&[0.5, 0.0, 2.0])?),
                named(ArdRbf::new(&[1e-3, 30.0, 1e6])?),
                named(Exponential::new(0.5)?),
                named(Exponential::new(1e-6)?),
                named(Exponential::new(300.0)?),
                named(Matern32::new(1.0)?),
                named(Matern32::new(1000.0)?),
                named(Matern32::new(0.01)?),
                named(Matern52::new(1.0)?),
                named(Matern52::new(1000.0)?),
                named(Matern52::new(0.01)?),
                named(Matern::new(0.3, 1.0)?),
                named(Matern::new(1.0, 0.125)?),
                named(Matern::new(2.5, 2.0)?),
                named(Matern::new(3.75, 1000.0)?),
                named(Matern::new(100.0, 0.5)?),
                named(Periodic::new(2.5, 1.0)?),
                named(Periodic::new(0.7, 0.1)?),
                named(Wave::new(&[0.3, 0.0, 1.25])?),
                named(Wave::new(&[1e-3, 17.0, 0.01])?),
                named(ArcCosine::new(0)?),
                named(ArcCosine::new(1)?),
                named(ArcCosine::new(2)?),
                named(Constant::new(0.3)?),
                named(White::new(0.3)?),
                named(RationalQuadratic::new(1.0, 1.0)?),
                named(RationalQuadratic::new(0.01, 0.1)?),
                named(RationalQuadratic::new(1e6, 2.0)?),
                named(Cauchy::new(1.0)?),
                named(Cauchy::new(0.01)?),
                named(Cauchy::new(1000.0)?),
                named(Mahalanobis::new(regular.as_ref())?),
                named(Mahalanobis::new(strange.as_ref())?),
                named(Mahalanobis::new(zero.as_ref())?),
                named(Cosine),
                named(Delta),
                named(ChiSquared),
                named(Intersection),
                named(Hellinger),
                named(ExpChiSquared::new(1.0)?),
                named(ExpChiSquared::new(1e-3)?),
                named(ExpChiSquared::new(100.0)?),
            ]))
        }
    };
}

kernels!(dense_kernels, Samples);
kernels!(sparse_kernels, SparseSamples);

/// One line of the file.
pub(crate) struct Golden {
    pub(crate) formula: &'static str,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) scale: f64,
    pub(crate) tile: f64,
}

pub(crate) fn golden_values(text: &'static str) -> Vec<Golden> {
    let numbers = |cell: &str| cell.split(' ').map(|v| v.parse().unwrap()).collect::<Vec<f64>>();
    let parse = |line: &'static str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let condition: Vec<f64> = cells[3..].iter().flat_map(|cell| numbers(cell)).collect();
        let [value, scale, tile] = condition[..] else { panic!("{line}") };
        Golden { formula: cells[0], x: numbers(cells[1]), y: numbers(cells[2]), value, scale, tile }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(parse).collect()
}

impl Golden {
    /// Both points, as a collection.
    pub(crate) fn points<T: Scalar, P: Vectors<T>>(&self) -> P
    where
        P::Item: PartialEq,
    {
        let values = self.x.iter().chain(&self.y).map(|&v| T::from_f64(v)).collect();
        P::of(self.x.len(), values)
    }

    /// The difference that rounding explains; with `tile` that of a block.
    pub(crate) fn allowed<T: Scalar>(&self, tile: f64) -> f64 {
        // In `golden.txt` it is 0 for the Laplacian, whose dense blocks do not cancel; sparse ones do.
        let sensitivity = if self.formula.starts_with("laplacian") { 1.0 } else { self.tile };
        (ROUNDINGS * self.scale + tile * sensitivity) * T::UNIT_ROUNDOFF
    }

    #[track_caller]
    pub(crate) fn assert_near<T: Scalar>(&self, route: &str, given: T, allowed: f64) {
        // The numbers below the normal ones are flushed to zero.
        let allowed = allowed + 2.0_f64.powi(if size_of::<T>() == 4 { -126 } else { -1022 });
        let off = (given.to_f64() - self.value).abs();
        let Self { formula, x, y, value, .. } = self;
        assert!(
            off <= allowed,
            "{formula} at {x:?}, {y:?} by {route}: {given} instead of {value}, allowed {allowed:e}"
        );
    }
}

/// Every route to a value, of every golden value of `text` whose formula is among the kernels.
#[track_caller]
pub(crate) fn assert_golden<T: Scalar, P: Vectors<T>>(
    kernels: &HashMap<String, Boxed<P>>,
    text: &'static str,
    tile_error: f64,
) where
    P::Item: PartialEq,
{
    use kern_core::{Binding, Scratch, Tile, faer::Mat};
    let scratch = &mut Scratch::new();
    let of_known = |golden: &Golden| kernels.contains_key(golden.formula);
    for golden in golden_values(text).into_iter().filter(of_known) {
        let kernel = &kernels[golden.formula];
        let points: P = golden.points();
        kernel.check(&points).unwrap();
        let allowed = golden.allowed::<T>(0.0);
        golden.assert_near("eval", kernel.eval(points.item(0), points.item(1)), allowed);
        golden.assert_near("eval, swapped", kernel.eval(points.item(1), points.item(0)), allowed);
        let allowed = golden.allowed::<T>(tile_error);
        let mut out = Mat::zeros(2, 2);
        kernel.block(&Tile::new(&points, 0..2, &points, 0..2), out.as_mut(), scratch);
        golden.assert_near("block", out[(0, 1)], allowed);
        golden.assert_near("block, swapped", out[(1, 0)], allowed);
        let binding = Binding::new(kernel, &points, &points);
        binding.block(0..2, 0..2, out.as_mut(), scratch);
        golden.assert_near("bind", out[(0, 1)], allowed);
        if golden.x == golden.y {
            golden.assert_near("diag", kernel.diag(&points, 0), allowed);
        }
    }
}
