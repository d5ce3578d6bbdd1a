//! Support vector classification by packages that know two classes only: of several, a problem for
//! each pair, as LIBSVM and kern have it. Bringing inputs into a package's form is not in the time.

use crate::case::{Case, Judged};
use anyhow::Result;
use kern_bench_kit::quality;
use kern_core::faer::ColRef;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use std::collections::BTreeSet;

/// The parameters of a case.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// The bound of the coefficients.
    pub c: f64,
    /// The kernel is exp(−γ‖x − y‖²).
    pub gamma: f64,
    /// The allowed violation of the optimality conditions.
    pub tolerance: f64,
}

/// Support vectors with their signed coefficients.
pub type Expansion = (Samples<f64>, Vec<f64>);

/// A machine of some package that tells two classes apart.
pub trait TwoClasses {
    /// Points with their classes, as the package wants them.
    type Problem;
    /// Other points.
    type Queries;
    /// The fitted model.
    type Model<'a>
    where
        Self: 'a;

    /// A machine with these parameters.
    fn new(params: Params) -> Self;

    /// Points, and whether each is of the second class.
    ///
    /// # Errors
    /// The package's.
    fn problem(&self, x: &Samples<f64>, second: &[bool]) -> Result<Self::Problem>;

    /// Points to be classified.
    ///
    /// # Errors
    /// The package's.
    fn queries(&self, x: &Samples<f64>) -> Result<Self::Queries>;

    /// Solves all problems.
    ///
    /// # Errors
    /// The package's.
    fn fit<'a>(&'a self, problems: &'a [Self::Problem]) -> Result<Vec<Self::Model<'a>>>;

    /// For each model, whether the queries are of its second class.
    ///
    /// # Errors
    /// The package's.
    fn predict(
        &self,
        models: &[Self::Model<'_>],
        queries: &Self::Queries,
    ) -> Result<Vec<Vec<bool>>>;

    /// The parts of a model.
    ///
    /// # Errors
    /// If the package does not tell.
    fn expansion(&self, problem: &Self::Problem, model: &Self::Model<'_>) -> Result<Expansion>;
}

/// All pairs of classes, the smaller one first, in ascending order.
struct Pairs(Vec<(i64, i64)>);

impl Params {
    fn of(case: &Case<'_>) -> Result<Self> {
        let number = |name| case.number(name);
        Ok(Self { c: number("c")?, gamma: number("gamma")?, tolerance: number("tolerance")? })
    }
}

impl Pairs {
    fn of(y: &[i64]) -> Self {
        let mut classes = y.to_vec();
        classes.sort_unstable();
        classes.dedup();
        let pairs = classes.iter().enumerate();
        Self(pairs.flat_map(|(i, &a)| classes[i + 1..].iter().map(move |&b| (a, b))).collect())
    }

    /// The problem of each pair.
    fn problems<M: TwoClasses>(
        &self,
        machine: &M,
        x: &Samples<f64>,
        y: &[i64],
    ) -> Result<Vec<M::Problem>> {
        let problem = |&(a, b): &(i64, i64)| {
            let mine: Vec<usize> = (0..y.len()).filter(|&i| y[i] == a || y[i] == b).collect();
            let second: Vec<bool> = mine.iter().map(|&i| y[i] == b).collect();
            machine.problem(&x.select(&mine)?, &second)
        };
        self.0.iter().map(problem).collect()
    }

    /// The class that wins most pairs, for each query; of equals the first.
    fn vote(&self, seconds: &[Vec<bool>]) -> Vec<i64> {
        let queries = seconds.first().map_or(0, Vec::len);
        let class = |query: usize| {
            let winners =
                self.0.iter().zip(seconds).map(|(&(a, b), s)| if s[query] { b } else { a });
            let winners: Vec<i64> = winners.collect();
            let votes = |class: i64| winners.iter().filter(|&&winner| winner == class).count();
            winners.iter().copied().max_by_key(|&class| (votes(class), -class)).unwrap_or_default()
        };
        (0..queries).map(class).collect()
    }
}

/// A peer of `svm`.
///
/// # Errors
/// If an input is missing, or the package fails.
pub fn fit<M: TwoClasses>(case: &mut Case<'_>) -> Result<Judged> {
    let params = Params::of(case)?;
    let machine = M::new(params);
    let (x, y): (_, Vec<i64>) = (case.samples("x")?, case.vector("y")?);
    let pairs = Pairs::of(&y);
    let problems = pairs.problems(&machine, &x, &y)?;
    let (judged, models) = case.measure(|| machine.fit(&problems))?;
    let kernel = Rbf::new(params.gamma)?;
    let (mut dual, mut support) = (0.0, BTreeSet::new());
    for (problem, model) in problems.iter().zip(&models) {
        let (points, beta) = machine.expansion(problem, model)?;
        dual += quality::dual_of_classes(&kernel, &points, ColRef::from_slice(&beta).as_mat());
        // A vector of several pairs counts once.
        support.extend(
            (0..points.len())
                .map(|i| points.item(i).iter().map(|v| v.to_bits()).collect::<Vec<_>>()),
        );
    }
    let queries = machine.queries(&case.samples("x_test")?)?;
    let found = pairs.vote(&machine.predict(&models, &queries)?);
    let accuracy = quality::agreement(&found, &case.vector("y_test")?);
    let judged = judged.figure("dual", dual).figure("test_accuracy", accuracy);
    Ok(judged.figure("support_vectors", support.len() as f64))
}

/// A peer of `svm_predict`; the fit is not in the time.
///
/// # Errors
/// If an input is missing, or the package fails.
pub fn predict<M: TwoClasses>(case: &mut Case<'_>) -> Result<Judged> {
    let machine = M::new(Params::of(case)?);
    let (x, y): (_, Vec<i64>) = (case.samples("x")?, case.vector("y")?);
    let pairs = Pairs::of(&y);
    let problems = pairs.problems(&machine, &x, &y)?;
    let models = machine.fit(&problems)?;
    let queries = machine.queries(&case.samples("queries")?)?;
    let (judged, found) = case.measure(|| Ok(pairs.vote(&machine.predict(&models, &queries)?)))?;
    let found: Vec<i64> = case.check()?.into_iter().map(|i| found[i]).collect();
    Ok(judged.figure("agreement", quality::agreement(&found, &case.vector("expected")?)))
}
