//! ν-classification.

use super::expansion::Expansion;
use super::matrix::with_columns;
use super::memory::{Chosen, copied_bytes};
use super::problem::{Coupling, Problem};
use super::settings::{Settings, shared_setters, total};
use super::svc::{Sorted, solve_all};
use super::{Decomposition, SvmClassifier};
use crate::labels::Encoded;
use crate::{ClassWeights, Error, Label};
use kern_core::{Decay, Mercer, Points};

/// Support vector classification with a bound on errors instead of a penalty: ν-SVC.
///
/// At most a share ν of the points (of each binary problem) lies on the wrong side of its margin, and at least a
/// share ν are support vectors. The function is scaled so that the margin is 1; it is that of [`Svc`](super::Svc)
/// for some C.
///
/// # Definition
/// minimise ½‖f‖² − νρ + (1/n) Σξᵢ subject to yᵢ(f(xᵢ) + b) ≥ ρ − ξᵢ, in the units of LIBSVM: 0 ≤ αᵢ ≤ 1, the sum of
/// each class νn/2. The report is about that problem, before scaling.
///
/// # References
/// Schölkopf, Smola, Williamson & Bartlett (2000), *New Support Vector Algorithms*; Crisp & Burges (2000), for
/// which ν there is a solution.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::NuSvc;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = NuSvc::new(Rbf::new(0.5)?).nu(0.5).fit(&x, &["a", "a", "b", "b"])?;
/// assert_eq!(model.predict(&x)?, ["a", "a", "b", "b"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NuSvc<K> {
    kernel: K,
    nu: f64,
    settings: Settings,
    weights: Option<Vec<f64>>,
    multi_class: Decomposition,
}

impl<K> NuSvc<K> {
    /// Classification with this kernel and ν = ½.
    pub fn new(kernel: K) -> Self {
        let settings = Settings::default();
        Self { kernel, nu: 0.5, settings, weights: None, multi_class: Decomposition::OneVsOne }
    }

    /// ν, of (0, 1]. At most twice the share of the rarer class. Default: 0.5.
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    shared_setters!();

    /// How more than two classes are made of binary problems. Default: [`Decomposition::OneVsOne`].
    #[must_use]
    pub fn multi_class(mut self, decomposition: Decomposition) -> Self {
        self.multi_class = decomposition;
        self
    }

    /// Learns the classes. Sample weights repeat points, so ν is a share of their sum. There are no class weights: a
    /// ν-problem fixes the sum of the coefficients of each class, and LIBSVM's `-wi`, which scales the C of a class, has no
    /// meaning there.
    ///
    /// # Errors
    /// As [`Svc::fit`](super::Svc::fit); [`Error::Nu`] if ν is too large for a pair of classes.
    pub fn fit<P, L>(self, points: &P, labels: &[L]) -> Result<SvmClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let Self { kernel, nu, settings, weights, multi_class } = self;
        Decay::new("nu", nu)?;
        settings.check()?;
        let labels = Encoded::new(points.len(), labels)?;
        let weights = ClassWeights::Equal.combine(&labels, weights)?;
        let sorted = Sorted::new(&labels, weights.as_deref());
        let copied = copied_bytes(points, &sorted.order);
        let budget = sorted.sizes(multi_class, 1).left::<P::Scalar>(&settings, copied)?;
        let selected = Chosen::new(points, &sorted.order)?;
        let mut problems = sorted.problems(multi_class, 1.0, true)?;
        problems.iter_mut().try_for_each(|problem| restrict(problem, nu))?;
        let (solutions, cost) =
            with_columns(&kernel, selected.get(), &budget, |columns, stored| {
                Ok((solve_all(columns, stored, &problems, &settings, None)?, columns.cost()))
            })?;
        let mut expansion = Expansion::new(sorted.order.len(), problems.len())?;
        for (output, (problem, solution)) in problems.iter().zip(&solutions).enumerate() {
            // Where the functions of the two classes' sums rest: b − ρ and b + ρ.
            let (low, high) = (solution.certificate.biases[0], solution.certificate.biases[1]);
            expansion.set(output, problem, solution, 0.5 * (low + high));
            let margin = 0.5 * (low - high);
            if margin > 0.0 {
                expansion.scale(output, 1.0 / margin);
            }
        }
        let (decision, support, report) =
            expansion.into_model(kernel, (selected.get(), &sorted.order), &solutions, cost)?;
        Ok(SvmClassifier::new(decision, (labels.classes, multi_class), support, report))
    }
}

/// Makes the problem of ν of that of C = 1: no linear term, and a sum for each class.
fn restrict(problem: &mut Problem, nu: f64) -> Result<(), Error> {
    let total = total(problem.lower.iter().chain(&problem.upper))?;
    let mut left = [0.5 * nu * total; 2];
    for v in 0..problem.len() {
        let positive = usize::from(problem.linear[v] > 0.0);
        let bound = if positive == 1 { problem.upper[v] } else { -problem.lower[v] };
        let part = left[positive].min(bound);
        left[positive] -= part;
        problem.start[v] = if positive == 1 { part } else { -part };
    }
    let short = left[0].max(left[1]);
    if short > f64::EPSILON * total {
        let greatest = nu - 2.0 * short / total;
        return Err(Error::Nu { given: nu, greatest });
    }
    problem.coupling = Coupling::Groups(problem.linear.iter().map(|&y| y > 0.0).collect());
    problem.linear.fill(0.0);
    Ok(())
}
