//! The definitions of the kern library: points, kernels, closure rules, and the tile engine.
//!
//! A kernel is a function K: 𝒳 × 𝒳 → R that is an inner product of features,
//! K(x, y) = ⟨φ(x), φ(y)⟩. This crate says what points of a set 𝒳 are ([`Points`]), what a kernel
//! on them is ([`Kernel`], [`Mercer`]), which ones there are ([`kernels`]), how kernels make new
//! kernels ([`closure`]), and how a rectangle of kernel values is computed fast ([`tile`]).
//!
//! It is the crate to depend on for writing a kernel of your own; the layers above (`kern-gram`,
//! `kern-approx`, `kern-solvers`) accept it like any other. [`contract`] checks that it keeps
//! the rules.
//!
//! # Examples
//! ```
//! use kern_core::{Kernel, Samples, kernels::{Linear, Rbf}};
//! let k = Rbf::new(0.5)? + 0.1 * Linear;
//! assert_eq!(k.to_string(), "rbf(gamma=0.5) + 0.1*linear");
//! let value = Kernel::<Samples<f64>>::eval(&k, &[1.0, 0.0], &[0.0, 1.0]);
//! assert!((value - (-1.0_f64).exp()).abs() < 1e-15);
//! # Ok::<(), kern_core::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "formula"),
    allow(
        dead_code,
        unused_imports,
        reason = "formulas alone ask for a part of what kernels declare"
    )
)]

// What `compiled_once` writes names the crate, here too.
extern crate self as kern_core;

pub mod bandwidth;
mod binding;
pub mod bochner;
pub mod closure;
pub mod contract;
mod differences;
mod eigen;
pub mod embedding;
mod error;
mod facts;
pub mod feature_map;
pub mod gradient;
mod kernel;
pub mod kernels;
pub mod libsvm;
pub mod memory;
pub mod named;
pub mod parameters;
mod points;
#[doc(hidden)]
pub mod products;
mod rough;
pub mod serde_mat;
mod simd;
mod sparse_map;
#[cfg(feature = "formula")]
mod spec;
mod spectral;
pub mod tile;
pub mod tolerance;
mod validated;
mod values;

pub use binding::Binding;
pub use eigen::{symmetric_eigen, symmetric_eigen_bytes};
pub use embedding::{Bag, Embedded};
pub use error::Error;
pub use facts::{Bounded, ShiftInvariant, UnitDiagonal};
pub use faer;
pub use feature_map::{Explicit, FeatureMap, Identity};
pub use kern_macros::compiled_once;
pub use kernel::{Kernel, Mercer};
pub use named::Named;
pub use parameters::Parameters;
pub use points::{
    Concat, Entry, Gather, OnceOfPoints, Points, Row, Samples, SparseSamples, Vectors,
};
pub use rand;
pub use rough::{Geometry, Hits, Quantised, Rough};
#[doc(hidden)]
pub use simd::arch as instruction_set;
pub use simd::{Once, Scalar};
pub use sparse_map::{SparseExplicit, SparseMap, SparseTransform};
#[cfg(feature = "formula")]
pub use spec::{
    FamilyParameter, FormulaKernel, FormulaSpectrum, KernelFamily, KernelSpec, MercerFormula,
    SpecPoints, SpectralComponent,
};
pub use spectral::Spectral;
pub(crate) use tile::order;
pub use tile::{Bound, Order, Scratch, Tile};
pub use validated::{Decay, Finite, NonNegative, Positive};
