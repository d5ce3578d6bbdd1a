//! Hyper-parameters where they are kept, and those of parts.

use super::composite::lifted;
use super::{Domain, Parameter, Parameters, Setting, Value, unknown};
use crate::Error;
use std::borrow::Cow;
use std::fmt;

/// A place that holds a value.
trait Place {
    fn setting(&self) -> Setting;

    /// Takes another value. False, and no change, for one that the type has not.
    fn take(&mut self, setting: &Setting) -> bool;
}

impl<V: Value> Place for V {
    fn setting(&self) -> Setting {
        Value::setting(self)
    }

    fn take(&mut self, setting: &Setting) -> bool {
        // A name may stand for several values, of which the one that is there stays.
        Value::setting(self) == *setting || V::read(setting).map(|value| *self = value).is_some()
    }
}

/// The place of a hyper-parameter: its name, the values that are allowed, and where the value is kept.
///
/// # Examples
/// ```
/// use kern_core::parameters::{Domain, Parameters, Setting, Slot, Slots};
/// let (mut folds, mut shuffled) = (5_usize, true);
/// let mut slots = Slots(vec![
///     Slot::new("folds", Some(const { &Domain::count(2) }), &mut folds),
///     Slot::new("shuffled", None, &mut shuffled),
/// ]);
/// slots.set_parameter("folds", &3.0.into())?;
/// assert_eq!(slots.parameter("folds"), Some(Setting::Count(3)));
/// assert!(slots.set_parameter("folds", &1.0.into()).is_err());
/// assert_eq!(folds, 3);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub struct Slot<'a> {
    name: Cow<'static, str>,
    domain: Domain,
    value: &'a mut dyn Place,
}

impl<'a> Slot<'a> {
    /// The place of a hyper-parameter of this name; without a domain it may have all values of its type.
    pub fn new<V: Value>(
        name: impl Into<Cow<'static, str>>,
        domain: Option<&'static Domain>,
        value: &'a mut V,
    ) -> Self {
        Self { name: name.into(), domain: V::within(domain.unwrap_or_else(V::all)), value }
    }

    /// The hyper-parameter.
    #[must_use]
    pub fn parameter(&self) -> Parameter {
        Parameter::new(self.name.clone(), self.value.setting(), self.domain)
    }

    fn set(&mut self, value: &Setting) -> Result<(), Error> {
        let accepted = self.domain.accept(&self.name, value)?;
        if self.value.take(&accepted) {
            return Ok(());
        }
        Err(Error::Setting { name: self.name.clone(), given: accepted, allowed: self.domain })
    }
}

impl fmt::Debug for Slot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameter().fmt(f)
    }
}

/// The places of several hyper-parameters, which can be listed, read and set by name.
#[derive(Debug)]
pub struct Slots<'a>(pub Vec<Slot<'a>>);

impl Parameters for Slots<'_> {
    fn parameters(&self) -> Vec<Parameter> {
        self.0.iter().map(Slot::parameter).collect()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), Error> {
        match self.0.iter_mut().find(|slot| slot.name == name) {
            Some(slot) => slot.set(value),
            None => Err(unknown(name, &self.parameters())),
        }
    }
}

/// A part whose hyper-parameters have its name in front: `kernel.gamma`.
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

/// The hyper-parameters of a part with its name in front.
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

/// Sets a hyper-parameter of the one of several parts that has it. Their names are different.
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
    // References to parts are not asked: what is behind one has no names.
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
