//! The checks of the contract, for fits of any learner.

use super::{Answers, Violation};
use crate::{Data, Error, Learner, Model, Observer, Progress, Report, Run, Status, Targets};
use kern_core::Points;
use kern_gram::MemoryBudget;
use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow;

/// The numbers of threads for which predictions must have the same bits.
const THREADS: [usize; 3] = [1, 2, 8];

/// The number of parts into which queries are split.
const PARTS: usize = 3;

/// The guarantees claimed for a learner.
pub(super) struct Promises {
    pub(super) ordered: bool,
    pub(super) direct: bool,
    /// Set if integer weights are equivalent to repeated points.
    pub(super) repeats: bool,
    pub(super) tolerance: f64,
}

/// The index of stored predictions, and their number.
type Kept = (usize, usize);

impl Promises {
    pub(super) fn verify<P: Points, Y: Targets>(
        &self,
        fits: &mut dyn Fitted<P, Y>,
        data: &Data<'_, P, Y>,
    ) -> Result<(), Violation> {
        let expected = threads(fits, data)?;
        cuts(fits, data, expected)?;
        if !self.ordered {
            self.order(fits, data, expected)?;
        }
        if self.repeats {
            self.weights(fits, data)?;
        }
        self.observer(fits, data)?;
        // The learner decides whether it needs memory; it must not panic.
        let mut run = Run::new().memory(MemoryBudget::bytes(0));
        drop(fits.learn(false, data, &mut run));
        Ok(())
    }

    /// Checks that predictions do not depend on the order of the points.
    fn order<P: Points, Y: Targets>(
        &self,
        fits: &mut dyn Fitted<P, Y>,
        data: &Data<'_, P, Y>,
        expected: Kept,
    ) -> Result<(), Violation> {
        let law = "the order of the points";
        let turned = data.select(&torn(data.len()));
        let turned = turned.map_err(|error| Violation::Refused { law, error })?;
        let given = answers(law, fits, false, &turned, data.points())?;
        compare(
            law,
            &|i| fits.difference((given.0, i), (expected.0, i)),
            expected.1,
            self.tolerance,
        )
    }

    /// Checks that weights and repeated points give the same predictions.
    fn weights<P: Points, Y: Targets>(
        &self,
        fits: &mut dyn Fitted<P, Y>,
        data: &Data<'_, P, Y>,
    ) -> Result<(), Violation> {
        let law = "weights are repeated points";
        let refused = |error| Violation::Refused { law, error };
        let (all, weights, repeated) = repetitions(data.len());
        let weighted = data.select(&all).and_then(|data| data.weights(&weights));
        let weighted = weighted.map_err(refused)?;
        let points = data.select(&repeated).map_err(refused)?;
        let one = answers(law, fits, false, &weighted, data.points())?;
        let other = answers(law, fits, true, &points, data.points())?;
        compare(law, &|i| fits.difference((one.0, i), (other.0, i)), other.1, self.tolerance)
    }

    fn observer<P: Points, Y: Targets>(
        &self,
        fits: &mut dyn Fitted<P, Y>,
        data: &Data<'_, P, Y>,
    ) -> Result<(), Violation> {
        let law = "an observer who stops";
        let mut stop = Stop { calls: 0 };
        let report = fits.learn(false, data, &mut Run::new().observer(&mut stop));
        let status = match report {
            // A fit that was ended early may have no model.
            Err(Error::NoCandidate { .. } | Error::Stopped { .. }) if stop.calls > 0 => {
                return Ok(());
            }
            report => report.map_err(|error| Violation::Refused { law, error })?.status,
        };
        if stop.calls == 0 {
            return Err(Violation::Unobserved);
        }
        if self.direct || status == Status::Stopped {
            return Ok(());
        }
        Err(Violation::Unstoppable { status })
    }
}

/// Stops a fit at the first opportunity.
struct Stop {
    calls: usize,
}

impl Observer for Stop {
    fn observe(&mut self, _: &Progress) -> ControlFlow<()> {
        self.calls += 1;
        ControlFlow::Break(())
    }
}

/// Every second of n points first, from the end: this separates neighbours.
fn torn(n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| (i % 2, usize::MAX - i));
    order
}

/// The indices of n points, weights 1 and 2, and the indices repeated by weight.
fn repetitions(n: usize) -> (Vec<usize>, Vec<f64>, Vec<usize>) {
    let times = |i: usize| 1 + usize::from(i.is_multiple_of(3));
    let weights = (0..n).map(|i| times(i) as f64).collect();
    let repeated = (0..n).flat_map(|i| vec![i; times(i)]).collect();
    ((0..n).collect(), weights, repeated)
}

/// The predictions of a fit for some points.
fn answers<P: Points, Y: Targets>(
    law: &'static str,
    fits: &mut dyn Fitted<P, Y>,
    repeated: bool,
    data: &Data<'_, P, Y>,
    queries: &P,
) -> Result<Kept, Violation> {
    let refused = |error| Violation::Refused { law, error };
    let report = fits.learn(repeated, data, &mut Run::new()).map_err(refused)?;
    check_report(&report)?;
    let kept = fits.predict(queries).map_err(refused)?;
    let (expected, given) = (queries.len(), kept.1);
    if given == expected { Ok(kept) } else { Err(Violation::Count { law, expected, given }) }
}

fn check_report(report: &Report) -> Result<(), Violation> {
    let gap = report.gap.unwrap_or(0.0);
    if report.objective.is_finite() && gap.is_finite() && gap >= 0.0 {
        return Ok(());
    }
    Err(Violation::Report { report: report.to_string() })
}

/// The predictions; checks that they have the same bits for every number of threads.
fn threads<P: Points, Y: Targets>(
    fits: &mut dyn Fitted<P, Y>,
    data: &Data<'_, P, Y>,
) -> Result<Kept, Violation> {
    let law = "the number of threads";
    let expected = answers(law, fits, false, data, data.points())?;
    for threads in THREADS {
        let mut given = Ok(expected);
        on_threads(threads, &mut || given = answers(law, fits, false, data, data.points()))?;
        let given = given?.0;
        compare(law, &|i| fits.difference((given, i), (expected.0, i)), expected.1, 0.0)?;
    }
    Ok(expected)
}

/// Runs a closure in a pool of this many threads.
fn on_threads(threads: usize, work: &mut (dyn FnMut() + Send)) -> Result<(), Violation> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|_| Violation::NoThreads { threads })?.install(work);
    Ok(())
}

/// Checks that queries in parts, and each alone, give the same bits.
fn cuts<P: Points, Y: Targets>(
    fits: &mut dyn Fitted<P, Y>,
    data: &Data<'_, P, Y>,
    expected: Kept,
) -> Result<(), Violation> {
    let law = "the cut of the queries";
    let refused = |error: Error| Violation::Refused { law, error };
    fits.learn(false, data, &mut Run::new()).map_err(refused)?;
    let indices: Vec<usize> = (0..data.len()).collect();
    let sizes = [data.len().div_ceil(PARTS), 1];
    for part in sizes.iter().flat_map(|&size| indices.chunks(size)) {
        let queries = data.points().select(part).map_err(|error| refused(error.into()))?;
        let given = fits.predict(&queries).map_err(refused)?.0;
        for (k, &point) in part.iter().enumerate() {
            let difference = fits.difference((given, k), (expected.0, point));
            if difference > 0.0 {
                return Err(Violation::Differs { law, point, difference, allowed: 0.0 });
            }
        }
    }
    Ok(())
}

/// Fails if any of this many predictions differ by more than the allowed difference.
fn compare(
    law: &'static str,
    difference: &dyn Fn(usize) -> f64,
    count: usize,
    allowed: f64,
) -> Result<(), Violation> {
    for point in 0..count {
        let difference = difference(point);
        if difference > allowed {
            return Err(Violation::Differs { law, point, difference, allowed });
        }
    }
    Ok(())
}

/// Fits with the learner and its model erased, so that the checks are compiled once per kind of
/// points and targets.
pub(super) trait Fitted<P: Points, Y>: Send {
    /// Fits the learner, or the one for repeated points, and returns the report of the model.
    fn learn(
        &mut self,
        repeated: bool,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Report, Error>;

    /// Stores the predictions of the last model for these queries and returns their index and
    /// number.
    fn predict(&mut self, queries: &P) -> Result<(usize, usize), Error>;

    /// The difference between stored predictions, each given by index of the set and of the
    /// prediction.
    fn difference(&self, one: (usize, usize), other: (usize, usize)) -> f64;
}

/// The fits of a learner.
pub(super) struct Fits<'a, A, M, B> {
    learner: &'a A,
    repeated: Option<&'a A>,
    model: Option<M>,
    answers: Vec<B>,
}

impl<'a, A, M, B> Fits<'a, A, M, B> {
    pub(super) fn new(learner: &'a A, repeated: Option<&'a A>) -> Self {
        Self { learner, repeated, model: None, answers: Vec::new() }
    }
}

impl<P, Y, A, M, B> Fitted<P, Y> for Fits<'_, A, M, B>
where
    P: Points,
    A: Learner<P, Y, Model = M>,
    M: Model<P, Answer = B> + Send,
    B: Answers,
{
    fn learn(
        &mut self,
        repeated: bool,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Report, Error> {
        let learner = self.repeated.filter(|_| repeated).unwrap_or(self.learner);
        let model = self.model.insert(learner.learn(data, run)?);
        Ok(model.report().clone())
    }

    fn predict(&mut self, queries: &P) -> Result<(usize, usize), Error> {
        let model = self.model.as_ref().ok_or(Error::Empty)?;
        let answers = model.predict(queries)?;
        let count = answers.count();
        self.answers.push(answers);
        Ok((self.answers.len() - 1, count))
    }

    fn difference(&self, (one, i): (usize, usize), (other, j): (usize, usize)) -> f64 {
        self.answers[one].difference(i, &self.answers[other], j)
    }
}
