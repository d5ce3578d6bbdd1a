//! Products with a symmetric matrix of which only tiles on and below the diagonal are at hand.

use crate::parallel;
use crate::product::{add_product, rounds};
use crate::tiling::split_rows;
use faer::{MatMut, MatRef};
use kern_core::Scalar;
use std::ops::Range;

/// out = G·v, where `tile(I, J)` is what lies in the rows `cuts[I]` and the columns `cuts[J]`,
/// I ≥ J. Each tile is read once, in the rounds of [`rounds`], and serves its mirror image, too.
pub(crate) fn apply_tiles<'t, T: Scalar>(
    cuts: &[Range<usize>],
    tile: impl Fn(usize, usize) -> MatRef<'t, T> + Send + Sync,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) {
    out.fill(T::ZERO);
    let mut stripes: Vec<_> = split_rows(out, cuts).into_iter().map(Some).collect();
    for round in rounds(cuts.len()) {
        // Each task owns its stripes while it runs, and returns them.
        let mut tasks = Vec::with_capacity(round.len());
        for (i, j) in round {
            let low = stripes[i].take();
            let high = if i == j { None } else { stripes[j].take() };
            tasks.push((i, low, j, high));
        }
        let done = parallel::map_init(
            tasks,
            || (),
            |(), (i, mut low, j, mut high)| {
                let tile = tile(i, j);
                if let Some(out) = &mut low {
                    add_product(out.as_mut(), tile, v, &cuts[j]);
                }
                if let Some(out) = &mut high {
                    add_product(out.as_mut(), tile.transpose(), v, &cuts[i]);
                }
                (i, low, j, high)
            },
        );
        for (i, low, j, high) in done {
            stripes[i] = low;
            if i != j {
                stripes[j] = high;
            }
        }
    }
}
