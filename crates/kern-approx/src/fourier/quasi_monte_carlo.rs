//! Quasi-Monte Carlo frequencies: the spectrum's quantile transform of a scrambled Sobol sequence.

use crate::Error;
use kern_core::Spectral;
use kern_core::rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::Open01;

/// The random stream for scrambling.
const SCRAMBLING: u64 = 3;

/// The bits per value of the sequence, which limit its length.
const BITS: u32 = 24;
const LENGTH: usize = 1 << 16;

/// A sequence of frequencies from evenly distributed points of the unit cube.
///
/// The sequence is scrambled by Owen's method in a hashed form. A random digital shift makes every
/// single point exactly uniform, whatever the hash, and preserves how evenly the points are
/// distributed.
pub(super) struct Quasi<'a, K> {
    kernel: &'a K,
    rng: ChaCha8Rng,
    seed: u32,
    shift: Vec<u32>,
    uniforms: Vec<f64>,
    index: u32,
}

impl<'a, K: Spectral> Quasi<'a, K> {
    /// A sequence of `count` frequencies in dimension `dim`.
    pub(super) fn new(kernel: &'a K, seed: u64, count: usize, dim: usize) -> Result<Self, Error> {
        let uniforms = kernel.uniforms(dim).ok_or(Error::NoQuantile)?;
        let allowed = sobol_burley::NUM_DIMENSIONS as usize;
        if uniforms > allowed {
            let what = "uniform numbers per frequency";
            return Err(Error::QuasiRandom { what, given: uniforms, allowed });
        }
        if count > LENGTH {
            let what = "frequencies";
            return Err(Error::QuasiRandom { what, given: count, allowed: LENGTH });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(SCRAMBLING);
        let seed = rng.random();
        let shift = (0..uniforms).map(|_| rng.random::<u32>() >> (u32::BITS - BITS)).collect();
        Ok(Self { kernel, rng, seed, shift, uniforms: vec![0.0; uniforms], index: 0 })
    }

    /// Writes the next frequency to `omega`.
    pub(super) fn next(&mut self, omega: &mut [f64]) {
        let cells = f64::from(1_u32 << BITS);
        for ((k, u), shift) in (0..).zip(&mut self.uniforms).zip(&self.shift) {
            let point = f64::from(sobol_burley::sample(self.index, k, self.seed));
            let cell = (point * cells) as u32 ^ shift;
            // Uniform within the cell: tails are those of the spectrum, and the end points are
            // never reached.
            let within: f64 = self.rng.sample(Open01);
            *u = ((f64::from(cell) + within) / cells).min(1.0 - f64::EPSILON / 2.0);
        }
        self.index += 1;
        omega.fill(0.0);
        self.kernel.add_frequency_at(&self.uniforms, omega);
    }
}
