//! Principal components on a kernel.

use super::Components;
use super::centred::Centred;
use super::eigen::{Found, distances, gram, greatest, orient, residual};
use super::fit::{ComponentSpace, Task, significant};
use super::krylov::Search;
use crate::design::Design;
use crate::differences::ByDifferences;
use crate::model::KernelExpansion;
use crate::space::OnKernel;
use crate::{Error, Report, Run, tolerance};
use faer::MatRef;
use kern_core::closure::AssumeMercer;
use kern_core::{Mercer, Points, Scalar};

impl<P: Points, K: Mercer<P> + Clone> ComponentSpace<P> for OnKernel<K> {
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<KernelExpansion<P, K>>, Error> {
        let Task { settings, points, weights } = *task;
        let design = Design::new((), points, weights.map(<[f64]>::to_vec), false)?;
        let (kernel, points) = (&self.kernel, design.points());
        kernel.check(points)?;
        let n = points.len();
        Error::check_most("the number of components", settings.components, n)?;
        let search = Search {
            size: n,
            count: settings.components,
            tolerance: residual::<P::Scalar>(settings.tolerance),
            max_iterations: settings.max_iterations,
            seed: settings.seed,
        };
        let compared = ByDifferences::of(kernel);
        let used = AssumeMercer(compared.kernel());
        let (gram, _) = gram((&used, points), (&search, 0), run)?;
        let centred = Centred::new(&*gram, &design);
        let found = greatest(&search, &centred, run)?;
        finish((kernel, compared.is_apart()), points, &centred, found)
    }

    fn coefficients(function: &KernelExpansion<P, K>) -> Option<MatRef<'_, P::Scalar>> {
        Some(function.coefficients())
    }
}

/// The model of eigenpairs, with their residuals from one product more.
fn finish<P, K>(
    (kernel, is_apart): (&K, bool),
    points: &P,
    centred: &Centred<'_, P::Scalar>,
    mut found: Found<P::Scalar>,
) -> Result<Components<KernelExpansion<P, K>>, Error>
where
    P: Points,
    K: Mercer<P> + Clone,
{
    let n = points.len();
    let scale = found.values.first().map_or(0.0, |value| value.abs()).max(centred.greatest());
    check_sign::<P::Scalar>(found.least, scale)?;
    let count = significant(&found.values, n as f64 * P::Scalar::UNIT_ROUNDOFF * scale)?;
    found.vectors.resize_with(n, count, |_, _| P::Scalar::ZERO);
    orient(&mut found.vectors);
    let (images, means) = centred.apply_with_means(found.vectors.as_ref())?;
    let residuals = distances(&found, &images);
    let total = centred.trace(&means);
    let mut vectors = found.vectors;
    for (p, value) in found.values[..count].iter().enumerate() {
        let scale = P::Scalar::from_f64(1.0 / value.sqrt());
        vectors.col_as_slice_mut(p).iter_mut().for_each(|u| *u *= scale);
    }
    centred.spread(vectors.as_mut());
    vectors.resize_with(n, count + 1, |i, _| P::Scalar::from_f64(-2.0 * centred.shares()[i]));
    let offset = |p: usize| {
        let pairs = vectors.col(p).iter().zip(&means);
        let sum: f64 = pairs.map(|(c, mean)| c.to_f64() * mean).sum();
        // ‖μ‖² = pᵀKp for the last, whose coefficients are −2p.
        P::Scalar::from_f64(if p < count { -sum } else { -0.5 * sum })
    };
    let offsets = (0..=count).map(offset).collect();
    let function = KernelExpansion::new(kernel.clone(), points, vectors.as_ref())?;
    let function = if is_apart { function.by_differences() } else { function };
    let values = found.values[..count].to_vec();
    let objective = (total - values.iter().sum::<f64>()).max(0.0);
    let report = Report::new(found.status, found.iterations, objective, None);
    let evidence = (values, residuals);
    let sums = (total, centred.weight);
    Ok(Components::new(function.with_intercepts(offsets), evidence, sums, report))
}

/// Refuses a matrix with a negative eigenvalue that rounding of its values, up to `scale`, does not explain: its components are those of no
/// feature space.
fn check_sign<T: Scalar>(least: f64, scale: f64) -> Result<(), Error> {
    let allowed = -tolerance::indefinite::<T>() * scale;
    match least < allowed {
        true => Err(kern_core::Error::Indefinite { eigenvalue: least, allowed }.into()),
        false => Ok(()),
    }
}
