//! Peers of smartcore.

mod knn;
mod svm;
mod svr;

use anyhow::{Result, anyhow};
use kern_core::{Points, Samples};
use kern_rust_peers::serve::{Peer, serve};
use kern_rust_peers::svm::Expansion;
use serde::{Deserialize, Serialize};
use smartcore::error::Failed;
use smartcore::linalg::basic::matrix::DenseMatrix;

#[rustfmt::skip]
const PEERS: &[Peer] = &[
    ("svm", "svc", kern_rust_peers::svm::fit::<svm::Machine>),
    ("svm_predict", "svc", kern_rust_peers::svm::predict::<svm::Machine>),
    ("svr", "svr", svr::svr),
    ("knn", "linear_search", knn::linear_search),
    ("knn", "cover_tree", knn::cover_tree),
];

fn main() -> Result<()> {
    serve(PEERS)
}

/// Points as smartcore wants them.
fn matrix(x: &Samples<f64>) -> Result<DenseMatrix<f64>> {
    const COLUMN_MAJOR: bool = false;
    let matrix = DenseMatrix::new(x.len(), x.dim(), x.as_slice().to_vec(), COLUMN_MAJOR);
    matrix.map_err(failed)
}

fn failed(error: Failed) -> anyhow::Error {
    anyhow!("{error}")
}

/// The parts of a machine. It tells them to nobody but serde.
fn expansion(machine: &impl Serialize) -> Result<Expansion> {
    #[derive(Deserialize)]
    struct Parts {
        instances: Vec<Vec<f64>>,
        w: Vec<f64>,
    }
    let Parts { instances, w } = serde_json::from_value(serde_json::to_value(machine)?)?;
    Ok((Samples::from_rows(&instances)?, w))
}
