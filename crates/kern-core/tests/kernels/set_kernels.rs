//! Kernels on sets and bags of words: values by hand, agreement with the definitions spelled out
//! naively, the contract on hostile collections, all the types that are sets or word sequences.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]
#![allow(clippy::float_cmp, reason = "counts are exact")]

use kern_core::closure::{Exp, Normalized};
use kern_core::kernels::{
    BagOfWords, Jaccard, NormalizedBagOfWords, NormalizedSetIntersection, SetIntersection,
    WordCount, words,
};
use kern_core::{Kernel, Mercer, contract};
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

fn close(given: f64, expected: f64) -> bool {
    (given - expected).abs() <= 1e-12 * expected.abs()
}

pub(crate) type Numbers = BTreeSet<u32>;

fn on_sets(kernel: &impl Kernel<Vec<Numbers>>, x: &[u32], y: &[u32]) -> f64 {
    kernel.eval(&x.iter().copied().collect(), &y.iter().copied().collect())
}

fn on_text(kernel: &impl Kernel<Vec<String>>, x: &str, y: &str) -> f64 {
    kernel.eval(&x.to_string(), &y.to_string())
}

// By hand.

#[test]
fn set_intersection_by_hand() {
    assert_eq!(on_sets(&SetIntersection, &[1, 2, 3], &[3, 4, 1, 7]), 2.0);
    assert_eq!(on_sets(&SetIntersection, &[1], &[2]), 0.0);
    assert_eq!(on_sets(&SetIntersection, &[], &[2]), 0.0);
    assert_eq!(on_sets(&SetIntersection, &[], &[]), 0.0);
    assert_eq!(on_sets(&SetIntersection, &[0, u32::MAX], &[0, u32::MAX]), 2.0);
}

#[test]
fn normalized_set_intersection_by_hand() {
    assert_eq!(on_sets(&NormalizedSetIntersection, &[1, 2, 3, 4], &[4]), 0.5);
    assert_eq!(on_sets(&NormalizedSetIntersection, &[1, 2], &[2, 1]), 1.0);
    assert_eq!(on_sets(&NormalizedSetIntersection, &[1, 2], &[3]), 0.0);
    assert_eq!(on_sets(&NormalizedSetIntersection, &[], &[3]), 0.0);
    assert_eq!(on_sets(&NormalizedSetIntersection, &[], &[]), 0.0);
}

#[test]
fn jaccard_by_hand() {
    assert_eq!(on_sets(&Jaccard, &[1, 2, 3], &[2, 3, 4]), 0.5);
    assert_eq!(on_sets(&Jaccard, &[1, 2, 3], &[1, 2, 3]), 1.0);
    assert_eq!(on_sets(&Jaccard, &[1], &[1, 2, 3, 4]), 0.25);
    assert_eq!(on_sets(&Jaccard, &[], &[1]), 0.0);
    assert_eq!(on_sets(&Jaccard, &[], &[]), 1.0);
}

#[test]
fn bags_of_words_by_hand() {
    let (x, y) = ("The cat saw the dog; THE END", "the the dog saw a dog saw");
    // the 3, 2; dog 1, 2; saw 1, 2; cat, end, a in one of them.
    assert_eq!(on_text(&WordCount, x, y), 6.0 + 2.0 + 2.0);
    assert_eq!(on_text(&BagOfWords, x, y), 2.0 + 1.0 + 1.0);
    let expected = 2.0 / 6.0_f64.sqrt() + 2.0 / 2.0_f64.sqrt();
    assert!(close(on_text(&NormalizedBagOfWords, x, y), expected));
    assert_eq!(on_text(&WordCount, x, x), 9.0 + 4.0);
    assert_eq!(on_text(&BagOfWords, x, x), 7.0);
    assert_eq!(on_text(&NormalizedBagOfWords, x, x), 5.0);
    for empty in ["", " ", "...!?", "\u{301}"] {
        assert_eq!(on_text(&WordCount, x, empty), 0.0);
        assert_eq!(on_text(&BagOfWords, empty, empty), 0.0);
        assert_eq!(on_text(&NormalizedBagOfWords, empty, empty), 0.0);
    }
}

/// Words and pairs of successive words: sequences of strings are bags of whatever they hold.
#[test]
fn unigrams_and_bigrams_are_words_of_a_sequence() {
    let terms = |text: &str| {
        let single: Vec<String> = words(text).collect();
        let pairs = single.windows(2).map(|pair| pair.join(" ")).collect::<Vec<_>>();
        [single, pairs].concat()
    };
    let value =
        |x: &str, y: &str| Kernel::<Vec<Vec<String>>>::eval(&WordCount, &terms(x), &terms(y));
    // the 2·1, cat 1·1, sat 1·1; "the cat" 1·1, "cat sat" 1·1.
    assert_eq!(value("The cat sat by the door", "the cat sat"), 4.0 + 2.0);
    // The same words in another order have no pair in common.
    assert_eq!(value("a b c", "c b a"), 3.0);
    // a 2, b 2; "a b" 2, "b a" 1.
    assert_eq!(value("a b a b", "a b a b"), 4.0 + 4.0 + 4.0 + 1.0);
}

#[test]
fn words_are_runs_of_letters_and_digits_in_lower_case() {
    let found = |text| words(text).collect::<Vec<_>>();
    assert_eq!(
        found("Don't  text-2-me_at 8:30!"),
        ["don", "t", "text", "2", "me", "at", "8", "30"]
    );
    assert_eq!(found("ÉTÉ Straße ΟΔΟΣ 日本語 ①"), ["été", "straße", "οδος", "日本語", "①"]);
    assert!(found("—…\t\n").is_empty());
}

#[test]
fn words_of_more_than_seven_bytes_are_told_apart() {
    let list = |n: usize| (0..n).map(|i| format!("congratulation{i}")).collect::<Vec<_>>();
    let value =
        |x: &Vec<String>, y: &Vec<String>| Kernel::<Vec<Vec<String>>>::eval(&BagOfWords, x, y);
    assert_eq!(value(&list(20_000), &list(20_000)), 20_000.0);
    assert_eq!(value(&list(20_000), &list(500)), 500.0);
    assert_eq!(on_text(&BagOfWords, "international", "internationals"), 0.0);
}

#[test]
fn many_elements_are_told_apart() {
    let range = |from: u32, to: u32| (from..to).collect::<Vec<u32>>();
    assert_eq!(on_sets(&SetIntersection, &range(0, 30_000), &range(10_000, 50_000)), 20_000.0);
    assert_eq!(on_sets(&Jaccard, &range(0, 30_000), &range(0, 40_000)), 0.75);
}

// Types of sets and of word sequences.

#[test]
fn all_types_of_sets_have_one_value() {
    let (x, y) = (["a", "bc", "d"], ["bc", "d", "e"]);
    let tree = |x: [&str; 3]| x.into_iter().map(String::from).collect::<BTreeSet<String>>();
    let hash = |x: [&str; 3]| x.into_iter().map(String::from).collect::<HashSet<String>>();
    assert_eq!(Kernel::<Vec<BTreeSet<String>>>::eval(&SetIntersection, &tree(x), &tree(y)), 2.0);
    assert_eq!(Kernel::<Vec<HashSet<String>>>::eval(&SetIntersection, &hash(x), &hash(y)), 2.0);
    assert_eq!(Kernel::<Vec<&HashSet<String>>>::eval(&SetIntersection, &&hash(x), &&hash(y)), 2.0);
    assert_eq!(Kernel::<Vec<Vec<&str>>>::eval(&SetIntersection, &x.to_vec(), &y.to_vec()), 2.0);
    assert_eq!(Kernel::<Vec<[&str; 3]>>::eval(&SetIntersection, &x, &y), 2.0);
    assert_eq!(Kernel::<Vec<&[&str]>>::eval(&SetIntersection, &&x[..], &&y[..]), 2.0);
    let pairs = vec![(1_usize, 'a'), (2, 'b')];
    assert_eq!(Kernel::<Vec<Vec<(usize, char)>>>::eval(&Jaccard, &pairs, &pairs), 1.0);
}

#[test]
fn duplicates_in_a_vector_count_once() {
    let (x, y) = (vec![1_i64, 1, 1, 2], vec![2_i64, 2, 1, 3]);
    assert_eq!(Kernel::<Vec<Vec<i64>>>::eval(&SetIntersection, &x, &y), 2.0);
    assert_eq!(Kernel::<Vec<Vec<i64>>>::eval(&SetIntersection, &x, &x), 2.0);
    assert!(close(Kernel::<Vec<Vec<i64>>>::eval(&Jaccard, &x, &y), 2.0 / 3.0));
    let cosine = Kernel::<Vec<Vec<i64>>>::eval(&NormalizedSetIntersection, &x, &y);
    assert!(close(cosine, 2.0 / 6.0_f64.sqrt()));
    contract::verify_mercer(&Jaccard, &vec![x, y, vec![]]).unwrap();
}

#[test]
fn all_types_of_word_sequences_have_one_value() {
    let (x, y) = ("To be or not to be", "to be, be");
    let expected = 2.0 + 4.0;
    assert_eq!(Kernel::<Vec<&str>>::eval(&WordCount, &x, &y), expected);
    assert_eq!(Kernel::<Vec<Cow<'_, str>>>::eval(&WordCount, &x.into(), &y.into()), expected);
    assert_eq!(Kernel::<Vec<Arc<str>>>::eval(&WordCount, &x.into(), &y.into()), expected);
    assert_eq!(Kernel::<Vec<Box<str>>>::eval(&WordCount, &x.into(), &y.into()), expected);
    let tokens = |text| words(text).collect::<Vec<String>>();
    assert_eq!(Kernel::<Vec<Vec<String>>>::eval(&WordCount, &tokens(x), &tokens(y)), expected);
    let (a, b) = (["to", "be"], ["be", "be"]);
    assert_eq!(Kernel::<Vec<[&str; 2]>>::eval(&WordCount, &a, &b), 2.0);
    assert_eq!(Kernel::<Vec<&[&str]>>::eval(&WordCount, &&a[..], &&b[..]), 2.0);
    // Tokens that are handed in are taken as they are.
    assert_eq!(Kernel::<Vec<[&str; 2]>>::eval(&WordCount, &["To be", ","], &["to", "be"]), 0.0);
}

// Naively.

fn counts(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    let lower: Vec<char> = text.chars().collect();
    for word in lower.split(|c| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *counts.entry(String::from_iter(word).to_lowercase()).or_default() += 1.0;
    }
    counts
}

/// Σ over all words of either text, absent ones with count 0.
fn naive(x: &str, y: &str, term: impl Fn(f64, f64) -> f64) -> f64 {
    let (x, y) = (counts(x), counts(y));
    let all: BTreeSet<&String> = x.keys().chain(y.keys()).collect();
    let count = |bag: &BTreeMap<String, f64>, word| bag.get(word).copied().unwrap_or(0.0);
    all.into_iter().map(|word| term(count(&x, word), count(&y, word))).sum()
}

pub(crate) fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("a"),
        Just("A"),
        Just("bb"),
        Just("Bb"),
        Just("longerthanseven"),
        Just("É"),
        Just("7"),
    ];
    let gap = prop_oneof![Just(" "), Just(", "), Just("—")];
    proptest::collection::vec((word, gap), 0..15)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

pub(crate) fn set() -> impl Strategy<Value = Numbers> {
    proptest::collection::btree_set(0_u32..20, 0..12)
}

proptest! {
    #[test]
    fn set_kernels_are_their_definitions(x in set(), y in set()) {
        let common = x.intersection(&y).count() as f64;
        let eval = |k: &dyn Kernel<Vec<Numbers>>| k.eval(&x, &y);
        prop_assert_eq!(eval(&SetIntersection), common);
        let united = x.union(&y).count() as f64;
        let jaccard = if united == 0.0 { 1.0 } else { common / united };
        prop_assert_eq!(eval(&Jaccard), jaccard);
        let sizes = (x.len() * y.len()) as f64;
        let cosine = if sizes == 0.0 { 0.0 } else { common / sizes.sqrt() };
        prop_assert!(close(eval(&NormalizedSetIntersection), cosine));
        prop_assert!(close(eval(&Normalized::new(SetIntersection)), cosine));
    }

    #[test]
    fn bags_of_words_are_their_definitions(x in text(), y in text()) {
        prop_assert_eq!(on_text(&WordCount, &x, &y), naive(&x, &y, |a, b| a * b));
        prop_assert_eq!(on_text(&BagOfWords, &x, &y), naive(&x, &y, f64::min));
        let term = |a: f64, b: f64| if a * b == 0.0 { 0.0 } else { a.min(b) / (a * b).sqrt() };
        prop_assert!(close(on_text(&NormalizedBagOfWords, &x, &y), naive(&x, &y, term)));
    }

    #[test]
    fn random_sets_keep_the_contract(x in proptest::collection::vec(set(), 0..14)) {
        contract::verify_mercer(&SetIntersection, &x).unwrap();
        contract::verify_mercer(&NormalizedSetIntersection, &x).unwrap();
        contract::verify_mercer(&Jaccard, &x).unwrap();
    }

    #[test]
    fn random_texts_keep_the_contract(x in proptest::collection::vec(text(), 0..14)) {
        contract::verify_mercer(&WordCount, &x).unwrap();
        contract::verify_mercer(&BagOfWords, &x).unwrap();
        contract::verify_mercer(&NormalizedBagOfWords, &x).unwrap();
    }
}

// The contract on hostile collections.

#[track_caller]
fn assert_mercer_on_sets<K: Mercer<Vec<Numbers>> + std::fmt::Display>(kernel: &K) {
    let chain = |n: u32| (0..n).map(|i| (0..i).collect()).collect::<Vec<Numbers>>();
    let collections = [
        ("none", vec![]),
        ("one", vec![Numbers::from([3])]),
        ("one empty", vec![Numbers::new()]),
        ("empty", vec![Numbers::new(); 4]),
        (
            "duplicates",
            vec![Numbers::from([1, 2]), Numbers::from([1, 2]), Numbers::new(), Numbers::from([2])],
        ),
        ("chain", chain(25)),
        ("disjoint", (0..20).map(|i| Numbers::from([i])).collect()),
        ("small and great", vec![(0..5000).collect(), Numbers::from([7]), (2500..7500).collect()]),
    ];
    for (name, points) in collections {
        contract::verify_mercer(kernel, &points)
            .unwrap_or_else(|v| panic!("{kernel} on {name}: {v}"));
    }
}

#[track_caller]
fn assert_mercer_on_texts<K: Mercer<Vec<String>> + std::fmt::Display>(kernel: &K) {
    let own = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let collections = [
        ("none", vec![]),
        ("one", own(&["one"])),
        ("one empty", own(&[""])),
        ("empty", own(&["", " ", "!", ""])),
        ("duplicates", own(&["a b", "b a", "A B", "", "a b a"])),
        ("unicode", own(&["Straße", "STRASSE", "日本語", "日本", "é e\u{301}", "İi"])),
        ("long", (1..9).map(|i| "word another ".repeat(100 * i) + &"x ".repeat(i * i)).collect()),
    ];
    for (name, points) in collections {
        contract::verify_mercer(kernel, &points)
            .unwrap_or_else(|v| panic!("{kernel} on {name}: {v}"));
    }
}

#[test]
fn set_kernels_keep_the_contract_alone_and_composed() {
    assert_mercer_on_sets(&SetIntersection);
    assert_mercer_on_sets(&NormalizedSetIntersection);
    assert_mercer_on_sets(&Jaccard);
    assert_mercer_on_sets(&(0.5 * SetIntersection + Jaccard * NormalizedSetIntersection));
    assert_mercer_on_sets(&Exp::new(Jaccard));
}

#[test]
fn bags_of_words_keep_the_contract_alone_and_composed() {
    assert_mercer_on_texts(&WordCount);
    assert_mercer_on_texts(&BagOfWords);
    assert_mercer_on_texts(&NormalizedBagOfWords);
    assert_mercer_on_texts(&Normalized::new(WordCount));
    assert_mercer_on_texts(&(0.5 * BagOfWords + NormalizedBagOfWords * WordCount));
    assert_mercer_on_texts(
        &(Normalized::new(BagOfWords) + kern_core::kernels::Spectrum::new(2).unwrap()),
    );
}

#[test]
fn files_and_names() {
    fn name<K>(kernel: &K) -> String
    where
        K: serde::Serialize
            + serde::de::DeserializeOwned
            + PartialEq
            + std::fmt::Debug
            + std::fmt::Display,
    {
        let text = serde_json::to_string(kernel).unwrap();
        assert_eq!(&serde_json::from_str::<K>(&text).unwrap(), kernel);
        kernel.to_string()
    }
    assert_eq!(name(&SetIntersection), "set_intersection");
    assert_eq!(name(&NormalizedSetIntersection), "normalized_set_intersection");
    assert_eq!(name(&Jaccard), "jaccard");
    assert_eq!(name(&WordCount), "word_count");
    assert_eq!(name(&BagOfWords), "bag_of_words");
    assert_eq!(name(&NormalizedBagOfWords), "normalized_bag_of_words");
}
