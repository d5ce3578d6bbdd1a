//! Storage of hyper-parameters: the types of their values and the names of these, validation
//! against a domain, and slots that refer to the stored values.

use super::{Parameter, Parameters, unknown};
use crate::Error;
use crate::values::{Domain, Setting};
use std::borrow::Cow;
use std::fmt;

/// The name of a value that the library chooses.
const AUTO: &str = "auto";

/// A type that stores the value of a hyper-parameter.
///
/// An `Option` is a value that the library may choose: `None` has the name `auto`.
/// [`named_values!`](crate::named_values) names the values of an enum.
///
/// # Examples
/// ```
/// use kern_core::parameters::{Setting, Value};
/// assert_eq!(Some(3_usize).setting(), Setting::Count(3));
/// assert_eq!(None::<usize>.setting(), "auto".into());
/// assert_eq!(Option::<usize>::read(&"auto".into()), Some(None));
/// let domain = Option::<usize>::within(Option::<usize>::all());
/// assert_eq!(domain.to_string(), "auto, or a whole number >= 0");
/// ```
pub trait Value: Sized {
    /// The value.
    fn setting(&self) -> Setting;

    /// Converts a setting to this type, if it has such a value.
    fn read(setting: &Setting) -> Option<Self>;

    /// All values of the type, except those named `auto`.
    fn all() -> &'static Domain;

    /// The values of this domain, and those named `auto`.
    #[must_use]
    fn within(domain: &'static Domain) -> Domain {
        *domain
    }
}

macro_rules! value {
    ($($type:ty: $setting:ident => $read:expr, $domain:expr;)*) => {$(
        impl Value for $type {
            fn setting(&self) -> Setting {
                Setting::from(Clone::clone(self))
            }

            fn read($setting: &Setting) -> Option<Self> {
                $read
            }

            fn all() -> &'static Domain {
                const { &$domain }
            }
        }

        plain_field!($type);
    )*};
}

/// Implements `Field` for a value: a single hyper-parameter.
#[doc(hidden)]
#[macro_export]
macro_rules! plain_field {
    ($type:ty) => {
        impl $crate::parameters::Field for $type {
            fn slots(
                &mut self,
                name: &'static str,
                domain: Option<&'static $crate::parameters::Domain>,
            ) -> Vec<$crate::parameters::Slot<'_>> {
                vec![$crate::parameters::Slot::new(name, domain, self)]
            }

            fn optional<'a>(
                this: &'a mut Option<Self>,
                name: &'static str,
                domain: Option<&'static $crate::parameters::Domain>,
            ) -> Vec<$crate::parameters::Slot<'a>> {
                vec![$crate::parameters::Slot::new(name, domain, this)]
            }
        }
    };
}

value! {
    f64: setting => setting.as_f64(), Domain::finite();
    usize: setting => setting.as_u64()?.try_into().ok(), Domain::count(0);
    u64: setting => setting.as_u64(), Domain::count(0);
    bool: setting => setting.as_bool(), Domain::Flag;
    Vec<f64>: setting => Some(setting.as_list()?.to_vec()), Domain::List;
}

impl<V: Value> Value for Option<V> {
    fn setting(&self) -> Setting {
        self.as_ref().map_or_else(|| AUTO.into(), Value::setting)
    }

    fn read(setting: &Setting) -> Option<Self> {
        if setting.as_str() == Some(AUTO) { Some(None) } else { V::read(setting).map(Some) }
    }

    fn all() -> &'static Domain {
        V::all()
    }

    fn within(domain: &'static Domain) -> Domain {
        Domain::NameOr(&[AUTO], domain)
    }
}

/// Names the values of an enum, so that they can be hyper-parameters:
/// `Type { "name" => Variant, … }`. For a variant with a field, the value in parentheses is used
/// when it is set by name. An optional last variant holds an unnamed value:
/// `or Variant(type) in domain`.
///
/// # Examples
/// ```
/// use kern_core::named_values;
/// use kern_core::parameters::{Domain, Value};
/// #[derive(Debug, PartialEq)]
/// enum Loss { Squared, Huber(f64) }
/// named_values!(Loss { "squared" => Squared, "huber" => Huber(1.0) });
/// assert_eq!(Loss::Huber(0.5).setting(), "huber".into());
/// assert_eq!(Loss::read(&"huber".into()), Some(Loss::Huber(1.0)));
/// assert_eq!(Loss::all().to_string(), "one of squared, huber");
///
/// #[derive(Debug, PartialEq)]
/// enum Averaging { Last, Tail(f64) }
/// named_values!(Averaging { "last" => Last } or Tail(f64) in Domain::fraction());
/// assert_eq!(Averaging::read(&0.5.into()), Some(Averaging::Tail(0.5)));
/// assert_eq!(Averaging::all().to_string(), "last, or a number > 0 and <= 1");
/// ```
// For the crates of this workspace, which declare settings in one form.
#[doc(hidden)]
#[macro_export]
macro_rules! named_values {
    (
        @value $type:ty { $($name:literal => $variant:ident $(($field:expr))?),+ $(,)? }
        $(or $other:ident($inner:ty) in $domain:expr)?
    ) => {
        impl $crate::parameters::Value for $type {
            fn setting(&self) -> $crate::parameters::Setting {
                match self {
                    $(Self::$variant { .. } => $name.into(),)+
                    $(Self::$other(inner) => <$inner as $crate::parameters::Value>::setting(inner),)?
                }
            }

            fn read(setting: &$crate::parameters::Setting) -> Option<Self> {
                match setting.as_str() {
                    $(Some($name) => Some(Self::$variant $(($field))?),)+
                    $(None => <$inner as $crate::parameters::Value>::read(setting).map(Self::$other),)?
                    _ => None,
                }
            }

            fn all() -> &'static $crate::parameters::Domain {
                const { &$crate::named_values!(@domain [$($name),+] $($domain)?) }
            }
        }
    };
    (@domain [$($name:literal),+]) => {
        $crate::parameters::Domain::Choice(&[$($name),+])
    };
    (@domain [$($name:literal),+] $domain:expr) => {
        $crate::parameters::Domain::NameOr(&[$($name),+], const { &$domain })
    };    ($type:ident $($values:tt)+) => {
        $crate::named_values!(@value $type $($values)+);
        $crate::plain_field!($type);
    };
}

impl Domain {
    /// Checks a value of the parameter `name` and converts it to the type of the domain: integers
    /// to real values, real values without a fraction to integers, and a single number to a list.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn accept(&self, name: &str, given: &Setting) -> Result<Setting, Error> {
        let accepted = match *self {
            Domain::Real { smallest, largest, open, .. } => {
                let inside =
                    |v: &f64| (smallest..=largest).contains(v) && !(open && *v <= smallest);
                given.as_f64().filter(inside).map(Setting::Real)
            }
            Domain::Count { smallest, largest, .. } => {
                given.as_u64().filter(|v| (smallest..=largest).contains(v)).map(Setting::Count)
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

/// A stored value.
trait Place {
    fn setting(&self) -> Setting;

    /// Sets the value; returns false, without a change, if the type has no such value.
    fn take(&mut self, setting: &Setting) -> bool;
}

impl<V: Value> Place for V {
    fn setting(&self) -> Setting {
        Value::setting(self)
    }

    fn take(&mut self, setting: &Setting) -> bool {
        // A name may stand for several values; the current one is kept if it has this name.
        Value::setting(self) == *setting || V::read(setting).map(|value| *self = value).is_some()
    }
}

/// A slot of a hyper-parameter: its name, the allowed values, and a reference to the stored value.
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
    /// A slot with this name; without a domain, all values of the type are allowed.
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

/// The slots of several hyper-parameters, which can be listed, read and set by name.
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
