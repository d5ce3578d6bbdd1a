//! Arrays of Apache Arrow, and tables as batches of them.

use crate::column::Categories;
use crate::schema::Hint;
use crate::{Column, Error, Table, Values};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, DecimalType, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use std::borrow::Cow;
use std::sync::Arc;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Missing,
    Number(f64),
    Word(Cow<'a, str>),
}

impl Cell<'_> {
    /// The value without the array.
    pub(crate) fn into_owned(self) -> Cell<'static> {
        match self {
            Cell::Missing => Cell::Missing,
            Cell::Number(number) => Cell::Number(number),
            Cell::Word(word) => Cell::Word(word.into_owned().into()),
        }
    }
}

/// The kind of column that values of this type make, if they make one.
pub(crate) fn hint(kind: &DataType) -> Option<Hint> {
    match kind {
        DataType::Null => Some(Hint::Unknown),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => {
            Some(Hint::Words)
        }
        DataType::Dictionary(_, values) => hint(values).filter(|&hint| hint == Hint::Words),
        DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Decimal128(..) => Some(Hint::Numbers),
        _ => kind.is_numeric().then_some(Hint::Numbers).filter(|_| {
            !matches!(
                kind,
                DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal256(..)
            )
        }),
    }
}

/// A reader of the rows of an array.
type Reader<'a> = Box<dyn Fn(usize) -> Cell<'a> + 'a>;

/// The values of an array, if they are of a kind that has a [`hint`]. Dates and times are numbers in the unit of their type.
pub(crate) fn reader(array: &ArrayRef) -> Option<Reader<'_>> {
    macro_rules! numbers {
        ($type:ty) => {{
            let values = array.as_primitive_opt::<$type>()?;
            Box::new(move |row| Cell::Number(f64::from(values.value(row)))) as Reader<'_>
        }};
        ($type:ty, wide) => {{
            let values = array.as_primitive_opt::<$type>()?;
            Box::new(move |row| Cell::Number(values.value(row) as f64)) as Reader<'_>
        }};
    }
    macro_rules! words {
        ($values:expr) => {{
            let values = $values;
            Box::new(move |row| Cell::Word(values.value(row).into())) as Reader<'_>
        }};
    }
    let read = match array.data_type() {
        DataType::Null => return Some(Box::new(|_| Cell::Missing)),
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type, wide),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type, wide),
        DataType::Float16 => numbers!(Float16Type),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Date32 => numbers!(Date32Type),
        DataType::Date64 => numbers!(Date64Type, wide),
        DataType::Timestamp(TimeUnit::Second, _) => numbers!(TimestampSecondType, wide),
        DataType::Timestamp(TimeUnit::Millisecond, _) => numbers!(TimestampMillisecondType, wide),
        DataType::Timestamp(TimeUnit::Microsecond, _) => numbers!(TimestampMicrosecondType, wide),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => numbers!(TimestampNanosecondType, wide),
        DataType::Decimal128(_, scale) => decimals(array, *scale)?,
        DataType::Utf8 => words!(array.as_string_opt::<i32>()?),
        DataType::LargeUtf8 => words!(array.as_string_opt::<i64>()?),
        DataType::Utf8View => words!(array.as_string_view_opt()?),
        DataType::Boolean => {
            let values = array.as_boolean_opt()?;
            Box::new(move |row| Cell::Word(if values.value(row) { "true" } else { "false" }.into()))
        }
        DataType::Dictionary(..) => dictionary(array)?,
        _ => return None,
    };
    Some(Box::new(move |row| if array.is_null(row) { Cell::Missing } else { read(row) }))
}

fn decimals(array: &ArrayRef, scale: i8) -> Option<Reader<'_>> {
    let values = array.as_primitive_opt::<Decimal128Type>()?;
    let number = move |row| {
        let text = Decimal128Type::format_decimal(values.value(row), u8::MAX, scale);
        Cell::Number(text.parse().unwrap_or(f64::NAN))
    };
    Some(Box::new(number))
}

fn dictionary(array: &ArrayRef) -> Option<Reader<'_>> {
    let dictionary = array.as_any_dictionary_opt()?;
    let (keys, values) = (dictionary.keys(), reader(dictionary.values())?);
    if dictionary.values().is_empty() {
        return Some(Box::new(|_| Cell::Missing));
    }
    let places = dictionary.normalized_keys();
    Some(Box::new(move |row| if keys.is_null(row) { Cell::Missing } else { values(places[row]) }))
}

/// A table of a batch: numbers, dates and times become numbers; booleans and dictionaries of strings categories; strings
/// categories or text, as in a file.
///
/// # Examples
/// ```
/// use arrow_array::RecordBatch;
/// use kern_data::{Column, Table, Values};
/// let column = Column { name: "x".into(), values: Values::Numbers(vec![1.0, f64::NAN]) };
/// let table = Table::new(vec![column])?;
/// let batch = RecordBatch::try_from(&table)?;
/// assert_eq!(batch.column(0).null_count(), 1);
/// assert_eq!(Table::try_from(&batch)?.column("x")?.values.missing(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl TryFrom<&RecordBatch> for Table {
    type Error = Error;

    fn try_from(batch: &RecordBatch) -> Result<Self, Error> {
        let column = |(array, field): (&ArrayRef, &Arc<arrow_schema::Field>)| {
            let name = field.name().clone();
            let Some((hint, read)) = hint(array.data_type()).zip(reader(array)) else {
                let expected = "numbers, dates, times, booleans or strings";
                return Err(Error::Kind {
                    column: name,
                    given: "values of another type",
                    expected,
                });
            };
            let mut cells = crate::cells::Cells::hinted(name, None, hint);
            for row in 0..array.len() {
                match read(row) {
                    Cell::Number(number) => cells.push_number(number, Default::default)?,
                    Cell::Word(word) => cells.push(&word, Default::default)?,
                    Cell::Missing => cells.push("", Default::default)?,
                }
            }
            Ok(cells.take())
        };
        let columns = batch.columns().iter().zip(batch.schema_ref().fields()).map(column);
        Self::new(columns.collect::<Result<_, _>>()?)
    }
}

/// A batch of a table: doubles, dictionaries of strings, and strings; what is missing is null.
impl TryFrom<&Table> for RecordBatch {
    type Error = ArrowError;

    fn try_from(table: &Table) -> Result<Self, ArrowError> {
        let array = |values: &Values| -> Result<ArrayRef, ArrowError> {
            Ok(match values {
                Values::Numbers(numbers) => {
                    let known = numbers.iter().map(|&v| Some(v).filter(|v| !v.is_nan()));
                    Arc::new(known.collect::<Float64Array>())
                }
                Values::Categories(Categories { levels, codes }) => {
                    let keys: UInt32Array = codes.iter().copied().collect();
                    let levels = StringArray::from_iter_values(levels);
                    Arc::new(DictionaryArray::try_new(keys, Arc::new(levels))?)
                }
                Values::Texts(texts) => Arc::new(texts.iter().cloned().collect::<StringArray>()),
            })
        };
        let mut columns = Vec::with_capacity(table.columns().len());
        for Column { name, values } in table.columns() {
            columns.push((name, array(values)?, true));
        }
        Self::try_from_iter_with_nullable(columns)
    }
}
