//! Queries of rounds, blocks of samples, and the sums that answer queries.

use super::k_means_rounds::{ClusterSums, Seeds};
use super::loss_gradient::{Objective, SlopeSums};
use crate::Error;
use crate::feature_machine::{MetricQuery, OuterSums};
use faer::{Mat, MatRef};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_core::memory::matrix_bytes;
use kern_gram::{MemoryBudget, zeros};
use serde::{Deserialize, Serialize};

/// A block of samples: their features, D × samples, their targets, samples × outputs, and their
/// weights β.
///
/// Classes have one output, the index of the class. Fits without targets have no outputs.
#[derive(Clone, Copy, Debug)]
pub struct Block<'b> {
    pub(super) features: MatRef<'b, f64>,
    pub(super) targets: MatRef<'b, f64>,
    weights: Option<&'b [f64]>,
}

impl<'b> Block<'b> {
    /// Creates a block of samples of weight 1.
    #[must_use]
    pub fn new(features: MatRef<'b, f64>, targets: MatRef<'b, f64>) -> Self {
        Self { features, targets, weights: None }
    }

    /// Sets the weights, one per sample.
    #[must_use]
    pub fn weights(self, weights: &'b [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// The number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.ncols()
    }

    /// True if there are no samples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// Combines these targets with the weights of the block.
    fn observed<'t>(&self, targets: MatRef<'t, f64>) -> Observed<'t, f64>
    where
        'b: 't,
    {
        Observed::weighted(targets, self.weights)
    }

    /// Fails unless the block has this number of features and of outputs.
    fn check_shape(&self, dim: usize, outputs: usize) -> Result<(), Error> {
        let pairs =
            [("features", dim, self.features.nrows()), ("outputs", outputs, self.targets.ncols())];
        for (what, expected, given) in pairs {
            if expected != given {
                return Err(Error::Statistics { what, expected, given });
            }
        }
        Ok(())
    }

    /// Fails as [`check_shape`](Self::check_shape), and for non-finite values and negative weights.
    pub(super) fn check(&self, dim: usize, outputs: usize) -> Result<(), Error> {
        self.check_shape(dim, outputs)?;
        if self.targets.ncols() > 0 {
            kern_approx::statistics::check_targets(self.len(), self.targets)?;
        }
        if let Some(weights) = self.weights {
            kern_approx::statistics::check_batch_weights(self.len(), weights)?;
        }
        Ok(kern_approx::statistics::check_features(self.features)?)
    }
}

/// A query to all samples, which is answered by a sum over them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Query {
    /// Σβzzᵀ, Σβz and, with outputs, Σβzyᵀ.
    Moments {
        /// The number D of features.
        dim: usize,
        /// The number of outputs, or of classes; 0 without targets.
        outputs: usize,
        /// True if the target is the index of a class.
        classes: bool,
    },
    /// The value and the gradient of an objective.
    Slopes(Objective),
    /// Sums over the samples nearest to each centre.
    Clusters(Seeds),
    /// Outer products of gradients, which are gathered from points instead of features.
    Outer(MetricQuery),
}

/// A sum over samples: the answer to a [`Query`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Sums {
    /// Moments.
    Moments(NormalEquations),
    /// Values and gradients.
    Slopes(SlopeSums),
    /// Sums for each cluster.
    Clusters(ClusterSums),
    /// Outer products of gradients.
    Outer(OuterSums),
}

impl Query {
    /// Creates empty sums.
    ///
    /// # Errors
    /// [`Error::Gram`] if they exceed the memory.
    pub fn sums(&self, memory: &MemoryBudget) -> Result<Sums, Error> {
        Ok(match self {
            Self::Moments { dim, outputs, .. } => {
                let (outputs, number) = ((*outputs).max(1), Fingerprint::new(0));
                Sums::Moments(NormalEquations::new(*dim, outputs, number, memory)?)
            }
            Self::Slopes(objective) => Sums::Slopes(SlopeSums::new(objective, memory)?),
            Self::Clusters(seeds) => Sums::Clusters(ClusterSums::new(seeds, memory)?),
            Self::Outer(query) => Sums::Outer(query.sums(memory)?),
        })
    }

    /// Adds the samples of a block.
    ///
    /// # Complexity
    /// For each sample, D² flops for moments, D·outputs for slopes and D·k for clusters; memory for
    /// a few values per sample, and for weighted moments for another copy of the block.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] for sums of another query, [`Error::Statistics`] for a block of
    /// another shape, the errors of non-finite values, and [`Error::Gram`] if the block exceeds the
    /// memory. After an error, nothing has been added.
    pub fn gather(
        &self,
        sums: &mut Sums,
        block: &Block<'_>,
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        match (self, sums) {
            (Self::Moments { dim, outputs, classes }, Sums::Moments(sums)) => {
                let given = if *classes { 1 } else { *outputs };
                // Their values are checked where they are added.
                block.check_shape(*dim, given)?;
                let bytes = matrix_bytes::<f64>(block.len(), dim.saturating_add(*outputs));
                memory.require("a block of features", bytes, "take smaller blocks")?;
                let targets = match (*classes, *outputs) {
                    (true, classes) => indicators(block.targets, classes)?,
                    (false, 0) => zeros(block.len(), 1)?,
                    (false, _) => block.targets.to_owned(),
                };
                Ok(sums.update(block.features, &block.observed(targets.as_ref()))?)
            }
            (Self::Slopes(objective), Sums::Slopes(sums)) => objective.gather(sums, block, memory),
            (Self::Clusters(seeds), Sums::Clusters(sums)) => seeds.gather(sums, block, memory),
            (Self::Outer(_), Sums::Outer(_)) => Err(Error::Unsupported {
                what: "gradients from features",
                instead: "let the metric's query gather points",
            }),
            _ => Err(Error::OtherQuery),
        }
    }
}

impl Sums {
    /// Adds the sums of other samples.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] or [`Error::Statistics`] if they are sums of something else.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        match (self, other) {
            (Self::Moments(sums), Self::Moments(other)) => Ok(sums.merge(other)?),
            (Self::Slopes(sums), Self::Slopes(other)) => sums.merge(other),
            (Self::Clusters(sums), Self::Clusters(other)) => sums.merge(other),
            (Self::Outer(sums), Self::Outer(other)) => sums.merge(other),
            _ => Err(Error::OtherQuery),
        }
    }

    /// The number of samples, including those of weight zero.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Self::Moments(sums) => sums.count(),
            Self::Slopes(sums) => sums.count,
            Self::Clusters(sums) => sums.count,
            Self::Outer(sums) => sums.count,
        }
    }
}

/// A column of 0 and 1 for each class, from the indices of the classes.
fn indicators(targets: MatRef<'_, f64>, classes: usize) -> Result<Mat<f64>, Error> {
    let mut out = zeros(targets.nrows(), classes)?;
    for i in 0..targets.nrows() {
        out[(i, class_of(targets, i, classes)?)] = 1.0;
    }
    Ok(out)
}

/// The index of the class of a sample.
pub(super) fn class_of(targets: MatRef<'_, f64>, i: usize, classes: usize) -> Result<usize, Error> {
    let given = targets[(i, 0)];
    let known = (0..classes).contains(&(given as usize)) && given >= 0.0 && given.fract() == 0.0;
    match known {
        true => Ok(given as usize),
        false => Err(Error::Range { what: "the number of a class", given }),
    }
}
