//! Tables with typed columns, from files.
//!
//! A [`Source`] reads a file, or anything else that can be read: CSV and TSV, JSON lines, LIBSVM, NPY and plain text,
//! packed by gzip or not. It makes a [`Table`], whose columns are numbers, categories or text, or
//! [batches](Source::batches) of rows, for files that are larger than the memory. A [`Schema`] is what a model remembers of the
//! table that it learned from; by it, other tables are checked and become [rows](Table::rows), the points that
//! [formulas](kern_core::KernelSpec) are kernels on.
//!
//! | format | by | file names |
//! |---|---|---|
//! | [`Csv`](Format::Csv), [`Tsv`](Format::Tsv) | std | `.csv`, `.tsv` |
//! | [`JsonLines`](Format::JsonLines) | serde_json | `.jsonl`, `.ndjson` |
//! | [`Libsvm`](Format::Libsvm) | kern-core | `.svm`, `.libsvm`, `.svmlight` |
//! | [`Npy`](Format::Npy) | std | `.npy` |
//! | `Arrow`, a file or a stream (feature `arrow`) | arrow-ipc | `.arrow`, `.feather`, `.ipc` |
//! | `Parquet` (feature `parquet`) | parquet | `.parquet` |
//! | [`Text`](Format::Text) | std | `.txt`: a text in every line |
//! | [`Folder`](Format::Folder) | std | a text in every file, in a folder for each class |
//!
//! Behind each, `.gz` is unpacked by flate2.
//!
//! A value is missing if it is empty or null. In CSV and TSV the words `NA`, `N/A`, `NaN`, `NaT`, `null`, `None` and `?`, in
//! capitals or not and without quotation marks, are missing values, too; not so in columns of text, and in categories that
//! [`Source::kind`] asks for. Among numbers these words are missing values in every format. Strings of JSON lines, Parquet and
//! Arrow are no numbers, whatever they look like, and keep their blanks; in JSON lines a note tells of those that do.
//!
//! A column is of numbers if all values that are there are finite numbers; of dates and times if all are those of ISO 8601;
//! else of categories, if at most a quarter of them differ, and at most a thousand; else of text. [`Source::kind`] sets
//! another kind. [`Table::notes`] has columns of numbers with a few other values.
//!
//! An instant is the same number of seconds since 1970 in every unit, format and zone, `2024-01-05` and a date of Arrow
//! alike; a time without a zone is taken as UTC. A duration is a number of seconds. The truth values `true`, `True` and
//! `TRUE` are one category.
//!
//! A first column without a name whose values are distinct whole numbers numbers the rows, as pandas writes its index to
//! CSV; it is left out, and so are the columns of an index of pandas in Parquet and Arrow. [`Source::row_numbers`]
//! keeps them. Other columns without a name are called `Unnamed: 0`, `Unnamed: 1`, …, by their place.
//!
//! A [`Part`] of a file is what one of many machines reads: row groups of a Parquet file, rows of an array, or a whole file of
//! a directory. [`Part::list`] finds them, [`Source::of_part`] reads one.
//!
//! # Examples
//! ```
//! use kern_data::{Format, Kind, Source};
//! let file = "{\"sequence\": \"GATTACA\", \"length\": 7}\n{\"sequence\": \"TACCA\", \"length\": 5}\n";
//! let table = Source::new(Format::JsonLines, file.as_bytes()).kind("sequence", Kind::Text).read()?;
//! let rows = table.rows(&table.schema())?;
//! assert_eq!((rows[1].text.as_str(), rows[1].numbers[0]), ("TACCA", 5.0));
//! # Ok::<(), kern_data::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "arrow")]
mod arrow;
mod batches;
mod cells;
mod column;
mod error;
mod formats;
mod labels;
mod listing;
mod note;
mod part;
mod rows;
mod schema;
mod source;
mod table;
mod times;

pub use batches::Batches;
pub use column::{Categories, Column, Numerals, Values};
pub use error::{Error, File, Place};
pub use formats::Format;
pub use labels::{Labels, merged};
pub use note::Note;
pub use part::{Part, Span};
pub use schema::{Field, Kind, Schema};
pub use source::Source;
pub use table::Table;
