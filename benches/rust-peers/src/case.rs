//! A case as the runner describes it: names, parameters, and inputs in files.

use anyhow::{Context, Result};
use kern_bench_kit::measure::{self, Measured, Pace};
use kern_bench_kit::npy::{self, Number};
use kern_bench_kit::row::{Figures, Params, Row, Seconds};
use kern_core::Samples;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The contents of `case.json`.
#[derive(Debug, Deserialize)]
pub struct Description {
    /// The task.
    pub task: String,
    /// The variant.
    pub variant: String,
    /// The number type.
    pub dtype: String,
    /// The number of threads.
    pub threads: usize,
    /// All else that defines the task.
    pub params: Params,
}

impl Description {
    /// Reads the description of the case whose inputs are in a folder.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("case.json");
        let text = fs::read_to_string(&path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }
}

/// One variant of a task in a number type, while it is measured.
pub struct Case<'a> {
    folder: &'a Path,
    description: &'a Description,
    pace: &'a mut dyn Pace,
}

/// The result of a peer: times, with the figures that say how good its answer was.
#[derive(Debug)]
pub struct Judged {
    seconds: Seconds,
    peak_rss_mib: Option<f64>,
    note: String,
    quality: Figures,
}

impl<'a> Case<'a> {
    /// The case whose inputs are in a folder.
    pub fn new(folder: &'a Path, description: &'a Description, pace: &'a mut dyn Pace) -> Self {
        Self { folder, description, pace }
    }

    /// Tells whether its numbers are in single precision.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.description.dtype == "f32"
    }

    /// A parameter.
    ///
    /// # Errors
    /// If there is no such number.
    pub fn number(&self, name: &str) -> Result<f64> {
        let value = self.description.params.get(name).and_then(serde_json::Value::as_f64);
        value.with_context(|| format!("there is no parameter `{name}`"))
    }

    /// A parameter that counts something.
    ///
    /// # Errors
    /// If there is no such number.
    pub fn count(&self, name: &str) -> Result<usize> {
        let value = self.description.params.get(name).and_then(serde_json::Value::as_u64);
        Ok(usize::try_from(value.with_context(|| format!("there is no parameter `{name}`"))?)?)
    }

    /// Points among the inputs.
    ///
    /// # Errors
    /// If there are none of this name and type.
    pub fn samples<T: Number>(&self, name: &str) -> Result<Samples<T>> {
        npy::read_samples(&self.file(name))
    }

    /// Numbers among the inputs.
    ///
    /// # Errors
    /// If there are none of this name and type.
    pub fn vector<V: npyz::Deserialize>(&self, name: &str) -> Result<Vec<V>> {
        npy::read(&self.file(name))
    }

    /// The indices on which all implementations are judged.
    ///
    /// # Errors
    /// If there are none.
    pub fn check(&self) -> Result<Vec<usize>> {
        let indices: Vec<i64> = self.vector("check")?;
        Ok(indices.into_iter().map(usize::try_from).collect::<Result<_, _>>()?)
    }

    /// Measures `body`; the result is returned for the figures of quality.
    ///
    /// # Errors
    /// As [`measure::measure`].
    pub fn measure<T>(&mut self, body: impl FnMut() -> Result<T>) -> Result<(Judged, T)> {
        let measured = measure::measure(self.pace, body)?;
        let note = measured.note();
        let Measured { last, seconds, peak_rss_mib, .. } = measured;
        Ok((Judged { seconds, peak_rss_mib, note, quality: Figures::new() }, last))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension("npy")
    }
}

impl Judged {
    /// With one more figure of quality.
    #[must_use]
    pub fn figure(mut self, name: &str, value: f64) -> Self {
        self.quality.insert(name.to_owned(), value);
        self
    }

    /// The row of a report.
    ///
    /// # Errors
    /// If there are no points, or a figure is not finite.
    pub fn into_row(self, implementation: String, case: Description, folder: &Path) -> Result<Row> {
        let Self { seconds, peak_rss_mib, note, quality } = self;
        let Description { task, variant, dtype, threads, params } = case;
        let [n, d] = npy::shape(&folder.join("x.npy"))?;
        let (limit, work) = (None, None);
        let row = Row {
            task,
            implementation,
            variant,
            dtype,
            n,
            d,
            threads,
            params,
            seconds,
            quality,
            peak_rss_mib,
            limit,
            work,
            note,
        };
        row.check()?;
        Ok(row)
    }
}
