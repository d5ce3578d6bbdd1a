//! Working set selection: the block of variables of the next outer iteration. Pairs within a block
//! are selected by [`smo`](super::smo).

use super::dual_problem::Dual;
use super::svm_certificate::Range as Multipliers;
use kern_gram::parallel;
use std::ops::Range;

/// The working set: the variables of a block, each at a fixed place.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingSet {
    pub(super) variables: Vec<usize>,
    /// The places of the variables that were in the previous block, at the beginning or at the end.
    pub(super) kept: Range<usize>,
}

impl WorkingSet {
    /// Selects all n variables.
    pub(super) fn whole(&mut self, n: usize) {
        self.kept = 0..self.variables.len();
        self.variables.extend(self.kept.end..n);
    }

    /// Selects up to `size` variables: the newer half of the current ones, and those that violate
    /// the optimality conditions most, with as many that should rise as should fall; ties go to the
    /// first. New variables take the places of the older half if there are as many.
    pub(super) fn advance(
        &mut self,
        problem: &Dual,
        beta: &[f64],
        gradient: &[f64],
        ranges: &[Multipliers],
        size: usize,
    ) {
        let (len, young) = (self.variables.len(), self.young(size));
        let mut taken = vec![false; problem.len()];
        self.variables[young.clone()].iter().for_each(|&v| taken[v] = true);
        let new = violators(problem, beta, gradient, ranges, &mut taken, size - young.len());
        if young.start == 0 && new.len() == len - young.end {
            self.variables.splice(young.end.., new);
            self.kept = young;
        } else if young.end == len && new.len() == young.start {
            self.variables.splice(..young.start, new);
            self.kept = young;
        } else {
            self.variables.truncate(young.end);
            self.variables.drain(..young.start);
            self.variables.extend(new);
            self.kept = 0..0;
        }
    }

    /// The places of the new variables: one range, because the kept ones are at an end.
    pub(super) fn arrived(&self) -> Range<usize> {
        if self.kept.start > 0 { 0..self.kept.start } else { self.kept.end..self.variables.len() }
    }

    /// The places of the newer half.
    fn young(&self, size: usize) -> Range<usize> {
        let len = self.variables.len();
        let keep = len.min(size / 2).min(size.saturating_sub(2));
        let end = if self.kept.start > 0 { self.kept.start } else { len };
        end.saturating_sub(keep)..end
    }
}

/// Selects up to `room` variables that are not taken, and marks them: alternately those that should
/// rise most and those that should fall most.
fn violators(
    problem: &Dual,
    beta: &[f64],
    gradient: &[f64],
    ranges: &[Multipliers],
    taken: &mut [bool],
    room: usize,
) -> Vec<usize> {
    let free: &[bool] = taken;
    let find = |rises| largest(wants(problem, beta, gradient, ranges, free, rises), room);
    let sides = parallel::map_init(vec![true, false], || (), |(), rises| find(rises));
    let most = sides.iter().map(Vec::len).max().unwrap_or(0);
    let mut new = Vec::with_capacity(room);
    for rank in 0..most {
        for v in sides.iter().filter_map(|side| side.get(rank)).copied() {
            if new.len() < room && !taken[v] {
                taken[v] = true;
                new.push(v);
            }
        }
    }
    new
}

/// The variables that are not taken and should rise (or fall), each with its violation against the
/// best partner.
fn wants(
    problem: &Dual,
    beta: &[f64],
    gradient: &[f64],
    ranges: &[Multipliers],
    taken: &[bool],
    rises: bool,
) -> Vec<(f64, usize)> {
    let mut found = Vec::new();
    for (v, (&beta, &g)) in beta.iter().zip(gradient).enumerate() {
        let range = match problem.is_free() {
            true => Multipliers { top: 0.0, bottom: 0.0 },
            false => ranges[problem.coupling.side(v)],
        };
        let score = match rises {
            true => problem.rise(v, beta) - g - range.bottom,
            false => range.top - problem.fall(v, beta) + g,
        };
        if score > 0.0 && !taken[v] {
            found.push((score, v));
        }
    }
    found
}

/// The variables with the `count` largest scores, in descending order.
fn largest(mut scores: Vec<(f64, usize)>, count: usize) -> Vec<usize> {
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if count == 0 {
        return Vec::new();
    }
    if scores.len() > count {
        scores.select_nth_unstable_by(count - 1, order);
        scores.truncate(count);
    }
    scores.sort_unstable_by(order);
    scores.into_iter().map(|(_, v)| v).collect()
}
