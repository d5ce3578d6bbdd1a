//! One case while it is measured: its inputs as files, its parameters, its pace.

use crate::case::{Dtype, Size};
use crate::data;
use crate::job::Job;
use crate::measure::{self, Measured, Pace};
use crate::npy::{self, Number};
use crate::row::Params;
use anyhow::{Context, Result};
use kern_core::faer::Mat;
use kern_core::{Points, Samples};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The file beside the inputs that names the case and its parameters.
const CASE: &str = "case.json";

/// The surroundings of a task at work. Inputs are written to files and read back; every implementation of the
/// case reads these.
pub struct Session<'a> {
    job: &'a Job,
    folder: PathBuf,
    params: Params,
    bytes: usize,
    pace: &'a mut dyn Pace,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl<'a> Session<'a> {
    /// A session with the inputs in a folder, which is made.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(job: &'a Job, folder: &Path, pace: &'a mut dyn Pace) -> Result<Self> {
        let made = fs::create_dir_all(folder);
        made.with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { job, folder: folder.to_owned(), params: Params::new(), bytes: 0, pace })
    }

    /// The number type.
    #[must_use]
    pub fn dtype(&self) -> Dtype {
        self.job.dtype
    }

    /// The size of the input.
    #[must_use]
    pub fn size(&self) -> Size {
        self.job.size
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.job.threads
    }

    /// The folder of the inputs.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The value that goes with the variant.
    ///
    /// # Errors
    /// If there is no such variant.
    pub fn choose<V: Copy>(&self, among: &[(&str, V)]) -> Result<V> {
        let variant = &self.job.variant;
        let found = among.iter().find(|(name, _)| name == variant);
        found.map(|&(_, value)| value).with_context(|| format!("there is no variant `{variant}`"))
    }

    /// Names a parameter of the task.
    pub fn param(&mut self, name: &str, value: impl Into<Value>) {
        self.params.insert(name.to_owned(), value.into());
    }

    /// Counts the memory of numbers that the work is given to write to.
    pub fn count<T>(&mut self, numbers: usize) {
        self.bytes += size_of::<T>() * numbers;
    }

    /// The memory of what was counted, and of the points and matrices among the inputs.
    #[must_use]
    pub fn counted_mib(&self) -> f64 {
        self.bytes as f64 / f64::from(1 << 20)
    }

    /// All parameters.
    #[must_use]
    pub fn into_params(self) -> Params {
        self.params
    }

    /// Points as an input: an array with a row for each.
    ///
    /// # Errors
    /// If the file cannot be written or read.
    pub fn samples<T: Number>(&mut self, name: &str, x: Samples<T>) -> Result<Samples<T>> {
        let (shape, values) = ([x.len(), x.dim()], x.as_slice().iter().copied());
        npy::write(&self.file(name), &shape, values)?;
        drop(x);
        self.count::<T>(shape[0] * shape[1]);
        Ok(Samples::from_row_major(shape[1], npy::read(&self.file(name))?)?)
    }

    /// A matrix as an input.
    ///
    /// # Errors
    /// If the file cannot be written or read.
    pub fn matrix<T: Number>(&mut self, name: &str, a: &Mat<T>) -> Result<Mat<T>> {
        let (rows, columns) = a.shape();
        let values = (0..rows).flat_map(|i| (0..columns).map(move |j| a[(i, j)]));
        npy::write(&self.file(name), &[rows, columns], values)?;
        let values: Vec<T> = npy::read(&self.file(name))?;
        self.count::<T>(rows * columns);
        Ok(Mat::from_fn(rows, columns, |i, j| values[i * columns + j]))
    }

    /// A vector as an input.
    ///
    /// # Errors
    /// If the file cannot be written or read.
    pub fn vector<V>(&self, name: &str, values: &[V]) -> Result<Vec<V>>
    where
        V: npyz::AutoSerialize + npyz::Deserialize + Copy,
    {
        npy::write(&self.file(name), &[values.len()], values.iter().copied())?;
        npy::read(&self.file(name))
    }

    /// At most `count` indices below `n` on which all implementations are judged.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn check(&self, n: usize, count: usize) -> Result<Vec<usize>> {
        let indices = data::some_indices(n, count);
        let numbers = indices.iter().map(|&index| index as i64);
        npy::write(&self.file("check"), &[indices.len()], numbers)?;
        Ok(indices)
    }

    /// Measures `body`. All inputs and parameters are there by now; other implementations may read
    /// them as soon as this one is ready.
    ///
    /// # Errors
    /// As [`measure::measure`], or if the parameters cannot be written.
    pub fn measure<T>(&mut self, body: impl FnMut() -> Result<T>) -> Result<Measured<T>> {
        self.measure_by(|_, run| run, body)
    }

    /// The same for a body of which a part counts: [`measure::measure_by`].
    ///
    /// # Errors
    /// As [`Session::measure`].
    pub fn measure_by<T>(
        &mut self,
        seconds: impl Fn(&T, f64) -> f64,
        body: impl FnMut() -> Result<T>,
    ) -> Result<Measured<T>> {
        let Job { task, variant, dtype, threads, .. } = self.job;
        let case = json!({
            "task": task, "variant": variant, "dtype": dtype.to_string(), "threads": threads,
            "params": self.params,
        });
        fs::write(self.folder.join(CASE), serde_json::to_string_pretty(&case)?)?;
        measure::measure_by(self.pace, seconds, body)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension("npy")
    }
}
