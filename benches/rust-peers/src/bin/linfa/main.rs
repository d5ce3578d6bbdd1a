//! Peers of linfa.

mod gram_rbf;
mod knn;
mod svm;
mod svr;

use anyhow::Result;
use kern_rust_peers::serve::{Peer, serve};

#[rustfmt::skip]
const PEERS: &[Peer] = &[
    ("gram_rbf", "dense_kernel", gram_rbf::dense_kernel),
    ("svm", "svc", kern_rust_peers::svm::fit::<svm::Svc>),
    ("svm_predict", "svc", kern_rust_peers::svm::predict::<svm::Svc>),
    ("svr", "svr", svr::svr),
    ("knn", "linear_search", knn::linear_search),
    ("knn", "kd_tree", knn::kd_tree),
    ("knn", "ball_tree", knn::ball_tree),
];

fn main() -> Result<()> {
    serve(PEERS)
}

/// Points as linfa wants them.
fn array<T: kern_core::Scalar>(x: &kern_core::Samples<T>) -> Result<ndarray_016::Array2<T>> {
    use kern_core::Points;
    Ok(ndarray_016::Array2::from_shape_vec((x.len(), x.dim()), x.as_slice().to_vec())?)
}
