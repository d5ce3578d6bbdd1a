//! Building blocks of the elementary functions: constants, bit manipulation, and polynomials
//! evaluated at several values at a time.
//!
//! The polynomials are near-minimax: fitted by Remez's algorithm in 60 digits (mpmath), with the
//! coefficients rounded one after the other and the remaining ones fitted again each time. Their
//! errors are given in units of the round-off u, for f64 and f32.
//!
//! # Loops over several registers at a time
//! Each step of a polynomial depends on the one before: four cycles of latency on many processors
//! that could start two per cycle. A loop over one register after the other relies on out-of-order
//! execution to overlap iterations; for exp in double precision about five overlap where eight are
//! needed. So several parts of a block are interleaved explicitly (measured on Zen 5: exp in about
//! 0.84 of the time; more or fewer parts gain less).

use crate::Scalar;

/// Constants and bit operations of a scalar type.
pub trait Elementary: Sized + 'static {
    /// 1.5·2^m, where m is the number of mantissa bits, plus the exponent's bias minus 1. Added to
    /// a smaller number t, the low bits of the sum hold the integer nearest to t plus that bias.
    const SHIFT: Self;
    /// log₂ e.
    const LOG2_E: Self;
    /// ln 2 in two parts: the rounded value, and the rounding error.
    const LN_2: [Self; 2];
    /// ln(1.5·2^(1 − bias)), below which exp is flushed to zero, and a point where it is infinite.
    const EXP_RANGE: [Self; 2];
    /// The point at which tanh changes from one formula to the other, and one from which it rounds
    /// to 1.
    const TANH_RANGE: [Self; 2];

    /// q in exp(r) ≈ 1 + r + r²·q(r)/2 for |r| ≤ ln 2 / 2. Relative error 0.04u, 0.05u.
    const EXP: &'static [Self];
    /// q in sin(2πf) ≈ 6f + f·q(f²) for |f| ≤ ¼. Relative error 0.04u, 0.1u.
    const SIN: &'static [Self];
    /// q in ln((1 + s)/(1 − s)) ≈ 2s + s³·q(s²) for |s| ≤ 3 − √8. Relative error 0.02u, 0.02u.
    const LN: &'static [Self];
    /// p and q in tanh(x) ≈ x + x³·p(x²)/q(x²) for |x| ≤ ⅝. Relative error 0.01u, 0.09u.
    const TANH: [&'static [Self]; 2];

    /// 2^(k − 1) from `SHIFT` + k, where that power is a normal number.
    fn half_power(shifted: Self) -> Self;
    /// (k, 2^(2 − k)) with √½ ≤ x/2^k < √2, for a normal number x > 0.
    fn split(x: Self) -> (Self, Self);
    /// |self| with the sign of another value.
    fn with_sign(self, sign: Self) -> Self;
}

/// The implementation shared by both types, up to the numbers of bits.
macro_rules! bits {
    ($t:ident, $bits:ident) => {
        const SHIFT: Self =
            1.5 * (1_u64 << ($t::MANTISSA_DIGITS - 1)) as $t + ($t::MAX_EXP - 2) as $t;
        const LOG2_E: Self = std::$t::consts::LOG2_E;

        #[inline(always)]
        fn half_power(shifted: Self) -> Self {
            $t::from_bits(shifted.to_bits() << ($t::MANTISSA_DIGITS - 1))
        }

        #[inline(always)]
        fn split(x: Self) -> (Self, Self) {
            const MANTISSA: u32 = $t::MANTISSA_DIGITS - 1;
            const BIAS: $bits = $t::MAX_EXP as $bits - 1;
            const FROM_ROOT_TO_ONE: $bits =
                (1.0 as $t).to_bits() - std::$t::consts::FRAC_1_SQRT_2.to_bits();
            // k + bias: the bit patterns are ordered as the numbers are, and √½ is shifted to 1.
            let exponent = x.to_bits().wrapping_add(FROM_ROOT_TO_ONE) >> MANTISSA;
            let k = $t::from_bits(Self::SHIFT.to_bits() + exponent) - (Self::SHIFT + BIAS as $t);
            (k, $t::from_bits((2 * BIAS + 2).wrapping_sub(exponent) << MANTISSA))
        }

        #[inline(always)]
        fn with_sign(self, sign: Self) -> Self {
            self.copysign(sign)
        }
    };
}

impl Elementary for f64 {
    bits!(f64, u64);

    const LN_2: [Self; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];
    const EXP_RANGE: [Self; 2] = [-707.990_953_424_155_9, 709.79];
    const TANH_RANGE: [Self; 2] = [0.625, 20.0];
    const EXP: &'static [Self] = &[
        1.000_000_000_000_001_6,
        0.333_333_333_333_334_37,
        0.083_333_333_333_126_59,
        0.016_666_666_666_741_253,
        0.002_777_777_786_880_005,
        0.000_396_825_393_594_875_7,
        4.960_300_520_684_374_4e-5,
        5.511_497_586_770_902_5e-6,
        5.525_390_337_953_079e-7,
        5.003_738_373_632_981e-8,
    ];
    const SIN: &'static [Self] = &[
        0.283_185_307_179_586_45,
        -41.341_702_240_399_71,
        81.605_249_276_058_93,
        -76.705_859_750_979_49,
        42.058_693_811_303_22,
        -15.094_637_834_991_603,
        3.819_856_339_154_583_7,
        -0.717_034_709_424_841_5,
        0.098_126_405_732_313_86,
    ];
    const LN: &'static [Self] = &[
        0.666_666_666_666_673_4,
        0.399_999_999_994_170_3,
        0.285_714_287_418_990_9,
        0.222_221_986_207_085_94,
        0.181_835_619_660_058_98,
        0.153_141_085_405_744_1,
        0.147_953_905_337_630_06,
    ];
    const TANH: [&'static [Self]; 2] = [
        &[-0.333_333_333_333_333_26, -0.020_496_978_994_319_487, -0.000_199_097_444_722_294_44],
        &[1.0, 0.461_490_936_982_945_47, 0.023_288_905_222_820_365, 0.000_206_447_422_204_353_1],
    ];
}

impl Elementary for f32 {
    bits!(f32, u32);

    const LN_2: [Self; 2] = [std::f32::consts::LN_2, -1.904_654_2e-9];
    const EXP_RANGE: [Self; 2] = [-86.931_076, 89.0];
    const TANH_RANGE: [Self; 2] = [0.625, 10.0];
    const EXP: &'static [Self] =
        &[0.999_999_8, 0.333_330_2, 0.083_337_04, 0.016_740_38, 0.002_766_591_3];
    const SIN: &'static [Self] = &[0.283_185_27, -41.341_68, 81.602_32, -76.577, 39.725_65];
    const LN: &'static [Self] = &[0.666_667_76, 0.399_775_86, 0.298_706_95];
    const TANH: [&'static [Self]; 2] = [&[-0.333_333_08, -0.001_541_268_3], &[1.0, 0.404_611_2]];
}

/// Parts that are interleaved.
const PARTS: usize = 4;
/// Values per part: whole registers of all instruction sets.
const LEN: usize = 64;

/// An elementary function.
pub(super) trait Formula<T>: Copy {
    /// The function at N values, step by step for all of them.
    fn values<const N: usize>(self, at: [T; N]) -> [T; N];
}

/// v ← f(v), inlined into a caller that is compiled for the instruction set.
#[inline(always)]
pub(super) fn map<T: Scalar>(v: &mut [T], f: impl Formula<T>) {
    let (blocks, rest) = v.as_chunks_mut::<{ PARTS * LEN }>();
    for block in blocks {
        for i in 0..LEN {
            let values = f.values::<PARTS>(std::array::from_fn(|p| block[p * LEN + i]));
            (0..PARTS).for_each(|p| block[p * LEN + i] = values[p]);
        }
    }
    for v in rest {
        [*v] = f.values([*v]);
    }
}

/// Evaluates a polynomial by Horner's rule; the constant term comes first.
#[inline(always)]
pub(super) fn polynomial<T: Scalar, const N: usize>(coefficients: &[T], at: [T; N]) -> [T; N] {
    let Some((last, rest)) = coefficients.split_last() else { return [T::ZERO; N] };
    rest.iter().rev().fold([*last; N], |sums, &c| fma(sums, at, [c; N]))
}

/// a·b + c, element by element.
#[inline(always)]
pub(super) fn fma<T: Scalar, const N: usize>(a: [T; N], b: [T; N], c: [T; N]) -> [T; N] {
    std::array::from_fn(|i| a[i].fma(b[i], c[i]))
}
