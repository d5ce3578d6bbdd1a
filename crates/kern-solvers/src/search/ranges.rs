//! The ranges in which a search looks, by the names of hyper-parameters.

use super::Axis;
use kern_core::parameters::{Parameters, Setting};

/// The least and the greatest C of machines, and λ of regressions.
const COSTS: (f64, f64) = (0.1, 1000.0);
const PENALTIES: (f64, f64) = (1e-7, 0.1);

/// The hyper-parameters of a learner that decide, each with the values that are worth a try: C, λ and numbers of neighbours,
/// and scales and degrees of the kernel, in proportion to those that it has. So a kernel is to have the scale of the data,
/// as [`median_gamma`](kern_core::bandwidth::median_gamma) finds it.
///
/// # Examples
/// ```
/// use kern_core::kernels::Rbf;
/// use kern_solvers::search::ranges;
/// use kern_solvers::svm::Svc;
/// let ranges = ranges(&Svc::on_kernel(Rbf::new(0.5)?));
/// let names: Vec<&str> = ranges.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names, ["c", "kernel.gamma"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[must_use]
pub fn ranges(learner: &impl Parameters) -> Vec<(String, Axis)> {
    let named = |parameter: kern_core::parameters::Parameter| {
        let axis = axis(&parameter.name, &parameter.value)?;
        Some((parameter.name.to_string(), axis))
    };
    learner.parameters().into_iter().filter_map(named).collect()
}

/// The values of a hyper-parameter that are worth a try, if it is one that decides.
fn axis(name: &str, value: &Setting) -> Option<Axis> {
    let last = name.rsplit('.').next()?;
    let around = |factor: f64, count| {
        let value = value.as_f64().filter(|value| *value > 0.0)?;
        Some(Axis::log(value / factor, value * factor, count))
    };
    match (last, name.contains("kernel")) {
        ("c", false) => Some(Axis::log(COSTS.0, COSTS.1, 5)),
        ("lambda", false) => Some(Axis::log(PENALTIES.0, PENALTIES.1, 7)),
        ("neighbors", false) => Some(Axis::from(vec![1_usize, 3, 5, 9, 15, 25])),
        ("gamma", true) => around(16.0, 5),
        ("length_scale", true) => around(4.0, 5),
        ("k" | "p" | "d", true) => Some(Axis::from(vec![2_usize, 3, 4, 5])),
        _ => None,
    }
}
