//! Kernels and spectra from formulas.

use super::shared::Shared;
use super::terms::{SpectralTerms, Terms};
use super::{KernelSpec, Node, SpecPoints};
use crate::closure::{Exp, Normalized, Power, Scaled};
use crate::parameters::Rule;
use crate::{Error, Spectral};
use std::sync::Arc;

impl Node {
    /// The kernel. Whether it is Mercer is known from the formula.
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
    pub(super) fn spectrum(&self) -> Result<Arc<dyn Spectral>, Error> {
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

    /// The family of a part that is not Mercer, and not inside `assume_mercer(…)`.
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
    /// Every kernel of the formula is Mercer, or assumed to be.
    #[must_use]
    pub fn is_mercer(&self) -> bool {
        self.node.indefinite().is_none()
    }

    /// Checks [`is_mercer`](KernelSpec::is_mercer).
    ///
    /// # Errors
    /// [`Error::NotMercer`] with the first kernel that is not.
    pub(super) fn check_mercer(&self) -> Result<(), Error> {
        self.node.indefinite().map_or(Ok(()), |family| Err(Error::NotMercer { family }))
    }
}
