//! Spectral clustering: clusters by the greatest eigenvectors of the normalised kernel matrix.
//!
//! # Definition
//! With weights β, degrees dᵢ = ΣⱼβⱼK(xᵢ, xⱼ) and N = B^½D^{−½}KD^{−½}B^½, the k clusters minimise the normalised cut
//! Σ_c (1 − Σ_{i,j∈c} βᵢβⱼK(xᵢ, xⱼ)/Σ_{i∈c} βᵢdᵢ), of which k − Σλ_p over the k greatest eigenvalues of N is a lower bound. The rows of
//! their eigenvectors, u(xᵢ) ∈ R^k, are divided by k-means; a new point has the row
//! u_p(x) = Σⱼ βⱼK(x, xⱼ)u_p(xⱼ)/(λ_p√(d(x)dⱼ)), which of a point of the fit is its own.
//!
//! | space | eigenvectors by | flops |
//! |---|---|---|
//! | a kernel | a block Krylov space, as [components](crate::components) | some 10 products with 8 to 32 vectors |
//! | landmarks, features | those of ΨᵀBD^{−1}Ψ, from sums over points | nD² + 9D³ |
//!
//! **Report.** The objective is the normalised cut of the clusters, and the gap is what lies between it and the bound.
//!
//! # References
//! Shi & Malik (2000), *Normalized Cuts and Image Segmentation*; Ng, Jordan & Weiss (2001), *On Spectral Clustering: Analysis and an
//! Algorithm*; von Luxburg (2007), *A Tutorial on Spectral Clustering*; Bengio, Delalleau, Le Roux, Paiement, Vincent & Ouimet (2004),
//! *Learning Eigenfunctions Links Spectral Embedding and Kernel PCA*, for new points.

mod feature_cut;
mod normalised_cut;
mod spectral_embedding;

pub use normalised_cut::{SpectralClustering, SpectralSpace};
pub use spectral_embedding::SpectralClusters;
