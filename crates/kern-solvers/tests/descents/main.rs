//! Iterations whose objective can be followed: rounds of mixtures, steps of Pegasos, single coordinates, and two ways to a logistic
//! regression.

mod coordinate;
mod data;
#[path = "../support/lines.rs"]
mod lines;
mod logistic;
mod mixture;
mod pegasos;
mod rounds;
#[path = "../support/standardised.rs"]
mod standardised;
