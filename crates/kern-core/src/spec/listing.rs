//! The families of kernels, for those who choose one at run time.

use super::KernelSpec;
use super::family::{self, Known};
use crate::parameters::{Domain, Setting};

/// A family of kernels that formulas may name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelFamily {
    /// The name.
    pub name: &'static str,
    /// The parameters.
    pub parameters: Vec<FamilyParameter>,
    /// Tells whether the kernels are positive semi-definite.
    pub is_mercer: bool,
    /// Tells whether they are kernels on vectors.
    pub on_vectors: bool,
    /// Tells whether they are kernels on strings.
    pub on_strings: bool,
}

/// A parameter of a family.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FamilyParameter {
    /// The name.
    pub name: &'static str,
    /// The allowed values.
    pub domain: Domain,
    /// The value that is taken if a formula gives none.
    pub default: Option<Setting>,
}

impl KernelSpec {
    /// The families that formulas may name, those on vectors first.
    ///
    /// # Examples
    /// ```
    /// use kern_core::KernelSpec;
    /// let families = KernelSpec::families();
    /// let poly = families.iter().find(|family| family.name == "poly").unwrap();
    /// assert!(poly.is_mercer && poly.on_vectors && !poly.on_strings);
    /// assert_eq!(poly.parameters[1].name, "gamma");
    /// assert_eq!(poly.parameters[1].default, Some(1.0.into()));
    /// ```
    #[must_use]
    pub fn families() -> Vec<KernelFamily> {
        family::all().map(described).collect()
    }
}

fn described(known: Known) -> KernelFamily {
    let parameter = |formal: &crate::kernels::Formal| FamilyParameter {
        name: formal.name,
        domain: formal.domain,
        default: formal.default.clone(),
    };
    let (on_vectors, on_strings) = known.points();
    KernelFamily {
        name: known.name(),
        parameters: known.declaration.formals().iter().map(parameter).collect(),
        is_mercer: known.mercer,
        on_vectors,
        on_strings,
    }
}
