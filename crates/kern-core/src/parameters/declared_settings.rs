//! Declarations of settings: each hyper-parameter once, with its type, default, domain and
//! documentation. Also fields that hold hyper-parameters, and types that list and set them by name.

use super::{Domain, Setting, Slot, Value};

/// Settings of learners, declared by [`settings!`](crate::settings).
pub trait Declared {
    /// The slots of the hyper-parameters that have an effect in this learner and space.
    fn slots(&mut self, learner: &str, space: &str) -> Vec<Slot<'_>>;

    /// The first hyper-parameter outside its declared domain: its name, value and domain.
    fn outside(&self) -> Option<(&'static str, Setting, &'static Domain)>;
}

/// The value, if it is outside the domain.
pub fn outside<V: Value>(value: &V, domain: &'static Domain) -> Option<Setting> {
    let given = value.setting();
    V::within(domain).accept("", &given).is_err().then_some(given)
}

/// Declares settings: a struct, then groups of hyper-parameters, each with the learners that have
/// them and, if not all, the spaces in which they have an effect.
///
/// A line `name: type = default, domain;` becomes a field of the struct, a setter of the learners
/// with the documentation of the line, and a hyper-parameter that can be set by name. A parameter
/// without a default is an `Option` whose `None` lets the library choose, named `auto`. The domain
/// may be omitted where all values of the type are allowed; other domains are checked by
/// [`Declared::outside`](crate::parameters::Declared::outside), not by the setters. The setters of
/// a group `by hand` are written by hand. The calling crate needs `serde` with its derive macros.
///
/// # Examples
/// ```
/// use kern_core::parameters::{Declared, Domain, Setting, Slot};
/// struct OnKernel<K>(K);
/// struct Ridge<S> { space: S, settings: Settings }
/// kern_core::settings! {
///     /// All that does not belong to the space.
///     struct Settings in settings; // the learners' field of this type
///
///     Ridge {
///         /// The penalty λ > 0 of ‖f‖². Default: 1e-6.
///         lambda: f64 = 1e-6, Domain::positive();
///     }
///     Ridge on OnKernel {
///         /// The rank of the preconditioner. Default: as planned.
///         rank: usize, Domain::count(0);
///     }
/// }
/// let mut ridge = Ridge { space: OnKernel("rbf"), settings: Settings::default() }.lambda(0.0);
/// assert_eq!(ridge.settings.outside(), Some(("lambda", Setting::Real(0.0), &Domain::positive())));
/// assert_eq!(ridge.rank(3).settings, Settings { lambda: 0.0, rank: Some(3) });
/// let names = |slots: Vec<Slot>| slots.iter().map(|slot| slot.parameter().name).collect::<Vec<_>>();
/// assert_eq!(names(Settings::default().slots("Ridge", "OnKernel")), ["lambda", "rank"]);
/// assert_eq!(names(Settings::default().slots("Ridge", "OnFeatures")), ["lambda"]);
/// ```
// For the crates of this workspace, which declare settings in one form.
#[doc(hidden)]
#[macro_export]
macro_rules! settings {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $settings:ident in $part:ident;
        $($($learner:ident),+ $(on $($space:ident),+)? $(by $hand:ident)? { $($fields:tt)* })+
    ) => {
        $crate::settings! { @struct [$(#[$attribute])*] [$visibility] $settings { $($($fields)*)+ } }

        impl $crate::parameters::Declared for $settings {
            fn slots(
                &mut self,
                learner: &str,
                space: &str,
            ) -> Vec<$crate::parameters::Slot<'_>> {
                let mut all = Vec::new();
                $(
                    let spaces: &[&str] = &[$($(stringify!($space)),+)?];
                    if [$(stringify!($learner)),+].contains(&learner)
                        && (spaces.is_empty() || spaces.contains(&space))
                    {
                        $crate::settings!(@slots self all { $($fields)* });
                    }
                )+
                all
            }

            fn outside(
                &self,
            ) -> Option<(&'static str, $crate::parameters::Setting, &'static $crate::parameters::Domain)> {
                $crate::settings!(@outside self { $($($fields)*)+ });
                None
            }
        }

        $($crate::settings! {
            @setters [$($learner),+] $part [$($($space),+)?] $($hand)? { $($fields)* }
        })+
    };
    (
        @struct [$($attribute:tt)*] [$visibility:vis] $settings:ident
        {$($(#[$doc:meta])* $name:ident: $type:ty $(= $default:expr)? $(, $domain:expr)?;)*}
    ) => {
        $($attribute)*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        $visibility struct $settings {
            $(pub(crate) $name: $crate::settings!(@type $type $(= $default)?),)*
        }

        impl Default for $settings {
            fn default() -> Self {
                Self { $($name: $crate::settings!(@default $($default)?),)* }
            }
        }
    };
    (@setters [] $($rest:tt)*) => {};
    (@setters $learners:tt $part:ident $spaces:tt hand $fields:tt) => {};
    (@setters [$($learner:ident),+] $part:ident [] $fields:tt) => {
        $($crate::settings! { @impl <S> $learner<S>, $part $fields })+
    };
    (
        @setters [$learner:ident $(, $more:ident)*] $part:ident [$($space:ident),+] $fields:tt
    ) => {
        $($crate::settings! { @impl <F> $learner<$space<F>>, $part $fields })+
        $crate::settings! { @setters [$($more),*] $part [$($space),+] $fields }
    };
    (
        @impl <$parameter:ident> $learner:ty, $part:ident
        {$($(#[$doc:meta])* $name:ident: $type:ty $(= $default:expr)? $(, $domain:expr)?;)*}
    ) => {
        impl<$parameter> $learner {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, $name: $type) -> Self {
                    self.$part.$name = $crate::settings!(@kept $name $(= $default)?);
                    self
                }
            )*
        }
    };
    (
        @slots $this:tt $all:ident
        {$($(#[$doc:meta])* $name:ident: $type:ty $(= $default:expr)? $(, $domain:expr)?;)*}
    ) => {
        $($all.extend($crate::parameters::Field::slots(
            &mut $this.$name,
            stringify!($name),
            $crate::fields!(@domain $($domain)?),
        ));)*
    };
    (
        @outside $this:tt
        {$($(#[$doc:meta])* $name:ident: $type:ty $(= $default:expr)? $(, $domain:expr)?;)*}
    ) => {
        $($(
            let domain = const { &$domain };
            if let Some(given) = $crate::parameters::outside(&$this.$name, domain) {
                return Some((stringify!($name), given, domain));
            }
        )?)*
    };
    (@type $type:ty) => { Option<$type> };
    (@type $type:ty = $default:expr) => { $type };
    (@default) => { None };
    (@default $default:expr) => { $default };
    (@kept $value:ident) => { Some($value) };
    (@kept $value:ident = $default:expr) => { $value };
}

/// A field of settings that consists of one or several hyper-parameters.
///
/// Implemented for all [values](super::Value); [`fields!`](crate::fields) implements it for a type
/// with named parts.
pub trait Field: Sized {
    /// The slots of the hyper-parameters; `name` and `domain` are used by a field that is a single
    /// one.
    fn slots(&mut self, name: &'static str, domain: Option<&'static Domain>) -> Vec<Slot<'_>>;

    /// The slots of an optional field.
    fn optional<'a>(
        this: &'a mut Option<Self>,
        name: &'static str,
        domain: Option<&'static Domain>,
    ) -> Vec<Slot<'a>> {
        this.as_mut().map_or_else(Vec::new, |field| field.slots(name, domain))
    }
}

impl<F: Field> Field for Option<F> {
    fn slots(&mut self, name: &'static str, domain: Option<&'static Domain>) -> Vec<Slot<'_>> {
        F::optional(self, name, domain)
    }
}

/// Names the parts of a type that are hyper-parameters, for each pattern that its values match;
/// `in` precedes their domain.
///
/// # Examples
/// ```
/// use kern_core::fields;
/// use kern_core::parameters::{Domain, Field, Parameters, Slots};
/// enum Length { Epochs(usize), Forever }
/// fields!(Length {
///     Self::Epochs(count) => { "epochs": count in Domain::count(1) }
///     Self::Forever => {}
/// });
/// let mut length = Length::Epochs(20);
/// Slots(length.slots("length", None)).set_parameter("epochs", &5.0.into())?;
/// assert!(matches!(length, Length::Epochs(5)));
/// assert!(Length::Forever.slots("length", None).is_empty());
/// # Ok::<(), kern_core::Error>(())
/// ```
// For the crates of this workspace, which declare settings in one form.
#[doc(hidden)]
#[macro_export]
macro_rules! fields {
    ($type:ty {
        $($shape:pat => { $($name:literal: $value:ident $(in $domain:expr)?),* $(,)? })+
    }) => {
        impl $crate::parameters::Field for $type {
            fn slots(
                &mut self,
                _: &'static str,
                _: Option<&'static $crate::parameters::Domain>,
            ) -> Vec<$crate::parameters::Slot<'_>> {
                match self {
                    $($shape => vec![$($crate::parameters::Slot::new(
                        $name,
                        $crate::fields!(@domain $($domain)?),
                        $value,
                    )),*],)+
                }
            }
        }
    };
    (@domain) => { None };
    (@domain $domain:expr) => { const { Some(&$domain) } };
}

/// Declares a group of settings with its own setters: each hyper-parameter once, with its type,
/// default, domain (unless all values are allowed) and documentation. The calling crate needs
/// `serde` with its derive macros.
///
/// # Examples
/// ```
/// use kern_core::parameters::{Domain, Field, Parameters, Slots};
/// kern_core::part! {
///     /// A search by a tree.
///     #[derive(Copy)]
///     pub struct Tree {
///         /// The number of points of a leaf.
///         leaf: usize = 64, Domain::count(2);
///         /// The seed of the choice of vantage points.
///         seed: u64 = 0;
///     }
/// }
/// let mut tree = Tree::new().leaf(16);
/// Slots(tree.slots("search", None)).set_parameter("search.seed", &3.0.into())?;
/// assert_eq!(tree, Tree { leaf: 16, seed: 3 });
/// # Ok::<(), kern_core::Error>(())
/// ```
// For the crates of this workspace, which declare settings in one form.
#[doc(hidden)]
#[macro_export]
macro_rules! part {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $part:ident {
            $($(#[$doc:meta])* $name:ident: $type:ty = $default:expr $(, $domain:expr)?;)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[must_use]
        $visibility struct $part {
            $(pub(crate) $name: $type,)+
        }

        impl Default for $part {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl $part {
            /// The default parameters.
            pub fn new() -> Self {
                Self::default()
            }

            $(
                $(#[$doc])*
                pub fn $name(mut self, $name: $type) -> Self {
                    self.$name = $name;
                    self
                }
            )+
        }

        impl $crate::parameters::Field for $part {
            fn slots(
                &mut self,
                name: &'static str,
                _: Option<&'static $crate::parameters::Domain>,
            ) -> Vec<$crate::parameters::Slot<'_>> {
                vec![$($crate::parameters::Slot::new(
                    format!("{name}.{}", stringify!($name)),
                    $crate::fields!(@domain $($domain)?),
                    &mut self.$name,
                )),+]
            }
        }
    };
}

/// Implements hyper-parameters by name for a type: those of its fields, which are set in place,
/// then those of its parts.
///
/// `[generics] Type { field(name, domain), … } with part, …`: the arguments of a field are those of
/// [`Field::slots`] or [`Declared::slots`](super::Declared::slots); parts implement
/// [`Parameters`](super::Parameters) and may be given a prefix.
///
/// # Examples
/// ```
/// use kern_core::kernels::Rbf;
/// use kern_core::named_parameters;
/// use kern_core::parameters::{Domain, Parameters};
/// struct Smoother<K> { kernel: K, width: f64 }
/// named_parameters! {
///     [K: Parameters] Smoother<K> { width("width", const { Some(&Domain::positive()) }) }
///     with kernel under "kernel"
/// }
/// let mut smoother = Smoother { kernel: Rbf::new(1.0)?, width: 2.0 };
/// smoother.set_parameter("width", &0.5.into())?;
/// smoother.set_parameter("kernel.gamma", &0.25.into())?;
/// assert_eq!((smoother.width, smoother.kernel), (0.5, Rbf::new(0.25)?));
/// # Ok::<(), kern_core::Error>(())
/// ```
// For the crates of this workspace, which declare settings in one form.
#[doc(hidden)]
#[macro_export]
macro_rules! named_parameters {
    (
        $(#[$doc:meta])*
        [$($generics:tt)*] $type:ty { $($field:ident($($argument:expr),+)),* $(,)? }
        $(with $($part:ident $(under $prefix:literal)?),+)?
    ) => {
        $(#[$doc])*
        impl<$($generics)*> $crate::parameters::Parameters for $type {
            fn parameters(&self) -> Vec<$crate::parameters::Parameter> {
                #[allow(unused_imports, reason = "not every type has fields of both kinds")]
                use $crate::parameters::{Declared as _, Field as _, Parameters as _};
                let mut all = Vec::new();
                $(
                    let mut field = self.$field.clone();
                    let slots = field.slots($($argument),+);
                    all.extend(slots.iter().map($crate::parameters::Slot::parameter));
                )*
                $($(all.extend($crate::named_parameters!(@listed self $part $($prefix)?));)+)?
                all
            }

            fn set_parameter(
                &mut self,
                name: &str,
                value: &$crate::parameters::Setting,
            ) -> Result<(), $crate::Error> {
                #[allow(unused_imports, reason = "not every type has fields of both kinds")]
                use $crate::parameters::{Declared as _, Field as _, Slots, set_in_parts};
                let mut own = Vec::new();
                $(own.extend(self.$field.slots($($argument),+));)*
                set_in_parts(
                    &mut [
                        &mut Slots(own),
                        $($($crate::named_parameters!(@part self $part $($prefix)?),)+)?
                    ],
                    name,
                    value,
                )
            }
        }
    };
    (@listed $this:tt $part:ident) => { $this.$part.parameters() };
    (@listed $this:tt $part:ident $prefix:literal) => {
        $crate::parameters::under($prefix, &$this.$part)
    };
    (@part $this:tt $part:ident) => { &mut $this.$part };
    (@part $this:tt $part:ident $prefix:literal) => {
        &mut $crate::parameters::Under { prefix: $prefix, part: &mut $this.$part }
    };
}
