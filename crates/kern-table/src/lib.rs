//! From a table to a tuned, saved model.
//!
//! A [`Training`] describes the fit for a [table](kern_data::Table): the task, the target column,
//! the kernel as a formula, the method, and whether to search for hyper-parameters. The result, a
//! [`TableModel`], stores the columns that it needs, fills missing values, and predicts for other
//! tables. [`Save`](kern_solvers::file::Save) saves it, as any other model, in a file that is checked
//! when it is read.
//!
//! A formula is a kernel on all columns: `rbf` and related kernels act on the numeric columns,
//! `hamming_rbf` and `delta` on the categories, `spectrum` and other string kernels on the text
//! ([`Row`](kern_core::Row)). Parameters that are not given are estimated from the data. The
//! default formula is the product of `rbf` and `hamming_rbf`, plus a normalised `spectrum`,
//! restricted to the kinds of columns that the table has.
//!
//! Tables that exceed the memory, or one machine, are fitted in [`rounds`].
//!
//! # Examples
//! ```
//! use kern_data::{Format, Source};
//! use kern_solvers::file::Save;
//! use kern_table::{Answers, TableModel, Task, Training};
//! let flowers = "petal,colour,species\n1.4,white,setosa\n1.3,,setosa\n4.7,blue,virginica\n5.1,blue,virginica\n";
//! let table = Source::new(Format::Csv, flowers.as_bytes()).read()?;
//! let model = Training::new(Task::Classify).target("species").fit(&table)?;
//!
//! let file = std::env::temp_dir().join("kern-table-example.kern");
//! model.save(&file)?;
//! let model = TableModel::load(&file)?;
//! let other = Source::new(Format::Csv, "colour,petal\nblue,4.9\n".as_bytes()).read()?;
//! assert!(matches!(model.predict(&other)?, Answers::Classes(species) if species == ["virginica"]));
//! # std::fs::remove_file(file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod contest;
mod error;
mod evidence;
mod fitted;
mod importance;
mod kernel;
mod learn;
mod map;
mod metric;
mod model;
mod novelty;
mod plan;
mod prepare;
pub mod rounds;
mod stream;
mod table_fit;
mod task;
mod training;

pub use answers::{Answers, ClassType, Probabilities};
pub use error::Error;
pub use evidence::{Evidence, Note, Scored, Search};
pub use fitted::{Entry, Leaderboard};
pub use importance::{ColumnImportance, Importance};
pub use metric::Metric;
pub use model::TableModel;
pub use plan::TablePlan;
pub use prepare::{Prepare, Prepared};
pub use task::{Method, Task};
pub use training::Training;

/// The points of all models: rows of a table.
type Rows = Vec<kern_core::Row>;

/// The kernel of all models: a formula.
type Formula = kern_core::MercerFormula<Rows>;
