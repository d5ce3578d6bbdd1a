//! Contract tests for kernels: checks of the properties that every kernel must have.
//!
//! Call `contract::verify(&kernel, &points)?` in a test of your own kernel ([`verify_mercer`] if it
//! implements [`Mercer`]). kern runs these checks on all of its kernels and closure rules, on the
//! adversarial collections of [`sample_sets`].

use crate::kernels::Linear;
use crate::{Binding, Geometry, Kernel, Mercer, Points, Samples, Scalar, Scratch, Tile};
use crate::{symmetric_eigen, tolerance};
use faer::Mat;
use std::ops::Range;

/// A violation of the kernel contract.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// `check` rejects the points.
    #[error("the kernel refuses the points: {0}")]
    Refused(#[from] crate::Error),
    /// K(x, y) ≠ K(y, x).
    #[error("not symmetric: K(x_{i}, x_{j}) = {given}, K(x_{j}, x_{i}) = {mirrored}")]
    Asymmetric {
        /// Index of the first point.
        i: usize,
        /// Index of the second point.
        j: usize,
        /// K(x_i, x_j).
        given: f64,
        /// K(x_j, x_i).
        mirrored: f64,
    },
    /// A value is NaN or infinite.
    #[error("K(x_{i}, x_{j}) = {given} is not finite")]
    NotFinite {
        /// Index of the first point.
        i: usize,
        /// Index of the second point.
        j: usize,
        /// The value.
        given: f64,
    },
    /// `block`, `bind`, `order`, `single_precision` or `diag` disagrees with `eval`.
    #[error("{method}: entry ({i}, {j}) is {given}, but eval says {expected} (allowed: {allowed})")]
    Inconsistent {
        /// The method that disagrees.
        method: &'static str,
        /// Index of the first point.
        i: usize,
        /// Index of the second point.
        j: usize,
        /// The value by that method.
        given: f64,
        /// The value by `eval`.
        expected: f64,
        /// The difference that rounding explains.
        allowed: f64,
    },
    /// An entry has a different value in another tile or on the diagonal.
    #[error("{method}: entry ({i}, {j}) is {given}, but {expected} in the whole block")]
    SeveralValues {
        /// The method that disagrees.
        method: &'static str,
        /// Index of the first point.
        i: usize,
        /// Index of the second point.
        j: usize,
        /// The value by that method.
        given: f64,
        /// The value in the block of all points.
        expected: f64,
    },
    /// The bounds of [`Order::metric`](crate::Order::metric) are not a valid interval for a
    /// distance, or a point is not at distance 0 from itself.
    #[error("metric: the distance of x_{i} and x_{j} is said to lie between {smallest} and {most}")]
    NoDistance {
        /// Index of the first point.
        i: usize,
        /// Index of the second point.
        j: usize,
        /// The lower bound.
        smallest: f64,
        /// The upper bound.
        most: f64,
    },
    /// The triangle inequality is violated.
    #[error(
        "metric: x_{i} and x_{j} are at least {smallest} apart, but by way of x_{by} at most {most}"
    )]
    Detour {
        /// Index of the first point.
        i: usize,
        /// Index of the second point.
        j: usize,
        /// Index of the third point.
        by: usize,
        /// The lower bound of the distance.
        smallest: f64,
        /// The upper bound of the sum.
        most: f64,
    },
    /// The Gram matrix has a negative eigenvalue.
    #[error("not positive semi-definite: eigenvalue {eigenvalue} (allowed: {allowed})")]
    NotPsd {
        /// The smallest eigenvalue.
        eigenvalue: f64,
        /// The negative eigenvalue that rounding explains.
        allowed: f64,
    },
    /// The eigenvalues could not be computed.
    #[error("the eigenvalue computation did not converge")]
    NoEigenvalues,
}

/// Checks on the given points that the kernel accepts them; that it is finite and exactly
/// symmetric; and that `block`, `bind`, `order` (on tiles of several shapes, including empty tiles
/// and single points) and `diag` agree with `eval` up to rounding. If `order` has a metric, checks
/// that its bounds are those of a metric: a point is at distance 0 from itself, both bounds
/// decrease with the key, and the triangle inequality holds. If the kernel implements
/// `single_precision`, checks that the values are ordered as its geometry.
///
/// # Complexity
/// O(n²) evaluations, and n³ triangle inequalities where there is a metric; intended for n up to a
/// few hundred.
///
/// # Errors
/// The first [`Violation`] found.
///
/// # Examples
/// ```
/// use kern_core::{contract, kernels::FnKernel};
/// let points = vec![1.0, 2.0, 3.0];
/// let skew = FnKernel::new(|x: &f64, y: &f64| x - y);
/// assert!(contract::verify(&skew, &points).is_err());
/// let product = FnKernel::new(|x: &f64, y: &f64| x * y);
/// assert!(contract::verify(&product, &points).is_ok());
/// ```
pub fn verify<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    kernel: &K,
    points: &P,
) -> Result<(), Violation> {
    verified_values(&kernel, points).map(|_| ())
}

/// [`verify`], compiled once for each type of points; returns the values of all pairs.
fn verified_values<P: Points + ?Sized>(
    kernel: &dyn Kernel<P>,
    points: &P,
) -> Result<Mat<f64>, Violation> {
    kernel.check(points)?;
    let expected = pointwise(kernel, points);
    verify_symmetry(&expected)?;
    for (rows, cols) in tile_shapes(points.len()) {
        verify_block(kernel, points, rows, cols, &expected)?;
    }
    verify_metric(kernel, points)?;
    verify_single_precision(kernel, points, &expected)?;
    verify_differences(kernel, points, &expected)?;
    let binding = Binding::new(kernel, points, points);
    for i in 0..points.len() {
        let allowed = allowed::<P::Scalar>(&expected, i, i);
        agree("diag", (i, i), kernel.diag(points, i).to_f64(), expected[(i, i)], allowed)?;
        agree("bind, diag", (i, i), binding.diag(i).to_f64(), expected[(i, i)], allowed)?;
    }
    Ok(expected)
}

/// Checks that an entry of a Gram matrix has the same bits in tiles of several shapes, in its
/// mirror image, from `bind`, with and without what `prepare` returns, and on the diagonal.
///
/// This is stronger than [`verify`], and not every kernel satisfies it. The kernels of this library
/// on dense samples do, and so do its kernels on structured data, and sums, products, powers and
/// exponentials of these. (Blocks of sparse samples accumulate in an order that depends on the
/// tile, those of a convolution in one that depends on the side; the diagonal of a normalised
/// kernel is exactly 1, where its blocks are rounded.) The definition, `eval`, is not compared: it
/// accumulates in double precision for samples in single precision, too.
///
/// # Errors
/// [`Violation::SeveralValues`], or [`Violation::Refused`].
///
/// # Examples
/// ```
/// use kern_core::{contract, kernels::Rbf};
/// for (_, points) in contract::sample_sets::<f32>(3)? {
///     contract::verify_bits(&(Rbf::new(0.5)? * Rbf::new(0.1)?), &points)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_bits<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    kernel: &K,
    points: &P,
) -> Result<(), Violation> {
    one_value_each(&kernel, points)
}

/// [`verify_bits`], compiled once for each type of points.
fn one_value_each<P: Points + ?Sized>(kernel: &dyn Kernel<P>, points: &P) -> Result<(), Violation> {
    kernel.check(points)?;
    let (n, mut scratch) = (points.len(), Scratch::new());
    let mut whole = Mat::zeros(n, n);
    kernel.block(&Tile::new(points, 0..n, points, 0..n), whole.as_mut(), &mut scratch);
    let same = |method, (i, j): (usize, usize), given: P::Scalar| {
        let (given, expected) = (given.to_f64(), whole[(i, j)].to_f64());
        if given.to_bits() == expected.to_bits() {
            Ok(())
        } else {
            Err(Violation::SeveralValues { method, i, j, given, expected })
        }
    };
    let (binding, kept) = (Binding::new(kernel, points, points), kernel.prepare(points));
    let prepared = Binding::prepared(kernel, points, points, kept.as_ref());
    for (rows, cols) in tile_shapes(n) {
        let mut out = Mat::zeros(rows.len(), cols.len());
        let (mut bound, mut known) = (out.clone(), out.clone());
        let tile = Tile::new(points, rows.clone(), points, cols.clone());
        kernel.block(&tile, out.as_mut(), &mut scratch);
        binding.block(rows.clone(), cols.clone(), bound.as_mut(), &mut scratch);
        prepared.block(rows.clone(), cols.clone(), known.as_mut(), &mut scratch);
        for (j, q) in cols.enumerate() {
            for (i, p) in rows.clone().enumerate() {
                same("block", (p, q), out[(i, j)])?;
                same("block, mirrored", (q, p), out[(i, j)])?;
                same("bind", (p, q), bound[(i, j)])?;
                same("prepare, bind", (p, q), known[(i, j)])?;
            }
        }
    }
    (0..n).try_for_each(|i| {
        same("diag", (i, i), kernel.diag(points, i))?;
        same("bind, diag", (i, i), binding.diag(i))
    })
}

/// [`verify`], and positive semi-definiteness of the Gram matrix up to rounding.
///
/// # Errors
/// The first [`Violation`] found.
pub fn verify_mercer<P: Points + ?Sized, K: Mercer<P> + ?Sized>(
    kernel: &K,
    points: &P,
) -> Result<(), Violation> {
    verify_psd(&verified_values(&kernel, points)?, P::Scalar::UNIT_ROUNDOFF)
}

/// Checks that a Gram matrix with unit round-off `u` is positive semi-definite.
fn verify_psd(gram: &Mat<f64>, u: f64) -> Result<(), Violation> {
    let n = gram.nrows();
    if n == 0 {
        return Ok(());
    }
    let (eigenvalues, _) = symmetric_eigen(gram.as_ref()).ok_or(Violation::NoEigenvalues)?;
    let (smallest, largest) = (eigenvalues[0], eigenvalues[n - 1]);
    let allowed = tolerance::CONTRACT_PSD * n as f64 * u * largest.abs();
    if smallest >= -allowed {
        Ok(())
    } else {
        Err(Violation::NotPsd { eigenvalue: smallest, allowed: -allowed })
    }
}

/// Adversarial collections of dense samples, with their names: generic, coincident, translated by
/// 10⁶, two clusters 10⁶ apart, a single point, and the empty collection. Coordinates are
/// non-negative, so that every kernel is defined on them.
///
/// # Errors
/// [`Error::Dimension`](crate::Error::Dimension) if `dim` is 0.
///
/// # Examples
/// ```
/// use kern_core::{contract, kernels::Rbf};
/// for (name, points) in contract::sample_sets::<f32>(3)? {
///     contract::verify_mercer(&Rbf::new(0.5)?, &points).unwrap_or_else(|v| panic!("{name}: {v}"));
/// }
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn sample_sets<T: Scalar>(dim: usize) -> Result<Vec<(&'static str, Samples<T>)>, crate::Error> {
    // A van der Corput-like sequence: deterministic and free of accidental structure.
    let unit = |i: usize| (0.5 + i as f64 * 0.754_877_666_246_692_8).fract();
    let build = |n: usize, value: &dyn Fn(usize, f64) -> f64| {
        let values = (0..n * dim).map(|k| T::from_f64(value(k / dim, unit(k)))).collect();
        Samples::from_row_major(dim, values)
    };
    let far = |i: usize| if i.is_multiple_of(2) { 0.0 } else { 1e6 };
    Ok(vec![
        ("generic", build(23, &|_, v| v)?),
        ("coincident", build(12, &|i, _| unit(i / 3))?),
        ("translated", build(17, &|_, v| 1e6 + v)?),
        ("two clusters", build(18, &|i, v| far(i) + v)?),
        ("single", build(1, &|_, v| v)?),
        ("empty", build(0, &|_, v| v)?),
    ])
}

fn pointwise<P: Points + ?Sized>(kernel: &dyn Kernel<P>, points: &P) -> Mat<f64> {
    let n = points.len();
    Mat::from_fn(n, n, |i, j| kernel.eval(points.item(i), points.item(j)).to_f64())
}

fn verify_symmetry(values: &Mat<f64>) -> Result<(), Violation> {
    for j in 0..values.ncols() {
        for i in 0..values.nrows() {
            let (given, mirrored) = (values[(i, j)], values[(j, i)]);
            if !given.is_finite() {
                return Err(Violation::NotFinite { i, j, given });
            }
            if given.to_bits() != mirrored.to_bits() && (given - mirrored).abs() > 0.0 {
                return Err(Violation::Asymmetric { i, j, given, mirrored });
            }
        }
    }
    Ok(())
}

/// The whole block, one row, one column, an off-diagonal tile, and two empty tiles.
fn tile_shapes(n: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let (third, half) = (n / 3, n / 2);
    vec![
        (0..n, 0..n),
        (0..n.min(1), 0..n),
        (0..n, half..n.min(half + 1)),
        (third..n, 0..half),
        (0..0, 0..n),
        (0..n, n..n),
    ]
}

fn verify_block<P: Points + ?Sized>(
    kernel: &dyn Kernel<P>,
    points: &P,
    rows: Range<usize>,
    cols: Range<usize>,
    expected: &Mat<f64>,
) -> Result<(), Violation> {
    let tile = Tile::new(points, rows, points, cols);
    let mut out = Mat::zeros(tile.nrows(), tile.ncols());
    let compare = |method, out: &Mat<P::Scalar>| -> Result<(), Violation> {
        for (j, q) in tile.cols().enumerate() {
            for (i, p) in tile.rows().enumerate() {
                let allowed = allowed::<P::Scalar>(expected, p, q);
                agree(method, (p, q), out[(i, j)].to_f64(), expected[(p, q)], allowed)?;
            }
        }
        Ok(())
    };
    kernel.block(&tile, out.as_mut(), &mut Scratch::new());
    compare("block", &out)?;
    let binding = Binding::new(kernel, points, points);
    binding.block(tile.rows(), tile.cols(), out.as_mut(), &mut Scratch::new());
    compare("bind", &out)?;
    let prepared = kernel.prepare(points);
    let binding = Binding::prepared(kernel, points, points, prepared.as_ref());
    binding.block(tile.rows(), tile.cols(), out.as_mut(), &mut Scratch::new());
    compare("prepare, bind", &out)?;
    let search = kernel.search_order();
    let Some(order) = search.and_then(|search| search.order(points, points)) else {
        return Ok(());
    };
    order.block(tile.rows(), tile.cols(), out.as_mut(), &mut Scratch::new());
    let mut keys: Vec<_> = (0..out.ncols()).flat_map(|j| out.col(j).iter().copied()).collect();
    let mut largest_first: Vec<usize> = (0..keys.len()).collect();
    largest_first.sort_by(|&a, &b| keys[b].to_f64().total_cmp(&keys[a].to_f64()));
    order.values(&mut keys, &mut Scratch::new());
    for (j, column) in keys.chunks_exact(tile.nrows().max(1)).enumerate() {
        column.iter().enumerate().for_each(|(i, &value)| out[(i, j)] = value);
    }
    compare("order", &out)?;
    verify_order(&largest_first, &keys, &tile, expected)
}

/// Values of entries whose keys decrease must not increase, up to rounding.
fn verify_order<P: Points + ?Sized>(
    largest_first: &[usize],
    values: &[P::Scalar],
    tile: &Tile<'_, P>,
    expected: &Mat<f64>,
) -> Result<(), Violation> {
    let place =
        |at: usize| (tile.rows().start + at % tile.nrows(), tile.cols().start + at / tile.nrows());
    for pair in largest_first.windows(2) {
        let (greater, lesser) = (values[pair[0]].to_f64(), values[pair[1]].to_f64());
        let (i, j) = place(pair[1]);
        let allowed = allowed::<P::Scalar>(expected, i, j);
        agree("order", (i, j), lesser.max(greater), greater, allowed)?;
    }
    Ok(())
}

/// Distances from differences agree with those from values up to the rounding of the values, and
/// are 0 on the diagonal.
fn verify_differences<P: Points + ?Sized>(
    kernel: &dyn Kernel<P>,
    points: &P,
    expected: &Mat<f64>,
) -> Result<(), Violation> {
    let Some(differences) = kernel.differences() else { return Ok(()) };
    let n = points.len();
    let mut values = Mat::zeros(n, n);
    let tile = Tile::new(points, 0..n, points, 0..n);
    differences.block(&tile, values.as_mut(), &mut Scratch::new());
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        // Where K(x, x) overflows, distances may still be finite.
        let own = expected[(i, i)] + expected[(j, j)];
        if !own.is_finite() {
            continue;
        }
        let allowed = tolerance::CONTRACT_BLOCK * P::Scalar::UNIT_ROUNDOFF * (1.0 + own.abs());
        let allowed = if i == j { 0.0 } else { allowed };
        let value = expected[(i, j)] - own / 2.0;
        let value = if i == j { 0.0 } else { value };
        agree("differences", (i, j), values[(i, j)].to_f64(), value, allowed)?;
        let alone = differences.eval(points.item(i), points.item(j)).to_f64();
        agree("differences", (i, j), alone, value, allowed)?;
    }
    Ok(())
}

/// The intervals of `Order::metric` contain the distances of a metric.
fn verify_metric<P: Points + ?Sized>(kernel: &dyn Kernel<P>, points: &P) -> Result<(), Violation> {
    let n = points.len();
    let search = kernel.search_order();
    let Some(order) = search.and_then(|search| search.order(points, points)) else {
        return Ok(());
    };
    let mut keys = Mat::zeros(n, n);
    order.block(0..n, 0..n, keys.as_mut(), &mut Scratch::new());
    let mut all = Vec::with_capacity(n * n);
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let Some([smallest, most]) = order.metric(keys[(i, j)]) else { return Ok(()) };
        // False for NaN.
        let is_interval = smallest >= 0.0 && smallest <= most && (i != j || smallest <= 0.0);
        if !is_interval {
            return Err(Violation::NoDistance { i, j, smallest, most });
        }
        all.push((keys[(i, j)].to_f64(), [smallest, most], (i, j)));
    }
    let bounds = |i: usize, j: usize| all[i + j * n].1;
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let [smallest, _] = bounds(i, j);
        let way = |&by: &usize| smallest > bounds(i, by)[1] + bounds(by, j)[1];
        if let Some(by) = (0..n).find(way) {
            let most = bounds(i, by)[1] + bounds(by, j)[1];
            return Err(Violation::Detour { i, j, by, smallest, most });
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rises = |pair: &&[(f64, [f64; 2], (usize, usize))]| {
        pair[0].1[0] > pair[1].1[0] || pair[0].1[1] > pair[1].1[1]
    };
    match all.windows(2).find(rises) {
        Some(pair) => {
            let ([smallest, most], (i, j)) = (pair[1].1, pair[1].2);
            Err(Violation::NoDistance { i, j, smallest, most })
        }
        None => Ok(()),
    }
}

/// Values are ordered as the geometry of `SearchOrder::single_precision`, up to the errors of
/// single precision.
fn verify_single_precision<P: Points + ?Sized>(
    kernel: &dyn Kernel<P>,
    points: &P,
    expected: &Mat<f64>,
) -> Result<(), Violation> {
    let search = kernel.search_order();
    let Some(single_precision) = search.and_then(|search| search.single_precision(points)) else {
        return Ok(());
    };
    let n = points.len();
    let offset = |j: usize| match single_precision.geometry() {
        Geometry::InnerProduct => 0.0,
        Geometry::Distance => single_precision.squared_norms()[j] / 2.0,
    };
    let largest = (0..n).map(offset).fold(0.0, f64::max);
    let mut products = Mat::zeros(n, n);
    let tile = Tile::new(single_precision.samples(), 0..n, single_precision.samples(), 0..n);
    Linear.block(&tile, products.as_mut(), &mut Scratch::new());
    for (i, error) in single_precision.errors(&single_precision, largest).into_iter().enumerate() {
        let key = |j: usize| f64::from(products[(i, j)]) - offset(j);
        for j in 0..n {
            let (value, allowed) = (expected[(i, j)], allowed::<P::Scalar>(expected, i, j));
            if single_precision.geometry() == Geometry::InnerProduct {
                agree("single_precision", (i, j), key(j), value, error + allowed)?;
            }
            let farther = (0..n).filter(|&k| key(k) < key(j) - 2.0 * error);
            let largest = farther.map(|k| expected[(i, k)]).fold(value, f64::max);
            agree("single_precision", (i, j), value, largest, allowed)?;
        }
    }
    Ok(())
}

/// The tolerance for rounding: relative to √(K(x,x)·K(y,y)), which bounds |K(x,y)| for a Mercer
/// kernel, and to 1 + |K(x,y)| for any other.
fn allowed<T: Scalar>(values: &Mat<f64>, i: usize, j: usize) -> f64 {
    // The roots first: the product of two large values would overflow and accept everything.
    let diagonal = values[(i, i)].abs().sqrt() * values[(j, j)].abs().sqrt();
    let scale = diagonal.max(1.0 + values[(i, j)].abs());
    tolerance::CONTRACT_BLOCK * T::UNIT_ROUNDOFF * scale
}

fn agree(
    method: &'static str,
    (i, j): (usize, usize),
    given: f64,
    expected: f64,
    allowed: f64,
) -> Result<(), Violation> {
    // `<=` is false for NaN, so NaN fails.
    if (given - expected).abs() <= allowed {
        Ok(())
    } else {
        Err(Violation::Inconsistent { method, i, j, given, expected, allowed })
    }
}
