//! The names that almost every program needs: `use kern::prelude::*`.

pub use crate::approx::FeatureMap;
pub use crate::gram::{GramOperator, MemoryBudget};
pub use crate::kernels::Rbf;
pub use crate::solvers::{Data, FeatureMachine, GaussianProcess, Learner, Model, Ridge, Run, Svc};
pub use crate::{Kernel, Mercer, Points, Samples, SparseSamples};
