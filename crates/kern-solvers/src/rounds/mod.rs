//! Fits in rounds of sums over samples, for streams from disk and for several machines alike.
//!
//! # Definition
//! The state of a fit on features is [`Rounds`]. In each round it issues a small [`Query`], for
//! example the weights at which gradients are needed. The answer, [`Sums`], is a sum over samples:
//! it is gathered from [blocks](Block) of features, and partial sums may be computed and
//! [merged](Sums::merge) anywhere. [`Rounds::next`] then starts the next round, or ends with an
//! [`Outcome`].
//!
//! | fit | sums of a round | number of rounds |
//! |---|---|---|
//! | [`Rounds::ridge`] | Σβzzᵀ, Σβz, Σβzyᵀ | 1 |
//! | [`Rounds::components`] | Σβzzᵀ, Σβz | 1 |
//! | [`Rounds::descent`]: logistic, softmax, squared hinge, squared ε-insensitive, Huber | the same once, then Σβℓ and Σβzℓ' | about 10 to 40, more where λ is small |
//! | [`Rounds::k_means`] | Σβz and Σβ for each cluster | as Lloyd's algorithm |
//! | a [metric](MetricQuery) on landmarks, alternating with ridge regression | Σβ∇f∇fᵀ | as many as requested |
//!
//! The serialised state is the checkpoint of the fit: after deserialisation the fit continues with
//! the same bits. The bits of a fit depend on how samples are divided into blocks and on the order
//! in which sums are merged, but neither on the number of threads nor on where sums are gathered.
//! Lost sums are gathered again.
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
//!         // A worker does this.
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
