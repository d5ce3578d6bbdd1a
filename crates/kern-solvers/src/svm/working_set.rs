//! Which variables are worked on next.

use super::certificate::Range;
use super::problem::Problem;

/// Up to `size` variables: of those in `previous`, oldest first, the younger half, and those that violate the
/// optimality conditions most, as many that want to rise as to fall; of equals the first. Also says how
/// many are of `previous`; they come first.
pub(super) fn select(
    problem: &Problem,
    (beta, gradient): (&[f64], &[f64]),
    ranges: &[Range],
    previous: &[usize],
    size: usize,
) -> (Vec<usize>, usize) {
    let keep = previous.len().min(size / 2).min(size.saturating_sub(2));
    let mut set = previous[previous.len() - keep..].to_vec();
    let mut taken = vec![false; problem.len()];
    set.iter().for_each(|&v| taken[v] = true);
    let (mut risers, mut fallers) = (Vec::new(), Vec::new());
    for v in (0..problem.len()).filter(|&v| !taken[v]) {
        let (up, down) = wants(problem, (beta, gradient), ranges, v);
        if up > 0.0 {
            risers.push((up, v));
        }
        if down > 0.0 {
            fallers.push((down, v));
        }
    }
    let room = size - keep;
    let (up, down) = (greatest(risers, room), greatest(fallers, room));
    let most = up.len().max(down.len());
    for rank in 0..most {
        for v in [up.get(rank), down.get(rank)].into_iter().flatten().copied() {
            if set.len() < size && !taken[v] {
                taken[v] = true;
                set.push(v);
            }
        }
    }
    (set, keep)
}

/// How much a variable wants to rise and to fall at most, with the best partner.
fn wants(
    problem: &Problem,
    (beta, gradient): (&[f64], &[f64]),
    ranges: &[Range],
    v: usize,
) -> (f64, f64) {
    let range = match problem.is_free() {
        true => Range { top: 0.0, bottom: 0.0 },
        false => ranges[problem.coupling.side(v)],
    };
    let up = problem.rise(v, beta[v]) - gradient[v] - range.bottom;
    let down = range.top - problem.fall(v, beta[v]) + gradient[v];
    (up, down)
}

/// The variables of the `count` greatest scores, in their order.
fn greatest(mut scores: Vec<(f64, usize)>, count: usize) -> Vec<usize> {
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
