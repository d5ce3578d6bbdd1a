//! Measures of agreement, and clusters for several seeds.

use crate::agreement::{mutual_information, purity};
use crate::digits;
use crate::rings::{self, Rings};
use crate::strings::{self, Sentences};
use kern::Samples;
use kern::solvers::validation::adjusted_rand_index;
use kern_gallery::data;

fn adjusted_rand<A: Ord, B: Ord>(a: &[A], b: &[B]) -> f64 {
    adjusted_rand_index(a, b).unwrap()
}

/// The measures by their definitions, over pairs of points and by scikit-learn 1.9.1:
///
/// ```python
/// a, b = [0, 0, 1, 1, 2, 2, 2, 0, 1, 3], [0, 0, 1, 1, 1, 2, 2, 2, 2, 0]
/// adjusted_rand_score(b, a), normalized_mutual_info_score(b, a)
/// ```
#[test]
fn agreement_is_that_of_the_definition() {
    let (a, b) = ([0, 0, 1, 1, 2, 2, 2, 0, 1, 3], [0, 0, 1, 1, 1, 2, 2, 2, 2, 0]);
    let pairs = || (0..10).flat_map(|i| (0..i).map(move |j| (i, j)));
    let count = |together: &dyn Fn(usize, usize) -> bool| -> f64 {
        pairs().filter(|&(i, j)| together(i, j)).count() as f64
    };
    let (first, second) = (count(&|i, j| a[i] == a[j]), count(&|i, j| b[i] == b[j]));
    let chance = first * second / 45.0;
    let both = count(&|i, j| a[i] == a[j] && b[i] == b[j]);
    let expected = (both - chance) / ((first + second) / 2.0 - chance);
    assert!((adjusted_rand(&a, &b) - expected).abs() < 1e-15);
    assert!((adjusted_rand(&a, &b) - 0.07407407407407407).abs() < 1e-15);
    assert!((mutual_information(&a, &b) - 0.42954169878661963).abs() < 1e-15);
    assert!((purity(&a, &b) - 0.7).abs() < 1e-15, "2 of 3, 2 of 3, 2 of 3, and 1");
    // Of six pairs two are together in each, none in both: (0 − 2·2/6)/(2 − 2·2/6).
    assert!((adjusted_rand(&[0, 0, 1, 1], &["a", "b", "a", "b"]) + 0.5).abs() < 1e-15);
    // What cannot differ agrees.
    let (same, alone) = ([0; 4], [0, 1, 2, 3]);
    assert!([adjusted_rand(&same, &same), adjusted_rand(&alone, &alone)].iter().all(|r| *r >= 1.0));
    assert!(mutual_information(&same, &same) >= 1.0 && adjusted_rand(&same, &alone).abs() < 1e-15);
}

#[test]
#[expect(clippy::float_cmp, reason = "these are exact")]
fn agreement_of_few_points_is_exact() {
    assert_eq!(purity(&[0, 0, 0, 1], &["a", "a", "b", "b"]), 0.75);
    assert_eq!(mutual_information(&[1, 1, 0, 0], &["a", "a", "b", "b"]), 1.0);
    assert_eq!(mutual_information(&[0, 0, 1, 1], &["a", "b", "a", "b"]), 0.0);
}

/// Rings and sentences are found with other seeds, too, and somewhere between the rings a point belongs to both.
#[test]
fn clusters_do_not_hang_on_a_seed() {
    let sentences = Sentences::all();
    for seed in 0..5 {
        let (points, truth) = rings::sample(300, seed).unwrap();
        let rings = Rings::fit(&points, seed).unwrap();
        let agreement = rings.labels().map(|(_, labels)| adjusted_rand(&labels, &truth));
        assert!(agreement[0] < 0.5 && agreement[1] >= 1.0 && agreement[2] >= 1.0, "{agreement:?}");
        let outwards: Vec<[f64; 2]> = (0..=60).map(|i| [f64::from(i) * 0.05, 0.0]).collect();
        let soft = rings.shares(&Samples::from_rows(&outwards).unwrap()).unwrap()[2].clone();
        assert!((soft[0] - soft[60]).abs() > 0.95, "{soft:?}");
        assert!(soft.iter().any(|share| (0.2..0.8).contains(share)), "{soft:?}");
        let labels = strings::cluster(&sentences, seed).unwrap();
        assert!(adjusted_rand(&labels, &sentences.languages) > 0.9, "{labels:?}");
    }
}

#[test]
fn images_nearest_to_centres_are_sorted_members() {
    let images = data::digits().unwrap().draw(200, 3).unwrap();
    let model = digits::cluster(&images.points, 1).unwrap();
    let distances = model.distances(&images.points).unwrap();
    let nearest = digits::nearest_to_centres(&model, 4).unwrap();
    assert_eq!(nearest.len(), digits::K);
    for (c, (nearest, size)) in nearest.iter().zip(model.sizes()).enumerate() {
        assert_eq!(nearest.len(), size.min(4));
        assert!(nearest.iter().all(|&i| model.labels()[i] == c));
        assert!(nearest.is_sorted_by(|&i, &j| distances[(i, c)] <= distances[(j, c)]));
        let members = (0..200).filter(|&i| model.labels()[i] == c);
        let farther = members.filter(|i| !nearest.contains(i));
        let last = distances[(nearest[nearest.len() - 1], c)];
        assert!(farther.into_iter().all(|i| distances[(i, c)] >= last));
    }
}
