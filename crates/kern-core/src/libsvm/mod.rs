//! Data files of LIBSVM and SVMlight: labelled sparse samples as text.
//!
//! # Definition
//! One sample per line: `label index:value index:value …`. Indices count from 1 and ascend, what is
//! left out is 0, and the label is a number. A `#` starts a comment that ends with its line; lines
//! with nothing else are skipped.
//!
//! [`write()`] prints every number with the fewest digits that [`read`] needs to get it back, so a
//! round trip loses nothing. What the format has no place for is the dimension, which is therefore
//! given to `read`, or taken to be the greatest index, and the sign of a zero.
//!
//! # References
//! Chang and Lin (2011), *LIBSVM: A library for support vector machines*, and the README of that
//! library; Joachims, the page of SVMlight, for comments.
//!
//! # Examples
//! ```
//! use kern_core::{Points, libsvm};
//! let file = "+1 1:0.5 3:2 # a comment\n-1 2:-1e-3\n";
//! let (x, labels) = libsvm::read::<f64, i8>(file.as_bytes(), None)?;
//! assert_eq!((x.len(), x.dim(), x.stored()), (2, 3, 3));
//! assert_eq!(labels, [1, -1]);
//! let mut text = Vec::new();
//! libsvm::write(&mut text, &x, &labels)?;
//! assert_eq!(text, b"1 1:0.5 3:2\n-1 2:-0.001\n");
//! # Ok::<(), libsvm::FileError>(())
//! ```

mod error;
mod number;
mod read;
mod write;

pub use error::{Fault, FileError};
pub use number::{Number, Shortest};
pub use read::read;
pub use write::write;
