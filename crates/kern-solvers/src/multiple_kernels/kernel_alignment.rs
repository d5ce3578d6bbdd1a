//! Centred alignment of kernels with targets, and with each other.
//!
//! Notation: H = I − 11ᵀ/n centres, ⟨A, B⟩ = Σ AᵢⱼBᵢⱼ, Y are the targets, points × outputs.

use super::gap_of_weights::{Term, check_sum, quadratic, terms};
use crate::model::Regression;
use crate::{Data, Error, tolerance};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::gradient::{Differentiable, free_parameters, set_free_parameters};
use kern_core::products::matmul;
use kern_core::{Kernel, Mercer, Points, Scalar, Scratch, Tile};
use kern_gram::numerics::arithmetic::inner;
use kern_gram::{GramOperator, LazyGram, TILE_EDGE, parallel, tile_ranges, zeros};
use std::ops::Range;

/// The centred alignment of a kernel with targets, ⟨HKH, YYᵀ⟩/(‖HKH‖·‖HYYᵀH‖): 1 if the kernel is
/// an inner product of the targets, and 0 if it is uncorrelated with them. Classes are targets of
/// ±1, with a column for each if there are more than two.
///
/// # Complexity
/// 2n² kernel values, none of which is stored.
///
/// # Errors
/// If the kernel rejects the points; [`Error::Gram`] for non-finite values; [`Error::Unsupported`]
/// for constant targets or a constant kernel.
///
/// # References
/// Cortes, Mohri & Rostamizadeh (2012), *Algorithms for Learning Kernels Based on Centered
/// Alignment*, definition 4.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::{Data, multiple_kernels::centred_alignment};
/// let x = Samples::from_rows(&[[1.0], [2.0], [4.0]])?;
/// let alignment = |y: &[f64]| centred_alignment(&Linear, &Data::new(&x, y)?);
/// assert!((alignment(&[3.0, 5.0, 9.0])? - 1.0).abs() < 1e-12);
/// assert!(alignment(&[1.0, -1.0, 1.0])? < 0.5);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn centred_alignment<P, Y, K>(kernel: &K, data: &Data<'_, P, Y>) -> Result<f64, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P>,
{
    let points = data.points();
    let y = centred_targets(data.targets().matrix())?;
    let centred = Centred::new(kernel, points)?;
    let seen = product(kernel, points, y.as_ref())?;
    let of_tile = |scratch: &mut Scratch<P::Scalar>, (rows, cols): Pair| {
        scratch.with_matrix(rows.len(), cols.len(), |mut values, scratch| {
            let times = if rows == cols { 1.0 } else { 2.0 };
            centred.fill(&rows, &cols, values.as_mut(), scratch);
            times * inner(values.as_ref(), values.as_ref())
        })
    };
    let squares = parallel::map_init(lower_tiles(points.len()), Scratch::new, of_tile);
    let norm = squares.iter().sum::<f64>().sqrt() * norm_of_products(y.as_ref())?;
    let alignment = inner(y.as_ref(), seen.as_ref()) / norm;
    match alignment.is_finite() {
        true => Ok(alignment),
        false => Err(Error::Unsupported {
            what: "the alignment of a kernel or of targets that are constant",
            instead: "give targets, and points, that vary",
        }),
    }
}

/// The kernel with the weights of the largest centred alignment with the targets. They have the sum
/// of the given weights.
///
/// # Definition
/// With aₖ = ⟨HKₖH, YYᵀ⟩ and Mₖₗ = ⟨HKₖH, HKₗH⟩, the weights η ≥ 0 of the largest centred alignment
/// of Σ ηₖKₖ with YYᵀ are proportional to the v ≥ 0 that minimises vᵀMv − 2vᵀa.
///
/// # Complexity
/// (p + 2)n² values of each of p kernels, none of which is stored, and no fit.
///
/// # Errors
/// As [`centred_alignment`]; [`Error::Unsupported`] for a kernel that is not a weighted sum, or if
/// none of its terms is aligned with the targets.
///
/// # References
/// Cortes, Mohri & Rostamizadeh (2012), proposition 9.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::{Linear, Rbf}};
/// use kern_solvers::{Data, multiple_kernels::align_weights};
/// let x = Samples::from_rows(&[[1.0], [2.0], [4.0]])?;
/// let data = Data::new(&x, &[3.0, 5.0, 9.0])?;
/// let kernel = align_weights(&(0.5 * Linear + 0.5 * Rbf::new(100.0)?), &data)?;
/// assert!((kernel.left().weight() - 1.0).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn align_weights<P, Y, K>(kernel: &K, data: &Data<'_, P, Y>) -> Result<K, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P> + Differentiable<P> + Clone,
{
    let (points, terms) = (data.points(), terms(kernel)?);
    kernel.check(points)?;
    let y = centred_targets(data.targets().matrix())?;
    let ones = with_weights(kernel, &terms, |_| 1.0)?;
    let of_terms = |slopes: &[f64]| terms.iter().map(|term| slopes[term.place]).collect();
    let a: Vec<f64> = of_terms(&quadratic(&ones, points, y.as_ref())?);
    check_sum(&a, inner(y.as_ref(), product(&ones, points, y.as_ref())?.as_ref()))?;
    let mut m = Vec::with_capacity(terms.len());
    for k in 0..terms.len() {
        let one = with_weights(kernel, &terms, |l| f64::from(u8::from(k == l)))?;
        let row: Vec<f64> = of_terms(&with_others(&one, &ones, points)?);
        m.push(row);
    }
    let v = nonnegative_minimum(&m, &a);
    let (sum, given) = (v.iter().sum::<f64>(), terms.iter().map(|term| term.weight).sum::<f64>());
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(Error::Unsupported {
            what: "targets with which no kernel of the sum is aligned",
            instead: "give targets that vary with the points",
        });
    }
    with_weights(kernel, &terms, |k| v[k] * given / sum)
}

/// Rows and columns of a tile.
type Pair = (Range<usize>, Range<usize>);

/// The tiles of the lower triangle, those on the diagonal whole.
fn lower_tiles(n: usize) -> Vec<Pair> {
    let cuts = tile_ranges(n, TILE_EDGE);
    let beside = |(i, rows): (usize, &Range<usize>)| {
        cuts[..=i].iter().map(|cols| (rows.clone(), cols.clone())).collect::<Vec<_>>()
    };
    cuts.iter().enumerate().flat_map(beside).collect()
}

/// HKH, tile by tile.
struct Centred<'c, P, K> {
    kernel: &'c K,
    points: &'c P,
    /// The mean of each row, minus half of the mean of all values.
    means: Vec<f64>,
}

impl<'c, P: Points, K: Mercer<P>> Centred<'c, P, K> {
    fn new(kernel: &'c K, points: &'c P) -> Result<Self, Error> {
        let n = points.len() as f64;
        let ones = Mat::full(points.len(), 1, P::Scalar::ONE);
        let sums = product(kernel, points, ones.as_ref())?;
        let means: Vec<f64> = sums.col(0).iter().map(|sum| sum.to_f64() / n).collect();
        let half = 0.5 * means.iter().sum::<f64>() / n;
        Ok(Self { kernel, points, means: means.iter().map(|mean| mean - half).collect() })
    }

    fn fill(
        &self,
        rows: &Range<usize>,
        cols: &Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let tile = Tile::new(self.points, rows.clone(), self.points, cols.clone());
        self.kernel.block(&tile, out.as_mut(), scratch);
        for (column, j) in out.col_iter_mut().zip(cols.clone()) {
            for (value, i) in column.iter_mut().zip(rows.clone()) {
                *value -= P::Scalar::from_f64(self.means[i] + self.means[j]);
            }
        }
    }
}

/// ⟨HKH, ∂K'/∂ln θ⟩ for the free parameters of K'.
fn with_others<P, K>(kernel: &K, others: &K, points: &P) -> Result<Vec<f64>, Error>
where
    P: Points,
    K: Mercer<P> + Differentiable<P>,
{
    let centred = Centred::new(kernel, points)?;
    let free = free_parameters(others).len();
    let of_tile = |scratch: &mut Scratch<P::Scalar>, (rows, cols): Pair| {
        let mut slopes = vec![0.0; free];
        scratch.with_matrix(rows.len(), cols.len(), |mut adjoint, scratch| {
            centred.fill(&rows, &cols, adjoint.as_mut(), scratch);
            let tile = Tile::new(points, rows.clone(), points, cols.clone());
            others.pull_back(&tile, adjoint.as_ref(), &mut slopes, scratch);
        });
        let times = if rows == cols { 1.0 } else { 2.0 };
        slopes.iter_mut().for_each(|slope| *slope *= times);
        slopes
    };
    let mut sum = vec![0.0; free];
    for part in parallel::map_init(lower_tiles(points.len()), Scratch::new, of_tile) {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    Ok(sum)
}

/// The kernel with other weights.
fn with_weights<K: kern_core::parameters::Parameters + Clone>(
    kernel: &K,
    terms: &[Term],
    weight: impl Fn(usize) -> f64,
) -> Result<K, Error> {
    let mut values: Vec<f64> = free_parameters(kernel).iter().map(|free| free.value).collect();
    terms.iter().enumerate().for_each(|(k, term)| values[term.place] = weight(k));
    let mut kernel = kernel.clone();
    set_free_parameters(&mut kernel, &values)?;
    Ok(kernel)
}

/// KV.
fn product<P: Points, K: Kernel<P>>(
    kernel: &K,
    points: &P,
    v: MatRef<'_, P::Scalar>,
) -> Result<Mat<P::Scalar>, Error> {
    let mut out = zeros(v.nrows(), v.ncols())?;
    LazyGram::new(kernel, points)?.apply_into(v, out.as_mut())?;
    Ok(out)
}

/// HY.
fn centred_targets<T: Scalar>(y: MatRef<'_, T>) -> Result<Mat<T>, Error> {
    let mut out = zeros(y.nrows(), y.ncols())?;
    for (out, column) in out.as_mut().col_iter_mut().zip(y.col_iter()) {
        let mean = column.iter().map(|y| y.to_f64()).sum::<f64>() / column.nrows() as f64;
        let pairs = out.iter_mut().zip(column.iter());
        pairs.for_each(|(out, y)| *out = T::from_f64(y.to_f64() - mean));
    }
    Ok(out)
}

/// ‖YYᵀ‖.
fn norm_of_products<T: Scalar>(y: MatRef<'_, T>) -> Result<f64, Error> {
    let mut gram: Mat<T> = zeros(y.ncols(), y.ncols())?;
    matmul(gram.as_mut(), Accum::Replace, y.transpose(), y, T::ONE);
    Ok(inner(gram.as_ref(), gram.as_ref()).sqrt())
}

/// The v ≥ 0 that minimises vᵀMv − 2vᵀa, by coordinate descent.
fn nonnegative_minimum(m: &[Vec<f64>], a: &[f64]) -> Vec<f64> {
    let mut v = vec![0.0; a.len()];
    for _ in 0..tolerance::MOST_SWEEPS {
        let mut moved = 0.0_f64;
        for k in 0..a.len() {
            // A constant kernel has no weight.
            if m[k][k] <= 0.0 {
                continue;
            }
            let others: f64 = (0..a.len()).filter(|&l| l != k).map(|l| m[k][l] * v[l]).sum();
            let next = ((a[k] - others) / m[k][k]).max(0.0);
            moved = moved.max((next - v[k]).abs());
            v[k] = next;
        }
        if moved <= tolerance::WEIGHT_CHANGE * v.iter().copied().fold(0.0, f64::max) {
            break;
        }
    }
    v
}
