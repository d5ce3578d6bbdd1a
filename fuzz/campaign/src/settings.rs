//! Hyper-parameters by name, drawn from their domains and beyond.

use crate::{Case, Draws};
use kern_core::parameters::{Domain, Parameters, Setting};

/// Counts that sums and products of sizes overflow with.
const COUNTS: [u64; 10] = [
    0,
    1,
    2,
    u64::MAX,
    u64::MAX - 1,
    i64::MAX as u64,
    1 << 62,
    (1 << 53) + 1,
    1 << 32,
    u32::MAX as u64,
];

/// Hyper-parameters that are drawn.
const MOST: usize = 64;

/// Sets some hyper-parameters. One that is refused stays as it is: the refusal is checked elsewhere.
pub(crate) fn draw(subject: &mut dyn Parameters, draws: &mut Draws<'_>, case: &mut Case) {
    let all = subject.parameters();
    // Most cases are hostile in few ways, or none would get far.
    let rate = draws.one_of(&[2, 3, 6, 1_000_000]);
    // Of formulas of thousands of kernels some will do: to set one takes time proportional to all.
    for parameter in all.into_iter().take(MOST) {
        if !draws.once_in(rate) {
            continue;
        }
        let value = setting(parameter.domain, draws);
        let set = subject.set_parameter(&parameter.name, &value);
        if set.is_ok() {
            case.note(format!("  {} = {value:?}", parameter.name));
        }
    }
}

/// A value in a domain or near it.
pub(crate) fn setting(domain: Domain, draws: &mut Draws<'_>) -> Setting {
    match domain {
        Domain::Real { smallest, largest, .. } => real(smallest, largest, draws).into(),
        Domain::Count { .. } if draws.once_in(3) => draws.one_of(&COUNTS).into(),
        Domain::Count { .. } => (1 + draws.below(10) as u64).into(),
        Domain::Flag => draws.once_in(2).into(),
        Domain::Choice(names) => draws.one_of(names).into(),
        Domain::List => {
            let numbers = 1 + draws.below(4);
            let list = (0..numbers).map(|_| real(0.0, f64::MAX, draws)).collect::<Vec<f64>>();
            list.into()
        }
        Domain::NameOr(names, other) => match draws.once_in(2) {
            true => draws.one_of(names).into(),
            false => setting(*other, draws),
        },
    }
}

fn real(smallest: f64, largest: f64, draws: &mut Draws<'_>) -> f64 {
    match draws.below(8) {
        0 | 1 => draws.power(-2.0, 1.0),
        2 => draws.power(-12.0, 12.0),
        3 => draws.power(-300.0, 300.0),
        4 => draws.unit(),
        5 => draws.one_of(&[smallest, largest, smallest.next_up(), largest.next_down()]),
        6 => draws.hostile(),
        _ => draws.one_of(&[1.0, 0.5, 1e-3, 1e3]),
    }
}
