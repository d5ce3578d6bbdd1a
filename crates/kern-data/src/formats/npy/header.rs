//! The header of a NumPy array, and random access to its values.

use super::literal::Header;
use super::numbers::Numbers;
use crate::formats::Layout;
use crate::schema::Measure;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// A seekable input: a file, or bytes in memory.
pub(super) trait Seekable: Read + Seek {}

impl<R: Read + Seek> Seekable for R {}

/// An array after its header was read.
pub(super) struct Opened {
    /// The number of rows; `None` if they have no columns.
    pub(super) rows: u64,
    /// The number of columns.
    pub(super) width: usize,
    /// Set if the array is stored in column-major order.
    pub(super) by_columns: bool,
    input: BufReader<Box<dyn Seekable>>,
    numbers: Numbers,
    /// A buffer for one block of bytes.
    block: Vec<u8>,
    /// The offset of the first value in the file.
    start: u64,
    /// The index of the value that is read next without seeking, if known.
    next: Option<u64>,
}

impl Opened {
    pub(super) fn new(input: Box<dyn Seekable>) -> io::Result<Self> {
        let mut input = BufReader::new(input);
        let Header { descr, by_columns, shape } = Header::parse(&text(&mut input)?)?;
        let no_numbers = |kind| format!("numbers are needed, the array has {kind}");
        let descr = descr.ok_or_else(|| io::Error::other(no_numbers("records")))?;
        let numbers = Numbers::named(&descr);
        let numbers = numbers.ok_or_else(|| io::Error::other(no_numbers(&descr)))?;
        let expected = count(&shape, numbers.size)?;
        let (rows, width) = match shape[..] {
            [rows] => (rows, 1),
            [_, 0] => (0, 0),
            [rows, width] => (rows, usize::try_from(width).map_err(io::Error::other)?),
            _ => return Err(io::Error::other("an array of one or two dimensions is needed")),
        };
        let by_columns = by_columns && shape.len() == 2;
        let start = input.stream_position()?;
        let bytes = input.seek(SeekFrom::End(0))?.saturating_sub(start);
        let found = bytes / numbers.size as u64;
        if found < expected {
            let reason = format!("{found} numbers of {expected} are there");
            return Err(io::Error::other(reason));
        }
        let block = vec![0; BLOCK];
        Ok(Self { rows, width, by_columns, input, numbers, block, start, next: None })
    }

    /// The measure of the values.
    pub(super) fn measure(&self) -> Measure {
        self.numbers.measure()
    }

    pub(super) fn layout(&self) -> Layout {
        Layout::Rows(self.rows)
    }

    /// Reads values from an index on.
    pub(super) fn read(&mut self, at: u64, numbers: &mut [f64]) -> io::Result<()> {
        let size = self.numbers.size;
        if self.next != Some(at) {
            self.input.seek(SeekFrom::Start(self.start + at * size as u64))?;
        }
        // After an error the position of the input is unknown.
        self.next = None;
        for block in numbers.chunks_mut(BLOCK / size) {
            let bytes = &mut self.block[..block.len() * size];
            self.input.read_exact(bytes)?;
            self.numbers.decode(bytes, block);
        }
        self.next = Some(at + numbers.len() as u64);
        Ok(())
    }
}

/// The number of bytes read at a time.
const BLOCK: usize = 1 << 12;

/// The magic bytes of an NPY file.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The largest length of a header: those of numeric arrays have about a hundred bytes.
const LONGEST: u64 = 1 << 20;

/// Reads the text of a header. Memory grows with the bytes that arrive, whatever the declared
/// length.
fn text(input: &mut impl Read) -> io::Result<String> {
    let mut take = |count: u64| {
        let mut bytes = Vec::new();
        input.take(count).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() as u64 == count;
        is_whole.then_some(bytes).ok_or_else(|| io::Error::other("the header is cut off"))
    };
    if take(MAGIC.len() as u64).ok().as_deref() != Some(MAGIC) {
        return Err(io::Error::other("no array of NumPy"));
    }
    let version = take(2)?;
    let length = match version[..] {
        [1, 0] => take(2)?,
        [2 | 3, 0] => take(4)?,
        _ => {
            return Err(io::Error::other(format!(
                "version {} of the format is unknown",
                version[0]
            )));
        }
    };
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | u64::from(byte));
    if length > LONGEST {
        return Err(io::Error::other(format!("a header of {length} bytes is too long")));
    }
    String::from_utf8(take(length)?).map_err(|_| io::Error::other("the header is no text"))
}

/// The largest number of bytes of an array: beyond the memory of any computer, and small enough
/// that products of sizes do not overflow.
const MOST: u64 = 1 << 56;

/// The number of values of an array. Impossible sizes are rejected, even next to a size of zero.
fn count(shape: &[u64], size: usize) -> io::Result<u64> {
    let bytes = shape.iter().try_fold(size as u64, |bytes, &size| bytes.checked_mul(size.max(1)));
    match bytes.filter(|&bytes| bytes < MOST) {
        Some(_) => Ok(shape.iter().product()),
        None => Err(io::Error::other("the size is beyond all memory")),
    }
}
