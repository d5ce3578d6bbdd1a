//! Legendre polynomials: quadrature, interpolation, evaluation and integrals.

use std::f64::consts::PI;

/// The number of nodes of a piece, and of coefficients of its polynomial.
pub(super) const N: usize = 16;

/// P₀(t), …, P_N(t).
fn polynomials(t: f64) -> [f64; N + 1] {
    let mut p = [1.0; N + 1];
    p[1] = t;
    for n in 1..N {
        let k = n as f64;
        p[n + 1] = ((2.0 * k + 1.0) * t * p[n] - k * p[n - 1]) / (k + 1.0);
    }
    p
}

/// Gauss–Legendre quadrature with N nodes in (−1, 1).
pub(super) struct Rule {
    pub(super) nodes: [f64; N],
    /// The weights, which sum to 2.
    pub(super) weights: [f64; N],
    /// (n + ½)·w_i·P_n(t_i): maps values at the nodes to coefficients.
    projection: [[f64; N]; N],
}

impl Rule {
    /// Finds the roots of P_N by Newton's method from Tricomi's approximation.
    pub(super) fn new() -> Self {
        let (mut nodes, mut weights) = ([0.0; N], [0.0; N]);
        for (i, (node, weight)) in nodes.iter_mut().zip(&mut weights).enumerate() {
            let mut t = -(PI * (i as f64 + 0.75) / (N as f64 + 0.5)).cos();
            let mut derivative = 1.0;
            for _ in 0..8 {
                let p = polynomials(t);
                derivative = N as f64 * (p[N - 1] - t * p[N]) / (1.0 - t * t);
                t -= p[N] / derivative;
            }
            (*node, *weight) = (t, 2.0 / ((1.0 - t * t) * derivative * derivative));
        }
        let mut projection = [[0.0; N]; N];
        for i in 0..N {
            let p = polynomials(nodes[i]);
            for (n, row) in projection.iter_mut().enumerate() {
                row[i] = (n as f64 + 0.5) * weights[i] * p[n];
            }
        }
        Self { nodes, weights, projection }
    }

    /// The coefficients of the polynomial with these values at the nodes.
    pub(super) fn coefficients(&self, values: &[f64; N]) -> [f64; N] {
        self.projection.map(|row| row.iter().zip(values).map(|(p, v)| p * v).sum())
    }
}

/// Σ a_n·P_n(t), by Clenshaw's recurrence.
pub(super) fn evaluate(coefficients: &[f64; N], t: f64) -> f64 {
    let (mut here, mut above) = (0.0, 0.0);
    for (n, a) in coefficients.iter().enumerate().skip(1).rev() {
        let k = n as f64;
        let below = a + (2.0 * k + 1.0) / (k + 1.0) * t * here - (k + 1.0) / (k + 2.0) * above;
        (here, above) = (below, here);
    }
    coefficients[0] + t * here - 0.5 * above
}

/// ∫₋₁ᵗ Σ a_n·P_n: that of P_n is (P_{n+1}(t) − P_{n−1}(t))/(2n + 1), and t + 1 for n = 0.
pub(super) fn integral(coefficients: &[f64; N], t: f64) -> f64 {
    let p = polynomials(t);
    let term = |(n, a): (usize, &f64)| match n {
        0 => a * (t + 1.0),
        n => a * (p[n + 1] - p[n - 1]) / (2 * n + 1) as f64,
    };
    coefficients.iter().enumerate().map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::{N, Rule, evaluate, integral};

    /// All four uses are exact for polynomials up to their degrees.
    #[test]
    fn powers_are_exact() {
        let rule = Rule::new();
        for k in 0..N as i32 {
            let values = rule.nodes.map(|t| t.powi(k));
            let coefficients = rule.coefficients(&values);
            for t in [-1.0, -0.3, 0.0, 0.77, 1.0_f64] {
                assert!((evaluate(&coefficients, t) - t.powi(k)).abs() < 1e-14, "{k}, {t}");
                let exact = (t.powi(k + 1) - (-1.0_f64).powi(k + 1)) / f64::from(k + 1);
                assert!((integral(&coefficients, t) - exact).abs() < 1e-14, "{k}, {t}");
            }
        }
        // The rule itself is exact up to degree 2N − 1.
        let k = 2 * N as i32 - 2;
        let sum: f64 = rule.nodes.iter().zip(rule.weights).map(|(t, w)| w * t.powi(k)).sum();
        assert!((sum - 2.0 / f64::from(k + 1)).abs() < 1e-15);
    }
}
