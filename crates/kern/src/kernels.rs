//! The kernels. See [`closure`](crate::closure) for combining them into new ones.

#[doc(inline)]
pub use kern_core::bandwidth;
#[doc(inline)]
pub use kern_core::kernels::{
    ArcCosine, ArdRbf, Cauchy, ChiSquared, Constant, Cosine, Delta, ExpChiSquared, Exponential,
    FnKernel, Hellinger, Intersection, Laplacian, Linear, Mahalanobis, Matern, Matern32, Matern52,
    Periodic, Polynomial, RationalQuadratic, Rbf, Sigmoid, Wave, White,
};

#[doc(inline)]
pub use kern_core::kernels::{
    AttributedGraph, AttributedRandomWalk, Convolution, Graph, Mapping, ParseTreeError, RandomWalk,
    ShortestPath, SubsetTree, Subtree, Tree, WeisfeilerLehman,
};
#[doc(inline)]
pub use kern_core::kernels::{
    BagOfWords, Jaccard, NormalizedBagOfWords, NormalizedSetIntersection, Set, SetIntersection,
    WordCount, Words, words,
};
#[doc(inline)]
pub use kern_core::kernels::{GlobalAlignment, NormalizedGlobalAlignment};
#[doc(inline)]
pub use kern_core::kernels::{
    Hamming, HammingRbf, Mismatch, Spectrum, Subsequence, WeightedDegree,
};
