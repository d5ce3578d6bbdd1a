//! Scores of clusterings and of neighbour searches.

use crate::Error;
use kern_approx::statistics::check_length;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{GramOperator, LazyGram, zeros};
use std::collections::BTreeMap;

/// The number of columns of kernel values processed together.
const WIDTH: usize = 64;

/// The adjusted Rand index, the chance-corrected agreement of two partitions: 1 for equal ones, 0
/// in expectation for independent ones.
///
/// # Definition
/// (Σ C(nᵢⱼ, 2) − E)/(½(A + B) − E) with A = Σ C(aᵢ, 2), B = Σ C(bⱼ, 2), E = AB/C(n, 2), where nᵢⱼ
/// points are in cluster i of the first and cluster j of the second partition.
///
/// # Errors
/// [`Error::Length`], [`Error::Empty`].
///
/// # References
/// Hubert & Arabie (1985), *Comparing Partitions*, (5).
///
/// # Examples
/// ```
/// use kern_solvers::validation::adjusted_rand_index;
/// assert_eq!(adjusted_rand_index(&[0, 0, 1, 1], &["b", "b", "a", "a"])?, 1.0);
/// assert!(adjusted_rand_index(&[0, 0, 1, 1], &[0, 1, 0, 1])? < 0.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "ARI")]
pub fn adjusted_rand_index<A: Ord, B: Ord>(a: &[A], b: &[B]) -> Result<f64, Error> {
    check_length("clusters", a.len(), b.len())?;
    let pairs = |n: f64| n * (n - 1.0) / 2.0;
    let both = tally(a.iter().zip(b));
    let together: f64 = both.values().map(|&n| pairs(n)).sum();
    let first: f64 = tally(a.iter()).values().map(|&n| pairs(n)).sum();
    let second: f64 = tally(b.iter()).values().map(|&n| pairs(n)).sum();
    let all = pairs(a.len() as f64);
    let expected = if all > 0.0 { first * second / all } else { 0.0 };
    let largest = f64::midpoint(first, second);
    // Both partitions are a single cluster, or only singletons: they agree.
    Ok(if largest > expected { (together - expected) / (largest - expected) } else { 1.0 })
}

fn tally<K: Ord>(items: impl Iterator<Item = K>) -> BTreeMap<K, f64> {
    let mut counts = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_insert(0.0) += 1.0);
    counts
}

/// The mean silhouette of clusters in the feature space of a kernel.
///
/// # Definition
/// s(i) = (b − a)/max(a, b), where a is the mean distance ‖φ(xᵢ) − φ(xⱼ)‖ to the other points of
/// its cluster, and b the smallest mean distance to the points of another cluster; 0 for a
/// singleton.
///
/// # Complexity
/// n² kernel evaluations; memory 64·n.
///
/// # Errors
/// [`Error::Length`]; [`Error::Score`] for fewer than two clusters; [`Error::Gram`] if the kernel
/// rejects the points.
///
/// # References
/// Rousseeuw (1987), *Silhouettes: A Graphical Aid to the Interpretation and Validation of Cluster
/// Analysis*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::validation::silhouette;
/// let x = Samples::from_rows(&[[0.0], [1.0], [10.0], [11.0]])?;
/// let s: f64 = silhouette(&Linear, &x, &[0, 0, 1, 1])?;
/// assert!((s - (19.0 / 21.0 + 17.0 / 19.0) / 2.0).abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn silhouette<P: Points, K: Mercer<P>>(
    kernel: &K,
    points: &P,
    clusters: &[usize],
) -> Result<f64, Error> {
    let n = points.len();
    check_length("clusters", n, clusters.len())?;
    let sizes = tally(clusters.iter().copied());
    if sizes.len() < 2 {
        return Err(Error::Score { score: "silhouette", reason: "there is but one cluster" });
    }
    let gram = LazyGram::new(kernel, points)?;
    let diagonal: Vec<f64> = gram.diag().iter().map(|k| k.to_f64()).collect();
    let mut values = zeros::<P::Scalar>(n, WIDTH.min(n))?;
    let mut total = 0.0;
    for part in kern_gram::tile_ranges(n, WIDTH) {
        let columns: Vec<usize> = part.collect();
        let mut values = values.as_mut().subcols_mut(0, columns.len());
        gram.columns_into(&columns, values.as_mut())?;
        for (c, &i) in columns.iter().enumerate() {
            let distance = |j: usize| {
                let squared = diagonal[i] + diagonal[j] - 2.0 * values[(j, c)].to_f64();
                if i == j { 0.0 } else { squared.max(0.0).sqrt() }
            };
            total += of_point(i, clusters, &sizes, distance);
        }
    }
    Ok(total / n as f64)
}

/// The silhouette of one point.
fn of_point(
    i: usize,
    clusters: &[usize],
    sizes: &BTreeMap<usize, f64>,
    distance: impl Fn(usize) -> f64,
) -> f64 {
    let mut sums: BTreeMap<usize, f64> = sizes.keys().map(|&cluster| (cluster, 0.0)).collect();
    for (j, cluster) in clusters.iter().enumerate() {
        if let Some(sum) = sums.get_mut(cluster) {
            *sum += distance(j);
        }
    }
    let own = clusters[i];
    if sizes[&own] <= 1.0 {
        return 0.0;
    }
    let within = sums[&own] / (sizes[&own] - 1.0);
    let others = sums.iter().filter(|(cluster, _)| **cluster != own);
    let between = others.map(|(cluster, sum)| sum / sizes[cluster]).fold(f64::INFINITY, f64::min);
    let largest = within.max(between);
    if largest > 0.0 { (between - within) / largest } else { 0.0 }
}

/// The fraction of the true neighbours of all queries that were found; 1 if there are none.
///
/// # Errors
/// [`Error::Length`] if the numbers of queries differ.
///
/// # Examples
/// ```
/// use kern_solvers::validation::recall_at_k;
/// assert_eq!(recall_at_k(&[vec![3, 1], vec![0, 9]], &[vec![1, 3], vec![0, 2]])?, 0.75);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn recall_at_k(found: &[Vec<usize>], exact: &[Vec<usize>]) -> Result<f64, Error> {
    Error::check_equal("rows of neighbours", exact.len(), found.len())?;
    let hits = |(found, exact): (&Vec<usize>, &Vec<usize>)| {
        exact.iter().filter(|index| found.contains(index)).count()
    };
    let hits: usize = found.iter().zip(exact).map(hits).sum();
    let all: usize = exact.iter().map(Vec::len).sum();
    Ok(if all == 0 { 1.0 } else { hits as f64 / all as f64 })
}
