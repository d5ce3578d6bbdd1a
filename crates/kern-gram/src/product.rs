//! Products with matrices of kernel values, tile by tile; the matrix is never stored.
//!
//! Every stripe of the result is added to in one fixed order, so the bits do not depend on the
//! number of threads.

use crate::tiling::{cuts, first_non_finite, report, split_rows};
use crate::{Error, parallel};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch};
use std::iter;
use std::ops::Range;

/// `out = K(a, b) · v`, holding one tile per thread. Each stripe of rows is one task, which adds
/// its tiles from left to right.
pub(crate) fn apply_cross<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    kernel: &K,
    (a, b): (&P, &P),
    v: MatRef<'_, P::Scalar>,
    mut out: MatMut<'_, P::Scalar>,
) -> Result<(), Error> {
    let (row_cuts, col_cuts) = (cuts(a.len()), cuts(b.len()));
    let binding = Binding::new(kernel, a, b);
    let stripes: Vec<_> =
        split_rows(out.as_mut(), &row_cuts).into_iter().zip(row_cuts.clone()).collect();
    parallel::for_each_init(stripes, Scratch::new, |scratch, (mut out, rows)| {
        out.fill(P::Scalar::ZERO);
        for cols in &col_cuts {
            binding.with_block(rows.clone(), cols.clone(), scratch, |block| {
                add_product(out.as_mut(), block, v, cols);
            });
        }
    });
    verify(&binding, out.as_ref(), &row_cuts, |_| &col_cuts)
}

/// `out = K(x, x) · v`, each tile below the diagonal used for its mirror image, too.
///
/// Tile (I, J) adds to the stripes I and J of the result. The tiles are worked off in rounds, as in
/// a tournament in which every stripe meets every other one once: in a round no two tiles share a
/// stripe, so they run in parallel, and the order of the rounds fixes the order of the sums.
pub(crate) fn apply_symmetric<P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    kernel: &K,
    points: &P,
    v: MatRef<'_, P::Scalar>,
    mut out: MatMut<'_, P::Scalar>,
) -> Result<(), Error> {
    let cuts = cuts(points.len());
    let binding = Binding::new(kernel, points, points);
    out.fill(P::Scalar::ZERO);
    let mut stripes: Vec<_> = split_rows(out.as_mut(), &cuts).into_iter().map(Some).collect();
    for round in rounds(cuts.len()) {
        // Each task owns its stripes while it runs, and returns them.
        let mut tasks = Vec::with_capacity(round.len());
        for (i, j) in round {
            let low = stripes[i].take();
            let high = if i == j { None } else { stripes[j].take() };
            tasks.push((i, low, j, high));
        }
        let done = parallel::map_init(tasks, Scratch::new, |scratch, (i, mut low, j, mut high)| {
            let (rows, cols) = (&cuts[i], &cuts[j]);
            binding.with_block(rows.clone(), cols.clone(), scratch, |block| {
                if let Some(out) = &mut low {
                    add_product(out.as_mut(), block, v, cols);
                }
                if let Some(out) = &mut high {
                    add_product(out.as_mut(), block.transpose(), v, rows);
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
    }
    drop(stripes);
    verify(&binding, out.as_ref(), &cuts, |i| &cuts[..=i])
}

/// The pairs (I, J), I ≥ J, of `n` stripes in rounds without a common stripe: first all (I, I),
/// then the circle method. With an odd number of stripes one rests in each round.
pub(crate) fn rounds(n: usize) -> impl Iterator<Item = Vec<(usize, usize)>> {
    let places = n.next_multiple_of(2).max(2);
    let circle = places - 1;
    let meetings = (0..circle).map(move |round| {
        let across = (1..places / 2).map(|k| ((round + k) % circle, (round + circle - k) % circle));
        let pairs = across.chain([(circle, round)]).filter(|&(i, j)| i.max(j) < n);
        pairs.map(|(i, j)| (i.max(j), i.min(j))).collect()
    });
    iter::once((0..n).map(|i| (i, i)).collect()).chain(meetings)
}

/// `out = matrix · v`, a stripe of rows per task: faer's own parallel product with few columns
/// splits sums between threads, and its bits then depend on their number.
pub(crate) fn apply_dense<T: Scalar>(matrix: MatRef<'_, T>, v: MatRef<'_, T>, out: MatMut<'_, T>) {
    let cuts = cuts(matrix.nrows());
    let stripes = split_rows(out, &cuts).into_iter().zip(&cuts).collect();
    parallel::for_each_init(
        stripes,
        || (),
        |(), (out, rows)| {
            let stripe = matrix.subrows(rows.start, rows.len());
            matmul(out, Accum::Replace, stripe, v, T::ONE, Par::Seq);
        },
    );
}

/// `out += block · v[cols]`.
pub(crate) fn add_product<T: Scalar>(
    out: MatMut<'_, T>,
    block: MatRef<'_, T>,
    v: MatRef<'_, T>,
    cols: &Range<usize>,
) {
    let v = v.subrows(cols.start, cols.len());
    matmul(out, Accum::Add, block, v, T::ONE, Par::Seq);
}

/// Says what is wrong if the product is not finite: NaN and ∞ among the kernel values always show
/// there, so the tiles, `tiles(i)` of stripe i of the rows, need not be looked at unless they do.
fn verify<'c, P: Points + ?Sized, K: Kernel<P> + ?Sized>(
    binding: &Binding<'_, K, P>,
    product: MatRef<'_, P::Scalar>,
    stripes: &[Range<usize>],
    tiles: impl Fn(usize) -> &'c [Range<usize>] + Send + Sync,
) -> Result<(), Error> {
    let Some(Error::NotFinite { row, col, given }) = first_non_finite(product, 0, 0) else {
        return Ok(());
    };
    let stripes = stripes.iter().enumerate().collect();
    report(parallel::map_init(stripes, Scratch::new, |scratch, (i, rows)| {
        let errors = tiles(i).iter().map(|cols| {
            let mut found = None;
            binding.with_block(rows.clone(), cols.clone(), scratch, |block| {
                found = first_non_finite(block, rows.start, cols.start);
            });
            found
        });
        report(errors).err()
    }))?;
    Err(Error::ProductNotFinite { row, col, given })
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
