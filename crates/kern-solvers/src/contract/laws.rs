//! The laws, for fits of any learner.

use super::{Answers, Violation};
use crate::{Data, Error, Learner, Model, Observer, Progress, Report, Run, Status, Targets};
use kern_core::Points;
use kern_gram::MemoryBudget;
use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow;

/// Numbers of threads, for all of which the answers have the same bits.
const THREADS: [usize; 3] = [1, 2, 8];

/// The parts that queries are cut into.
const PARTS: usize = 3;

/// The promises of a learner.
pub(super) struct Promises {
    pub(super) ordered: bool,
    pub(super) direct: bool,
    /// True if weights are promised to be repeated points.
    pub(super) repeats: bool,
    pub(super) tolerance: f64,
}

/// Answers by their number, and how many they are.
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
        // Whether nothing is enough, the learner knows; it must not panic.
        let mut run = Run::new().memory(MemoryBudget::bytes(0));
        drop(fits.learn(false, data, &mut run));
        Ok(())
    }

    /// The same answers for points that come in another order.
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

    /// The same answers for weights and for points that are repeated.
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
            // What is not reached is no model.
            Err(Error::NoCandidate { .. }) if stop.calls > 0 => return Ok(()),
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

/// Every second of n points first, from the end: neighbours are torn apart.
fn torn(n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| (i % 2, usize::MAX - i));
    order
}

/// All of n points, weights 1 and 2 of them, and the points so often as they weigh.
fn repetitions(n: usize) -> (Vec<usize>, Vec<f64>, Vec<usize>) {
    let times = |i: usize| 1 + usize::from(i.is_multiple_of(3));
    let weights = (0..n).map(|i| times(i) as f64).collect();
    let repeated = (0..n).flat_map(|i| vec![i; times(i)]).collect();
    ((0..n).collect(), weights, repeated)
}

/// The answers of a fit for some points.
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

/// The answers, which have the same bits for every number of threads.
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

/// Runs something in a pool of so many threads.
fn on_threads(threads: usize, work: &mut (dyn FnMut() + Send)) -> Result<(), Violation> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|_| Violation::NoThreads { threads })?.install(work);
    Ok(())
}

/// The same bits for queries in parts, and for each alone.
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

/// Refuses answers to so many points that differ by more than this.
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

/// Fits of which only points and targets are known, so that the laws are compiled once for these, not for each learner.
pub(super) trait Fitted<P: Points, Y>: Send {
    /// Learns by the learner, or by the one that learns of repeated points; the report of the model.
    fn learn(
        &mut self,
        repeated: bool,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Report, Error>;

    /// The answers of the last model to these queries: the number under which they are kept, and how many they are.
    fn predict(&mut self, queries: &P) -> Result<(usize, usize), Error>;

    /// The difference of answer `i` under one number to answer `j` under another.
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
