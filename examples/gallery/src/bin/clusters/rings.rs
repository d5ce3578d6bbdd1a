//! Two rings, one around the other.

use anyhow::Result;
use kern::kernels::{Linear, Rbf};
use kern::solvers::{Clusters, KMeans, KernelExpansion, SoftClusters, SoftKMeans};
use kern::{Error, Samples};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// γ of the RBF kernel.
pub(crate) const GAMMA: f64 = 0.5;
/// β of soft k-means: small enough that points between the rings belong to both.
pub(crate) const BETA: f64 = 20.0;
/// The radii of the rings.
const RADII: [f64; 2] = [0.8, 3.0];
/// Half the width of a ring.
const WIDTH: f64 = 0.2;
/// Runs of k-means, of which the best is kept: about half of them find the rings.
const RESTARTS: usize = 20;

/// Points of two rings in turn, and which ring each is of.
///
/// # Errors
/// None in practice: the points are finite.
pub(crate) fn sample(n: usize, seed: u64) -> Result<(Samples<f64>, Vec<usize>), Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let rings: Vec<usize> = (0..n).map(|i| i % RADII.len()).collect();
    let point = |&ring: &usize| {
        let radius = RADII[ring] + rng.random_range(-WIDTH..WIDTH);
        let (sin, cos) = rng.random_range(0.0..std::f64::consts::TAU).sin_cos();
        [radius * cos, radius * sin]
    };
    let points: Vec<[f64; 2]> = rings.iter().map(point).collect();
    Ok((Samples::from_rows(&points)?, rings))
}

/// Two clusters of the same points, in three ways.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    /// Ordinary k-means.
    pub(crate) linear: Clusters<KernelExpansion<Samples<f64>, Linear>>,
    /// In the feature space of the RBF kernel.
    pub(crate) rbf: Clusters<KernelExpansion<Samples<f64>, Rbf>>,
    /// Soft clusters there.
    pub(crate) soft: SoftClusters<KernelExpansion<Samples<f64>, Rbf>>,
}

impl Rings {
    /// Finds the clusters.
    ///
    /// # Errors
    /// If there are fewer than two points.
    pub(crate) fn fit(points: &Samples<f64>, seed: u64) -> Result<Self> {
        let rbf = Rbf::new(GAMMA)?;
        let soft = SoftKMeans::on_kernel(rbf, 2).beta(BETA).restarts(RESTARTS).seed(seed);
        Ok(Self {
            linear: KMeans::on_kernel(Linear, 2).restarts(RESTARTS).seed(seed).fit(points)?,
            rbf: KMeans::on_kernel(rbf, 2).restarts(RESTARTS).seed(seed).fit(points)?,
            soft: soft.fit(points)?,
        })
    }

    /// The clusters of all ways, and what the ways are called.
    #[must_use]
    pub(crate) fn labels(&self) -> [(&'static str, Vec<usize>); 3] {
        [
            ("k-means", self.linear.labels().to_vec()),
            ("kernel k-means, RBF", self.rbf.labels().to_vec()),
            ("soft kernel k-means, RBF", self.soft.labels()),
        ]
    }

    /// The shares of the first cluster in points, by each way: 0 or 1 but for soft clusters.
    ///
    /// # Errors
    /// If the points are not in the plane.
    pub(crate) fn shares(&self, points: &Samples<f64>) -> Result<[Vec<f64>; 3]> {
        let hard =
            |labels: Vec<usize>| labels.iter().map(|&c| f64::from(u8::from(c == 0))).collect();
        let soft = self.soft.predict_memberships(points)?;
        Ok([
            hard(self.linear.predict(points)?),
            hard(self.rbf.predict(points)?),
            soft.col_as_slice(0).to_vec(),
        ])
    }
}
