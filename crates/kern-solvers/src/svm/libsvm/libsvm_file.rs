//! Reading and writing LIBSVM model files.

use super::libsvm_model::{Kind, LibsvmModel, ModelFileError, votes};
use crate::model::{KernelExpansion, PlattSigmoid};
use kern_core::kernels::{Declared, Linear, Polynomial, Rbf, Sigmoid};
use kern_core::libsvm::{self, FileError, Number, Shortest};
use kern_core::{Kernel, Points, Samples, Scalar, SparseSamples, Vectors};
use kern_gram::zeros;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};

/// Values of dense samples that are always accepted.
const FILLED: u64 = 1 << 18;

/// Values of dense samples per stored value, above which the dimension in a file is refused.
const ZEROS: u64 = 64;

/// The largest number of classes; real models have far fewer.
const CLASSES: usize = 1 << 16;

/// The kinds of models and their names.
const KINDS: [(Kind, &str); 5] = [
    (Kind::CSvc, "c_svc"),
    (Kind::NuSvc, "nu_svc"),
    (Kind::OneClass, "one_class"),
    (Kind::EpsilonSvr, "epsilon_svr"),
    (Kind::NuSvr, "nu_svr"),
];

/// Points that can be built from sparse samples: [`Samples`] and [`SparseSamples`] in double
/// precision.
pub trait FromSparse: Points<Scalar = f64> + Sized {
    /// Converts sparse samples.
    ///
    /// # Errors
    /// If the memory cannot be allocated.
    fn from_sparse(x: SparseSamples<f64>) -> Result<Self, kern_core::Error>;

    /// Fails if samples of a dimension that was read, not given, would take far more memory than
    /// the file. By default it succeeds.
    ///
    /// # Errors
    /// [`Error::TooMany`](kern_core::Error::TooMany) for dense samples with more than 2¹⁸ values
    /// plus 64 per stored value.
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

/// A kernel that the format supports: [`Linear`], [`Polynomial`], [`Rbf`], [`Sigmoid`]. Parameters
/// keep their declared names.
///
/// # Examples
/// ```
/// use kern_core::kernels::{Polynomial, Rbf};
/// use kern_solvers::svm::libsvm::FileKernel;
/// assert_eq!((Polynomial::NAME, Rbf::NAME), ("polynomial", "rbf"));
/// ```
pub trait FileKernel: Declared {
    /// The name in files; by default the name in formulas.
    const NAME: &'static str = Self::DECLARATION.name();
}

impl FileKernel for Linear {}
impl FileKernel for Polynomial {
    const NAME: &'static str = "polynomial";
}
impl FileKernel for Rbf {}
impl FileKernel for Sigmoid {}

impl<P: FromSparse, K: Kernel<P> + FileKernel> LibsvmModel<P, K> {
    /// Reads a model on points of dimension `dim`, by default the largest index among its support
    /// vectors. Prefer to pass it: queries must have the same dimension.
    ///
    /// # Errors
    /// [`ModelFileError`], with the line number for errors after the header.
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
        let (coefficients, vectors) = read_vectors(input, width, total, header.lines, dim)?;
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

impl<P: Vectors, K: Kernel<P> + FileKernel> LibsvmModel<P, K> {
    /// Writes the model.
    ///
    /// # Errors
    /// [`ModelFileError::Io`].
    pub fn write(&self, mut output: impl Write) -> Result<(), ModelFileError> {
        let Self { kind, parts, intercepts, labels, sigmoids } = self;
        let name = KINDS.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name);
        writeln!(output, "svm_type {name}\nkernel_type {}", K::NAME)?;
        for parameter in self.kernel().parameters() {
            let value = parameter.value.as_f64().map(Shortest);
            value.map_or(Ok(()), |value| writeln!(output, "{} {value}", parameter.name))?;
        }
        let total = self.support_vectors();
        writeln!(output, "nr_class {}\ntotal_sv {total}", labels.len().max(2))?;
        let rho = intercepts.iter().map(|&b| P::Scalar::ZERO - b);
        list(&mut output, "rho", rho)?;
        if votes(*kind) {
            list(&mut output, "label", labels)?;
            if !sigmoids.is_empty() {
                list(&mut output, "probA", sigmoids.iter().map(|s| s.a))?;
                list(&mut output, "probB", sigmoids.iter().map(|s| s.b))?;
            }
            list(&mut output, "nr_sv", parts.iter().map(|part| part.points().len()))?;
        }
        writeln!(output, "SV")?;
        parts.iter().try_for_each(|part| write_vectors(&mut output, part))?;
        Ok(output.flush()?)
    }
}

/// The lines of the header, by name.
#[derive(Debug)]
struct Header {
    fields: BTreeMap<String, String>,
    /// The number of lines, including `SV`.
    lines: usize,
}

impl Header {
    /// Reads up to the line `SV` or the end of the file.
    fn read(input: &mut impl BufRead) -> Result<Self, ModelFileError> {
        let (mut fields, mut lines, mut text) = (BTreeMap::new(), 0, String::new());
        while input.read_line(&mut text)? > 0 {
            lines += 1;
            let line = text.trim();
            if line == "SV" {
                break;
            }
            let (name, values) = line.split_once(' ').unwrap_or((line, ""));
            if name.is_empty() || fields.insert(name.to_owned(), values.to_owned()).is_some() {
                let expected = "a name that did not occur before, and values";
                return Err(ModelFileError::Line { line: lines, expected });
            }
            text.clear();
        }
        Ok(Self { fields, lines })
    }

    fn kind(&self) -> Result<Kind, ModelFileError> {
        let given = self.word("svm_type")?;
        let found = KINDS.iter().find(|(_, name)| *name == given);
        let expected = "one of c_svc, nu_svc, one_class, epsilon_svr, nu_svr";
        Ok(found.ok_or(ModelFileError::Header { name: "svm_type", expected })?.0)
    }

    /// True if the header has this line.
    fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// The text after a name.
    fn word(&self, name: &'static str) -> Result<&str, ModelFileError> {
        let expected = "a line in the header";
        let found = self.fields.get(name).ok_or(ModelFileError::Header { name, expected })?;
        Ok(found.trim())
    }

    /// The values after a name, which must be `count` finite numbers.
    fn numbers<N: Number>(
        &self,
        name: &'static str,
        count: usize,
    ) -> Result<Vec<N>, ModelFileError> {
        let words = self.word(name)?.split_ascii_whitespace();
        let numbers: Option<Vec<N>> = words.map(N::read).collect();
        let expected = "as many finite numbers as there are classes, pairs of them, or one";
        let fitting = numbers.filter(|numbers| numbers.len() == count);
        fitting.ok_or(ModelFileError::Header { name, expected })
    }
}

/// The kernel given by a header.
fn kernel<K: FileKernel>(header: &Header) -> Result<K, ModelFileError> {
    let given = header.word("kernel_type")?;
    if given != K::NAME {
        return Err(ModelFileError::Kernel { expected: K::NAME, given: given.to_owned() });
    }
    K::from_named(|name| Ok(Some(header.numbers::<f64>(name, 1)?[0].into())))
}

/// The sigmoids of all pairs; empty if the file has none.
fn sigmoids(header: &Header, pairs: usize) -> Result<Vec<PlattSigmoid>, ModelFileError> {
    if !(header.has("probA") || header.has("probB")) {
        return Ok(Vec::new());
    }
    let (a, b) = (header.numbers("probA", pairs)?, header.numbers("probB", pairs)?);
    Ok(a.into_iter().zip(b).map(|(a, b)| PlattSigmoid { a, b }).collect())
}

/// Rows of coefficients, and the support vectors.
type SupportVectors = (Vec<Vec<f64>>, SparseSamples<f64>);

/// Reads `total` support vectors, one per line; `before` lines precede them.
fn read_vectors(
    input: impl BufRead,
    width: usize,
    total: usize,
    before: usize,
    dim: Option<usize>,
) -> Result<SupportVectors, ModelFileError> {
    let (mut coefficients, mut rest) = (Vec::new(), String::new());
    for (i, text) in input.lines().enumerate() {
        let text = text?;
        let line = before + i + 1;
        let mut words = text.split_ascii_whitespace();
        let row: Option<Vec<f64>> = words.by_ref().take(width).map(Number::read).collect();
        let row = row.filter(|row| row.len() == width && i < total);
        let expected = "the coefficients of one of total_sv support vectors";
        coefficients.push(row.ok_or(ModelFileError::Line { line, expected })?);
        // Without its coefficients, the rest is a line of a data file.
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

fn list<N: std::fmt::Debug>(
    output: &mut impl Write,
    name: &str,
    numbers: impl IntoIterator<Item = N>,
) -> Result<(), ModelFileError> {
    write!(output, "{name}")?;
    for number in numbers {
        write!(output, " {}", Shortest(number))?;
    }
    Ok(writeln!(output)?)
}

/// Writes one line per support vector.
fn write_vectors<P: Vectors, K: Kernel<P>>(
    output: &mut impl Write,
    part: &KernelExpansion<P, K>,
) -> Result<(), ModelFileError> {
    for (i, row) in part.coefficients().row_iter().enumerate() {
        row.iter().try_for_each(|&coefficient| write!(output, "{} ", Shortest(coefficient)))?;
        for (k, value) in part.points().coordinates(i).filter(|&(_, value)| value != 0.0) {
            write!(output, "{}:{} ", k + 1, Shortest(P::Scalar::from_f64(value)))?;
        }
        writeln!(output)?;
    }
    Ok(())
}
