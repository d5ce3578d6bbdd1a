//! Bodies of fuzz targets: random cases, and the checks that they have to pass.
//!
//! A case is drawn from a stream of numbers, see [`Draws`], so that a program can repeat it by its number and a fuzzer can
//! steer it by bytes. `campaign` is that program; the fuzz targets call [`fuzz`].
//!
//! # Examples
//! ```
//! let body = kern_campaign::body("formulas").expect("a body of this name");
//! let case = kern_campaign::run(body, &mut kern_campaign::Draws::of_case("formulas", 0, 1));
//! assert!(case.findings().is_empty());
//! ```

mod case;
mod draws;
mod fits;
mod formulas;
mod libsvm;
pub mod memory;
mod panics;
mod settings;

pub use case::{Case, Finding};
pub use draws::Draws;

/// A body: draws a case and checks it.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its part of the time, relative to those of the others.
    pub share: u32,
    check: fn(&mut Draws<'_>, &mut Case),
}

/// All bodies.
pub const BODIES: [Body; 3] = [
    Body { name: "formulas", share: 1, check: formulas::check },
    Body { name: "libsvm", share: 1, check: libsvm::check },
    Body { name: "fits", share: 4, check: fits::check },
];

/// The body of this name.
#[must_use]
pub fn body(name: &str) -> Option<&'static Body> {
    BODIES.iter().find(|body| body.name == name)
}

/// Runs one case. A panic outside of what the body watches is a finding, too.
pub fn run(body: &Body, draws: &mut Draws<'_>) -> Case {
    run_into(body, draws, Case::default())
}

/// The same for a case that tells its steps as they come.
pub fn tell(body: &Body, draws: &mut Draws<'_>) -> Case {
    run_into(body, draws, Case::told())
}

fn run_into(body: &Body, draws: &mut Draws<'_>, mut case: Case) -> Case {
    memory::warm_up();
    if let Err(panic) = panics::caught(|| (body.check)(draws, &mut case)) {
        case.find("panic", panic.place, panic.message);
    }
    memory::unlimited();
    case
}

/// Runs the case that these bytes stand for, for a fuzzer.
///
/// # Panics
/// If there is a finding, or no body of this name.
pub fn fuzz(name: &str, bytes: &[u8]) {
    let body = body(name).unwrap_or_else(|| panic!("no body `{name}`"));
    let case = run(body, &mut Draws::of_bytes(bytes));
    assert!(case.findings().is_empty(), "{case}");
}
