//! The cost of features per point, in multiplications of a matrix product.
//!
//! Only quotients matter. They were measured on one thread of a Zen 5 processor
//! (`cargo bench -p kern-benches --bench features`): a multiplication of the dense product takes 0.02 ns,
//! a cosine 0.2 ns, a step of the structured transform 0.1 ns per number.

use super::Kind;
use crate::{FourierForm, Structure};

/// Of a cosine or an exponential.
const ELEMENTARY: f64 = 10.0;
/// Of a step of a fast transform.
const ADDITION: f64 = 5.0;

/// The cost of `dim` features of a point of dimension `input_dim`. `degree` is that of a polynomial.
pub(super) fn cost(kind: Kind, input_dim: usize, dim: usize, degree: u32) -> f64 {
    let (d, features, p) = (input_dim as f64, dim as f64, f64::from(degree));
    match kind {
        Kind::Fourier { form: FourierForm::Paired, .. } => features * (0.5 * d + ELEMENTARY),
        Kind::Fourier { form: FourierForm::Phase, .. } => features * (d + ELEMENTARY),
        Kind::Structured(structure) => {
            let transforms = if structure == Structure::Orthogonal { 3.0 } else { 2.0 };
            let steps = transforms * (d.max(64.0)).log2().ceil();
            features * (0.5 * ADDITION * steps + ELEMENTARY)
        }
        // Differences and their squares, a profile, and the projection.
        Kind::Nystrom => features * (2.0 * d + ELEMENTARY + features),
        Kind::Monomials => 2.0 * features,
        Kind::TensorSketch => p * d + (p + 1.0) * ADDITION * features * features.log2().max(1.0),
        Kind::Maclaurin => features * p * d,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, cost};
    use crate::{FourierForm, Sampling, Structure};

    /// As the measured times do, the costs cross between d = 64 and 128.
    #[test]
    fn structured_frequencies_are_cheaper_from_128_dimensions_on() {
        let dense = Kind::Fourier { form: FourierForm::Paired, sampling: Sampling::Orthogonal };
        for structure in [Structure::Orthogonal, Structure::Fastfood] {
            let structured = |d| cost(Kind::Structured(structure), d, 1000, 0);
            assert!(structured(128) < cost(dense, 128, 1000, 0));
        }
        assert!(
            cost(Kind::Structured(Structure::Orthogonal), 64, 1000, 0) > cost(dense, 64, 1000, 0)
        );
    }
}
