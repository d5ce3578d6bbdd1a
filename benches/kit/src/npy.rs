//! Numbers in `.npy` files, so that implementations in any language read the same bytes.

use anyhow::{Context, Result, anyhow};
use kern_core::{Samples, Scalar};
use npyz::{AutoSerialize, Deserialize, NpyFile, WriteOptions, WriterBuilder};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// A number type of the library that such a file can hold.
pub trait Number: Scalar + AutoSerialize + Deserialize {}

impl<T: Scalar + AutoSerialize + Deserialize> Number for T {}

/// Writes an array of this shape; its last index is that of neighbours in `values`.
///
/// # Errors
/// If the file cannot be written.
pub fn write<V: AutoSerialize>(
    path: &Path,
    shape: &[usize],
    values: impl IntoIterator<Item = V>,
) -> Result<()> {
    let write = || {
        let shape: Vec<u64> = shape.iter().map(|&length| length as u64).collect();
        let file = BufWriter::new(File::create(path)?);
        let options = WriteOptions::new().default_dtype().shape(&shape);
        let mut writer = options.writer(file).begin_nd()?;
        writer.extend(values)?;
        writer.finish()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// The number of rows and of columns of an array.
///
/// # Errors
/// If the file cannot be read, or its array has not two indices.
pub fn shape(path: &Path) -> Result<[usize; 2]> {
    let read = || {
        let file = NpyFile::new(BufReader::new(File::open(path)?))?;
        let shape = file.shape().iter().map(|&length| Ok(usize::try_from(length)?));
        let shape: Vec<usize> = shape.collect::<Result<_>>()?;
        shape.try_into().map_err(|shape| anyhow!("rows and columns expected, got {shape:?}"))
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Points of an array with a row for each.
///
/// # Errors
/// As [`read`] and [`shape`].
pub fn read_samples<T: Number>(path: &Path) -> Result<Samples<T>> {
    let [_, columns] = shape(path)?;
    Ok(Samples::from_row_major(columns, read(path)?)?)
}

/// The values of an array, in the order of the file.
///
/// # Errors
/// If the file cannot be read, or holds another type.
pub fn read<V: Deserialize>(path: &Path) -> Result<Vec<V>> {
    let read = || NpyFile::new(BufReader::new(File::open(path)?))?.into_vec();
    read().with_context(|| format!("cannot read {}", path.display()))
}
