//! Iterations whose objective can be followed: rounds of mixtures, steps of Pegasos, single coordinates, and two ways to a logistic
//! regression.

mod coordinate;
mod data;
mod logistic;
mod mixture;
mod pegasos;
