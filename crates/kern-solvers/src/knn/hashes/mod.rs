//! Locality-sensitive hashing in the feature space of a kernel.
//!
//! Notation: m landmarks; ψ(x) = L⁻¹k_x their Nyström features, k_x the kernel values of x with them, LLᵀ their Gram matrix;
//! w standard normal.
//!
//! **Definition.** A bit of x is the sign of ⟨w, ψ(x)⟩ = ⟨L⁻ᵀw, k_x⟩, so each bit is a combination of kernel values. Bits of
//! two points at an angle θ between their features are equal with probability 1 − θ/π (Goemans & Williamson 1995; Charikar 2002).
//! A table files all points under the number that some bits make. A query is compared with the points that share its number in any
//! of the tables.
//!
//! The hashes of Kulis & Grauman, of weights K^{−1/2}e_S, are the same but for w, which they draw as a sum over some
//! landmarks S, and normal in the limit only.

mod build;
mod look_up;
mod params;

pub use params::KernelHashes;

use faer::Mat;
use kern_core::Points;

/// The tables of some points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hashes<P: Points> {
    landmarks: P,
    /// L⁻ᵀw of all bits of all tables: landmarks × bits.
    weights: Mat<P::Scalar>,
    tables: Vec<Table>,
    params: KernelHashes,
}

/// All points in the order of their codes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Table {
    /// In order, equal ones in that of the points.
    codes: Vec<u64>,
    /// The point of each.
    points: Vec<usize>,
}

impl Table {
    fn new(codes: impl Iterator<Item = u64>) -> Self {
        let mut entries: Vec<(u64, usize)> = codes.zip(0..).collect();
        entries.sort_unstable();
        let (codes, points) = entries.into_iter().unzip();
        Self { codes, points }
    }

    /// The points with this code.
    fn get(&self, code: u64) -> &[usize] {
        let start = self.codes.partition_point(|&other| other < code);
        let len = self.codes[start..].partition_point(|&other| other == code);
        &self.points[start..start + len]
    }
}

/// The code of these margins.
fn code<T: kern_core::Scalar>(margins: impl Iterator<Item = T>) -> u64 {
    margins.enumerate().fold(0, |code, (bit, margin)| code | u64::from(margin > T::ZERO) << bit)
}
