//! The sums of kernel values S = K·diag(w)·Z for clusters Z: recomputed, or updated after some
//! points have changed their cluster. From them follow the norms of the centres, and the nearest
//! centre of each point.

use super::lloyd::Move;
use super::weighted_gram::{BLOCK, Columns};
use crate::Error;
use crate::model::{Centres, KernelExpansion};
use faer::{Mat, MatMut, MatRef};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{parallel, split_rows, tile_ranges, zeros};

/// Rows of a stripe, which one thread updates: 4 KiB of each cluster's sums.
const STRIPE: usize = 512;

/// `S_ic` = Σ_{z(j)=c} `w_j·K_ij`: n × k.
pub(super) struct Sums {
    values: Mat<f64>,
}

impl Sums {
    pub(super) fn zeros(n: usize, k: usize) -> Result<Self, Error> {
        Ok(Self { values: zeros(n, k)? })
    }

    /// Recomputes all sums.
    pub(super) fn renew<T: Scalar>(
        &mut self,
        columns: &Columns<'_, T>,
        labels: &[u32],
        weights: &[f64],
    ) -> Result<(), Error> {
        let mut order: Vec<usize> = (0..labels.len()).filter(|&i| weights[i] > 0.0).collect();
        order.sort_by_key(|&i| labels[i]);
        self.values.fill(0.0);
        self.add(columns, &order, |column, i, terms| {
            terms.push(Term { column, cluster: labels[i] as usize, weight: weights[i] });
        })
    }

    /// Moves the columns of these points from one sum to another.
    pub(super) fn update<T: Scalar>(
        &mut self,
        columns: &Columns<'_, T>,
        moves: &[Move],
        weights: &[f64],
    ) -> Result<(), Error> {
        let points: Vec<usize> = moves.iter().map(|m| m.point).collect();
        let mut next = moves.iter();
        self.add(columns, &points, |column, i, terms| {
            let Some(m) = next.next() else { return };
            let weight = weights[i];
            terms.push(Term { column, cluster: m.from as usize, weight: -weight });
            terms.push(Term { column, cluster: m.to as usize, weight });
        })
    }

    /// Adds the terms that `expand` creates for each of these columns, in blocks. Within a block
    /// they are sorted by cluster, so that four columns are added to a sum at once.
    fn add<T: Scalar>(
        &mut self,
        columns: &Columns<'_, T>,
        indices: &[usize],
        mut expand: impl FnMut(usize, usize, &mut Vec<Term>),
    ) -> Result<(), Error> {
        let blocks: Vec<(usize, Vec<Term>)> = tile_ranges(indices.len(), BLOCK)
            .into_iter()
            .map(|range| {
                let (start, mut terms) = (range.start, Vec::new());
                range.for_each(|b| expand(b, indices[b], &mut terms));
                terms.sort_by_key(|term| term.cluster);
                (start, terms)
            })
            .collect();
        if let Some(stored) = columns.stored(indices) {
            add_blocks(self.values.as_mut(), &stored, 0, &blocks);
            return Ok(());
        }
        for (block, indices) in blocks.chunks(1).zip(indices.chunks(BLOCK)) {
            columns.for_each_piece(indices, |piece, slices| {
                let first = block[0].0 + piece.start;
                let here = |term: &&Term| (first..first + piece.len()).contains(&term.column);
                let terms = block[0].1.iter().filter(here).copied().collect();
                add_blocks(self.values.as_mut(), slices, first, &[(first, terms)]);
            })?;
        }
        Ok(())
    }
}

/// Hard clusters, with their masses and the norms of their centres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Partition {
    /// The cluster of each point.
    pub(super) labels: Vec<u32>,
    /// `W_c`, the sum of weights.
    pub(super) masses: Vec<f64>,
    /// ‖μ_c‖² = `T_c/W_c²`; 0 for an empty cluster.
    pub(super) norms: Vec<f64>,
}

impl Partition {
    /// The partition with these labels, given its sums, and Σ_c `T_c/W_c`, by which it reduces the
    /// trace.
    pub(super) fn new(labels: Vec<u32>, weights: &[f64], sums: &Sums) -> (Self, f64) {
        let k = sums.values.ncols();
        let (mut masses, mut totals) = (vec![0.0; k], vec![0.0; k]);
        for (i, (&label, &weight)) in labels.iter().zip(weights).enumerate() {
            if weight > 0.0 {
                masses[label as usize] += weight;
                totals[label as usize] += weight * sums.values[(i, label as usize)];
            }
        }
        let pairs = || totals.iter().zip(&masses).filter(|&(_, &mass)| mass > 0.0);
        let explained = pairs().map(|(total, mass)| total / mass).sum();
        let norm = |(&total, &mass): (&f64, &f64)| {
            if mass > 0.0 { total / mass / mass } else { 0.0 }
        };
        let norms = totals.iter().zip(&masses).map(norm).collect();
        (Self { labels, masses, norms }, explained)
    }

    /// The nearest centre of each point, the first in a tie, and d² − `K_ii` for it.
    pub(super) fn nearest(&self, sums: &Sums) -> (Vec<u32>, Vec<f64>) {
        let tasks = tile_ranges(sums.values.nrows(), STRIPE);
        let arch = kern_core::instruction_set();
        let found = parallel::map_init(
            tasks,
            || (),
            |(), rows| {
                let sums = sums.values.as_ref().subrows(rows.start, rows.len());
                arch.dispatch(Nearest { partition: self, sums })
            },
        );
        let (labels, values): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (labels.concat(), values.concat())
    }

    /// The centres: each is a weighted mean of the points of its cluster.
    pub(super) fn centres<P: Points, K: Kernel<P>>(
        self,
        kernel: K,
        points: &P,
        weights: &[f64],
    ) -> Result<Centred<P, K>, Error> {
        let Self { labels, masses, norms } = self;
        let labels: Vec<usize> = labels.into_iter().map(|label| label as usize).collect();
        let support: Vec<usize> = (0..labels.len()).filter(|&i| weights[i] > 0.0).collect();
        let mut averages: Mat<P::Scalar> = zeros(support.len(), masses.len())?;
        for (row, &i) in support.iter().enumerate() {
            let c = labels[i];
            averages[(row, c)] = P::Scalar::from_f64(weights[i] / masses[c]);
        }
        let decision = KernelExpansion::of_support(kernel, points, &support, averages)?;
        Ok((Centres { decision, masses, norms }, labels))
    }
}

/// Centres, and the cluster of each point.
type Centred<P, K> = (Centres<KernelExpansion<P, K>>, Vec<usize>);

/// The nearest centres for one stripe, compiled once per instruction set.
struct Nearest<'a> {
    partition: &'a Partition,
    sums: MatRef<'a, f64>,
}

impl pulp::WithSimd for Nearest<'_> {
    type Output = (Vec<u32>, Vec<f64>);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        let n = self.sums.nrows();
        let (mut labels, mut smallest) = (vec![0; n], vec![f64::INFINITY; n]);
        let clusters = self.partition.masses.iter().zip(&self.partition.norms);
        for ((c, (&mass, &norm)), column) in (0..).zip(clusters).zip(self.sums.col_iter()) {
            let Some(column) = column.try_as_col_major() else { continue };
            if mass <= 0.0 {
                continue;
            }
            let factor = -2.0 / mass;
            let places = labels.iter_mut().zip(&mut smallest);
            for ((label, smallest), &sum) in places.zip(column.as_slice()) {
                let value = norm + factor * sum;
                let nearer = value < *smallest;
                *label = if nearer { c } else { *label };
                *smallest = if nearer { value } else { *smallest };
            }
        }
        (labels, smallest)
    }
}

/// Adds column `column` of a block, times `weight`, to the sums of a cluster.
#[derive(Clone, Copy, Debug)]
struct Term {
    column: usize,
    cluster: usize,
    weight: f64,
}

/// Adds the columns to every stripe of the sums, in the order of the terms.
fn add_blocks<T: Scalar>(
    sums: MatMut<'_, f64>,
    columns: &[&[T]],
    first: usize,
    blocks: &[(usize, Vec<Term>)],
) {
    let cuts = tile_ranges(sums.nrows(), STRIPE);
    let tasks: Vec<_> = split_rows(sums, &cuts).into_iter().zip(cuts).collect();
    let arch = kern_core::instruction_set();
    parallel::for_each_init(
        tasks,
        || (),
        |(), (sums, rows)| {
            arch.dispatch(Stripe { sums, columns, first, start: rows.start, blocks });
        },
    );
}

/// The update of one stripe, compiled once per instruction set.
struct Stripe<'a, T: Scalar> {
    sums: MatMut<'a, f64>,
    columns: &'a [&'a [T]],
    first: usize,
    start: usize,
    blocks: &'a [(usize, Vec<Term>)],
}

impl<T: Scalar> pulp::WithSimd for Stripe<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        for (_, terms) in self.blocks {
            for group in terms.chunk_by(|a, b| a.cluster == b.cluster) {
                let column = self.sums.as_mut().col_mut(group[0].cluster);
                let Some(sums) = column.try_as_col_major_mut() else { continue };
                let sums = sums.as_slice_mut();
                let rows = self.start..self.start + sums.len();
                let piece = |term: &Term| &self.columns[term.column - self.first][rows.clone()];
                let (fours, rest) = group.as_chunks::<4>();
                for four in fours {
                    add_four(sums, four.map(|term| term.weight), four.each_ref().map(piece));
                }
                for term in rest {
                    add_one(sums, term.weight, piece(term));
                }
            }
        }
    }
}

/// The same bits as four times [`add_one`].
#[inline(always)]
fn add_four<T: Scalar>(sums: &mut [f64], w: [f64; 4], x: [&[T]; 4]) {
    let n = sums.len();
    let [a, b, c, d] = x.map(|x| &x[..n]);
    for i in 0..n {
        let sum = sums[i] + w[0] * a[i].to_f64() + w[1] * b[i].to_f64();
        sums[i] = sum + w[2] * c[i].to_f64() + w[3] * d[i].to_f64();
    }
}

#[inline(always)]
fn add_one<T: Scalar>(sums: &mut [f64], w: f64, x: &[T]) {
    for (sum, x) in sums.iter_mut().zip(x) {
        *sum += w * x.to_f64();
    }
}
