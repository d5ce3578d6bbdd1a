//! Elementary functions in double-double arithmetic, to about 100 bits.

use crate::dd::Dd;

/// ln 2 to 107 bits: 0.693147180559945309417232121458176568.
const LN_2: Dd = Dd { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };
/// 2π to 107 bits: 6.28318530717958647692528676655900577.
const TAU: Dd = Dd { hi: std::f64::consts::TAU, lo: 2.449_293_598_294_706_4e-16 };

/// (exp(r) − 1)/r for |r| < 1, or (sin θ)/θ in r = −θ²: Σ rᵏ/(first·…), by Horner's rule.
fn series(r: Dd, divisors: impl DoubleEndedIterator<Item = f64>) -> Dd {
    divisors.rev().fold(Dd::from(1.0), |sum, n| Dd::from(1.0) + r * sum / Dd::from(n))
}

/// exp(r) − 1 for |r| < 1: r·(1 + r/2·(1 + r/3·…)).
fn expm1_series(r: Dd) -> Dd {
    r * series(r, (2..=30).map(f64::from))
}

/// x·2ᵏ, exact where it is a normal number.
pub(crate) fn scaled(x: f64, k: i32) -> f64 {
    // Two steps, because 2ᵏ alone may not be a number.
    x * 2.0_f64.powi(k / 2) * 2.0_f64.powi(k - k / 2)
}

/// (m, k) with exp(t) = (1 + m)·2ᵏ, |m| < ½.
fn expm1_parts(t: Dd) -> (Dd, i32) {
    let k = (t.hi / LN_2.hi).round();
    (expm1_series(t - Dd::from(k) * LN_2), k as i32)
}

/// (m, k) with exp(t) = m·2ᵏ, m in [0.7, 1.42].
pub(crate) fn exp(t: f64) -> (Dd, i32) {
    let (m, k) = expm1_parts(Dd::from(t));
    (Dd::from(1.0) + m, k)
}

/// tanh(x) = e/(e + 2) with e = exp(2|x|) − 1, for |x| < 300.
pub(crate) fn tanh(x: f64) -> Dd {
    let (m, k) = expm1_parts(Dd::from(2.0 * x.abs()));
    let power = 2.0_f64.powi(k);
    let e = Dd::from(power) * m + Dd::from(power - 1.0);
    let value = e / (e + Dd::from(2.0));
    if x < 0.0 { -value } else { value }
}

/// ln(1 + x): one step of Newton's method, y + (1 + x)/exp(y) − 1.
pub(crate) fn ln_1p(x: f64) -> Dd {
    let y = x.ln_1p();
    let (m, k) = expm1_parts(Dd::from(y));
    // ((1 + x)/2ᵏ − 1 − m)/(1 + m), where the ones cancel exactly for k = 0.
    let w = Dd::from(scaled(x, -k)) + (Dd::from(scaled(1.0, -k)) - Dd::from(1.0));
    Dd::from(y) + (w - m) / (Dd::from(1.0) + m)
}

/// (cos 2πt, sin 2πt).
pub(crate) fn cos_sin(t: f64) -> (Dd, Dd) {
    let quarters = (4.0 * (t - t.round())).round();
    let theta = TAU * Dd::from((t - t.round()) - quarters / 4.0);
    let square = -(theta * theta);
    let sin = theta * series(square, (1..=15).map(|k| f64::from(2 * k * (2 * k + 1))));
    let cos = series(square, (1..=15).map(|k| f64::from(2 * k * (2 * k - 1))));
    match (quarters as i32).rem_euclid(4) {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}
