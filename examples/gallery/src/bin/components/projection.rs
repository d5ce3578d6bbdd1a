//! Images of digits as two numbers each, by principal components of several kernels.

use anyhow::{Context, Result};
use kern::kernels::Linear;
use kern::solvers::components::KernelPca;
use kern::solvers::{KNearest, Transformer};
use kern::{Kernel, Mercer, Samples};
use kern_gallery::data::Labelled;

/// Neighbours that vote.
const NEIGHBOURS: usize = 15;

/// Images in two dimensions.
#[derive(Debug)]
pub(crate) struct Projection {
    /// The kernel.
    pub(crate) kernel: String,
    /// The share of the variance in feature space that each component explains.
    pub(crate) explained: Vec<f64>,
    /// The images that the components were learned from.
    pub(crate) learned: Samples<f64>,
    /// Other images.
    pub(crate) others: Samples<f64>,
    /// The share of the others whose neighbours in two dimensions know their digit.
    pub(crate) accuracy: f64,
}

/// The first two components of this kernel on some images, and of others in the same place.
///
/// # Errors
/// If the images are fewer than two, or have no component.
pub(crate) fn project<K>(
    name: &str,
    kernel: K,
    (train, test): (&Labelled, &Labelled),
) -> Result<Projection>
where
    K: Kernel<Samples<f64>> + Mercer<Samples<f64>> + Clone,
{
    let model = KernelPca::on_kernel(kernel, 2).fit(&train.points)?;
    let (learned, others) = (model.transform(&train.points)?, model.transform(&test.points)?);
    let neighbours =
        KNearest::by_distance(Linear).neighbors(NEIGHBOURS).fit(&learned, &train.labels)?;
    let accuracy = neighbours.accuracy(&others, &test.labels)?;
    let explained = model.explained_ratio();
    Ok(Projection { kernel: name.to_owned(), explained, learned, others, accuracy })
}

/// The digit of a label.
pub(crate) fn digit(label: &str) -> Result<usize> {
    label.parse().with_context(|| format!("`{label}` is no digit"))
}
