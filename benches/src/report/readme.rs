//! The part of docs/performance.md that the program writes: what is missed, the picture, and the
//! headline table.

use super::markdown;
use super::sections::{counts, missed, others, strips, summary};
use super::strip;
use crate::found::Report;
use crate::kind::Kind;
use crate::provenance::Provenance;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// The line before the part.
pub const BEGIN: &str = "<!-- bench:begin -->";

/// The line after it.
pub const END: &str = "<!-- bench:end -->";

/// The page, from the root of the repository.
pub const PAGE: &str = "docs/performance.md";

/// The picture, from the root of the repository.
pub const PICTURE: &str = "benches/record/headline.svg";

/// Writes the part into the page in a folder, and the picture next to the records. What recorded runs on other
/// kinds of processor missed is below it.
///
/// # Errors
/// If the report has no comparison with a peer or does not say how it was made, if the page has no place
/// for it, or if a file cannot be written.
pub fn write(report: &Report, records: &[Report], workspace: &Path) -> Result<()> {
    let path = workspace.join(PAGE);
    let text = fs::read_to_string(&path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let text = replaced(&text, &part(report, records)?)?;
    let picture = workspace.join(PICTURE);
    let folder = picture.parent().context("a picture is in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(&picture, strip::standalone(&strips(report)))
        .with_context(|| format!("cannot write {}", picture.display()))?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The part between the marks. What is missed comes first.
fn part(report: &Report, records: &[Report]) -> Result<String> {
    ensure!(!strips(report).is_empty(), "the report has no comparison with a peer: use --peers");
    let run = origin(report)?;
    let first = format!(
        "{} Each ratio is kern's median time over that of the fastest peer whose answer is as good, both \
         from one run in which they took turns. All of it is made again by `{} --readme`, a line of it by \
         its command.",
        facts(report, run),
        run.command,
    );
    let picture = format!("![Time as a share of the best peer's, by task](../{PICTURE})");
    let mut parts = vec![first];
    parts.extend(verdicts(report));
    parts.extend([picture, markdown::table(&summary(report))]);
    for other in others(report, records) {
        parts.push(format!("And on another kind of processor: {}", facts(other, origin(other)?)));
        parts.extend(verdicts(other));
    }
    Ok(parts.join("\n\n"))
}

/// The counts, and what is missed.
fn verdicts(report: &Report) -> impl Iterator<Item = String> {
    counts(report).into_iter().chain(missed(report).map(|table| markdown::table(&table)))
}

fn origin(report: &Report) -> Result<&Provenance> {
    report.provenance.as_ref().context("the report does not say how it was made")
}

/// Date, machine, version and size of the run.
fn facts(report: &Report, run: &Provenance) -> String {
    let threads = report.comparisons.iter().map(|comparison| comparison.threads).max();
    let machine = &report.machine;
    format!(
        "Measured {} on {} ({}, {} cores, {}), kern {} at commit {}, {} threads; sizes: {}.",
        run.date,
        Kind::of(machine).name,
        machine.cpu,
        machine.cores,
        machine.features.join(", "),
        machine.kern,
        run.commit,
        threads.unwrap_or(0),
        run.size,
    )
}

/// The text with another part between the marks.
fn replaced(text: &str, part: &str) -> Result<String> {
    let place = || format!("{PAGE} has no place: `{BEGIN}` and then `{END}`");
    let (before, rest) = text.split_once(BEGIN).with_context(place)?;
    let (_, after) = rest.split_once(END).with_context(place)?;
    Ok(format!("{before}{BEGIN}\n\n{part}\n\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_is_replaced() -> Result<()> {
        let text = format!("# A\n\n{BEGIN}\nold\n{END}\n\nB\n");
        let expected = format!("# A\n\n{BEGIN}\n\nnew\n\n{END}\n\nB\n");
        assert_eq!(replaced(&text, "new")?, expected);
        assert_eq!(replaced(&expected, "new")?, expected);
        Ok(())
    }

    #[test]
    fn without_both_marks_nothing_is_written() {
        for text in [String::new(), format!("{BEGIN}\n"), format!("{END}\n{BEGIN}\n")] {
            assert!(replaced(&text, "new").is_err(), "{text}");
        }
    }
}
