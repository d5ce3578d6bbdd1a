//! Normal equations: against sums by definition, the laws of merging, files, and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::{Mat, MatRef};
use kern_core::{Identity, Points, Samples, Scalar};
use kern_gram::MemoryBudget;
use kern_solvers::statistics::{Error, Fingerprint, NormalEquations, Observed};
use proptest::prelude::*;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(256);

/// n samples with `dim` features, two targets and a weight each; some weights are zero.
struct Data<T: Scalar> {
    x: Samples<T>,
    y: Mat<T>,
    weights: Vec<f64>,
}

fn data<T: Scalar>(n: usize, dim: usize, seed: u64) -> Data<T> {
    let value = |i: usize, j: usize| T::from_f64(((i * 37 + j * 101) as f64 + seed as f64).sin());
    let x = (0..n).flat_map(|i| (0..dim).map(move |j| value(i, j))).collect();
    let x = Samples::from_row_major(dim, x).unwrap();
    let y = Mat::from_fn(n, 2, |i, j| value(i + 7, j + 1000));
    let weights = (0..n).map(|i| if i % 5 == 4 { 0.0 } else { 0.5 + (i % 3) as f64 }).collect();
    Data { x, y, weights }
}

impl<T: Scalar> Data<T> {
    /// The sums of samples `range`.
    fn gather(&self, range: std::ops::Range<usize>, budget: &MemoryBudget) -> NormalEquations {
        let map = Identity::new(self.x.dim());
        let mut sums = NormalEquations::new(self.x.dim(), 2, Fingerprint::new(1), &BUDGET).unwrap();
        if !range.is_empty() {
            let x = self.x.select(&range.clone().collect::<Vec<_>>()).unwrap();
            let y = self.y.as_ref().subrows(range.start, range.len());
            let observed = Observed::new(y).weights(&self.weights[range]);
            sums.absorb(&map, &x, &observed, budget).unwrap();
        }
        sums
    }

    /// All sums by their definitions: (Σβzzᵀ, [Σβz Σβzyᵀ], [Σβy Σβy²], Σβ).
    fn by_definition(&self) -> (Mat<f64>, Mat<f64>, Mat<f64>, f64) {
        let (n, dim) = (self.x.len(), self.x.dim());
        let z = |i: usize, a: usize| self.x.item(i)[a].to_f64();
        let y = |i: usize, k: usize| self.y[(i, k)].to_f64();
        let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(|i| self.weights[i] * f(i)).sum::<f64>();
        // Of a symmetric matrix, the lower half is the one that is compared.
        let entry = |a, b| if a < b { 0.0 } else { sum(&|i| z(i, a) * z(i, b)) };
        let gram = Mat::from_fn(dim, dim, entry);
        let moments =
            Mat::from_fn(dim, 3, |a, k| sum(&|i| z(i, a) * if k == 0 { 1.0 } else { y(i, k - 1) }));
        let targets = Mat::from_fn(2, 2, |k, power| sum(&|i| y(i, k).powi(power as i32 + 1)));
        (gram, moments, targets, sum(&|_| 1.0))
    }
}

/// Tells whether all sums agree within `allowed`.
fn agree(a: &NormalEquations, b: &NormalEquations, allowed: f64) -> bool {
    let near = |a: MatRef<'_, f64>, b: MatRef<'_, f64>, lower: bool| {
        (0..a.ncols()).all(|j| {
            let start = if lower { j } else { 0 };
            (start..a.nrows()).all(|i| (a[(i, j)] - b[(i, j)]).abs() <= allowed)
        })
    };
    a.count() == b.count()
        && (a.weight() - b.weight()).abs() <= allowed
        && near(a.gram(), b.gram(), true)
        && near(a.moments(), b.moments(), false)
        && near(a.target_moments(), b.target_moments(), false)
}

fn merged(parts: &[&NormalEquations]) -> NormalEquations {
    let mut all = parts[0].clone();
    parts[1..].iter().for_each(|part| all.merge(part).unwrap());
    all
}

fn check_definition<T: Scalar>(allowed: f64) {
    // Sizes around the edges of tiles and blocks.
    for (n, dim) in [(1, 1), (7, 3), (511, 17), (513, 40), (1100, 130), (1030, 600)] {
        let data = data::<T>(n, dim, 3);
        let sums = data.gather(0..n, &BUDGET);
        let (gram, moments, targets, weight) = data.by_definition();
        // Terms are at most 2.5 in magnitude.
        let allowed = allowed * 2.5 * n as f64;
        assert!((sums.weight() - weight).abs() <= allowed && sums.count() == n as u64);
        for j in 0..dim {
            for i in j..dim {
                let error = (sums.gram()[(i, j)] - gram[(i, j)]).abs();
                assert!(error <= allowed, "{n} x {dim}: {i}, {j}: {error}");
            }
        }
        assert!((sums.moments() - &moments).norm_max() <= allowed, "{n} x {dim}");
        assert!((sums.target_moments() - &targets).norm_max() <= allowed, "{n} x {dim}");
    }
}

#[test]
fn sums_are_those_of_the_definition() {
    // Sums of 512 in the type of the features, of at most 3 in double precision after that.
    check_definition::<f64>(520.0 * f64::UNIT_ROUNDOFF * 2.0);
    check_definition::<f32>(520.0 * f32::UNIT_ROUNDOFF);
}

proptest! {
    #[test]
    fn merging_is_associative_commutative_and_equals_gathering_at_once(
        n in 1_usize..80, dim in 1_usize..6, cuts in any::<[prop::sample::Index; 2]>(), seed in 0_u64..1000,
    ) {
        let data = data::<f64>(n, dim, seed);
        let mut cuts = cuts.map(|cut| cut.index(n + 1));
        cuts.sort_unstable();
        let part = |range| data.gather(range, &BUDGET);
        let (a, b, c) = (part(0..cuts[0]), part(cuts[0]..cuts[1]), part(cuts[1]..n));
        // At most 80 terms below 2.5, whose partial sums are rounded at most 80 times in each order.
        let allowed = 2.0 * 80.0 * 80.0 * 2.5 * f64::UNIT_ROUNDOFF;
        let whole = part(0..n);
        prop_assert!(agree(&merged(&[&a, &b, &c]), &whole, allowed));
        prop_assert!(agree(&merged(&[&c, &a, &b]), &whole, allowed));
        prop_assert!(agree(&merged(&[&a, &merged(&[&b, &c])]), &whole, allowed));
        // Of two, addition commutes exactly.
        prop_assert!(agree(&merged(&[&a, &b]), &merged(&[&b, &a]), 0.0));
    }
}

#[test]
fn features_at_hand_give_the_same_sums_as_a_map() {
    let data = data::<f64>(700, 9, 5);
    let z = MatRef::from_column_major_slice(data.x.as_slice(), 9, 700);
    let mut sums = NormalEquations::new(9, 2, Fingerprint::new(1), &BUDGET).unwrap();
    sums.update(z, &Observed::new(data.y.as_ref()).weights(&data.weights)).unwrap();
    assert!(agree(&sums, &data.gather(0..700, &BUDGET), 0.0));
}

#[test]
fn same_bits_for_any_number_of_threads_and_any_panel() {
    let data = data::<f64>(5000, 300, 8);
    let one = kern_gram::sequentially(|| data.gather(0..5000, &BUDGET));
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(agree(&pool.install(|| data.gather(0..5000, &BUDGET)), &one, 0.0), "{threads}");
    }
    // The smallest panel: 512 points.
    let smallest = MemoryBudget::bytes(300 * 512 * 8);
    assert!(agree(&data.gather(0..5000, &smallest), &one, 0.0));
}

#[test]
fn files_keep_every_bit_and_are_checked() {
    let sums = data::<f64>(50, 4, 1).gather(0..50, &BUDGET);
    let bytes = postcard::to_stdvec(&sums).unwrap();
    assert!(agree(&postcard::from_bytes(&bytes).unwrap(), &sums, 0.0));
    let json = serde_json::to_string(&sums).unwrap();
    assert!(agree(&serde_json::from_str(&json).unwrap(), &sums, 0.0));

    let refuses = |name: &str, value: serde_json::Value, part: &str| {
        let mut file: serde_json::Value = serde_json::from_str(&json).unwrap();
        file[name] = value;
        let error = serde_json::from_value::<NormalEquations>(file).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refuses("version", 2.into(), "format 1");
    refuses("lower", vec![0.0; 9].into(), "do not fit together");
    refuses("weight", (-1.0).into(), "negative");
}

#[test]
fn sums_of_different_things_do_not_merge() {
    let sums = |dim, outputs, print| {
        NormalEquations::new(dim, outputs, Fingerprint::new(print), &BUDGET).unwrap()
    };
    let mut a = sums(2, 1, 7);
    let (expected, given) = (Fingerprint::new(7), Fingerprint::new(8));
    assert_eq!(a.merge(&sums(2, 1, 8)), Err(Error::Fingerprint { expected, given }));
    let what = "features";
    assert_eq!(a.merge(&sums(3, 1, 7)), Err(Error::Statistics { what, expected: 2, given: 3 }));
    let what = "outputs";
    assert_eq!(a.merge(&sums(2, 2, 7)), Err(Error::Statistics { what, expected: 1, given: 2 }));
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_added() {
    let mut sums = NormalEquations::new(1, 1, Fingerprint::new(0), &BUDGET).unwrap();
    let y = Mat::from_fn(2, 1, |i, _| i as f64);
    let z = Mat::from_fn(1, 2, |_, j| if j == 1 { f64::NAN } else { 1.0 });
    let observed = Observed::new(y.as_ref());
    let error = sums.update(z.as_ref(), &observed).unwrap_err();
    assert!(error.to_string().contains("NaN"), "{error}");
    let z = Mat::<f64>::zeros(1, 2);
    let error = sums.update(z.as_ref(), &observed.weights(&[1.0, -1.0])).unwrap_err();
    assert_eq!(error, Error::Weight { point: 1, given: -1.0 });
    let z = Mat::<f64>::zeros(1, 3);
    assert!(matches!(sums.update(z.as_ref(), &observed), Err(Error::Length { .. })));
    assert_eq!((sums.count(), sums.gram()[(0, 0)]), (0, 0.0));

    let small = MemoryBudget::bytes(1000);
    let new = |dim| NormalEquations::new(dim, 1, Fingerprint::new(0), &small);
    assert!(new(9).is_ok() && matches!(new(100), Err(Error::Gram(_))));
    assert!(matches!(new(0), Err(Error::Count { given: 0, .. })));
}
