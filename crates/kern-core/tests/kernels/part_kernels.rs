//! Convolution and mapping kernels: golden values, brute force, the contract, and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "sums of counts are exact")]
#![allow(clippy::ptr_arg, reason = "the points are strings, not slices")]

use kern_core::closure::{AssumeMercer, Normalized, tensor_product};
use kern_core::faer::Mat;
use kern_core::kernels::{
    Convolution, FnKernel, Graph, Linear, Mapping, Rbf, ShortestPath, Spectrum,
};
use kern_core::{Binding, Error, Kernel, Mercer, Samples, Scratch, contract};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

type Cloud = Vec<Vec<f64>>;
pub(crate) type Pairs = Vec<Vec<(usize, usize)>>;

/// 1 for equals: Mercer on any set.
fn delta<S: PartialEq>() -> AssumeMercer<FnKernel<impl Fn(&S, &S) -> f64 + Copy + Send + Sync>> {
    AssumeMercer(FnKernel::new(|p: &S, q: &S| f64::from(u8::from(p == q))))
}

fn letters() -> impl Mercer<Vec<String>> {
    Convolution::new(|word: &String| word.chars().collect::<Vec<char>>(), delta())
}

fn cloud_kernel() -> impl Mercer<Vec<Cloud>> {
    Convolution::<_, _, Samples<f64>>::gathering(Cloud::clone, Rbf::new(0.7).unwrap())
}

fn eval<S: Clone + Send + Sync>(kernel: &impl Kernel<Vec<S>>, x: &S, y: &S) -> f64 {
    kernel.eval(x, y)
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn clouds() -> impl Strategy<Value = Vec<Cloud>> {
    let point = proptest::collection::vec(-2.0..2.0_f64, 3);
    proptest::collection::vec(proptest::collection::vec(point, 0..7), 0..12)
}

#[test]
fn convolution_has_its_golden_values() {
    let value = |x: &str, y: &str| letters().eval(&x.to_string(), &y.to_string());
    assert_eq!(value("gram", "grammar"), 1.0 + 2.0 + 2.0 + 2.0);
    assert_eq!(value("aab", "abb"), 2.0 + 2.0);
    assert_eq!(value("a", "a"), 1.0);
    assert_eq!(value("", "abc"), 0.0);
    assert_eq!(value("", ""), 0.0);
    // ⟨Σp, Σq⟩ = ⟨(4, 6), (1, −1)⟩.
    let sum = Convolution::<_, _, Samples<f64>>::gathering(Cloud::clone, Linear);
    let (x, y) = (vec![vec![1.0, 2.0], vec![3.0, 4.0]], vec![vec![1.0, -1.0]]);
    assert_eq!(eval(&sum, &x, &y), -2.0);
}

#[test]
fn convolution_of_letters_is_the_spectrum_kernel_of_one() {
    let all = ["", "gram", "grammar", "kernel", "aaaa"];
    let spectrum = Spectrum::new(1).unwrap();
    for x in all {
        for y in all {
            let expected = eval(&spectrum, &x, &y);
            assert_eq!(letters().eval(&x.to_string(), &y.to_string()), expected);
        }
    }
}

/// The parts of the shortest-path kernel: the labels of two nodes, and their distance.
fn joined_pairs(g: &Graph) -> Vec<(u64, u64, usize)> {
    let mut parts = Vec::new();
    for source in 0..g.node_count() {
        let mut queue = VecDeque::from([(source, 0)]);
        let mut seen = vec![source];
        while let Some((node, distance)) = queue.pop_front() {
            if source < node {
                let (a, b) = (g.labels()[source], g.labels()[node]);
                parts.push((a.min(b), a.max(b), distance));
            }
            for &next in g.neighbors(node) {
                if !seen.contains(&next) {
                    seen.push(next);
                    queue.push_back((next, distance + 1));
                }
            }
        }
    }
    parts
}

#[test]
fn shortest_path_is_a_convolution() {
    let k = Convolution::new(joined_pairs, delta());
    let path = Graph::new(vec![0, 1, 0, 1], &[(0, 1), (1, 2), (2, 3)]).unwrap();
    let cycle = Graph::new(vec![1, 0, 0, 1], &[(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap();
    let graphs = vec![path, cycle, Graph::new(vec![], &[]).unwrap()];
    for x in &graphs {
        for y in &graphs {
            let given = eval(&k, x, y);
            assert_eq!(given, eval(&ShortestPath, x, y));
        }
    }
    contract::verify_mercer(&k, &graphs).unwrap();
}

#[test]
fn tuples_of_parts_multiply_their_kernels() {
    let both = tensor_product::<_, _, Vec<usize>, Vec<char>>(delta(), delta());
    let k = Convolution::new(|word: &String| word.chars().enumerate().collect(), both);
    let all = words(&["gram", "grim", "", "mrag", "grammar"]);
    assert_eq!(eval(&k, &all[0], &all[1]), 3.0);
    assert_eq!(eval(&k, &all[0], &all[3]), 1.0 + 1.0); // r, a in place
    contract::verify_mercer(&k, &all).unwrap();
}

proptest! {
    #[test]
    fn convolution_equals_the_double_sum(clouds in clouds()) {
        let k = cloud_kernel();
        for x in &clouds {
            for y in &clouds {
                let mut expected = 0.0;
                for p in x {
                    for q in y {
                        let d: f64 = p.iter().zip(q).map(|(a, b)| (a - b) * (a - b)).sum();
                        expected += (-0.7 * d).exp();
                    }
                }
                prop_assert!((k.eval(x, y) - expected).abs() <= 1e-13 * expected);
            }
        }
        contract::verify_mercer(&k, &clouds).unwrap();
    }
}

fn keeps_the_contract<K: Mercer<Vec<String>>>(kernel: &K) {
    let all = words(&["gram", "grammar", "", "", "kernel", "a", "aaaaaaa", "gram", "日本"]);
    contract::verify_mercer(kernel, &all).unwrap();
    contract::verify_mercer(kernel, &Vec::new()).unwrap();
    for one in &all {
        contract::verify_mercer(kernel, &vec![one.clone()]).unwrap();
        contract::verify_mercer(kernel, &vec![one.clone(); 3]).unwrap();
    }
}

#[test]
fn hostile_collections_keep_the_contract_alone_and_composed() {
    let by_letters = Convolution::new(|w: &String| w.chars().collect::<Vec<char>>(), delta());
    let by_place =
        Convolution::new(|w: &String| w.chars().enumerate().collect::<Vec<_>>(), delta());
    keeps_the_contract(&by_letters);
    keeps_the_contract(&(by_letters.clone() + 0.5 * by_place.clone()));
    keeps_the_contract(&(2.0 * by_letters.clone() * by_place));
    keeps_the_contract(&Normalized::new(by_letters.clone()));
    // Parts of parts, with an embedded kernel on the last.
    let syllables = |w: &String| w.split('m').map(String::from).collect::<Vec<_>>();
    keeps_the_contract(&Convolution::new(syllables, Spectrum::new(2).unwrap()));
    keeps_the_contract(&Convolution::new(syllables, by_letters));
    assert_eq!(Convolution::new(syllables, Linear).to_string(), "convolution(linear)");
}

#[test]
fn more_parts_than_are_held_at_once_are_summed_in_pieces() {
    let cloud = |n: usize, seed: usize| -> Cloud {
        (0..n)
            .map(|i| vec![((i * 7919 + seed) % 97) as f64 / 50.0, (i % 13) as f64 / 9.0])
            .collect()
    };
    let sizes = [700, 0, 3, 256, 257, 0, 1, 255];
    let clouds: Vec<Cloud> = sizes.iter().enumerate().map(|(seed, &n)| cloud(n, seed)).collect();
    contract::verify_mercer(&cloud_kernel(), &clouds).unwrap();
}

#[test]
fn single_precision_parts_keep_the_contract() {
    let parts = |x: &[f32]| x.iter().map(|&v| vec![v]).collect::<Vec<_>>();
    let k = Convolution::<_, _, Samples<f32>>::gathering(parts, Rbf::new(0.5).unwrap());
    for (name, points) in contract::sample_sets::<f32>(4).unwrap() {
        contract::verify_mercer(&k, &points).unwrap_or_else(|v| panic!("{name}: {v}"));
    }
}

#[test]
fn matrix_decomposes_each_point_once() {
    let calls = AtomicUsize::new(0);
    let parts = |w: &String| {
        calls.fetch_add(1, Ordering::Relaxed);
        w.chars().collect::<Vec<char>>()
    };
    let all = words(&["gram", "grammar", "kernel", "a"]);
    let fill = |kernel: &dyn Kernel<Vec<String>>| {
        calls.store(0, Ordering::Relaxed);
        let binding = Binding::new(kernel, &all, &all);
        assert!(binding.is_bound());
        let mut out = Mat::zeros(2, 2);
        for (rows, cols) in [(0..2, 0..2), (0..2, 2..4), (2..4, 0..2), (2..4, 2..4)] {
            binding.block(rows, cols, out.as_mut(), &mut Scratch::new());
        }
        assert_eq!(calls.load(Ordering::Relaxed), all.len());
    };
    fill(&Convolution::new(parts, delta()));
    fill(&Mapping::new(parts, |_: &String, _: &String| vec![vec![(0, 0)]], delta()));
}

#[test]
fn parts_outside_the_domain_are_errors() {
    let k = Convolution::<_, _, Samples<f64>>::gathering(Cloud::clone, Rbf::new(1.0).unwrap());
    let ragged: Vec<Cloud> = vec![vec![vec![1.0, 2.0]], vec![vec![1.0]]];
    assert!(matches!(k.check(&ragged), Err(Error::Dimension { .. })));
    let infinite: Vec<Cloud> = vec![vec![vec![f64::INFINITY]]];
    assert!(matches!(k.check(&infinite), Err(Error::NotFinite { .. })));
    assert_eq!(k.check(&vec![Cloud::new()]), Ok(()));
    // Two collections whose parts differ in dimension pass alone, and give no number together.
    let (a, b) = (vec![vec![vec![1.0, 2.0]]], vec![vec![vec![1.0]]]);
    assert!(k.check(&a).is_ok() && k.check(&b).is_ok());
    let mut out = Mat::zeros(1, 1);
    Binding::new(&k, &a, &b).block(0..1, 0..1, out.as_mut(), &mut Scratch::new());
    assert!(out[(0, 0)].is_nan());
    // The kernel on the parts has its say.
    let negative = Convolution::<_, _, Samples<f64>>::gathering(Cloud::clone, -1.0 * Linear);
    assert!(matches!(Kernel::<Vec<Cloud>>::check(&negative, &a), Err(Error::Parameter { .. })));
}

/// All ways to choose p of n, in ascending order.
fn choices(n: usize, p: usize) -> Vec<Vec<usize>> {
    let subsets = (0_u32..1 << n).filter(|s| s.count_ones() as usize == p);
    subsets.map(|s| (0..n).filter(|i| s >> i & 1 == 1).collect()).collect()
}

/// All order-preserving mappings of p pairs: a transitive family.
pub(crate) fn in_order(p: usize) -> impl Fn(&String, &String) -> Pairs + Copy + Send + Sync {
    move |x: &String, y: &String| {
        let (left, right) = (choices(x.len(), p), choices(y.len(), p));
        let zip =
            |a: &Vec<usize>, b: &Vec<usize>| a.iter().copied().zip(b.iter().copied()).collect();
        left.iter().flat_map(|a| right.iter().map(move |b| zip(a, b))).collect()
    }
}

pub(crate) fn bytes(word: &String) -> Vec<u8> {
    word.bytes().collect()
}

#[test]
fn mapping_has_its_golden_values() {
    let value = |k: &dyn Kernel<Vec<String>>, x: &str, y: &str| k.eval(&x.into(), &y.into());
    let pairs = Mapping::new(bytes, in_order(1), delta());
    assert_eq!(value(&pairs, "gram", "grammar"), 7.0);
    // Common subsequences of two letters: ab, ac, bc; in "abcb" ab twice and bc once.
    let twos = Mapping::new(bytes, in_order(2), delta());
    assert_eq!(value(&twos, "abc", "abc"), 3.0);
    assert_eq!(value(&twos, "abc", "abcb"), 2.0 + 1.0 + 1.0);
    assert_eq!(value(&twos, "a", "abc"), 0.0);
    // No pairs at all: the one empty mapping, whose product is 1.
    assert_eq!(value(&Mapping::new(bytes, in_order(0), delta()), "a", "bcd"), 1.0);
    assert_eq!(twos.to_string(), "mapping(function)");
}

/// All one-to-one mappings of all letters, for words of one length: a transitive family, whose
/// kernel is the permanent of the matrix of k.
fn bijections(x: &String, y: &String) -> Pairs {
    fn permutations(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let insert = |p: &Vec<usize>, at: usize| {
            let mut p = p.clone();
            p.insert(at, n - 1);
            p
        };
        let shorter = permutations(n - 1);
        shorter.iter().flat_map(|p| (0..n).map(move |at| insert(p, at))).collect()
    }
    if x.len() == y.len() {
        permutations(x.len()).into_iter().map(|p| p.into_iter().enumerate().collect()).collect()
    } else {
        Vec::new()
    }
}

fn permanent(a: &[Vec<f64>]) -> f64 {
    let Some((first, rest)) = a.split_first() else { return 1.0 };
    let without = |j: usize| -> Vec<Vec<f64>> {
        let row = |r: &Vec<f64>| r.iter().enumerate().filter(|e| e.0 != j).map(|e| *e.1).collect();
        rest.iter().map(row).collect()
    };
    first.iter().enumerate().map(|(j, value)| value * permanent(&without(j))).sum()
}

proptest! {
    #[test]
    fn mapping_equals_brute_force(all in proptest::collection::vec("[abc]{0,5}", 1..7)) {
        let closeness = FnKernel::new(|p: &u8, q: &u8| (-f64::from(p.abs_diff(*q))).exp());
        let assigned = AssumeMercer(Mapping::new(bytes, bijections, closeness));
        let twos = AssumeMercer(Mapping::new(bytes, in_order(2), delta()));
        let singles = Mapping::new(bytes, in_order(1), delta());
        let convolution = Convolution::new(bytes, delta());
        for x in &all {
            for y in &all {
                let k = |p: u8, q: u8| (-f64::from(p.abs_diff(q))).exp();
                let matrix: Vec<Vec<f64>> =
                    x.bytes().map(|p| y.bytes().map(|q| k(p, q)).collect()).collect();
                let expected = if x.len() == y.len() { permanent(&matrix) } else { 0.0 };
                prop_assert!((eval(&assigned, x, y) - expected).abs() <= 1e-12 * expected);
                let subsequences = |w: &String| -> Vec<(u8, u8)> {
                    let w = w.as_bytes();
                    (0..w.len()).flat_map(|j| (0..j).map(move |i| (w[i], w[j]))).collect()
                };
                let (a, b) = (subsequences(x), subsequences(y));
                let common = a.iter().flat_map(|p| b.iter().filter(move |q| p == *q)).count();
                prop_assert_eq!(eval(&twos, x, y), common as f64);
                let single = eval(&singles, x, y);
                prop_assert_eq!(single, eval(&convolution, x, y));
            }
        }
        contract::verify_mercer(&assigned, &all).unwrap();
        contract::verify_mercer(&twos, &all).unwrap();
        contract::verify_mercer(&(assigned + 0.5 * twos), &all).unwrap();
    }
}

#[test]
fn mappings_on_hostile_collections_keep_the_contract() {
    let k = AssumeMercer(Mapping::new(bytes, in_order(2), delta()));
    contract::verify_mercer(&k, &Vec::new()).unwrap();
    contract::verify_mercer(&k, &words(&["", "", "a", "aaaaa", "abab", "abab"])).unwrap();
    contract::verify_mercer(&k, &words(&["ab"])).unwrap();
}

/// Neighbours match, the neighbours of neighbours do not: symmetric, but not transitive.
#[test]
fn family_that_is_not_transitive_may_be_indefinite() {
    let near = |x: &u8, y: &u8| if x.abs_diff(*y) <= 1 { vec![vec![(0, 0)]] } else { Vec::new() };
    let k = AssumeMercer(Mapping::new(|_: &u8| vec![()], near, delta()));
    let points = vec![1_u8, 2, 3];
    contract::verify(&k, &points).unwrap();
    // (1 1 0; 1 1 1; 0 1 1) has the eigenvalue 1 − √2.
    let violation = contract::verify_mercer(&k, &points).unwrap_err();
    assert!(matches!(violation, contract::Violation::NotPsd { eigenvalue, .. }
        if (eigenvalue - (1.0 - 2.0_f64.sqrt())).abs() < 1e-14));
}

#[test]
fn mapping_of_parts_that_do_not_exist_gives_no_number() {
    let k = Mapping::new(bytes, |_: &String, _: &String| vec![vec![(0, 9)]], delta());
    assert!(eval(&k, &"ab".into(), &"ab".into()).is_nan());
    assert!(matches!(
        contract::verify(&k, &words(&["ab"])),
        Err(contract::Violation::NotFinite { .. })
    ));
}
