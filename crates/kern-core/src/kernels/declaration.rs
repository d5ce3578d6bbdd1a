//! Declarations of kernels: the name in formulas, the parameters and the properties of each kernel,
//! from which formulas, hyper-parameters and file formats are derived.

use crate::parameters::{Domain, Parameter, Parameters, Setting, unknown};
use crate::{Bounded, Error, ShiftInvariant, Spectral, UnitDiagonal};
use std::fmt;
use std::sync::Arc;

/// A parameter of a declared kernel.
#[derive(Debug)]
pub(crate) struct Formal {
    pub(crate) name: &'static str,
    pub(crate) domain: Domain,
    /// The value used if a formula gives none.
    pub(crate) default: Option<Setting>,
}

/// Constructs the spectral sampler of the kernel with these parameter values.
pub(crate) type Sampler = fn(&[Setting]) -> Result<Arc<dyn Spectral>, Error>;

/// The declaration of a kernel: its name, parameters and properties.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    name: &'static str,
    type_name: &'static str,
    formals: &'static [Formal],
    shift_invariant: bool,
    unit_diagonal: bool,
    sampler: Option<Sampler>,
}

/// Declarations are equal if they have the same name.
impl PartialEq for Declaration {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[allow(
    clippy::extra_unused_type_parameters,
    reason = "their bounds keep a declaration from contradicting the type"
)]
impl Declaration {
    pub(crate) const fn new(
        name: &'static str,
        type_name: &'static str,
        formals: &'static [Formal],
    ) -> Self {
        let (shift_invariant, unit_diagonal, sampler) = (false, false, None);
        Self { name, type_name, formals, shift_invariant, unit_diagonal, sampler }
    }

    /// A function of x − y with K(x, x) = 1, and therefore bounded.
    pub(crate) const fn stationary<K: ShiftInvariant + UnitDiagonal + Bounded>(self) -> Self {
        Self { shift_invariant: true, unit_diagonal: true, ..self }
    }

    /// A function of x − y.
    pub(crate) const fn shift_invariant<K: ShiftInvariant>(self) -> Self {
        Self { shift_invariant: true, ..self }
    }

    /// K(x, x) = 1, and therefore bounded.
    pub(crate) const fn unit_diagonal<K: UnitDiagonal + Bounded>(self) -> Self {
        Self { unit_diagonal: true, ..self }
    }

    /// |K| ≤ 1. A property of the type only.
    pub(crate) const fn bounded<K: Bounded>(self) -> Self {
        self
    }

    /// The kernel has a spectral sampler.
    pub(crate) const fn spectral<K: Declared + Spectral + 'static>(self) -> Self {
        Self { sampler: Some(sampler::<K>), ..self }
    }

    /// The name in formulas.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The name of the type.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        self.type_name
    }

    /// Whether K(x, y) depends on x − y only.
    #[must_use]
    pub const fn is_shift_invariant(&self) -> bool {
        self.shift_invariant
    }

    /// Whether K(x, x) = 1 for all x.
    #[must_use]
    pub const fn has_unit_diagonal(&self) -> bool {
        self.unit_diagonal
    }

    /// The parameters.
    pub(crate) const fn formals(&self) -> &'static [Formal] {
        self.formals
    }

    /// The names of the parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.formals.iter().map(|p| p.name)
    }

    pub(crate) fn sampler(&self) -> Option<Sampler> {
        self.sampler
    }

    /// The hyper-parameters with these values.
    pub(crate) fn parameters(&self, values: &[Setting]) -> Vec<Parameter> {
        let parameter =
            |(p, value): (&Formal, &Setting)| Parameter::new(p.name, value.clone(), p.domain);
        self.formals.iter().zip(values).map(parameter).collect()
    }

    /// The values of all parameters in their order; `given` looks them up by name.
    pub(crate) fn values<E: From<Error>>(
        &self,
        mut given: impl FnMut(&'static str) -> Result<Option<Setting>, E>,
    ) -> Result<Vec<Setting>, E> {
        let missing = |name| Error::MissingParameter { family: self.name, name };
        let value = |p: &Formal| {
            let value = given(p.name)?.or_else(|| p.default.clone());
            Ok(p.domain.accept(p.name, &value.ok_or_else(|| missing(p.name))?)?)
        };
        self.formals.iter().map(value).collect()
    }
}

fn sampler<K: Declared + Spectral + 'static>(
    values: &[Setting],
) -> Result<Arc<dyn Spectral>, Error> {
    Ok(Arc::new(K::from_settings(values)?))
}

/// A kernel with a declared name, parameters and properties.
///
/// # Examples
/// ```
/// use kern_core::Error;
/// use kern_core::kernels::{Declared, Polynomial};
/// assert_eq!(Polynomial::DECLARATION.name(), "poly");
/// let read = Polynomial::from_named(|name| Ok::<_, Error>((name == "degree").then(|| 2.0.into())));
/// assert_eq!(read?, Polynomial::new(1.0, 0.0, 2)?);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub trait Declared: Parameters + Sized {
    /// The declaration.
    const DECLARATION: &'static Declaration;

    /// Constructs the kernel from the values of its parameters, in the order of the declaration.
    ///
    /// # Errors
    /// [`Error::MissingParameter`], and the errors of the kernel's constructor.
    fn from_settings(values: &[Setting]) -> Result<Self, Error>;

    /// Constructs the kernel from the values that `given` returns for its parameter names, and the
    /// defaults of the others.
    ///
    /// # Errors
    /// The errors of `given`; [`Error::MissingParameter`] where there is no default;
    /// [`Error::Setting`] for a value outside the domain.
    fn from_named<E: From<Error>>(
        given: impl FnMut(&'static str) -> Result<Option<Setting>, E>,
    ) -> Result<Self, E> {
        Ok(Self::from_settings(&Self::DECLARATION.values(given)?)?)
    }
}

/// A copy of the kernel with one parameter changed.
pub(crate) fn changed<K: Declared>(kernel: &K, name: &str, value: &Setting) -> Result<K, Error> {
    let mut parameters = kernel.parameters();
    let Some(p) = parameters.iter_mut().find(|p| p.name == name) else {
        return Err(unknown(name, &parameters));
    };
    p.value = p.domain.accept(name, value)?;
    let values: Vec<Setting> = parameters.into_iter().map(|p| p.value).collect();
    K::from_settings(&values)
}

/// `rbf(gamma=0.5)`. Flags that are off are omitted.
pub(crate) fn write_formula(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    parameters: &[Parameter],
) -> fmt::Result {
    f.write_str(name)?;
    let mut open = false;
    for p in parameters.iter().filter(|p| p.value != Setting::Flag(false)) {
        write!(f, "{}{}={}", if open { ", " } else { "(" }, p.name, p.value)?;
        open = true;
    }
    f.write_str(if open { ")" } else { "" })
}

/// The value of a parameter in the type that a constructor takes.
pub(crate) trait Argument: Sized {
    fn argument(value: &Setting) -> Option<Self>;
}

macro_rules! argument {
    ($($type:ty: $value:ident => $argument:expr;)*) => {$(
        impl Argument for $type {
            fn argument($value: &Setting) -> Option<Self> {
                $argument
            }
        }
    )*};
}
argument! {
    f64: value => value.as_f64();
    u32: value => value.as_u64()?.try_into().ok();
    usize: value => value.as_u64()?.try_into().ok();
    bool: value => value.as_bool();
    Vec<f64>: value => Some(value.as_list()?.to_vec());
}

/// The next value, as a constructor argument.
pub(crate) fn argument<'a, A: Argument>(
    values: &mut impl Iterator<Item = &'a Setting>,
    family: &'static str,
    name: &'static str,
) -> Result<A, Error> {
    values.next().and_then(A::argument).ok_or(Error::MissingParameter { family, name })
}

/// Declares a kernel: `Type = "name in formulas", [properties]`, then a line `parameter: domain` or
/// `parameter: domain, default` for each parameter field, then the constructor.
///
/// Implements [`Declared`], [`Parameters`], `Display` as a formula, the name in files, the
/// operators, and the traits of the properties `stationary`, `shift_invariant`, `unit_diagonal` and
/// `bounded`. `spectral` registers the kernel's `Spectral` implementation.
macro_rules! declared {
    (
        $kernel:ident = $name:literal, [$($fact:ident),*];
        $($parameter:ident: $domain:expr $(, $default:expr)?;)*
        => $constructor:expr
    ) => {
        impl $crate::kernels::Declared for $kernel {
            const DECLARATION: &'static $crate::kernels::Declaration =
                &$crate::kernels::Declaration::new($name, stringify!($kernel), const {
                    &[$($crate::kernels::declaration::Formal {
                        name: stringify!($parameter),
                        domain: $domain,
                        default: $crate::kernels::declaration::declared!(@default $($default)?),
                    }),*]
                })$(.$fact::<$kernel>())*;

            fn from_settings(
                values: &[$crate::parameters::Setting],
            ) -> Result<Self, $crate::Error> {
                #[allow(unused, reason = "not every kernel has parameters")]
                let mut values = values.iter();
                $(let $parameter = $crate::kernels::declaration::argument(
                    &mut values,
                    $name,
                    stringify!($parameter),
                )?;)*
                $constructor
            }
        }

        $crate::named! { [] $kernel = $name; }

        impl $crate::parameters::Parameters for $kernel {
            fn parameters(&self) -> Vec<$crate::parameters::Parameter> {
                vec![$($crate::parameters::Parameter::new(
                    stringify!($parameter),
                    &self.$parameter,
                    $domain,
                )),*]
            }

            fn set_parameter(
                &mut self,
                name: &str,
                value: &$crate::parameters::Setting,
            ) -> Result<(), $crate::Error> {
                *self = $crate::kernels::declaration::changed(self, name, value)?;
                Ok(())
            }
        }

        impl std::fmt::Display for $kernel {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let parameters = $crate::parameters::Parameters::parameters(self);
                $crate::kernels::declaration::write_formula(f, $name, &parameters)
            }
        }

        $($crate::kernels::declaration::declared!(@fact $fact $kernel);)*
        $crate::impl_kernel_ops!([] $kernel;);
    };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
    (@fact stationary $kernel:ident) => {
        impl $crate::ShiftInvariant for $kernel {}
        $crate::kernels::declaration::declared!(@fact unit_diagonal $kernel);
    };
    (@fact shift_invariant $kernel:ident) => {
        impl $crate::ShiftInvariant for $kernel {}
    };
    (@fact unit_diagonal $kernel:ident) => {
        impl $crate::UnitDiagonal for $kernel {}
        $crate::kernels::declaration::declared!(@fact bounded $kernel);
    };
    (@fact bounded $kernel:ident) => {
        impl $crate::Bounded for $kernel {
            fn bound(&self) -> f64 {
                1.0
            }
        }
    };
    (@fact spectral $kernel:ident) => {};
}
pub(crate) use declared;
