//! Tables with typed columns, from files.
//!
//! A [`Source`] reads a file or any other reader: CSV and TSV, JSON lines, LIBSVM, NPY and plain
//! text, optionally compressed by gzip. It returns a [`Table`] with columns of numbers, categories
//! or text, or [batches](Source::batches) of rows for files that are larger than the memory. A
//! [`Schema`] is stored with a model and describes its training table; other tables are checked
//! against it and converted to [rows](Table::rows), the points of kernel
//! [formulas](kern_core::KernelSpec).
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
//! A further extension `.gz` is decompressed by flate2.
//!
//! A value is missing if it is empty or null. In CSV and TSV the unquoted words `NA`, `N/A`, `NaN`,
//! `NaT`, `null`, `None` and `?`, in any case, are missing values, too, except in text columns and
//! in categories requested by [`Source::kind`]. In numeric columns these words are missing values
//! in every format. Strings in JSON lines, Parquet and Arrow are never parsed as numbers and keep
//! their blanks; for JSON lines a note reports strings that look like numbers.
//!
//! The kind of a column is inferred from its present values: numeric if all are finite numbers;
//! temporal if all are ISO 8601 dates and times; categorical if at most a quarter of them, and at
//! most a thousand, are distinct; otherwise text. [`Source::kind`] overrides the kind.
//! [`Table::notes`] reports columns of numbers with a few other values.
//!
//! An instant is the number of seconds since 1970, the same in every unit, format and time zone;
//! `2024-01-05` equals an Arrow date. A time without a zone is taken as UTC. A duration is a number
//! of seconds. The truth values `true`, `True` and `TRUE` are one category.
//!
//! An unnamed first column of distinct integers is taken as row numbers, as written by pandas for
//! its index in CSV, and dropped; so are the columns of a pandas index in Parquet and Arrow.
//! [`Source::row_numbers`] keeps them. Other unnamed columns are called `Unnamed: 0`, `Unnamed: 1`,
//! …, by position.
//!
//! A [`Part`] of a file is the share of one worker in a distributed fit: row groups of a Parquet
//! file, rows of an array, or a whole file of a directory. [`Part::list`] finds the parts,
//! [`Source::of_part`] reads one.
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
mod cells;
mod column;
mod error;
mod formats;
mod labels;
mod listing;
mod part;
mod schema;
mod source;
mod table;
mod times;

pub use column::{Categories, Column, Numerals, Values};
pub use error::{Error, File, Place};
pub use formats::Format;
pub use labels::{Labels, merged};
pub use part::{Part, Span};
pub use schema::{Field, Kind, Schema};
pub use source::{Batches, Source};
pub use table::{Note, Table};
