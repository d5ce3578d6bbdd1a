//! The kernel families available in formulas, one line for each family and kind of points, and
//! their list for choosing a family at run time.
//!
//! On rows of a table, each kernel acts on the part of a row that it is defined on.

use super::kernel_spec::KernelSpec;
use super::terms::Shared;
use crate::closure::PullBack;
use crate::gradient::Differentiable;
use crate::kernels::{
    ArcCosine, ArdRbf, BagOfWords, Cauchy, ChiSquared, Constant, Cosine, Declaration, Declared,
    Delta, ExpChiSquared, Exponential, Formal, Hamming, HammingRbf, Hellinger, Intersection,
    Laplacian, Linear, Matern, Matern32, Matern52, NormalizedBagOfWords, Periodic, Polynomial,
    RationalQuadratic, Rbf, Sigmoid, Spectrum, Subsequence, Wave, WeightedDegree, White, WordCount,
};
use crate::parameters::{Domain, Setting};
use crate::{Error, Mercer, Points, Row, Samples, Scalar, SparseSamples, compiled_once};

/// Alternative names of families, from other libraries and books.
const ALIASES: [(&str, &str); 9] = [
    ("gaussian", "rbf"),
    ("squared_exponential", "rbf"),
    ("polynomial", "poly"),
    ("chi_squared", "chi2"),
    ("exp_sine_squared", "periodic"),
    ("white_noise", "white"),
    ("bias", "constant"),
    ("arccosine", "arc_cosine"),
    ("ornstein_uhlenbeck", "exponential"),
];

/// The properties of a family that hold on all its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    pub(super) declaration: &'static Declaration,
    pub(super) mercer: bool,
}

/// A family of kernels on points `P`.
#[derive(Debug)]
pub struct Family<P: Points> {
    known: Known,
    build: fn(&[Setting]) -> Result<Shared<P>, Error>,
}

/// A family of Mercer kernels.
const fn known<K: Declared>() -> Known {
    Known { declaration: K::DECLARATION, mercer: true }
}

const fn mercer<P: Points, K: Declared + Mercer<P> + Differentiable<P> + 'static>() -> Family<P> {
    Family { known: known::<K>(), build: build::<P, K> }
}

const fn indefinite<P: Points, K: Declared + Differentiable<P> + 'static>() -> Family<P> {
    Family { known: Known { declaration: K::DECLARATION, mercer: false }, build: build::<P, K> }
}

fn build<P: Points, K: Declared + Differentiable<P> + 'static>(
    values: &[Setting],
) -> Result<Shared<P>, Error> {
    Ok(Shared::new(K::from_settings(values)?))
}

/// The kernels on vectors, dense or sparse.
macro_rules! vectors {
    () => {
        const FAMILIES: &'static [Family<Self>] = &[
            mercer::<Self, Linear>(),
            mercer::<Self, Polynomial>(),
            mercer::<Self, Rbf>(),
            mercer::<Self, ArdRbf>(),
            mercer::<Self, Laplacian>(),
            mercer::<Self, Exponential>(),
            mercer::<Self, Matern32>(),
            mercer::<Self, Matern52>(),
            mercer::<Self, Matern>(),
            mercer::<Self, RationalQuadratic>(),
            mercer::<Self, Cauchy>(),
            mercer::<Self, Periodic>(),
            mercer::<Self, Wave>(),
            mercer::<Self, Cosine>(),
            mercer::<Self, ArcCosine>(),
            mercer::<Self, ChiSquared>(),
            mercer::<Self, ExpChiSquared>(),
            mercer::<Self, Intersection>(),
            mercer::<Self, Hellinger>(),
            mercer::<Self, Delta>(),
            mercer::<Self, White>(),
            mercer::<Self, Constant>(),
            indefinite::<Self, Sigmoid>(),
        ];
    };
}

/// Points on which formulas can be built: [`Samples`], [`SparseSamples`], `Vec<String>`, and rows
/// of a table, `Vec<Row>`. Sealed.
pub trait SpecPoints: sealed::Families {}

impl<P: sealed::Families> SpecPoints for P {}

mod sealed {
    use super::super::kernel_spec::KernelSpec;
    use super::super::terms::Shared;
    use super::Family;
    use crate::{Error, Points};

    /// Points, with the families of kernels defined on them.
    pub trait Families: Points + Sized + 'static {
        #[doc(hidden)]
        const FAMILIES: &'static [Family<Self>];

        /// The kernel given by a formula, compiled in this crate with all families.
        #[doc(hidden)]
        fn kernel(spec: &KernelSpec) -> Result<Shared<Self>, Error>;
    }
}

impl<T: Scalar> sealed::Families for Samples<T> {
    vectors!();

    fn kernel(spec: &KernelSpec) -> Result<Shared<Self>, Error> {
        on_samples(spec)
    }
}

impl<T: Scalar> sealed::Families for SparseSamples<T> {
    vectors!();

    fn kernel(spec: &KernelSpec) -> Result<Shared<Self>, Error> {
        on_sparse_samples(spec)
    }
}

#[compiled_once]
fn on_samples<T: Scalar>(spec: &KernelSpec) -> Result<Shared<Samples<T>>, Error> {
    spec.node.kernel()
}

#[compiled_once]
fn on_sparse_samples<T: Scalar>(spec: &KernelSpec) -> Result<Shared<SparseSamples<T>>, Error> {
    spec.node.kernel()
}

impl sealed::Families for Vec<String> {
    fn kernel(spec: &KernelSpec) -> Result<Shared<Self>, Error> {
        spec.node.kernel()
    }

    const FAMILIES: &'static [Family<Self>] = &[
        mercer::<Self, Spectrum>(),
        mercer::<Self, Subsequence>(),
        mercer::<Self, Hamming>(),
        mercer::<Self, HammingRbf>(),
        mercer::<Self, WeightedDegree>(),
        mercer::<Self, BagOfWords>(),
        mercer::<Self, NormalizedBagOfWords>(),
        mercer::<Self, WordCount>(),
        mercer::<Self, Delta>(),
        mercer::<Self, White>(),
        mercer::<Self, Constant>(),
    ];
}

impl sealed::Families for Vec<Row> {
    fn kernel(spec: &KernelSpec) -> Result<Shared<Self>, Error> {
        spec.node.kernel()
    }

    const FAMILIES: &'static [Family<Self>] = &[
        on_numbers::<Linear>(),
        on_numbers::<Polynomial>(),
        on_numbers::<Rbf>(),
        on_numbers::<ArdRbf>(),
        on_numbers::<Laplacian>(),
        on_numbers::<Exponential>(),
        on_numbers::<Matern32>(),
        on_numbers::<Matern52>(),
        on_numbers::<Matern>(),
        on_numbers::<RationalQuadratic>(),
        on_numbers::<Cauchy>(),
        on_numbers::<Periodic>(),
        on_numbers::<Wave>(),
        on_numbers::<Cosine>(),
        on_numbers::<ArcCosine>(),
        on_numbers::<ChiSquared>(),
        on_numbers::<ExpChiSquared>(),
        on_numbers::<Intersection>(),
        on_numbers::<Hellinger>(),
        on_letters::<Hamming>(),
        on_letters::<HammingRbf>(),
        on_letters::<Delta>(),
        on_text::<Spectrum>(),
        on_text::<Subsequence>(),
        on_text::<WeightedDegree>(),
        on_text::<BagOfWords>(),
        on_text::<NormalizedBagOfWords>(),
        on_text::<WordCount>(),
        // Two rows are the same point if all their parts are equal.
        mercer::<Self, White>(),
        mercer::<Self, Constant>(),
    ];
}

/// All families, those on vectors first.
fn all() -> impl Iterator<Item = Known> {
    let vectors = <Samples<f64> as sealed::Families>::FAMILIES.iter().map(|family| family.known);
    let text = <Vec<String> as sealed::Families>::FAMILIES.iter().map(|family| family.known);
    vectors.chain(text.filter(|known| !is_on_any_points(known.declaration)))
}

/// Whether a family is defined on points of every kind.
fn is_on_any_points(declaration: &Declaration) -> bool {
    [Delta::DECLARATION, White::DECLARATION, Constant::DECLARATION].contains(&declaration)
}

impl Known {
    /// The family with this name or alias, ignoring case.
    pub(super) fn find(name: &str) -> Result<Self, Error> {
        let lower = name.to_lowercase();
        let alias = ALIASES.iter().find(|(other, _)| *other == lower);
        let meant = alias.map_or(lower.as_str(), |(_, meant)| meant);
        all().find(|known| known.name() == meant).ok_or_else(|| {
            let known = all().map(|known| known.name().into()).collect();
            Error::UnknownName { what: "kernel", given: name.to_string(), known }
        })
    }

    /// Whether the family is defined on vectors, and whether on strings.
    fn points(&self) -> (bool, bool) {
        let has = |name: &str| name == self.name();
        let on_vectors = <Samples<f64> as sealed::Families>::FAMILIES.iter();
        let on_strings = <Vec<String> as sealed::Families>::FAMILIES.iter();
        (
            on_vectors.map(|family| family.known.name()).any(has),
            on_strings.map(|family| family.known.name()).any(has),
        )
    }

    pub(super) fn name(&self) -> &'static str {
        self.declaration.name()
    }

    /// The kernel of this family with these parameter values.
    pub(super) fn build<P: SpecPoints>(&self, values: &[Setting]) -> Result<Shared<P>, Error> {
        let mut families = P::FAMILIES.iter();
        match families.find(|family| family.known.declaration == self.declaration) {
            Some(family) => (family.build)(values),
            None => Err(Error::OtherPoints { family: self.name() }),
        }
    }

    /// The values of all parameters: those given by name in a formula, and a fallback for the
    /// others.
    pub(super) fn values(
        &self,
        given: &[(&str, Setting)],
        fallback: &dyn Fn(&str, &str) -> Option<Setting>,
    ) -> Result<Vec<Setting>, Error> {
        let names = || self.declaration.names();
        for (k, (name, _)) in given.iter().enumerate() {
            let again = given[..k].iter().any(|earlier| earlier.0 == *name);
            if again || names().all(|known| known != *name) {
                let what = if again { "parameter, given twice" } else { "parameter" };
                let (given, known) = ((*name).to_string(), names().map(Into::into).collect());
                return Err(Error::UnknownName { what, given, known });
            }
        }
        let by_name = |name| {
            let given = given.iter().find(|g| g.0 == name).map(|g| g.1.clone());
            given.or_else(|| fallback(self.name(), name))
        };
        self.declaration.values(|name| Ok(by_name(name)))
    }
}

/// A family of kernels available in formulas.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelFamily {
    /// The name.
    pub name: &'static str,
    /// The parameters.
    pub parameters: Vec<FamilyParameter>,
    /// Whether the kernels are positive semi-definite.
    pub is_mercer: bool,
    /// Whether the kernels are defined on vectors.
    pub on_vectors: bool,
    /// Whether the kernels are defined on strings.
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
    /// The value used if a formula gives none.
    pub default: Option<Setting>,
}

impl KernelSpec {
    /// The families available in formulas, those on vectors first.
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
        all().map(described).collect()
    }
}

fn described(known: Known) -> KernelFamily {
    let parameter = |formal: &Formal| FamilyParameter {
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

type Rows = Vec<Row>;

/// Extracts a part of a row.
type Part<V> = fn(&Row) -> V;

/// A family on vectors, applied to the numerical values.
const fn on_numbers<K: Declared + Mercer<Samples<f64>> + Differentiable<Samples<f64>> + 'static>()
-> Family<Rows> {
    Family { known: known::<K>(), build: numbers::<K> }
}

/// A family on strings, applied to the text.
const fn on_text<K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static>()
-> Family<Rows> {
    Family { known: known::<K>(), build: text::<K> }
}

/// A family that compares letters, applied to the categories if there are any.
const fn on_letters<K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static>()
-> Family<Rows> {
    Family { known: known::<K>(), build: letters::<K> }
}

fn numbers<K: Declared + Mercer<Samples<f64>> + Differentiable<Samples<f64>> + 'static>(
    values: &[Setting],
) -> Result<Shared<Rows>, Error> {
    let part: Part<Vec<f64>> = |row| row.numbers.clone();
    Ok(Shared::new(PullBack::<_, _, Samples<f64>>::new(part, K::from_settings(values)?)))
}

fn text<K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static>(
    values: &[Setting],
) -> Result<Shared<Rows>, Error> {
    let part: Part<String> = |row| row.text.clone();
    Ok(Shared::new(PullBack::<_, _, Vec<String>>::new(part, K::from_settings(values)?)))
}

fn letters<K: Declared + Mercer<Vec<String>> + Differentiable<Vec<String>> + 'static>(
    values: &[Setting],
) -> Result<Shared<Rows>, Error> {
    let part: Part<String> = |row| {
        let part = if row.categories.is_empty() { &row.text } else { &row.categories };
        part.clone()
    };
    Ok(Shared::new(PullBack::<_, _, Vec<String>>::new(part, K::from_settings(values)?)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

    use super::*;

    /// The table in the documentation agrees with the declarations.
    #[test]
    fn table_of_kernels_says_what_they_declare() {
        let table = include_str!("../kernels/mod.rs");
        let on_vectors = <Samples<f64> as sealed::Families>::FAMILIES;
        for Known { declaration, mercer } in all() {
            let link = format!("//! | [`{}`] |", declaration.type_name());
            let row = table.lines().find(|line| line.starts_with(&link)).unwrap();
            let mercer = if mercer { "yes" } else { "**no**" };
            let is_here = |family: &Family<_>| family.known.declaration == declaration;
            let shift_invariant = if declaration.is_shift_invariant() { "yes " } else { "" };
            let end = match on_vectors.iter().any(is_here) && !is_on_any_points(declaration) {
                true => format!("| {mercer} | {shift_invariant}|"),
                false => format!("| {mercer} |"),
            };
            assert!(row.ends_with(&end), "{row} does not end with {end}");
        }
    }
}
