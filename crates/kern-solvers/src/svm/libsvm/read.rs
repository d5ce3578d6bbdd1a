//! Reading.

use super::header::Header;
use super::kernel::kernel;
use super::{FileKernel, LibsvmModel, ModelFileError, votes};
use crate::model::{KernelExpansion, PlattSigmoid};
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

    /// Refuses samples of a dimension that was read, and not given, if they would take far more memory than the file. By default
    /// all is well.
    ///
    /// # Errors
    /// [`Error::TooMany`](kern_core::Error::TooMany) for dense samples with more than 64 numbers for each that is stored, beyond
    /// 2¹⁸.
    fn check_width(x: &SparseSamples<f64>) -> Result<(), kern_core::Error> {
        let _ = x;
        Ok(())
    }
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

    fn check_width(x: &SparseSamples<f64>) -> Result<(), kern_core::Error> {
        let given = (x.len() as u64).saturating_mul(x.dim() as u64);
        let limit = FILLED.saturating_add((x.stored() as u64).saturating_mul(ZEROS));
        if given <= limit {
            return Ok(());
        }
        let what = "numbers of dense support vectors, nearly all 0 (read sparse ones, or give the dimension)";
        Err(kern_core::Error::TooMany { what, given, limit })
    }
}

/// Numbers of dense samples that are nothing to worry about.
const FILLED: u64 = 1 << 18;

/// Numbers of dense samples for each that is not 0, beyond which the dimension of a file is not believed.
const ZEROS: u64 = 64;

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
        let of_header = kernel::<K>(&header)?;
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
        if dim.is_none() {
            P::check_width(&vectors)?;
        }
        let points = P::from_sparse(vectors)?;
        of_header.check(&points)?;
        let mut start = 0;
        let part = |&count: &usize| {
            let (of_class, rows) = (start..start + count, &coefficients[start..start + count]);
            start += count;
            let mut beta = zeros(count, width)?;
            for (i, row) in rows.iter().enumerate() {
                row.iter().enumerate().for_each(|(k, &coefficient)| beta[(i, k)] = coefficient);
            }
            let points = points.select(&Vec::from_iter(of_class))?;
            Ok(KernelExpansion::new(kernel(&header)?, &points, beta.as_ref())?)
        };
        let parts = counts.iter().map(part).collect::<Result<_, ModelFileError>>()?;
        let intercepts = rho.iter().map(|rho| 0.0 - rho).collect();
        Ok(Self { kind, parts, intercepts, labels, sigmoids })
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
