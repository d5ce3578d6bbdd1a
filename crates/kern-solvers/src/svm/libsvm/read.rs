//! Reading.

use super::header::Header;
use super::kernel::kernel;
use super::{FileKernel, LibsvmModel, ModelFileError, pair, votes};
use crate::model::{KernelExpansion, PlattSigmoid};
use faer::Mat;
use kern_core::libsvm::{self, FileError, Number};
use kern_core::{Kernel, Points, Samples, SparseSamples};
use kern_gram::zeros;
use std::io::BufRead;

/// Points that are made from sparse samples: [`Samples`] and [`SparseSamples`] in double precision.
pub trait FromSparse: Points<Scalar = f64> + Sized {
    /// The same samples.
    ///
    /// # Errors
    /// If there is no memory for them.
    fn from_sparse(x: SparseSamples<f64>) -> Result<Self, kern_core::Error>;
}

impl FromSparse for SparseSamples<f64> {
    fn from_sparse(x: SparseSamples<f64>) -> Result<Self, kern_core::Error> {
        Ok(x)
    }
}

impl FromSparse for Samples<f64> {
    fn from_sparse(x: SparseSamples<f64>) -> Result<Self, kern_core::Error> {
        x.to_dense()
    }
}

/// The greatest number of classes: far more than there are models of.
const CLASSES: usize = 1 << 16;

impl<P: FromSparse, K: Kernel<P> + FileKernel> LibsvmModel<P, K> {
    /// Reads a model on points of dimension `dim`, by default the greatest index among its support vectors.
    /// Queries have to be of the same dimension, so it is better given.
    ///
    /// # Errors
    /// [`ModelFileError`], with the number of the line for those after the header.
    pub fn read(mut input: impl BufRead, dim: Option<usize>) -> Result<Self, ModelFileError> {
        let header = Header::read(&mut input)?;
        let kind = header.kind()?;
        let kernel = kernel::<K>(&header)?;
        let total = header.numbers::<usize>("total_sv", 1)?[0];
        let classes = header.numbers::<usize>("nr_class", 1)?[0];
        if !(2..=CLASSES).contains(&classes) {
            let expected = "a number from 2 to 65536";
            return Err(ModelFileError::Header { name: "nr_class", expected });
        }
        let functions = if votes(kind) { classes * (classes - 1) / 2 } else { 1 };
        let rho = header.numbers::<f64>("rho", functions)?;
        let (labels, counts) = if votes(kind) {
            (header.numbers("label", classes)?, header.numbers("nr_sv", classes)?)
        } else {
            (Vec::new(), vec![total])
        };
        let sigmoids = if votes(kind) { sigmoids(&header, functions)? } else { Vec::new() };
        let sum = counts.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
        if sum != Some(total) {
            return Err(ModelFileError::Header { name: "nr_sv", expected: "the sum total_sv" });
        }
        let width = if votes(kind) { classes - 1 } else { 1 };
        let (coefficients, vectors) = vectors(input, width, (total, header.lines), dim)?;
        let (expanded, counts) = expand(&coefficients, &counts, functions)?;
        let points = P::from_sparse(vectors)?;
        kernel.check(&points)?;
        let decision = KernelExpansion::new(kernel, &points, expanded.as_ref())?;
        let decision = decision.with_intercepts(rho.iter().map(|rho| 0.0 - rho).collect());
        Ok(Self { kind, decision, labels, counts, sigmoids })
    }
}

/// The sigmoids of all pairs, if the file has them.
fn sigmoids(header: &Header, pairs: usize) -> Result<Vec<PlattSigmoid>, ModelFileError> {
    if !(header.has("probA") || header.has("probB")) {
        return Ok(Vec::new());
    }
    let (a, b) = (header.numbers("probA", pairs)?, header.numbers("probB", pairs)?);
    Ok(a.into_iter().zip(b).map(|(a, b)| PlattSigmoid { a, b }).collect())
}

/// Rows of coefficients, and the vectors after them.
type Vectors = (Vec<Vec<f64>>, SparseSamples<f64>);

/// The support vectors, `total` lines after the first `before`.
fn vectors(
    input: impl BufRead,
    width: usize,
    (total, before): (usize, usize),
    dim: Option<usize>,
) -> Result<Vectors, ModelFileError> {
    let (mut coefficients, mut rest) = (Vec::new(), String::new());
    for (i, text) in input.lines().enumerate() {
        let text = text?;
        let line = before + i + 1;
        let mut words = text.split_ascii_whitespace();
        let row: Option<Vec<f64>> = words.by_ref().take(width).map(Number::read).collect();
        let row = row.filter(|row| row.len() == width && i < total);
        let expected = "the coefficients of one of total_sv support vectors";
        coefficients.push(row.ok_or(ModelFileError::Line { line, expected })?);
        // Without coefficients, it is a line of a data file.
        rest.push('0');
        words.for_each(|word| rest.extend([" ", word]));
        rest.push('\n');
    }
    if coefficients.len() != total {
        let line = before + coefficients.len() + 1;
        return Err(ModelFileError::Line { line, expected: "another of total_sv support vectors" });
    }
    let read = libsvm::read::<f64, u8>(rest.as_bytes(), dim);
    let (x, _) = read.map_err(|error| match error {
        FileError::Line { line, fault } => FileError::Line { line: line + before, fault },
        other => other,
    })?;
    Ok((coefficients, x))
}

/// A column for each function, and how many vectors of each class have a coefficient at all.
fn expand(
    rows: &[Vec<f64>],
    counts: &[usize],
    functions: usize,
) -> Result<(Mat<f64>, Vec<usize>), ModelFileError> {
    let mut expanded = zeros(rows.len(), functions).map_err(crate::Error::from)?;
    let classes = counts.len();
    let (mut row, mut used) = (0, vec![0; classes]);
    for (class, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            for (k, &coefficient) in rows[row].iter().enumerate() {
                let column = match classes {
                    1 => 0,
                    _ if k < class => pair(classes, k, class),
                    _ => pair(classes, class, k + 1),
                };
                expanded[(row, column)] = coefficient;
            }
            used[class] += usize::from(rows[row].iter().any(|&c| c != 0.0));
            row += 1;
        }
    }
    Ok((expanded, used))
}
