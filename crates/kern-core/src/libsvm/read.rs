//! Reading.

use super::{Fault, FileError, Number};
use crate::{Entry, Scalar, SparseSamples};
use std::io::BufRead;

/// The greatest index: features are numbered from 0 in 32 bits.
const GREATEST: u64 = 1 << 32;

/// Reads labelled samples of dimension `dim`, by default the greatest index that occurs (1 if there
/// is none). Entries that are 0 are not stored; [`SparseSamples::to_dense`] has them all.
///
/// Labels are floating-point numbers or integers; an integer may be written as 1.0, too.
///
/// # Complexity
/// One pass, memory for the entries and the longest line.
///
/// # Errors
/// [`FileError::Line`] with the number of the first line that is wrong, [`FileError::Io`];
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
    // Refuses a dimension that no samples can have, before anything is read.
    SparseSamples::<T>::from_rows::<[_; 0]>(dim.unwrap_or(1), &[])?;
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

/// A label and the entries after it, zeros among them, or None if the line has nothing to say.
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
    let number = index.parse().ok().filter(|number| (1..=GREATEST).contains(number));
    let number = number.ok_or_else(|| Fault::Index { given: index.to_owned() })?;
    let wrong = || Fault::Value { index: number, given: value.to_owned() };
    Ok((number, T::read(value).ok_or_else(wrong)?))
}
