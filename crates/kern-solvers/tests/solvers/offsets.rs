//! Far from the origin: neighbours, clusters, discrepancies and components of points are those of their differences, which are exact
//! here, since coordinates are whole multiples of a unit.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use kern_core::closure::{Normalized, Power};
use kern_core::kernels::{Cosine, Linear, Polynomial, Rbf};
use kern_core::{KernelSpec, Mercer, MercerFormula, Points, Samples, Scalar, SparseSamples};
use kern_solvers::components::KernelPca;
use kern_solvers::dependence::{HsicTest, hsic, mmd};
use kern_solvers::kmeans::{KMeans, Seeding, SoftKMeans};
use kern_solvers::knn::{KNearest, VantageTree};
use kern_solvers::svm::{Svc, Svr};
use kern_solvers::{DecisionValues, Status, Transformer, Values};

/// Pairwise distinct points of a lattice around `offset`, with this many units between neighbours.
fn lattice<T: Scalar>(n: usize, offset: f64, unit: f64) -> Samples<T> {
    let place = |k: usize| (k * 7919 + k * k * 31) % 10_007;
    let row =
        |i: usize| [i % 29, i / 29, place(i) % 13].map(|c| T::from_f64(offset + c as f64 * unit));
    Samples::from_row_major(3, (0..n).flat_map(row).collect()).unwrap()
}

/// Offsets and units at which coordinates of the type are exact.
fn places<T: Scalar>() -> Vec<(f64, f64)> {
    let mut places = vec![(0.0, 1.0), (1.0, 0.125), (1e4, 0.0625)];
    if size_of::<T>() == size_of::<f64>() {
        places.extend([(1e4, 1e-6), (1e8, 1.0)]);
    }
    places
}

fn squared<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x.to_f64() - y.to_f64()).powi(2)).sum()
}

/// Every point is its own nearest neighbour, at distance 0.
fn finds_itself<T: Scalar, P: Points<Scalar = T>, K: Mercer<P> + Clone>(
    kernel: &K,
    x: &P,
    what: &str,
) {
    let targets: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
    let brute = KNearest::by_distance(kernel.clone()).neighbors(2);
    let tree = brute.clone().search(VantageTree::new());
    for model in [brute.fit(x, &targets).unwrap(), tree.fit(x, &targets).unwrap()] {
        for (i, row) in model.neighbors(x).unwrap().into_iter().enumerate() {
            assert_eq!(row[0].index, i, "{what}");
            assert!(row[0].score <= T::ZERO, "{what}");
            assert!(row[1].score > T::ZERO, "{what}");
        }
    }
}

fn neighbours<T: Scalar>() {
    for (offset, unit) in places::<T>() {
        let x: Samples<T> = lattice(400, offset, unit);
        let what = format!("{offset} {unit} {}", size_of::<T>());
        finds_itself(&Linear, &x, &what);
        finds_itself(&(0.5 * Linear), &x, &what);
        finds_itself(&(Linear + Rbf::new(0.1).unwrap()), &x, &what);
        for degree in [2, 3] {
            finds_itself(&Polynomial::new(0.5, 1.0, degree).unwrap(), &x, &what);
        }
        finds_itself(&Power::new(Linear, 2), &x, &what);
        finds_itself(&(Linear * Rbf::new(0.1).unwrap()), &x, &what);
        finds_itself(&(Linear * Linear * Linear), &x, &what);
        let product: KernelSpec = "linear^2*poly(degree=2, gamma=0.5, coef0=1)".parse().unwrap();
        let product: MercerFormula<Samples<T>> = product.build_mercer().unwrap();
        finds_itself(&product, &x, &what);
        let spec: KernelSpec = "2*linear + poly(degree=2, gamma=0.5, coef0=1)".parse().unwrap();
        let formula: MercerFormula<Samples<T>> = spec.build_mercer().unwrap();
        finds_itself(&formula, &x, &what);
        let row = |i: usize| x.item(i).iter().enumerate().map(|(k, &v)| (k as u32, v)).collect();
        let rows: Vec<Vec<(u32, T)>> = (0..x.len()).map(row).collect();
        finds_itself(&Linear, &SparseSamples::from_rows(3, &rows).unwrap(), &what);
    }
}

#[test]
fn a_point_is_its_own_neighbour_in_double_precision() {
    neighbours::<f64>();
}

#[test]
fn a_point_is_its_own_neighbour_in_single_precision() {
    neighbours::<f32>();
}

#[test]
fn distances_of_linear_and_polynomial_kernels_are_exact() {
    let x: Samples<f64> = lattice(120, 1e8, 1.0);
    let targets = vec![0.0; x.len()];
    let model = KNearest::by_distance(Linear).neighbors(120).fit(&x, &targets).unwrap();
    for (i, row) in model.neighbors(&x).unwrap().into_iter().enumerate() {
        for neighbor in row {
            let exact = squared(x.item(i), x.item(neighbor.index)).sqrt();
            assert!((neighbor.score - exact).abs() <= 1e-14 * exact);
        }
    }
    // ‖φ(x) − φ(y)‖² of (xy)² in one dimension is (x² − y²)².
    let line = Samples::from_rows(&[[1e6], [1e6 + 1.0], [1e6 + 3.0]]).unwrap();
    let square = Polynomial::new(1.0, 0.0, 2).unwrap();
    let model = KNearest::by_distance(square).neighbors(3).fit(&line, &[0.0; 3]).unwrap();
    let row = &model.neighbors(&line).unwrap()[0];
    let exact = |d: f64| d * (2e6 + d);
    assert!((row[1].score / exact(1.0) - 1.0).abs() < 1e-14, "{row:?}");
    assert!((row[2].score / exact(3.0) - 1.0).abs() < 1e-14, "{row:?}");
}

/// The cosine of points whose directions differ by little.
#[test]
fn angles_are_not_lost() {
    let x = Samples::<f32>::from_rows(&[[1e4, 0.0], [1e4, 0.25], [1e4, 1.0]]).unwrap();
    let model = KNearest::by_distance(Cosine).neighbors(3).fit(&x, &[0.0; 3]).unwrap();
    let row = &model.neighbors(&x).unwrap()[1];
    assert_eq!([row[0].index, row[1].index, row[2].index], [1, 0, 2]);
    assert!((f64::from(row[1].score) / 2.5e-5 - 1.0).abs() < 1e-5, "{row:?}");
}

fn inertia<T: Scalar>(offset: f64, unit: f64) -> [f64; 4] {
    let x: Samples<T> = lattice(300, offset, unit);
    let seeds = Seeding::Given(vec![0, 100, 299]);
    let hard = KMeans::on_kernel(Linear, 3).seeding(seeds.clone()).fit(&x).unwrap();
    let distances = hard.distances(&x).unwrap();
    let nearest = |i: usize| {
        let of_cluster = |c: usize| distances[(i, c)].to_f64();
        (0..3).map(of_cluster).fold(f64::INFINITY, f64::min).powi(2)
    };
    assert_eq!(hard.predict(&x).unwrap(), hard.labels());
    let by_batches = KMeans::on_kernel(Linear, 3).seeding(seeds.clone()).batch(100).truncation(500);
    let by_batches = by_batches.fit(&x).unwrap();
    let soft = SoftKMeans::on_kernel(Linear, 3).beta(4.0 / (unit * unit)).seeding(seeds).fit(&x);
    let soft = soft.unwrap();
    [
        hard.report().objective,
        (0..x.len()).map(nearest).sum(),
        by_batches.report().objective,
        soft.report().objective,
    ]
    .map(|value| value / (unit * unit))
}

#[test]
fn clusters_do_not_depend_on_the_origin() {
    let expected = inertia::<f64>(0.0, 1.0);
    let close = |given: [f64; 4], tolerance: f64, what: &str| {
        for (given, expected) in given.iter().zip(&expected) {
            assert!((given / expected - 1.0).abs() < tolerance, "{what}: {given} {expected}");
        }
    };
    for (offset, unit) in places::<f64>() {
        // 1e-6 is not a multiple of a power of two: coordinates at 1e4 are off by up to 1e-12.
        close(inertia::<f64>(offset, unit), 1e-5, &format!("{offset} {unit}"));
    }
    for (offset, unit) in places::<f32>() {
        close(inertia::<f32>(offset, unit), 1e-4, &format!("{offset} {unit} single"));
    }
}

#[test]
fn discrepancies_do_not_depend_on_the_origin() {
    let found = |offset: f64, unit: f64| {
        let x: Samples<f64> = lattice(90, offset, unit);
        let y = x.select(&(0..60).collect::<Vec<_>>()).unwrap();
        let found = mmd(&Linear, &x, &y).unwrap();
        [found.biased(), found.unbiased().unwrap()].map(|value| value / (unit * unit))
    };
    let expected = found(0.0, 1.0);
    for (offset, unit) in places::<f64>() {
        for (given, expected) in found(offset, unit).iter().zip(&expected) {
            assert!(
                (given - expected).abs() < 1e-6 * expected.abs(),
                "{offset}: {given} {expected}"
            );
        }
    }
}

fn components<T: Scalar>(kernel: &(impl Mercer<Samples<T>> + Clone), x: &Samples<T>) -> Vec<f64> {
    let model = KernelPca::on_kernel(kernel.clone(), x.len()).fit(x).unwrap();
    // What the model says of its points is what it has found in them.
    let z = model.transform(x).unwrap();
    for (p, &value) in model.eigenvalues().iter().enumerate().take(3) {
        let sum: f64 = (0..x.len()).map(|i| z.item(i)[p].to_f64().powi(2)).sum();
        assert!((sum / value - 1.0).abs() < 1e-3, "{sum} {value}");
    }
    model.eigenvalues().to_vec()
}

#[test]
fn components_are_as_many_as_the_points_span() {
    for (offset, unit) in places::<f64>() {
        let x: Samples<f64> = lattice(120, offset, unit);
        assert_eq!(components(&Linear, &x).len(), 3, "{offset} {unit}");
        // The monomials of degree two and one, in three coordinates.
        let square = Polynomial::new(1.0, 1.0, 2).unwrap();
        if unit * 1e3 > offset {
            assert_eq!(components(&square, &x).len(), 9, "{offset} {unit}");
        } else {
            let found = components(&square, &x).len();
            assert!((3..=9).contains(&found), "{offset} {unit}: {found}");
        }
    }
    for (offset, unit) in places::<f32>() {
        let x: Samples<f32> = lattice(120, offset, unit);
        assert_eq!(components(&Linear, &x).len(), 3, "{offset} {unit}");
        assert!(components(&Cosine, &x).len() <= 9, "{offset} {unit}");
        let normalized = Normalized::new(Polynomial::new(1.0, 1.0, 2).unwrap());
        assert!((3..=9).contains(&components(&normalized, &x).len()), "{offset} {unit}");
    }
}

#[test]
fn constant_points_have_no_components_or_say_so() {
    for value in [0.0, 1.0, 200.0, 1e8] {
        let x = Samples::<f32>::from_row_major(3, vec![value; 60]).unwrap();
        let found = KernelPca::on_kernel(Linear, 2).fit(&x);
        let at_origin = KernelPca::on_kernel(Linear, 2)
            .fit(&Samples::from_row_major(3, vec![0.0_f32; 60]).unwrap());
        assert_eq!(format!("{found:?}"), format!("{at_origin:?}"), "{value}");
    }
}

/// The criterion of independence of points and their first coordinates: that at the origin, and permutations as there.
#[test]
fn dependence_does_not_depend_on_the_origin() {
    fn found<T: Scalar>(offset: f64, unit: f64) -> [f64; 4] {
        let x: Samples<T> = lattice(60, offset, unit);
        let y: Vec<T> = (0..x.len()).map(|i| x.item(i)[0]).collect();
        let y = Samples::from_row_major(1, y).unwrap();
        let scale = unit.powi(-4);
        let of = hsic(&Linear, &x, &Linear, &y).unwrap();
        let test = HsicTest::on_kernels(Linear, Linear).permutations(99).test(&x, &y).unwrap();
        [
            of.biased() * scale,
            of.unbiased().unwrap() * scale,
            test.statistic() * scale,
            test.p_value(),
        ]
    }
    fn compare<T: Scalar>(tolerance: f64) {
        for (offset, unit) in places::<T>() {
            for (found, expected) in found::<T>(offset, unit).iter().zip(found::<f64>(0.0, 1.0)) {
                assert!(
                    (found / expected - 1.0).abs() < tolerance,
                    "{offset} {unit}: {found} {expected}"
                );
            }
        }
    }
    compare::<f64>(1e-7);
    compare::<f32>(1e-4);
}

/// Machines with an intercept are those at the origin, in coordinates that are counted in units.
#[test]
fn machines_do_not_depend_on_the_origin() {
    fn compare<T: Scalar>(tolerance: f64) {
        let origin: Samples<f64> = lattice(150, 0.0, 1.0);
        let sums: Vec<f64> =
            (0..origin.len()).map(|i| origin.item(i).iter().sum::<f64>() / 10.0).collect();
        let classes: Vec<bool> = sums.iter().map(|&sum| sum > 2.0).collect();
        for (offset, unit) in places::<T>() {
            let x: Samples<T> = lattice(150, offset, unit);
            let y: Vec<T> = sums.iter().map(|&sum| T::from_f64(sum)).collect();
            // As the lengths of coordinates, so the penalty.
            let c = 0.01 * unit.powi(-2);
            let svr = Svr::on_kernel(Linear).c(c).fit(&x, Values::new(y.clone())).unwrap();
            let kernel = 1.0 * Linear + (unit * unit) * Rbf::new(1e-3 / unit.powi(2)).unwrap();
            let both = Svr::on_kernel(kernel).c(c).fit(&x, Values::new(y)).unwrap();
            let svc = Svc::on_kernel(Linear).c(c).fit(&x, &classes).unwrap();
            for status in [svr.report().status, both.report().status, svc.report().status] {
                assert_eq!(status, Status::Converged, "{offset} {unit}");
            }
            let wrong =
                svc.predict(&x).unwrap().iter().zip(&classes).filter(|(a, b)| a != b).count();
            assert!(wrong <= 2, "{offset} {unit}: {wrong}");
            for values in [svr.decision_values(&x).unwrap(), both.decision_values(&x).unwrap()] {
                for (i, &sum) in sums.iter().enumerate() {
                    let found = values[(i, 0)].to_f64();
                    assert!((found - sum).abs() < tolerance, "{offset} {unit} {i}: {found} {sum}");
                }
            }
            // The intercept that goes with values.
            if offset <= 1.0 {
                let expansion = svr.decision();
                let b = expansion.kernel_intercepts()[0].to_f64();
                let values: f64 = (0..expansion.points().len())
                    .map(|j| {
                        let products = expansion.points().item(j).iter().zip(x.item(7));
                        let value: f64 = products.map(|(a, b)| a.to_f64() * b.to_f64()).sum();
                        expansion.coefficients()[(j, 0)].to_f64() * value
                    })
                    .sum();
                assert!((values + b - sums[7]).abs() < tolerance, "{offset} {unit}");
            }
        }
    }
    compare::<f64>(0.11);
    compare::<f32>(0.13);
}
