//! The header of an array of NumPy, and its numbers by their place.

use crate::formats::Layout;
use npyz::{DType, NpyFile, NpyHeader, Order};
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// A file, or bytes in memory.
pub(super) trait Seekable: Read + Seek {}

impl<R: Read + Seek> Seekable for R {}

/// Reads numbers, from a place on.
type Numbers = Box<dyn FnMut(u64, &mut [f64]) -> io::Result<()>>;

/// An array, of which the header has been read.
pub(super) struct Opened {
    /// Its rows; none if they have no columns.
    pub(super) rows: u64,
    /// Its columns.
    pub(super) width: usize,
    /// The numbers of a column stand one behind the other.
    pub(super) by_columns: bool,
    /// Its numbers.
    pub(super) numbers: Numbers,
}

impl Opened {
    pub(super) fn new(input: Box<dyn Seekable>) -> io::Result<Self> {
        let mut input = BufReader::new(input);
        check(&mut input)?;
        input.rewind()?;
        let header = NpyHeader::from_reader(&mut input)?;
        let (rows, width) = match *header.shape() {
            [rows] => (rows, 1),
            [_, 0] => (0, 0),
            [rows, width] => (rows, usize::try_from(width).map_err(io::Error::other)?),
            _ => return Err(io::Error::other("an array of one or two dimensions is needed")),
        };
        let by_columns = header.order() == Order::Fortran && header.shape().len() == 2;
        let start = input.stream_position()?;
        let bytes = input.seek(SeekFrom::End(0))?.saturating_sub(start);
        input.seek(SeekFrom::Start(start))?;
        let (expected, size) = (header.len(), header.dtype().num_bytes());
        let numbers = numbers(NpyFile::with_header(header, input))?;
        let found = bytes.checked_div(size.unwrap_or(0) as u64).unwrap_or(0);
        if found < expected {
            let reason = format!("{found} numbers of {expected} are there");
            return Err(io::Error::other(reason));
        }
        Ok(Self { rows, width, by_columns, numbers })
    }

    pub(super) fn layout(&self) -> Layout {
        Layout::Rows(self.rows)
    }
}

/// The greatest number of bytes of an array: what no machine has, so that products of sizes do not overflow.
const MOST: u64 = 1 << 56;

/// Refuses a header that claims a size that is not possible: npyz multiplies without looking.
fn check(input: &mut impl Read) -> io::Result<()> {
    let mut head = Vec::new();
    // Magic bytes, the version, and the length of the header in two bytes or in four.
    input.take(12).read_to_end(&mut head)?;
    let length = match head[..] {
        [.., 1, _, low, high, _, _] => u64::from(u16::from_le_bytes([low, high])),
        [.., a, b, c, d] if head.len() == 12 => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => return Err(io::Error::other("the header is cut off")),
    };
    input.take(length).read_to_end(&mut head)?;
    let text = String::from_utf8_lossy(&head);
    let mut digits = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let product = digits.try_fold(1_u64, |product, digits| {
        let size = digits.parse::<u64>().ok()?;
        Some(product.checked_mul(size.max(1))?).filter(|&product| product < MOST)
    });
    match product {
        Some(_) => Ok(()),
        None => Err(io::Error::other("the size is beyond all memory")),
    }
}

/// The numbers of an array, whatever their type.
fn numbers(array: NpyFile<BufReader<Box<dyn Seekable>>>) -> io::Result<Numbers> {
    macro_rules! first_that_fits {
        ($array:ident: $($t:ty),*) => {{
            $(let $array = match $array.try_data::<$t>() {
                Ok(mut data) => return Ok(Box::new(move |at, numbers: &mut [f64]| {
                    data.seek_to(at)?;
                    for number in numbers {
                        let value = data.next().ok_or(io::ErrorKind::UnexpectedEof)??;
                        *number = value as f64;
                    }
                    Ok(())
                })),
                Err(array) => array,
            };)*
            $array
        }};
    }
    let array = first_that_fits!(array: f64, f32, i64, i32, i16, i8, u64, u32, u16, u8);
    let kind = match array.header().dtype() {
        DType::Plain(kind) => kind.to_string(),
        _ => "records".to_string(),
    };
    Err(io::Error::other(format!("numbers are needed, the array has {kind}")))
}
