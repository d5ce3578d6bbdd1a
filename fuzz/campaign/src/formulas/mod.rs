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
        0 => built(&spec, &points::dense::<f64>(draws), case),
        1 => built(&spec, &points::dense::<f32>(draws), case),
        2 => built(&spec, &points::sparse(draws), case),
        _ => built(&spec, &points::strings(draws), case),
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
            case.find("formula", "is not read back", format!("{error}: {}", shown(&text)))
        }
    }
}

/// The kernel on these points: an error, or values that agree.
fn built<P: SpecPoints + Points>(spec: &KernelSpec, points: &P, case: &mut Case) {
    let kernel: Result<FormulaKernel<P>, Error> = spec.build();
    let Ok(kernel) = kernel else { return };
    if kernel.check(points).is_err() {
        return;
    }
    let violation = contract::verify_bits(&kernel, points).err();
    if let Some(violation) = violation.filter(|violation| !is_nan(violation)) {
        case.find("bits", method(&violation), violation.to_string());
    }
    if P::Scalar::UNIT_ROUNDOFF < f64::from(f32::EPSILON) / 4.0 {
        defined(&kernel, points, case);
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

/// In double precision blocks and the diagonal have the bits of the definition.
fn defined<P: Points>(kernel: &FormulaKernel<P>, points: &P, case: &mut Case) {
    let n = points.len();
    let mut block = Mat::zeros(n, n);
    kernel.block(&Tile::new(points, 0..n, points, 0..n), block.as_mut(), &mut Scratch::new());
    for i in 0..n {
        for j in 0..n {
            let expected = kernel.eval(points.item(i), points.item(j)).to_f64();
            let given: f64 = block[(i, j)].to_f64();
            let diagonal = if i == j { kernel.diag(points, i).to_f64() } else { expected };
            if !same(given, expected) || !same(diagonal, expected) {
                let detail =
                    format!("({i}, {j}): eval {expected:e}, block {given:e}, diag {diagonal:e}");
                case.find("bits", "eval, block and diag", detail);
                return;
            }
        }
    }
}

/// The same bits, or both not a number.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}
