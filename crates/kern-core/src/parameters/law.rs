//! The contract of hyper-parameters, for every type that has them.

use super::{Domain, Parameter, Parameters, Setting};
use crate::Error;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Checks the contract of [`Parameters`]: names are distinct; each value is read as it is listed;
/// setting a parameter to its own value changes nothing; values outside the domain and unknown
/// names are rejected and change nothing.
///
/// # Errors
/// The broken requirement, in words.
///
/// # Examples
/// ```
/// use kern_core::kernels::{Laplacian, Rbf};
/// use kern_core::parameters::verify_parameters;
/// let kernel = 0.5 * Rbf::new(1.0)? + Laplacian::new(2.0)?;
/// assert_eq!(verify_parameters(&kernel), Ok(()));
/// # Ok::<(), kern_core::Error>(())
/// ```
pub fn verify_parameters<T: Parameters + Clone + PartialEq>(subject: &T) -> Result<(), String> {
    verify(&subject.parameters(), &|name| subject.parameter(name), &|name, value| {
        let mut changed = subject.clone();
        let set = changed.set_parameter(name, value);
        (set, changed == *subject)
    })
}

/// The result of setting a parameter, and whether nothing was changed by it.
type Set = (Result<(), Error>, bool);

/// Not generic: compiled once, not for every type with parameters.
fn verify(
    all: &[Parameter],
    read: &dyn Fn(&str) -> Option<Setting>,
    set: &dyn Fn(&str, &Setting) -> Set,
) -> Result<(), String> {
    let names: BTreeSet<&str> = all.iter().map(|p| p.name.as_ref()).collect();
    promise(names.len() == all.len(), "names that differ", &names)?;
    for p in all {
        let read = read(&p.name);
        promise(read.as_ref() == Some(&p.value), "the value that is listed", &(p, read))?;
        let (taken, same) = set(&p.name, &p.value);
        promise(taken.is_ok() && same, "no change by its own value", &(p, taken))?;
        for value in outside(p.domain) {
            let (refused, same) = set(&p.name, &value);
            let named = matches!(&refused, Err(Error::Setting { name, .. }) if *name == p.name);
            promise(named && same, "a value that is refused by name", &(p, value, refused))?;
        }
    }
    let (refused, same) = set("no such name", &1.0.into());
    let known = |error: &Error| matches!(error, Error::UnknownName { known, .. } if known.iter().eq(all.iter().map(|p| &p.name)));
    let listed = refused.as_ref().err().is_some_and(known);
    promise(listed && same, "an unknown name that is refused with those that are known", &refused)
}

fn promise(kept: bool, what: &str, found: &dyn Debug) -> Result<(), String> {
    if kept { Ok(()) } else { Err(format!("expected {what}, found {found:?}")) }
}

/// Some values outside a domain.
fn outside(domain: Domain) -> Vec<Setting> {
    let strange = [f64::NAN, f64::INFINITY].map(Setting::Real);
    let near = match domain {
        Domain::Real { smallest, open: true, .. } => vec![smallest.into()],
        Domain::Real { smallest, largest, .. } => {
            vec![smallest.next_down().into(), largest.next_up().into()]
        }
        Domain::Count { smallest, .. } => {
            smallest.checked_sub(1).map(Setting::from).into_iter().chain([0.5.into()]).collect()
        }
        Domain::Flag | Domain::Choice(_) => vec![1.0.into()],
        Domain::List => vec![vec![].into(), vec![-1.0].into()],
        Domain::NameOr(_, other) => outside(*other),
    };
    near.into_iter().chain(["no such value".into()]).chain(strange).collect()
}
