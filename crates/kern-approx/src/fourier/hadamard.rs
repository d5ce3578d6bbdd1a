//! The fast Walsh–Hadamard transform.

use pulp::{Simd, WithSimd};

/// Values of a row: one register of the widest kind.
const LANES: usize = 8;

type Row = [f64; LANES];

/// The smallest length of [`transform`].
pub(super) const SMALLEST: usize = 4 * LANES;

/// x ← H·diag(e)·x, H = \[1, 1; 1, −1\] ⊗ … ⊗ \[1, 1; 1, −1\], for a length that is a power of two and
/// at least [`SMALLEST`]; p·log₂ p additions.
pub(super) fn transform(x: &mut [f64], e: &[f64]) {
    debug_assert!(x.len().is_power_of_two() && x.len() >= SMALLEST && x.len() == e.len());
    kern_core::instruction_set().dispatch(Transform { x: x.as_chunks_mut().0, e: e.as_chunks().0 });
}

struct Transform<'a> {
    x: &'a mut [Row],
    e: &'a [Row],
}

impl WithSimd for Transform<'_> {
    type Output = ();

    /// Steps between rows are done in pairs, which halves the memory traffic; if their number is
    /// odd, the first one is done alone. The first step also multiplies by the diagonal, the last
    /// one includes the steps within rows.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { x, e } = self;
        let mut span = x.len();
        if x.len().ilog2() % 2 == 1 {
            span /= 2;
            let ((a, b), (e, f)) = (x.split_at_mut(span), e.split_at(span));
            for ((a, b), (e, f)) in a.iter_mut().zip(b).zip(e.iter().zip(f)) {
                let (s, t) = (product(*a, *e), product(*b, *f));
                (*a, *b) = (sum(s, t), difference(s, t));
            }
        } else {
            x.iter_mut().zip(e).for_each(|(x, e)| *x = product(*x, *e));
        }
        while span > 4 {
            for x in x.chunks_exact_mut(span) {
                for [a, b, c, d] in rows_mut(x, span / 4) {
                    [*a, *b, *c, *d] = four([*a, *b, *c, *d]);
                }
            }
            span /= 4;
        }
        for x in x.as_chunks_mut().0 {
            *x = four(*x).map(|x| step::<1>(step::<2>(step::<4>(x))));
        }
    }
}

/// One step within a row: the sum or difference with the partner at distance H.
#[inline(always)]
fn step<const H: usize>(x: Row) -> Row {
    std::array::from_fn(|i| x[i ^ H] + if i & H == 0 { x[i] } else { -x[i] })
}

/// The rows at the same position of four quarters.
#[inline(always)]
fn rows_mut(x: &mut [Row], quarter: usize) -> impl Iterator<Item = [&mut Row; 4]> {
    let (low, high) = x.split_at_mut(2 * quarter);
    let ((a, b), (c, d)) = (low.split_at_mut(quarter), high.split_at_mut(quarter));
    a.iter_mut().zip(b).zip(c).zip(d).map(|(((a, b), c), d)| [a, b, c, d])
}

/// The transform of four rows.
#[inline(always)]
fn four([a, b, c, d]: [Row; 4]) -> [Row; 4] {
    let (s, t, u, v) = (sum(a, c), sum(b, d), difference(a, c), difference(b, d));
    [sum(s, t), difference(s, t), sum(u, v), difference(u, v)]
}

#[inline(always)]
fn sum(mut a: Row, b: Row) -> Row {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

#[inline(always)]
fn difference(mut a: Row, b: Row) -> Row {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= b;
    }
    a
}

#[inline(always)]
fn product(mut a: Row, b: Row) -> Row {
    for (a, b) in a.iter_mut().zip(b) {
        *a *= b;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::transform;

    /// H_ij = (−1)^(number of common bits of i and j).
    #[test]
    fn it_is_the_product_with_the_matrix_of_signs() {
        for length in [32_usize, 64, 128, 256, 512, 1024] {
            let x: Vec<f64> = (0..length).map(|i| (i * i % 37) as f64 - 11.0).collect();
            let e: Vec<f64> = (0..length).map(|i| (i % 5) as f64 - 1.0).collect();
            let mut fast = x.clone();
            transform(&mut fast, &e);
            let row = |i: usize| {
                let sign =
                    |j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                (0..length).map(|j| sign(j) * e[j] * x[j]).sum::<f64>()
            };
            // Sums of integers: exact.
            assert_eq!(fast, (0..length).map(row).collect::<Vec<_>>());
        }
    }
}
