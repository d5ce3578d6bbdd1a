//! The demo problem of the Cornell lecture on kernels and SGD: a face in the unit square.

use kern::{Error, Samples};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Points of the training set, and of the test set.
pub const N: usize = 1024;
/// γ of the RBF kernel.
pub const GAMMA: f64 = 100.0;
/// The step size.
pub const ALPHA: f64 = 0.1;
/// Steps per point.
pub const EPOCHS: usize = 20;

/// Tells whether a point belongs to the face: an eye, the other eye, or the mouth.
#[must_use]
pub fn is_face([x, y]: [f64; 2]) -> bool {
    let distance = |a: f64, b: f64| (x - a).hypot(y - b);
    let eyes = distance(0.25, 0.75) < 0.15 || distance(0.75, 0.75) < 0.15;
    eyes || (y < 0.4 && distance(0.5, 0.6) < 0.5 && distance(0.5, 0.55) > 0.3)
}

/// Points uniform in the unit square, and −1 for the face, +1 for the rest.
///
/// # Errors
/// None in practice: the points are finite.
pub fn sample(n: usize, seed: u64) -> Result<(Samples<f64>, Vec<i8>), Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let points: Vec<[f64; 2]> = (0..n).map(|_| [rng.random(), rng.random()]).collect();
    let labels = points.iter().map(|&p| if is_face(p) { -1 } else { 1 }).collect();
    Ok((Samples::from_rows(&points)?, labels))
}
