//! Blocks of samples.

use crate::Error;
use faer::MatRef;
use kern_approx::statistics::Observed;

/// Samples by their features, D × samples, their targets, samples × outputs, and their weights β.
///
/// For functions of classes there is one output, the number of the class. Fits without targets have none.
#[derive(Clone, Copy, Debug)]
pub struct Block<'b> {
    pub(super) features: MatRef<'b, f64>,
    pub(super) targets: MatRef<'b, f64>,
    pub(super) weights: Option<&'b [f64]>,
}

impl<'b> Block<'b> {
    /// Samples of weight 1.
    #[must_use]
    pub fn new(features: MatRef<'b, f64>, targets: MatRef<'b, f64>) -> Self {
        Self { features, targets, weights: None }
    }

    /// The same with these weights, one per sample.
    #[must_use]
    pub fn weights(self, weights: &'b [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// The number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.ncols()
    }

    /// Tells whether there is no sample.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// These targets with the weights of the block.
    pub(super) fn observed<'t>(&self, targets: MatRef<'t, f64>) -> Observed<'t, f64>
    where
        'b: 't,
    {
        let observed = Observed::new(targets);
        self.weights.map_or(observed, |weights| observed.weights(weights))
    }

    /// Refuses other than so many features and outputs.
    pub(super) fn check_shape(&self, dim: usize, outputs: usize) -> Result<(), Error> {
        let pairs =
            [("features", dim, self.features.nrows()), ("outputs", outputs, self.targets.ncols())];
        for (what, expected, given) in pairs {
            if expected != given {
                return Err(Error::Statistics { what, expected, given });
            }
        }
        Ok(())
    }

    /// The same, and refuses numbers that are none, and weights below zero.
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
