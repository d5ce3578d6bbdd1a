//! Formulas of kernels: read, printed, built on several kinds of points, and evaluated.

mod grammar;
mod points;

pub(crate) use grammar::{FAMILIES, valid};

use crate::{Case, Draws, memory, settings};
use kern_core::parameters::Parameters;
use kern_core::{
    Error, FormulaKernel, Kernel, KernelSpec, Points, Scalar, Scratch, SpecPoints, Tile,
};
use kern_core::{contract, faer::Mat};

/// The difference of values in two ways that rounding explains, relative to 1 or the value: in single precision, under
/// powers.
const ROUNDING: f64 = 1e-2;

/// Families whose definition has the bits of a block of dense samples in double precision: the same sum, and the same
/// exponential.
const EXACT: [&str; 7] = ["linear", "poly", "rbf", "ard_rbf", "laplacian", "exponential", "delta"];

/// A case: a text, and the kernel that it may be.
pub(crate) fn check(draws: &mut Draws<'_>, case: &mut Case) {
    let text = grammar::text(draws);
    case.note(shown(&text));
    memory::limit(None);
    let Ok(mut spec) = text.parse::<KernelSpec>() else { return };
    case.answer();
    settings::draw(&mut spec, draws, case);
    printed(&spec, case);
    let facts = (spec.is_mercer(), spec.is_shift_invariant(), spec.has_unit_diagonal());
    case.note(format!("{facts:?}, {} parameters", spec.parameters().len()));
    match draws.below(4) {
        0 => built(&spec, (&points::dense::<f64>(draws), true), case),
        1 => built(&spec, (&points::dense::<f32>(draws), true), case),
        2 => built(&spec, (&points::sparse(draws), false), case),
        _ => built(&spec, (&points::strings(draws), false), case),
    }
}

/// The beginning of a text, and its length.
fn shown(text: &str) -> String {
    let begin: String = text.chars().take(200).collect();
    format!("{begin:?}, {} bytes", text.len())
}

/// A formula that is printed is read as itself.
fn printed(spec: &KernelSpec, case: &mut Case) {
    let text = spec.to_string();
    match text.parse::<KernelSpec>() {
        Ok(read) if read == *spec => {}
        Ok(read) => case.find("formula", "reads as another", shown(&format!("{text} and {read}"))),
        Err(error) => {
            case.find("formula", "is not read back", format!("{error}: {}", shown(&text)));
        }
    }
}

/// The kernel on these points: an error, or values that agree.
fn built<P: SpecPoints + Points>(
    spec: &KernelSpec,
    (points, is_dense): (&P, bool),
    case: &mut Case,
) {
    let kernel: Result<FormulaKernel<P>, Error> = spec.build();
    let Ok(kernel) = kernel else { return };
    if kernel.check(points).is_err() {
        return;
    }
    if is_dense {
        let violation = contract::verify_bits(&kernel, points).err();
        if let Some(violation) = violation.filter(|violation| !is_nan(violation)) {
            case.find(
                "bits",
                format!("{} of {}", method(&violation), shape(spec)),
                violation.to_string(),
            );
        }
    }
    let is_exact = is_dense && is_double::<P::Scalar>() && EXACT.contains(&shape(spec).as_str());
    // Rounding of a base, to the power of billions, is anything.
    if !shape(spec).contains('^') {
        defined(&kernel, points, if is_exact { 0.0 } else { ROUNDING }, case);
    }
    drop(spec.build_mercer::<P>());
}

/// Not a number equals nothing, itself included: a sum of infinities has no other value.
fn is_nan(violation: &contract::Violation) -> bool {
    match violation {
        contract::Violation::SeveralValues { given, expected, .. } => {
            given.is_nan() && expected.is_nan()
        }
        _ => false,
    }
}

/// The method that disagrees.
fn method(violation: &contract::Violation) -> String {
    match violation {
        contract::Violation::SeveralValues { method, .. } => (*method).to_owned(),
        other => other.to_string(),
    }
}

/// Tells the two types of numbers apart.
fn is_double<T: Scalar>() -> bool {
    T::UNIT_ROUNDOFF < f64::from(f32::EPSILON) / 4.0
}

/// Blocks and the diagonal have the values of the definition, up to this rounding.
fn defined<P: Points>(kernel: &FormulaKernel<P>, points: &P, rounding: f64, case: &mut Case) {
    let n = points.len();
    let mut block = Mat::zeros(n, n);
    kernel.block(&Tile::new(points, 0..n, points, 0..n), block.as_mut(), &mut Scratch::new());
    for i in 0..n {
        for j in 0..n {
            let expected = kernel.eval(points.item(i), points.item(j)).to_f64();
            let given: f64 = block[(i, j)].to_f64();
            let diagonal = if i == j { kernel.diag(points, i).to_f64() } else { expected };
            // Sums in single precision overflow on the way to a value that is finite in double precision, where `eval` computes
            // it. Such a block is not finite, which every fit reports.
            let overflows = |value: f64| !is_double::<P::Scalar>() && !value.is_finite();
            let close = |value| is_close(value, expected, rounding) || overflows(value);
            if !close(given) || !close(diagonal) {
                let detail =
                    format!("({i}, {j}): eval {expected:e}, block {given:e}, diag {diagonal:e}");
                let place = format!("eval, block and diag of {}", shape(kernel.spec()));
                case.find("bits", place, detail);
                return;
            }
        }
    }
}

/// Close, or there is no value: where the definition overflows, nothing is promised.
fn is_close(given: f64, expected: f64, rounding: f64) -> bool {
    let beyond = |value: f64| !value.is_finite() || value.abs() >= f64::from(f32::MAX);
    let apart = (given - expected).abs();
    beyond(expected) || apart <= rounding * expected.abs().max(1.0)
}

/// The family of a formula, or its rules.
fn shape(spec: &KernelSpec) -> String {
    let text = spec.to_string();
    let rules = ["assume_mercer(", "normalized(", "exp(", "^", " + ", "*"];
    let found: Vec<&str> = rules.into_iter().filter(|rule| text.contains(rule)).collect();
    match found[..] {
        [] => text.split('(').next().unwrap_or_default().to_owned(),
        _ => found.join(" "),
    }
}
