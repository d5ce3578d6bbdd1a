//! exp on slices: exp(t) = 2^k · exp(r), k = round(t / ln 2), |r| ≤ ln 2 / 2.
//!
//! r is reduced with ln 2 in two parts (Cody & Waite 1980), exp(r) is its Taylor polynomial, and
//! 2^k is put together in the exponent bits, in two factors so that the whole range is covered.

use pulp::{Arch, Simd, WithSimd};

/// Adding and subtracting 1.5·2^(mantissa bits) rounds to the nearest integer, and leaves that
/// integer in the low bits.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;
const ROUND_F32: f32 = 12_582_912.0;

/// ln 2 = HI + LO; HI has trailing zeros, so that k·HI is exact for every k that occurs.
const LN2_HI_F64: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LO_F64: f64 = 1.908_214_929_270_587_7e-10;
const LN2_HI_F32: f32 = 0.693_359_4;
const LN2_LO_F32: f32 = -2.121_944_4e-4;

/// 1/2!, 1/3!, … : the truncation error at |r| = ln 2 / 2 is below 2⁻⁵⁷.
const TAYLOR_F64: [f64; 12] = [
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];
/// As above; the truncation error is below 2⁻²⁷.
const TAYLOR_F32: [f32; 6] = [0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5_040.0];

macro_rules! exp_slice {
    (
        $t:ident, $one:ident, $bits:ty, $mantissa:literal, $bias:literal,
        round $round:ident, hi $hi:ident, lo $lo:ident, taylor $taylor:ident,
        overflow $overflow:literal, underflow $underflow:literal
    ) => {
        #[inline(always)]
        fn $one(t: $t) -> $t {
            // The clamp keeps the exponent arithmetic in range; the selects below restore the ends.
            let s = t.max($underflow).min($overflow);
            let shifted = s.mul_add(std::$t::consts::LOG2_E, $round);
            let k = shifted - $round;
            let r = k.mul_add(-$lo, k.mul_add(-$hi, s));
            let mut p = $taylor[$taylor.len() - 1];
            for c in $taylor[..$taylor.len() - 1].iter().rev() {
                p = p.mul_add(r, *c);
            }
            let p = (p * r).mul_add(r, r) + 1.0;
            // 2^k = 2^h · 2^(k−h), h = ⌊k/2⌋: each factor is a normal number.
            let k = shifted.to_bits().wrapping_sub($round.to_bits()) as $bits;
            let h = k >> 1;
            let scale = |e: $bits| $t::from_bits((e.wrapping_add($bias) << $mantissa) as _);
            let value = p * scale(h) * scale(k.wrapping_sub(h));
            let value = if t < $underflow { 0.0 } else { value };
            let value = if t > $overflow { $t::INFINITY } else { value };
            if t.is_nan() { t } else { value }
        }

        /// v ← exp(c·v).
        pub(crate) fn $t(v: &mut [$t], c: $t) {
            struct Call<'a>(&'a mut [$t], $t);
            impl WithSimd for Call<'_> {
                type Output = ();
                #[inline(always)]
                fn with_simd<S: Simd>(self, _: S) {
                    for x in self.0 {
                        *x = $one(self.1 * *x);
                    }
                }
            }
            Arch::new().dispatch(Call(v, c));
        }
    };
}

exp_slice!(
    f64, exp_f64, i64, 52, 1023,
    round ROUND_F64, hi LN2_HI_F64, lo LN2_LO_F64, taylor TAYLOR_F64,
    overflow 709.782_712_893_384, underflow -708.396_418_532_264_1
);
exp_slice!(
    f32, exp_f32, i32, 23, 127,
    round ROUND_F32, hi LN2_HI_F32, lo LN2_LO_F32, taylor TAYLOR_F32,
    overflow 88.722_84, underflow -87.336_54
);
