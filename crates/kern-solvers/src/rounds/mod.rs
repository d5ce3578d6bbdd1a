//! Fits that are sums over samples, round after round: the same for a stream from a disk and for many machines.
//!
//! # Definition
//! A fit on features is a machine of [`Rounds`]. In each round it asks a [`Query`], a few numbers such as the weights at which
//! gradients are wanted; the answer, [`Sums`], is a sum over samples, gathered part by part from [blocks](Block) of features
//! and [merged](Sums::merge) in any place; and [`Rounds::next`] goes on to the next round, or ends with an [`Outcome`].
//!
//! | fit | in a round | rounds |
//! |---|---|---|
//! | [`Rounds::ridge`] | Σβzzᵀ, Σβz, Σβzyᵀ | 1 |
//! | [`Rounds::components`] | Σβzzᵀ, Σβz | 1 |
//! | [`Rounds::descent`]: logistic, softmax, squared hinge, squared ε-insensitive, Huber | the same once, then Σβℓ and Σβzℓ' | about 10 to 40, more where λ is small |
//! | [`Rounds::k_means`] | Σβz and Σβ for each cluster | as Lloyd's algorithm |
//! | a [metric](MetricQuery) of landmarks: ridge regression and this in turn | Σβ∇f∇fᵀ | as many as are wanted |
//!
//! A machine that is serialised is the checkpoint of its fit: read again, it goes on with the same bits. The bits of a fit
//! depend on how samples are cut into blocks, and on the order in which sums are merged; neither on threads nor on who gathers
//! them. Sums that are lost are gathered again.
//!
//! # Examples
//! ```
//! use kern_core::faer::{Mat, mat};
//! use kern_gram::MemoryBudget;
//! use kern_solvers::rounds::{Block, Next, Rounds};
//! // Features of four samples, in two parts, and their targets, y = 1 + 2z.
//! let parts = [(mat![[0.0, 1.0]], mat![[1.0], [3.0]]), (mat![[2.0, 5.0]], mat![[5.0], [11.0]])];
//! let memory = MemoryBudget::mebibytes(1);
//! let mut rounds = Rounds::ridge(1, 1, 1e-12, true)?;
//! let line = loop {
//!     let query = rounds.query();
//!     let mut total = query.sums(&memory)?;
//!     for (z, y) in &parts {
//!         // This is the task of a worker.
//!         let mut sums = query.sums(&memory)?;
//!         query.gather(&mut sums, &Block::new(z.as_ref(), y.as_ref()), &memory)?;
//!         total.merge(&sums)?;
//!     }
//!     match rounds.next(total, &memory)? {
//!         Next::Round(next) => rounds = next,
//!         Next::Done(outcome) => break outcome.functions().ok_or(kern_solvers::Error::Empty)?,
//!     }
//! };
//! assert!((line.weights[(0, 0)] - 2.0).abs() < 1e-9 && (line.intercepts[0] - 1.0).abs() < 1e-9);
//! # Ok::<(), kern_solvers::Error>(())
//! ```

mod component_rounds;
mod descent_certificate;
mod descent_rounds;
mod fit_in_rounds;
mod k_means_rounds;
mod lbfgs_search;
mod loss_gradient;
mod query;
mod ridge_rounds;

pub use crate::feature_machine::{LearnedMetric, MetricQuery, OuterSums};
pub use component_rounds::PrincipalAxes;
pub use descent_rounds::DescentRounds;
pub use fit_in_rounds::{Functions, Next, Outcome, Rounds, State};
pub use k_means_rounds::{Centroids, KMeansRounds};
pub use loss_gradient::{Objective, SlopeSums};
pub use query::{Block, Query, Sums};
