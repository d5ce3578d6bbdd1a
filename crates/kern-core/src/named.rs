//! Type names in files: a kernel or feature map is stored with its name, so that it cannot be read
//! as another type.
//!
//! For `#[serde(with = "kern_core::named")]`, which writes the pair of name and value. The name is
//! compared before the value is read, so that the error for a wrong type is about the name, whether
//! or not the format is self-describing.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The number of letters of a wrong name that an error message quotes.
const SHOWN: usize = 80;

/// A type with a name in files: every kernel, feature map and model that can be saved.
///
/// The name of a kernel is its name in formulas; that of a composite kernel contains the names of
/// its parts. [`named!`](crate::named!) defines names.
///
/// # Examples
/// ```
/// use kern_core::kernels::{Laplacian, Rbf};
/// use kern_core::{Named, closure::Sum, named};
/// use serde::{Deserialize, Serialize};
/// assert_eq!(Sum::<Rbf, Laplacian>::name(), "sum(rbf, laplacian)");
///
/// #[derive(Debug, Serialize, Deserialize)]
/// struct Overlap;
/// named! { [] Overlap = "overlap"; }
///
/// #[derive(Debug, Serialize, Deserialize)]
/// #[serde(bound(serialize = "K: Named + Serialize", deserialize = "K: Named + Deserialize<'de>"))]
/// struct Stored<K> { #[serde(with = "kern_core::named")] kernel: K }
/// let file = serde_json::to_string(&Stored { kernel: Rbf::new(0.5)? })?;
/// assert_eq!(file, r#"{"kernel":["rbf",{"gamma":0.5}]}"#);
/// let error = serde_json::from_str::<Stored<Laplacian>>(&file).unwrap_err();
/// assert!(error.to_string().starts_with("the file has `rbf` where `laplacian` is read"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no name in files",
    note = "give it one: `kern_core::named! {{ [] {Self} = \"...\"; }}`"
)]
pub trait Named {
    /// The name.
    fn name() -> Cow<'static, str>;
}

/// The name of a type as a value without content: serialised as the name, compared with it when
/// read.
pub struct Name<V>(PhantomData<fn() -> V>);

impl<V> Default for Name<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<V> Clone for Name<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Name<V> {}

impl<V> PartialEq for Name<V> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<V> fmt::Debug for Name<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Name")
    }
}

impl<V: Named> Serialize for Name<V> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        write(&V::name(), output)
    }
}

/// Compiled once for each format, as [`read`] is, and not for every type.
fn write<S: Serializer>(name: &str, output: S) -> Result<S::Ok, S::Error> {
    name.serialize(output)
}

impl<'de, V: Named> Deserialize<'de> for Name<V> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        read(&V::name(), input)?;
        Ok(Self::default())
    }
}

fn read<'de, D: Deserializer<'de>>(name: &str, input: D) -> Result<(), D::Error> {
    compare(&String::deserialize(input)?, name).map_err(D::Error::custom)
}

fn compare(given: &str, expected: &str) -> Result<(), String> {
    if given == expected {
        return Ok(());
    }
    // The file may contain any text, of any length.
    let given: String = given.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    Err(format!("the file has `{given}` where `{expected}` is read"))
}

/// Writes the name and the value.
///
/// # Errors
/// Those of the serialiser.
pub fn serialize<V: Named + Serialize, S: Serializer>(
    value: &V,
    output: S,
) -> Result<S::Ok, S::Error> {
    (Name::<V>::default(), value).serialize(output)
}

/// Reads the name, then the value.
///
/// # Errors
/// The errors of the deserialiser, and an error with both names if they differ.
pub fn deserialize<'de, V: Named + Deserialize<'de>, D: Deserializer<'de>>(
    input: D,
) -> Result<V, D::Error> {
    let (_, value): (Name<V>, V) = Deserialize::deserialize(input)?;
    Ok(value)
}

/// A name followed by those of its parts in parentheses.
#[must_use]
pub fn joined(name: &'static str, parts: &[Cow<'static, str>]) -> Cow<'static, str> {
    if parts.is_empty() { name.into() } else { format!("{name}({})", parts.join(", ")).into() }
}

/// Defines the names of types in files: `[generics] Type = "name";`, or
/// `… = "name", of Part, Part;`, which appends the names of the parts.
///
/// # Examples
/// ```
/// use kern_core::{Named, kernels::Rbf, named};
/// struct Twice<K>(K);
/// named! { [K: Named] Twice<K> = "twice", of K; }
/// assert_eq!(Twice::<Rbf>::name(), "twice(rbf)");
/// ```
#[macro_export]
macro_rules! named {
    ($([$($generics:tt)*] $type:ty = $name:expr $(, of $($part:ty),+)?;)*) => {$(
        impl<$($generics)*> $crate::Named for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $crate::named::joined($name, &[$($(<$part as $crate::Named>::name()),+)?])
            }
        }
    )*};
}

/// The name of the targets of points without targets.
impl Named for () {
    fn name() -> Cow<'static, str> {
        "nothing".into()
    }
}

impl<V: Named + ?Sized> Named for &V {
    fn name() -> Cow<'static, str> {
        V::name()
    }
}
