//! Files changed at random, by a seed: what a disk, a bad transfer or somebody with a plan does to them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Numbers that stand in the place of others in a text.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "2",
    "255",
    "65536",
    "1048577",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "-1e308",
    "5e-324",
    "null",
];

/// The same as eight bytes of a number, and as lengths of variable width.
const BYTES: [&[u8]; 9] = [
    &[0, 0, 0, 0, 0, 0, 0xf0, 0x7f],
    &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f],
    &[0, 0, 0, 0, 0, 0, 0xf0, 0xbf],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    &[0x80, 0x80, 0x80, 0x80, 0x10],
    &[0xff, 0xff, 0x03],
    &[0x80, 0x80, 0x40],
    &[0, 0, 0, 0, 0, 0, 0, 0],
];

/// The file after one to three changes; a text is changed in its numbers, too.
pub(crate) fn mutated(file: &[u8], seed: u64, text: bool) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = file.to_vec();
    for _ in 0..rng.random_range(1..=3) {
        if text && rng.random() {
            change_number(&mut bytes, &mut rng);
        } else {
            change_bytes(&mut bytes, &mut rng);
        }
    }
    bytes
}

fn change_bytes(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.random_range(0..bytes.len());
    let end = (at + rng.random_range(1..=16)).min(bytes.len());
    match rng.random_range(0..9) {
        0 | 1 => bytes[at] ^= 1 << rng.random_range(0..8),
        2 | 3 => bytes[at] = rng.random(),
        4 => bytes.truncate(at),
        5 => drop(bytes.drain(at..end)),
        6 => {
            let copy = bytes[at..end].to_vec();
            let to = rng.random_range(0..=bytes.len());
            bytes.splice(to..to, copy);
        }
        7 => {
            let special = BYTES[rng.random_range(0..BYTES.len())];
            let end = (at + special.len()).min(bytes.len());
            bytes[at..end].copy_from_slice(&special[..end - at]);
        }
        // A length of few bytes becomes one of many.
        _ => {
            let special = BYTES[rng.random_range(4..8)];
            bytes.splice(at..=at, special.iter().copied());
        }
    }
}

/// Another number in the place of one, the digits of one changed, or two numbers in each other's place.
fn change_number(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let places = numbers(bytes);
    let Some(&(start, end)) = places.get(rng.random_range(0..places.len().max(1))) else { return };
    match rng.random_range(0..4) {
        0 => {
            let (from, to) = places[rng.random_range(0..places.len())];
            let other = bytes[from..to].to_vec();
            bytes.splice(start..end, other);
        }
        1 => {
            let digit = rng.random_range(start..end);
            bytes[digit] = b'0' + rng.random_range(0..10);
        }
        2 => {
            let digits = bytes[start..end].to_vec();
            bytes.splice(end..end, digits);
        }
        _ => {
            let number = NUMBERS[rng.random_range(0..NUMBERS.len())];
            bytes.splice(start..end, number.bytes());
        }
    }
}

/// The places of the numbers of a text.
fn numbers(bytes: &[u8]) -> Vec<(usize, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e');
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) {
        at = bytes[start..].iter().position(|b| !is_part(b)).map_or(bytes.len(), |i| start + i);
        places.push((start, at));
    }
    places
}
