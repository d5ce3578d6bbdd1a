//! A feature map as a step of a pipeline.

use super::Pipeline;
use crate::{Data, Error, Learner, Run, Targets, Transformer};
use kern_approx::transform;
use kern_core::memory::matrix_bytes;
use kern_core::{FeatureMap, Named, Points, Samples, named};
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// Replaces points by their features ψ(x), for learners that accept only samples, or for a kernel
/// on features.
///
/// For functions linear in the features a learner [on features](crate::space::OnFeatures), such as
/// `Svc::on_features(map)`, is faster than `Featurize::new(map)` with the linear kernel, since it
/// does not store the features.
///
/// # Examples
/// ```
/// use kern_approx::RandomFourier;
/// use kern_core::{Samples, kernels::{Linear, Rbf}};
/// use kern_solvers::kmeans::KMeans;
/// use kern_solvers::{Data, Learner, Run, pipeline::Featurize};
/// let x = Samples::from_rows(&[[0.0], [0.1], [5.0], [5.1]])?;
/// let features = Featurize::new(RandomFourier::new(Rbf::new(1.0)?).dim(64).sample(1)?);
/// let pipeline = features.then(KMeans::on_kernel(Linear, 2));
/// let model = pipeline.learn(&Data::unlabelled(&x)?, &mut Run::new())?;
/// let labels = model.predict(&x)?;
/// assert!(labels[0] == labels[1] && labels[0] != labels[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Named + Serialize", deserialize = "M: Named + Deserialize<'de>"))]
pub struct Featurize<M> {
    #[serde(with = "kern_core::named")]
    map: M,
}

named! { [M: Named] Featurize<M> = "featurize", of M; }

impl<M> Featurize<M> {
    /// The features of this map.
    pub const fn new(map: M) -> Self {
        Self { map }
    }

    /// The map.
    pub const fn map(&self) -> &M {
        &self.map
    }

    /// A pipeline of this map and a learner.
    pub fn then<L>(self, learner: L) -> Pipeline<Self, L> {
        Pipeline::new(self, learner)
    }
}

/// No hyper-parameters: a map is fixed once drawn.
impl<M> kern_core::Parameters for Featurize<M> {}

impl<P: Points, Y: Targets, M: FeatureMap<P> + Clone> Learner<P, Y> for Featurize<M> {
    type Model = Self;

    fn learn(&self, data: &Data<'_, P, Y>, _: &mut Run<'_>) -> Result<Self, Error> {
        self.map.check(data.points())?;
        Ok(self.clone())
    }
}

impl<P: Points, M: FeatureMap<P>> Transformer<P> for Featurize<M> {
    type Output = Samples<P::Scalar>;

    fn transform(&self, points: &P) -> Result<Samples<P::Scalar>, Error> {
        Ok(transform(&self.map, points, &MemoryBudget::available())?)
    }

    fn bytes(&self, points: &P) -> u64 {
        matrix_bytes::<P::Scalar>(self.map.dim(), points.len())
    }
}
