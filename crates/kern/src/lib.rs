//! Kernel methods in Rust.
//!
//! A kernel is a function K: 𝒳 × 𝒳 → R that is an inner product of features. kern covers kernels on
//! vectors, or on any set, with closure rules that combine them into new kernels ([`kernels`],
//! [`closure`]); Gram matrices that are stored or computed on demand, within a memory budget
//! ([`gram`]); feature maps that approximate a kernel ([`approx`]); and solvers that work with all
//! of these and report the evidence of each fit ([`solvers`]). Every model is saved by
//! `model.save(path)` and loaded by `Model::load(path)`, with the default feature `files`.
//!
//! | crate | contents | depend on it alone to |
//! |---|---|---|
//! | `kern-core` | points, kernels, closure rules, tile engine | write a kernel |
//! | `kern-gram` | Gram operators | write a solver |
//! | `kern-approx` | feature maps | learn in feature space |
//! | `kern-solvers` | solvers and models | |
//! | `kern-data`, `kern-table` | tables from files; tuned, saved models of them: `data` and `table` here, with the feature `table` | learn from tables |
//! | `kern` | this facade | use it all |
//!
//! # Examples
//! Classification, with labels of any type:
//! ```
//! use kern::prelude::*;
//!
//! let x = Samples::from_rows(&[[0.0, 0.0], [0.0, 1.0], [3.0, 3.0], [3.0, 4.0]])?;
//! let y = ["near", "near", "far", "far"];
//! let model = Ridge::on_kernel(Rbf::new(0.5)?).lambda(0.01).fit(&x, &y)?;
//! assert_eq!(model.predict(&Samples::from_rows(&[[0.1, 0.4]])?)?, ["near"]);
//! # Ok::<(), kern::Error>(())
//! ```
//! A custom kernel on a custom struct works with every solver:
//! ```
//! use kern::prelude::*;
//!
//! #[derive(Clone)]
//! struct Recipe { vegan: bool, minutes: f64 }
//!
//! #[derive(Clone)]
//! struct Taste;
//! impl Kernel<Vec<Recipe>> for Taste {
//!     fn eval(&self, x: &Recipe, y: &Recipe) -> f64 {
//!         f64::from(x.vegan == y.vegan) + (-(x.minutes - y.minutes).abs() / 30.0).exp()
//!     }
//! }
//! impl Mercer<Vec<Recipe>> for Taste {}
//!
//! let recipes: Vec<_> = [(true, 10.0), (true, 20.0), (false, 60.0), (false, 90.0)]
//!     .map(|(vegan, minutes)| Recipe { vegan, minutes })
//!     .to_vec();
//! let liked = [true, true, false, false];
//! assert_eq!(Ridge::on_kernel(Taste).fit(&recipes, &liked)?.predict(&recipes)?, liked);
//! assert_eq!(Sgd::on_kernel(Taste).fit(&recipes, &liked)?.predict(&recipes)?, liked);
//! let nearest = KNearest::by_distance(Taste).neighbors(1);
//! assert_eq!(nearest.fit(&recipes, &liked)?.predict(&recipes)?, liked);
//! # Ok::<(), kern::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(no_inline)]
pub use kern_core as core;
pub use kern_core::{
    Bag, Bound, Bounded, Concat, Embedded, Entry, Explicit, Finite, Gather, Geometry, Kernel,
    Mercer, Named, NonNegative, Order, Parameters, Points, Positive, Prepared, Row, Samples,
    Scalar, Scratch, SearchOrder, ShiftInvariant, SinglePrecision, SparseExplicit, SparseMap,
    SparseSamples, SparseTransform, Spectral, Tile, UnitDiagonal, Vectors,
};
#[cfg(feature = "formula")]
pub use kern_core::{
    FamilyParameter, FormulaKernel, FormulaSpectrum, KernelFamily, KernelSpec, MercerFormula,
    SpectralComponent,
};
pub use kern_core::{
    bochner, contract, faer, impl_embedded_kernel, impl_kernel_ops, libsvm, named, parameters,
};
pub use kern_solvers::Error;
#[cfg(feature = "files")]
pub use kern_solvers::file;

#[cfg(feature = "table")]
pub use {kern_data as data, kern_table as table};

pub mod approx;
pub mod closure;
pub mod gram;
pub mod kernels;
pub mod prelude;
pub mod solvers;
