//! Conversion between Apache Arrow arrays and columns, and between record batches and tables.

use crate::cells::{Cells, Dress, Wish};
use crate::column::{Categories, Numerals};
use crate::error::Place;
use crate::schema::{Hint, Measure};
use crate::times::Unit;
use crate::{Column, Error, Note, Table, Values};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, DurationMicrosecondArray, Float64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray, UInt32Array,
};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use std::ops::Range;
use std::sync::Arc;

/// Returns true for the names that pandas gives to an unnamed index.
pub(crate) fn is_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The kind of column that an Arrow type maps to, if it is supported.
pub(crate) fn hint(kind: &DataType) -> Option<Hint> {
    match kind {
        DataType::Null => Some(Hint::Unknown),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => {
            Some(Hint::Words)
        }
        // A dictionary is only a storage encoding.
        DataType::Dictionary(_, values) => hint(values),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            Some(Hint::Reals(Measure::Instant))
        }
        DataType::Duration(_) => Some(Hint::Reals(Measure::Duration)),
        _ => kind.is_numeric().then_some(Hint::Reals(Measure::Number)),
    }
}

/// The row of a rejected value and the reason.
type Refused = (usize, Error);

/// Appends the values of these array rows to cells. Values of a type without a [`hint`] become
/// missing. Dates and times are stored in seconds. Returns the error of the first invalid row, with
/// its index.
pub(crate) fn append(
    array: &ArrayRef,
    rows: Range<usize>,
    cells: &mut Cells,
    place: impl Fn(usize) -> Place,
) -> Result<(), Refused> {
    macro_rules! numbers {
        ($type:ty) => {
            numbers!($type, f64::from)
        };
        ($type:ty, $number:expr) => {
            numbers::<$type>(array, rows, Measure::Number, &$number, cells, place)
        };
    }
    macro_rules! whole {
        ($type:ty) => {
            match cells.needs_words() {
                true => spelled::<$type>(array, rows, cells, place),
                false => numbers!($type, |value| value as f64),
            }
        };
    }
    macro_rules! decimals {
        ($type:ty, $scale:expr) => {
            numbers!($type, |value| {
                let text = <$type>::format_decimal(value, u8::MAX, $scale);
                text.parse().unwrap_or(f64::NAN)
            })
        };
    }
    match array.data_type() {
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => {
            cells.count_rounded(rounded::<Int64Type>(array, &rows));
            whole!(Int64Type)
        }
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => {
            cells.count_rounded(rounded::<UInt64Type>(array, &rows));
            whole!(UInt64Type)
        }
        DataType::Float16 => numbers!(Float16Type),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        &DataType::Decimal32(_, scale) => decimals!(Decimal32Type, scale),
        &DataType::Decimal64(_, scale) => decimals!(Decimal64Type, scale),
        &DataType::Decimal128(_, scale) => decimals!(Decimal128Type, scale),
        &DataType::Decimal256(_, scale) => decimals!(Decimal256Type, scale),
        DataType::Dictionary(_, values) if hint(values) != Some(Hint::Words) => {
            one_by_one(array, rows, cells, &place)
        }
        kind if matches!(hint(kind), Some(Hint::Reals(_))) => times(array, rows, cells, place),
        _ => {
            let word = words(array);
            for row in rows {
                let word = word.as_ref().filter(|_| !array.is_null(row)).map(|word| word(row));
                let pushed = cells.push(word.unwrap_or_default(), Dress::Word, || place(row));
                pushed.map_err(|error| (row, error))?;
            }
            Ok(())
        }
    }
}

/// The number of integers in these rows that are not exactly representable as doubles.
fn rounded<T: ArrowPrimitiveType<Native: Into<i128>>>(
    array: &ArrayRef,
    rows: &Range<usize>,
) -> usize {
    let array = array.as_primitive::<T>();
    let is_rounded = |&row: &usize| {
        let value: i128 = array.value(row).into();
        value.unsigned_abs() > 1 << 53 && value as f64 as i128 != value && array.is_valid(row)
    };
    rows.clone().filter(is_rounded).count()
}

/// Appends the values of a dictionary of numbers or times, decoded one by one.
fn one_by_one(
    array: &ArrayRef,
    rows: Range<usize>,
    cells: &mut Cells,
    place: &dyn Fn(usize) -> Place,
) -> Result<(), Refused> {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return Ok(()) };
    let (keys, values) = (dictionary.keys(), dictionary.values());
    // In a dictionary without values, all keys are null.
    let places = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
    for row in rows {
        let here: &dyn Fn(usize) -> Place = &|_| place(row);
        let added = match places.get(row) {
            Some(&k) if !keys.is_null(row) => append(values, k..k + 1, cells, here),
            _ => cells.push("", Dress::Quoted, || place(row)).map_err(|error| (row, error)),
        };
        added.map_err(|(_, error)| (row, error))?;
    }
    Ok(())
}

/// Appends dates, times and durations as seconds.
fn times(
    array: &ArrayRef,
    rows: Range<usize>,
    cells: &mut Cells,
    place: impl Fn(usize) -> Place,
) -> Result<(), Refused> {
    macro_rules! times {
        ($type:ty, $measure:ident, $unit:expr) => {{
            let seconds = |value| $unit.seconds(i64::from(value));
            numbers::<$type>(array, rows, Measure::$measure, &seconds, cells, place)
        }};
    }
    match array.data_type() {
        DataType::Date32 => times!(Date32Type, Instant, Unit::DAY),
        DataType::Date64 => times!(Date64Type, Instant, Unit::MILLISECOND),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => times!(TimestampSecondType, Instant, Unit::SECOND),
            TimeUnit::Millisecond => {
                times!(TimestampMillisecondType, Instant, Unit::MILLISECOND)
            }
            TimeUnit::Microsecond => {
                times!(TimestampMicrosecondType, Instant, Unit::MICROSECOND)
            }
            TimeUnit::Nanosecond => times!(TimestampNanosecondType, Instant, Unit::NANOSECOND),
        },
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => times!(DurationSecondType, Duration, Unit::SECOND),
            TimeUnit::Millisecond => times!(DurationMillisecondType, Duration, Unit::MILLISECOND),
            TimeUnit::Microsecond => times!(DurationMicrosecondType, Duration, Unit::MICROSECOND),
            TimeUnit::Nanosecond => times!(DurationNanosecondType, Duration, Unit::NANOSECOND),
        },
        // All types with a numeric hint are handled above.
        _ => Ok(()),
    }
}

/// Appends integers with all their digits.
fn spelled<T: ArrowPrimitiveType<Native: ToString>>(
    array: &ArrayRef,
    rows: Range<usize>,
    cells: &mut Cells,
    place: impl Fn(usize) -> Place,
) -> Result<(), Refused> {
    let array = array.as_primitive::<T>();
    for row in rows {
        let text = if array.is_null(row) { String::new() } else { array.value(row).to_string() };
        cells.push(&text, Dress::Quoted, || place(row)).map_err(|error| (row, error))?;
    }
    Ok(())
}

/// Appends a column of numbers in bulk, without a cell per value.
fn numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    rows: Range<usize>,
    measure: Measure,
    number: &dyn Fn(T::Native) -> f64,
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
            cells.push_reals(measure, known.map(number), place)
        }
        _ => cells.push_reals(measure, values.iter().map(|&value| number(value)), place),
    };
    pushed.map_err(|(k, error)| (start + k, error))
}

/// A function that returns the string at an index of an array.
type Words<'a> = Box<dyn Fn(usize) -> &'a str + 'a>;

/// The strings of an array of strings, booleans, or a dictionary of them; a missing dictionary
/// entry is the empty string.
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
            let word = |value| if value { "true" } else { "false" };
            Some(Box::new(move |row| word(values.value(row))))
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

/// Converts a batch to a table. Dates, times and durations become seconds; booleans and
/// dictionaries become categories; strings become categories or text, as when a file is read. A
/// pandas index is dropped.
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
            let mut cells = Cells::new(name, Wish::default(), hint);
            let appended = append(array, 0..array.len(), &mut cells, |_| Place::default());
            appended.map_err(|(_, error)| error)?;
            Ok(cells.take().0)
        };
        let columns = batch.columns().iter().zip(batch.schema_ref().fields());
        let (index, columns): (Vec<_>, Vec<_>) =
            columns.partition(|(_, field)| is_index(field.name()));
        let note = |(_, field): (_, &Arc<arrow_schema::Field>)| Note::RowNumbers {
            column: field.name().clone(),
        };
        let table = Self::new(columns.into_iter().map(column).collect::<Result<_, _>>()?)?;
        Ok(table.noted(index.into_iter().map(note).collect()))
    }
}

/// Converts a table to a batch of doubles, timestamps and durations in microseconds, dictionaries
/// of strings, and strings; missing values become null.
impl TryFrom<&Table> for RecordBatch {
    type Error = ArrowError;

    fn try_from(table: &Table) -> Result<Self, ArrowError> {
        let micros = |v: f64| {
            let (whole, part) = (v.floor() as i64, ((v - v.floor()) * 1e6).round() as i64);
            (!v.is_nan()).then(|| whole.saturating_mul(1_000_000).saturating_add(part))
        };
        let array = |values: &Values| -> Result<ArrayRef, ArrowError> {
            Ok(match values {
                Values::Instants(seconds) => {
                    let known = seconds.iter().map(|&v| micros(v));
                    Arc::new(known.collect::<TimestampMicrosecondArray>())
                }
                Values::Durations(seconds) => {
                    let known = seconds.iter().map(|&v| micros(v));
                    Arc::new(known.collect::<DurationMicrosecondArray>())
                }
                Values::Numbers(numbers) | Values::Numerals(Numerals { values: numbers, .. }) => {
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
