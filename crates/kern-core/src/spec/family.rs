//! The families of kernels that a formula may name, and their parameters.

use crate::Error;

/// A family of kernels on vectors.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    /// In the order in which typed kernels print them.
    pub(super) parameters: &'static [Parameter],
    pub(super) mercer: bool,
    /// Shift-invariant, with K(x, x) = 1.
    pub(super) stationary: bool,
}

/// A parameter, with the value that is taken if none is given.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) default: Option<f64>,
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

const fn dot(name: &'static str, parameters: &'static [Parameter]) -> Family {
    Family { name, parameters, mercer: true, stationary: false }
}

const fn stationary(name: &'static str, parameters: &'static [Parameter]) -> Family {
    Family { name, parameters, mercer: true, stationary: true }
}

const GAMMA: &[Parameter] = &[needed("gamma")];

/// Every family, in the order of the documentation.
pub(super) const FAMILIES: &[Family] = &[
    dot("linear", &[]),
    dot("poly", &[optional("degree", 3.0), optional("gamma", 1.0), optional("coef0", 0.0)]),
    Family {
        name: "sigmoid",
        parameters: &[needed("gamma"), optional("coef0", 0.0)],
        mercer: false,
        stationary: false,
    },
    stationary("rbf", GAMMA),
    stationary("laplacian", GAMMA),
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
    pub(super) fn values(&self, given: &[(&str, f64)]) -> Result<Vec<f64>, Error> {
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
            let by_name = given.iter().find(|g| g.0 == p.name).map(|g| g.1);
            by_name.or(p.default).ok_or(Error::MissingParameter { family: self.name, name: p.name })
        };
        self.parameters.iter().map(value).collect()
    }
}
