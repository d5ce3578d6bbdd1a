//! Arrays of NumPy, by npyz.

use super::records::{Records, Widths, refused};
use crate::Error;
use crate::error::{File, Place};
use crate::schema::Hint;
use npyz::{DType, NpyFile, Order};
use std::io::{self, BufRead, Cursor, Read};

/// An array whose rows are read one after the other.
pub(super) struct Array {
    values: Vec<f64>,
    width: usize,
    row: usize,
    by_columns: bool,
    file: File,
}

impl Array {
    pub(super) fn new(input: Box<dyn BufRead + '_>, file: File) -> Result<Self, Error> {
        let wrong = |reason: &dyn ToString| refused(&file, None, reason.to_string());
        let input = checked(input).map_err(|error| wrong(&error))?;
        let array = NpyFile::new(input).map_err(|error| wrong(&error))?;
        let width = match *array.shape() {
            [_] => 1,
            [_, width] => usize::try_from(width).map_err(|error| wrong(&error))?,
            _ => return Err(wrong(&"an array of one or two dimensions is needed")),
        };
        let by_columns = array.order() == Order::Fortran && array.shape().len() == 2;
        let expected = array.len();
        let values = numbers(array).map_err(|error| wrong(&error))?;
        if values.len() as u64 != expected {
            return Err(wrong(&format!("{} numbers of {expected} are there", values.len())));
        }
        Ok(Self { values, width, row: 0, by_columns, file })
    }
}

/// The greatest number of bytes of an array: what no machine has, so that products of sizes do not overflow.
const MOST: u64 = 1 << 56;

/// The input again, whose header claims a size that is possible: npyz multiplies without looking.
fn checked<'r>(mut input: Box<dyn BufRead + 'r>) -> io::Result<Box<dyn BufRead + 'r>> {
    let mut head = Vec::new();
    // Magic bytes, the version, and the length of the header in two bytes or in four.
    (&mut input).take(12).read_to_end(&mut head)?;
    let length = match head[..] {
        [.., 1, _, low, high, _, _] => u64::from(u16::from_le_bytes([low, high])),
        [.., a, b, c, d] if head.len() == 12 => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => return Err(io::Error::other("the header is cut off")),
    };
    (&mut input).take(length).read_to_end(&mut head)?;
    let text = String::from_utf8_lossy(&head);
    let mut digits = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let product = digits.try_fold(1_u64, |product, digits| {
        let size = digits.parse::<u64>().ok()?;
        Some(product.checked_mul(size.max(1))?).filter(|&product| product < MOST)
    });
    match product {
        Some(_) => Ok(Box::new(Cursor::new(head).chain(input))),
        None => Err(io::Error::other("the size is beyond all memory")),
    }
}

/// All numbers of an array; memory is taken as they come, whatever the header says.
fn numbers(array: NpyFile<Box<dyn BufRead + '_>>) -> io::Result<Vec<f64>> {
    macro_rules! first_that_fits {
        ($array:ident: $($t:ty),*) => {{
            $(let $array = match $array.try_data::<$t>() {
                Ok(data) => return data.map(|value| value.map(|value| value as f64)).collect(),
                Err(array) => array,
            };)*
            $array
        }};
    }
    let array = first_that_fits!(array: f64, f32, i64, i32, i16, i8, u64, u32, u16, u8);
    let kind = match array.dtype() {
        DType::Plain(kind) => kind.to_string(),
        _ => "records".to_string(),
    };
    Err(io::Error::other(format!("numbers are needed, the array has {kind}")))
}

impl Records for Array {
    fn names(&self) -> Vec<String> {
        (1..=self.width.min(self.values.len())).map(|k| format!("x{k}")).collect()
    }

    fn hint(&self, _column: usize) -> Hint {
        Hint::Numbers
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        let rows = self.values.len().checked_div(self.width).unwrap_or(0);
        if self.row >= rows {
            return Ok(false);
        }
        let place = || Place { file: self.file.clone(), line: None };
        for k in 0..self.width {
            let at = if self.by_columns { k * rows + self.row } else { self.row * self.width + k };
            let value = self.values[at];
            if value.is_infinite() {
                let row = self.row + 1;
                return Err(refused(
                    &self.file,
                    None,
                    format!("row {row}, column {}: {value}", k + 1),
                ));
            }
            columns.push_number(k, value, place)?;
        }
        self.row += 1;
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}
