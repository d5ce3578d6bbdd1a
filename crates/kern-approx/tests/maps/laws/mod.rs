//! The laws of feature maps and of bounds on their errors: tables with a line for each statement.
//!
//! Seeds are those of the line, and runs never change. The chance that a correct library fails a line, for seeds chosen
//! at random, is the number of its assertions times `common::FAILURE`; lines without statistical assertions hold for
//! every seed.
//!
//! `cargo xtask tidy` requires a line for each map and each bound: the name of its type, in quotes.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

mod bounds;
mod landmarks;
mod spreads;

use std::ops::Range;

/// A line of a table.
struct Law {
    /// The type that it is about.
    of: &'static str,
    states: &'static str,
    seeds: Range<u64>,
    /// Statistical assertions, each of which fails with a probability of `common::FAILURE` at most.
    assertions: usize,
    /// Asserts it for random choices with these seeds, and counts its statistical assertions.
    check: fn(Range<u64>) -> usize,
}

#[track_caller]
fn hold(laws: &[Law]) {
    for law in laws {
        assert_eq!((law.check)(law.seeds.clone()), law.assertions, "{}: {}", law.of, law.states);
    }
}
