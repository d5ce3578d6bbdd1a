//! The families of kernels that a formula may name, and their parameters.

use crate::Error;

/// A family of kernels.
#[derive(Debug)]
pub struct Family {
    pub(super) name: &'static str,
    /// In the order in which typed kernels print them.
    pub(super) parameters: &'static [Parameter],
    pub(super) points: Kind,
    pub(super) mercer: bool,
    pub(super) shift_invariant: bool,
    pub(super) unit_diagonal: bool,
}

/// The points that a family is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Vectors,
    Text,
}

/// A parameter, with the value that is taken if none is given.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) default: Option<f64>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    List(Vec<f64>),
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

const fn needed(name: &'static str) -> Parameter {
    Parameter { name, default: None }
}

const fn optional(name: &'static str, default: f64) -> Parameter {
    Parameter { name, default: Some(default) }
}

/// A Mercer kernel on vectors of which no more is known.
const fn dot(name: &'static str, parameters: &'static [Parameter]) -> Family {
    Family {
        name,
        parameters,
        points: Kind::Vectors,
        mercer: true,
        shift_invariant: false,
        unit_diagonal: false,
    }
}

/// A Mercer kernel on vectors that depends on x − y, with K(x, x) = 1.
const fn stationary(name: &'static str, parameters: &'static [Parameter]) -> Family {
    Family { shift_invariant: true, unit_diagonal: true, ..dot(name, parameters) }
}

/// A Mercer kernel on strings.
const fn text(name: &'static str, parameters: &'static [Parameter]) -> Family {
    Family { points: Kind::Text, ..dot(name, parameters) }
}

const GAMMA: &[Parameter] = &[needed("gamma")];
const LENGTH_SCALE: &[Parameter] = &[needed("length_scale")];
const SUBSEQUENCE: &[Parameter] = &[needed("p"), needed("lambda")];

/// Every family, in the order of the documentation.
pub(super) const FAMILIES: &[Family] = &[
    dot("linear", &[]),
    dot("poly", &[optional("degree", 3.0), optional("gamma", 1.0), optional("coef0", 0.0)]),
    stationary("rbf", GAMMA),
    stationary("ard_rbf", GAMMA),
    stationary("laplacian", GAMMA),
    stationary("exponential", GAMMA),
    stationary("matern32", LENGTH_SCALE),
    stationary("matern52", LENGTH_SCALE),
    stationary("rational_quadratic", &[needed("alpha"), needed("length_scale")]),
    stationary("cauchy", GAMMA),
    dot("cosine", &[]),
    dot("chi2", &[]),
    Family { unit_diagonal: true, ..dot("exp_chi2", GAMMA) },
    dot("intersection", &[]),
    dot("hellinger", &[]),
    stationary("delta", &[]),
    Family { mercer: false, ..dot("sigmoid", &[needed("gamma"), optional("coef0", 0.0)]) },
    text("spectrum", &[needed("k")]),
    text("blended_spectrum", &[needed("k")]),
    text("subsequence", SUBSEQUENCE),
    text("subsequence_by_gaps", SUBSEQUENCE),
    text("hamming", &[]),
    Family { unit_diagonal: true, ..text("hamming_rbf", GAMMA) },
    text("weighted_degree", &[needed("d")]),
    text("bag_of_words", &[]),
    text("normalized_bag_of_words", &[]),
    text("word_count", &[]),
];

impl Family {
    /// The family of this name.
    pub(super) fn find(name: &str) -> Result<&'static Family, Error> {
        FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
            let known = FAMILIES.iter().map(|family| family.name).collect();
            Error::UnknownName { what: "kernel", given: name.to_string(), known }
        })
    }

    /// Values for all parameters from those that are given by name.
    pub(super) fn values(&self, given: &[(&str, Value)]) -> Result<Vec<Value>, Error> {
        for (k, (name, _)) in given.iter().enumerate() {
            let known = || self.parameters.iter().map(|p| p.name).collect();
            let again = given[..k].iter().any(|earlier| earlier.0 == *name);
            if again || self.parameters.iter().all(|p| p.name != *name) {
                let what = if again { "parameter, given twice" } else { "parameter" };
                return Err(Error::UnknownName {
                    what,
                    given: (*name).to_string(),
                    known: known(),
                });
            }
        }
        let value = |p: &Parameter| {
            let by_name = given.iter().find(|g| g.0 == p.name).map(|g| g.1.clone());
            by_name
                .or(p.default.map(Value::Number))
                .ok_or(Error::MissingParameter { family: self.name, name: p.name })
        };
        self.parameters.iter().map(value).collect()
    }
}
