//! Kernel formulas: the expression tree, the properties that follow from it, and its
//! hyper-parameters, with the same names as those of typed kernels.

use super::grammar;
use super::registry::Known;
use crate::parameters::{
    Domain, Parameter, Parameters, Rule, Setting, numbered, set_numbered, set_with_inner, unknown,
    with_inner,
};
use crate::{Error, NonNegative};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A kernel given by a formula.
///
/// For kernels that are not known at compile time: from a configuration file, a command line, or a
/// search over kernels. [`build`](KernelSpec::build) constructs the kernel, a value that can be
/// cloned, stored and tuned like any other.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, KernelSpec, Samples};
/// let spec: KernelSpec = "0.5 * rbf(gamma=0.1) + poly(degree=2, coef0=1)".parse()?;
/// assert_eq!(spec.to_string(), "0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1, coef0=1)");
/// assert!(spec.is_mercer() && !spec.is_shift_invariant());
/// let kernel = spec.build_mercer::<Samples<f64>>()?;
/// assert_eq!(kernel.eval(&[1.0, 2.0], &[1.0, 2.0]), 0.5 + 36.0);
///
/// let doubtful: KernelSpec = "sigmoid(gamma=1)".parse()?;
/// assert!(doubtful.build_mercer::<Samples<f64>>().is_err());
/// assert!(doubtful.build::<Samples<f64>>().is_ok());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct KernelSpec {
    pub(super) node: Node,
}

/// The expression tree of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// A kernel of a family, with the values of its parameters in the order of the declaration.
    Base(Known, Vec<Setting>),
    /// weight·kernel; the weight is ≥ 0.
    Scaled(f64, Box<Node>),
    /// Two or more terms, none of them a sum.
    Sum(Vec<Node>),
    /// Two or more factors, none of them a product or scaled.
    Product(Vec<Node>),
    Power(Box<Node>, u32),
    Exp(Box<Node>),
    Normalized(Box<Node>),
    AssumeMercer(Box<Node>),
}

impl KernelSpec {
    /// Parses a formula; `fallback` supplies the parameters that it omits, by family and parameter.
    /// Where it returns none, the family's default is used.
    ///
    /// # Errors
    /// As [`from_str`](KernelSpec::from_str); [`Error::MissingParameter`] where there is no value.
    ///
    /// # Examples
    /// ```
    /// use kern_core::KernelSpec;
    /// let gamma = |_: &str, name: &str| (name == "gamma").then(|| 0.25.into());
    /// let spec = KernelSpec::parse_or("rbf + laplacian(gamma=2)", &gamma)?;
    /// assert_eq!(spec.to_string(), "rbf(gamma=0.25) + laplacian(gamma=2)");
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn parse_or(
        text: &str,
        fallback: &dyn Fn(&str, &str) -> Option<Setting>,
    ) -> Result<Self, Error> {
        Ok(Self { node: grammar::formula(text, fallback)? })
    }

    /// Whether K(x, y) depends on x − y only.
    #[must_use]
    pub fn is_shift_invariant(&self) -> bool {
        self.node.is_shift_invariant()
    }

    /// Whether K(x, x) = 1 for all x, as far as the formula determines this.
    #[must_use]
    pub fn has_unit_diagonal(&self) -> bool {
        self.node.has_unit_diagonal()
    }
}

impl Node {
    fn is_shift_invariant(&self) -> bool {
        match self {
            Node::Base(known, _) => known.declaration.is_shift_invariant(),
            Node::AssumeMercer(k)
            | Node::Scaled(_, k)
            | Node::Power(k, _)
            | Node::Exp(k)
            | Node::Normalized(k) => k.is_shift_invariant(),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().all(Node::is_shift_invariant),
        }
    }

    fn has_unit_diagonal(&self) -> bool {
        match self {
            Node::Base(known, _) => known.declaration.has_unit_diagonal(),
            Node::AssumeMercer(k) | Node::Power(k, _) => k.has_unit_diagonal(),
            Node::Product(parts) => parts.iter().all(Node::has_unit_diagonal),
            // A normalised kernel is 0 where the features are 0, so even its diagonal may not be 1.
            Node::Normalized(k) => k.has_unit_diagonal(),
            Node::Scaled(weight, k) => (weight - 1.0).abs() <= 0.0 && k.has_unit_diagonal(),
            Node::Sum(_) | Node::Exp(_) => false,
        }
    }

    /// The number of kernels of families in the formula.
    pub(super) fn count(&self) -> usize {
        match self {
            Node::Base(..) => 1,
            Node::AssumeMercer(k)
            | Node::Scaled(_, k)
            | Node::Power(k, _)
            | Node::Exp(k)
            | Node::Normalized(k) => k.count(),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().map(Node::count).sum(),
        }
    }

    /// A sum, flattened.
    pub(super) fn sum(parts: Vec<Node>) -> Node {
        let flatten = |part| match part {
            Node::Sum(inner) => inner,
            other => vec![other],
        };
        let mut parts: Vec<Node> = parts.into_iter().flat_map(flatten).collect();
        match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => Node::Sum(parts.into_iter().chain(last).collect()),
        }
    }

    /// A product of kernels and weights, flattened, with all weights multiplied to one in front. An
    /// explicit weight is kept even if it is 1, because it is a hyper-parameter.
    pub(super) fn product(weight: Option<f64>, parts: Vec<Node>) -> Result<Node, Error> {
        let mut total = weight;
        let mut kernels = Vec::new();
        for part in parts {
            let part = match part {
                Node::Scaled(weight, kernel) => {
                    total = Some(total.unwrap_or(1.0) * weight);
                    *kernel
                }
                other => other,
            };
            match part {
                Node::Product(inner) => kernels.extend(inner),
                other => kernels.push(other),
            }
        }
        let product = match kernels.pop() {
            Some(only) if kernels.is_empty() => only,
            last => Node::Product(kernels.into_iter().chain(last).collect()),
        };
        let Some(weight) = total else { return Ok(product) };
        let weight = NonNegative::new("the weight of a kernel", weight)?.get();
        Ok(Node::Scaled(weight, Box::new(product)))
    }
}

impl FromStr for KernelSpec {
    type Err = Error;

    /// Parses a formula.
    ///
    /// # Errors
    /// [`Error::Syntax`] with the position, [`Error::UnknownName`] for a family or parameter,
    /// [`Error::Setting`] for a value outside its domain, [`Error::TooManyTerms`] for too many
    /// kernels.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse_or(text, &|_, _| None)
    }
}

impl TryFrom<String> for KernelSpec {
    type Error = Error;
    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<KernelSpec> for String {
    fn from(spec: KernelSpec) -> String {
        spec.to_string()
    }
}

/// The parameters are those of the typed kernel that prints this formula, except for the weight of
/// a product, which precedes it and has no number.
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
    /// The parameter of the node's own rule.
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
                Some(own) => with_inner(own, k.parameters()),
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
                Some(own) => set_with_inner(own, &mut **k, name, value),
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
