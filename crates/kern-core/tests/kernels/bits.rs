//! One value per entry, to the last bit: in all tiles, mirrored, bound, on the diagonal; and in double
//! precision by the definition, too.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::{Conjugated, Exp, Power, PullBack};
use kern_core::contract::{self, Violation};
use kern_core::faer::{Mat, MatMut, mat};
use kern_core::kernels::*;
use kern_core::{Kernel, Points, Samples, Scalar, Scratch, Tile};

#[track_caller]
fn assert_bits<T: Scalar>(name: &str, kernel: &impl Kernel<Samples<T>>) {
    for dim in [1, 3, 8, 300] {
        for (set, points) in contract::sample_sets::<T>(dim).unwrap() {
            let found = contract::verify_bits(kernel, &points);
            found.unwrap_or_else(|v| panic!("{name} on {set}, dim {dim}: {v}"));
        }
    }
}

macro_rules! assert_all_bits {
    ($($name:literal: $kernel:expr),* $(,)?) => {$(
        assert_bits::<f64>($name, &$kernel);
        assert_bits::<f32>($name, &$kernel);
    )*};
}

#[test]
fn an_entry_has_one_value() {
    let rbf = Rbf::new(0.5).unwrap();
    assert_all_bits!(
        "linear": Linear,
        "poly": Polynomial::new(1e-6, 1.0, 3).unwrap(),
        "sigmoid": Sigmoid::new(0.2, -1.0).unwrap(),
        "rbf": rbf,
        "laplacian": Laplacian::new(0.5).unwrap(),
        "exponential": Exponential::new(0.5).unwrap(),
        "matern32": Matern32::new(0.5).unwrap(),
        "matern52": Matern52::new(0.5).unwrap(),
        "matern": Matern::new(0.7, 0.5).unwrap(),
        "periodic": Periodic::new(0.7, 0.5).unwrap(),
        "arc cosine 0": ArcCosine::new(0).unwrap(),
        "arc cosine 1": ArcCosine::new(1).unwrap(),
        "arc cosine 2": ArcCosine::new(2).unwrap(),
        "constant": Constant::new(0.3).unwrap(),
        "white": White::new(0.3).unwrap(),
        "rational quadratic": RationalQuadratic::new(0.5, 2.0).unwrap(),
        "cauchy": Cauchy::new(0.5).unwrap(),
        "cosine": Cosine,
        "chi2": ChiSquared,
        "exp chi2": ExpChiSquared::new(0.5).unwrap(),
        "intersection": Intersection,
        "hellinger": Hellinger,
        "delta": Delta,
        "sum": rbf + 0.5 * Linear,
        "product": rbf * Cosine,
        "power": Power::new(Cosine, 3),
        "exp": Exp::new(Cosine),
        "exp of exp": Exp::new(0.5 * Exp::new(rbf)),
    );
    let ard = ArdRbf::new(&[0.5, 0.0, 2.0]).unwrap();
    let matrix = mat![[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]];
    let mahalanobis = Mahalanobis::new(matrix.as_ref()).unwrap();
    let wave = Wave::new(&[0.5, 0.0, 300.0]).unwrap();
    for (set, points) in contract::sample_sets::<f32>(3).unwrap() {
        assert_eq!(contract::verify_bits(&ard, &points), Ok(()), "{set}");
        assert_eq!(contract::verify_bits(&mahalanobis, &points), Ok(()), "{set}");
        assert_eq!(contract::verify_bits(&wave, &points), Ok(()), "{set}");
        let image = |x: &[f32]| vec![x[0] + x[1], x[2]];
        let pulled = PullBack::<_, _, Samples<f32>>::new(image, Linear);
        assert_eq!(contract::verify_bits(&pulled, &points), Ok(()), "{set}");
        let conjugated = Conjugated::new(|x: &[f32]| 1.0 + x[0], Cosine);
        assert_eq!(contract::verify_bits(&conjugated, &points), Ok(()), "{set}");
    }
}

/// A distance that overflows has an entry of its own, and leaves those beside it alone.
#[test]
fn a_neighbour_that_overflows_changes_no_bits() {
    let near = (0..40).map(|i| [(f64::from(i) * 0.37).sin(), f64::from(i) * 0.1]);
    let far = [[1e200, 0.0], [-1e200, 1e200]];
    let rows: Vec<[f64; 2]> = near.clone().take(20).chain(far).chain(near.skip(20)).collect();
    let single = rows.iter().map(|row| row.map(|v| (v as f32).clamp(-1e30, 1e30)));
    let (double, single) = (Samples::from_rows(&rows), single.collect::<Vec<_>>());
    let (double, single) = (double.unwrap(), Samples::from_rows(&single).unwrap());
    macro_rules! check {
        ($($kernel:expr),* $(,)?) => {$(
            assert_eq!(contract::verify_bits(&$kernel, &double), Ok(()));
            assert_eq!(contract::verify_bits(&$kernel, &single), Ok(()));
        )*};
    }
    check!(
        Rbf::new(0.5).unwrap(),
        Exponential::new(0.5).unwrap(),
        Matern32::new(2.0).unwrap(),
        Matern52::new(0.5).unwrap(),
        Matern::new(0.3, 1e30).unwrap(),
        Wave::new(&[0.5, 1e-3]).unwrap(),
        Periodic::new(0.3, 2.0).unwrap(),
        RationalQuadratic::new(0.7, 1.5).unwrap(),
        RationalQuadratic::new(0.7, 1e-3).unwrap(),
        Cauchy::new(0.5).unwrap(),
        ArdRbf::new(&[0.5, 0.295]).unwrap(),
    );
}

#[test]
fn an_entry_of_structured_points_has_one_value() {
    let words: Vec<String> =
        ["abcab", "ab cd", "", "abcab", "gattaca", "b a b"].map(String::from).to_vec();
    let spectrum = Spectrum::blended(3).unwrap();
    assert_eq!(contract::verify_bits(&spectrum, &words), Ok(()));
    assert_eq!(contract::verify_bits(&(spectrum * BagOfWords), &words), Ok(()));
    assert_eq!(contract::verify_bits(&HammingRbf::new(0.5).unwrap(), &words), Ok(()));
    assert_eq!(contract::verify_bits(&Subsequence::new(2, 0.5).unwrap(), &words), Ok(()));
    assert_eq!(contract::verify_bits(&Exp::new(0.1 * WordCount), &words), Ok(()));
    let numbers = |n: usize| (0..n).map(|i| (i * i % 11) as f64 * 0.3).collect();
    let series = [4, 0, 1, 9, 7, 4].map(|n| Samples::from_row_major(1, numbers(n)).unwrap());
    let series = series.to_vec();
    assert_eq!(contract::verify_bits(&GlobalAlignment::new(0.5).unwrap(), &series), Ok(()));
    let windowed = NormalizedGlobalAlignment::windowed(0.5, 4).unwrap();
    assert_eq!(contract::verify_bits(&windowed, &series), Ok(()));
    let ring = |n: usize| (0..n).map(|i| (i, (i + 1) % n, i as u64 % 2)).collect::<Vec<_>>();
    let graph = |series: &Samples<f64>| {
        let graph = Graph::with_edge_labels(vec![0; series.len()], &ring(series.len())).unwrap();
        AttributedGraph::new(graph, series.clone()).unwrap()
    };
    let graphs: Vec<AttributedGraph> = series.iter().map(graph).collect();
    let walk = AttributedRandomWalk::new(0.2, Rbf::new(0.5).unwrap()).unwrap();
    assert_eq!(contract::verify_bits(&walk, &graphs), Ok(()));
}

/// The same sum in the same order, and the same functions of it.
fn eval_is_block<K: Kernel<Samples<f64>>>(name: &str, kernel: &K) {
    for dim in [1, 3, 8, 300] {
        for (set, points) in contract::sample_sets::<f64>(dim).unwrap() {
            let n = points.len();
            let mut block = Mat::zeros(n, n);
            let tile = Tile::new(&points, 0..n, &points, 0..n);
            kernel.block(&tile, block.as_mut(), &mut Scratch::new());
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let eval = kernel.eval(points.item(i), points.item(j));
                assert_eq!(eval.to_bits(), block[(i, j)].to_bits(), "{name} on {set}, dim {dim}");
            }
        }
    }
}

#[test]
fn in_double_precision_the_definition_has_the_bits_of_a_block() {
    let rbf = Rbf::new(0.5).unwrap();
    eval_is_block("linear", &Linear);
    eval_is_block("poly", &Polynomial::new(1e-6, 1.0, 3).unwrap());
    eval_is_block("sigmoid", &Sigmoid::new(0.2, -1.0).unwrap());
    eval_is_block("rbf", &rbf);
    eval_is_block("laplacian", &Laplacian::new(0.5).unwrap());
    eval_is_block("exponential", &Exponential::new(0.5).unwrap());
    eval_is_block("matern", &Matern::new(0.7, 0.5).unwrap());
    eval_is_block("periodic", &Periodic::new(0.7, 0.5).unwrap());
    eval_is_block("constant", &Constant::new(0.3).unwrap());
    eval_is_block("cauchy", &Cauchy::new(0.5).unwrap());
    eval_is_block("chi2", &ChiSquared);
    eval_is_block("exp chi2", &ExpChiSquared::new(0.5).unwrap());
    eval_is_block("intersection", &Intersection);
    eval_is_block("sum", &(rbf + 0.5 * Linear));
    eval_is_block("exp", &Exp::new(0.5 * rbf));
}

/// A kernel whose tiles have a value of their own where they start.
struct Spoilt {
    block: f64,
    diag: f64,
}

impl Kernel<Vec<f64>> for Spoilt {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        x * y
    }
    fn block(&self, tile: &Tile<'_, Vec<f64>>, mut out: MatMut<'_, f64>, _: &mut Scratch<f64>) {
        tile.fill_pointwise(out.as_mut(), |x, y| self.eval(x, y));
        if tile.rows().start > 0 && !tile.cols().is_empty() {
            out[(0, 0)] += self.block;
        }
    }
    fn diag(&self, points: &Vec<f64>, i: usize) -> f64 {
        self.eval(&points[i], &points[i]) + self.diag
    }
}

#[test]
fn one_bit_is_found() {
    let numbers = vec![0.5, 1.0, 1.5, 2.0, 2.5, 3.0];
    let spoilt = |block, diag| contract::verify_bits(&Spoilt { block, diag }, &numbers);
    assert_eq!(spoilt(0.0, 0.0), Ok(()));
    let found = spoilt(f64::EPSILON, 0.0).unwrap_err();
    assert!(
        matches!(found, Violation::SeveralValues { method: "block", i: 2, j: 0, .. }),
        "{found}"
    );
    let found = spoilt(0.0, f64::EPSILON).unwrap_err();
    assert!(matches!(found, Violation::SeveralValues { method: "diag", i: 0, .. }), "{found}");
}
