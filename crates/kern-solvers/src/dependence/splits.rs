//! Splits of pooled points into two samples of given sizes, with a bit per point.
//!
//! The points of x come first, and those of y begin at the next whole byte, so that stripes of both
//! begin at a whole byte.

use kern_core::Scalar;
use kern_gram::parallel;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// The given split, and random ones after it.
pub(super) struct Splits {
    /// The sizes of x and y.
    sizes: [usize; 2],
    /// The number of bytes of a split.
    stride: usize,
    bytes: Vec<u8>,
}

/// A look-up table from a byte to the weights of its eight points, by the sample that they are in.
pub(super) type Table<T> = Vec<[T; 8]>;

impl Splits {
    /// The bytes of `random` random splits and the given one.
    pub(super) fn bytes(sizes: [usize; 2], random: usize) -> u64 {
        (stride(sizes) as u64).saturating_mul(random as u64 + 1)
    }

    /// Draws random splits; they do not depend on how many are drawn.
    pub(super) fn draw(sizes: [usize; 2], random: usize, seed: u64) -> Self {
        let stride = stride(sizes);
        let mut bytes = vec![0; stride * (random + 1)];
        let mut each = bytes.chunks_exact_mut(stride);
        if let Some(given) = each.next() {
            (0..sizes[0]).for_each(|i| set(given, i));
        }
        let tasks = each.zip(1_u64..).collect();
        parallel::for_each_init(
            tasks,
            || (),
            |(), (split, number)| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(number);
                choose(split, sizes, &mut rng);
            },
        );
        Self { sizes, stride, bytes }
    }

    /// The number of splits.
    pub(super) fn count(&self) -> usize {
        self.bytes.len() / self.stride
    }

    /// The sizes of both samples.
    pub(super) fn sizes(&self) -> [usize; 2] {
        self.sizes
    }

    /// The first place of points of y.
    pub(super) fn second(&self) -> usize {
        second(self.sizes)
    }

    /// The weights of points as a look-up table: n/g in the first sample and −m/g in the second, of
    /// m and n points with the greatest common divisor g.
    pub(super) fn table<T: Scalar>(&self) -> Table<T> {
        let [m, n] = self.sizes;
        let divisor = gcd(m, n);
        let first = T::from_f64((n / divisor) as f64);
        let second = T::from_f64(-((m / divisor) as f64));
        let of_byte =
            |byte: usize| std::array::from_fn(|k| if byte >> k & 1 == 1 { first } else { second });
        (0..256).map(of_byte).collect()
    }

    /// The weights of the points at some places, which begin at a whole byte, by a look-up table.
    pub(super) fn unpack<T: Scalar>(
        &self,
        split: usize,
        places: Range<usize>,
        table: &[[T; 8]],
        out: &mut [T],
    ) {
        let bytes = &self.bytes[split * self.stride + places.start / 8..];
        let (whole, rest) = out.as_chunks_mut::<8>();
        for (out, &byte) in whole.iter_mut().zip(bytes) {
            *out = table[usize::from(byte)];
        }
        if let Some(&byte) = bytes.get(whole.len()) {
            rest.copy_from_slice(&table[usize::from(byte)][..rest.len()]);
        }
    }

    /// The sum over the first sample of a split; `values` has an entry per point, x before y.
    pub(super) fn sum(&self, split: usize, values: &[f64]) -> f64 {
        let bytes = &self.bytes[split * self.stride..][..self.stride];
        let (x, y) = values.split_at(self.sizes[0]);
        let (of_x, of_y) = bytes.split_at(self.second() / 8);
        let of_chunk = |(values, byte): (&[f64], &u8)| -> f64 {
            let chosen = values.iter().enumerate().filter(|(k, _)| byte >> k & 1 == 1);
            chosen.map(|(_, value)| value).sum()
        };
        let part = |values: &[f64], bytes: &[u8]| -> f64 {
            values.chunks(8).zip(bytes).map(of_chunk).sum()
        };
        part(x, of_x) + part(y, of_y)
    }
}

/// The greatest common divisor.
pub(super) fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn second(sizes: [usize; 2]) -> usize {
    sizes[0].next_multiple_of(8)
}

fn stride(sizes: [usize; 2]) -> usize {
    (second(sizes) + sizes[1]).div_ceil(8)
}

fn set(split: &mut [u8], place: usize) {
    split[place / 8] |= 1 << (place % 8);
}

fn is_set(split: &[u8], place: usize) -> bool {
    split[place / 8] >> (place % 8) & 1 == 1
}

/// Draws a subset with the size of x uniformly, by Floyd's algorithm (Bentley & Floyd 1987, *A
/// Sample of Brilliance*).
fn choose(split: &mut [u8], sizes: [usize; 2], rng: &mut ChaCha8Rng) {
    let place = |i: usize| if i < sizes[0] { i } else { second(sizes) + i - sizes[0] };
    let n = sizes[0] + sizes[1];
    for last in n - sizes[0]..n {
        let drawn = place(rng.random_range(0..=last));
        let place = if is_set(split, drawn) { place(last) } else { drawn };
        set(split, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(splits: &Splits, split: usize) -> Vec<usize> {
        let n: usize = splits.sizes.iter().sum();
        let is_member = |i: &usize| {
            let values: Vec<f64> = (0..n).map(|j| f64::from(u8::from(j == *i))).collect();
            splits.sum(split, &values) > 0.5
        };
        (0..n).filter(is_member).collect()
    }

    #[test]
    fn every_subset_comes_as_often_as_others() {
        let splits = Splits::draw([2, 3], 4000, 1);
        assert_eq!(members(&splits, 0), [0, 1]);
        let mut counts = std::collections::BTreeMap::new();
        for split in 1..splits.count() {
            *counts.entry(members(&splits, split)).or_insert(0) += 1;
        }
        // Ten subsets; six standard deviations of a binomial distribution.
        assert_eq!(counts.len(), 10);
        let bound = 6.0 * (4000.0 * 0.1 * 0.9_f64).sqrt();
        assert!(counts.values().all(|&c| (f64::from(c) - 400.0).abs() < bound), "{counts:?}");
    }

    #[test]
    fn numbers_are_those_of_the_sample() {
        let splits = Splits::draw([11, 6], 20, 7);
        let table = splits.table::<f64>();
        for split in 0..=20 {
            let members = members(&splits, split);
            assert_eq!(members.len(), 11);
            let (mut x, mut y) = ([0.0; 11], [0.0; 6]);
            splits.unpack(split, 0..11, &table, &mut x);
            splits.unpack(split, splits.second()..splits.second() + 6, &table, &mut y);
            for (i, value) in x.iter().chain(&y).enumerate() {
                assert_eq!(*value > 0.0, members.contains(&i));
                assert!([6.0, -11.0].contains(value));
            }
        }
    }
}
