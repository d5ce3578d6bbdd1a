//! exp on slices: exp(t) = 2^k · exp(r), k = round(t / ln 2), |r| ≤ ln 2 / 2.
//!
//! r is reduced with ln 2 in two parts (Cody & Waite 1980), exp(r) is a near-minimax polynomial, and
//! k is added to its exponent bits.

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

/// q in exp(r) ≈ 1 + r + r²·q(r), interpolated in the Chebyshev nodes of |r| ≤ ln 2 / 2: relative
/// error 0.15u. Solved in 60 digits with mpmath for g(r) = (exp(r) − 1 − r)/r², then rounded.
const POLYNOMIAL_F64: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_624_13,
    0.008_333_333_333_330_062,
    0.001_388_888_891_721_371_7,
    0.000_198_412_698_630_536_18,
    2.480_152_129_595_437_6e-5,
    2.755_726_845_999_706_4e-6,
    2.762_008_844_540_974_6e-7,
    2.510_038_549_551_032e-8,
];
/// The same for single precision: relative error 0.18u.
const POLYNOMIAL_F32: [f32; 5] = [0.5, 0.166_665_76, 0.041_666_556, 0.008_363_179, 0.001_392_618_4];

macro_rules! exp_slice {
    (
        $t:ident, $one:ident, $mantissa:literal,
        round $round:ident, hi $hi:ident, lo $lo:ident, polynomial $polynomial:ident,
        overflow $overflow:literal, underflow $underflow:literal
    ) => {
        #[inline(always)]
        fn $one(t: $t) -> $t {
            let shifted = t.mul_add(std::$t::consts::LOG2_E, $round);
            let k = shifted - $round;
            let r = k.mul_add(-$lo, k.mul_add(-$hi, t));
            let mut q = $polynomial[$polynomial.len() - 1];
            for c in $polynomial[..$polynomial.len() - 1].iter().rev() {
                q = q.mul_add(r, *c);
            }
            let p = q.mul_add(r, 1.0).mul_add(r, 1.0);
            // 2^k·p by adding k to the exponent of p. The low bits of `shifted` are k, and the
            // shift drops all others. Where the result is a normal number so is every step.
            let value = $t::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << $mantissa));
            // Beyond the normal range the bits mean nothing; t + ∞ is ∞, or NaN for NaN.
            let value = if t < $underflow { 0.0 } else { value };
            if t <= $overflow { value } else { t + $t::INFINITY }
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
    f64, exp_f64, 52,
    round ROUND_F64, hi LN2_HI_F64, lo LN2_LO_F64, polynomial POLYNOMIAL_F64,
    overflow 709.782_712_893_384, underflow -708.396_418_532_264_1
);
exp_slice!(
    f32, exp_f32, 23,
    round ROUND_F32, hi LN2_HI_F32, lo LN2_LO_F32, polynomial POLYNOMIAL_F32,
    overflow 88.722_83, underflow -87.336_54
);
