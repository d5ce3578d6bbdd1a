//! The check of a value by its domain.

use crate::Error;
use crate::values::{Domain, Setting};

impl Domain {
    /// Checks a value of the parameter `name` and gives it the type of the domain: whole numbers are
    /// real ones, real numbers without a fraction whole ones, and a number a list of one.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn accept(&self, name: &str, given: &Setting) -> Result<Setting, Error> {
        let accepted = match *self {
            Domain::Real { least, greatest, open, .. } => {
                let inside = |v: &f64| (least..=greatest).contains(v) && !(open && *v <= least);
                given.as_f64().filter(inside).map(Setting::Real)
            }
            Domain::Count { least, greatest, .. } => {
                given.as_u64().filter(|v| (least..=greatest).contains(v)).map(Setting::Count)
            }
            Domain::Flag => given.as_bool().map(Setting::Flag),
            Domain::Choice(names) => {
                given.as_str().filter(|name| names.contains(name)).map(Setting::from)
            }
            Domain::List => {
                let good = |v: &f64| *v >= 0.0 && v.is_finite();
                let list = given.as_list().filter(|v| !v.is_empty() && v.iter().all(good));
                list.map(|list| Setting::List(list.to_vec()))
            }
            Domain::NameOr(names, other) => {
                let named = Domain::Choice(names).accept(name, given);
                named.or_else(|_| other.accept(name, given)).ok()
            }
        };
        accepted.ok_or_else(|| Error::Setting {
            name: name.to_string().into(),
            given: given.clone(),
            allowed: *self,
        })
    }
}
