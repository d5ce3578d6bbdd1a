//! The gradient of all variables learns of changed coefficients.

use kern_core::Scalar;
use kern_gram::{parallel, tile_ranges};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Rows of a stripe of the gradient: it stays in the first-level cache while columns are added to it.
const STRIPE: usize = 2048;

/// gradient += columns·weights, each row in the order of the columns.
pub(super) fn add<T: Scalar>(
    gradient: &mut [f64],
    segments: &[Range<usize>],
    columns: &[&[T]],
    weights: &[f64],
) {
    let mut tasks = Vec::new();
    let mut rest = gradient;
    for segment in segments {
        for part in tile_ranges(segment.len(), STRIPE) {
            let (stripe, after) = rest.split_at_mut(part.len());
            rest = after;
            tasks.push((stripe, segment.start + part.start));
        }
    }
    parallel::for_each_init(
        tasks,
        || (),
        |(), (stripe, start)| {
            kern_core::instruction_set().dispatch(Add { stripe, start, columns, weights });
        },
    );
}

struct Add<'a, T> {
    stripe: &'a mut [f64],
    start: usize,
    columns: &'a [&'a [T]],
    weights: &'a [f64],
}

impl<T: Scalar> WithSimd for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { stripe, start, columns, weights } = self;
        let end = start + stripe.len();
        let piece = |b: usize| &columns[b][start..end];
        let fours = columns.len() / 4 * 4;
        for b in (0..fours).step_by(4) {
            let [k0, k1, k2, k3] = [piece(b), piece(b + 1), piece(b + 2), piece(b + 3)];
            let w = [weights[b], weights[b + 1], weights[b + 2], weights[b + 3]];
            let values = k0.iter().zip(k1).zip(k2.iter().zip(k3));
            for (g, ((k0, k1), (k2, k3))) in stripe.iter_mut().zip(values) {
                let low = w[1].mul_add(k1.to_f64(), w[0].mul_add(k0.to_f64(), *g));
                *g = w[3].mul_add(k3.to_f64(), w[2].mul_add(k2.to_f64(), low));
            }
        }
        for (b, weight) in weights.iter().enumerate().skip(fours) {
            for (g, k) in stripe.iter_mut().zip(piece(b)) {
                *g = weight.mul_add(k.to_f64(), *g);
            }
        }
    }
}
