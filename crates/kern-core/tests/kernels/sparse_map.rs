//! Exact sparse feature maps: inner products of rows are kernel values, whatever the vocabulary was learned from.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::{Normalized, Scaled};
use kern_core::faer::Mat;
use kern_core::kernels::*;
use kern_core::{
    Error, FeatureMap, Identity, Kernel, Points, Samples, Scratch, SparseExplicit, SparseMap,
    SparseSamples, SparseTransform,
};
use proptest::prelude::*;

/// The difference that rounding explains, relative to 1 + |K|.
const ALLOWED: f64 = 1e-12;

/// Products of all points with those that the vocabulary is of, a share of them.
fn assert_exact<P, K>(kernel: &K, points: &P) -> Result<(), String>
where
    P: Points<Scalar = f64>,
    K: SparseExplicit<P> + Clone,
{
    let known: Vec<usize> = (0..points.len()).filter(|i| i % 3 != 1).collect();
    let training = points.select(&known).unwrap();
    let map = SparseMap::learn(kernel.clone(), &training).unwrap();
    if !map.vocabulary().is_sorted_by(|a, b| a < b) {
        return Err("two features share a name".into());
    }
    let (rows, others) = (map.rows(&training).unwrap(), map.rows(points).unwrap());
    if rows.dim() != map.vocabulary().len().max(1) || others.dim() != rows.dim() {
        return Err(format!("dimension {}", rows.dim()));
    }
    for i in 0..rows.len() {
        for j in 0..others.len() {
            let expected = kernel.eval(training.item(i), points.item(j));
            let found: f64 =
                Kernel::<SparseSamples<f64>>::eval(&Linear, rows.item(i), others.item(j));
            if (found - expected).abs() > ALLOWED * (1.0 + expected.abs()) {
                return Err(format!("({i}, {j}): {found} instead of {expected}"));
            }
        }
    }
    dense_is_sparse(&map, points, &others)
}

/// The map with zeros has the same numbers.
fn dense_is_sparse<P: Points<Scalar = f64>>(
    map: &impl FeatureMap<P>,
    points: &P,
    rows: &SparseSamples<f64>,
) -> Result<(), String> {
    let mut out = Mat::from_fn(map.dim(), points.len(), |_, _| f64::NAN);
    map.check(points).unwrap();
    map.transform_into(points, 0..points.len(), out.as_mut(), &mut Scratch::new());
    let dense = rows.to_dense().unwrap();
    for (j, row) in dense.as_slice().chunks(map.dim()).enumerate() {
        let same = row.iter().enumerate().all(|(k, v)| v.to_bits() == out[(k, j)].to_bits());
        if !same {
            return Err(format!("column {j} differs from its row"));
        }
    }
    Ok(())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[abAB ]{0,9}(longer words|longer wordé)?", 1..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_of_texts_are_exact(texts in texts()) {
        macro_rules! exact {
            ($($kernel:expr),* $(,)?) => {$(
                prop_assert_eq!(assert_exact(&$kernel, &texts), Ok(()), "{}", stringify!($kernel));
            )*};
        }
        exact!(
            WordCount,
            BagOfWords,
            NormalizedBagOfWords,
            Spectrum::new(2).unwrap(),
            Spectrum::blended(9).unwrap(),
            Mismatch::new("abAB longerwdsé", 3, 1).unwrap(),
            Delta,
            Normalized::new(Spectrum::blended(3).unwrap()),
            Normalized::new(BagOfWords),
            2.5 * WordCount,
            Normalized::new(0.3 * Normalized::new(BagOfWords)),
            0.0 * Delta,
        );
    }

    #[test]
    fn rows_of_sets_are_exact(sets in proptest::collection::vec(proptest::collection::vec(0_u8..12, 0..8), 1..9)) {
        prop_assert_eq!(assert_exact(&SetIntersection, &sets), Ok(()));
        prop_assert_eq!(assert_exact(&NormalizedSetIntersection, &sets), Ok(()));
        prop_assert_eq!(assert_exact(&Normalized::new(SetIntersection), &sets), Ok(()));
    }

    #[test]
    fn rows_of_sparse_vectors_are_exact(
        rows in proptest::collection::vec(
            proptest::collection::vec(prop_oneof![2 => Just(0.0), 1 => -3.0..3.0_f64], 6..7), 1..9)
    ) {
        let points = SparseSamples::from_dense(&Samples::from_rows(&rows).unwrap()).unwrap();
        prop_assert_eq!(assert_exact(&Linear, &points), Ok(()));
        prop_assert_eq!(assert_exact(&Cosine, &points), Ok(()));
        prop_assert_eq!(assert_exact(&(0.5 * Cosine), &points), Ok(()));
    }

    #[test]
    fn rows_of_graphs_are_exact(
        all in proptest::collection::vec(
            (proptest::collection::vec(0_u64..3, 1..7), proptest::collection::vec((0_usize..7, 0_usize..7), 0..9)), 1..7)
    ) {
        let graph = |(labels, edges): &(Vec<u64>, Vec<(usize, usize)>)| {
            let n = labels.len();
            let edges: Vec<_> =
                edges.iter().map(|(i, j)| (i % n, j % n)).filter(|(i, j)| i != j).collect();
            Graph::new(labels.clone(), &edges).unwrap()
        };
        let graphs: Vec<Graph> = all.iter().map(graph).collect();
        prop_assert_eq!(assert_exact(&WeisfeilerLehman::new(3).unwrap(), &graphs), Ok(()));
        prop_assert_eq!(assert_exact(&ShortestPath, &graphs), Ok(()));
        let normalized = Normalized::new(WeisfeilerLehman::new(2).unwrap());
        prop_assert_eq!(assert_exact(&normalized, &graphs), Ok(()));
    }
}

/// Features beyond the vocabulary count in the norm, and are not in the row.
#[test]
fn unknown_features_count_in_norms() {
    let known = vec!["a b", "c"];
    let map = SparseMap::learn(Normalized::new(WordCount), &known).unwrap();
    let rows = map.rows(&vec!["a x y z", "x", ""]).unwrap().into_owned();
    assert_eq!(rows.item(0).len(), 1);
    assert!((rows.item(0)[0].value - 0.5).abs() < 1e-15);
    assert!(rows.item(1).is_empty() && rows.item(2).is_empty());
    // No features at all: one coordinate that nobody has.
    let none: Vec<&str> = Vec::new();
    let empty = SparseMap::learn(WordCount, &none).unwrap();
    assert_eq!(empty.rows(&known).unwrap().dim(), 1);
}

#[test]
fn values_beyond_the_squares_of_numbers_have_directions() {
    let rows = [vec![(0, 1e200), (3, -1e200)], vec![(3, 1e-200)], vec![]];
    let points = SparseSamples::from_rows(4, &rows).unwrap();
    assert_eq!(assert_exact(&Cosine, &points), Ok(()));
}

#[test]
fn points_outside_of_a_domain_are_refused() {
    let words = vec!["ab", "ac"];
    let mismatch = Mismatch::new("ab", 2, 1).unwrap();
    let refused = SparseMap::learn(mismatch.clone(), &words).map(drop);
    assert_eq!(refused, kern_core::Kernel::<Vec<&str>>::check(&mismatch, &words));
    let negative = Scaled::new(-1.0, WordCount);
    assert!(negative.is_err() || SparseMap::learn(-1.0 * WordCount, &words).is_err());
    let points = SparseSamples::from_rows(4, &[[(1, 1.0)]]).unwrap();
    let other = Identity::new(5).rows(&points).map(drop);
    assert!(matches!(other, Err(Error::Dimension { expected: 5, given: 4, .. })));
    assert_eq!(*Identity::new(4).rows(&points).unwrap(), points);
}

#[test]
fn maps_are_read_as_they_were_written() {
    let texts = vec!["to be or not to be".to_string(), "to see".to_string()];
    let map = SparseMap::learn(Normalized::new(BagOfWords), &texts).unwrap();
    let text = serde_json::to_string(&map).unwrap();
    assert_eq!(
        serde_json::from_str::<SparseMap<Normalized<BagOfWords>, (u64, u32)>>(&text).unwrap(),
        map
    );
    assert!(serde_json::from_str::<SparseMap<BagOfWords, (u64, u32)>>(&text).is_err());
    let delta = SparseMap::learn(Delta, &texts).unwrap();
    let text = serde_json::to_string(&delta).unwrap();
    assert_eq!(text, r#"{"kernel":["delta",null],"vocabulary":["to be or not to be","to see"]}"#);
    let reversed = r#"{"kernel":["delta",null],"vocabulary":["to see","to be or not to be"]}"#;
    assert!(serde_json::from_str::<SparseMap<Delta, String>>(reversed).is_err());
}
