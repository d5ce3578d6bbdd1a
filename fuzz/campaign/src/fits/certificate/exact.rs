//! Kernel values in twice the digits, and the rounding of those in the precision of the points.

use qd::Quad;

/// A kernel whose values are known to twice the digits of double precision.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exact {
    Linear,
    Polynomial { degree: u32, gamma: f64, coef0: f64 },
    Rbf { gamma: f64 },
}

/// A kernel value, and a bound on the error of the one that is computed in numbers of unit roundoff u.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) exact: Quad,
    pub(super) error: f64,
}

/// A number as it is.
pub(super) fn quad(number: f64) -> Quad {
    Quad::from(number)
}

impl Exact {
    /// −½‖φ(x) − φ(y)‖², which stands in the place of a value in expansions of distances. What is computed comes from the differences of
    /// points, and has 32(d + 8)u of it for each degree.
    pub(super) fn apart(self, x: &[f64], y: &[f64], u: f64) -> Value {
        let [xx, xy, yy] = [(x, x), (x, y), (y, y)].map(|(x, y)| self.value(x, y, u).exact);
        let exact = xy - quad(0.5) * (xx + yy);
        let degree =
            if let Self::Polynomial { degree, .. } = self { f64::from(degree) } else { 1.0 };
        Value { exact, error: 32.0 * degree * (x.len() as f64 + 8.0) * u * exact.0.abs() }
    }

    /// The value for two points.
    ///
    /// To first order in u, with a factor of 2 for the other orders, an inner product in d dimensions has an error of
    /// (d + 2)u·Σ|xₖyₖ|; a power of degree p of a base b with the error e has p·|b|^(p−1)·e + p·u·|b|^p, where |b| is taken
    /// of absolute values; a squared distance s, from differences (or, in many dimensions, from a product that a guard
    /// admits), has 16(d + 8)u·s, and exp(−γs) that times γs, and 4u of the exponential and the product. A value below
    /// the least normal number may be 0.
    pub(super) fn value(self, x: &[f64], y: &[f64], u: f64) -> Value {
        let d = x.len() as f64;
        let tiny = if u < f64::EPSILON { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
        match self {
            Self::Linear => {
                let (exact, absolute) = dot(x, y);
                Value { exact, error: 2.0 * (d + 2.0) * u * absolute + tiny }
            }
            Self::Polynomial { degree, gamma, coef0 } => {
                let (exact, absolute) = dot(x, y);
                let base = quad(gamma) * exact + quad(coef0);
                let most = (gamma * absolute + coef0).powf(f64::from(degree));
                let error = 2.0 * f64::from(degree) * (d + 6.0) * u * most + 4.0 * u * most + tiny;
                Value { exact: power(base, degree), error }
            }
            Self::Rbf { gamma } => {
                let differences = x.iter().zip(y).map(|(x, y)| quad(*x) - quad(*y));
                let squared = differences.fold(quad(0.0), |sum, diff| sum + diff * diff);
                let scaled = quad(gamma) * squared;
                let exact = (-scaled).exp();
                let relative = 32.0 * (d + 8.0) * scaled.0 + 8.0;
                Value { exact, error: u * relative * exact.0 + tiny }
            }
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> (Quad, f64) {
    let products = x.iter().zip(y);
    products.fold((quad(0.0), 0.0), |(sum, absolute), (x, y)| {
        (sum + quad(*x) * quad(*y), absolute + (x * y).abs())
    })
}

/// By squaring, so that large exponents end.
fn power(base: Quad, degree: u32) -> Quad {
    let (mut result, mut square, mut left) = (quad(1.0), base, degree);
    while left > 0 {
        if left % 2 == 1 {
            result *= square;
        }
        square = square * square;
        left /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_twice_the_digits() {
        let (x, y) = ([1e8, 1.0], [1e8, 1.5]);
        let rbf = Exact::Rbf { gamma: 4.0 }.value(&x, &y, f64::EPSILON).exact;
        // exp(−1) = 0.367879441171442321595523770161460867…
        assert!((rbf.0 - 0.367_879_441_171_442_33).abs() < 1e-17);
        assert!((rbf.1 - -1.242_875_367_278_836_3e-17).abs() < 1e-30);
        let poly = Exact::Polynomial { degree: 3, gamma: 0.1, coef0: 1.0 };
        let value = poly.value(&[3.0], &[7.0], f64::EPSILON);
        assert!((value.exact.0 - 3.1_f64.powi(3)).abs() <= value.error);
        let linear = Exact::Linear.value(&[1e8, 1.0], &[1e8, -1.0], f64::EPSILON).exact;
        assert!(((linear - quad(1e16)).0 + 1.0).abs() < 1e-15);
    }
}
