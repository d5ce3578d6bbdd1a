//! Hyper-parameters of composites: those of a closure rule itself, and those of the parts of a rule
//! or a learner, prefixed with the number or name of the part.

use super::{Parameter, Parameters, Setting, unknown};
use crate::Error;
use std::fmt;

/// The prefix of a part's parameter whose name is already taken by the rule.
const INNER: &str = "inner.";

/// The closure rules whose parts are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A sum.
    Sum,
    /// A product.
    Product,
}

/// Whether both names are `own` up to [`INNER`] prefixes, so that the second needs another one.
fn collides(own: &str, name: &str) -> bool {
    name.trim_start_matches(INNER) == own
}

/// The parameter of a rule, followed by those of its part.
pub(crate) fn with_inner(own: Parameter, inner: Vec<Parameter>) -> Vec<Parameter> {
    let make_room = |mut p: Parameter| {
        if collides(&own.name, &p.name) {
            p.name = format!("{INNER}{}", p.name).into();
        }
        p
    };
    let inner: Vec<Parameter> = inner.into_iter().map(make_room).collect();
    std::iter::once(own).chain(inner).collect()
}

/// Sets a parameter of the part of a rule; the caller has already handled the rule's `own`.
pub(crate) fn set_with_inner(
    own: Parameter,
    inner: &mut dyn Parameters,
    name: &str,
    value: &Setting,
) -> Result<(), Error> {
    let meant = if collides(&own.name, name) { name.strip_prefix(INNER) } else { Some(name) };
    let set = inner.set_parameter(meant.unwrap_or(name), value);
    set.map_err(|error| lifted(error, name, || with_inner(own, inner.parameters())))
}

/// The parameters of all parts, each prefixed with the number of its part.
pub(crate) fn numbered<'a, K: Parameters + 'a>(
    parts: impl IntoIterator<Item = &'a K>,
) -> Vec<Parameter> {
    let parts = (1_usize..).zip(parts);
    let under = |(number, part): (usize, &K)| {
        let number = number.to_string();
        part.parameters().into_iter().map(move |p| p.under(&number)).collect::<Vec<_>>()
    };
    parts.flat_map(under).collect()
}

/// Sets a parameter of one of the numbered parts.
pub(crate) fn set_numbered<K: Parameters>(
    parts: &mut [K],
    name: &str,
    value: &Setting,
) -> Result<(), Error> {
    let part =
        split(name).and_then(|(number, rest)| Some((parts.get_mut(number.checked_sub(1)?)?, rest)));
    let Some((part, rest)) = part else { return Err(unknown(name, &numbered(&*parts))) };
    let set = part.set_parameter(rest, value);
    set.map_err(|error| lifted(error, name, || numbered(&*parts)))
}

/// The two parts of a sum or product, either of which may itself be a sum or product.
pub(crate) struct Pair<'a> {
    pub(crate) rule: Rule,
    pub(crate) left: &'a dyn Parameters,
    pub(crate) right: &'a dyn Parameters,
}

impl Pair<'_> {
    pub(crate) fn terms(&self) -> usize {
        self.left.terms(self.rule) + self.right.terms(self.rule)
    }

    /// The parameters with the numbers of their parts, from left to right.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let mut all = self.numbered_on(self.left, 0);
        all.extend(self.numbered_on(self.right, self.left.terms(self.rule)));
        all
    }

    fn numbered_on(&self, part: &dyn Parameters, before: usize) -> Vec<Parameter> {
        let single = part.terms(self.rule) == 1;
        let rename = |mut p: Parameter| {
            if single {
                return p.under(&(before + 1).to_string());
            }
            if let Some((number, rest)) = split(&p.name) {
                p.name = format!("{}.{rest}", number + before).into();
            }
            p
        };
        part.parameters().into_iter().map(rename).collect()
    }
}

/// Sets a parameter of one of the two parts of a sum or product.
pub(crate) fn set_in_pair<A: Parameters, B: Parameters>(
    rule: Rule,
    left: &mut A,
    right: &mut B,
    name: &str,
    value: &Setting,
) -> Result<(), Error> {
    let before = left.terms(rule);
    let total = before + right.terms(rule);
    let meant = split(name).filter(|(number, _)| (1..=total).contains(number));
    let set = match meant {
        Some((number, rest)) if number <= before => set_part(rule, left, number, rest, value),
        Some((number, rest)) => set_part(rule, right, number - before, rest, value),
        None => Err(unknown(name, &[])),
    };
    let known = || Pair { rule, left: &*left, right: &*right }.parameters();
    set.map_err(|error| lifted(error, name, known))
}

fn set_part(
    rule: Rule,
    part: &mut dyn Parameters,
    number: usize,
    rest: &str,
    value: &Setting,
) -> Result<(), Error> {
    match part.terms(rule) {
        1 => part.set_parameter(rest, value),
        _ => part.set_parameter(&format!("{number}.{rest}"), value),
    }
}

/// A part whose hyper-parameters are prefixed with its name: `kernel.gamma`.
///
/// # Examples
/// ```
/// use kern_core::kernels::Rbf;
/// use kern_core::parameters::{Parameters, Under};
/// let mut kernel = Rbf::new(1.0)?;
/// let mut part = Under { prefix: "kernel", part: &mut kernel };
/// part.set_parameter("kernel.gamma", &0.5.into())?;
/// let refused = part.set_parameter("gamma", &2.0.into()).unwrap_err();
/// assert_eq!(refused.to_string(), "unknown parameter `gamma`; did you mean `kernel.gamma`? expected one of kernel.gamma");
/// assert_eq!(kernel, Rbf::new(0.5)?);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub struct Under<'a> {
    /// The name of the part.
    pub prefix: &'static str,
    /// The part.
    pub part: &'a mut dyn Parameters,
}

impl Parameters for Under<'_> {
    fn parameters(&self) -> Vec<Parameter> {
        under(self.prefix, self.part)
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        let rest = name.strip_prefix(self.prefix).and_then(|rest| rest.strip_prefix('.'));
        let set = match rest {
            Some(rest) => self.part.set_parameter(rest, value),
            None => Err(unknown(name, &[])),
        };
        set.map_err(|error| lifted(error, name, || self.parameters()))
    }
}

impl fmt::Debug for Under<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameters().fmt(f)
    }
}

/// The hyper-parameters of a part, prefixed with its name.
///
/// # Examples
/// ```
/// use kern_core::{kernels::Rbf, parameters::under};
/// assert_eq!(under("kernel", &Rbf::new(1.0)?)[0].name, "kernel.gamma");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[must_use]
pub fn under(prefix: &str, part: &dyn Parameters) -> Vec<Parameter> {
    part.parameters().into_iter().map(|parameter| parameter.under(prefix)).collect()
}

/// Sets a hyper-parameter of the part that has it. The parts must have different names.
///
/// # Errors
/// As [`Parameters::set_parameter`].
///
/// # Examples
/// ```
/// use kern_core::kernels::{Laplacian, Rbf};
/// use kern_core::parameters::{Under, set_in_parts};
/// let (mut near, mut far) = (Rbf::new(1.0)?, Laplacian::new(1.0)?);
/// let near_part = &mut Under { prefix: "near", part: &mut near };
/// let far_part = &mut Under { prefix: "far", part: &mut far };
/// set_in_parts(&mut [near_part, far_part], "far.gamma", &0.25.into())?;
/// assert_eq!((near.gamma(), far.gamma()), (1.0, 0.25));
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn set_in_parts(
    parts: &mut [&mut dyn Parameters],
    name: &str,
    value: &Setting,
) -> Result<(), Error> {
    // Calls the methods of the parts themselves: a reference to a part has no parameters.
    let has = |part: &dyn Parameters| part.parameter(name).is_some();
    match parts.iter().position(|part| has(&**part)) {
        Some(at) => parts[at].set_parameter(name, value),
        None => {
            let of_part = |part: &&mut dyn Parameters| Parameters::parameters(&**part);
            let known: Vec<Parameter> = parts.iter().flat_map(of_part).collect();
            Err(unknown(name, &known))
        }
    }
}

/// `2.gamma` is (2, gamma).
fn split(name: &str) -> Option<(usize, &str)> {
    let (number, rest) = name.split_once('.')?;
    // No sign and no leading zeros: every parameter has one name.
    let plain = number.starts_with(|c: char| ('1'..='9').contains(&c));
    Some((number.parse().ok().filter(|_| plain)?, rest))
}

/// Converts the error of a part to one of the whole, with the names of the whole.
fn lifted(error: Error, name: &str, known: impl FnOnce() -> Vec<Parameter>) -> Error {
    match error {
        Error::Setting { given, allowed, .. } => {
            Error::Setting { name: name.to_string().into(), given, allowed }
        }
        Error::UnknownName { what: "parameter", .. } => unknown(name, &known()),
        other => other,
    }
}
