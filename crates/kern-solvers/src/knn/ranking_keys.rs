//! Keys that rank the points for a query: the keys of tiles of queries and points, the distances
//! that follow from them, and the scores that belong to them.

use super::rkhs_distance::{AnyKernel, Nearness, Neighbor, Norms};
use crate::Error;
use kern_core::faer::MatMut;
use kern_core::{Binding, Order, Points, Scalar, Scratch, tolerance};
use std::cmp::Ordering;
use std::ops::Range;

/// The precision to which a threshold is converted to a key, in units of the last bit: 2⁻⁸ relative
/// to the key. Points in between are checked.
const UNSETTLED: u64 = 1 << 44;

/// A possible neighbour. Candidates are ordered from near to far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<T> {
    pub(super) key: T,
    pub(super) index: usize,
}

impl<T: Scalar> Ord for Candidate<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Keys are finite, so any two can be compared.
        let keys = other.key.partial_cmp(&self.key).unwrap_or(Ordering::Equal);
        keys.then(self.index.cmp(&other.index))
    }
}

impl<T: Scalar> PartialOrd for Candidate<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Scalar> PartialEq for Candidate<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Scalar> Eq for Candidate<T> {}

/// A kernel bound to queries and points, ready to compare them.
pub(super) struct Pairs<'a, P: Points> {
    kernel: &'a AnyKernel<'a, P>,
    queries: &'a P,
    norms: &'a Norms<P::Scalar>,
    source: Source<'a, P>,
    /// True if the rows of its tiles are the points, not the queries.
    is_mirrored: bool,
    /// The index of the first query, for errors.
    first: usize,
}

/// The source of tiles of keys, before hᵢ is subtracted.
enum Source<'a, P: Points> {
    Values(Binding<'a, AnyKernel<'a, P>, P>),
    Order(Box<dyn Order<P::Scalar> + 'a>),
}

impl<'a, P: Points> Source<'a, P> {
    fn new(kernel: &'a AnyKernel<'a, P>, a: &'a P, b: &'a P, norms: &Norms<P::Scalar>) -> Self {
        let order = norms.are_equal().then(|| kernel.search_order()?.order(a, b)).flatten();
        order.map_or_else(|| Self::Values(Binding::new(kernel, a, b)), Self::Order)
    }
}

impl<'a, P: Points> Pairs<'a, P> {
    pub(super) fn new(
        kernel: &'a AnyKernel<'a, P>,
        queries: &'a P,
        points: &'a P,
        norms: &'a Norms<P::Scalar>,
    ) -> Self {
        let source = Source::new(kernel, queries, points, norms);
        Self { kernel, queries, norms, source, is_mirrored: false, first: 0 }
    }

    /// Pairs for comparing one query at a time ([`Pairs::compare`]). The tile engine holds rows in
    /// registers, 64 at a time in single precision, so here the points are the rows: a row of one
    /// query would take as long as 64. Kernels are symmetric; where entries are not local, the
    /// queries stay the rows.
    pub(super) fn one_by_one(
        kernel: &'a AnyKernel<'a, P>,
        queries: &'a P,
        points: &'a P,
        norms: &'a Norms<P::Scalar>,
    ) -> Self {
        let is_mirrored = points.entries_are_local();
        let (rows, cols) = if is_mirrored { (points, queries) } else { (queries, points) };
        let source = Source::new(kernel, rows, cols, norms);
        Self { kernel, queries, norms, source, is_mirrored, first: 0 }
    }

    /// The same pairs for queries that are a part of a collection, which begins at this index.
    pub(super) fn from(self, first: usize) -> Self {
        Self { first, ..self }
    }

    /// Keys before hᵢ is subtracted: a column per point, or per query if compared one by one.
    pub(super) fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: &mut [P::Scalar],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let out = MatMut::from_column_major_slice_mut(out, rows.len(), cols.len());
        match &self.source {
            Source::Values(binding) => binding.block(rows, cols, out, scratch),
            Source::Order(order) => order.block(rows, cols, out, scratch),
        }
    }

    /// Keys of some points and one query, before hᵢ is subtracted.
    pub(super) fn compare(
        &self,
        query: usize,
        points: Range<usize>,
        out: &mut [P::Scalar],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let query = query..query + 1;
        match self.is_mirrored {
            true => self.block(points, query, out, scratch),
            false => self.block(query, points, out, scratch),
        }
    }

    /// True if the kernel has precomputed something for each point, so that a single entry costs
    /// less than a copy of the point.
    pub(super) fn is_bound(&self) -> bool {
        matches!(&self.source, Source::Values(binding) if binding.is_bound())
    }

    /// True if keys are those of the kernel's order, instead of its values.
    pub(super) fn is_order(&self) -> bool {
        matches!(&self.source, Source::Order(_))
    }

    /// The candidate with this index, given `value`, its entry of a block; an error if its key is
    /// not finite.
    pub(super) fn candidate(
        &self,
        query: usize,
        index: usize,
        value: P::Scalar,
    ) -> Result<Candidate<P::Scalar>, Error> {
        let key = value - self.norms.penalty(index);
        match key.is_finite_number() {
            true => Ok(Candidate { key, index }),
            false => Err(not_finite(self.first + query, index, value.to_f64())),
        }
    }

    /// K(x, x) of a query.
    pub(super) fn own(&self, query: usize) -> f64 {
        self.kernel.diag(self.queries, query).to_f64()
    }

    /// True if distances are those of the kernel's own metric, instead of the RKHS distance.
    pub(super) fn has_metric(&self) -> bool {
        match &self.source {
            Source::Values(_) => false,
            Source::Order(order) => order.metric(P::Scalar::ZERO).is_some(),
        }
    }

    /// Bounds of the distance of every point with this key from a query with K(x, x) = `own`: by
    /// the kernel's own metric if it has one, otherwise in the feature space.
    pub(super) fn bounds(
        &self,
        own: f64,
        key: P::Scalar,
        scratch: &mut Scratch<P::Scalar>,
    ) -> [f64; 2] {
        if !key.is_finite_number() {
            return [0.0, f64::INFINITY];
        }
        if let Source::Order(order) = &self.source
            && let Some(bounds) = order.metric(key)
        {
            return bounds;
        }
        let mut value = [key];
        self.values(&mut value, scratch);
        self.norms.bounds(own, value[0])
    }

    /// A lower bound of the keys of all points within the threshold of the query. Never +∞.
    pub(super) fn smallest_key(
        &self,
        query: usize,
        threshold: f64,
        nearness: Nearness,
        scratch: &mut Scratch<P::Scalar>,
    ) -> P::Scalar {
        let own = self.own(query);
        let value = match nearness {
            Nearness::Similarity => threshold,
            // All points are admitted, and the first of them raises the error.
            Nearness::Distance if !own.is_finite() => {
                return P::Scalar::from_f64(f64::NEG_INFINITY);
            }
            Nearness::Distance => self.norms.smallest_key(own, threshold),
        };
        let key = match &self.source {
            // Values that are distances have an error relative to these.
            Source::Values(_) if own == 0.0 && nearness == Nearness::Distance => {
                value - tolerance::TILE_ERROR * P::Scalar::UNIT_ROUNDOFF * value.abs()
            }
            Source::Values(_) => value,
            Source::Order(order) => {
                let scale = own.abs().max(value.abs());
                let error = tolerance::TILE_ERROR * P::Scalar::UNIT_ROUNDOFF * scale;
                key_of::<P::Scalar>(order.as_ref(), value - error, scratch)
            }
        };
        let rounded = 4.0 * P::Scalar::UNIT_ROUNDOFF * key.abs() + f64::from(f32::MIN_POSITIVE);
        // The search relies on it that no infinite value stays below a limit.
        P::Scalar::from_f64((key - rounded).min(largest::<P::Scalar>()))
    }

    /// Converts keys to kernel values.
    fn values(&self, keys: &mut [P::Scalar], scratch: &mut Scratch<P::Scalar>) {
        if let Source::Order(order) = &self.source {
            order.values(keys, scratch);
        }
    }

    /// Converts keys to scores.
    pub(super) fn scored(
        &self,
        query: usize,
        found: Vec<Candidate<P::Scalar>>,
        nearness: Nearness,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Neighbor<P::Scalar>>, Error> {
        let mut scores: Vec<P::Scalar> = found.iter().map(|candidate| candidate.key).collect();
        self.values(&mut scores, scratch);
        if nearness == Nearness::Distance {
            let own = self.own(query);
            scores.iter_mut().for_each(|score| *score = self.norms.distance(own, *score));
            // Near distance 0, rounding of the kernel may reverse the order of its keys.
            for i in 1..scores.len() {
                if scores[i] < scores[i - 1] {
                    scores[i] = scores[i - 1];
                }
            }
        }
        let neighbor = |(Candidate { index, .. }, score): (Candidate<_>, P::Scalar)| match score
            .is_finite_number()
        {
            true => Ok(Neighbor { index, score }),
            false => Err(not_finite(self.first + query, index, score.to_f64())),
        };
        found.into_iter().zip(scores).map(neighbor).collect()
    }
}

/// A key whose value, and so that of every smaller key, is slightly less than `smallest`; −∞ if
/// there is none. By bisection of the bits of −key, whose order is that of the floats.
fn key_of<T: Scalar>(order: &dyn Order<T>, smallest: f64, scratch: &mut Scratch<T>) -> f64 {
    let mut is_less = |bits: u64| {
        let mut value = [T::from_f64(-f64::from_bits(bits))];
        order.values(&mut value, scratch);
        // NaN, from a profile that overflows, belongs to the far end.
        value[0].to_f64().is_nan() || value[0].to_f64() < smallest
    };
    let (mut near, mut far) = (0, largest::<T>().to_bits());
    if !is_less(far) {
        return f64::NEG_INFINITY;
    }
    while far - near > UNSETTLED {
        let middle = near.midpoint(far);
        if is_less(middle) {
            far = middle;
        } else {
            near = middle;
        }
    }
    -f64::from_bits(far)
}

/// The largest finite value of a type.
fn largest<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f32>() { f32::MAX.into() } else { f64::MAX }
}

pub(super) fn not_finite(row: usize, col: usize, given: f64) -> Error {
    kern_gram::Error::NotFinite { row, col, given }.into()
}
