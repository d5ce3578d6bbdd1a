//! Products with kernel matrices: tile by tile without storing them, with symmetric matrices of
//! which only tiles on and below the diagonal are available, and with stored matrices.
//!
//! Every stripe of the result is accumulated in one fixed order, so the bits do not depend on the
//! number of threads.

use crate::pairs::Entries;
use crate::tiling::{cuts, first_non_finite, report, split_rows};
use crate::{Error, pairs, parallel};
use faer::{Accum, MatMut, MatRef};
use kern_core::products::{FewVectors, add_mirrored, inner_products, matmul};
use kern_core::{Scalar, Scratch, compiled_once};
use std::iter;
use std::ops::Range;

/// `out = K(a, b) · v`, with one tile per thread in memory. Each stripe of rows is one task, which
/// accumulates its tiles from left to right.
#[compiled_once]
pub(crate) fn apply_cross<T: Scalar>(
    entries: &dyn Entries<T>,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    let (row_cuts, col_cuts) = (cuts(out.nrows()), cuts(v.nrows()));
    let stripe = |scratch: &mut Scratch<T>, (mut out, rows): (MatMut<'_, T>, Range<usize>)| {
        out.fill(T::ZERO);
        for cols in &col_cuts {
            entries.with_block(rows.clone(), cols.clone(), scratch, |block| {
                add_product(out.as_mut(), block, v, cols);
            });
        }
    };
    if let [rows] = row_cuts.as_slice() {
        // Few queries: the buffers of the thread are there from the last call.
        T::with_scratch(|scratch| stripe(scratch, (out.as_mut(), rows.clone())));
    } else {
        let stripes = split_rows(out.as_mut(), &row_cuts).into_iter().zip(row_cuts.clone());
        parallel::for_each_init(stripes.collect(), Scratch::new, stripe);
    }
    verify(entries, out.as_ref(), &row_cuts, |_| &col_cuts)
}

/// `out = K(x, x) · v`. Each tile below the diagonal is used for its mirror image, too; for values
/// computed by pairs, diagonal tiles compute each pair once.
#[compiled_once]
pub(crate) fn apply_symmetric<T: Scalar>(
    entries: &dyn Entries<T>,
    cuts: &[Range<usize>],
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    let by_pairs = entries.are_by_pairs();
    let with_tile = |scratch: &mut Scratch<_>, i: usize, j: usize, add: Add<'_, _>| {
        let (rows, cols) = (cuts[i].clone(), cuts[j].clone());
        if by_pairs && i == j {
            scratch.with_matrix(rows.len(), rows.len(), |mut tile, scratch| {
                pairs::fill_diagonal_tile(entries, rows, tile.as_mut(), scratch);
                add(tile.as_ref());
            });
        } else {
            entries.with_block(rows, cols, scratch, add);
        }
    };
    apply_tiles(cuts, with_tile, v, out.as_mut())?;
    verify(entries, out.as_ref(), cuts, |i| &cuts[..=i])
}

/// Finds the cause if the product is not finite. NaN and ∞ among the kernel values always propagate
/// to it, so the tiles, `tiles(i)` of stripe i of the rows, are inspected only then.
fn verify<'c, T: Scalar>(
    entries: &dyn Entries<T>,
    product: MatRef<'_, T>,
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
            entries.with_block(rows.clone(), cols.clone(), scratch, |block| {
                found = first_non_finite(block, rows.start, cols.start);
            });
            found
        });
        report(errors).err()
    }))?;
    Err(Error::ProductNotFinite { row, col, given })
}

/// The work on a tile.
pub(crate) type Add<'a, T> = &'a mut dyn FnMut(MatRef<'_, T>);

/// out = G·v. `with_tile(scratch, I, J, add)` calls `add` with the tile in the rows `cuts[I]` and
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
            add_mirrored(tile, v, u, low, high.map(|high| &mut **high));
        });
        sums.copy_into(out);
        return Ok(());
    }
    out.fill(T::ZERO);
    work_off(split_rows(out, cuts), with_tile, |tile, (i, low), (j, high)| {
        // Its columns first, which are contiguous in memory: the other product then finds the tile
        // in cache.
        if let Some(high) = high {
            add_product(high.as_mut(), tile.transpose(), v, &cuts[i]);
        }
        add_product(low.as_mut(), tile, v, &cuts[j]);
    });
    Ok(())
}

/// Calls `add` with every tile (I, J) and the stripes I and, off the diagonal, J of the result, to
/// which it adds. Tiles are scheduled in rounds, as in a round-robin tournament: no two tiles of a
/// round share a stripe, so they run in parallel, and the order of the rounds fixes the order of
/// the sums.
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
/// then by the circle method. With an odd number of stripes one is idle in each round.
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

/// out = matrix·v or out += matrix·v, with a stripe of rows per task: faer's own parallel product
/// with few columns splits sums between threads, and its bits then depend on their number.
#[compiled_once]
pub(crate) fn by_stripes<T: Scalar>(
    accum: Accum,
    matrix: MatRef<'_, T>,
    v: MatRef<'_, T>,
    out: MatMut<'_, T>,
) {
    let cuts = cuts(matrix.nrows());
    let stripes = split_rows(out, &cuts).into_iter().zip(&cuts).collect();
    parallel::for_each_init(
        stripes,
        || (),
        |(), (out, rows)| {
            let stripe = matrix.subrows(rows.start, rows.len());
            matmul(out, accum, stripe, v, T::ONE);
        },
    );
}

/// out += block·v[cols], on one thread.
#[compiled_once]
pub(crate) fn add_product<T: Scalar>(
    out: MatMut<'_, T>,
    block: MatRef<'_, T>,
    v: MatRef<'_, T>,
    cols: &Range<usize>,
) {
    let v = v.subrows(cols.start, cols.len());
    if block.col_stride() == 1 && block.row_stride() != 1 {
        // A transposed tile: its rows are contiguous. A single row is contiguous in either case,
        // and must have the same bits as among others.
        return inner_products(out, Accum::Add, block.transpose(), v, T::ONE);
    }
    matmul(out, Accum::Add, block, v, T::ONE);
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
