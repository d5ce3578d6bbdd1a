//! Tests of the slice functions of `Scalar`: errors of at most 2 ulp over the whole domain of f32
//! and f64, special values, the same bits for every slice length; sums and updates of vectors.
//!
//! References: for f32 the function of f64, or double-double arithmetic; for f64 double-double
//! arithmetic (dense sweeps) and correctly rounded values from mpmath (`data/elementary_f64.txt`).
//! An ulp is the distance of neighbouring numbers in the binade of the exact result.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]
#![allow(
    clippy::float_cmp,
    reason = "where results are rounded correctly, they are compared exactly"
)]

mod error;
mod exp;
mod kernels;
mod ln_1p;
mod reference;
mod roots;
mod tanh;
mod trig;
mod vector;

/// The error that the documentation of the elementary functions promises.
const MAX_ULP: f64 = 2.0;
