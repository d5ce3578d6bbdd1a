//! Splits: the laws of every rule, and what is refused.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_solvers::validation::{Fold, Split};
use kern_solvers::{Data, Error, Targets};
use proptest::prelude::*;

/// Folds of labels, which may have groups.
fn folds(split: &Split, labels: &[u8], groups: Option<&[usize]>) -> Result<Vec<Fold>, Error> {
    let points = vec![(); labels.len()];
    let data = Data::new(&points, labels).unwrap();
    let data = match groups {
        Some(groups) => data.groups(groups).unwrap(),
        None => data,
    };
    split.folds(&data)
}

/// Both parts of every fold are ascending, and together all points; each point is tested on once.
fn assert_each_point_is_tested_once(folds: &[Fold], n: usize) {
    let mut tested = vec![0; n];
    for Fold { train, test } in folds {
        assert!(train.is_sorted() && test.is_sorted());
        let mut all: Vec<usize> = train.iter().chain(test).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..n).collect::<Vec<_>>(), "disjoint and complete");
        test.iter().for_each(|&i| tested[i] += 1);
    }
    assert_eq!(tested, vec![1; n]);
}

fn sizes(folds: &[Fold]) -> (usize, usize) {
    let sizes = || folds.iter().map(|fold| fold.test.len());
    (sizes().min().unwrap(), sizes().max().unwrap())
}

/// The members of a fold that are of a class.
fn of_class(indices: &[usize], labels: &[u8], class: u8) -> usize {
    indices.iter().filter(|&&i| labels[i] == class).count()
}

proptest! {
    #[test]
    fn parts_of_consecutive_points_are_of_one_size(
        n in 2_usize..90,
        k in 2_usize..12,
        seed in proptest::option::of(0_u64..9),
    ) {
        let split = Split::k_fold(k.min(n));
        let split = seed.map_or(split, |seed| split.shuffle(seed));
        let folds = folds(&split, &vec![0; n], None).unwrap();
        prop_assert_eq!(folds.len(), k.min(n));
        assert_each_point_is_tested_once(&folds, n);
        let (smallest, most) = sizes(&folds);
        prop_assert!(most - smallest <= 1);
        if seed.is_none() {
            let order: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
            prop_assert!(order.is_sorted(), "consecutive");
        }
    }

    #[test]
    fn stratified_parts_have_their_share_of_every_class(
        labels in proptest::collection::vec(0_u8..4, 8..120),
        k in 2_usize..6,
        seed in proptest::option::of(0_u64..9),
    ) {
        let count = |class: u8| labels.iter().filter(|&&label| label == class).count();
        let rarest = (0..4).map(count).filter(|&count| count > 0).min().unwrap();
        let split = Split::stratified(k);
        let split = seed.map_or(split, |seed| split.shuffle(seed));
        let found = folds(&split, &labels, None);
        if k > rarest {
            let named = |class: usize, points: usize| {
                let labels: std::collections::BTreeSet<u8> = labels.iter().copied().collect();
                labels.iter().nth(class).is_some_and(|&label| count(label) == points)
            };
            let Err(Error::RareClass { class, points, folds: given }) = found else { panic!() };
            prop_assert!(named(class, points) && points < k && given == k);
            let found = self::folds(&split.allow_rare_classes(), &labels, None).unwrap();
            for fold in &found {
                // No class is missing from what is learned, and the sizes stay even.
                prop_assert!((0..4).all(|c| count(c) == 0 || of_class(&fold.train, &labels, c) > 0));
            }
            let tested: usize = found.iter().map(|fold| fold.test.len()).sum();
            let alone = (0..4).filter(|&class| count(class) == 1).count();
            prop_assert_eq!(tested, labels.len() - alone);
            return Ok(());
        }
        let found = found.unwrap();
        assert_each_point_is_tested_once(&found, labels.len());
        for fold in &found {
            for class in 0..4 {
                let (share, all) = (of_class(&fold.test, &labels, class), count(class));
                prop_assert!(share == all / k || share == all.div_ceil(k), "{share} of {all}");
            }
        }
        let (smallest, most) = sizes(&found);
        prop_assert!(most - smallest <= 1, "{smallest} to {most} of all classes");
    }

    #[test]
    fn groups_stay_whole_and_parts_even(
        groups in proptest::collection::vec(0_usize..15, 4..100),
        k in 2_usize..5,
        seed in proptest::option::of(0_u64..9),
    ) {
        let size = |group: usize| groups.iter().filter(|&&g| g == group).count();
        let distinct = (0..15).filter(|&group| size(group) > 0).count();
        let split = Split::groups(k);
        let split = seed.map_or(split, |seed| split.shuffle(seed));
        let found = folds(&split, &vec![0; groups.len()], Some(&groups));
        if k > distinct {
            let refused = matches!(found, Err(Error::Count { given, .. }) if given == k);
            prop_assert!(refused);
            return Ok(());
        }
        let found = found.unwrap();
        assert_each_point_is_tested_once(&found, groups.len());
        for Fold { train, test } in &found {
            prop_assert!(test.iter().all(|&i| train.iter().all(|&j| groups[i] != groups[j])));
            prop_assert!(!test.is_empty());
        }
        // Each group goes to the least part, so no part is ahead by more than the greatest group.
        let (smallest, most) = sizes(&found);
        prop_assert!(most - smallest <= (0..15).map(size).max().unwrap());
    }

    #[test]
    fn a_time_series_is_tested_on_after_what_came_before(n in 2_usize..80, k in 1_usize..9) {
        let k = k.min(n - 1);
        let folds = folds(&Split::time_series(k), &vec![0; n], None).unwrap();
        prop_assert_eq!(folds.len(), k);
        let mut from = folds[0].train.len();
        for Fold { train, test } in &folds {
            prop_assert_eq!(train, &(0..from).collect::<Vec<_>>());
            prop_assert_eq!(test, &(from..from + test.len()).collect::<Vec<_>>());
            from += test.len();
        }
        prop_assert_eq!(from, n, "the last point is tested on");
        let (smallest, most) = sizes(&folds);
        let (smallest, most) = (smallest.min(folds[0].train.len()), most.max(folds[0].train.len()));
        prop_assert!(most - smallest <= 1);
    }
}

#[test]
fn leaving_one_out_has_a_fold_for_each_point() {
    let found = folds(&Split::leave_one_out(), &[0; 7], None).unwrap();
    assert_each_point_is_tested_once(&found, 7);
    assert!(found.iter().enumerate().all(|(i, fold)| fold.test == [i]));
}

#[test]
fn a_seed_decides_the_shuffle_and_another_one_another() {
    let labels: Vec<u8> = (0..60).map(|i| (i % 3) as u8).collect();
    let groups: Vec<usize> = (0..60).map(|i| i % 20).collect();
    let rules = [
        (Split::k_fold(5), None),
        (Split::stratified(5), None),
        (Split::groups(5), Some(&groups[..])),
    ];
    for (split, groups) in rules {
        let of = |split: Split| folds(&split, &labels, groups).unwrap();
        assert_eq!(of(split.shuffle(3)), of(split.shuffle(3)), "{split:?}");
        assert_ne!(of(split.shuffle(3)), of(split.shuffle(4)), "{split:?}");
        assert_ne!(of(split.shuffle(3)), of(split), "{split:?}");
        assert_eq!(of(split), of(split), "{split:?}");
    }
    // What has an order keeps it.
    for split in [Split::leave_one_out(), Split::time_series(4)] {
        let of = |split: Split| folds(&split, &labels, None).unwrap();
        assert_eq!(of(split.shuffle(3)), of(split));
    }
}

#[test]
fn classes_of_any_label_are_kept_in_proportion_and_numbers_have_none() {
    let (x, y) = (vec![(); 6], ["x", "y", "y", "x", "y", "y"]);
    for fold in Split::stratified(2).shuffle(9).folds(&Data::new(&x, &y).unwrap()).unwrap() {
        assert_eq!(fold.test.iter().filter(|&&i| y[i] == "x").count(), 1);
        assert_eq!(fold.test.len(), 3);
    }
    let numbers = Data::new(&x, &[0.5_f64; 6]).unwrap();
    assert_eq!(numbers.targets().strata(), None);
    let reason = "the targets have no classes";
    let refused = Error::Split { rule: "stratified", reason };
    assert_eq!(Split::stratified(2).folds(&numbers).unwrap_err(), refused);
    assert_eq!(Split::stratified(2).folds(&Data::unlabelled(&x).unwrap()).unwrap_err(), refused);
}

#[test]
fn what_cannot_be_split_is_a_typed_error() {
    let labels = [0, 0, 1, 1, 1];
    let refused = |split: Split, given: usize| {
        let error = folds(&split, &labels, None).unwrap_err();
        let name = "the number of folds";
        assert!(
            matches!(error, Error::Count { name: n, given: g, .. } if n == name && g == given),
            "{error}"
        );
    };
    for folds in [0, 1, 6] {
        refused(Split::k_fold(folds), folds);
    }
    refused(Split::stratified(1), 1);
    let rare = folds(&Split::stratified(3), &labels, None).unwrap_err();
    assert_eq!(rare, Error::RareClass { class: 0, points: 2, folds: 3 });
    refused(Split::time_series(0), 0);
    refused(Split::time_series(5), 5);
    let one = folds(&Split::leave_one_out(), &[0], None).unwrap_err();
    assert!(matches!(one, Error::Count { given: 1, .. }));

    let groups = [0, 0, 1, 1, 2];
    let reason = "the data has none";
    let none = folds(&Split::groups(2), &labels, None).unwrap_err();
    assert_eq!(none, Error::Split { rule: "groups", reason });
    let many = folds(&Split::groups(4), &labels, Some(&groups)).unwrap_err();
    assert!(matches!(many, Error::Count { given: 4, .. }));
    let reason = "the data has groups, which only Split::groups keeps together";
    for (split, rule) in [
        (Split::k_fold(2), "k-fold"),
        (Split::stratified(2), "stratified"),
        (Split::leave_one_out(), "leave-one-out"),
        (Split::time_series(2), "time series"),
    ] {
        let error = folds(&split, &labels, Some(&groups)).unwrap_err();
        assert_eq!(error, Error::Split { rule, reason });
    }
}

/// Points of weight 0 are never learned from, and the others are divided as if they were alone.
#[test]
fn points_of_weight_zero_change_no_fold() {
    let n = 41;
    let labels: Vec<usize> = (0..n).map(|i| i * i % 3).collect();
    let groups: Vec<usize> = (0..n).map(|i| i / 3).collect();
    let weights: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 7 != 2))).collect();
    let used: Vec<usize> = (0..n).filter(|&i| weights[i] > 0.0).collect();
    let (x, few) = (vec![(); n], vec![(); used.len()]);
    let of_used: Vec<usize> = used.iter().map(|&i| labels[i]).collect();
    let groups_of_used: Vec<usize> = used.iter().map(|&i| groups[i]).collect();
    for split in [
        Split::k_fold(4).shuffle(1),
        Split::stratified(4).shuffle(2),
        Split::groups(4),
        Split::leave_one_out(),
        Split::time_series(3),
    ] {
        let grouped = split == Split::groups(4);
        let mut all = Data::new(&x, &labels).unwrap().weights(&weights).unwrap();
        let mut alone = Data::new(&few, &of_used).unwrap();
        if grouped {
            all = all.groups(&groups).unwrap();
            alone = alone.groups(&groups_of_used).unwrap();
        }
        let (all, alone) = (split.folds(&all).unwrap(), split.folds(&alone).unwrap());
        assert_eq!(all.len(), alone.len());
        // A series has no part that the points without weight belong to; elsewhere each is tested
        // on once.
        let light = all.iter().flat_map(|fold| &fold.test).filter(|&&i| weights[i] == 0.0).count();
        let series = split == Split::time_series(3);
        assert_eq!(light, if series { 0 } else { n - used.len() });
        for (all, alone) in all.iter().zip(alone) {
            let mapped = |part: &[usize]| part.iter().map(|&i| used[i]).collect::<Vec<_>>();
            assert_eq!(all.train, mapped(&alone.train));
            let heavy = all.test.iter().copied().filter(|&i| weights[i] > 0.0);
            assert_eq!(heavy.collect::<Vec<_>>(), mapped(&alone.test));
        }
    }
}

#[test]
fn a_split_is_saved() {
    for split in [Split::stratified(5).shuffle(7), Split::groups(3), Split::leave_one_out()] {
        let text = serde_json::to_string(&split).unwrap();
        assert_eq!(serde_json::from_str::<Split>(&text).unwrap(), split);
    }
}
