//! Keys that rank points for a query: those of tiles of queries and points, what they say about
//! distances, and the scores that belong to them.

use super::rkhs_distance::{AnyKernel, Nearness, Neighbor, Norms};
use crate::Error;
use kern_core::faer::MatMut;
use kern_core::{Binding, Order, Points, Scalar, Scratch, tolerance};
use std::cmp::Ordering;
use std::ops::Range;

/// Digits of a key, in bits, that a translated threshold need not have: 2⁻⁸ of it is left, and the points in
/// between are measured.
const UNSETTLED: u64 = 1 << 44;

/// A point that may be a neighbour. The order is from near to far.
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

/// A kernel between two collections, ready to compare their points.
pub(super) struct Pairs<'a, P: Points> {
    kernel: &'a AnyKernel<'a, P>,
    queries: &'a P,
    norms: &'a Norms<P::Scalar>,
    source: Source<'a, P>,
    /// True if the rows of its tiles are the points, not the queries.
    is_mirrored: bool,
    /// The number of the first query in errors.
    first: usize,
}

/// The source of tiles of keys, before hᵢ is subtracted.
enum Source<'a, P: Points> {
    Values(Binding<'a, AnyKernel<'a, P>, P>),
    Order(Box<dyn Order<P::Scalar> + 'a>),
}

impl<'a, P: Points> Source<'a, P> {
    fn new(kernel: &'a AnyKernel<'a, P>, a: &'a P, b: &'a P, norms: &Norms<P::Scalar>) -> Self {
        let order = norms.are_equal().then(|| kernel.order(a, b)).flatten();
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

    /// The same, to compare one query at a time ([`Pairs::compare`]). The tile engine holds rows in registers, 64 at a time in
    /// single precision, so the points are the rows then: a row of one query would take as long as 64. Kernels
    /// are symmetric; where entries are not local, tiles keep their form all the same.
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

    /// The same, of queries that are part of a collection and begin at this one.
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

    /// Keys of some points before hᵢ is subtracted, compared with one query.
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

    /// Tells whether something is known of each point, so that an entry alone is had for less than a copy of the point.
    pub(super) fn is_bound(&self) -> bool {
        matches!(&self.source, Source::Values(binding) if binding.is_bound())
    }

    /// Tells whether keys are those of the kernel's order, in the place of its values.
    pub(super) fn is_order(&self) -> bool {
        matches!(&self.source, Source::Order(_))
    }

    /// The key of point `index`, of which `value` is an entry of a block.
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

    /// Tells whether distances are those of a metric other than the feature space's.
    pub(super) fn has_metric(&self) -> bool {
        match &self.source {
            Source::Values(_) => false,
            Source::Order(order) => order.metric(P::Scalar::ZERO).is_some(),
        }
    }

    /// Bounds of the distance of every point with this key from a query with K(x, x) = `own`: by the kernel's metric if it
    /// has one, in the feature space else.
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

    /// No point of a lesser key is within the threshold of the query. Not +∞.
    pub(super) fn least_key(
        &self,
        query: usize,
        threshold: f64,
        nearness: Nearness,
        scratch: &mut Scratch<P::Scalar>,
    ) -> P::Scalar {
        let own = self.own(query);
        let value = match nearness {
            Nearness::Similarity => threshold,
            // All points are found, and the first of them says so.
            Nearness::Distance if !own.is_finite() => {
                return P::Scalar::from_f64(f64::NEG_INFINITY);
            }
            Nearness::Distance => self.norms.least_key(own, threshold),
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
        // A search relies on it that nothing infinite stays below a limit.
        P::Scalar::from_f64((key - rounded).min(greatest::<P::Scalar>()))
    }

    /// Keys to kernel values.
    fn values(&self, keys: &mut [P::Scalar], scratch: &mut Scratch<P::Scalar>) {
        if let Source::Order(order) = &self.source {
            order.values(keys, scratch);
        }
    }

    /// Keys to scores.
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
            // Near distance 0 rounding of the kernel turns what its order tells apart.
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

/// A key of which the value, and so that of every lesser key, is less than `least`, but hardly: by bisection of the
/// bits of −key, the order of which is that of the numbers. −∞ if there is none.
fn key_of<T: Scalar>(order: &dyn Order<T>, least: f64, scratch: &mut Scratch<T>) -> f64 {
    let mut is_less = |bits: u64| {
        let mut value = [T::from_f64(-f64::from_bits(bits))];
        order.values(&mut value, scratch);
        // NaN, where a profile overflows, is of the far end.
        value[0].to_f64().is_nan() || value[0].to_f64() < least
    };
    let (mut near, mut far) = (0, greatest::<T>().to_bits());
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

/// The greatest finite number of a type.
fn greatest<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f32>() { f32::MAX.into() } else { f64::MAX }
}

pub(super) fn not_finite(row: usize, col: usize, given: f64) -> Error {
    kern_gram::Error::NotFinite { row, col, given }.into()
}
