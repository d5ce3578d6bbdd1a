//! SGD on the weights of a feature map.

use super::engine::{Problem, sum_of_products};
use super::fit::{Learned, Space};
use super::iterate::{Iterate, block_size};
use super::params::{Settings, Storage};
use crate::model::{Decision, FeatureModel};
use crate::{Error, Observer};
use faer::Mat;
use kern_core::{FeatureMap, Points, Samples, Scalar, Scratch};
use kern_gram::zeros;

/// w-space: the iterate is w itself. Made by [`Sgd::on_features`](super::Sgd::on_features).
#[derive(Clone, Debug, PartialEq)]
pub struct OnFeatures<M> {
    pub(super) map: M,
}

impl<T, P, M> Space<P> for OnFeatures<M>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P>,
{
    type Model = FeatureModel<M, T>;

    fn learn(
        self,
        points: &P,
        problem: &Problem<'_, T>,
        settings: &Settings,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Learned<Self::Model>, Error> {
        self.map.check(points)?;
        let features = match settings.storage {
            Storage::Cached => {
                Features::Stored(kern_approx::transform(&self.map, points, &settings.budget())?)
            }
            Storage::OnTheFly => Features::on_the_fly(&self.map, points),
        };
        let mut iterate = Weights::new(features, self.map.dim(), problem.outputs())?;
        let outcome = problem.run(&mut iterate, observer)?;
        let w = iterate.w;
        let squared_norm = sum_of_products(w.as_ref(), w.as_ref());
        let model = FeatureModel::new(self.map, w);
        let objective = problem.objective(model.decide(points)?.as_ref(), squared_norm);
        Ok(Learned { model, outcome, objective })
    }
}

/// The features of the samples, wherever they come from.
enum Features<'a, P: Points> {
    Stored(Samples<P::Scalar>),
    OnTheFly { map: &'a dyn FeatureMap<P>, points: &'a P, scratch: Scratch<P::Scalar> },
}

impl<'a, P: Points> Features<'a, P> {
    fn on_the_fly(map: &'a dyn FeatureMap<P>, points: &'a P) -> Self {
        Self::OnTheFly { map, points, scratch: Scratch::new() }
    }
}

struct Weights<'a, P: Points> {
    features: Features<'a, P>,
    w: Mat<P::Scalar>,
    upcoming: Vec<usize>,
    /// Features of the upcoming samples, D × block, if they are computed on the fly.
    columns: Mat<P::Scalar>,
}

impl<'a, P: Points> Weights<'a, P> {
    fn new(features: Features<'a, P>, dim: usize, outputs: usize) -> Result<Self, Error> {
        let width = match features {
            Features::Stored(_) => 0,
            Features::OnTheFly { .. } => block_size(dim, size_of::<P::Scalar>()),
        };
        let (w, columns) = (zeros(dim, outputs)?, zeros(dim, width)?);
        Ok(Self { features, w, upcoming: Vec::new(), columns })
    }

    /// The features of upcoming sample `b`.
    fn column(&self, b: usize) -> &[P::Scalar] {
        match &self.features {
            Features::Stored(z) => z.item(self.upcoming[b]),
            Features::OnTheFly { .. } => self.columns.col_as_slice(b),
        }
    }
}

impl<P: Points> Iterate for Weights<'_, P> {
    fn lookahead(&self) -> usize {
        block_size(self.w.nrows(), size_of::<P::Scalar>())
    }

    fn prepare(&mut self, upcoming: &[usize]) -> Result<(), Error> {
        self.upcoming.clear();
        self.upcoming.extend_from_slice(upcoming);
        if let Features::OnTheFly { map, points, scratch } = &mut self.features {
            let out = self.columns.subcols_mut(0, upcoming.len());
            kern_approx::transform_indices_into(*map, *points, upcoming, out, scratch)?;
        }
        Ok(())
    }

    fn predict(&self, b: usize, out: &mut [f64]) {
        let z = self.column(b);
        for (output, value) in out.iter_mut().enumerate() {
            *value = P::Scalar::dot(z, self.w.col_as_slice(output)).to_f64();
        }
    }

    fn step(&mut self, b: usize, delta: &[f64]) {
        let z = match &self.features {
            Features::Stored(z) => z.item(self.upcoming[b]),
            Features::OnTheFly { .. } => self.columns.col_as_slice(b),
        };
        for (output, &d) in delta.iter().enumerate() {
            let w = self.w.col_as_slice_mut(output);
            P::Scalar::axpy(P::Scalar::from_f64(d), z, w);
        }
    }

    fn scale(&mut self, factor: f64) {
        self.w *= faer::Scale(P::Scalar::from_f64(factor));
    }
}
