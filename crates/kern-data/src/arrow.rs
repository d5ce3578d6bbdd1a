//! Arrays of Apache Arrow, and tables as batches of them.

use crate::cells::Cells;
use crate::column::Categories;
use crate::error::Place;
use crate::schema::Hint;
use crate::{Column, Error, Table, Values};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, DecimalType, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, Float64Array, RecordBatch, StringArray,
    UInt32Array,
};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use std::ops::Range;
use std::sync::Arc;

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

/// The row of a value that is refused, and why.
type Refused = (usize, Error);

/// Adds the values in these rows of an array to cells, if they are of a kind that has a [`hint`]; others are missing. Dates and
/// times are numbers in the unit of their type. The error is that of the first row that has one, with the row.
pub(crate) fn append(
    array: &ArrayRef,
    rows: Range<usize>,
    cells: &mut Cells,
    place: impl Fn(usize) -> Place,
) -> Result<(), Refused> {
    macro_rules! numbers {
        ($type:ty) => {
            numbers::<$type>(array, rows, f64::from, cells, place)
        };
        ($type:ty, wide) => {
            numbers::<$type>(array, rows, |value| value as f64, cells, place)
        };
    }
    match array.data_type() {
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
        &DataType::Decimal128(_, scale) => {
            let number = |value| {
                let text = Decimal128Type::format_decimal(value, u8::MAX, scale);
                text.parse().unwrap_or(f64::NAN)
            };
            numbers::<Decimal128Type>(array, rows, number, cells, place)
        }
        _ => {
            let word = words(array).unwrap_or_else(|| Box::new(|_| ""));
            for row in rows {
                let word = if array.is_null(row) { "" } else { word(row) };
                cells.push(word, || place(row)).map_err(|error| (row, error))?;
            }
            Ok(())
        }
    }
}

/// Adds numbers column by column, without a value of its own for each.
fn numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    rows: Range<usize>,
    number: impl Fn(T::Native) -> f64,
    cells: &mut Cells,
    place: impl Fn(usize) -> Place,
) -> Result<(), Refused> {
    let array = array.as_primitive::<T>();
    let (start, values) = (rows.start, &array.values()[rows.clone()]);
    let place = |k| place(start + k);
    let pushed = match array.nulls() {
        Some(nulls) if nulls.null_count() > 0 => {
            let known = values.iter().zip(rows);
            let number = |(&value, row)| if nulls.is_valid(row) { number(value) } else { f64::NAN };
            cells.push_numbers(known.map(number), place)
        }
        _ => cells.push_numbers(values.iter().map(|&value| number(value)), place),
    };
    pushed.map_err(|(k, error)| (start + k, error))
}

/// A reader of the words of an array.
type Words<'a> = Box<dyn Fn(usize) -> &'a str + 'a>;

/// The words of an array of strings, booleans, or a dictionary of them; a missing one of a dictionary is empty.
fn words(array: &ArrayRef) -> Option<Words<'_>> {
    macro_rules! words {
        ($values:expr) => {{
            let values = $values;
            Some(Box::new(move |row| values.value(row)))
        }};
    }
    match array.data_type() {
        DataType::Utf8 => words!(array.as_string_opt::<i32>()?),
        DataType::LargeUtf8 => words!(array.as_string_opt::<i64>()?),
        DataType::Utf8View => words!(array.as_string_view_opt()?),
        DataType::Boolean => {
            let values = array.as_boolean_opt()?;
            Some(Box::new(move |row| if values.value(row) { "true" } else { "false" }))
        }
        DataType::Dictionary(..) => dictionary(array),
        _ => None,
    }
}

fn dictionary(array: &ArrayRef) -> Option<Words<'_>> {
    let dictionary = array.as_any_dictionary_opt()?;
    let (keys, values) = (dictionary.keys(), dictionary.values());
    if values.is_empty() {
        return None;
    }
    let (word, places) = (words(values)?, dictionary.normalized_keys());
    Some(Box::new(move |row| match places[row] {
        _ if keys.is_null(row) => "",
        place if values.is_null(place) => "",
        place => word(place),
    }))
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
            let Some(hint) = hint(array.data_type()) else {
                let expected = "numbers, dates, times, booleans or strings";
                return Err(Error::Kind {
                    column: name,
                    given: "values of another type",
                    expected,
                });
            };
            let mut cells = Cells::hinted(name, None, hint);
            let appended = append(array, 0..array.len(), &mut cells, |_| Place::default());
            appended.map_err(|(_, error)| error)?;
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
