//! The register kernel for AVX-512 VNNI.
//!
//! `pulp` has no such instruction by name. The compiler makes one of a product of pairs and the addition that follows, in functions that
//! are compiled for it (measured on Zen 4, one core: 116 billion products a second, 84 by two instructions, 58 in
//! single precision).

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

/// A row of registers of a panel.
type Registers = [i32x16; REGISTERS];
/// The limits of a panel.
type Limits = [f32x16; REGISTERS];

/// The proof that the processor has the instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    vnni: token::Vnni,
    simd: V4,
}

impl Instruction {
    /// None on other processors.
    pub(crate) fn new() -> Option<Self> {
        match arch() {
            Arch::V4(simd) => Some(Self { vnni: token::Vnni::try_new()?, simd }),
            _ => None,
        }
    }

    /// Adds to `hits` the keys ⟨x, y⟩·u − h of rows x in panels and columns y in groups, of `depth` words each, that exceed the
    /// limits of their rows.
    pub(crate) fn exceeding(
        self,
        (panels, groups): (&[i32], &[i32]),
        depth: usize,
        keys: Keys<'_>,
        hits: &mut Hits,
    ) {
        let panels: &[Registers] = bytemuck::cast_slice(panels);
        let (groups, _) = groups.as_chunks();
        let (penalties, _) = keys.penalties.as_chunks();
        let (limits, unit) = (bytemuck::cast_slice(keys.limits), keys.unit);
        let Self { vnni, simd } = self;
        vnni.vectorize(Exceeding { simd, panels, groups, depth, unit, penalties, limits, hits });
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

/// The sums of a panel and a group. That all words of a step lie beside each other has a part in what the compiler makes of it: where
/// their addresses are computed one from the other, it takes two instructions for most sums.
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

/// The sums of a panel and a group, and what makes keys of them.
struct Block<'a> {
    sums: [Registers; WIDTH],
    unit: f32,
    penalties: &'a [f32; WIDTH],
    limits: &'a Limits,
}

impl Block<'_> {
    /// The keys of a column and some rows, and those of them that exceed their limits, as bits.
    #[inline(always)]
    fn keys(&self, simd: V4, c: usize, r: usize) -> (f32x16, u16) {
        let sum = simd.convert_i32x16_to_f32x16(self.sums[c][r]);
        let penalty = simd.splat_f32s(-self.penalties[c]);
        let keys = simd.mul_add_e_f32s(sum, simd.splat_f32s(self.unit), penalty);
        (keys, simd.cmp_gt_f32x16(keys, self.limits[r]).0)
    }

    /// For each column the lanes in which a key exceeds its limit.
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
