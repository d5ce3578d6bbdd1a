//! Fingerprints of feature maps, which identify the map that statistics were gathered with.

use super::Error;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use std::fmt;
use std::hash::Hasher;
use std::io;

/// A 64-bit identifier of a feature map: a hash of its serialised form, or a value chosen by the
/// caller.
///
/// Two different maps have the same hash with probability 2⁻⁶⁴. It protects against mistakes, not
/// against an adversary.
///
/// # Examples
/// ```
/// use kern_core::Identity;
/// use kern_approx::statistics::Fingerprint;
/// let of = |dim| Fingerprint::of(&Identity::new(dim));
/// assert_eq!(of(2)?, of(2)?);
/// assert_ne!(of(2)?, of(3)?);
/// # Ok::<(), kern_approx::statistics::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// An identifier chosen by the caller, for maps that cannot be serialised.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The hash (SipHash-1-3 with a fixed key) of the serialised form of the map.
    ///
    /// # Complexity
    /// One pass over the serialised form; for a Nyström map on a Cholesky factor that includes the
    /// eigenvalues of the landmarks' Gram matrix, O(m³).
    ///
    /// # Errors
    /// [`Error::Unserializable`].
    pub fn of<M: Serialize + ?Sized>(map: &M) -> Result<Self, Error> {
        let Hashed(hasher) = postcard::to_io(map, Hashed(SipHasher13::new()))
            .map_err(|error| Error::Unserializable { reason: error.to_string() })?;
        Ok(Self(hasher.finish()))
    }

    /// Checks that another fingerprint is the same.
    pub(super) fn check(self, given: Self) -> Result<(), Error> {
        if given == self { Ok(()) } else { Err(Error::Fingerprint { expected: self, given }) }
    }

    /// The identifier as an integer.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A writer that hashes its bytes. `SipHasher13` hashes a sequence of writes as their
/// concatenation.
struct Hashed(SipHasher13);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
