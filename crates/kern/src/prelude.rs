//! The names that almost every program needs: `use kern::prelude::*`.
//!
//! | not in the prelude | module |
//! |---|---|
//! | the error type, more traits of points and kernels | the [root](crate) |
//! | all other kernels; bandwidths | [`kernels`](crate::kernels) |
//! | closure rules: `AssumeMercer`, `Normalized`, `PullBack` | [`closure`](crate::closure) |
//! | feature maps: `Nystrom`, `RandomFourier` | [`approx`](crate::approx) |
//! | other learners, types of models, `Progress`, `Status` | [`solvers`](crate::solvers) |
//! | `Noise`, `Fixed` | [`gaussian_process`](crate::solvers::gaussian_process) |
//! | `MinMax`, `Featurize`, other steps | [`pipeline`](crate::solvers::pipeline) |
//! | `Tune`, `Axis` | [`search`](crate::solvers::search) |
//! | `cross_validate`, `Split`, `Score`, scores | [`validation`](crate::solvers::validation) |
//!
//! `Error`, `Progress`, `Status` and `Noise` are left out since programs have their own types of
//! these names.

pub use crate::approx::FeatureMap;
#[cfg(feature = "files")]
pub use crate::file::Save;
pub use crate::gram::{GramOperator, MemoryBudget};
pub use crate::kernels::Rbf;
pub use crate::solvers::pipeline::Standardize;
pub use crate::solvers::{
    Data, FeatureMachine, GaussianProcess, KMeans, KNearest, Learner, Logistic, Model, Ridge, Run,
    Sgd, Svc,
};
pub use crate::{Kernel, Mercer, Points, Samples, SparseSamples};
