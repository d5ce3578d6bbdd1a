//! Inner products of 16-bit integer vectors, on processors with an instruction for them (AVX-512
//! VNNI).
//!
//! A word of 32 bits holds two coordinates. One instruction multiplies both by those of the other
//! operand and adds the two products to the 32-bit sum in their lane: twice as many products as in
//! single precision. Sums are exact as long as ‖x‖·‖y‖ < 2³¹, which bounds all partial sums, too.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "the instruction is one of x86-64")
)]

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

/// Parameters of the search keys ⟨x, y⟩·u − h.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'a> {
    /// The unit u.
    pub(crate) unit: f32,
    /// The penalty h of each column y.
    pub(crate) penalties: &'a [f32],
    /// The thresholds that the keys of each row x must exceed, padded to whole panels.
    pub(crate) limits: &'a [f32],
}

/// Search keys that exceed their thresholds, in groups of adjacent rows. A group is stored with all
/// its keys if one of them exceeds its threshold.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    places: Vec<(usize, usize)>,
    keys: Vec<[f32; LANES]>,
}

impl Hits {
    /// Removes all hits.
    pub fn clear(&mut self) {
        self.places.clear();
        self.keys.clear();
    }

    /// Iterates over (column, first row, keys of the group of rows).
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, &[f32])> {
        self.places.iter().zip(&self.keys).map(|(&(column, row), keys)| (column, row, &keys[..]))
    }

    #[inline(always)]
    fn push(&mut self, column: usize, row: usize, keys: [f32; LANES]) {
        self.places.push((column, row));
        self.keys.push(keys);
    }
}

/// Writes vector `i` to its place in a packed array: pieces of `height` vectors, each stored word
/// by word.
pub(crate) fn put(vector: &[i32], i: usize, height: usize, packed: &mut [i32]) {
    let piece = &mut packed[i / height * height * vector.len()..];
    let places = piece.iter_mut().skip(i % height).step_by(height);
    places.zip(vector).for_each(|(place, &word)| *place = word);
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    //! Register kernel for AVX-512 VNNI.
    //!
    //! `pulp` does not offer this instruction by name. The compiler emits it for a product of pairs
    //! followed by an addition, in functions compiled for this instruction set (measured on Zen 4,
    //! one core: 116 billion products per second, 84 with two instructions, 58 in single
    //! precision).

    use super::{HEIGHT, Hits, Keys, LANES, REGISTERS, WIDTH};
    use crate::simd::arch;
    use pulp::x86::V4;
    use pulp::{Arch, NullaryFnOnce, Simd, f32x16, i32x16};

    mod token {
        pulp::simd_type!({
            /// Processors with AVX-512 and its VNNI extension.
            pub(super) struct Vnni {
                pub(super) avx2: f!("avx2"),
                pub(super) fma: f!("fma"),
                pub(super) avx512f: f!("avx512f"),
                pub(super) avx512bw: f!("avx512bw"),
                pub(super) avx512cd: f!("avx512cd"),
                pub(super) avx512dq: f!("avx512dq"),
                pub(super) avx512vl: f!("avx512vl"),
                pub(super) avx512vnni: f!("avx512vnni"),
            }
        });
    }

    /// The registers of one word of all rows of a panel.
    type Registers = [i32x16; REGISTERS];
    /// The thresholds of a panel.
    type Limits = [f32x16; REGISTERS];

    /// A token that proves that the processor has the instruction.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Instruction {
        vnni: token::Vnni,
        simd: V4,
    }

    impl Instruction {
        /// Returns `None` on other processors.
        pub(crate) fn new() -> Option<Self> {
            match arch() {
                Arch::V4(simd) => Some(Self { vnni: token::Vnni::try_new()?, simd }),
                _ => None,
            }
        }

        /// Adds to `hits` the keys ⟨x, y⟩·u − h that exceed the thresholds of their rows, for rows
        /// x in panels and columns y in groups, with `depth` words per vector.
        pub(crate) fn exceeding(
            self,
            panels: &[i32],
            groups: &[i32],
            depth: usize,
            keys: Keys<'_>,
            hits: &mut Hits,
        ) {
            let panels: &[Registers] = bytemuck::cast_slice(panels);
            let (groups, _) = groups.as_chunks();
            let (penalties, _) = keys.penalties.as_chunks();
            let (limits, unit) = (bytemuck::cast_slice(keys.limits), keys.unit);
            let Self { vnni, simd } = self;
            vnni.vectorize(Exceeding {
                simd,
                panels,
                groups,
                depth,
                unit,
                penalties,
                limits,
                hits,
            });
        }
    }

    struct Exceeding<'a, 'b> {
        simd: V4,
        panels: &'a [Registers],
        groups: &'a [[i32; WIDTH]],
        depth: usize,
        unit: f32,
        penalties: &'a [[f32; WIDTH]],
        limits: &'a [Limits],
        hits: &'b mut Hits,
    }

    impl NullaryFnOnce for Exceeding<'_, '_> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let Self { simd, panels, groups, depth, unit, penalties, limits, hits } = self;
            for (g, (group, penalties)) in groups.chunks_exact(depth).zip(penalties).enumerate() {
                for (p, (panel, limits)) in panels.chunks_exact(depth).zip(limits).enumerate() {
                    let sums = sums(simd, panel, group);
                    let block = Block { sums, unit, penalties, limits };
                    let exceeding = block.exceeding(simd);
                    if exceeding != [0; WIDTH] {
                        block.put(simd, exceeding, (g * WIDTH, p * HEIGHT), hits);
                    }
                }
            }
        }
    }

    /// The sums of a panel and a group. The words of a step must be adjacent in memory: where their
    /// addresses are computed one from the other, the compiler emits two instructions for most
    /// sums.
    #[inline(always)]
    fn sums(simd: V4, panel: &[Registers], group: &[[i32; WIDTH]]) -> [Registers; WIDTH] {
        let mut sums = [[simd.splat_i32x16(0); REGISTERS]; WIDTH];
        for (rows, columns) in panel.iter().zip(group) {
            for (sums, &y) in sums.iter_mut().zip(columns) {
                let y = bytemuck::cast(simd.splat_i32x16(y));
                for (sum, &x) in sums.iter_mut().zip(rows) {
                    let products = simd.multiply_wrapping_add_adjacent_i16x32(bytemuck::cast(x), y);
                    *sum = simd.wrapping_add_i32x16(*sum, products);
                }
            }
        }
        sums
    }

    /// The sums of a panel and a group, with what turns them into keys.
    struct Block<'a> {
        sums: [Registers; WIDTH],
        unit: f32,
        penalties: &'a [f32; WIDTH],
        limits: &'a Limits,
    }

    impl Block<'_> {
        /// The keys of a column and some rows, and a bit mask of those that exceed their
        /// thresholds.
        #[inline(always)]
        fn keys(&self, simd: V4, c: usize, r: usize) -> (f32x16, u16) {
            let sum = simd.convert_i32x16_to_f32x16(self.sums[c][r]);
            let penalty = simd.splat_f32s(-self.penalties[c]);
            let keys = simd.mul_add_e_f32s(sum, simd.splat_f32s(self.unit), penalty);
            (keys, simd.cmp_gt_f32x16(keys, self.limits[r]).0)
        }

        /// For each column, the lanes in which any key exceeds its threshold.
        #[inline(always)]
        fn exceeding(&self, simd: V4) -> [u16; WIDTH] {
            let mut lanes = [0; WIDTH];
            for (c, lanes) in lanes.iter_mut().enumerate() {
                for r in 0..REGISTERS {
                    *lanes |= self.keys(simd, c, r).1;
                }
            }
            lanes
        }

        #[inline(always)]
        fn put(self, simd: V4, exceeding: [u16; WIDTH], first: (usize, usize), hits: &mut Hits) {
            for c in (0..WIDTH).filter(|&c| exceeding[c] != 0) {
                for r in 0..REGISTERS {
                    let (keys, lanes) = self.keys(simd, c, r);
                    if lanes != 0 {
                        hits.push(first.0 + c, first.1 + r * LANES, bytemuck::cast(keys));
                    }
                }
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod none {
    //! Fallback for processors without the instruction.

    use super::{Hits, Keys};

    /// An empty type: no value exists.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum Instruction {}

    impl Instruction {
        /// Always `None`.
        pub(crate) fn new() -> Option<Self> {
            None
        }

        /// Never called.
        pub(crate) fn exceeding(self, _: &[i32], _: &[i32], _: usize, _: Keys<'_>, _: &mut Hits) {
            match self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of `depth` words each, with coordinates of either sign.
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

    /// Packs vectors into pieces; the last one is padded with zeros.
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
            instruction.exceeding(&panels, &groups, depth, keys, &mut hits);
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
