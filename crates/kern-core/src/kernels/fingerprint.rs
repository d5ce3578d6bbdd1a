//! Names of structured features: 64-bit fingerprints that are the same on every machine.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// A fingerprint under construction (SipHash-1-3 under a fixed key, numbers as little-endian).
///
/// Two different inputs have the same fingerprint with probability 2⁻⁶⁴, so among N different ones
/// there is a collision with probability at most N²/2⁶⁵: below 10⁻⁷ for a million.
pub(super) struct Fingerprint(SipHasher13);

impl Fingerprint {
    /// `kind` keeps inputs of different meaning apart.
    pub(super) fn new(kind: u64) -> Self {
        Self(SipHasher13::new()).word(kind)
    }

    pub(super) fn word(mut self, word: u64) -> Self {
        self.0.write(&word.to_le_bytes());
        self
    }

    /// The length stands before the text, so that consecutive texts do not run together.
    pub(super) fn text(self, text: &str) -> Self {
        let mut this = self.word(text.len() as u64);
        this.0.write(text.as_bytes());
        this
    }

    pub(super) fn finish(self) -> u64 {
        self.0.finish()
    }
}

/// The features that fingerprints name; those below are exact.
pub(super) const HASHED: u64 = 1 << 63;

/// The name of a piece of text as a feature. Up to seven bytes are packed with their number, which
/// is exact; longer ones have a fingerprint of 63 bits.
pub(super) fn text_feature(text: &str) -> u64 {
    match text.len() {
        0..=7 => text.bytes().fold(text.len() as u64, |packed, byte| packed << 8 | u64::from(byte)),
        _ => Fingerprint::new(0).text(text).finish() | HASHED,
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    /// The values are of an implementation of SipHash-1-3 in Python, written from the definition
    /// (Aumasson & Bernstein 2012) and itself checked on the vector published for SipHash-2-4.
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
