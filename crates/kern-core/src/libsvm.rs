//! The LIBSVM and SVMlight data format: labelled sparse samples as text.
//!
//! # Definition
//! One sample per line: `label index:value index:value …`. Indices start at 1 and ascend, missing
//! entries are 0, and the label is a number. A `#` starts a comment that extends to the end of the
//! line; empty lines and lines with only a comment are skipped.
//!
//! [`write()`] prints each value with the fewest digits from which [`read`] recovers it, so a round
//! trip is lossless, except for two things that the format cannot represent: the dimension, which
//! is passed to `read` or set to the largest index, and the sign of a zero.
//!
//! # References
//! Chang and Lin (2011), *LIBSVM: A library for support vector machines*, and the README of that
//! library; Joachims, the page of SVMlight, for comments.
//!
//! # Examples
//! ```
//! use kern_core::{Points, libsvm};
//! let file = "+1 1:0.5 3:2 # a comment\n-1 2:-1e-3\n";
//! let (x, labels) = libsvm::read::<f64, i8>(file.as_bytes(), None)?;
//! assert_eq!((x.len(), x.dim(), x.stored()), (2, 3, 3));
//! assert_eq!(labels, [1, -1]);
//! let mut text = Vec::new();
//! libsvm::write(&mut text, &x, &labels)?;
//! assert_eq!(text, b"1 1:0.5 3:2\n-1 2:-0.001\n");
//! # Ok::<(), libsvm::FileError>(())
//! ```

use crate::{Entry, Error, Scalar, SparseSamples, Vectors};
use std::fmt;
use std::io::{self, BufRead, Write};

/// The largest index: features are numbered from 0 in 32 bits.
const LARGEST: u64 = 1 << 32;

/// 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// An error when reading or writing a file.
///
/// # Examples
/// ```
/// use kern_core::libsvm::{self, Fault, FileError};
/// let error = libsvm::read::<f64, i8>("1 1:2\n1 3:1 2:1\n".as_bytes(), None).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: indices must ascend, got 2 after 3");
/// assert!(matches!(error, FileError::Line { line: 2, fault: Fault::Order { .. } }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Reading or writing failed.
    #[error("reading or writing failed: {0}")]
    Io(#[from] io::Error),
    /// A line is malformed.
    #[error("line {line}: {fault}")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// What is wrong with the line.
        fault: Fault,
    },
    /// The parts to be written do not match, or those read do not form a collection.
    #[error(transparent)]
    Core(#[from] Error),
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The line is not UTF-8 text.
    #[error("it must be UTF-8 text")]
    Encoding,
    /// The label is not a number, or not a number of the requested type.
    #[error("the label must be a finite number of type {wanted}, got `{given}`")]
    Label {
        /// The text found.
        given: String,
        /// The requested type.
        wanted: &'static str,
    },
    /// A field after the label has no colon.
    #[error("expected index:value, got `{given}`")]
    NoColon {
        /// The field.
        given: String,
    },
    /// An index is not an integer from 1 to 2³².
    #[error("an index must be an integer from 1 to 4294967296, got `{given}`")]
    Index {
        /// The text before the colon.
        given: String,
    },
    /// An index does not exceed the previous one.
    #[error("indices must ascend, got {given} after {before}")]
    Order {
        /// The previous index.
        before: u64,
        /// The index.
        given: u64,
    },
    /// An index exceeds the given dimension.
    #[error("an index must be at most the dimension {dim}, got {given}")]
    Width {
        /// The dimension.
        dim: usize,
        /// The index.
        given: u64,
    },
    /// A value is not finite, or not a number.
    #[error("the value of index {index} must be a finite number, got `{given}`")]
    Value {
        /// Its index.
        index: u64,
        /// The text found.
        given: String,
    },
}

/// Reads labelled samples of dimension `dim`, by default the largest index found (1 if there is
/// none). Zero entries are not stored; [`SparseSamples::to_dense`] restores them.
///
/// Labels are floating-point numbers or integers; integers may also be written as 1.0.
///
/// # Complexity
/// One pass; memory for the entries and the longest line.
///
/// # Errors
/// [`FileError::Line`] with the number of the first malformed line, [`FileError::Io`];
/// [`FileError::Core`] if `dim` is 0 or exceeds 2³².
///
/// # Examples
/// ```
/// use kern_core::libsvm;
/// let (x, y) = libsvm::read::<f32, f64>("0.25 2:1\n".as_bytes(), Some(4))?;
/// assert_eq!(x.to_dense()?.as_slice(), [0.0, 1.0, 0.0, 0.0]);
/// assert_eq!(y, [0.25]);
/// # Ok::<(), libsvm::FileError>(())
/// ```
pub fn read<T, Y>(
    mut input: impl BufRead,
    dim: Option<usize>,
) -> Result<(SparseSamples<T>, Vec<Y>), FileError>
where
    T: Scalar + Number,
    Y: Number,
{
    // Rejects an invalid dimension before anything is read.
    SparseSamples::<T>::from_rows::<&[_]>(dim.unwrap_or(1), [])?;
    let (mut rows, mut labels, mut width) = (Vec::new(), Vec::new(), 1);
    let (mut bytes, mut line) = (Vec::new(), 0);
    while input.read_until(b'\n', &mut bytes)? > 0 {
        line += 1;
        let sample = sample(&bytes, dim).map_err(|fault| FileError::Line { line, fault })?;
        if let Some((label, row)) = sample {
            width =
                row.last().map_or(width, |last: &Entry<T>| width.max(last.feature as usize + 1));
            rows.push(row);
            labels.push(label);
        }
        bytes.clear();
    }
    let kept = |row: Vec<Entry<T>>| row.into_iter().filter(|e| e.value != T::ZERO).collect();
    let x = SparseSamples::from_sorted(dim.unwrap_or(width), rows.into_iter().map(kept));
    Ok((x, labels))
}

/// A label and its entries, including explicit zeros, or None for a line without a sample.
type Sample<T, Y> = Option<(Y, Vec<Entry<T>>)>;

fn sample<T, Y>(line: &[u8], dim: Option<usize>) -> Result<Sample<T, Y>, Fault>
where
    T: Scalar + Number,
    Y: Number,
{
    let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
    let text = std::str::from_utf8(&line[..end]).map_err(|_| Fault::Encoding)?;
    let mut words = text.split_ascii_whitespace();
    let Some(word) = words.next() else { return Ok(None) };
    let wrong = || Fault::Label { given: word.to_owned(), wanted: Y::NAME };
    let label = Y::read(word).ok_or_else(wrong)?;
    let mut row = Vec::new();
    let mut before = 0;
    for word in words {
        let (index, value) = entry(word)?;
        if index <= before {
            return Err(Fault::Order { before, given: index });
        }
        if let Some(dim) = dim.filter(|&dim| index > dim as u64) {
            return Err(Fault::Width { dim, given: index });
        }
        row.push(Entry { feature: (index - 1) as u32, value });
        before = index;
    }
    Ok(Some((label, row)))
}

/// The two sides of `index:value`.
fn entry<T: Number>(word: &str) -> Result<(u64, T), Fault> {
    let split = word.split_once(':');
    let (index, value) = split.ok_or_else(|| Fault::NoColon { given: word.to_owned() })?;
    let number = index.parse().ok().filter(|number| (1..=LARGEST).contains(number));
    let number = number.ok_or_else(|| Fault::Index { given: index.to_owned() })?;
    let wrong = || Fault::Value { index: number, given: value.to_owned() };
    Ok((number, T::read(value).ok_or_else(wrong)?))
}

/// Writes the non-zero entries of labelled samples, dense or sparse.
///
/// # Errors
/// [`FileError::Core`] if the number of labels is not the number of samples, or a label is not
/// finite; [`FileError::Io`]. Nothing is written if the labels are invalid.
///
/// # Examples
/// ```
/// use kern_core::{Samples, libsvm};
/// let x = Samples::from_rows(&[[0.0_f32, 0.1], [3.0, 0.0]])?;
/// let mut text = Vec::new();
/// libsvm::write(&mut text, &x, &[0.5, -2.0])?;
/// assert_eq!(text, b"0.5 2:0.1\n-2 1:3\n");
/// # Ok::<(), libsvm::FileError>(())
/// ```
pub fn write<P, Y>(mut output: impl Write, points: &P, labels: &[Y]) -> Result<(), FileError>
where
    P: Vectors,
    Y: Number,
{
    let n = points.len();
    Error::check_dimension("labels, one per sample", n, labels.len())?;
    if !labels.iter().all(|label| label.is_finite_number()) {
        let allowed = "a finite number";
        return Err(Error::Parameter { name: "every label", given: f64::NAN, allowed }.into());
    }
    for (i, label) in labels.iter().enumerate() {
        write!(output, "{}", label.print())?;
        for (k, value) in points.coordinates(i).filter(|&(_, value)| value != 0.0) {
            // Back in the type of the points, which needs fewer digits.
            write!(output, " {}:{}", k + 1, Shortest(P::Scalar::from_f64(value)))?;
        }
        output.write_all(b"\n")?;
    }
    Ok(output.flush()?)
}

/// A label or target in a file: a floating-point number or an integer.
///
/// # Examples
/// ```
/// use kern_core::libsvm::Number;
/// assert_eq!(f64::read("-1.5e3"), Some(-1500.0));
/// // Some programs print classes as floating-point numbers.
/// assert_eq!((i8::read("+1"), i8::read("2.0"), u8::read("-1")), (Some(1), Some(2), None));
/// assert_eq!((i8::read("0.5"), f64::read("inf"), f32::read("1e39")), (None, None, None));
/// assert_eq!(0.1_f32.print().to_string(), "0.1");
/// ```
pub trait Number: Copy + PartialEq + fmt::Debug {
    /// The name of the type, for error messages.
    const NAME: &'static str;

    /// Parses a finite number of this type.
    fn read(word: &str) -> Option<Self>;

    /// The number as it is printed in a file.
    fn print(self) -> Shortest<Self>;

    /// Whether the number is neither NaN nor infinite.
    fn is_finite_number(self) -> bool;
}

/// Prints a number with the fewest digits that distinguish it from all others of its type.
///
/// # Examples
/// ```
/// use kern_core::libsvm::Shortest;
/// let texts = [0.1, -3.0, 1e300, 1e-7].map(|number: f64| Shortest(number).to_string());
/// assert_eq!(texts, ["0.1", "-3", "1e300", "1e-7"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortest<N>(
    /// The number.
    pub N,
);

/// `{:?}` has an exponent where that is shorter, and prints a fraction even where it is zero.
impl<N: fmt::Debug> fmt::Display for Shortest<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Number for $float {
            const NAME: &'static str = stringify!($float);

            fn read(word: &str) -> Option<Self> {
                word.parse().ok().filter(|number: &Self| number.is_finite())
            }

            fn print(self) -> Shortest<Self> {
                Shortest(self)
            }

            fn is_finite_number(self) -> bool {
                self.is_finite()
            }
        }
    )*};
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Number for $integer {
            const NAME: &'static str = stringify!($integer);

            fn read(word: &str) -> Option<Self> {
                word.parse().ok().or_else(|| {
                    // From 2⁵³ on, a floating-point number may represent its neighbours.
                    let exact = |n: &f64| n.fract() == 0.0 && n.abs() < EXACT;
                    let number = f64::read(word).filter(exact)?;
                    (number as i64).try_into().ok()
                })
            }

            fn print(self) -> Shortest<Self> {
                Shortest(self)
            }

            fn is_finite_number(self) -> bool {
                true
            }
        }
    )*};
}

floats!(f32, f64);

integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
