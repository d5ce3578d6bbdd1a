//! The hyper-parameters of formulas, under the names that typed kernels have.

use super::{KernelSpec, Node};
use crate::Error;
use crate::parameters::{
    Domain, Parameter, Parameters, Rule, Setting, beside, numbered, set_beside, set_numbered,
    unknown,
};

/// The parameters are those of the typed kernel that prints this formula, but for the weight of a
/// product, which stands in front of it and has no number.
impl Parameters for KernelSpec {
    fn parameters(&self) -> Vec<Parameter> {
        self.node.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        self.node.set_parameter(name, value)
    }

    fn terms(&self, rule: Rule) -> usize {
        self.node.terms(rule)
    }
}

impl Node {
    /// The parameter of a rule itself.
    fn own(&self) -> Option<Parameter> {
        match self {
            Node::Scaled(weight, _) => {
                Some(Parameter::new("weight", *weight, Domain::non_negative().log()))
            }
            Node::Power(_, exponent) => {
                let domain = Domain::count_to(0, u64::from(u32::MAX));
                Some(Parameter::new("exponent", *exponent, domain))
            }
            _ => None,
        }
    }

    fn set_own(&mut self, value: &Setting) {
        match self {
            Node::Scaled(weight, _) => *weight = value.as_f64().unwrap_or(*weight),
            Node::Power(_, exponent) => {
                let whole = value.as_u64().and_then(|v| v.try_into().ok());
                *exponent = whole.unwrap_or(*exponent);
            }
            _ => {}
        }
    }
}

impl Parameters for Node {
    fn parameters(&self) -> Vec<Parameter> {
        match self {
            Node::Base(known, values) => known.declaration.parameters(values),
            Node::Sum(parts) | Node::Product(parts) => numbered(parts),
            Node::Scaled(_, k)
            | Node::Power(k, _)
            | Node::Exp(k)
            | Node::Normalized(k)
            | Node::AssumeMercer(k) => match self.own() {
                Some(own) => beside(own, k.parameters()),
                None => k.parameters(),
            },
        }
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        if let Some(own) = self.own().filter(|own| own.name == name) {
            self.set_own(&own.domain.accept(name, value)?);
            return Ok(());
        }
        let own = self.own();
        match self {
            Node::Base(known, values) => {
                let parameters = known.declaration.parameters(values);
                let Some(place) = parameters.iter().position(|p| p.name == name) else {
                    return Err(unknown(name, &parameters));
                };
                values[place] = parameters[place].domain.accept(name, value)?;
                Ok(())
            }
            Node::Sum(parts) | Node::Product(parts) => set_numbered(parts, name, value),
            Node::Scaled(_, k)
            | Node::Power(k, _)
            | Node::Exp(k)
            | Node::Normalized(k)
            | Node::AssumeMercer(k) => match own {
                Some(own) => set_beside(own, &mut **k, name, value),
                None => k.set_parameter(name, value),
            },
        }
    }

    fn terms(&self, rule: Rule) -> usize {
        match (self, rule) {
            (Node::Sum(parts), Rule::Sum) | (Node::Product(parts), Rule::Product) => parts.len(),
            (Node::AssumeMercer(kernel), _) => kernel.terms(rule),
            _ => 1,
        }
    }
}
