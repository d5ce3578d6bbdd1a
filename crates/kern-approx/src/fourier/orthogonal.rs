//! Orthogonal random frequencies: directions that are uniform on the sphere each, but orthogonal in
//! blocks of d, with lengths from the kernel's own spectrum.

use kern_core::{Scalar, Spectral};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The stream of the generator that directions come from; lengths use the stream of independent
/// frequencies.
const DIRECTIONS: u64 = 2;

/// An endless sequence of frequencies, of which every d in a row are orthogonal.
pub(super) struct Orthogonal<'a, K> {
    kernel: &'a K,
    lengths: ChaCha8Rng,
    directions: ChaCha8Rng,
    /// The directions of the current block, one after the other.
    basis: Vec<f64>,
}

impl<'a, K: Spectral> Orthogonal<'a, K> {
    pub(super) fn new(kernel: &'a K, seed: u64) -> Self {
        let mut directions = ChaCha8Rng::seed_from_u64(seed);
        directions.set_stream(DIRECTIONS);
        let lengths = ChaCha8Rng::seed_from_u64(seed);
        Self { kernel, lengths, directions, basis: Vec::new() }
    }

    /// Writes the next frequency over `omega`.
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

    /// A Gaussian vector, without its part in the span of the block, at unit length: the Gram–Schmidt
    /// form of a QR factorisation. The diagonal of its R is positive by construction, which is what
    /// makes Q uniform (Haar). False if the vector lies in the span to rounding.
    fn try_direction(&mut self, v: &mut [f64]) -> bool {
        for g in v.iter_mut() {
            *g = StandardNormal.sample(&mut self.directions);
        }
        let before = f64::dot(v, v).sqrt();
        // Once leaves rounding errors in the span that are large if little is left of v; twice is
        // enough (Kahan and Parlett).
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

/// ‖ω‖ of an independent frequency ω, for which `omega` lends the memory.
pub(super) fn radius<K: Spectral>(kernel: &K, rng: &mut ChaCha8Rng, omega: &mut [f64]) -> f64 {
    omega.fill(0.0);
    kernel.add_frequency(rng, omega);
    // Scaled by the greatest, so that squares do not overflow.
    let greatest = omega.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
    if greatest == 0.0 {
        return 0.0;
    }
    greatest * omega.iter().map(|w| (w / greatest).powi(2)).sum::<f64>().sqrt()
}
