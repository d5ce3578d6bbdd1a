//! Two classes in the plane, and pictures of functions that tell them apart.

mod picture;

pub use picture::{Panel, cells, draw};

use anyhow::Result;
use kern::Samples;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Half the width of the strip along the border that has no points.
const STRIP: f64 = 0.012;
/// The centre and the radius of an island of one class in the other.
const ISLAND: ([f64; 2], f64) = ([0.28, 0.2], 0.12);

/// The distance, more or less, from the border of the classes: positive above a wave, and on an island below it.
fn above([x, y]: [f64; 2]) -> f64 {
    let wave = y - 0.55 - 0.2 * (3.0 * std::f64::consts::PI * x).sin();
    let ([u, v], radius) = ISLAND;
    wave.max(radius - (x - u).hypot(y - v))
}

/// So many points of the unit square, none of them at the border, and their classes.
///
/// # Errors
/// None that can occur with some points.
pub fn observe(count: usize, seed: u64) -> Result<(Samples<f64>, Vec<bool>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::with_capacity(count);
    while rows.len() < count {
        let row: [f64; 2] = [rng.random(), rng.random()];
        if above(row).abs() >= STRIP {
            rows.push(row);
        }
    }
    let classes = rows.iter().map(|&row| above(row) > 0.0).collect();
    Ok((Samples::from_rows(&rows)?, classes))
}
