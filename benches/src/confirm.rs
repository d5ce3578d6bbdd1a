//! Second measurements of cases that seem slower than in a recorded run, before they are called slower.
//!
//! What memory a process is given stays with it, and with all its repeats: of two runs of one program side by
//! side, some cases differ by a third, and each run has narrow intervals. A slowdown of the program is in every
//! process, so the fastest of some decides.

use crate::found::Report;
use crate::row::Row;
use crate::runner::Plan;
use crate::slowdown::{Case, Changes};
use anyhow::Result;

/// The number of further processes that a case may have.
const AGAIN: usize = 2;

/// The changes from a recorded run to one of now, of which `plan` measures cases again.
///
/// # Errors
/// As [`Changes::between`] and [`Plan::rows`].
pub fn changes(then: &Report, mut now: Report, mut plan: Plan) -> Result<Changes> {
    // The file is of the first run.
    plan.json = None;
    let mut changes = Changes::between(then, &now)?;
    for _ in 0..AGAIN {
        plan.jobs.retain(|job| changes.slower_cases().any(|case| case.is_of(job)));
        if plan.jobs.is_empty() {
            break;
        }
        eprintln!("seems slower, measured again: {}", plan.jobs.len());
        take_faster(&mut now.rows, plan.rows()?);
        changes = Changes::between(then, &now)?;
    }
    Ok(changes)
}

/// Puts rows of the library in the place of slower ones of the same case.
fn take_faster(rows: &mut [Row], again: Vec<Row>) {
    for new in again.into_iter().filter(Row::is_kern) {
        let same = |row: &&mut Row| row.is_kern() && Case::of(row) == Case::of(&new);
        if let Some(row) = rows.iter_mut().find(same)
            && new.seconds.median < row.seconds.median
        {
            *row = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slowdown::tests::row;

    #[test]
    fn the_fastest_process_of_the_library_counts() -> Result<()> {
        let mut rows = vec![
            row("kern", "a", 3.0, 0)?,
            row("peer", "a", 3.0, 1)?,
            row("kern", "b", 3.0, 2)?,
            row("kern", "c", 3.0, 3)?,
        ];
        let again =
            vec![row("kern", "a", 2.0, 4)?, row("peer", "a", 2.0, 5)?, row("kern", "b", 4.0, 6)?];
        let mut expected = rows.clone();
        expected[0] = again[0].clone();
        take_faster(&mut rows, again);
        assert_eq!(rows, expected);
        Ok(())
    }
}
