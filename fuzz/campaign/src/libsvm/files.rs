//! Texts near those formats.

use crate::Draws;

const INDICES: [&str; 8] =
    ["0", "4294967296", "4294967297", "18446744073709551616", "-1", "1e3", "", "²"];
const VALUES: [&str; 8] = ["0", "-0", "1e308", "1e309", "5e-324", "nan", "inf", "1e38"];
const SLIPS: [&str; 12] = [
    ":",
    "#",
    "\n",
    "\r\n",
    " ",
    "SV\n",
    "-",
    "1:1 ",
    "9999999999999",
    "\u{feff}",
    "nr_class 65536\n",
    "é",
];

/// A data file.
pub(super) fn data(draws: &mut Draws<'_>) -> String {
    let lines = draws.below(8);
    let line = |draws: &mut Draws<'_>| {
        let label = draws.one_of(&["1", "-1", "+1", "2.0", "0.5", "1e300", "-0", "2147483648"]);
        format!("{label}{}\n", vector(draws))
    };
    (0..lines).map(|_| line(draws)).collect()
}

/// Entries whose indices ascend, but for slips.
fn vector(draws: &mut Draws<'_>) -> String {
    let mut index = 0;
    let mut entry = |draws: &mut Draws<'_>| {
        index += 1 + draws.below(3);
        let given = index.to_string();
        let at = if draws.once_in(40) { draws.one_of(&INDICES) } else { &given };
        let value = match draws.once_in(10) {
            true => draws.one_of(&VALUES).to_owned(),
            false => draws.between(-2.0, 2.0).to_string(),
        };
        format!(" {at}:{value}")
    };
    (0..draws.below(4)).map(|_| entry(draws)).collect()
}

/// A model file, and its kernel.
pub(super) fn model(draws: &mut Draws<'_>) -> (&'static str, String) {
    let kernel = draws.one_of(&["rbf", "linear", "polynomial"]);
    let kind = draws.one_of(&["c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"]);
    let votes = kind.ends_with("svc");
    let classes = if votes { draws.one_of(&[2, 2, 3, 5, 40]) } else { 2 };
    let functions = if votes { classes * (classes - 1) / 2 } else { 1 };
    let counts: Vec<usize> = (0..classes).map(|_| draws.below(3)).collect();
    let total: usize = if votes { counts.iter().sum() } else { draws.below(6) };
    let mut text = format!("svm_type {kind}\nkernel_type {kernel}\n");
    text += match kernel {
        "rbf" => "gamma 0.5\n",
        "polynomial" => "degree 3\ngamma 0.5\ncoef0 1\n",
        _ => "",
    };
    text += &format!("nr_class {classes}\ntotal_sv {total}\nrho{}\n", numbers(functions, draws));
    if votes {
        let labels = (0..classes).map(|class| format!(" {class}")).collect::<String>();
        let sizes = counts.iter().map(|count| format!(" {count}")).collect::<String>();
        text += &format!("label{labels}\n");
        if draws.once_in(2) {
            text += &format!(
                "probA{}\nprobB{}\n",
                numbers(functions, draws),
                numbers(functions, draws)
            );
        }
        text += &format!("nr_sv{sizes}\n");
    }
    text += "SV\n";
    for _ in 0..total {
        text +=
            &format!("{}{}\n", numbers(if votes { classes - 1 } else { 1 }, draws), vector(draws));
    }
    (kernel, text)
}

fn numbers(count: usize, draws: &mut Draws<'_>) -> String {
    let number = |draws: &mut Draws<'_>| match draws.once_in(20) {
        true => format!(" {:e}", draws.hostile()),
        false => format!(" {}", draws.between(-1.0, 1.0)),
    };
    (0..count).map(|_| number(draws)).collect()
}

/// The bytes after some slips, or none.
pub(super) fn mutated(text: String, draws: &mut Draws<'_>) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    for _ in 0..draws.one_of(&[0, 0, 1, 1, 2, 8]) {
        let at = draws.below(bytes.len() + 1);
        match draws.below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << draws.below(8),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.insert(at, 0xff),
            4 => {
                // A digit more makes a count that is far too large.
                let digits = draws.one_of(&[1, 3, 10, 25]);
                bytes.splice(at..at, std::iter::repeat_n(b'9', digits));
            }
            _ => drop(bytes.splice(at..at, draws.one_of(&SLIPS).bytes())),
        }
    }
    bytes
}
