//! Approximate feature maps: K(x, y) ≈ ψ(x)ᵀψ(y) with ψ: 𝒳 → R^D.
//!
//! With D features instead of n × n kernel values, a solver works in O(nD) memory or less, and a
//! linear model on ψ(x) is a model with the kernel K. The families:
//!
//! - [`RandomFourier`]: random frequencies of a shift-invariant kernel, composites included. Knows
//!   nothing of the data; the error shrinks like D^{−1/2}.
//! - [`RandomMaclaurin`] and, with the feature `sketch`, `TensorSketch`: random features of kernels of xᵀy.
//! - `SketchedTensor`, with the feature `sketch`: features of a product of kernels from features of both.
//! - [`SampledAdditive`]: deterministic features of χ², intersection and Jensen–Shannon kernels.
//! - [`Nystrom`]: the projection of K onto landmarks, which are points of the data. Works for any
//!   Mercer kernel on any points, and for Gram matrices; 0 ⪯ G_nys ⪯ G but for rounding, so that
//!   the trace of what is left is the error.
//!
//! [`statistics`] holds mergeable sums over samples, which are all that a solver on features needs
//! of the data, and [`machine`] measures the speed of kernels and features on this machine.
//!
//! [`bounds`] relates errors to numbers of random features, and [`choose()`](choose::choose)
//! selects a family and a size. All families implement [`FeatureMap`], which supports streaming;
//! [`transform`] and related functions apply it to a collection, in parallel and with the same bits
//! for any number of threads.
//!
//! # Examples
//! ```
//! use kern_approx::{Nystrom, RandomFourier, transform};
//! use kern_core::{Kernel, Points, Samples, kernels::Rbf};
//! use kern_gram::MemoryBudget;
//!
//! let budget = MemoryBudget::mebibytes(1);
//! let x = Samples::from_rows(&[[0.0, 0.1], [0.4, 0.3], [0.9, 0.5]])?;
//! let kernel = Rbf::new(0.5)?;
//! let exact = Kernel::<Samples<f64>>::eval(&kernel, x.item(0), x.item(2));
//! let inner = |z: &Samples<f64>| -> f64 {
//!     z.item(0).iter().zip(z.item(2)).map(|(a, b)| a * b).sum()
//! };
//!
//! let fourier = RandomFourier::new(kernel).dim(4096).seed(1).sample(2)?;
//! assert!((inner(&transform(&fourier, &x, &budget)?) - exact).abs() < 0.05);
//!
//! let nystrom = Nystrom::new(kernel).landmarks(3).fit(&x, &budget)?;
//! assert!((inner(&transform(&nystrom, &x, &budget)?) - exact).abs() < 1e-12);
//! # Ok::<(), kern_approx::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod additive;
pub mod bounds;
mod centred;
pub mod choose;
mod error;
mod fourier;
pub mod landmarks;
pub mod machine;
mod names;
mod nystrom;
mod panels;
mod random_maclaurin;
#[cfg(feature = "sketch")]
mod sketch;
pub mod statistics;
pub mod tolerance;
mod transform;

pub use additive::{AdditiveKernel, AdditiveMap, SampledAdditive};
pub use centred::CentredMap;
pub use error::Error;
pub use fourier::{FourierForm, FourierMap, RandomFourier, Sampling, Structure, StructuredMap};
pub use kern_core::{FeatureMap, Identity};
pub use nystrom::{
    Nystrom, NystromFit, NystromGram, NystromMap, NystromReport, PivotedCholesky, Selection,
};
pub use random_maclaurin::{DotProduct, MaclaurinMap, RandomMaclaurin};
#[cfg(feature = "sketch")]
pub use sketch::{SketchMap, SketchedTensor, SketchedTensorMap, TensorSketch};
pub use transform::{transform, transform_indices_into, transform_into, transformed_shape};
