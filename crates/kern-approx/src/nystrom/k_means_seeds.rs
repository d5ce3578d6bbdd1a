//! k-means++ seeding in feature space, for landmarks.

use super::landmark_source::{Source, check_diagonal, independent};
use crate::panels::non_finite;
use crate::{Error, tolerance};
use kern_core::rand::RngExt;
use kern_core::{Scalar, Scratch};
use kern_gram::{matrix_bytes, parallel};
use rand_chacha::ChaCha8Rng;

/// Points per task.
const CHUNK: usize = 256;

/// The largest block of proposals.
const MOST_PROPOSED: usize = 128;

/// The memory of [`seeds`]: the entries between proposals.
pub(super) fn bytes<T>() -> u64 {
    matrix_bytes::<T>(MOST_PROPOSED, MOST_PROPOSED)
}

/// At most `count` points, each drawn with probability proportional to the squared distance from
/// those before it. Points are proposed in blocks; rejection corrects for the decrease of the
/// distance since the proposal.
pub(super) fn seeds<T: Scalar>(
    source: &dyn Source<T>,
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<usize>, Error> {
    let (n, diagonal) = (source.size(), source.diag());
    let floor = tolerance::distance_floor(T::UNIT_ROUNDOFF) * check_diagonal(&diagonal)?;
    let mut chosen = vec![rng.random_range(0..n)];
    let mut distances = vec![f64::INFINITY; n];
    lower(source, &chosen, &diagonal, &mut distances)?;
    while chosen.len() < count {
        distances.iter_mut().filter(|d| **d <= floor).for_each(|d| *d = 0.0);
        let proposed = independent(&distances, chosen.len().min(MOST_PROPOSED), rng);
        if proposed.is_empty() {
            break;
        }
        let most = count - chosen.len();
        let accepted = accept(source, &proposed, &diagonal, &distances, floor, most, rng)?;
        lower(source, &accepted, &diagonal, &mut distances)?;
        chosen.extend(accepted);
    }
    Ok(chosen)
}

/// The accepted proposals, at most `most`; the first one is always accepted.
fn accept<T: Scalar>(
    source: &dyn Source<T>,
    proposed: &[usize],
    diagonal: &[f64],
    distances: &[f64],
    floor: f64,
    most: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<usize>, Error> {
    let entries = source.entries(proposed, proposed)?;
    let mut accepted: Vec<usize> = Vec::new();
    for (b, &i) in proposed.iter().enumerate() {
        let coin = rng.random::<f64>() * distances[i];
        let now = accepted.iter().fold(distances[i], |smallest: f64, &a| {
            let j = proposed[a];
            smallest.min(diagonal[i] - 2.0 * entries[(a, b)].to_f64() + diagonal[j])
        });
        if now > floor && coin < now && accepted.len() < most {
            accepted.push(b);
        }
    }
    Ok(accepted.into_iter().map(|b| proposed[b]).collect())
}

/// Updates the squared distances of all points with those from the new landmarks.
fn lower<T: Scalar>(
    source: &dyn Source<T>,
    new: &[usize],
    diagonal: &[f64],
    distances: &mut [f64],
) -> Result<(), Error> {
    let mut found = None;
    source.with_rows(new, &mut |kernel| {
        let tasks = distances.chunks_mut(CHUNK).enumerate().collect();
        let bad = parallel::map_init(tasks, Scratch::new, |scratch, (c, distances)| {
            let distances: &mut [f64] = distances;
            let (start, mut bad) = (c * CHUNK, None);
            scratch.with_matrix(new.len(), distances.len(), |mut values, scratch| {
                kernel(start..start + distances.len(), values.as_mut(), scratch);
                bad = non_finite(values.as_ref()).map(|(b, j, v)| (new[b], start + j, v));
                for (j, distance) in distances.iter_mut().enumerate() {
                    let own = diagonal[start + j];
                    for (&s, value) in new.iter().zip(values.as_ref().col(j).iter()) {
                        let squared = own - 2.0 * value.to_f64() + diagonal[s];
                        *distance = distance.min(squared.max(0.0));
                    }
                }
            });
            bad
        });
        found = bad.into_iter().flatten().next();
    })?;
    match found {
        Some((row, col, given)) => Err(kern_gram::Error::NotFinite { row, col, given }.into()),
        None => Ok(()),
    }
}
