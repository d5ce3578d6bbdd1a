//! Iterations whose objective can be followed: rounds of mixtures, steps of Pegasos, single coordinates, and two ways to a logistic
//! regression.

mod coordinate;
mod data;
mod logistic;
mod mixture;
mod pegasos;
#[path = "../support/real.rs"]
mod real;
mod rounds;
#[path = "../support/standardised.rs"]
mod standardised;

/// The sets it uses beyond the five of the project.
const SETS: [&str; 0] = [];
