//! Identifiers of structured features: 64-bit fingerprints that are the same on every machine.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// A fingerprint under construction (SipHash-1-3 with a fixed key, integers in little-endian
/// order).
///
/// Two different inputs have the same fingerprint with probability 2⁻⁶⁴, so among N different
/// inputs a collision has probability at most N²/2⁶⁵: below 10⁻⁷ for a million.
pub(super) struct Fingerprint(SipHasher13);

impl Fingerprint {
    /// `kind` separates inputs of different meaning.
    pub(super) fn new(kind: u64) -> Self {
        Self(SipHasher13::new()).word(kind)
    }

    pub(super) fn word(mut self, word: u64) -> Self {
        self.0.write(&word.to_le_bytes());
        self
    }

    /// The length precedes the text, so that consecutive texts cannot be confused.
    pub(super) fn text(self, text: &str) -> Self {
        let mut this = self.word(text.len() as u64);
        this.0.write(text.as_bytes());
        this
    }

    pub(super) fn finish(self) -> u64 {
        self.0.finish()
    }
}

/// Marks fingerprints; feature identifiers below this value are exact.
pub(super) const HASHED: u64 = 1 << 63;

/// The identifier of a substring as a feature. Up to seven bytes are packed exactly with their
/// length; longer substrings have a 63-bit fingerprint.
pub(super) fn text_feature(text: &str) -> u64 {
    match text.len() {
        0..=7 => text.bytes().fold(text.len() as u64, |packed, byte| packed << 8 | u64::from(byte)),
        _ => Fingerprint::new(0).text(text).finish() | HASHED,
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    /// The expected values come from a Python implementation of SipHash-1-3, written from the
    /// definition (Aumasson & Bernstein 2012) and validated with the published vector of
    /// SipHash-2-4.
    #[test]
    fn fingerprints_are_those_of_the_definition() {
        assert_eq!(Fingerprint::new(0).finish(), 0xbd60_acb6_58c7_9e45);
        assert_eq!(Fingerprint::new(1).word(2).word(3).finish(), 0x8acb_6513_5d8f_2da1);
        assert_eq!(Fingerprint::new(7).text("日本").finish(), 0x588a_9396_06ad_1c7f);
    }

    #[test]
    fn consecutive_texts_do_not_run_together() {
        let two = |a, b| Fingerprint::new(0).text(a).text(b).finish();
        assert_ne!(two("ab", "c"), two("a", "bc"));
    }
}
