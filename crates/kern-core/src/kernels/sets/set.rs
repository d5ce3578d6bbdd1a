//! Finite sets, and the identifiers of their elements as features.

use crate::Bag;
use siphasher::sip::SipHasher13;
use std::collections::{BTreeSet, HashSet};
use std::hash::{Hash, Hasher};

/// A finite set: the type of points of kernels on sets.
///
/// Implemented for the sets of the standard library, for vectors, arrays and slices (in which
/// repeated elements count once), and for references to all of these. Equal elements must have
/// equal hashes, as [`Hash`] requires of [`Eq`] types.
///
/// # Numerics
/// Elements are identified by 64-bit fingerprints (SipHash-1-3 with a fixed key) of the data that
/// they pass to [`Hash`]. Among N different elements a collision has probability at most N²/2⁶⁵,
/// below 10⁻⁷ for a million; the kernels are Mercer even then. The fingerprints are the same on all
/// little-endian machines.
///
/// # Examples
/// A set type of your own:
/// ```
/// use kern_core::{Kernel, kernels::{Set, SetIntersection}};
///
/// #[derive(Clone)]
/// struct Basket { fruit: Vec<String> }
///
/// impl Set for Basket {
///     type Element = String;
///     fn elements(&self) -> impl Iterator<Item = &String> {
///         self.fruit.iter()
///     }
/// }
///
/// let basket = |fruit: &[&str]| Basket { fruit: fruit.iter().map(ToString::to_string).collect() };
/// let (x, y) = (basket(&["apple", "fig"]), basket(&["fig", "plum", "fig"]));
/// assert_eq!(Kernel::<Vec<Basket>>::eval(&SetIntersection, &x, &y), 1.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a finite set",
    note = "sets, vectors, arrays and slices are, if their elements are `Hash + Eq`; \
            for your own type, implement `Set`"
)]
pub trait Set {
    /// The elements of the set.
    type Element: Hash + Eq + ?Sized;

    /// The elements, in any order; repetitions are harmless.
    fn elements(&self) -> impl Iterator<Item = &Self::Element>;
}

macro_rules! impl_set {
    ($([$($generic:tt)*] $set:ty, $element:ident;)*) => {$(
        impl<$($generic)*> Set for $set {
            type Element = $element;
            fn elements(&self) -> impl Iterator<Item = &$element> {
                self.iter()
            }
        }
    )*};
}

impl_set!(
    [T: Hash + Eq] Vec<T>, T;
    [T: Hash + Eq] [T], T;
    [T: Hash + Eq, const N: usize] [T; N], T;
    [T: Hash + Eq] BTreeSet<T>, T;
    [T: Hash + Eq, S] HashSet<T, S>, T;
);

impl<S: Set + ?Sized> Set for &S {
    type Element = S::Element;
    fn elements(&self) -> impl Iterator<Item = &S::Element> {
        (**self).elements()
    }
}

/// The elements as features. Only their presence matters, not their weights.
pub(super) fn bag<X: Set + ?Sized>(x: &X) -> Bag {
    x.elements().map(|element| (fingerprint(element), 1.0)).collect()
}

/// The contribution of a common element, independent of repetitions.
pub(super) fn once(_: f64, _: f64) -> f64 {
    1.0
}

fn fingerprint<T: Hash + ?Sized>(element: &T) -> u64 {
    let mut hasher = Portable(SipHasher13::new());
    element.hash(&mut hasher);
    hasher.finish()
}

/// A hasher in which integers have the same bytes on machines of all word lengths.
struct Portable(SipHasher13);

impl Hasher for Portable {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn write_usize(&mut self, i: usize) {
        self.0.write(&(i as u64).to_le_bytes());
    }

    fn write_isize(&mut self, i: isize) {
        self.0.write(&(i as i64).to_le_bytes());
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}
