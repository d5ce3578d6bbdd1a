//! Products with a symmetric matrix of which only tiles on and below the diagonal are at hand.

use crate::multiply::add_product;
use crate::tiling::split_rows;
use crate::{Error, parallel};
use faer::{MatMut, MatRef};
use kern_core::products::{FewVectors, add_mirrored};
use kern_core::{Scalar, Scratch};
use std::iter;
use std::ops::Range;

/// The work on a tile.
pub(crate) type Add<'a, T> = &'a mut dyn FnMut(MatRef<'_, T>);

/// out = G·v. `with_tile(scratch, I, J, add)` calls `add` with what lies in the rows `cuts[I]` and
/// the columns `cuts[J]`, I ≥ J, once for each tile.
pub(crate) fn apply_tiles<T: Scalar>(
    cuts: &[Range<usize>],
    with_tile: impl Fn(&mut Scratch<T>, usize, usize, Add<'_, T>) + Send + Sync,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    if FewVectors::<T>::COUNTS.contains(&v.ncols()) {
        let (v, mut sums) = (FewVectors::of(v)?, FewVectors::zeros(out.nrows(), out.ncols())?);
        work_off(sums.split(cuts), with_tile, |tile, (i, low), (j, high)| {
            let (v, u) = (v.rows(cuts[j].clone()), v.rows(cuts[i].clone()));
            add_mirrored(tile, (v, u), (low, high.map(|high| &mut **high)));
        });
        sums.copy_into(out);
        return Ok(());
    }
    out.fill(T::ZERO);
    work_off(split_rows(out, cuts), with_tile, |tile, (i, low), (j, high)| {
        // Its columns first, which lie one after the other in memory: the other product finds the tile in cache.
        if let Some(high) = high {
            add_product(high.as_mut(), tile.transpose(), v, &cuts[i]);
        }
        add_product(low.as_mut(), tile, v, &cuts[j]);
    });
    Ok(())
}

/// Calls `add` with every tile (I, J) and the stripes I and, off the diagonal, J of the result, which it adds to. The tiles
/// are worked off in rounds, as in a tournament in which every stripe meets every other one once: in a round no
/// two tiles share a stripe, so they run in parallel, and the order of the rounds fixes the order of the sums.
fn work_off<T: Scalar, S: Send>(
    stripes: Vec<S>,
    with_tile: impl Fn(&mut Scratch<T>, usize, usize, Add<'_, T>) + Send + Sync,
    add: impl Fn(MatRef<'_, T>, (usize, &mut S), (usize, Option<&mut S>)) + Send + Sync,
) {
    let count = stripes.len();
    let mut stripes: Vec<_> = stripes.into_iter().map(Some).collect();
    let one_round = |round: Vec<(usize, usize)>| {
        // Each task owns its stripes while it runs, and returns them.
        let mut tasks = Vec::with_capacity(round.len());
        for (i, j) in round {
            let low = stripes[i].take();
            let high = if i == j { None } else { stripes[j].take() };
            tasks.push((i, low, j, high));
        }
        let done = parallel::map_init(tasks, Scratch::new, |scratch, (i, mut low, j, mut high)| {
            with_tile(scratch, i, j, &mut |tile| {
                if let Some(low) = &mut low {
                    add(tile, (i, low), (j, high.as_mut()));
                }
            });
            (i, low, j, high)
        });
        for (i, low, j, high) in done {
            stripes[i] = low;
            if i != j {
                stripes[j] = high;
            }
        }
    };
    rounds(count).for_each(one_round);
}

/// The pairs (I, J), I ≥ J, of `n` stripes in rounds without a common stripe: first all (I, I),
/// then the circle method. With an odd number of stripes one rests in each round.
fn rounds(n: usize) -> impl Iterator<Item = Vec<(usize, usize)>> {
    let places = n.next_multiple_of(2).max(2);
    let circle = places - 1;
    let meetings = (0..circle).map(move |round| {
        let across = (1..places / 2).map(|k| ((round + k) % circle, (round + circle - k) % circle));
        let pairs = across.chain([(circle, round)]).filter(|&(i, j)| i.max(j) < n);
        pairs.map(|(i, j)| (i.max(j), i.min(j))).collect()
    });
    iter::once((0..n).map(|i| (i, i)).collect()).chain(meetings)
}

#[cfg(test)]
mod tests {
    use super::rounds;

    #[test]
    fn rounds_hold_every_pair_once_and_no_stripe_twice() {
        for n in 0..12 {
            let mut all = Vec::new();
            for round in rounds(n) {
                let mut seen = vec![false; n];
                for (i, j) in round {
                    assert!(j <= i && !seen[i] && !seen[j], "n = {n}");
                    (seen[i], seen[j]) = (true, true);
                    all.push((i, j));
                }
            }
            all.sort_unstable();
            let expected: Vec<_> = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
            assert_eq!(all, expected, "n = {n}");
        }
    }
}
