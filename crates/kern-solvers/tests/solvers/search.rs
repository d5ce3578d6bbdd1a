//! Searches: the best candidate by hand, draws, failures, observers, files.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use kern_core::kernels::Rbf;
use kern_core::parameters::{Parameter, Parameters, Setting};
use kern_core::{Error as CoreError, Samples};
use kern_solvers::pipeline::Standardize;
use kern_solvers::ridge::Ridge;
use kern_solvers::search::{Axis, Tune, Tuned};
use kern_solvers::svm::Svc;
use kern_solvers::validation::{Accuracy, R2, RootMeanSquaredError, Score, Split, cross_validate};
use kern_solvers::{Data, Error, Learner, Model, Progress, Run, Status};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const N: usize = 40;

fn x() -> Samples<f64> {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 100.0;
    Samples::from_row_major(2, (0..2 * N).map(value).collect()).unwrap()
}

fn y() -> Vec<f64> {
    use kern_core::Points;
    let x = x();
    (0..N).map(|i| x.item(i)[0].sin() + 0.1 * x.item(i)[1]).collect()
}

fn rbf() -> Rbf {
    Rbf::new(1.0).unwrap()
}

fn ridge() -> Ridge<kern_solvers::space::OnKernel<Rbf>> {
    Ridge::on_kernel(rbf())
}

const GAMMAS: [f64; 3] = [0.01, 0.3, 10.0];
const LAMBDAS: [f64; 2] = [1e-4, 1.0];

/// Over the plane of both parameters.
fn plane<S>(score: S) -> Tune<Ridge<kern_solvers::space::OnKernel<Rbf>>, S> {
    Tune::new(ridge(), score).over("kernel.gamma", GAMMAS).over("lambda", LAMBDAS)
}

#[test]
fn a_grid_is_what_loops_find() {
    fn check<S>(score: &S)
    where
        S: Score<
                Samples<f64>,
                kern_solvers::Values<f64>,
                <Ridge<kern_solvers::space::OnKernel<Rbf>> as Learner<
                    Samples<f64>,
                    kern_solvers::Values<f64>,
                >>::Model,
            > + Clone
            + Send
            + Sync,
    {
        let (x, y) = (x(), y());
        let data = Data::new(&x, &y).unwrap();
        let split = Split::k_fold(4).shuffle(7);
        let tuned = plane(score.clone()).split(split).fit(&x, &y).unwrap();
        let mut means = Vec::new();
        for gamma in GAMMAS {
            for lambda in LAMBDAS {
                let ridge = Ridge::on_kernel(Rbf::new(gamma).unwrap()).lambda(lambda);
                means.push(cross_validate(&ridge, &data, &split, score).unwrap().mean());
            }
        }
        let found: Vec<f64> = tuned.trials().iter().map(|trial| trial.mean().unwrap()).collect();
        assert_eq!(found, means);
        let sign = if score.greater_is_better() { 1.0 } else { -1.0 };
        let better = |a: usize, b: usize| if sign * means[b] > sign * means[a] { b } else { a };
        let best = (0..means.len()).reduce(better).unwrap();
        assert_eq!(tuned.best(), Some(&tuned.trials()[best]));
        let ridge = Ridge::on_kernel(Rbf::new(GAMMAS[best / 2]).unwrap()).lambda(LAMBDAS[best % 2]);
        assert_eq!(tuned.model(), &ridge.fit(&x, &y).unwrap());
        assert_eq!(tuned.names(), ["kernel.gamma", "lambda"]);
    }
    check(&R2);
    check(&RootMeanSquaredError);
}

#[test]
fn draws_depend_on_the_seed_alone_and_lie_in_their_ranges() {
    let (x, y) = (x(), y());
    let search = |seed| {
        let tune = Tune::new(ridge(), R2).over("kernel.gamma", Axis::log(1e-3, 1e3, 5));
        tune.over("lambda", [1e-3, 1e-2]).random(12, seed).fit(&x, &y).unwrap()
    };
    let tuned = search(1);
    assert_eq!(tuned, search(1));
    assert_ne!(tuned.trials(), search(2).trials());
    assert_eq!(tuned.trials().len(), 12);
    let gammas: Vec<f64> = tuned.trials().iter().map(|t| t.settings[0].as_f64().unwrap()).collect();
    assert!(gammas.iter().all(|gamma| (1e-3..=1e3).contains(gamma)));
    // On a logarithmic scale about half of them are below 1.
    let below = gammas.iter().filter(|&&gamma| gamma < 1.0).count();
    assert!((2..=10).contains(&below), "{gammas:?}");
    let listed = |trial: &kern_solvers::search::Trial| {
        [1e-3, 1e-2].map(Setting::Real).contains(&trial.settings[1])
    };
    assert!(tuned.trials().iter().all(listed));
}

#[test]
fn candidates_that_fail_are_told_and_passed_over() {
    let (x, y) = (x(), y());
    let tune = Tune::new(ridge(), R2).over("lambda", [-1.0, 1e-3]);
    let tuned = tune.fit(&x, &y).unwrap();
    let failure = tuned.trials()[0].failure.as_deref().unwrap();
    assert!(failure.contains("lambda must be"), "{failure}");
    assert_eq!((tuned.trials()[0].mean(), tuned.best()), (None, Some(&tuned.trials()[1])));
    let error = Tune::new(ridge(), R2).over("lambda", [-1.0, -2.0]).fit(&x, &y).unwrap_err();
    assert_eq!(error, Error::Trials { tried: 2, first: failure.to_owned() });
}

#[test]
fn searches_that_cannot_be_made_are_typed_errors() {
    let (x, y) = (x(), y());
    let fit = |axis: Axis| Tune::new(ridge(), R2).over("lambda", axis).fit(&x, &y).unwrap_err();
    let unknown = Tune::new(ridge(), R2).over("sigma", [1.0]).fit(&x, &y).unwrap_err();
    assert!(matches!(unknown, Error::Core(CoreError::UnknownName { .. })), "{unknown}");
    for axis in [Axis::List(Vec::new()), Axis::log(1.0, 2.0, 0), Axis::linear(0.0, 1.0, usize::MAX)]
    {
        assert!(matches!(fit(axis), Error::Count { name: "the number of values", .. }));
    }
    let ranges =
        [Axis::log(0.0, 1.0, 3), Axis::linear(2.0, 1.0, 3), Axis::linear(f64::NAN, 1.0, 3)];
    for axis in ranges {
        assert!(matches!(fit(axis), Error::Core(CoreError::Parameter { .. })));
    }
    let mut many = Tune::new(ridge(), R2);
    for _ in 0..20 {
        many = many.over("lambda", Axis::linear(1.0, 2.0, 1_000_000));
    }
    assert!(matches!(many.fit(&x, &y), Err(Error::Count { name: "the number of candidates", .. })));
    let none = Tune::new(ridge(), R2).over("lambda", [1.0]).random(0, 0).fit(&x, &y);
    assert!(matches!(none, Err(Error::Count { given: 0, .. })));
}

#[test]
fn an_observer_sees_the_fits_and_ends_the_search() {
    let (x, y) = (x(), y());
    let data = Data::new(&x, &y).unwrap();
    let tune = plane(R2).split(Split::k_fold(4));
    let mut seen = Vec::new();
    let mut see = |progress: &Progress| {
        seen.push((progress.iteration, progress.total));
        ControlFlow::Continue(())
    };
    tune.learn(&data, &mut Run::new().observer(&mut see)).unwrap();
    assert!(seen.is_sorted() && seen.iter().all(|&(_, total)| total == 25), "{seen:?}");
    assert_eq!((seen[0].0, seen[seen.len() - 1].0), (0, 24));
    let mut stop = |progress: &Progress| match progress.iteration {
        0..10 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let tuned = tune.learn(&data, &mut Run::new().observer(&mut stop)).unwrap();
    // Ten fits are two candidates and a half, unless one of the other thread's was on its way.
    assert!((1..=2).contains(&tuned.trials().len()), "{:?}", tuned.trials());
    assert!(tuned.best().is_some());
    assert_eq!(Model::<Samples<f64>>::report(&tuned).status, Status::Stopped);
    // The best candidate, refitted on all points.
    assert_eq!((tuned.points(), tuned.best()), (N, Some(&tuned.trials()[tuned.best_index()])));
    let mut best = ridge();
    for (name, setting) in tuned.names().iter().zip(&tuned.best().unwrap().settings) {
        best.set_parameter(name, setting).unwrap();
    }
    assert_eq!(tuned.model(), &best.fit(&x, &y).unwrap());
    let mut at_once = |_: &Progress| ControlFlow::Break(());
    let none = tune.learn(&data, &mut Run::new().observer(&mut at_once)).unwrap_err();
    assert_eq!(none, Error::NoCandidate { done: 0, total: 25 });
    assert!(none.to_string().contains("before any candidate"), "{none}");
}

/// Machines that an observer ends have no support vectors: a search that it ends has a whole machine nevertheless.
#[test]
fn a_search_that_is_ended_anywhere_has_a_whole_model_or_none() {
    let (x, y) = (x(), y());
    let labels: Vec<bool> = y.iter().map(|&y| y > 0.5).collect();
    let data = Data::new(&x, &labels).unwrap();
    let tune = Tune::new(Svc::on_kernel(rbf()), Accuracy)
        .over("c", [1.0, 10.0])
        .over("kernel.gamma", GAMMAS)
        .split(Split::stratified(3));
    let mut found = 0;
    for last in 0..30 {
        let mut seen = 0;
        let mut stop = |_: &Progress| {
            seen += 1;
            if seen > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        match tune.learn(&data, &mut Run::new().observer(&mut stop)) {
            Err(error) => assert!(matches!(error, Error::NoCandidate { .. }), "{error}"),
            Ok(tuned) => {
                found += 1;
                let mut best = Svc::on_kernel(rbf());
                for (name, setting) in tuned.names().iter().zip(&tuned.best().unwrap().settings) {
                    best.set_parameter(name, setting).unwrap();
                }
                assert_eq!(tuned.points(), N);
                let whole = best.fit(&x, &labels).unwrap();
                assert_eq!(tuned.model().decision(), whole.decision(), "{last}");
            }
        }
    }
    assert!((1..30).contains(&found), "{found}");
}

/// Ridge regression that takes a millisecond for each point.
#[derive(Clone)]
struct Slow(Ridge<kern_solvers::space::OnKernel<Rbf>>);

impl Parameters for Slow {
    fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters()
    }

    fn set_parameter(&mut self, name: &str, value: &Setting) -> Result<(), CoreError> {
        self.0.set_parameter(name, value)
    }
}

impl Learner<Samples<f64>, kern_solvers::Values<f64>> for Slow {
    type Model = <Ridge<kern_solvers::space::OnKernel<Rbf>> as Learner<
        Samples<f64>,
        kern_solvers::Values<f64>,
    >>::Model;

    fn learn(
        &self,
        data: &Data<'_, Samples<f64>, kern_solvers::Values<f64>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        std::thread::sleep(Duration::from_millis(data.len() as u64));
        self.0.learn(data, run)
    }
}

#[test]
fn a_deadline_ends_a_search_with_its_best_candidate() {
    let (x, y) = (x(), y());
    let data = Data::new(&x, &y).unwrap();
    let search = |millis: u64| {
        let tune = Tune::new(Slow(ridge()), R2).over("lambda", Axis::log(1e-6, 1.0, 1000));
        let start = Instant::now();
        let mut run = Run::new().deadline(start + Duration::from_millis(millis));
        (tune.learn(&data, &mut run), start.elapsed())
    };
    let (tuned, took) = search(1500);
    let tuned = tuned.unwrap();
    // All candidates would take 80 seconds of two threads, which other tests may keep busy.
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert!(tuned.trials().len() < 1000 && tuned.best().is_some());
    assert_eq!(Model::<Samples<f64>>::report(&tuned).status, Status::Stopped);
    assert!(matches!(search(1).0, Err(Error::NoCandidate { .. })));
}

#[test]
fn a_search_is_a_learner_and_its_model_a_file() {
    let (x, y) = (x(), y());
    let labels: Vec<&str> = y.iter().map(|&y| if y > 0.5 { "high" } else { "low" }).collect();
    let pipeline = Standardize::new().then(Svc::on_kernel(rbf()));
    let tune =
        Tune::new(pipeline, Accuracy).over("map.scaled", [true, false]).over("c", [1.0, 100.0]);
    let data = Data::new(&x, &labels).unwrap();
    let scores = cross_validate(&tune, &data, &Split::stratified(3).shuffle(1), &Accuracy).unwrap();
    assert!(scores.mean() > 0.6, "{}", scores.mean());
    let values: Vec<String> = labels.iter().map(ToString::to_string).collect();
    let tuned = tune.fit(&x, &values).unwrap();
    let text = serde_json::to_string(&tuned).unwrap();
    let mut read = tuned.clone();
    read.clone_from(&serde_json::from_str(&text).unwrap());
    assert_eq!(read, tuned);
    assert_eq!(read.predict(&x).unwrap(), tuned.predict(&x).unwrap());
    let beyond = text.replacen("\"best\":", "\"best\":9", 1);
    let refused = parsed(&tuned, &beyond).unwrap_err();
    assert!(refused.contains("index"), "{refused}");
    let other = text.replacen("[3,\"tuned", "[3,\"turned", 1);
    assert!(parsed(&tuned, &other).unwrap_err().contains("turned"));
}

/// The text, read as a model of the same type.
fn parsed<M>(_: &Tuned<M>, text: &str) -> Result<(), String>
where
    Tuned<M>: serde::de::DeserializeOwned,
{
    serde_json::from_str::<Tuned<M>>(text).map(drop).map_err(|error| error.to_string())
}

#[test]
fn groups_stay_together_unless_another_split_is_given() {
    let (x, y) = (x(), y());
    let groups: Vec<usize> = (0..N).map(|i| i / 4).collect();
    let data = Data::new(&x, &y).unwrap().groups(&groups).unwrap();
    let tuned = plane(R2).learn(&data, &mut Run::new()).unwrap();
    let by_hand = plane(R2).split(Split::groups(5)).learn(&data, &mut Run::new()).unwrap();
    assert_eq!(tuned, by_hand);
    let torn = plane(R2).split(Split::k_fold(5)).learn(&data, &mut Run::new());
    assert!(matches!(torn, Err(Error::Split { .. })));
    assert!(Model::<Samples<f64>>::report(&tuned).objective.is_finite());
}

/// A value that no machine has fails alone, beside others of its path.
#[test]
fn a_path_goes_on_without_values_that_fail() {
    let (x, y) = (x(), y());
    let labels: Vec<bool> = y.iter().map(|&y| y > 0.5).collect();
    let tune = Tune::new(Svc::on_kernel(rbf()), Accuracy).over("c", [1.0, -1.0, 10.0]);
    let tuned = tune.fit(&x, &labels).unwrap();
    let failed: Vec<bool> = tuned.trials().iter().map(|trial| trial.failure.is_some()).collect();
    assert_eq!(failed, [false, true, false]);
    let values = [1.0, 10.0].map(Setting::Real);
    let data = Data::new(&x, &labels).unwrap();
    let path = Svc::on_kernel(rbf()).learn_path("c", &values, &data, &mut Run::new()).unwrap();
    assert_eq!(path.len(), 2);
    let refused = Svc::on_kernel(rbf()).learn_path("violation", &values, &data, &mut Run::new());
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
}

#[test]
fn what_decides_is_searched_unless_it_is_said() {
    let (x, y) = (x(), y());
    let gamma = kern_core::bandwidth::median_gamma(&x, 0).unwrap();
    let ridge = || Ridge::on_kernel(Rbf::new(gamma).unwrap());
    let tuned = Tune::new(ridge(), R2).fit(&x, &y).unwrap();
    assert_eq!(
        (tuned.names(), tuned.trials().len()),
        (&["lambda", "kernel.gamma"].map(String::from)[..], 35)
    );
    assert!(tuned.best().unwrap().mean().unwrap() > 0.9);
    let as_given = Tune::new(ridge(), R2).fixed().fit(&x, &y).unwrap();
    assert_eq!((as_given.trials().len(), as_given.model()), (1, &ridge().fit(&x, &y).unwrap()));
}

#[test]
fn halving_tries_the_best_on_all_points() {
    use kern_core::Points;
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 100.0;
    let x = Samples::from_row_major(2, (0..3000).map(value).collect()).unwrap();
    let y: Vec<bool> = (0..1500).map(|i| x.item(i)[0].sin() + 0.1 * x.item(i)[1] > 0.5).collect();
    let grid = Tune::new(Svc::on_kernel(rbf()), Accuracy)
        .over("kernel.gamma", Axis::log(1e-3, 1e3, 7))
        .over("c", Axis::log(0.1, 1e3, 5));
    let whole = grid.fit(&x, &y).unwrap();
    let halved = grid.clone().halving().fit(&x, &y).unwrap();
    let shares =
        |share: f64| halved.trials().iter().filter(|t| (t.fraction - share).abs() < 1e-12).count();
    // 35, then a third, then a ninth of them: 23, 8 and 4 stay behind or reach the end.
    assert_eq!((shares(133.0 / 1200.0), shares(400.0 / 1200.0), shares(1.0)), (23, 8, 4));
    let (best, reached) = (whole.best().unwrap().mean().unwrap(), halved.best().unwrap());
    assert_eq!(reached.fraction, 1.0);
    assert!(reached.mean().unwrap() > best - 0.02, "{reached:?} {best}");
    // Too few points for a rung: the grid itself.
    let small = plane(R2);
    let few = self::x();
    assert_eq!(
        small.clone().halving().fit(&few, &self::y()).unwrap(),
        small.fit(&few, &self::y()).unwrap()
    );
}
