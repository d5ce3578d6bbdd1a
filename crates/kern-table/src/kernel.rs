//! Kernels of tables: the formula, and values from the data for what it leaves open.

use crate::{Error, Formula, Rows};
use kern_core::parameters::Setting;
use kern_core::{KernelSpec, Samples, bandwidth};
use kern_data::Schema;

/// The kernel on all kinds of columns that there are.
pub(crate) fn usual(schema: &Schema) -> String {
    let numbers = schema.numbers().next().map(|_| "rbf");
    let categories = schema.categories().next().map(|_| "hamming_rbf");
    let product: Vec<&str> = numbers.into_iter().chain(categories).collect();
    let text = schema.texts().next().map(|_| "normalized(spectrum(k=3))");
    let product = (!product.is_empty()).then(|| product.join(" * "));
    let parts: Vec<String> = product.into_iter().chain(text.map(Into::into)).collect();
    parts.join(" + ")
}

/// The kernel of a formula on these rows, which are ready for it.
pub(crate) fn build(
    formula: &str,
    (rows, weights): (&Rows, Option<&[f64]>),
    seed: u64,
) -> Result<Formula, Error> {
    Ok(spec(formula, (rows, weights), (seed, None))?.build_mercer()?)
}

/// A formula with values for all that it leaves open; of γ this one, if there is one.
pub(crate) fn spec(
    formula: &str,
    (rows, weights): (&Rows, Option<&[f64]>),
    (seed, gamma): (u64, Option<f64>),
) -> Result<KernelSpec, Error> {
    let fallback = Fallback::of(rows, weights, seed)?;
    let value = |family: &str, name: &str| match gamma {
        // That of categories is a matter of their own number.
        Some(gamma) if name == "gamma" && family != "hamming_rbf" => Some(Setting::Real(gamma)),
        _ => fallback.value(family, name),
    };
    Ok(KernelSpec::parse_or(formula, &value)?)
}

/// Values for parameters that a formula leaves open.
struct Fallback {
    /// 1/median ‖x − y‖² of the numbers.
    gamma: f64,
    /// Their number.
    dim: usize,
    categories: usize,
}

impl Fallback {
    fn of(rows: &Rows, weights: Option<&[f64]>, seed: u64) -> Result<Self, Error> {
        let dim = rows.first().map_or(0, |row| row.numbers.len());
        let categories = rows.first().map_or(0, |row| row.categories.chars().count());
        let gamma = match dim {
            0 => 1.0,
            _ => {
                let numbers = rows.iter().flat_map(|row| row.numbers.iter().copied()).collect();
                let points = Samples::from_row_major(dim, numbers)?;
                // Points that are all equal have no scale.
                match weights {
                    Some(weights) => bandwidth::median_gamma_weighted(&points, weights, seed),
                    None => bandwidth::median_gamma(&points, seed),
                }
                .unwrap_or(1.0)
            }
        };
        Ok(Self { gamma, dim, categories })
    }

    fn value(&self, family: &str, name: &str) -> Option<Setting> {
        let share = 1.0 / self.dim.max(1) as f64;
        let length = (0.5 / self.gamma).sqrt();
        Some(match (family, name) {
            ("hamming_rbf", "gamma") => Setting::Real(1.0 / self.categories.max(1) as f64),
            ("poly" | "laplacian" | "exp_chi2" | "sigmoid", "gamma") => Setting::Real(share),
            ("exponential", "gamma") => Setting::Real(self.gamma.sqrt()),
            ("ard_rbf", "gamma") => Setting::List(vec![self.gamma; self.dim]),
            (_, "gamma") => Setting::Real(self.gamma),
            (_, "length_scale") => Setting::Real(length),
            (_, "alpha") => Setting::Real(1.0),
            ("spectrum", "k") | ("subsequence", "p") | ("weighted_degree", "d") => {
                Setting::Count(3)
            }
            ("subsequence", "lambda") => Setting::Real(0.5),
            _ => return None,
        })
    }
}
