//! Inner products of vectors of integers of 16 bits, where the processor has an instruction for them (AVX-512 VNNI).
//!
//! A word of 32 bits holds two coordinates. A step multiplies both by those of the other side and adds the two products to the sum
//! in their lane: twice as many products as of numbers in single precision. Sums are exact as long as
//! ‖x‖·‖y‖ < 2³¹, which bounds all of their parts, too.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "the instruction is one of x86-64")
)]

#[cfg(not(target_arch = "x86_64"))]
mod none;
#[cfg(target_arch = "x86_64")]
mod vnni;

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use none::Instruction;
#[cfg(target_arch = "x86_64")]
pub(crate) use vnni::Instruction;

/// Lanes of a register.
const LANES: usize = 16;
/// Registers of rows in a panel.
const REGISTERS: usize = 4;
/// Rows in a panel.
pub(crate) const HEIGHT: usize = REGISTERS * LANES;
/// Columns in a group: with a panel of rows, 24 of 32 registers hold sums.
pub(crate) const WIDTH: usize = 6;

/// Keys ⟨x, y⟩·u − h.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'a> {
    /// u.
    pub(crate) unit: f32,
    /// h of each column y.
    pub(crate) penalties: &'a [f32],
    /// The limits that keys of a row x must exceed, of whole panels.
    pub(crate) limits: &'a [f32],
}

/// Keys that exceed their limits, in groups of rows, with those beside them.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    places: Vec<(usize, usize)>,
    keys: Vec<[f32; LANES]>,
}

impl Hits {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.places.clear();
        self.keys.clear();
    }

    /// For each group of rows its column, the first of the rows, and the keys.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, &[f32])> {
        self.places.iter().zip(&self.keys).map(|(&(column, row), keys)| (column, row, &keys[..]))
    }

    #[inline(always)]
    fn push(&mut self, column: usize, row: usize, keys: [f32; LANES]) {
        self.places.push((column, row));
        self.keys.push(keys);
    }
}

/// Puts vector `i`, word by word, in its place among vectors in pieces of `height`: each piece word by word.
pub(crate) fn put(vector: &[i32], i: usize, height: usize, packed: &mut [i32]) {
    let piece = &mut packed[i / height * height * vector.len()..];
    let places = piece.iter_mut().skip(i % height).step_by(height);
    places.zip(vector).for_each(|(place, &word)| *place = word);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of so many words, of coordinates of either sign.
    fn vectors(n: usize, depth: usize, seed: i32) -> Vec<i32> {
        (0..(n * depth) as i32)
            .map(|i| (i ^ seed).wrapping_mul(0x0135_7935) & !0xf800_f800_u32.cast_signed())
            .collect()
    }

    fn product(x: &[i32], y: &[i32]) -> i32 {
        let halves = |&word: &i32| [word as i16, (word >> 16) as i16].map(i32::from);
        let pairs = x.iter().flat_map(halves).zip(y.iter().flat_map(halves));
        pairs.map(|(x, y)| x * y).sum()
    }

    /// Vectors in pieces, the last one filled up with zeros.
    fn packed(vectors: &[i32], depth: usize, height: usize) -> Vec<i32> {
        let mut all = vec![0; (vectors.len() / depth).next_multiple_of(height) * depth];
        let vectors = vectors.chunks(depth).enumerate();
        vectors.for_each(|(i, vector)| put(vector, i, height, &mut all));
        all
    }

    #[test]
    fn keys_are_those_of_a_plain_loop() {
        let Some(instruction) = Instruction::new() else {
            return println!("skipped: the processor has no products of integers of 16 bits");
        };
        for (rows, columns, depth) in [(1, 1, 1), (64, 6, 3), (65, 11, 40), (200, 23, 7)] {
            let (x, y) = (vectors(rows, depth, 5), vectors(columns, depth, 9));
            let key = |i: usize, j: usize| {
                let product = product(&x[i * depth..][..depth], &y[j * depth..][..depth]);
                (product as f32).mul_add(0.5, -(j as f32))
            };
            let mut penalties = vec![f32::INFINITY; columns.next_multiple_of(WIDTH)];
            (0..columns).for_each(|j| penalties[j] = j as f32);
            let mut limits = vec![f32::INFINITY; rows.next_multiple_of(HEIGHT)];
            (0..rows).for_each(|i| limits[i] = key(i, (i * 7) % columns));
            let keys = Keys { unit: 0.5, penalties: &penalties, limits: &limits };
            let (panels, groups) = (packed(&x, depth, HEIGHT), packed(&y, depth, WIDTH));
            let mut hits = Hits::default();
            instruction.exceeding((&panels, &groups), depth, keys, &mut hits);
            let mut found = Vec::new();
            for (j, first, keys) in hits.iter() {
                for (i, &value) in (first..rows).zip(keys) {
                    assert_eq!(value.to_bits(), key(i, j).to_bits());
                    found.extend((value > limits[i]).then_some((i, j)));
                }
            }
            found.sort_unstable();
            let all = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
            let expected: Vec<_> = all.filter(|&(i, j)| key(i, j) > limits[i]).collect();
            assert_eq!(found, expected);
        }
    }
}
