//! Kernel k-means by small batches, with centres of a bounded number of points.

mod centre;
mod fit;

pub(super) use fit::divide;
