//! The variables of a block, in the layout that its loops want.

use super::dual::{Dual, fall, rise};
use super::square::Square;
use super::step::Coordinate;

/// Numbers that loops look at side by side. Blocks are filled up to a multiple of it with variables that can
/// neither rise nor fall.
pub(super) const LANES: usize = 8;

/// The variables of a block, and the gains of their moves.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) beta: Vec<f64>,
    /// Kβ − p.
    pub(super) gradient: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) epsilon: f64,
    pub(super) sides: Vec<Side>,
    side: Vec<usize>,
}

/// The variables of one sum: `rise` − g and `fall` − g are the Lagrange multipliers at which a variable would
/// rest if it could only rise or only fall; infinite for those that cannot, or are of another sum.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) rise: Vec<f64>,
    pub(super) fall: Vec<f64>,
}

impl Local {
    /// The variables `set` of a problem at (β, g).
    pub(super) fn new(
        problem: &Dual,
        set: &[usize],
        (beta, gradient): (&[f64], &[f64]),
        square: Square<'_>,
    ) -> Self {
        let len = square.stride;
        let gather = |from: &[f64], filler: f64| {
            let mut out: Vec<f64> = set.iter().map(|&v| from[v]).collect();
            out.resize(len, filler);
            out
        };
        let sides = problem.coupling.sides();
        let empty = || Side { rise: vec![f64::NEG_INFINITY; len], fall: vec![f64::INFINITY; len] };
        let mut diagonal: Vec<f64> = (0..set.len()).map(|i| square.column(i)[i]).collect();
        diagonal.resize(len, 1.0);
        let mut local = Self {
            beta: gather(beta, 0.0),
            gradient: gather(gradient, 0.0),
            lower: gather(&problem.lower, 0.0),
            upper: gather(&problem.upper, 0.0),
            diagonal,
            epsilon: problem.epsilon,
            sides: (0..sides).map(|_| empty()).collect(),
            side: set.iter().map(|&v| problem.coupling.side(v)).collect(),
        };
        (0..set.len()).for_each(|i| local.refresh(i));
        local
    }

    /// Variable i.
    #[inline(always)]
    pub(super) fn coordinate(&self, i: usize) -> Coordinate {
        Coordinate { beta: self.beta[i], lower: self.lower[i], upper: self.upper[i] }
    }

    /// Sets variable i, and returns by how much it changed.
    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, value: f64) -> f64 {
        let change = value - self.beta[i];
        self.beta[i] = value;
        self.refresh(i);
        change
    }

    #[inline(always)]
    fn refresh(&mut self, i: usize) {
        let side = &mut self.sides[self.side[i]];
        side.rise[i] = rise(self.beta[i], self.upper[i], self.epsilon);
        side.fall[i] = fall(self.beta[i], self.lower[i], self.epsilon);
    }
}
