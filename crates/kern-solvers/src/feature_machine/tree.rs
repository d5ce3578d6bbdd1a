//! Halving: trees of machines.

use super::function::{Child, Leaf, MetricExpansion, Split, projection};
use super::problem::Problem;
use super::rounds::Learned;
use crate::{Error, FeatureMachineDetails, Report, Run, Status};
use kern_core::gradient::PointGradient;
use kern_core::{Mercer, Points, Samples, Scalar};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Points that say along which direction a set is halved.
const DRAWN: usize = 2000;

/// The function of all points, by leaves.
pub(super) fn learn<T, K>(
    problem: &Problem<'_, T, K>,
    run: &mut Run<'_>,
) -> Result<(MetricExpansion<T, K>, Report), Error>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    let mut grown = Grown {
        problem,
        rng: ChaCha8Rng::seed_from_u64(problem.settings.seed),
        splits: Vec::new(),
        leaves: Vec::new(),
        report: None,
        details: FeatureMachineDetails::default(),
    };
    grown.grow((0..problem.points.len()).collect(), run)?;
    let Grown { splits, leaves, report, details, .. } = grown;
    let report = report.ok_or(Error::Empty)?;
    Ok((MetricExpansion::new(splits, leaves), report.with_details(details.into())))
}

/// A halving, and the points of both halves.
type Halved = (Split, [Vec<usize>; 2]);

struct Grown<'g, 'p, T: Scalar, K> {
    problem: &'g Problem<'p, T, K>,
    rng: ChaCha8Rng,
    splits: Vec<Split>,
    leaves: Vec<Leaf<T, K>>,
    report: Option<Report>,
    details: FeatureMachineDetails,
}

impl<T, K> Grown<'_, '_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// The tree of these points.
    fn grow(&mut self, indices: Vec<usize>, run: &mut Run<'_>) -> Result<Child, Error> {
        if indices.len() > self.problem.settings.leaf
            && let Some((split, halves)) = self.halved(&indices, run)?
        {
            let at = self.splits.len();
            self.splits.push(split);
            drop(indices);
            for (half, indices) in halves.into_iter().enumerate() {
                self.splits[at].children[half] = self.grow(indices, run)?;
            }
            return Ok(Child::Split(at));
        }
        // A fit that is stopped still needs a function everywhere: the one of no rounds.
        let stopped = self.report.as_ref().is_some_and(|report| report.status == Status::Stopped);
        let mut settings = self.problem.settings.clone();
        if stopped {
            settings.rounds = 0;
        }
        let Learned { terms, report, rounds } =
            self.with_part(&indices, |part| Problem { settings: &settings, ..part }.learn(run))?;
        self.leaves.push(Leaf { terms });
        self.report = Some(match self.report.take() {
            Some(sum) => sum.joined(&report),
            None => report,
        });
        self.details.leaves.push(rounds);
        Ok(Child::Leaf(self.leaves.len() - 1))
    }

    /// Both halves of these points at the median of their projections; none if all of these are equal.
    fn halved(&mut self, indices: &[usize], run: &Run<'_>) -> Result<Option<Halved>, Error> {
        let mut drawn = indices.to_vec();
        let count = DRAWN.min(drawn.len());
        for i in 0..count {
            let other = self.rng.random_range(i..drawn.len());
            drawn.swap(i, other);
        }
        drawn.truncate(count);
        let direction = self.with_part(&drawn, |part| part.direction(run))?;
        let along = |&i: &usize| projection(&direction, self.problem.points.item(i));
        let mut sorted: Vec<f64> = indices.iter().map(along).collect();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        // Of many equal projections all go to one side.
        let threshold = match sorted.iter().find(|&&value| value > sorted[0]) {
            None => return Ok(None),
            Some(&second) => median.max(second),
        };
        let (below, above) = indices.iter().partition(|&i| along(i) < threshold);
        // Filled in by whoever grows them.
        let children = [Child::Leaf(0); 2];
        Ok(Some((Split { direction, threshold, children }, [below, above])))
    }

    /// Lends the problem of some of the points.
    fn with_part<R>(
        &self,
        indices: &[usize],
        f: impl FnOnce(Problem<'_, T, K>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if indices.len() == self.problem.points.len() {
            return f(Problem { ..*self.problem });
        }
        f(self.problem.on(&self.problem.part(indices)?))
    }
}
