//! Files of data that are read, with their options, and files of predictions that are written.

use anyhow::{Context, Result, bail};
use clap::Args;
use kern_data::{Format, Kind, Schema, Source, Table};
use kern_gram::MemoryBudget;
use kern_table::{Answers, Probabilities};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Options of the data file.
#[derive(Clone, Debug, Args)]
pub(crate) struct Input {
    /// The file: CSV, TSV, JSON lines, LIBSVM, NPY, Parquet, Arrow or text, optionally compressed
    /// by gzip; - for standard input
    pub(crate) file: PathBuf,
    /// The format, if the file name does not determine it: csv, tsv, jsonl, libsvm, npy, txt,
    /// parquet, arrow
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// The first line has values; columns are named x1, x2, …
    #[arg(long)]
    no_header: bool,
    /// The character between values
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// Read a column as categories
    #[arg(long, value_name = "COLUMN")]
    category: Vec<String>,
    /// Read a column as text
    #[arg(long, value_name = "COLUMN")]
    text: Vec<String>,
    /// Read a column as numbers; other values count as missing
    #[arg(long, value_name = "COLUMN")]
    number: Vec<String>,
    /// Keep an unnamed first column of row numbers, such as the index written by pandas; by default
    /// it is ignored
    #[arg(long)]
    row_numbers: bool,
}

impl Input {
    /// The source, with the column kinds of a schema if there is one.
    pub(crate) fn source(&self, schema: Option<&Schema>) -> Result<Source<'static>> {
        let format = match &self.format {
            Some(name) => Some(Format::named(name).with_context(|| {
                format!("unknown format `{name}`, expected csv, tsv, jsonl, libsvm, npy, txt, parquet or arrow")
            })?),
            None => None,
        };
        let is_standard = self.file == Path::new("-");
        let mut source = match (format, is_standard) {
            (format, true) => Source::new(format.unwrap_or(Format::Csv), io::stdin()),
            (Some(format), false) => Source::open_as(format, &self.file)?,
            (None, false) => Source::open(&self.file)?,
        };
        // The buffer grows by doubling, and its content is moved into columns.
        source = source.limit(MemoryBudget::available().as_bytes() / 3);
        source = source.header(!self.no_header);
        if let Some(delimiter) = self.delimiter {
            let Ok(delimiter) = u8::try_from(delimiter) else {
                bail!("the delimiter must be an ASCII character, got `{delimiter}`");
            };
            source = source.delimiter(delimiter);
        }
        if let Some(schema) = schema {
            source = source.schema(schema);
        }
        for column in &self.category {
            source = source.kind(column, Kind::Category { levels: Vec::new() });
        }
        for column in &self.text {
            source = source.kind(column, Kind::Text);
        }
        for column in &self.number {
            source = source.number(column);
        }
        Ok(source.row_numbers(self.row_numbers).eager(is_standard))
    }

    /// Rejects options that do not apply to a folder of files, whose names determine the formats.
    pub(crate) fn check_plain(&self) -> Result<()> {
        let columns =
            [("category", &self.category), ("text", &self.text), ("number", &self.number)];
        let given = columns.iter().find(|(_, columns)| !columns.is_empty()).map(|(name, _)| *name);
        let given = given
            .or(self.format.as_ref().map(|_| "format"))
            .or(self.delimiter.map(|_| "delimiter"))
            .or(self.no_header.then_some("no-header"))
            .or(self.row_numbers.then_some("row-numbers"));
        match given {
            Some(name) => bail!("--{name} cannot be combined with --rounds"),
            None => Ok(()),
        }
    }

    /// Reads the table. Labels in the target column keep their spelling.
    pub(crate) fn read(&self, target: Option<&String>) -> Result<Table> {
        let mut source = self.source(None)?.eager(false);
        if let Some(target) = target {
            source = source.keep_spelling(target);
        }
        let table = source.read()?;
        let named = [&self.category, &self.text, &self.number].into_iter().flatten();
        named.map(|name| table.column(name)).try_for_each(|found| found.map(drop))?;
        Ok(table)
    }
}

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
