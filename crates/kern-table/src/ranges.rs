//! The ranges in which a search looks, by the names of hyper-parameters.

use kern_core::parameters::{Parameters, Setting};
use kern_solvers::search::Axis;

/// Draws of a search over more than two hyper-parameters.
const DRAWS: usize = 60;

/// The least and the greatest C of machines, and λ of regressions.
const COSTS: (f64, f64) = (0.1, 1000.0);
const PENALTIES: (f64, f64) = (1e-7, 0.1);

/// A search: the axes, and the number of draws if there are too many for a grid.
pub(crate) struct Ranges {
    pub(crate) axes: Vec<(String, Axis)>,
    pub(crate) draws: Option<usize>,
}

/// The hyper-parameters that matter, in proportion to their values from the data.
pub(crate) fn ranges(learner: &impl Parameters, fixed: &[(String, Setting)]) -> Ranges {
    let free = learner.parameters().into_iter().filter(|p| fixed.iter().all(|f| f.0 != p.name));
    let axes: Vec<(String, Axis)> = free
        .filter_map(|parameter| {
            let axis = axis(&parameter.name, &parameter.value)?;
            Some((parameter.name.to_string(), axis))
        })
        .collect();
    let draws = (axes.len() > 2).then_some(DRAWS);
    Ranges { axes, draws }
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
