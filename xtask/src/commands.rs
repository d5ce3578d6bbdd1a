//! The commands that are written in more than one place, each stated once.
//!
//! README.md shows the first two, CI runs them, and `cargo xtask tidy` holds them together.

/// Tests everything.
pub(crate) const TEST: &str = "cargo test --workspace --locked";

/// The example that the README asks its reader to run.
pub(crate) const DEMO: &str = "cargo run --release --locked -p kern-examples --bin digits";

/// Shows on real data what the library claims: all programs that test real data. Each finding is a line of their output.
pub(crate) const EVIDENCE: &str = "cargo test --locked -p kern -p kern-solvers --test facade --test dependence \
     --test descents --test processes --test solvers --test svm -- --nocapture";

/// Runs the benches; what follows `--` is theirs.
pub(crate) const BENCH: &str = "cargo run --release --locked -p kern-benches --bin bench";
