//! Kernels and spectral samplers built from formulas. They are values: they can be cloned,
//! compared, printed and, as their formula, serialised.

use super::kernel_spec::{KernelSpec, Node};
use super::registry::SpecPoints;
use super::terms::{Shared, SpectralTerms, Terms};
use crate::closure::{Exp, Normalized, Power, Scaled};
use crate::gradient::Differentiable;
use crate::kernel::delegate_kernel;
use crate::parameters::{Parameter, Parameters, Rule, Setting};
use crate::{Error, Kernel, Mercer, Points, Scratch, Spectral, Tile, impl_kernel_ops};
use faer::MatRef;
use rand::Rng;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// A kernel from a formula: [`KernelSpec::build`].
///
/// It is as fast as the kernel given by the formula, and cloning does not rebuild it. Two kernels
/// are equal if their formulas are. It is serialised as its formula and rebuilt when read or when a
/// parameter is set.
///
/// As a [`Spectral`] kernel it has the spectrum of the formula; if there is none,
/// [`check_spectrum`](Spectral::check_spectrum) returns an error, and so do random Fourier
/// features.
///
/// # Examples
/// ```
/// use kern_core::{FormulaKernel, Kernel, KernelSpec, Parameters, Samples};
/// let spec: KernelSpec = "rbf(gamma=0.1) + sigmoid(gamma=1)".parse()?;
/// let mut kernel = spec.build::<Samples<f64>>()?;
/// kernel.set_parameter("1.gamma", &0.5.into())?;
/// assert_eq!(kernel.to_string(), "rbf(gamma=0.5) + sigmoid(gamma=1, coef0=0)");
/// assert_eq!(kernel.eval(&[0.0], &[0.0]), 1.0);
/// assert!(kernel.spectrum().is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
pub struct FormulaKernel<P: Points> {
    spec: KernelSpec,
    kernel: Shared<P>,
    spectrum: Option<FormulaSpectrum>,
}

/// A Mercer kernel from a formula: [`KernelSpec::build_mercer`].
///
/// Like [`FormulaKernel`], and known to be positive semi-definite.
///
/// # Examples
/// ```
/// use kern_core::{KernelSpec, MercerFormula, Samples, Spectral, contract};
/// let spec: KernelSpec = "0.5*rbf(gamma=0.1) + laplacian(gamma=2)".parse()?;
/// let kernel = spec.build_mercer::<Samples<f64>>()?;
/// assert_eq!(kernel.spectrum()?.mass(), 1.5);
/// let points = Samples::from_rows(&[[1.0, 2.0], [0.0, 1.0]])?;
/// contract::verify_mercer(&(kernel.clone() * kernel), &points)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MercerFormula<P: Points> {
    spec: KernelSpec,
    kernel: Shared<P>,
    spectrum: Option<FormulaSpectrum>,
}

impl KernelSpec {
    /// The kernel given by this formula.
    ///
    /// # Errors
    /// [`Error::OtherPoints`] if a family is defined on other points.
    ///
    /// # Complexity
    /// O(number of kernels) to build, and for each value.
    pub fn build<P: SpecPoints>(&self) -> Result<FormulaKernel<P>, Error> {
        let (spec, kernel) = (self.clone(), P::kernel(self)?);
        Ok(FormulaKernel { spec, kernel, spectrum: self.spectrum().ok() })
    }

    /// The kernel given by this formula, for solvers that require a Mercer kernel.
    ///
    /// # Errors
    /// [`Error::NotMercer`] if a part is not Mercer and not inside `assume_mercer(…)`;
    /// [`Error::OtherPoints`] if a family is defined on other points.
    pub fn build_mercer<P: SpecPoints>(&self) -> Result<MercerFormula<P>, Error> {
        self.check_mercer()?;
        let (spec, kernel) = (self.clone(), P::kernel(self)?);
        Ok(MercerFormula { spec, kernel, spectrum: self.spectrum().ok() })
    }

    /// The spectral sampler of this formula.
    ///
    /// # Errors
    /// [`Error::NoSpectrum`] with the part that has no spectrum.
    pub fn spectrum(&self) -> Result<FormulaSpectrum, Error> {
        Ok(FormulaSpectrum { spec: self.clone(), spectrum: self.node.spectrum()? })
    }
}

macro_rules! formula_kernel {
    ($kernel:ident, $build:ident) => {
        impl<P: Points> $kernel<P> {
            /// The formula.
            #[must_use]
            pub fn spec(&self) -> &KernelSpec {
                &self.spec
            }

            /// The spectral sampler, for random Fourier features.
            ///
            /// # Errors
            /// [`Error::NoSpectrum`] with the part of the formula that has no spectrum.
            pub fn spectrum(&self) -> Result<FormulaSpectrum, Error> {
                self.spectrum.clone().map_or_else(|| self.spec.spectrum(), Ok)
            }
        }

        impl<P: Points> Kernel<P> for $kernel<P> {
            delegate_kernel!(|this| this.kernel);
        }

        impl<P: SpecPoints> Differentiable<P> for $kernel<P> {
            fn pull_back(
                &self,
                tile: &Tile<'_, P>,
                adjoint: MatRef<'_, P::Scalar>,
                gradient: &mut [f64],
                scratch: &mut Scratch<P::Scalar>,
            ) {
                self.kernel.pull_back(tile, adjoint, gradient, scratch);
            }
        }

        impl<P: Points> Spectral for $kernel<P> {
            fn mass(&self) -> f64 {
                self.spectrum.as_ref().map_or(0.0, Spectral::mass)
            }

            fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
                if let Some(spectrum) = &self.spectrum {
                    spectrum.add_frequency(rng, omega);
                }
            }

            fn is_isotropic(&self) -> bool {
                self.spectrum.as_ref().is_some_and(Spectral::is_isotropic)
            }

            fn uniforms(&self, dim: usize) -> Option<usize> {
                self.spectrum.as_ref()?.uniforms(dim)
            }

            fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
                if let Some(spectrum) = &self.spectrum {
                    spectrum.add_frequency_at(uniforms, omega);
                }
            }

            fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
                self.spectrum()?.check_spectrum(dim)
            }
        }

        impl<P: SpecPoints> Parameters for $kernel<P> {
            fn parameters(&self) -> Vec<Parameter> {
                self.spec.parameters()
            }

            fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
                let mut spec = self.spec.clone();
                spec.set_parameter(name, value)?;
                *self = spec.$build()?;
                Ok(())
            }
        }

        impl<P: Points> Clone for $kernel<P> {
            fn clone(&self) -> Self {
                let (spec, kernel) = (self.spec.clone(), self.kernel.clone());
                Self { spec, kernel, spectrum: self.spectrum.clone() }
            }
        }

        impl<P: Points> PartialEq for $kernel<P> {
            fn eq(&self, other: &Self) -> bool {
                self.spec == other.spec
            }
        }

        impl<P: Points> fmt::Debug for $kernel<P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($kernel)).field(&format_args!("{}", self.spec)).finish()
            }
        }

        impl<P: Points> fmt::Display for $kernel<P> {
            /// Prints the formula; `{:#}` puts a sum in parentheses.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.spec.fmt(f)
            }
        }

        impl<P: Points> Serialize for $kernel<P> {
            fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                self.spec.serialize(output)
            }
        }

        impl<'de, P: SpecPoints> Deserialize<'de> for $kernel<P> {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                KernelSpec::deserialize(input)?.$build().map_err(D::Error::custom)
            }
        }
    };
}

formula_kernel!(FormulaKernel, build);

formula_kernel!(MercerFormula, build_mercer);

impl<P: Points> Mercer<P> for MercerFormula<P> {}

crate::named! {
    [P: Points] FormulaKernel<P> = "formula";
    [P: Points] MercerFormula<P> = "formula";
}

impl_kernel_ops!(
    [P: Points] FormulaKernel<P>;
    [P: Points] MercerFormula<P>;
);

/// The spectral sampler of a formula: [`KernelSpec::spectrum`].
///
/// Two samplers are equal if their formulas are; a sampler is serialised as its formula.
///
/// # Examples
/// ```
/// use kern_core::{FormulaSpectrum, KernelSpec, Spectral};
/// let spec: KernelSpec = "0.5*rbf(gamma=0.1)*laplacian(gamma=2)".parse()?;
/// assert_eq!(spec.spectrum()?.mass(), 0.5);
/// let none = "linear".parse::<KernelSpec>()?.spectrum().unwrap_err();
/// assert!(none.to_string().starts_with("the kernel linear has no spectral sampler"));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone)]
pub struct FormulaSpectrum {
    spec: KernelSpec,
    spectrum: Arc<dyn Spectral>,
}

impl FormulaSpectrum {
    /// The formula.
    #[must_use]
    pub fn spec(&self) -> &KernelSpec {
        &self.spec
    }
}

impl Spectral for FormulaSpectrum {
    fn mass(&self) -> f64 {
        self.spectrum.mass()
    }

    fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
        self.spectrum.add_frequency(rng, omega);
    }

    fn is_isotropic(&self) -> bool {
        self.spectrum.is_isotropic()
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        self.spectrum.uniforms(dim)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        self.spectrum.add_frequency_at(uniforms, omega);
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        self.spectrum.check_spectrum(dim)
    }
}

impl PartialEq for FormulaSpectrum {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl fmt::Debug for FormulaSpectrum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FormulaSpectrum").field(&format_args!("{}", self.spec)).finish()
    }
}

impl fmt::Display for FormulaSpectrum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl Serialize for FormulaSpectrum {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.spec.serialize(output)
    }
}

impl<'de> Deserialize<'de> for FormulaSpectrum {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        KernelSpec::deserialize(input)?.spectrum().map_err(D::Error::custom)
    }
}

impl Node {
    /// The kernel. The formula determines whether it is Mercer.
    pub(super) fn kernel<P: SpecPoints>(&self) -> Result<Shared<P>, Error> {
        Ok(match self {
            Node::Base(known, values) => known.build(values)?,
            Node::Scaled(weight, kernel) => Shared::new(Scaled::new(*weight, kernel.kernel()?)?),
            Node::Sum(parts) => terms(Rule::Sum, parts)?,
            Node::Product(parts) => terms(Rule::Product, parts)?,
            Node::Power(kernel, exponent) => Shared::new(Power::new(kernel.kernel()?, *exponent)),
            Node::Exp(kernel) => Shared::new(Exp::new(kernel.kernel()?)),
            Node::Normalized(kernel) => Shared::new(Normalized::new(kernel.kernel()?)),
            Node::AssumeMercer(kernel) => kernel.kernel()?,
        })
    }

    /// The spectral sampler.
    fn spectrum(&self) -> Result<Arc<dyn Spectral>, Error> {
        let none = |family| Err(Error::NoSpectrum { family });
        let all = |rule, parts: &[Node]| -> Result<Arc<dyn Spectral>, Error> {
            let terms = parts.iter().map(Node::spectrum).collect::<Result<_, _>>()?;
            Ok(Arc::new(SpectralTerms { rule, terms }))
        };
        match self {
            Node::Base(known, values) => match known.declaration.sampler() {
                Some(sampler) => sampler(values),
                None => none(known.name()),
            },
            Node::Scaled(weight, kernel) => Ok(Arc::new(Scaled::new(*weight, kernel.spectrum()?)?)),
            Node::Sum(parts) => all(Rule::Sum, parts),
            Node::Product(parts) => all(Rule::Product, parts),
            Node::AssumeMercer(kernel) => kernel.spectrum(),
            Node::Power(..) => none("power"),
            Node::Exp(_) => none("exp"),
            Node::Normalized(_) => none("normalized"),
        }
    }

    /// The family of a part that is not Mercer and not inside `assume_mercer(…)`.
    fn indefinite(&self) -> Option<&'static str> {
        match self {
            Node::Base(known, _) => (!known.mercer).then(|| known.name()),
            Node::AssumeMercer(_) => None,
            Node::Scaled(_, k) | Node::Power(k, _) | Node::Exp(k) | Node::Normalized(k) => {
                k.indefinite()
            }
            Node::Sum(parts) | Node::Product(parts) => parts.iter().find_map(Node::indefinite),
        }
    }
}

fn terms<P: SpecPoints>(rule: Rule, parts: &[Node]) -> Result<Shared<P>, Error> {
    let kernels = parts.iter().map(Node::kernel).collect::<Result<_, _>>()?;
    let terms = Terms::new(rule, kernels).ok_or(Error::Syntax { position: 0 })?;
    Ok(Shared::new(terms))
}

impl KernelSpec {
    /// Whether every kernel of the formula is Mercer, or assumed to be.
    #[must_use]
    pub fn is_mercer(&self) -> bool {
        self.node.indefinite().is_none()
    }

    /// Checks [`is_mercer`](KernelSpec::is_mercer).
    ///
    /// # Errors
    /// [`Error::NotMercer`] with the first kernel that is not.
    fn check_mercer(&self) -> Result<(), Error> {
        self.node.indefinite().map_or(Ok(()), |family| Err(Error::NotMercer { family }))
    }
}
