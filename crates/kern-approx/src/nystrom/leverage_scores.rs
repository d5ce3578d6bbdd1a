//! Approximate ridge leverage scores by recursive halving of a uniform subsample.
//!
//! Notation: the scores of a set of points are lᵢ = \[K(K + λI)⁻¹\]ᵢᵢ. If a dictionary S holds point j
//! with probability pⱼ, they are approximated by
//! l̃ᵢ = (Kᵢᵢ − k_{i,S}(K_SS + λ·diag p)⁻¹k_{S,i})/λ, which costs |S|² per point. Scores from a
//! uniform half of the points, itself sampled in the same way, are good enough to sample from.

use super::inverse_root::lower_factor;
use super::landmark_source::{Source, check_diagonal, uniform, without_replacement};
use crate::{Error, tolerance};
use faer::Mat;
use kern_core::Scalar;
use kern_core::memory::converted;
use kern_core::products::solve_lower;
use kern_core::rand::RngExt;
use kern_gram::{matrix_bytes, parallel, tile_ranges};
use rand_chacha::ChaCha8Rng;

/// Candidates per landmark: the points that are scored, so that the cost does not depend on n.
pub(super) const CANDIDATES: usize = 8;

/// Candidates whose kernel values with the dictionary are in memory at a time.
const CHUNK: usize = 1024;

/// Points of a triangular solve: a chunk is split between threads.
const PIECE: usize = 128;

/// Sampled points, and the probability of each.
struct Dictionary {
    points: Vec<usize>,
    probabilities: Vec<f64>,
}

/// The memory of [`sample`]: the Gram matrix of the dictionary, in both precisions and reweighted,
/// and kernel values of a chunk, in both precisions.
pub(super) fn bytes<T>(count: usize) -> u64 {
    let most = 2 * dictionary(count);
    let square = matrix_bytes::<f64>(most, most).saturating_mul(3);
    let chunk = matrix_bytes::<T>(most, CHUNK).saturating_add(matrix_bytes::<f64>(most, CHUNK));
    square.saturating_add(matrix_bytes::<T>(most, most)).saturating_add(chunk)
}

/// The expected size of dictionaries: half the number of landmarks, several times the sum of the
/// scores.
fn dictionary(count: usize) -> usize {
    count.div_ceil(2)
}

/// `count` points without replacement, with probabilities proportional to their scores, from
/// [`CANDIDATES`] times as many uniform candidates.
pub(super) fn sample<T: Scalar>(
    source: &dyn Source<T>,
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<usize>, Error> {
    let diagonal = source.diag();
    check_diagonal(&diagonal)?;
    // A random order whose prefixes are the uniform halves.
    let most = count.saturating_mul(CANDIDATES).min(source.size());
    let order = uniform(source.size(), most, rng);
    let mut sizes = vec![most];
    while sizes[sizes.len() - 1] > dictionary(count) {
        sizes.push(sizes[sizes.len() - 1].div_ceil(2));
    }
    let start = order[..sizes.pop().unwrap_or(most)].to_vec();
    let mut dictionary = Dictionary { probabilities: vec![1.0; start.len()], points: start };
    while let Some(size) = sizes.pop() {
        let scores = dictionary.scores(source, &order[..size], &diagonal, count)?;
        if sizes.is_empty() {
            let drawn = without_replacement(&scores, count, rng);
            return Ok(drawn.into_iter().map(|i| order[i]).collect());
        }
        dictionary = Dictionary::draw(&order[..size], &scores, count, rng);
    }
    Ok(dictionary.points)
}

impl Dictionary {
    /// Draws each point with probability min(1, q·l̃), with q such that about the intended size is
    /// expected.
    fn draw(points: &[usize], scores: &[f64], count: usize, rng: &mut ChaCha8Rng) -> Self {
        let (total, size) = (scores.iter().sum::<f64>(), dictionary(count));
        let mut drawn = Self { points: Vec::new(), probabilities: Vec::new() };
        for (&point, score) in points.iter().zip(scores) {
            let probability = (size as f64 * score / total).min(1.0);
            if rng.random::<f64>() < probability && drawn.points.len() < 2 * size {
                drawn.points.push(point);
                drawn.probabilities.push(probability);
            }
        }
        drawn
    }

    /// The approximate scores of `points`.
    fn scores<T: Scalar>(
        &self,
        source: &dyn Source<T>,
        points: &[usize],
        diagonal: &[f64],
        count: usize,
    ) -> Result<Vec<f64>, Error> {
        let mut gram = converted(source.entries(&self.points, &self.points)?.as_ref())?;
        let lambda = self.ridge(&gram, count, T::UNIT_ROUNDOFF)?;
        for (i, p) in self.probabilities.iter().enumerate() {
            gram[(i, i)] += lambda * p;
        }
        let failed = Error::NoConvergence { size: self.points.len() };
        let lower = lower_factor(gram).ok_or(failed)?;
        let mut scores = Vec::with_capacity(points.len());
        for chunk in points.chunks(CHUNK) {
            let values = converted(source.entries(&self.points, chunk)?.as_ref())?;
            scores.extend(explained(&lower, values).into_iter().zip(chunk).map(
                |(explained, &i)| {
                    // Positive, so that as many points as requested can be drawn.
                    ((diagonal[i] - explained) / lambda).clamp(T::UNIT_ROUNDOFF, 1.0)
                },
            ));
        }
        Ok(scores)
    }

    /// λ = tr(K − K_k)/k, where K_k is the part of the reweighted dictionary that k greedy pivots
    /// explain. Its spectrum is about that of K, and the best rank k leaves no more, so the scores
    /// sum to at most 2k; k = m/(4·log m) leaves room for the logarithm of the guarantee. At least
    /// rounding.
    fn ridge(&self, gram: &Mat<f64>, count: usize, u: f64) -> Result<f64, Error> {
        let size = gram.nrows();
        let rank = (count as f64 / (4.0 * (count as f64).ln().max(1.0))).ceil() as usize;
        let mut weighted = converted(gram.as_ref())?;
        for (j, q) in self.probabilities.iter().enumerate() {
            let column = weighted.col_as_slice_mut(j).iter_mut().zip(&self.probabilities);
            column.for_each(|(entry, p)| *entry /= (p * q).sqrt());
        }
        let trace: f64 = (0..size).map(|i| weighted[(i, i)]).sum();
        let tail = left_by_greedy_pivots(&mut weighted, rank);
        Ok((tail / rank as f64).max(tolerance::pivot_cut(size.max(count), u) * trace))
    }
}

/// ‖L⁻¹k‖² of every column k.
fn explained(lower: &Mat<f64>, mut values: Mat<f64>) -> Vec<f64> {
    let mut pieces = Vec::new();
    let mut rest = values.as_mut();
    for range in tile_ranges(rest.ncols(), PIECE) {
        let (piece, tail) = rest.split_at_col_mut(range.len());
        pieces.push(piece);
        rest = tail;
    }
    let squares = parallel::map_init(
        pieces,
        || (),
        |(), mut piece| {
            solve_lower(lower.as_ref(), piece.as_mut());
            piece.as_ref().col_iter().map(|k| k.squared_norm_l2()).collect::<Vec<_>>()
        },
    );
    squares.concat()
}

/// The remaining trace after the largest diagonal entry has been eliminated `rank` times.
fn left_by_greedy_pivots(matrix: &mut Mat<f64>, rank: usize) -> f64 {
    let size = matrix.nrows();
    for _ in 0..rank {
        let diagonal = (0..size).map(|i| (i, matrix[(i, i)]));
        let Some((p, pivot)) = diagonal.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        if pivot <= 0.0 {
            break;
        }
        let column = matrix.col_as_slice(p).to_vec();
        for (j, factor) in column.iter().map(|v| v / pivot).enumerate() {
            let entries = matrix.col_as_slice_mut(j).iter_mut().zip(&column);
            entries.for_each(|(entry, v)| *entry -= factor * v);
        }
    }
    (0..size).map(|i| matrix[(i, i)].max(0.0)).sum()
}
