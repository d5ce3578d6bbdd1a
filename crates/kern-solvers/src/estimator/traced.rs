//! Fits as spans of `tracing`.

use super::{Data, Learner, Model, Progress, Run, fit_sugar};
use crate::{Error, Report, Targets};
use kern_core::Points;
use kern_core::parameters::{Parameter, Parameters, Setting};
use serde::{Deserialize, Serialize};
use std::any;
use tracing::{Level, Span, debug, debug_span, dispatcher, trace, warn};

/// A learner that records its fits as spans of [`tracing`], for subscribers that write logs or
/// measure time.
///
/// | span or event | level | fields |
/// |---|---|---|
/// | span `fit` | debug | `learner`, `settings`, `points` |
/// | span `path`, for several values of one hyper-parameter | debug | the same, `parameter` |
/// | event `progress` | trace | `iteration`, `total`, `loss` |
/// | event `done`, for each model | debug | `status`, `iterations`, `objective`, `gap` |
/// | event `failed` | warn | `error` |
///
/// Traced learners nest: around a search there is one span; around the searched learner each fit is
/// a span on its own thread. The models are the same as without tracing, bit for bit.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Traced, model::Regressor, ridge::Ridge};
/// let log = tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).with_writer(std::io::stderr);
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let ridge = Traced::new(Ridge::on_kernel(Rbf::new(1.0)?));
/// let y = [0.0, 1.0, 0.0];
/// let model: Regressor<_> = tracing::subscriber::with_default(log.finish(), || ridge.fit(&x, &y))?;
/// assert_eq!(model.report().iterations, 1);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Traced<L>(L);

impl<L> Traced<L> {
    /// The same learner, traced.
    pub const fn new(learner: L) -> Self {
        Self(learner)
    }

    /// The wrapped learner.
    pub const fn learner(&self) -> &L {
        &self.0
    }

    fit_sugar!(supervised);
}

impl<P, Y, L> Learner<P, Y> for Traced<L>
where
    P: Points,
    Y: Targets,
    L: Learner<P, Y, Model: Model<P>> + Parameters,
{
    type Model = L::Model;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<L::Model, Error> {
        let points = data.len();
        let span = debug_span!("fit", learner = name::<L>(), settings = settings(&self.0), points);
        within(&span, run, |run| {
            let model = self.0.learn(data, run)?;
            done(model.report());
            Ok(model)
        })
    }

    fn has_path(&self, name: &str) -> bool {
        self.0.has_path(name)
    }

    fn learn_path(
        &self,
        name: &str,
        values: &[Setting],
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Vec<L::Model>, Error> {
        let points = data.len();
        let span = debug_span!(
            "path",
            learner = self::name::<L>(),
            settings = settings(&self.0),
            points,
            parameter = name
        );
        within(&span, run, |run| {
            let models = self.0.learn_path(name, values, data, run)?;
            models.iter().for_each(|model| done(model.report()));
            Ok(models)
        })
    }
}

/// The hyper-parameters of the learner.
impl<L: Parameters> Parameters for Traced<L> {
    fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), kern_core::Error> {
        self.0.set_parameter(name, value)
    }
}

/// The name of a learner's type, without path and type parameters.
fn name<L>() -> &'static str {
    let whole = any::type_name::<L>();
    let path = whole.split_once('<').map_or(whole, |(path, _)| path);
    path.rsplit_once("::").map_or(path, |(_, name)| name)
}

/// The hyper-parameters, as `c=1, kernel.gamma=0.5`.
fn settings<L: Parameters>(learner: &L) -> String {
    let setting = |parameter: Parameter| format!("{}={}", parameter.name, parameter.value);
    learner.parameters().into_iter().map(setting).collect::<Vec<_>>().join(", ")
}

/// Fits inside a span, with progress events if a subscriber wants them.
fn within<M>(
    span: &Span,
    run: &mut Run<'_>,
    fit: impl FnOnce(&mut Run<'_>) -> Result<M, Error>,
) -> Result<M, Error> {
    span.in_scope(|| {
        let result =
            if tracing::enabled!(Level::TRACE) { stepwise(span, run, fit) } else { fit(run) };
        result.inspect_err(|error| warn!(%error, "failed"))
    })
}

/// Fits with an observer that forwards to that of the run. Events from other threads belong to the
/// span of the fit, too.
fn stepwise<M>(
    span: &Span,
    run: &mut Run<'_>,
    fit: impl FnOnce(&mut Run<'_>) -> Result<M, Error>,
) -> Result<M, Error> {
    let (seen, start) = (run.alike(), run.coefficients());
    let subscriber = dispatcher::get_default(Clone::clone);
    let mut observer = |progress: &Progress| {
        let &Progress { iteration, total, loss, violation, tolerance, .. } = progress;
        dispatcher::with_default(&subscriber, || {
            span.in_scope(|| trace!(iteration, total, loss, violation, tolerance, "progress"));
        });
        run.observe(progress)
    };
    let seen = seen.observer(&mut observer);
    fit(&mut match start {
        Some(start) => seen.start(start),
        None => seen,
    })
}

/// The end of a fit.
fn done(report: &Report) {
    let Report { status, iterations, objective, gap, .. } = report;
    debug!(?status, iterations, objective, gap, "done");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::ridge::Ridge;
    use crate::search::Tune;
    use crate::sgd::Sgd;
    use crate::svm::Svc;
    use crate::validation::Accuracy;
    use kern_core::{Samples, kernels::Rbf};
    use std::io;
    use std::ops::ControlFlow;
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    #[test]
    fn a_traced_fit_has_all_settings_of_its_run() -> Result<(), Error> {
        let (limit, deadline) = (Duration::from_secs(5), Instant::now() + Duration::from_secs(9));
        let memory = kern_gram::MemoryBudget::mebibytes(7);
        let start = kern_core::faer::mat![[1.0_f64], [2.0]];
        let mut run = Run::new().time_limit(limit).deadline(deadline).memory(memory);
        run = run.start(start.as_ref());
        stepwise(&Span::none(), &mut run, |run| {
            assert_eq!((run.predicted_limit(), run.ends_at()), (Some(limit), Some(deadline)));
            assert_eq!(run.budget().as_bytes(), memory.as_bytes());
            assert_eq!(run.coefficients(), Some(start.as_ref()));
            Ok(())
        })
    }

    /// The bytes written by a subscriber.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().map_err(|_| io::ErrorKind::Other)?.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The result, and the trace lines of this thread.
    fn traced<T>(level: Level, work: impl FnOnce() -> T) -> (T, Vec<String>) {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false);
        let subscriber = subscriber.with_writer(move || writer.clone()).finish();
        let answer = tracing::subscriber::with_default(subscriber, work);
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        (answer, text.lines().map(str::to_owned).collect())
    }

    fn points() -> Samples<f64> {
        Samples::from_rows(&(0..30).map(|i| [f64::from(i), f64::from(i % 5)]).collect::<Vec<_>>())
            .unwrap()
    }

    fn labels() -> Vec<bool> {
        (0..30).map(|i| (i / 3) % 2 == 0).collect()
    }

    #[test]
    fn a_fit_is_a_span_with_its_end_and_the_same_bits() {
        let (x, y) = (points(), labels());
        let learner = Svc::on_kernel(Rbf::new(0.5).unwrap());
        let (model, lines) =
            traced(Level::DEBUG, || Traced::new(learner.clone()).fit(&x, &y).unwrap());
        assert_eq!(lines.len(), 1, "{lines:?}");
        for part in [
            "fit{learner=\"Svc\"",
            "kernel.gamma=0.5",
            "points=30",
            "done",
            "status=Converged",
            "gap=0.00",
        ] {
            assert!(lines[0].contains(part), "{part}: {lines:?}");
        }
        let alone = learner.fit(&x, &y).unwrap();
        assert_eq!(model, alone);
    }

    #[test]
    fn steps_are_events_and_the_observer_of_the_run_decides() {
        let (x, y) = (points(), labels());
        let mut seen = 0;
        let mut observer = |_: &Progress| {
            seen += 1;
            if seen < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let sgd = Traced::new(Sgd::on_kernel(Rbf::new(0.5).unwrap()).epochs(50));
        let fit = || sgd.learn(&Data::new(&x, &y)?, &mut Run::new().observer(&mut observer));
        let (model, lines) = traced(Level::TRACE, fit);
        assert_eq!(model.unwrap().report().status, Status::Stopped);
        let steps = lines.iter().filter(|line| line.contains("fit{") && line.contains("progress"));
        assert_eq!((steps.count(), seen), (3, 3), "{lines:?}");
    }

    #[test]
    fn a_fit_that_fails_says_so() {
        let ridge = Traced::new(Ridge::on_kernel(Rbf::new(1.0).unwrap()).lambda(-1.0));
        let (result, lines) = traced(Level::WARN, || ridge.fit(&points(), &labels()).map(|_| ()));
        let error = result.unwrap_err().to_string();
        assert!(lines.len() == 1 && lines[0].contains("failed"), "{lines:?}");
        assert!(lines[0].contains(&error), "{error}: {lines:?}");
    }

    #[test]
    fn a_search_goes_through() {
        let (x, y) = (points(), labels());
        let learner = Svc::on_kernel(Rbf::new(0.5).unwrap());
        let alone = Tune::new(learner.clone(), Accuracy).fit(&x, &y).unwrap();
        let (tuned, lines) = traced(Level::DEBUG, || {
            Traced::new(Tune::new(Traced::new(learner), Accuracy)).fit(&x, &y).unwrap()
        });
        assert_eq!(tuned.report(), alone.report());
        // The last fit runs inside of the search, on its thread.
        let last =
            lines.iter().any(|line| line.matches("fit{").count() == 2 && line.contains("done"));
        assert!(last, "{lines:?}");
    }
}
