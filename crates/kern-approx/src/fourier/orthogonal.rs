//! Orthogonal random frequencies: each direction is uniform on the sphere, directions are
//! orthogonal in blocks of d, and lengths follow the kernel's spectrum.

use kern_core::{Scalar, Spectral};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The random stream for directions; lengths use the stream of independent frequencies.
const DIRECTIONS: u64 = 2;

/// An endless sequence of frequencies; each block of d consecutive ones is orthogonal.
pub(super) struct Orthogonal<'a, K> {
    kernel: &'a K,
    lengths: ChaCha8Rng,
    directions: ChaCha8Rng,
    /// The directions of the current block, concatenated.
    basis: Vec<f64>,
}

impl<'a, K: Spectral> Orthogonal<'a, K> {
    pub(super) fn new(kernel: &'a K, seed: u64) -> Self {
        let mut directions = ChaCha8Rng::seed_from_u64(seed);
        directions.set_stream(DIRECTIONS);
        let lengths = ChaCha8Rng::seed_from_u64(seed);
        Self { kernel, lengths, directions, basis: Vec::new() }
    }

    /// Writes the next frequency to `omega`.
    pub(super) fn next(&mut self, omega: &mut [f64]) {
        let dim = omega.len();
        let length = radius(self.kernel, &mut self.lengths, omega);
        if self.basis.len() == dim * dim {
            self.basis.clear();
        }
        while !self.try_direction(omega) {}
        self.basis.extend_from_slice(omega);
        for w in omega {
            *w *= length;
        }
    }

    /// Orthogonalises a Gaussian vector against the block and normalises it: the Gram–Schmidt form
    /// of a QR factorisation. The diagonal of its R is positive by construction, which makes Q
    /// uniform (Haar). Returns false if the vector lies in the span up to rounding.
    fn try_direction(&mut self, v: &mut [f64]) -> bool {
        for g in v.iter_mut() {
            *g = StandardNormal.sample(&mut self.directions);
        }
        let before = f64::dot(v, v).sqrt();
        // A single pass leaves large rounding errors in the span if little of v is left; two passes
        // suffice (Kahan and Parlett).
        for _ in 0..2 {
            for q in self.basis.chunks_exact(v.len()) {
                f64::axpy(-f64::dot(q, v), q, v);
            }
        }
        let left = f64::dot(v, v).sqrt();
        for g in v.iter_mut() {
            *g /= left;
        }
        left > f64::EPSILON * before
    }
}

/// ‖ω‖ of an independent frequency ω; `omega` is used as a buffer.
pub(super) fn radius<K: Spectral>(kernel: &K, rng: &mut ChaCha8Rng, omega: &mut [f64]) -> f64 {
    omega.fill(0.0);
    kernel.add_frequency(rng, omega);
    // Scaled by the largest entry, so that squares do not overflow.
    let largest = omega.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * omega.iter().map(|w| (w / largest).powi(2)).sum::<f64>().sqrt()
}
