//! From a table to a tuned, saved model.
//!
//! A [`Training`] says what to learn from a [table](kern_data::Table): the task, the column of targets, the kernel as a formula,
//! the method, and whether to search for hyper-parameters. What it learns, a [`TableModel`], knows the columns that it needs,
//! fills what is missing, and answers for other tables. [`file`](mod@file) saves it, and any other model, in a file that is checked
//! when it is read.
//!
//! A formula is a kernel on all columns: `rbf` and its kin act on the numbers, `hamming_rbf` and `delta` on the categories,
//! `spectrum` and other kernels of strings on the text ([`Row`](kern_core::Row)). Parameters that it does not give are taken
//! from the data. Without a formula, it is the product of `rbf` and `hamming_rbf`, plus a normalised `spectrum`, as far as
//! there are such columns.
//!
//! Tables beyond the memory, or beyond one machine, are learned in [`rounds`].
//!
//! # Examples
//! ```
//! use kern_data::{Format, Source};
//! use kern_table::{Answers, Task, Training};
//! let flowers = "petal,colour,species\n1.4,white,setosa\n1.3,,setosa\n4.7,blue,virginica\n5.1,blue,virginica\n";
//! let table = Source::new(Format::Csv, flowers.as_bytes()).read()?;
//! let model = Training::new(Task::Classify).target("species").fit(&table)?;
//!
//! let file = std::env::temp_dir().join("kern-table-example.kern");
//! kern_table::file::save(&model, &file, kern_table::file::Encoding::Binary)?;
//! let model: kern_table::TableModel = kern_table::file::open(&file)?;
//! let other = Source::new(Format::Csv, "colour,petal\nblue,4.9\n".as_bytes()).read()?;
//! assert!(matches!(model.predict(&other)?, Answers::Classes(species) if species == ["virginica"]));
//! # std::fs::remove_file(file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod choice;
mod class_type;
mod error;
mod evidence;
pub mod file;
mod fitted;
mod judge;
mod kernel;
mod map;
mod model;
mod novelty;
mod plan;
mod prepare;
pub mod rounds;
mod stream;
mod suggestion;
mod table_fit;
mod training;

pub use answers::{Answers, Probabilities};
pub use class_type::ClassType;
pub use error::Error;
pub use evidence::{Evidence, Note, Scored};
pub use model::{Search, TableModel};
pub use plan::TablePlan;
pub use prepare::{Prepare, Prepared};
pub use training::{Method, Task, Training};

/// The points of all models: rows of a table.
type Rows = Vec<kern_core::Row>;

/// The kernel of all models: a formula.
type Formula = kern_core::MercerFormula<Rows>;
