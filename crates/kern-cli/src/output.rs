//! Output of predictions.

use anyhow::{Context, Result, bail};
use kern_table::{Answers, Probabilities};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Opens a file, or standard output.
pub(crate) fn writer(path: Option<&PathBuf>) -> Result<Box<dyn Write>> {
    match path.filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let file = File::create(path).with_context(|| path.display().to_string())?;
            Ok(Box::new(BufWriter::new(file)))
        }
        None => Ok(Box::new(BufWriter::new(io::stdout().lock()))),
    }
}

/// Rejects a path that cannot be written, before training starts.
pub(crate) fn check(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("{} is a folder: name a file in it", path.display());
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("there is no folder {} to write {} to", folder.display(), path.display())
        }
        _ => Ok(()),
    }
}

/// Writes predictions as CSV, with probabilities if there are any.
pub(crate) fn csv(
    output: &mut dyn Write,
    answers: &Answers,
    probabilities: Option<&Probabilities>,
    with_header: bool,
) -> Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    let classes = probabilities.map_or(&[][..], |p| &p.classes);
    if with_header {
        let classes = classes.iter().map(|class| format!("p({class})"));
        writer.write_record(std::iter::once(name(answers).to_string()).chain(classes))?;
    }
    for i in 0..answers.len() {
        let shares = probabilities.into_iter().flat_map(|p| &p.rows[i]).map(f64::to_string);
        writer.write_record(answers.text(i).into_iter().chain(shares))?;
    }
    Ok(writer.flush()?)
}

fn name(answers: &Answers) -> &'static str {
    match answers {
        Answers::Classes(_) => "class",
        Answers::Known(_) => "known",
        Answers::Clusters(_) => "cluster",
        _ => "value",
    }
}

/// Writes a JSON value and a line break.
pub(crate) fn json(output: &mut dyn Write, value: &serde_json::Value) -> Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    writeln!(output)?;
    Ok(output.flush()?)
}
