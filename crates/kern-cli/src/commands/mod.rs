//! The commands, one file each.

pub(crate) mod cluster;
pub(crate) mod evaluate;
pub(crate) mod inspect;
pub(crate) mod kernels;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod train;

use anyhow::Result;
use kern_solvers::file::Save;
use kern_table::TableModel;
use std::path::Path;

/// Reads a model.
fn model(path: &Path) -> Result<TableModel> {
    Ok(TableModel::load(path)?)
}
