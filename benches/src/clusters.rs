//! Classes made of Gaussian clusters, after Guyon (2003), *Design of experiments of the NIPS 2003
//! variable selection benchmark*: the generator behind scikit-learn's `make_classification`.

use crate::data::{self, Labelled, Stream};
use anyhow::{Result, ensure};
use kern_core::Samples;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// The shape of the classes.
#[derive(Clone, Copy, Debug)]
pub struct Clusters {
    /// Dimensions in which the clusters differ.
    pub informative: usize,
    /// Dimensions that are linear combinations of those.
    pub redundant: usize,
    /// Dimensions of plain noise.
    pub useless: usize,
    /// Clusters of each of the two classes.
    pub per_class: usize,
    /// The share of labels that are drawn at random instead.
    pub flipped: f64,
}

/// The clusters of the tasks on support vector machines, in R²⁰.
pub const TWENTY: Clusters =
    Clusters { informative: 10, redundant: 4, useless: 6, per_class: 4, flipped: 0.02 };

/// A centre at a vertex of the cube {−1, 1}ᵏ, and a matrix that shapes the cluster.
struct Cluster {
    centre: Vec<f64>,
    shape: Vec<f64>,
}

impl Clusters {
    /// `n` points of the two classes ±1, in random order. Columns have mean 0 and deviation 1 over
    /// the first `train` points.
    ///
    /// # Errors
    /// If there are more clusters than vertices.
    pub fn draw(&self, stream: Stream, n: usize, train: usize) -> Result<Labelled<i64>> {
        let mut rng = stream.rng();
        let clusters = self.clusters(&mut rng)?;
        let mix = uniform(&mut rng, self.informative * self.redundant);
        let dim = self.informative + self.redundant + self.useless;
        let (mut values, mut y) = (Vec::with_capacity(n * dim), Vec::with_capacity(n));
        for _ in 0..n {
            let which = rng.random_range(0..clusters.len());
            let x = clusters[which].draw(&mut rng);
            values.extend(product(&mix, &x));
            values.extend(x);
            values.extend(normal(&mut rng, self.useless));
            let flipped = rng.random::<f64>() < self.flipped;
            let class = if flipped { rng.random_range(0..2) } else { which % 2 };
            y.push(2 * class as i64 - 1);
        }
        data::standardize(&mut values, dim, train);
        Ok(Labelled { x: Samples::from_row_major(dim, values)?, y })
    }

    /// Clusters at different vertices; the classes take turns.
    fn clusters(&self, rng: &mut ChaCha8Rng) -> Result<Vec<Cluster>> {
        let (k, count) = (self.informative, 2 * self.per_class);
        ensure!(k < 20 && count <= 1 << k, "{count} clusters need more dimensions than {k}");
        let mut vertices: Vec<usize> = (0..1 << k).collect();
        vertices.shuffle(rng);
        let cluster = |&vertex: &usize| {
            let sign = |bit: usize| if vertex >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Cluster { centre: (0..k).map(sign).collect(), shape: uniform(rng, k * k) }
        };
        Ok(vertices.iter().take(count).map(cluster).collect())
    }
}

impl Cluster {
    fn draw(&self, rng: &mut impl Rng) -> Vec<f64> {
        let z = normal(rng, self.centre.len());
        let shaped = product(&self.shape, &z);
        shaped.iter().zip(&self.centre).map(|(x, centre)| x + centre).collect()
    }
}

/// Numbers uniform in [−1, 1).
fn uniform(rng: &mut impl Rng, length: usize) -> Vec<f64> {
    (0..length).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn normal(rng: &mut impl Rng, length: usize) -> Vec<f64> {
    (0..length).map(|_| rng.sample(StandardNormal)).collect()
}

/// A·x for a matrix with rows of the length of x.
fn product(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kern_core::Points;

    #[test]
    fn columns_are_standardised_and_classes_are_balanced() -> Result<()> {
        let Labelled { x, y } = TWENTY.draw(Stream::Svm, 4000, 4000)?;
        assert_eq!((x.len(), x.dim(), y.len()), (4000, 20, 4000));
        for k in 0..20 {
            let column = || x.as_slice().iter().skip(k).step_by(20);
            let (sum, squares) = (column().sum::<f64>(), column().map(|v| v * v).sum::<f64>());
            assert!(sum.abs() < 1e-8 && (squares - 4000.0).abs() < 1e-8, "{k}");
        }
        // The standard error of the share is 0.008.
        let share = y.iter().filter(|&&y| y == 1).count() as f64 / 4000.0;
        assert!((share - 0.5).abs() < 0.04 && y.iter().all(|y| y.abs() == 1), "{share}");
        Ok(())
    }

    #[test]
    fn fewer_points_are_the_first_of_more_up_to_units() -> Result<()> {
        let (few, more) = (TWENTY.draw(Stream::Svm, 30, 30)?, TWENTY.draw(Stream::Svm, 60, 30)?);
        assert_eq!(few.x.as_slice(), &more.x.as_slice()[..600]);
        assert_eq!(few.y, more.y[..30]);
        Ok(())
    }

    #[test]
    fn more_clusters_than_vertices_are_refused() {
        let crowded = Clusters { informative: 2, per_class: 3, ..TWENTY };
        assert!(crowded.draw(Stream::Svm, 10, 10).is_err());
    }
}
