//! The kernel matrix that rustyml's machines are fitted with: a product, then exp.

use crate::array;
use anyhow::Result;
use kern_rust_peers::case::{Case, Judged};
use kern_rust_peers::gram::judge;
use rustyml::machine_learning::types::{Gamma, KernelType};

pub fn compute_matrix(case: &mut Case<'_>) -> Result<Judged> {
    let (x, gamma) = (case.samples("x")?, Gamma::Value(case.number("gamma")?));
    let (points, kernel) = (array(&x)?, KernelType::RBF { gamma });
    let (judged, gram) = case.measure(|| Ok(kernel.compute_matrix(&points, &points)))?;
    judge(case, judged, &x, gram.as_slice())
}
