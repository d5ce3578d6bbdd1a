//! The primal perceptron, on features: w ← w ± ψ(x) at a mistake.

use super::averaged_perceptron::Tally;
use super::mistakes::{Lesson, Visitor, pass_by_pass};
use super::rosenblatt_perceptron::{PerceptronSpace, Taught, report};
use crate::model::FeatureExpansion;
use crate::plan::Algorithm;
use crate::sgd::check_features;
use crate::space::OnFeatures;
use crate::{Error, Report, Run};
use faer::Mat;
use kern_approx::statistics::fill;
use kern_core::memory::LargeMat;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

/// Number of points whose features are held at once, unless all features are stored.
const BLOCK: usize = 256;

impl<P: Points, M: FeatureMap<P> + Clone> PerceptronSpace<P> for OnFeatures<M> {
    fn visit(
        &self,
        taught: &Taught<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(FeatureExpansion<M, P::Scalar>, Report), Error> {
        let (lesson, map, points) = (taught.lesson(), &self.map, taught.points());
        map.check(points)?;
        let mut weights = Weights::new(map.dim(), &lesson, &run.budget())?;
        let features = Features::new(map, points, &weights.rest)?;
        let algorithm =
            if features.kept { Algorithm::FeaturesCached } else { Algorithm::FeaturesOnTheFly };
        let limits = (run.predicted_limit(), &run.budget());
        check_features(map, points, points.len(), lesson.outputs, algorithm, limits)?;
        let ended = pass_by_pass(&mut Walk { features, weights: &mut weights }, &lesson, run)?;
        let (function, tally) = weights.into_function(map.clone())?;
        Ok((function, report(ended, &tally, Vec::new())))
    }
}

/// The features of the points: stored if they fit the memory, else computed in every pass.
struct Features<'a, P: Points, M> {
    map: &'a M,
    points: &'a P,
    /// The features of all points, or of a block of them.
    memory: LargeMat<P::Scalar>,
    kept: bool,
}

impl<'a, P: Points, M: FeatureMap<P>> Features<'a, P, M> {
    fn new(map: &'a M, points: &'a P, budget: &MemoryBudget) -> Result<Self, Error> {
        let (dim, n) = (map.dim(), points.len());
        let kept = budget.fits(matrix_bytes::<P::Scalar>(dim, n));
        let length = if kept { n } else { BLOCK.min(n) };
        budget.check::<P::Scalar>("a panel of features", dim, length, "use fewer features")?;
        let mut memory = LargeMat::zeros(dim, length)?;
        if kept {
            fill(map, points, 0..n, memory.as_mut())?;
        }
        Ok(Self { map, points, memory, kept })
    }
}

/// Passes over points given by their features.
struct Walk<'a, 'w, P: Points, M> {
    features: Features<'a, P, M>,
    weights: &'w mut Weights<'a>,
}

impl<P: Points, M: FeatureMap<P>> Visitor for Walk<'_, '_, P, M> {
    fn pass(&mut self, order: &[usize]) -> Result<usize, Error> {
        let Features { map, points, memory, kept } = &mut self.features;
        let mut mistakes = 0;
        for block in order.chunks(BLOCK) {
            if !*kept {
                let panel = memory.as_mut().subcols_mut(0, block.len());
                fill(*map, &points.select(block)?, 0..block.len(), panel)
                    .map_err(|error| at_its_place(error, block))?;
            }
            for (j, &i) in block.iter().enumerate() {
                let column = memory.as_ref().col(if *kept { i } else { j });
                let features = column.iter().map(|v| v.to_f64());
                mistakes += usize::from(self.weights.visit(i, features)?);
            }
        }
        Ok(mistakes)
    }
}

/// The error with the index in the block replaced by the index among all points.
fn at_its_place(error: kern_core::Error, block: &[usize]) -> kern_core::Error {
    match error {
        kern_core::Error::FeatureNotFinite { sample, feature, given } => {
            kern_core::Error::FeatureNotFinite { sample: block[sample], feature, given }
        }
        error => error,
    }
}

/// The weights w; the intercept b is the weight of a constant feature 1.
struct Weights<'a> {
    lesson: &'a Lesson<'a>,
    dim: usize,
    w: Mat<f64>,
    /// Σ (t − 1)δ over the changes δ of w in steps t, if the model is the mean.
    sums: Option<Mat<f64>>,
    /// The features of the visited point, times its weight.
    z: Vec<f64>,
    f: Vec<f64>,
    tally: Tally,
    /// The memory that remains for features.
    rest: MemoryBudget,
}

impl<'a> Weights<'a> {
    fn new(dim: usize, lesson: &'a Lesson<'a>, budget: &MemoryBudget) -> Result<Self, Error> {
        let (size, outputs) = (dim + usize::from(lesson.options.intercept), lesson.outputs);
        // w, the sums for its mean, and the model.
        let needed = matrix_bytes::<f64>(size, outputs.saturating_mul(3));
        budget.require("the weights of the features", needed, "use fewer features or classes")?;
        let averaged = lesson.options.averaged;
        Ok(Self {
            lesson,
            dim,
            w: zeros(size, outputs)?,
            sums: if averaged { Some(zeros(size, outputs)?) } else { None },
            z: Vec::with_capacity(size),
            f: vec![0.0; outputs],
            tally: Tally::default(),
            rest: MemoryBudget::bytes(budget.as_bytes() - needed),
        })
    }

    /// Classifies a point and updates w if it is a mistake; returns true for a mistake.
    fn visit(&mut self, i: usize, features: impl Iterator<Item = f64>) -> Result<bool, Error> {
        let weight = self.lesson.weight(i);
        self.z.clear();
        self.z.extend(features.map(|v| weight * v));
        if self.lesson.options.intercept {
            self.z.push(weight);
        }
        for (k, f) in self.f.iter_mut().enumerate() {
            *f = f64::dot(self.w.col_as_slice(k), &self.z);
        }
        let (direction, margin) = self.lesson.judge(i, &self.f)?;
        let mistake = margin <= 0.0;
        let tally = &mut self.tally;
        tally.squared_radius = tally.squared_radius.max(f64::dot(&self.z, &self.z));
        if mistake {
            tally.mistakes += 1;
            for (k, sign) in direction.signs() {
                f64::axpy(sign, &self.z, self.w.col_as_slice_mut(k));
                if let Some(sums) = &mut self.sums {
                    f64::axpy(tally.steps as f64 * sign, &self.z, sums.col_as_slice_mut(k));
                }
            }
        }
        tally.steps += 1;
        Ok(mistake)
    }

    /// The last function, or the mean over all visits.
    fn into_function<M, T: Scalar>(
        mut self,
        map: M,
    ) -> Result<(FeatureExpansion<M, T>, Tally), Error> {
        let squares = (0..self.w.ncols()).map(|k| self.w.col_as_slice(k));
        self.tally.squared_norm = squares.map(|w| f64::dot(w, w)).sum();
        if let Some(sums) = &self.sums {
            let steps = self.tally.steps as f64;
            for k in 0..sums.ncols() {
                let pairs = self.w.col_as_slice_mut(k).iter_mut().zip(sums.col_as_slice(k));
                pairs.for_each(|(w, sum)| *w = (steps * *w - sum) / steps);
            }
        }
        let mut weights = zeros(self.dim, self.w.ncols())?;
        let mut intercepts = Vec::with_capacity(self.w.ncols());
        for k in 0..self.w.ncols() {
            let (w, b) = self.w.col_as_slice(k).split_at(self.dim);
            let pairs = weights.col_as_slice_mut(k).iter_mut().zip(w);
            pairs.for_each(|(to, &from)| *to = T::from_f64(from));
            intercepts.push(T::from_f64(b.first().copied().unwrap_or_default()));
        }
        Ok((FeatureExpansion::new(map, weights).with_intercepts(intercepts), self.tally))
    }
}
