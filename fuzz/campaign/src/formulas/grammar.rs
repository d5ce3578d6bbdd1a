//! Texts near the grammar of formulas.

use crate::Draws;

/// Families on vectors, with the parameters that have no default.
pub(crate) const FAMILIES: [&str; 23] = [
    "rbf(gamma=0.5)",
    "linear",
    "poly(degree=2, coef0=1)",
    "matern32(length_scale=2)",
    "matern52(length_scale=0.5)",
    "laplacian(gamma=0.7)",
    "exponential(gamma=0.3)",
    "rational_quadratic(alpha=1.5, length_scale=0.7)",
    "cauchy(gamma=0.4)",
    "cosine",
    "ard_rbf(gamma=[0.5, 0.25])",
    "delta",
    "assume_mercer(sigmoid(gamma=0.1, coef0=-1))",
    "chi_squared",
    "exp_chi_squared(gamma=0.2)",
    "intersection",
    "hellinger",
    "matern(nu=0.7, length_scale=2)",
    "periodic(period=2)",
    "wave(frequency=[0.5, 0.25])",
    "arc_cosine(order=0)",
    "white(noise=0.5)",
    "constant(value=0.5)",
];

/// Families on strings.
const TEXTS: [&str; 8] = [
    "spectrum(k=2)",
    "subsequence(p=2, lambda=0.5)",
    "hamming",
    "hamming_rbf(gamma=0.1)",
    "weighted_degree(d=3)",
    "bag_of_words",
    "normalized_bag_of_words",
    "word_count",
];

const TOKENS: [&str; 30] = [
    "(",
    ")",
    "[",
    "]",
    "+",
    "*",
    "^",
    "=",
    ",",
    ".",
    " ",
    "\t",
    "exp",
    "normalized",
    "assume_mercer",
    "rbf",
    "linear",
    "gamma",
    "gamma=",
    "1",
    "0",
    "-1",
    "1e400",
    "inf",
    "nan",
    "18446744073709551616",
    "5e-324",
    "true",
    "é",
    "\u{0}",
];

/// A case in so many is a long one.
const LONG: usize = 40;

/// A text.
pub(super) fn text(draws: &mut Draws<'_>) -> String {
    if draws.once_in(LONG) {
        return long(draws);
    }
    match draws.below(4) {
        0 => (0..=draws.below(40)).map(|_| token(draws)).collect(),
        1 => mutated(&valid(draws, 3, &FAMILIES), draws),
        2 => valid(draws, 4, &TEXTS),
        _ => valid(draws, 4, &FAMILIES),
    }
}

fn token(draws: &mut Draws<'_>) -> &'static str {
    match draws.below(3) {
        0 => draws.one_of(&FAMILIES),
        _ => draws.one_of(&TOKENS),
    }
}

/// A formula of these families.
pub(crate) fn valid(draws: &mut Draws<'_>, depth: usize, families: &[&str]) -> String {
    if depth == 0 {
        return draws.one_of(families).to_owned();
    }
    let inner = |draws: &mut Draws<'_>| valid(draws, depth - 1, families);
    match draws.below(10) {
        0 => format!("{} + {}", inner(draws), inner(draws)),
        1 => format!("({})*({})", inner(draws), inner(draws)),
        2 => format!("{}*({})", draws.power(-3.0, 3.0), inner(draws)),
        3 => format!("({})^{}", inner(draws), draws.one_of(&[0, 1, 2, 3, 7, 1000, u32::MAX])),
        4 => format!("exp({})", inner(draws)),
        5 => format!("normalized({})", inner(draws)),
        _ => draws.one_of(families).to_owned(),
    }
}

/// The text after some slips.
fn mutated(text: &str, draws: &mut Draws<'_>) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=draws.below(4) {
        let at = draws.below(letters.len());
        match draws.below(4) {
            0 if !letters.is_empty() => drop(letters.remove(at)),
            1 => letters.insert(at, draws.one_of(&['(', ')', '*', '+', '^', '9', '-', ',', '='])),
            2 => letters.truncate(at),
            _ => {
                let slip: Vec<char> = token(draws).chars().collect();
                letters.splice(at..at, slip);
            }
        }
    }
    letters.into_iter().collect()
}

/// Texts that are long or deep.
fn long(draws: &mut Draws<'_>) -> String {
    let many = draws.one_of(&[63, 64, 65, 1000, 9_999, 10_001, 60_000]);
    let family = draws.one_of(&["linear", "rbf(gamma=1)", "delta"]);
    match draws.below(8) {
        0 => vec![family; many].join(" + "),
        1 => vec![family; many].join("*"),
        2 => format!("{}{family}{}", "(".repeat(many), ")".repeat(many)),
        3 => format!("{}{family}{}", "exp(".repeat(many), ")".repeat(many)),
        4 => format!("{family}{}", "^1".repeat(many)),
        5 => format!("ard_rbf(gamma=[{}])", vec!["1"; many].join(",")),
        6 => format!("{}{family}", "2*".repeat(many)),
        _ => format!("rbf({})", vec!["gamma=1"; many].join(",")),
    }
}
