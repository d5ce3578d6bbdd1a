//! The kinds of points on which every learner is tested.

use kern_core::closure::Normalized;
use kern_core::faer::MatRef;
use kern_core::gradient::Differentiable;
use kern_core::kernels::{Rbf, Spectrum};
use kern_core::{
    Kernel, Mercer, Named, Parameters, Points, Samples, Scalar, Scratch, SparseSamples, Tile,
};
use kern_solvers::contract;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The number of points of a set, of which every third is of the rarer class.
pub(crate) const N: usize = 48;

/// A kind of points, with a kernel and a set of them.
pub(crate) trait Kind {
    type Points: Points<Scalar: contract::Entry> + Clone + PartialEq + Serialize + DeserializeOwned;
    type Kernel: Mercer<Self::Points>
        + Differentiable<Self::Points>
        + Named
        + Clone
        + PartialEq
        + Serialize
        + DeserializeOwned;
    const NAME: &'static str;

    fn kernel() -> Self::Kernel;

    /// Points whose classes, [`two`] and [`three`], are apart.
    fn points() -> Self::Points;

    /// Points that cannot meet these, if there are any.
    fn others() -> Option<Self::Points> {
        None
    }
}

/// The class of each point: one is rarer.
pub(crate) fn two() -> Vec<bool> {
    (0..N).map(|i| i % 3 == 0).collect()
}

/// The class of each point, one of three.
pub(crate) fn three() -> Vec<char> {
    (0..N).map(|i| ['r', 'g', 'b'][i % 3]).collect()
}

/// A number for each point.
pub(crate) fn values<T: Scalar>() -> Vec<T> {
    (0..N).map(|i| T::from_f64((i % 3) as f64 + 0.1 * (i as f64).sin())).collect()
}

/// Three groups in the plane, one for each remainder.
fn plane(i: usize) -> [f64; 2] {
    let (angle, centre) = (i as f64, [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]][i % 3]);
    [centre[0] + 0.5 * (1.7 * angle).sin(), centre[1] + 0.5 * (2.3 * angle).cos()]
}

fn dense<T: Scalar>() -> Samples<T> {
    let numbers = (0..N).flat_map(plane).map(T::from_f64).collect();
    Samples::from_row_major(2, numbers).unwrap()
}

pub(crate) struct Double;

impl Kind for Double {
    type Points = Samples<f64>;
    type Kernel = Rbf;
    const NAME: &'static str = "dense f64";

    fn kernel() -> Rbf {
        Rbf::new(0.5).unwrap()
    }

    fn points() -> Samples<f64> {
        dense()
    }

    fn others() -> Option<Samples<f64>> {
        Some(Samples::from_rows(&[[1.0, 2.0, 3.0]]).unwrap())
    }
}

pub(crate) struct Single;

impl Kind for Single {
    type Points = Samples<f32>;
    type Kernel = Rbf;
    const NAME: &'static str = "dense f32";

    fn kernel() -> Rbf {
        Rbf::new(0.5).unwrap()
    }

    fn points() -> Samples<f32> {
        dense()
    }

    fn others() -> Option<Samples<f32>> {
        Some(Samples::from_rows(&[[1.0, 2.0, 3.0]]).unwrap())
    }
}

pub(crate) struct Sparse;

impl Kind for Sparse {
    type Points = SparseSamples<f64>;
    type Kernel = Rbf;
    const NAME: &'static str = "sparse";

    fn kernel() -> Rbf {
        Rbf::new(0.5).unwrap()
    }

    fn points() -> SparseSamples<f64> {
        let row = |i: usize| -> Vec<(u32, f64)> { [1, 4].into_iter().zip(plane(i)).collect() };
        SparseSamples::from_rows(6, &(0..N).map(row).collect::<Vec<_>>()).unwrap()
    }

    fn others() -> Option<SparseSamples<f64>> {
        Some(SparseSamples::from_rows(2, &[[(0, 1.0)]]).unwrap())
    }
}

pub(crate) struct Strings;

impl Kind for Strings {
    type Points = Vec<String>;
    type Kernel = Normalized<Spectrum>;
    const NAME: &'static str = "strings";

    fn kernel() -> Self::Kernel {
        Normalized::new(Spectrum::new(2).unwrap())
    }

    fn points() -> Vec<String> {
        let word = |i: usize| {
            let (stem, other) = [("abab", "ba"), ("cdcd", "dc"), ("efef", "fe")][i % 3];
            let (middle, end) = (other.repeat(i % 4), stem.repeat(1 + i % 5));
            // No two of them have bigrams in the same proportions: the nearest of a word are not tied.
            format!("{stem}{middle}{end}{}", stem[..1].repeat(i / 3))
        };
        (0..N).map(word).collect()
    }
}

/// A struct of the user's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Span {
    from: f64,
    to: f64,
}

/// A kernel of the user's: the overlap of spans, relative to their lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Overlap;

kern_core::named! { [] Overlap = "overlap"; }

impl Kernel<Vec<Span>> for Overlap {
    fn eval(&self, x: &Span, y: &Span) -> f64 {
        let shared = (x.to.min(y.to) - x.from.max(y.from)).max(0.0);
        shared / ((x.to - x.from) * (y.to - y.from)).sqrt()
    }
}

impl Mercer<Vec<Span>> for Overlap {}
impl Parameters for Overlap {}

impl Differentiable<Vec<Span>> for Overlap {
    fn pull_back(
        &self,
        _: &Tile<'_, Vec<Span>>,
        _: MatRef<'_, f64>,
        _: &mut [f64],
        _: &mut Scratch<f64>,
    ) {
    }
}

pub(crate) struct Structs;

impl Kind for Structs {
    type Points = Vec<Span>;
    type Kernel = Overlap;
    const NAME: &'static str = "a user's struct";

    fn kernel() -> Overlap {
        Overlap
    }

    fn points() -> Vec<Span> {
        let span = |i: usize| {
            let from = 10.0 * (i % 3) as f64 + 0.2 * (i as f64).sin();
            Span { from, to: from + 3.0 + 0.3 * (1.3 * i as f64).cos() }
        };
        (0..N).map(span).collect()
    }
}
