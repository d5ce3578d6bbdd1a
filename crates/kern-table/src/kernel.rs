//! Kernels of tables: the formula, with open parameters set from the data.

use crate::{Error, Formula, Rows};
use kern_core::parameters::Setting;
use kern_core::{KernelFamily, KernelSpec, Samples, bandwidth};
use kern_data::{Kind, Schema};

/// The default kernel: it acts on every kind of column in the schema.
pub(crate) fn usual(schema: &Schema) -> String {
    on_all_columns(schema, "rbf")
}

/// This kernel on the numbers, times one on the categories, plus one on the text, restricted to the
/// kinds of columns in the schema.
pub(crate) fn on_all_columns(schema: &Schema, on_numbers: &str) -> String {
    let numbers = schema.numbers().next().map(|_| on_numbers);
    let categories = schema.categories().next().map(|_| "hamming_rbf");
    let product: Vec<&str> = numbers.into_iter().chain(categories).collect();
    let text = schema.texts().next().map(|_| "normalized(spectrum(k=3))");
    let product = (!product.is_empty()).then(|| product.join(" * "));
    let parts: Vec<String> = product.into_iter().chain(text.map(Into::into)).collect();
    parts.join(" + ")
}

/// How open parameters of distance kernels are estimated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The factor of γ = 1/(2ℓ²) relative to the median heuristic.
    pub(crate) factor: f64,
    /// The seed of the sample that the median is of.
    pub(crate) seed: u64,
}

impl Scale {
    /// The median heuristic.
    pub(crate) const fn median(seed: u64) -> Self {
        Self { factor: 1.0, seed }
    }
}

/// Builds the kernel of a formula for prepared rows with this schema.
pub(crate) fn build(
    formula: &str,
    schema: &Schema,
    rows: &Rows,
    weights: Option<&[f64]>,
    scale: Scale,
) -> Result<Formula, Error> {
    let fallback = Fallback::of(rows, weights, scale)?;
    let spec = KernelSpec::parse_or(formula, &|family, name| fallback.value(family, name))?;
    check_columns(&spec, schema, false)?;
    Ok(spec.build_mercer()?)
}

/// Kernels that compare letters: they act on the categories, or on the text if there are no
/// categories.
const ON_LETTERS: [&str; 3] = ["hamming", "hamming_rbf", "delta"];

/// Rejects a formula with a kernel that has no column to act on, because it would be constant. If
/// rows are vectors, all vector kernels act on their numeric columns.
pub(crate) fn check_columns(
    spec: &KernelSpec,
    schema: &Schema,
    are_vectors: bool,
) -> Result<(), Error> {
    let numbers = schema.numbers().next().is_some();
    let (categories, texts) =
        (schema.categories().next().is_some(), schema.texts().next().is_some());
    let formula = spec.to_string();
    for family in KernelSpec::families().into_iter().filter(|family| is_in(&formula, family)) {
        let (is_there, needed) = match (family.on_vectors, family.on_strings) {
            (true, _) if are_vectors => (numbers, "numbers"),
            _ if ON_LETTERS.contains(&family.name) => (categories || texts, "categories or text"),
            // White noise and constants are kernels on any kind of row.
            (true, true) => (true, "any kind"),
            (true, false) => (numbers, "numbers"),
            (false, _) => (texts, "text"),
        };
        if !is_there {
            let columns = by_kind(schema);
            return Err(Error::NoColumnFor { family: family.name, needed, columns });
        }
    }
    Ok(())
}

/// Returns true if a formula contains the name of a family as a whole word that is not a parameter.
fn is_in(formula: &str, family: &KernelFamily) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    formula.match_indices(family.name).any(|(start, name)| {
        let (before, after) = (&formula[..start], &formula[start + name.len()..]);
        !before.ends_with(is_letter) && !after.starts_with(is_letter) && !after.starts_with('=')
    })
}

/// The columns of a schema, grouped by kind.
fn by_kind(schema: &Schema) -> String {
    let name = |kind: &Kind| match kind {
        Kind::Number => "numbers",
        Kind::Instant => "dates or times",
        Kind::Duration => "durations",
        Kind::Category { .. } => "categories",
        Kind::Text => "text",
    };
    let kinds = ["numbers", "dates or times", "durations", "categories", "text"];
    let listed = kinds.iter().filter_map(|kind| {
        let fields = schema.fields.iter().filter(|field| name(&field.kind) == *kind);
        let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
        (!names.is_empty()).then(|| format!("{kind} ({})", names.join(", ")))
    });
    listed.collect::<Vec<_>>().join(", ")
}

/// Parses a formula and sets all open parameters; an open γ gets the given value, if there is one.
pub(crate) fn spec(
    formula: &str,
    rows: &Rows,
    weights: Option<&[f64]>,
    seed: u64,
    gamma: Option<f64>,
) -> Result<KernelSpec, Error> {
    let fallback = Fallback::of(rows, weights, Scale::median(seed))?;
    let value = |family: &str, name: &str| match gamma {
        // The γ of a kernel on categories depends on the number of categorical columns.
        Some(gamma) if name == "gamma" && family != "hamming_rbf" => Some(Setting::Real(gamma)),
        _ => fallback.value(family, name),
    };
    Ok(KernelSpec::parse_or(formula, &value)?)
}

/// Default values of parameters that a formula leaves open.
struct Fallback {
    /// 1/median ‖x − y‖² of the numeric columns, times the factor.
    gamma: f64,
    factor: f64,
    /// The number of numeric columns.
    dim: usize,
    categories: usize,
}

impl Fallback {
    fn of(rows: &Rows, weights: Option<&[f64]>, scale: Scale) -> Result<Self, Error> {
        let Scale { factor, seed } = scale;
        let dim = rows.first().map_or(0, |row| row.numbers.len());
        let categories = rows.first().map_or(0, |row| row.categories.chars().count());
        let gamma = match dim {
            0 => 1.0,
            _ => {
                let numbers = rows.iter().flat_map(|row| row.numbers.iter().copied()).collect();
                let points = Samples::from_row_major(dim, numbers)?;
                // Identical points have no scale.
                match weights {
                    Some(weights) => bandwidth::median_gamma_weighted(&points, weights, seed),
                    None => bandwidth::median_gamma(&points, seed),
                }
                .unwrap_or(1.0)
            }
        };
        Ok(Self { gamma: factor * gamma, factor, dim, categories })
    }

    fn value(&self, family: &str, name: &str) -> Option<Setting> {
        let share = 1.0 / self.dim.max(1) as f64;
        let length = (0.5 / self.gamma).sqrt();
        Some(match (family, name) {
            ("hamming_rbf", "gamma") => Setting::Real(self.factor / self.categories.max(1) as f64),
            ("poly" | "laplacian" | "exp_chi2" | "sigmoid", "gamma") => {
                Setting::Real(self.factor * share)
            }
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
