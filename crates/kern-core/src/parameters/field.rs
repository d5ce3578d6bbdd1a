//! Fields that hold hyper-parameters.

use super::{Domain, Slot};

/// A field of settings: one hyper-parameter, or several.
///
/// All [values](super::Value) are; [`fields!`](crate::fields) makes one of a type whose parts have names.
pub trait Field: Sized {
    /// The places of the hyper-parameters; the name and the domain are those of a field that is one itself.
    fn slots(&mut self, name: &'static str, domain: Option<&'static Domain>) -> Vec<Slot<'_>>;

    /// The places of a field that there may be or not.
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

/// Names the parts of a type that are hyper-parameters, by the shapes that it has; what stands behind `in` is their
/// domain.
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

/// Declares a part of settings with setters of its own: each hyper-parameter once, with its type, its default, its domain
/// if not all values will do, and its documentation. The crate needs `serde` with its derive macros.
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

/// Gives a type hyper-parameters by name: those of its fields, which are set in place, then those of its parts.
///
/// `[generics] Type { field(name, domain), … } with part, …`: the fields' arguments are those of [`Field::slots`] or of
/// [`Declared::slots`](super::Declared::slots); parts have [`Parameters`](super::Parameters), and stand behind a prefix
/// if one is given.
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
