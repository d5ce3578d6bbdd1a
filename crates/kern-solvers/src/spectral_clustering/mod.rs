//! Spectral clustering: k-means on the leading eigenvectors of the normalised kernel matrix.
//!
//! # Definition
//! With weights β, degrees dᵢ = ΣⱼβⱼK(xᵢ, xⱼ) and N = B^½D^{−½}KD^{−½}B^½, the k clusters
//! approximately minimise the normalised cut Σ_c (1 − Σ_{i,j∈c} βᵢβⱼK(xᵢ, xⱼ)/Σ_{i∈c} βᵢdᵢ). A
//! lower bound on it is k − Σλ_p over the k largest eigenvalues of N. The rows u(xᵢ) ∈ R^k of their
//! eigenvectors, the spectral embedding, are clustered by k-means. A new point is embedded at
//! u_p(x) = Σⱼ βⱼK(x, xⱼ)u_p(xⱼ)/(λ_p√(d(x)dⱼ)); for a training point this is its own row.
//!
//! | space | eigenvectors | flops |
//! |---|---|---|
//! | a kernel | by a block Krylov space, as for [components](crate::components) | about 10 products with 8 to 32 vectors |
//! | landmarks, features | of ΨᵀBD^{−1}Ψ, a sum over points | nD² + 9D³ |
//!
//! **Report.** The objective is the normalised cut of the clusters, and the gap is its distance
//! from the lower bound.
//!
//! # References
//! Shi & Malik (2000), *Normalized Cuts and Image Segmentation*; Ng, Jordan & Weiss (2001), *On
//! Spectral Clustering: Analysis and an Algorithm*; von Luxburg (2007), *A Tutorial on Spectral
//! Clustering*; Bengio, Delalleau, Le Roux, Paiement, Vincent & Ouimet (2004), *Learning
//! Eigenfunctions Links Spectral Embedding and Kernel PCA*, for new points.

mod feature_cut;
mod normalised_cut;
mod spectral_embedding;

pub use normalised_cut::{SpectralClustering, SpectralSpace};
pub use spectral_embedding::SpectralClusters;
