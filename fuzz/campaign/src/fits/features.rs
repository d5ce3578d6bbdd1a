//! Feature maps whose type is not known any more, so that learners on features are compiled once.

use super::Formula;
use crate::{Case, Draws, memory, panics};
use kern_approx::{Nystrom, RandomFourier};
use kern_core::faer::MatMut;
use kern_core::feature_map::Monomials;
use kern_core::kernels::Polynomial;
use kern_core::{Error, FeatureMap, Identity, Samples, Scalar, Scratch};
use kern_gram::MemoryBudget;
use std::ops::Range;
use std::sync::Arc;

/// A feature map of some kind.
#[derive(Clone)]
pub(super) struct Map<T: Scalar>(Arc<dyn FeatureMap<Samples<T>>>);

impl<T: Scalar> FeatureMap<Samples<T>> for Map<T> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn transform_into(
        &self,
        points: &Samples<T>,
        range: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.0.transform_into(points, range, out, scratch);
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        self.0.check(points)
    }
}

/// Features of these points: of the kernel, by frequencies or landmarks, or the coordinates and their products.
pub(super) fn draw<T: Scalar>(
    kernel: &Formula<T>,
    x: &Samples<T>,
    draws: &mut Draws<'_>,
    case: &mut Case,
) -> Option<Map<T>> {
    let count = draws.one_of(&[1, 2, 8, 8, 20, 64, usize::MAX, 0]);
    let style = draws.below(4);
    case.note(format!("features of kind {style}, {count} of them"));
    memory::limit(None);
    let made = panics::caught(|| -> Option<Map<T>> {
        Some(Map(match style {
            0 => Arc::new(RandomFourier::new(kernel.clone()).dim(count).sample(x.dim()).ok()?),
            1 => {
                let nystrom = Nystrom::new(kernel.clone()).landmarks(count);
                Arc::new(nystrom.fit(x, &MemoryBudget::mebibytes(8)).ok()?)
            }
            2 if x.dim() <= 8 => {
                let polynomial = Polynomial::new(0.5, 1.0, 2).ok()?;
                Arc::new(Monomials::new(&polynomial, x.dim()).ok()?)
            }
            _ => Arc::new(Identity::new(x.dim())),
        }))
    });
    made.unwrap_or_else(|panic| {
        case.find("panic", panic.place, format!("{} in features", panic.message));
        None
    })
}
