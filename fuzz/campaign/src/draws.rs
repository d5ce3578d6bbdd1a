//! The numbers that a case is drawn from.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Numbers at which arithmetic changes its ways.
const HOSTILE: [f64; 18] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    1e-300,
    -1e-300,
    1e-30,
    f64::EPSILON,
    1e8,
    1e16,
    1e30,
    1e150,
    1e300,
    -1e300,
    f64::MAX,
];

/// A stream of numbers: random ones of a case, or those of a fuzzer, after which all are zero.
///
/// # Examples
/// ```
/// use kern_campaign::Draws;
/// let draw = || Draws::of_case("fits", 0, 7).below(1000);
/// assert_eq!(draw(), draw());
/// assert_eq!(Draws::of_bytes(&[3, 0, 0, 0]).below(10), 3);
/// ```
#[derive(Debug)]
pub struct Draws<'b> {
    source: Source<'b>,
}

#[derive(Debug)]
enum Source<'b> {
    Random(Box<ChaCha8Rng>),
    Given(&'b [u8]),
}

impl<'b> Draws<'b> {
    /// The numbers of a case, which are those of no other body, seed and case.
    #[must_use]
    pub fn of_case(body: &str, seed: u64, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&index.to_le_bytes());
        key[16..].iter_mut().zip(body.bytes()).for_each(|(to, byte)| *to = byte);
        Self { source: Source::Random(Box::new(ChaCha8Rng::from_seed(key))) }
    }

    /// Numbers that are read from bytes.
    #[must_use]
    pub fn of_bytes(bytes: &'b [u8]) -> Self {
        Self { source: Source::Given(bytes) }
    }

    /// 32 bits.
    fn word(&mut self) -> u32 {
        match &mut self.source {
            Source::Random(rng) => rng.next_u32(),
            Source::Given(bytes) => {
                let (taken, rest) = bytes.split_at(bytes.len().min(4));
                *bytes = rest;
                taken.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
            }
        }
    }

    /// A number below n; 0 if n is.
    pub fn below(&mut self, n: usize) -> usize {
        let word = u64::from(self.word());
        (word % (n.max(1) as u64)) as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    /// One of these.
    pub(crate) fn one_of<T: Clone>(&mut self, these: &[T]) -> T {
        these[self.below(these.len())].clone()
    }

    /// A number of [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from(self.word()) / (f64::from(u32::MAX) + 1.0)
    }

    /// A number between two others.
    pub(crate) fn between(&mut self, smallest: f64, largest: f64) -> f64 {
        smallest + (largest - smallest) * self.unit()
    }

    /// A power of ten between two others.
    pub(crate) fn power(&mut self, smallest: f64, largest: f64) -> f64 {
        10.0_f64.powf(self.between(smallest, largest))
    }

    /// A number at which arithmetic changes its ways.
    pub(crate) fn hostile(&mut self) -> f64 {
        self.one_of(&HOSTILE)
    }
}
