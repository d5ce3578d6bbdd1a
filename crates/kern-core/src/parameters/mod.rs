//! Hyper-parameters: listed, read and set by name, each with its domain of allowed values.

mod composite;
mod declared_settings;
mod law;
mod slot;

pub use crate::values::{Domain, Scale, Setting};
pub(crate) use composite::{Pair, numbered, set_in_pair, set_numbered, set_with_inner, with_inner};
pub use composite::{Rule, Under, set_in_parts, under};
pub use declared_settings::outside;
pub use declared_settings::{Declared, Field};
pub use law::verify_parameters;
pub use slot::{Slot, Slots, Value};

use crate::{Error, Kernel, Mercer, Points};
use std::borrow::Cow;
use std::sync::Arc;

/// A hyper-parameter: its name, its value and its domain.
///
/// # Examples
/// ```
/// use kern_core::parameters::{Domain, Parameter, Setting};
/// let gamma = Parameter::new("gamma", 0.5, Domain::positive()).under("kernel");
/// assert_eq!((gamma.name.as_ref(), gamma.value), ("kernel.gamma", Setting::Real(0.5)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// `gamma`; `1.gamma` in a composite, `kernel.gamma` in a learner.
    pub name: Cow<'static, str>,
    /// The value.
    pub value: Setting,
    /// The allowed values.
    pub domain: Domain,
}

impl Parameter {
    /// A parameter with this name, value and domain.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Setting>,
        domain: Domain,
    ) -> Self {
        Self { name: name.into(), value: value.into(), domain }
    }

    /// The parameter as one of a part: `prefix.name`.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.name = Cow::Owned(format!("{prefix}.{}", self.name));
        self
    }
}

/// A type with hyper-parameters that can be listed, read and set by name.
///
/// All kernels implement it. For your own kernel without parameters, an empty `impl` suffices.
///
/// Closure rules include the parameters of their parts: a [`Scaled`](crate::closure::Scaled) kernel
/// has `weight` besides those of its part, a [`Power`](crate::closure::Power) has `exponent`. (If
/// the part has a parameter of that name itself, it is called `inner.weight`.) Sums and products
/// number their parts from left to right: `1.gamma`, `2.gamma`; a sum of sums counts as one sum, as
/// it is printed.
///
/// # Examples
/// ```
/// use kern_core::kernels::{Laplacian, Linear, Rbf};
/// use kern_core::parameters::{Parameters, Setting};
/// let mut kernel = 0.5 * Rbf::new(1.0)? + Linear + Laplacian::new(2.0)?;
/// let names: Vec<_> = kernel.parameters().into_iter().map(|p| p.name).collect();
/// assert_eq!(names, ["1.weight", "1.gamma", "3.gamma"]);
/// kernel.set_parameter("1.gamma", &0.25.into())?;
/// assert_eq!(kernel.parameter("1.gamma"), Some(Setting::Real(0.25)));
/// let refused = kernel.set_parameter("3.gamma", &(-1.0).into()).unwrap_err();
/// assert_eq!(refused.to_string(), "3.gamma must be a finite number > 0, got -1");
///
/// struct Own;
/// impl Parameters for Own {}
/// assert!(Own.parameters().is_empty());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the hyper-parameters of `{Self}` are not known",
    note = "if it has none that should be set by name, write `impl Parameters for … {{}}`"
)]
pub trait Parameters {
    /// All parameters, with distinct names. Default: none.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// Sets a parameter. On an error, nothing changes.
    ///
    /// Integers are accepted for real parameters, real values without a fraction for integer
    /// parameters, and a single number for a list.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the known names, [`Error::Setting`] with the allowed values.
    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        let _ = value;
        Err(unknown(name, &self.parameters()))
    }

    /// The value of the parameter with this name, if there is one.
    fn parameter(&self, name: &str) -> Option<Setting> {
        self.parameters().into_iter().find(|p| p.name == name).map(|p| p.value)
    }

    /// The number of consecutively numbered parts that this contributes to a sum (product).
    #[doc(hidden)]
    fn terms(&self, rule: Rule) -> usize {
        let _ = rule;
        1
    }
}

/// The error for an unknown name.
///
/// # Examples
/// ```
/// use kern_core::parameters::{Domain, Parameter, unknown};
/// let known = [Parameter::new("gamma", 0.5, Domain::positive())];
/// let error = unknown("sigma", &known).to_string();
/// assert_eq!(error, "unknown parameter `sigma`, expected one of gamma");
/// ```
#[must_use]
pub fn unknown(name: &str, known: &[Parameter]) -> Error {
    let known = known.iter().map(|p| p.name.clone()).collect();
    Error::UnknownName { what: "parameter", given: name.to_string(), known }
}

impl<K: Parameters + ?Sized> Parameters for Box<K> {
    fn parameters(&self) -> Vec<Parameter> {
        (**self).parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        (**self).set_parameter(name, value)
    }

    fn terms(&self, rule: Rule) -> usize {
        (**self).terms(rule)
    }
}

/// None: a kernel behind a shared reference cannot be modified.
impl<K: ?Sized> Parameters for &K {}

/// None: a shared kernel cannot be modified.
impl<K: ?Sized> Parameters for Arc<K> {}

/// None: the type of the kernel is erased. A kernel from a formula keeps its parameters.
impl<P: Points + ?Sized> Parameters for dyn Kernel<P> + '_ {}

/// None: the type of the kernel is erased. A kernel from a formula keeps its parameters.
impl<P: Points + ?Sized> Parameters for dyn Mercer<P> + '_ {}
