//! Spectral mixture kernels: formulas whose spectrum is a mixture of Gaussians.

use super::kernel_spec::{KernelSpec, Node};
use super::registry::Known;
use crate::kernels::{ArdRbf, Wave};
use crate::parameters::Setting;
use crate::{Error, NonNegative};
use std::f64::consts::PI;

/// A component of a [spectral mixture](KernelSpec::spectral_mixture).
#[derive(Clone, Debug, PartialEq)]
pub struct SpectralComponent {
    /// The weight w ≥ 0, the component's variance.
    pub weight: f64,
    /// The mean frequency μ_j ≥ 0 of each feature, in cycles per unit.
    pub frequency: Vec<f64>,
    /// The variance v_j ≥ 0 of the frequency of each feature, in cycles per unit, squared.
    pub variance: Vec<f64>,
}

impl KernelSpec {
    /// The spectral mixture kernel K(x, y) = Σ_q w_q ∏ⱼ exp(−2π²v_qj·δ_j²)·cos(2πμ_qj·δ_j), δ = x −
    /// y, as a formula of [`ArdRbf`] and [`Wave`] kernels with learnable parameters.
    ///
    /// Its spectrum is a mixture of Gaussians centred at ±μ_q; with enough components it
    /// approximates any stationary kernel.
    ///
    /// # Errors
    /// [`Error::Dimension`] if there are no components, no features, or components of different
    /// dimensions; [`Error::Parameter`] unless all values are finite and ≥ 0.
    ///
    /// # References
    /// Wilson & Adams (2013), *Gaussian Process Kernels for Pattern Discovery and Extrapolation*,
    /// equation 12.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Kernel, KernelSpec, Samples, SpectralComponent};
    /// let slow = SpectralComponent { weight: 0.5, frequency: vec![0.0], variance: vec![0.01] };
    /// let week = SpectralComponent { weight: 2.0, frequency: vec![1.0 / 7.0], variance: vec![0.0] };
    /// let spec = KernelSpec::spectral_mixture(&[slow, week])?;
    /// assert!(spec.is_mercer() && spec.spectrum().is_ok());
    /// let kernel = spec.build_mercer::<Samples<f64>>()?;
    /// let pi = std::f64::consts::PI;
    /// let expected = 0.5 * (-2.0 * pi * pi * 0.01 * 9.0).exp() + 2.0 * (6.0 * pi / 7.0).cos();
    /// assert!((kernel.eval(&[1.0], &[4.0]) - expected).abs() < 1e-14);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn spectral_mixture(components: &[SpectralComponent]) -> Result<Self, Error> {
        let Some(first) = components.first() else {
            return Err(Error::Dimension {
                what: "components of a mixture",
                expected: 1,
                given: 0,
            });
        };
        let dim = first.frequency.len();
        let nodes = components.iter().map(|component| component.node(dim));
        Ok(Self { node: Node::sum(nodes.collect::<Result<_, _>>()?) })
    }
}

impl SpectralComponent {
    fn node(&self, dim: usize) -> Result<Node, Error> {
        for given in [self.frequency.len(), self.variance.len()] {
            if given != dim {
                return Err(Error::Dimension {
                    what: "features of a mixture",
                    expected: dim,
                    given,
                });
            }
        }
        for &variance in &self.variance {
            NonNegative::new("variance", variance)?;
        }
        let gamma: Vec<f64> = self.variance.iter().map(|v| 2.0 * PI * PI * v).collect();
        // Invalid values are reported as errors of the kernels' constructors.
        ArdRbf::new(&gamma)?;
        Wave::new(&self.frequency)?;
        let base = |name, values: Vec<f64>| -> Result<Node, Error> {
            Ok(Node::Base(Known::find(name)?, vec![Setting::List(values)]))
        };
        let parts = vec![base("ard_rbf", gamma)?, base("wave", self.frequency.clone())?];
        Node::product(Some(self.weight), parts)
    }
}
