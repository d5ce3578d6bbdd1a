//! The names that almost every program needs: `use kern::prelude::*`.

pub use crate::approx::FeatureMap;
pub use crate::gram::{GramOperator, MemoryBudget};
pub use crate::solvers::{Data, Learner, Model, Run};
pub use crate::{Kernel, Mercer, Points, Samples, SparseSamples};
