//! The kernels, by type of point: [vectors](self#vectors), trees, graphs, time series, sets, texts
//! and strings, and points of any type.
//!
//! # Vectors
//!
//! | kernel | K(x, y) | Mercer | shift-invariant |
//! |---|---|---|---|
//! | [`Linear`] | xᵀy | yes | |
//! | [`Polynomial`] | (γxᵀy + r)^p | yes | |
//! | [`Rbf`] | exp(−γ‖x − y‖₂²) | yes | yes |
//! | [`ArdRbf`] | exp(−Σγ_j(x_j − y_j)²) | yes | yes |
//! | [`Laplacian`] | exp(−γ‖x − y‖₁) | yes | yes |
//! | [`Exponential`] | exp(−γ‖x − y‖₂) | yes | yes |
//! | [`Matern32`] | (1 + z)exp(−z), z = √3‖x − y‖₂/ℓ | yes | yes |
//! | [`Matern52`] | (1 + z + z²/3)exp(−z), z = √5‖x − y‖₂/ℓ | yes | yes |
//! | [`Matern`] | 2^(1−ν)/Γ(ν)·z^ν·K_ν(z), z = √(2ν)‖x − y‖₂/ℓ | yes | yes |
//! | [`RationalQuadratic`] | (1 + ‖x − y‖₂²/(2αℓ²))^−α | yes | yes |
//! | [`Cauchy`] | ∏1/(1 + γ²(x_j − y_j)²) | yes | yes |
//! | [`Periodic`] | exp(−2Σsin²(π(x_j − y_j)/p)/ℓ²) | yes | yes |
//! | [`Wave`] | ∏cos(2πf_j(x_j − y_j)) | yes | yes |
//! | [`Mahalanobis`] | xᵀAy | yes | |
//! | [`Cosine`] | xᵀy/(‖x‖₂‖y‖₂) | yes | |
//! | [`ArcCosine`] | (‖x‖₂‖y‖₂)ⁿ·J_n(θ)/π, n = 0, 1, 2 | yes | |
//! | [`ChiSquared`] | Σ2x_jy_j/(x_j + y_j), x ≥ 0 | yes | |
//! | [`ExpChiSquared`] | exp(−γΣ(x_j − y_j)²/(x_j + y_j)), x ≥ 0 | yes | |
//! | [`Intersection`] | Σmin(x_j, y_j), x ≥ 0 | yes | |
//! | [`Hellinger`] | Σ√(x_jy_j), x ≥ 0 | yes | |
//! | [`Sigmoid`] | tanh(γxᵀy + r) | **no** | |
//!
//! # Trees
//!
//! Points are [`Tree`]s.
//!
//! | kernel | K(x, y) | Mercer |
//! |---|---|---|
//! | [`Subtree`] | common complete subtrees, λ for each production | yes |
//! | [`SubsetTree`] | common fragments, λ for each production | yes |
//!
//! # Graphs
//!
//! Points are [`Graph`]s; [`AttributedRandomWalk`] acts on [`AttributedGraph`]s.
//!
//! | kernel | K(x, y) | Mercer |
//! |---|---|---|
//! | [`WeisfeilerLehman`] | common neighbourhoods of radius ≤ h | yes |
//! | [`ShortestPath`] | common pairs of nodes at the same distance | yes |
//! | [`RandomWalk`] | Σₖ λ^k · common walks of k steps | yes |
//! | [`AttributedRandomWalk`] | Σₖ λ^k · Σ over common walks of k steps of Π κ(a, a') | κ must be |
//!
//! # Time series
//!
//! Points are [`Samples<f64>`](crate::Samples), with one vector for each time step.
//!
//! | kernel | K(x, y) | Mercer |
//! |---|---|---|
//! | [`GlobalAlignment`] | Σ over alignments of Π κ(xᵢ, yⱼ) | yes |
//! | [`NormalizedGlobalAlignment`] | the same over √(K(x, x)·K(y, y)) | yes |
//!
//! # Sets and bags of words
//!
//! Points are [`Set`]s, such as `Vec<BTreeSet<T>>`, or [`Words`]: strings, or sequences of strings.
//!
//! | kernel | K(x, y) | Mercer |
//! |---|---|---|
//! | [`SetIntersection`] | \|X ∩ Y\| | yes |
//! | [`NormalizedSetIntersection`] | \|X ∩ Y\|/√(\|X\|·\|Y\|), 0/0 = 0 | yes |
//! | [`Jaccard`] | \|X ∩ Y\|/\|X ∪ Y\|, 0/0 = 1 | yes |
//! | [`WordCount`] | Σ_w c_w(x)·c_w(y) | yes |
//! | [`BagOfWords`] | Σ_w min(c_w(x), c_w(y)) | yes |
//! | [`NormalizedBagOfWords`] | Σ_w min(c_w(x), c_w(y))/√(c_w(x)·c_w(y)), 0/0 = 0 | yes |
//!
//! # Strings
//!
//! Points are strings of any type that implements `AsRef<str>`.
//!
//! | kernel | K(x, y) | Mercer |
//! |---|---|---|
//! | [`Spectrum`] | common pieces of k letters, or of 1 to k | yes |
//! | [`Mismatch`] | the same, up to m letters each | yes |
//! | [`Subsequence`] | common subsequences of p letters, gaps weighted | yes |
//! | [`Hamming`] | Σᵢ \[xᵢ = yᵢ\] | yes |
//! | [`HammingRbf`] | exp(−γ·number of different positions) | yes |
//! | [`WeightedDegree`] | common pieces of up to d letters at equal positions | yes |
//!
//! # Any points
//!
//! | kernel | K(x, y) | Mercer |
//! |---|---|---|
//! | [`Delta`] | 1 if x = y, else 0 | yes |
//! | [`White`] | σ² if x = y, else 0 | yes |
//! | [`Constant`] | c | yes |
//! | [`Convolution`] | Σ over pairs of parts p, q of k(p, q) | if k is |
//! | [`Mapping`] | Σ over pairings of parts of Π k(p, q) | **no**, unless [assumed](crate::closure::AssumeMercer) |
//! | [`FnKernel`] | any function | unless [assumed](crate::closure::AssumeMercer), no |

mod constant;
mod convolution;
pub(crate) mod declaration;
mod delta;
mod dual_numbers;
mod fingerprint;
mod function;
mod graphs;
mod mapping;
mod series;
mod sets;
mod strings;
mod trees;
mod vectors;
mod white;

pub use constant::Constant;
pub use convolution::Convolution;
pub(crate) use declaration::Formal;
pub use declaration::{Declaration, Declared};
pub use delta::Delta;
pub use function::FnKernel;
pub use graphs::{
    AttributedGraph, AttributedRandomWalk, Graph, RandomWalk, ShortestPath, WeisfeilerLehman,
};
pub use mapping::Mapping;
pub use series::{GlobalAlignment, NormalizedGlobalAlignment};
pub use sets::{
    BagOfWords, Jaccard, NormalizedBagOfWords, NormalizedSetIntersection, Set, SetIntersection,
    WordCount, Words, words,
};
pub use strings::{Hamming, HammingRbf, Mismatch, Spectrum, Subsequence, WeightedDegree};
pub use trees::{ParseTreeError, SubsetTree, Subtree, Tree};
pub use vectors::{
    ArcCosine, ArdRbf, Cauchy, ChiSquared, Cosine, ExpChiSquared, Exponential, Hellinger,
    Intersection, Laplacian, Linear, Mahalanobis, Matern, Matern32, Matern52, Periodic, Polynomial,
    RationalQuadratic, Rbf, Sigmoid, Wave,
};
pub use white::White;
