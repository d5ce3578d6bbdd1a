//! The first random cases of each body, some seconds of them: docs/fuzzing.md says what they check.
//!
//! Among the tests, since these have everything compiled already, with the arithmetic checked for overflow.

use std::process::Command;

#[test]
fn the_first_cases_find_nothing() {
    let mut campaign = Command::new(env!("CARGO_BIN_EXE_campaign"));
    let status = campaign.args(["--cases", "3000"]).status();
    assert!(status.is_ok_and(|status| status.success()));
}
