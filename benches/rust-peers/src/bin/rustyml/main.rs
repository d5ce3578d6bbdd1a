//! Peers of rustyml. It shares what it does among the threads of rayon by itself.

mod gram_rbf;
mod svm;

use anyhow::Result;
use kern_core::{Points, Samples};
use kern_rust_peers::serve::{Peer, serve};
use ndarray_017::Array2;

#[rustfmt::skip]
const PEERS: &[Peer] = &[
    ("gram_rbf", "compute_matrix", gram_rbf::compute_matrix),
    ("svm", "svc", kern_rust_peers::svm::fit::<svm::Machine>),
    ("svm_predict", "svc", kern_rust_peers::svm::predict::<svm::Machine>),
];

fn main() -> Result<()> {
    serve(PEERS)
}

/// Points as rustyml wants them.
fn array(x: &Samples<f64>) -> Result<Array2<f64>> {
    Ok(Array2::from_shape_vec((x.len(), x.dim()), x.as_slice().to_vec())?)
}
