//! Kernels on strings: values worked out by hand or printed in the papers, agreement with the
//! definitions spelled out naively, the contract on hostile strings, errors and serialisation.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]
#![allow(clippy::float_cmp, reason = "counts are exact")]

use kern_core::closure::{Exp, Normalized, Scaled};
use kern_core::kernels::{Hamming, HammingRbf, Mismatch, Spectrum, Subsequence, WeightedDegree};
use kern_core::{Error, Kernel, Mercer, contract};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn value(kernel: &impl Kernel<Vec<String>>, x: &str, y: &str) -> f64 {
    kernel.eval(&x.to_string(), &y.to_string())
}

fn chars(x: &str) -> Vec<char> {
    x.chars().collect()
}

fn close(given: f64, expected: f64) -> bool {
    (given - expected).abs() <= 1e-12 * expected.abs()
}

/// The inner product of bags of named features.
fn inner<F: Ord>(x: &BTreeMap<F, f64>, y: &BTreeMap<F, f64>) -> f64 {
    x.iter().filter_map(|(u, v)| y.get(u).map(|w| v * w)).sum()
}

// The definitions, naively.

fn naive_grams(x: &str, k: usize) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for piece in chars(x).windows(k) {
        *counts.entry(piece.iter().collect()).or_default() += 1.0;
    }
    counts
}

fn naive_spectrum(k: usize, x: &str, y: &str) -> f64 {
    inner(&naive_grams(x, k), &naive_grams(y, k))
}

/// All words of k letters of the alphabet.
fn all_words(alphabet: &[char], k: usize) -> Vec<Vec<char>> {
    (0..k).fold(vec![vec![]], |shorter, _| {
        let longer = |word: &Vec<char>| {
            let word = word.clone();
            alphabet.iter().map(move |&c| word.iter().copied().chain([c]).collect())
        };
        shorter.iter().flat_map(longer).collect()
    })
}

/// Every word of the alphabet against every piece.
fn naive_mismatch(alphabet: &str, k: usize, m: usize, x: &str, y: &str) -> f64 {
    let letters: Vec<char> = alphabet.chars().collect::<BTreeSet<_>>().into_iter().collect();
    let count = |x: &str, word: &[char]| {
        let far = |piece: &&[char]| piece.iter().zip(word).filter(|(a, b)| a != b).count() <= m;
        chars(x).windows(k).filter(far).count() as f64
    };
    all_words(&letters, k).iter().map(|word| count(x, word) * count(y, word)).sum()
}

/// φ of a string by all its 2ⁿ subsets of positions, each weighted by `weight(span)`.
fn naive_subsequences(p: usize, x: &str, weight: impl Fn(usize) -> f64) -> BTreeMap<String, f64> {
    let x = chars(x);
    let mut features = BTreeMap::new();
    for subset in 0_u32..1 << x.len() {
        let at: Vec<usize> = (0..x.len()).filter(|i| subset >> i & 1 == 1).collect();
        if at.len() == p {
            let span = at[p - 1] - at[0] + 1;
            *features.entry(at.iter().map(|&i| x[i]).collect()).or_default() += weight(span);
        }
    }
    features
}

fn naive_subsequence(p: usize, lambda: f64, x: &str, y: &str) -> f64 {
    let phi = |x: &str| naive_subsequences(p, x, |span| lambda.powi(span as i32));
    inner(&phi(x), &phi(y))
}

fn naive_matches(x: &str, y: &str) -> usize {
    let (x, y) = (chars(x), chars(y));
    (0..x.len().min(y.len())).filter(|&i| x[i] == y[i]).count()
}

fn naive_weighted_degree(d: usize, x: &str, y: &str) -> f64 {
    let (x, y) = (chars(x), chars(y));
    let n = x.len().min(y.len());
    let equal =
        |k: usize| (0..(n + 1).saturating_sub(k)).filter(|&i| x[i..i + k] == y[i..i + k]).count();
    let beta = |k: usize| 2.0 * (d - k + 1) as f64 / (d * (d + 1)) as f64;
    (1..=d).map(|k| beta(k) * equal(k) as f64).sum()
}

/// Strings of few letters, so that much coincides: ASCII, and letters of 2, 3 and 4 bytes.
pub(crate) fn short_string() -> impl Strategy<Value = String> {
    let letter = prop_oneof![3 => Just('A'), 3 => Just('C'), 2 => Just('G'), 1 => Just('é'),
        1 => Just('€'), 1 => Just('𝄞')];
    proptest::collection::vec(letter, 0..11).prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #[test]
    fn spectrum_is_the_sum_over_pieces(x in short_string(), y in short_string(), k in 1_usize..13) {
        let expected = naive_spectrum(k, &x, &y);
        prop_assert_eq!(value(&Spectrum::new(k).unwrap(), &x, &y), expected);
        let blended: f64 = (1..=k).map(|k| naive_spectrum(k, &x, &y)).sum();
        prop_assert_eq!(value(&Spectrum::blended(k).unwrap(), &x, &y), blended);
    }

    #[test]
    fn mismatch_is_the_sum_over_all_words(
        x in short_string(), y in short_string(), k in 1_usize..5, m in 0_usize..4,
    ) {
        prop_assume!(m < k);
        // Letters of the strings that are not in the alphabet, and the other way round.
        for alphabet in ["ACG", "ACGé€𝄞T", "TG", "A"] {
            let expected = naive_mismatch(alphabet, k, m, &x, &y);
            prop_assert_eq!(value(&Mismatch::new(alphabet, k, m).unwrap(), &x, &y), expected);
        }
    }

    #[test]
    fn mismatch_of_none_is_the_spectrum(x in short_string(), y in short_string(), k in 1_usize..9) {
        let mismatch = Mismatch::new("ACGé€𝄞", k, 0).unwrap();
        prop_assert_eq!(value(&mismatch, &x, &y), naive_spectrum(k, &x, &y));
    }

    #[test]
    fn subsequence_is_the_sum_over_all_subsequences(
        x in short_string(), y in short_string(), p in 1_usize..6, lambda in 0.01..=1.0_f64,
    ) {
        let given = value(&Subsequence::new(p, lambda).unwrap(), &x, &y);
        let expected = naive_subsequence(p, lambda, &x, &y);
        prop_assert!(close(given, expected), "{} for {}", given, expected);
        let phi = |x: &str| naive_subsequences(p, x, |span| lambda.powi((span - p) as i32));
        let given = value(&Subsequence::by_gaps(p, lambda).unwrap(), &x, &y);
        let expected = inner(&phi(&x), &phi(&y));
        prop_assert!(close(given, expected), "by gaps {} for {}", given, expected);
    }

    #[test]
    fn positional_kernels_are_their_definitions(
        x in short_string(), y in short_string(), d in 1_usize..13, gamma in 0.01..3.0_f64,
    ) {
        let matches = naive_matches(&x, &y);
        prop_assert_eq!(value(&Hamming, &x, &y), matches as f64);
        let distance = chars(&x).len().max(chars(&y).len()) - matches;
        let expected = (-gamma * distance as f64).exp();
        prop_assert_eq!(value(&HammingRbf::new(gamma).unwrap(), &x, &y), expected);
        let given = value(&WeightedDegree::new(d).unwrap(), &x, &y);
        prop_assert!(close(given, naive_weighted_degree(d, &x, &y)));
        prop_assert_eq!(value(&WeightedDegree::new(1).unwrap(), &x, &y), matches as f64);
    }

    #[test]
    fn random_strings_keep_the_contract(
        x in proptest::collection::vec(short_string(), 0..9), k in 1_usize..5, lambda in 0.05..=1.0_f64,
    ) {
        contract::verify_mercer(&Spectrum::new(k).unwrap(), &x).unwrap();
        contract::verify_mercer(&Spectrum::blended(k).unwrap(), &x).unwrap();
        contract::verify_mercer(&Mismatch::new("ACG", k, k / 2).unwrap(), &x).unwrap();
        contract::verify_mercer(&Subsequence::new(k, lambda).unwrap(), &x).unwrap();
        contract::verify_mercer(&Subsequence::by_gaps(k, lambda).unwrap(), &x).unwrap();
        contract::verify_mercer(&Hamming, &x).unwrap();
        contract::verify_mercer(&HammingRbf::new(lambda).unwrap(), &x).unwrap();
        contract::verify_mercer(&WeightedDegree::new(k).unwrap(), &x).unwrap();
    }
}

// Values from the papers and by hand.

/// Lodhi et al. (2002), the table for p = 2 in section 3: cat, car, bat, bar.
#[test]
fn subsequence_has_the_values_of_lodhi() {
    let l = 0.5_f64;
    let k = Subsequence::new(2, l).unwrap();
    assert_eq!(value(&k, "cat", "car"), l.powi(4));
    assert_eq!(value(&k, "cat", "cat"), 2.0 * l.powi(4) + l.powi(6));
    assert_eq!(value(&k, "car", "car"), 2.0 * l.powi(4) + l.powi(6));
    // cat has ca, at, c-t and bat has ba, at, b-t: at.
    assert_eq!(value(&k, "cat", "bat"), l.powi(4));
    assert_eq!(value(&k, "cat", "bar"), 0.0);
    assert_eq!(value(&k, "bat", "bar"), l.powi(4));
    let cosine = Normalized::new(k);
    assert!(close(value(&cosine, "cat", "car"), 1.0 / (2.0 + l * l)));
}

/// "c-r" in "caar" spans 4 letters, "cr" 2.
#[test]
fn subsequence_counts_gaps_in_both_strings() {
    let l = 0.25_f64;
    let k = |p| Subsequence::new(p, l).unwrap();
    assert_eq!(value(&k(2), "cr", "caar"), l.powi(2 + 4));
    // "aa" in "aaa" twice with span 2 and once with span 3; "a" thrice.
    let aa = 2.0 * l.powi(2) + l.powi(3);
    assert_eq!(value(&k(2), "aaa", "aaa"), aa * aa);
    assert_eq!(value(&k(2), "aaa", "aa"), aa * l.powi(2));
    assert_eq!(value(&k(1), "aaa", "aa"), 6.0 * l.powi(2));
    assert_eq!(value(&k(3), "aaa", "aaa"), l.powi(6));
    assert_eq!(value(&k(4), "aaa", "aaa"), 0.0);
    assert_eq!(value(&k(1), "", "aaa"), 0.0);
    assert_eq!(value(&k(usize::MAX), "aaa", "aaa"), 0.0);
}

/// λ = 1 counts pairs of equal subsequences: C(n, p)² for strings of one letter.
#[test]
fn subsequence_without_decay_counts() {
    let a = |n| "a".repeat(n);
    let k = |p| Subsequence::new(p, 1.0).unwrap();
    assert_eq!(value(&k(3), &a(10), &a(7)), 120.0 * 35.0);
    assert_eq!(value(&k(7), &a(7), &a(7)), 1.0);
    assert_eq!(value(&Subsequence::by_gaps(3, 1.0).unwrap(), &a(10), &a(7)), 120.0 * 35.0);
}

#[test]
fn subsequence_of_long_strings_neither_vanishes_nor_loses_digits() {
    // λ²ᵖ = 10⁻⁴⁰⁰ is no number, the kernel by gaps is: one contiguous piece, no gaps.
    let alphabet: String = ('\u{4e00}'..).take(200).collect();
    let gaps = Subsequence::by_gaps(200, 0.01).unwrap();
    assert_eq!(value(&gaps, &alphabet, &alphabet), 1.0);
    assert_eq!(value(&Subsequence::new(200, 0.01).unwrap(), &alphabet, &alphabet), 0.0);
    // One pair of letters, 3000 letters apart: λ³⁰⁰⁰ underflows, to exactly 0 and without harm.
    let far = format!("x{}y", "-".repeat(3000));
    let k = Subsequence::by_gaps(2, 0.5).unwrap();
    assert_eq!(value(&k, &far, "xy"), 0.0);
    assert_eq!(value(&Subsequence::by_gaps(2, 1.0).unwrap(), &far, "xy"), 1.0);
    // n letters a: the sum over pairs i < j of λ^(j − i − 1), squared.
    let (n, l) = (2000, 0.999_f64);
    let phi: f64 = (1..n).map(|gap| (n - gap) as f64 * l.powi(gap - 1)).sum();
    let a = "a".repeat(n as usize);
    assert!(close(value(&Subsequence::by_gaps(2, l).unwrap(), &a, &a), phi * phi));
}

#[test]
fn spectrum_by_hand() {
    let k = |k| Spectrum::new(k).unwrap();
    // GAG, AGA, GAT, ATG, TGA, once each in both.
    assert_eq!(value(&k(3), "GAGATGA", "GATGAGA"), 5.0);
    assert_eq!(value(&k(1), "aab", "abb"), 2.0 + 2.0);
    assert_eq!(value(&k(2), "aaaa", "aaa"), 3.0 * 2.0);
    assert_eq!(value(&k(5), "aaaa", "aaaa"), 0.0);
    assert_eq!(value(&k(usize::MAX), "aaaa", "aaaa"), 0.0);
    assert_eq!(value(&Spectrum::blended(usize::MAX).unwrap(), "abc", "abc"), 6.0);
    assert_eq!(value(&k(1), "", ""), 0.0);
    // One letter of four bytes is one letter.
    assert_eq!(value(&k(1), "𝄞𝄞", "𝄞"), 2.0);
    assert_eq!(value(&k(2), "𝄞𝄞", "𝄞"), 0.0);
    // Pieces of more than seven bytes, which have fingerprints.
    assert_eq!(value(&k(10), "abcdefghijk", "bcdefghijkl"), 1.0);
}

/// Different pieces are different features: all strings of up to 3 letters, and 10⁴ long ones.
#[test]
fn spectrum_tells_pieces_apart() {
    let letters: Vec<char> = "ab\0é€𝄞".chars().collect();
    let mut pieces: Vec<String> =
        (1..=3).flat_map(|k| all_words(&letters, k)).map(String::from_iter).collect();
    pieces.extend((0..10_000).map(|i| format!("common part {i:05}")));
    let blended =
        |x: &String| Kernel::<Vec<String>>::eval(&Spectrum::new(x.chars().count()).unwrap(), x, x);
    assert!(pieces.iter().all(|x| blended(x) == 1.0));
    let whole = Normalized::new(Spectrum::new(17).unwrap());
    let long = &pieces[pieces.len() - 10_000..];
    let mut seen = 0.0;
    for y in long {
        seen += Kernel::<Vec<String>>::eval(&whole, &long[77], y);
    }
    assert_eq!(seen, 1.0);
    for k in 1..=3 {
        let words: Vec<String> =
            all_words(&letters, k).into_iter().map(String::from_iter).collect();
        let kernel = Spectrum::new(k).unwrap();
        for (i, x) in words.iter().enumerate() {
            for (j, y) in words.iter().enumerate() {
                let expected = f64::from(i == j);
                assert_eq!(Kernel::<Vec<String>>::eval(&kernel, x, y), expected, "{x:?} {y:?}");
            }
        }
    }
}

#[test]
fn mismatch_by_hand() {
    let k = |alphabet, k, m| Mismatch::new(alphabet, k, m).unwrap();
    // A word has 1 + 3·3 = 10 neighbours of 3 letters of DNA; AAA and AAC share AA?, 4 words.
    assert_eq!(value(&k("ACGT", 3, 1), "AAA", "AAA"), 10.0);
    assert_eq!(value(&k("ACGT", 3, 1), "AAA", "AAC"), 4.0);
    // AAA and ACC: ACA and AAC.
    assert_eq!(value(&k("ACGT", 3, 1), "AAA", "ACC"), 2.0);
    assert_eq!(value(&k("ACGT", 3, 1), "AAA", "CCC"), 0.0);
    // Letters outside: N must be replaced, which uses up the mismatch.
    assert_eq!(value(&k("ACGT", 3, 1), "ANA", "ANA"), 4.0);
    assert_eq!(value(&k("ACGT", 3, 1), "NNA", "NNA"), 0.0);
    assert_eq!(value(&k("ACGT", 3, 2), "NNA", "NNA"), 16.0);
    assert_eq!(value(&k("ACGT", 3, 2), "AA", "AA"), 0.0);
    assert_eq!(value(&k("ACGT", 3, 2), "", ""), 0.0);
    assert_eq!(k("TGCATT", 3, 1), k("ACGT", 3, 1));
}

/// 4³² does not fit, so words have fingerprints; 4³¹ does. The counts are the same.
#[test]
fn mismatch_of_long_words() {
    let x = "ACGT".repeat(10);
    for length in [31, 32, 33] {
        let k = Mismatch::new("ACGT", length, 1).unwrap();
        let pieces: Vec<String> = chars(&x).windows(length).map(String::from_iter).collect();
        // Pieces are equal if their starts differ by multiples of 4, else they differ everywhere.
        let expected: usize = (0..pieces.len())
            .flat_map(|i| (0..pieces.len()).map(move |j| (i, j)))
            .filter(|(i, j)| i % 4 == j % 4)
            .map(|_| 1 + 3 * length)
            .sum();
        assert_eq!(value(&k, &x, &x), expected as f64, "{length}");
    }
    // A word of 100 000 letters, with an alphabet of one.
    let a = "a".repeat(100_000);
    assert_eq!(value(&Mismatch::new("a", 99_999, 1).unwrap(), &a, &a), 4.0);
}

#[test]
fn positional_kernels_by_hand() {
    assert_eq!(value(&Hamming, "karolin", "kathrin"), 4.0); // distance 3
    assert_eq!(value(&Hamming, "1011101", "1001001"), 5.0); // distance 2
    assert_eq!(value(&Hamming, "", "abc"), 0.0);
    assert_eq!(value(&Hamming, "é€𝄞", "e€𝄞"), 2.0);
    let rbf = HammingRbf::new(1.0).unwrap();
    assert_eq!(value(&rbf, "karolin", "kathrin"), (-3.0_f64).exp());
    assert_eq!(value(&rbf, "", ""), 1.0);
    assert_eq!(value(&rbf, "ab", "abcd"), (-2.0_f64).exp());
    let degree = |d| WeightedDegree::new(d).unwrap();
    // β = 3/6, 2/6, 1/6: a run of 4 has 4 letters, 3 pairs, 2 triples.
    assert!(close(value(&degree(3), "ACGT", "ACGT"), (4.0 * 3.0 + 3.0 * 2.0 + 2.0) / 6.0));
    assert!(close(value(&degree(3), "ACxGT", "ACyGT"), (4.0 * 3.0 + 2.0 * 2.0) / 6.0));
    assert_eq!(value(&degree(3), "", "ACGT"), 0.0);
    // Σβ_k = 1 at one position.
    assert!(close(value(&degree(100), "A", "A"), 2.0 / 101.0));
    assert!(value(&degree(usize::MAX), "AC", "AC").is_finite());
}

// The contract on hostile strings.

fn hostile() -> Vec<(&'static str, Vec<String>)> {
    let own = |strings: &[&str]| strings.iter().map(ToString::to_string).collect::<Vec<_>>();
    let long = |i: usize| ["ACGT", "AACC", "TTGA"][i % 3].repeat(40 + i) + &"é".repeat(i);
    vec![
        ("none", vec![]),
        ("one", own(&["ACGT"])),
        ("one empty", own(&[""])),
        ("all empty", own(&["", "", ""])),
        ("duplicates", own(&["ACGT", "ACGT", "ACGT", "", "", "TG", "TG"])),
        ("prefixes", own(&["", "A", "AC", "ACG", "ACGT", "ACGTA", "ACGTAC"])),
        ("unicode", own(&["é", "e\u{301}", "𝄞𝄞𝄞", "€uro", "\0", "A\0B", "ÅÄÖ", "日本語"])),
        ("long", (0..7).map(long).collect()),
        ("short and long", own(&["", "A", &"A".repeat(500), &"C".repeat(500), &"AC".repeat(250)])),
    ]
}

#[track_caller]
fn assert_mercer<K>(kernel: &K)
where
    K: Mercer<Vec<String>> + for<'a> Mercer<Vec<&'a str>> + std::fmt::Display,
{
    for (name, points) in hostile() {
        if let Err(violation) = contract::verify_mercer(kernel, &points) {
            panic!("{kernel} on {name}: {violation}");
        }
        let borrowed: Vec<&str> = points.iter().map(String::as_str).collect();
        contract::verify_mercer(kernel, &borrowed).unwrap();
        for x in &points {
            assert_eq!(
                Kernel::<Vec<String>>::eval(kernel, x, x),
                Kernel::<Vec<&str>>::eval(kernel, &x.as_str(), &x.as_str())
            );
        }
    }
}

#[test]
fn spectrum_keeps_the_contract() {
    for k in [1, 2, 3, 8, 50, 1000] {
        assert_mercer(&Spectrum::new(k).unwrap());
        assert_mercer(&Normalized::new(Spectrum::new(k).unwrap()));
    }
    for k in [1, 2, 9] {
        assert_mercer(&Spectrum::blended(k).unwrap());
    }
}

#[test]
fn mismatch_keeps_the_contract() {
    for (k, m) in [(1, 0), (2, 1), (3, 1), (4, 2), (40, 1)] {
        assert_mercer(&Mismatch::new("ACGT", k, m).unwrap());
    }
    assert_mercer(&Mismatch::new("é𝄞\0", 2, 1).unwrap());
}

#[test]
fn subsequence_keeps_the_contract() {
    for (p, lambda) in [(1, 0.5), (2, 1.0), (3, 0.1), (5, 0.9), (600, 0.5)] {
        assert_mercer(&Subsequence::new(p, lambda).unwrap());
        assert_mercer(&Subsequence::by_gaps(p, lambda).unwrap());
    }
    assert_mercer(&Normalized::new(Subsequence::by_gaps(3, 0.5).unwrap()));
}

#[test]
fn positional_kernels_keep_the_contract() {
    assert_mercer(&Hamming);
    for gamma in [1e-3, 0.5, 100.0] {
        assert_mercer(&HammingRbf::new(gamma).unwrap());
    }
    for d in [1, 3, 20, 1000] {
        assert_mercer(&WeightedDegree::new(d).unwrap());
    }
}

#[test]
fn composites_keep_the_contract() {
    let spectrum = Spectrum::new(2).unwrap();
    let degree = WeightedDegree::new(3).unwrap();
    assert_mercer(&(spectrum + 0.5 * degree));
    assert_mercer(&(spectrum * HammingRbf::new(0.1).unwrap() + Hamming));
    assert_mercer(
        &(0.25 * Mismatch::new("ACGT", 3, 1).unwrap() * Subsequence::new(2, 0.5).unwrap()),
    );
    assert_mercer(&Scaled::new(0.0, Subsequence::new(2, 0.5).unwrap()).unwrap());
    assert_mercer(&Exp::new(Normalized::new(spectrum)));
}

/// exp(γ·Hamming), normalised, is the Gaussian of the distance for strings of one length.
#[test]
fn gaussian_of_the_distance_is_a_normalised_exponential() {
    let gamma = 0.3;
    let composed = Normalized::new(Exp::new(gamma * Hamming));
    let x: Vec<String> = ["ACGT", "ACGA", "TTTT", "TCGA"].iter().map(ToString::to_string).collect();
    for a in &x {
        for b in &x {
            let direct = value(&HammingRbf::new(gamma).unwrap(), a, b);
            assert!(close(value(&composed, a, b), direct));
        }
    }
}

// Parameters.

const PROTEINS: &str = "ACDEFGHIKLMNPQRSTVWY";

#[test]
fn bad_parameters_are_typed_errors() {
    let k = Error::Parameter { name: "k", given: 0.0, allowed: "a whole number >= 1" };
    assert_eq!(Spectrum::new(0).unwrap_err(), k);
    assert_eq!(Spectrum::blended(0).unwrap_err(), k);
    assert_eq!(Mismatch::new("A", 0, 0).unwrap_err(), k);
    assert!(matches!(Mismatch::new("", 2, 1), Err(Error::Parameter { given: 0.0, .. })));
    assert!(matches!(
        Mismatch::new("A", 2, 2),
        Err(Error::Parameter { name: "m", given: 2.0, .. })
    ));
    assert!(matches!(Subsequence::new(0, 0.5), Err(Error::Parameter { name: "p", .. })));
    // Words near a piece, all of Σ⁴⁰ or more than anybody waits for.
    for (alphabet, k, m) in [
        ("ACGT", 40, 39),
        ("a", 99_999, 99_998),
        ("ACGT", 31, 4),
        ("a", usize::MAX, usize::MAX - 1),
    ] {
        let refused = Mismatch::new(alphabet, k, m);
        assert!(matches!(refused, Err(Error::TooMany { limit: 262_144, .. })), "{refused:?}");
        let file = format!(r#"{{"alphabet":"{alphabet}","k":{k},"m":{m}}}"#);
        assert!(serde_json::from_str::<Mismatch>(&file).is_err());
    }
    assert!(Mismatch::new("ACGT", 31, 3).is_ok() && Mismatch::new(PROTEINS, 38, 2).is_ok());
    for lambda in [0.0, -0.5, 1.000_001, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            Subsequence::new(2, lambda),
            Err(Error::Parameter { name: "lambda", .. })
        ));
    }
    assert!(matches!(HammingRbf::new(0.0), Err(Error::Parameter { name: "gamma", .. })));
    assert!(matches!(WeightedDegree::new(0), Err(Error::Parameter { name: "d", .. })));
}

#[track_caller]
fn round_trip<K>(kernel: &K, name: &str)
where
    K: serde::Serialize
        + serde::de::DeserializeOwned
        + PartialEq
        + std::fmt::Debug
        + std::fmt::Display,
{
    let text = serde_json::to_string(kernel).unwrap();
    assert_eq!(&serde_json::from_str::<K>(&text).unwrap(), kernel);
    assert_eq!(kernel.to_string(), name);
}

#[test]
fn files_and_names() {
    round_trip(&Spectrum::new(3).unwrap(), "spectrum(k=3)");
    round_trip(&Spectrum::blended(3).unwrap(), "spectrum(k=3, blended=true)");
    round_trip(&Mismatch::new("TCGA", 3, 1).unwrap(), "mismatch(alphabet=ACGT, k=3, m=1)");
    round_trip(&Subsequence::new(3, 0.5).unwrap(), "subsequence(p=3, lambda=0.5)");
    round_trip(
        &Subsequence::by_gaps(3, 0.5).unwrap(),
        "subsequence(p=3, lambda=0.5, by_gaps=true)",
    );
    round_trip(&Hamming, "hamming");
    round_trip(&HammingRbf::new(0.5).unwrap(), "hamming_rbf(gamma=0.5)");
    round_trip(&WeightedDegree::new(5).unwrap(), "weighted_degree(d=5)");
}

#[test]
fn bad_files_are_refused() {
    assert!(serde_json::from_str::<Spectrum>(r#"{"k":0,"blended":false}"#).is_err());
    assert!(serde_json::from_str::<Mismatch>(r#"{"alphabet":"ACGT","k":2,"m":2}"#).is_err());
    assert!(serde_json::from_str::<Mismatch>(r#"{"alphabet":"","k":2,"m":1}"#).is_err());
    let subsequence = r#"{"p":2,"lambda":1.5,"by_gaps":false}"#;
    assert!(serde_json::from_str::<Subsequence>(subsequence).is_err());
    assert!(serde_json::from_str::<HammingRbf>(r#"{"gamma":-1.0}"#).is_err());
    assert!(serde_json::from_str::<WeightedDegree>(r#"{"d":0}"#).is_err());
}
