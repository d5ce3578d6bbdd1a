//! The agreement of clusters with classes, whatever the clusters are called.

use std::collections::BTreeMap;

/// The number of times that each pair of a cluster and a class occurs.
struct Table {
    pairs: BTreeMap<(usize, usize), f64>,
    clusters: BTreeMap<usize, f64>,
    classes: BTreeMap<usize, f64>,
    total: f64,
}

impl Table {
    fn new<L: Ord>(clusters: &[usize], classes: &[L]) -> Self {
        assert_eq!(clusters.len(), classes.len(), "a class for each point");
        let mut numbers = BTreeMap::new();
        for class in classes {
            let next = numbers.len();
            numbers.entry(class).or_insert(next);
        }
        let total = clusters.len() as f64;
        let (pairs, of_clusters, of_classes) = Default::default();
        let mut table = Self { pairs, clusters: of_clusters, classes: of_classes, total };
        for (&cluster, class) in clusters.iter().zip(classes) {
            let class = numbers[class];
            *table.pairs.entry((cluster, class)).or_insert(0.0) += 1.0;
            *table.clusters.entry(cluster).or_insert(0.0) += 1.0;
            *table.classes.entry(class).or_insert(0.0) += 1.0;
        }
        table
    }
}

/// The share of points whose class is the most frequent one of their cluster.
///
/// # Panics
/// If the lengths differ.
///
/// # References
/// Manning, Raghavan & Schütze (2008), *Introduction to Information Retrieval*, equation 16.1.
#[must_use]
pub(crate) fn purity<L: Ord>(clusters: &[usize], classes: &[L]) -> f64 {
    let table = Table::new(clusters, classes);
    let mut largest: BTreeMap<usize, f64> = BTreeMap::new();
    for (&(cluster, _), &count) in &table.pairs {
        let value = largest.entry(cluster).or_insert(0.0);
        *value = value.max(count);
    }
    largest.values().sum::<f64>() / table.total
}

/// The normalised mutual information: 2I/(H + H′), with the entropies of both divisions. Of two divisions
/// into one part each, 1.
///
/// # Panics
/// If the lengths differ.
///
/// # References
/// Manning, Raghavan & Schütze (2008), *Introduction to Information Retrieval*, equation 16.2.
#[must_use]
pub(crate) fn mutual_information<L: Ord>(clusters: &[usize], classes: &[L]) -> f64 {
    let table = Table::new(clusters, classes);
    let entropy = |counts: &BTreeMap<usize, f64>| -> f64 {
        counts.values().map(|count| -count / table.total * (count / table.total).ln()).sum()
    };
    let term = |(&(cluster, class), &count): (&(usize, usize), &f64)| {
        let expected = table.clusters[&cluster] * table.classes[&class] / table.total;
        count / table.total * (count / expected).ln()
    };
    let entropies = entropy(&table.clusters) + entropy(&table.classes);
    let information: f64 = table.pairs.iter().map(term).sum();
    if entropies > 0.0 { 2.0 * information / entropies } else { 1.0 }
}
