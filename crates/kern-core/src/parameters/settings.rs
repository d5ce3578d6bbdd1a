//! Declarations of settings: each hyper-parameter once, with its type, its default, its domain and its documentation.

use super::{Domain, Setting, Slot, Value};

/// Settings of learners, as [`settings!`](crate::settings) declares them.
pub trait Declared {
    /// The places of the hyper-parameters that have an effect in this learner and space.
    fn slots(&mut self, learner: &str, space: &str) -> Vec<Slot<'_>>;

    /// The first one with a value outside of the domain that the declaration names: its name, the value and the domain.
    fn outside(&self) -> Option<(&'static str, Setting, &'static Domain)>;
}

/// The value, if it is outside of the domain.
#[doc(hidden)]
pub fn outside<V: Value>(value: &V, domain: &'static Domain) -> Option<Setting> {
    let given = value.setting();
    V::within(domain).accept("", &given).is_err().then_some(given)
}

/// Declares settings: their struct, then groups of hyper-parameters, each with the learners that have them, and the
/// spaces in which they have an effect, if not in all.
///
/// A line `name: type = default, domain;` becomes a field of the struct, a setter of the learners with the documentation
/// of the line, and a hyper-parameter that can be set by name. What has no default is an `Option` that is left to the
/// library, by the name `auto`. A domain may be left out where all values of the type will do; the others are checked by
/// [`Declared::outside`](crate::parameters::Declared::outside), not by setters. The setters of a group `by hand` are
/// written by hand. The crate needs `serde` with its derive macros.
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
