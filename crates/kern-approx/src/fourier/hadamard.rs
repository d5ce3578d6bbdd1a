//! The fast Walsh–Hadamard transform.

use pulp::{Arch, Simd, WithSimd};

/// Numbers of the last three steps, which are done at once.
const LAST: usize = 8;

/// The least length of [`transform`].
pub(super) const LEAST: usize = LAST;

/// x ← Hx, H = \[1, 1; 1, −1\] ⊗ … ⊗ \[1, 1; 1, −1\], for a length that is a power of two and at
/// least [`LEAST`]; p·log₂ p additions.
pub(super) fn transform(x: &mut [f64]) {
    debug_assert!(x.len().is_power_of_two() && x.len() >= LEAST);
    Arch::new().dispatch(Transform { x });
}

struct Transform<'a> {
    x: &'a mut [f64],
}

impl WithSimd for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut half = self.x.len() / 2;
        while half >= LAST {
            for pair in self.x.chunks_exact_mut(2 * half) {
                let (a, b) = pair.split_at_mut(half);
                for (a, b) in a.iter_mut().zip(b) {
                    (*a, *b) = (*a + *b, *a - *b);
                }
            }
            half /= 2;
        }
        for x in self.x.as_chunks_mut::<LAST>().0 {
            *x = eight(*x);
        }
    }
}

/// The transform of eight numbers.
#[inline(always)]
fn eight(x: [f64; LAST]) -> [f64; LAST] {
    let [a, b, c, d, e, f, g, h] = x;
    let [a, b, c, d, e, f, g, h] = [a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h];
    let [a, b, c, d, e, f, g, h] = [a + c, b + d, a - c, b - d, e + g, f + h, e - g, f - h];
    [a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h]
}

#[cfg(test)]
mod tests {
    use super::transform;

    /// H_ij = (−1)^(number of common bits of i and j).
    #[test]
    fn it_is_the_product_with_the_matrix_of_signs() {
        for length in [8_usize, 16, 64, 512] {
            let x: Vec<f64> = (0..length).map(|i| (i * i % 37) as f64 - 11.0).collect();
            let mut fast = x.clone();
            transform(&mut fast);
            let row = |i: usize| {
                let sign =
                    |j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                x.iter().enumerate().map(|(j, x)| sign(j) * x).sum::<f64>()
            };
            // Sums of integers: exact.
            assert_eq!(fast, (0..length).map(row).collect::<Vec<_>>());
        }
    }
}
