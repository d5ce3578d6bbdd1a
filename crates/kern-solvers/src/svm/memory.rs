//! The memory that a fit takes beside the columns of the kernel matrix, which get what is left of a budget.

use super::fit::SIDE_BY_SIDE;
use super::solver::widest;
use crate::Error;
use kern_core::{Points, Scalar};
use kern_gram::{MemoryBudget, Representation, matrix_bytes};

/// The least number of columns to work with: those of a pair.
const LEAST_COLUMNS: u64 = 2;
/// Of each point: its class, its weight twice, its place in the order and in the cache of columns (16), a diagonal
/// entry and a norm.
const POINT_BYTES: usize = 72;
/// Of each variable of each problem: its linear term, bounds, start, solution, and side.
const VARIABLE_BYTES: usize = 48;
/// Of each variable that is being worked on: its row, gradient, mark, and place among those that want to rise or to
/// fall, in lists that double when they grow.
const WORK_BYTES: usize = 96;
/// Tiles of kernel values and gathered operands, of all threads.
const TILE_BYTES: u64 = 1 << 21;

/// Problems that are taken to be solved at the same time, at most: what is left must not depend on the machine's
/// threads, since results depend on it.
const THREADS: usize = 8;

/// The sizes that memory depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Points of the fit.
    pub(super) points: usize,
    /// Variables of all problems together.
    pub(super) variables: usize,
    /// Variables of the largest problem.
    pub(super) largest: usize,
    /// The number of problems.
    pub(super) functions: usize,
    /// Models that are learned before the first is handed out.
    pub(super) models: usize,
}

impl Sizes {
    /// The budget of the columns: what is left beside a copy of the points of so many bytes and all that the
    /// solver needs.
    ///
    /// # Errors
    /// [`Error::Gram`] if not even two columns and the block of a pair are left.
    pub(super) fn left<T: Scalar>(
        self,
        budget: &MemoryBudget,
        copied: u64,
    ) -> Result<MemoryBudget, Error> {
        let fixed = self.fixed::<T>().saturating_add(copied);
        let column = Representation::Blocked.bytes::<T>(self.points);
        let pair = column.saturating_mul(2 * LEAST_COLUMNS);
        let what = "vectors of the fit, two columns of the kernel matrix, and a block";
        let instead = "SGD with the hinge loss and Storage::OnTheFly takes less";
        budget.require(what, fixed.saturating_add(pair), instead)?;
        let rest = budget.as_bytes() - fixed;
        // The block beside the columns, or as much as them where there is less.
        Ok(MemoryBudget::bytes(rest - self.block().min(rest / 2)))
    }

    /// Vectors, and the coefficients of all functions.
    fn fixed<T: Scalar>(self) -> u64 {
        let kept = matrix_bytes::<[u8; VARIABLE_BYTES]>(self.variables, self.models);
        let at_once = if self.side_by_side() { self.variables } else { self.largest };
        let parts = [
            matrix_bytes::<[u8; POINT_BYTES]>(self.points, 1),
            kept,
            matrix_bytes::<[u8; WORK_BYTES]>(at_once, 1),
            matrix_bytes::<T>(self.points, self.functions),
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// The kernel values between the variables of a block, of each problem that is solved at the same time, and tiles.
    fn block(self) -> u64 {
        let edge = widest(self.largest);
        let problems = if self.side_by_side() { self.functions.min(THREADS) } else { 1 };
        // Twice: once as they are computed.
        let square = matrix_bytes::<f64>(edge, 2 * edge);
        square.saturating_mul(problems as u64).saturating_add(TILE_BYTES)
    }

    fn side_by_side(self) -> bool {
        self.functions > 1 && self.largest <= SIDE_BY_SIDE
    }
}

/// The points of a fit: those that were given, or a copy of some in another order.
pub(super) enum Chosen<'a, P> {
    All(&'a P),
    Some(P),
}

impl<'a, P: Points> Chosen<'a, P> {
    /// The points of these indices.
    pub(super) fn new(points: &'a P, order: &[usize]) -> Result<Self, Error> {
        Ok(match is_identity(order, points.len()) {
            true => Self::All(points),
            false => Self::Some(points.select(order)?),
        })
    }

    pub(super) fn get(&self) -> &P {
        match self {
            Self::All(points) => points,
            Self::Some(points) => points,
        }
    }
}

/// The bytes of the copy that [`Chosen::new`] makes.
pub(super) fn copied_bytes<P: Points>(points: &P, order: &[usize]) -> u64 {
    if is_identity(order, points.len()) { 0 } else { points.bytes() }
}

fn is_identity(order: &[usize], n: usize) -> bool {
    order.len() == n && order.iter().enumerate().all(|(place, &i)| place == i)
}
