//! Bandwidth heuristics: an initial γ for kernels such as [`Rbf`](crate::kernels::Rbf), or a grid
//! of γ for model selection.
//!
//! All functions estimate a scale of squared distances, γ ~ 1/‖x − y‖². For a kernel of the
//! distance itself, such as [`Exponential`](crate::kernels::Exponential), use √γ; for the length
//! scale ℓ of a Matérn kernel, use 1/√(2γ).
//!
//! Weights are multiplicities: a point of integer weight w counts as w copies of the point.

use crate::{Error, Positive, Vectors};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The maximum number of pairs of points in a sample. The share of all pairs that are closer than
/// the median of 4096 sampled pairs is ½ ± 0.008 (one standard deviation), more precise than any
/// use of γ requires.
pub const PAIRS: usize = 4096;

/// d times the variance of all n·d coordinates pooled, zeros included.
fn total_variance<P: Vectors>(points: &P) -> f64 {
    let stored = (0..points.len()).flat_map(|i| points.coordinates(i)).map(|(_, v)| v);
    let zeros = points.len() as u128 * points.dim() as u128 - stored.clone().count() as u128;
    points.dim() as f64 * variance(stored, zeros)
}

/// The variance of the values and of `zeros` further zeros, in two passes; exactly 0 if all are
/// equal.
fn variance(values: impl Iterator<Item = f64> + Clone, zeros: u128) -> f64 {
    let of_zeros = if zeros > 0 { Some(0.0) } else { None };
    let (smallest, largest) = values
        .clone()
        .chain(of_zeros)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if smallest >= largest {
        return 0.0;
    }
    let zeros = zeros as f64;
    let (count, sum) = values.clone().fold((zeros, 0.0), |(n, sum), v| (n + 1.0, sum + v));
    let mean = sum / count;
    let squares: f64 = values.map(|v| (v - mean) * (v - mean)).sum();
    (squares + zeros * mean * mean) / count
}

/// γ = 1/median(‖x − y‖²): the median heuristic.
///
/// With this γ the RBF kernel of a typical pair is exp(−1). (Some definitions use 1/(2·median²) of
/// unsquared distances, half of this value.) See [`quantile_gammas`] for the choice of pairs.
///
/// # Errors
/// As [`quantile_gammas`].
///
/// # References
/// Garreau, Jitkrittum & Kanagawa (2017), *Large Sample Analysis of the Median Heuristic*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, bandwidth::median_gamma};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?; // squared distances 1, 4, 9
/// assert_eq!(median_gamma(&x, 0)?, 0.25);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "median heuristic")]
#[doc(alias = "bandwidth")]
pub fn median_gamma<P: Vectors>(points: &P, seed: u64) -> Result<f64, Error> {
    quantile_gammas(points, &[0.5], seed).map(|gammas| gammas[0])
}

/// γ = 1/q for each quantile q of the squared distances: a grid for model selection. The
/// quantiles 0.1, 0.5 and 0.9 give a narrow kernel, the median heuristic and a wide kernel.
///
/// The distances are those of all pairs of distinct indices if there are at most [`PAIRS`] of them.
/// Otherwise [`PAIRS`] pairs are drawn uniformly with replacement, and the result depends on
/// `seed`. Pairs of coincident points carry no information about scale and are left out. Quantiles
/// are interpolated linearly between order statistics, as in `numpy.quantile`.
///
/// # Errors
/// [`Error::NoSpread`] if there are fewer than two points or all pairs coincide;
/// [`Error::Parameter`] if a quantile is not in [0, 1] or γ is not a positive number.
///
/// # Complexity
/// O(min(n², PAIRS)·d) time, O(PAIRS) memory.
///
/// # Examples
/// ```
/// use kern_core::{Samples, bandwidth::quantile_gammas};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?; // squared distances 1, 4, 9
/// assert_eq!(quantile_gammas(&x, &[0.0, 0.25], 0)?, [1.0, 0.4]);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn quantile_gammas<P: Vectors>(
    points: &P,
    quantiles: &[f64],
    seed: u64,
) -> Result<Vec<f64>, Error> {
    check_quantiles(quantiles)?;
    let mut distances = squared_distances(points, seed);
    distances.retain(|&d| d > 0.0);
    if distances.is_empty() {
        return Err(Error::NoSpread { points: points.len() });
    }
    distances.sort_unstable_by(f64::total_cmp);
    quantiles.iter().map(|&q| gamma(quantile(&distances, q))).collect()
}

fn check_quantiles(quantiles: &[f64]) -> Result<(), Error> {
    const ALLOWED: &str = "between 0 and 1";
    match quantiles.iter().find(|&q| !(0.0..=1.0).contains(q)) {
        Some(&given) => Err(Error::Parameter { name: "quantile", given, allowed: ALLOWED }),
        None => Ok(()),
    }
}

/// γ = 1/(d·Var), where Var is the pooled variance of all n·d coordinates, zeros included:
/// scikit-learn's `gamma="scale"`.
///
/// For features of equal means and variances this is 2/E‖x − y‖². Deterministic.
///
/// # Errors
/// [`Error::NoSpread`] if there are no points or all coordinates are equal (where scikit-learn
/// takes 1); [`Error::Parameter`] if γ is not a positive number.
///
/// # Complexity
/// O(n·d) time, or that of the stored entries; no memory.
///
/// # Examples
/// ```
/// use kern_core::{Samples, bandwidth::scale_gamma};
/// let x = Samples::from_rows(&[[0.0, 4.0], [4.0, 0.0]])?;
/// assert_eq!(scale_gamma(&x)?, 0.125); // variance 4, two features
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "bandwidth")]
pub fn scale_gamma<P: Vectors>(points: &P) -> Result<f64, Error> {
    let variance = total_variance(points);
    if variance > 0.0 { gamma(variance) } else { Err(Error::NoSpread { points: points.len() }) }
}

/// 1/scale, or an error if that is not a positive finite number.
fn gamma(scale: f64) -> Result<f64, Error> {
    Positive::new("gamma of the data", scale.recip()).map(Positive::get)
}

/// The squared distances of all pairs, or of a sample of pairs.
fn squared_distances<P: Vectors>(points: &P, seed: u64) -> Vec<f64> {
    let n = points.len();
    if n < 2 {
        return Vec::new();
    }
    if n.saturating_mul(n - 1) / 2 <= PAIRS {
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        return pairs.map(|(i, j)| points.squared_distance(i, j)).collect();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || {
        let i = rng.random_range(0..n);
        let j = rng.random_range(0..n - 1);
        points.squared_distance(i, if j < i { j } else { j + 1 })
    };
    (0..PAIRS).map(|_| draw()).collect()
}

/// Linear interpolation between the order statistics around q·(m − 1).
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let position = q * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = position - position.floor();
    if share > 0.0 { (1.0 - share) * sorted[below] + share * sorted[above] } else { sorted[below] }
}

/// [`median_gamma`] for weighted points: an integer weight is a multiplicity, and points of weight
/// 0 have no effect.
///
/// # Errors
/// As [`quantile_gammas_weighted`].
///
/// # Examples
/// ```
/// use kern_core::{Samples, bandwidth::median_gamma_weighted};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0], [1e6]])?;
/// assert_eq!(median_gamma_weighted(&x, &[1.0, 1.0, 1.0, 0.0], 0)?, 0.25);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn median_gamma_weighted<P: Vectors>(
    points: &P,
    weights: &[f64],
    seed: u64,
) -> Result<f64, Error> {
    quantile_gammas_weighted(points, weights, &[0.5], seed).map(|gammas| gammas[0])
}

/// [`quantile_gammas`] for weighted points: a pair counts with the product of its weights. Where
/// pairs are sampled, points are drawn with probability proportional to their weights. Weights that
/// are not all integers are divided by the smallest positive one.
///
/// # Errors
/// As [`quantile_gammas`]; [`Error::Dimension`] if the number of weights is not the number of
/// points; [`Error::Parameter`] for a negative or non-finite weight.
pub fn quantile_gammas_weighted<P: Vectors>(
    points: &P,
    weights: &[f64],
    quantiles: &[f64],
    seed: u64,
) -> Result<Vec<f64>, Error> {
    let used = used(points, weights)?;
    if used.iter().all(|&(_, weight)| weight.to_bits() == 1.0_f64.to_bits()) {
        let indices: Vec<usize> = used.iter().map(|&(i, _)| i).collect();
        return quantile_gammas(&points.select(&indices)?, quantiles, seed);
    }
    check_quantiles(quantiles)?;
    let mut distances = weighted_distances(points, &used, seed);
    distances.retain(|&(d, _)| d > 0.0);
    if distances.is_empty() {
        return Err(Error::NoSpread { points: used.len() });
    }
    distances.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    quantiles.iter().map(|&q| gamma(weighted_quantile(&distances, q))).collect()
}

/// [`scale_gamma`] for weighted points: an integer weight is a multiplicity, and points of weight 0
/// have no effect.
///
/// # Errors
/// As [`scale_gamma`]; [`Error::Dimension`] if the number of weights is not the number of points;
/// [`Error::Parameter`] for a negative or non-finite weight.
///
/// # Examples
/// ```
/// use kern_core::{Samples, bandwidth::scale_gamma_weighted};
/// let x = Samples::from_rows(&[[0.0, 4.0], [4.0, 0.0], [1e9, 1e9]])?;
/// assert_eq!(scale_gamma_weighted(&x, &[1.0, 1.0, 0.0])?, 0.125);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn scale_gamma_weighted<P: Vectors>(points: &P, weights: &[f64]) -> Result<f64, Error> {
    let used = used(points, weights)?;
    let stored = || {
        let of = |&(i, weight): &(usize, f64)| points.coordinates(i).map(move |(_, v)| (v, weight));
        used.iter().flat_map(of)
    };
    let total: f64 = used.iter().map(|(_, weight)| weight).sum::<f64>() * points.dim() as f64;
    let written: f64 = stored().map(|(_, weight)| weight).sum();
    // For sparse points only: on dense points the difference of the sums would be rounding error.
    let is_sparse = stored().count() < used.len() * points.dim();
    let zeros = if is_sparse { (total - written).max(0.0) } else { 0.0 };
    let variance = weighted_variance(stored(), zeros);
    let none = Error::NoSpread { points: used.len() };
    if variance > 0.0 { gamma(points.dim() as f64 * variance) } else { Err(none) }
}

/// The indices and weights of the points of positive weight.
fn used<P: Vectors>(points: &P, weights: &[f64]) -> Result<Vec<(usize, f64)>, Error> {
    Error::check_dimension("weights", points.len(), weights.len())?;
    let wrong = |weight: &&f64| !(weight.is_finite() && **weight >= 0.0);
    if let Some(&given) = weights.iter().find(wrong) {
        let allowed = "finite and at least 0";
        return Err(Error::Parameter { name: "a weight", given, allowed });
    }
    Ok(weights.iter().copied().enumerate().filter(|&(_, weight)| weight > 0.0).collect())
}

/// The variance of weighted values and of zeros with this total weight; exactly 0 if all are equal.
fn weighted_variance(values: impl Iterator<Item = (f64, f64)> + Clone, zeros: f64) -> f64 {
    let of_zeros = if zeros > 0.0 { Some(0.0) } else { None };
    let (smallest, largest) = values
        .clone()
        .map(|(value, _)| value)
        .chain(of_zeros)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if smallest >= largest {
        return 0.0;
    }
    let add = |(n, sum): (f64, f64), (v, w): (f64, f64)| (n + w, w.mul_add(v, sum));
    let (count, sum) = values.clone().fold((zeros, 0.0), add);
    let mean = sum / count;
    let squares: f64 = values.map(|(v, w)| w * (v - mean) * (v - mean)).sum();
    (squares + zeros * mean * mean) / count
}

/// The squared distances of all pairs, or of a sample of pairs, each with its weight.
fn weighted_distances<P: Vectors>(points: &P, used: &[(usize, f64)], seed: u64) -> Vec<(f64, f64)> {
    let n = used.len();
    if n < 2 {
        return Vec::new();
    }
    let distance = |i: usize, j: usize| points.squared_distance(used[i].0, used[j].0);
    if n.saturating_mul(n - 1) / 2 <= PAIRS {
        let smallest = used.iter().map(|&(_, weight)| weight).fold(f64::INFINITY, f64::min);
        let is_whole = used.iter().all(|(_, weight)| weight.fract() == 0.0);
        let unit = if is_whole { 1.0 } else { smallest };
        let weight = |i: usize| used[i].1 / unit;
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        return pairs.map(|(i, j)| (distance(i, j), weight(i) * weight(j))).collect();
    }
    let mut total = 0.0;
    let sums: Vec<f64> = used.iter().map(|(_, weight)| (total += weight, total).1).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || {
        let at = rng.random::<f64>() * total;
        sums.partition_point(|&sum| sum <= at).min(n - 1)
    };
    // A pair of equal indices has distance 0 and is left out, as coincident points are.
    (0..PAIRS).map(|_| (draw(), draw())).map(|(i, j)| (distance(i, j), 1.0)).collect()
}

/// The quantile of values repeated according to their weights.
fn weighted_quantile(sorted: &[(f64, f64)], q: f64) -> f64 {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let position = q * (total - 1.0).max(0.0);
    let at = |rank: f64| {
        let mut sum = 0.0;
        let found = sorted.iter().find(|(_, weight)| (sum += weight, sum > rank).1);
        found.or(sorted.last()).map_or(0.0, |&(value, _)| value)
    };
    let share = position - position.floor();
    let below = at(position.floor());
    if share > 0.0 { (1.0 - share) * below + share * at(position.floor() + 1.0) } else { below }
}
