//! Comparison of kinds of features on a sample of the points.

use super::choice::cost;
use super::{Choice, Evidence, Kind};
use crate::nystrom::uniform;
use crate::transform::transform;
use crate::{Error, FeatureMap, FourierForm, Nystrom, RandomFourier, Sampling, Structure};
use faer::{Accum, MatRef};
use kern_core::products::matmul;
use kern_core::{Mercer, Points, Samples, Scalar, Spectral};
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The largest number of points in the sample.
const POINTS: usize = 256;
/// The number of maps drawn for each kind.
const MAPS: u64 = 3;
/// Errors within this factor count as equal: the measurement is no more accurate.
const ALIKE: f64 = 1.1;

/// Draws a map from a seed.
pub(super) type Draw<'a, T> =
    Box<dyn Fn(u64) -> Result<Box<dyn FeatureMap<Samples<T>> + 'a>, Error> + 'a>;

/// Features that are compared: their kind, their number, and how to draw them.
pub(super) struct Candidate<'a, T: Scalar> {
    pub(super) kind: Kind,
    pub(super) dim: usize,
    pub(super) draw: Draw<'a, T>,
}

pub(super) fn spectral<T, K>(
    kernel: &K,
    points: &Samples<T>,
    dim: usize,
    budget: &MemoryBudget,
) -> Result<Choice, Error>
where
    T: Scalar,
    K: Spectral + Mercer<Samples<T>>,
{
    let d = points.dim();
    let even = dim - dim % 2;
    let fourier = move |form, sampling, dim| -> Candidate<'_, T> {
        let params = RandomFourier::new(kernel).form(form).sampling(sampling).dim(dim);
        let draw = move |seed| Ok(Box::new(params.clone().seed(seed).sample(d)?) as Box<_>);
        Candidate { kind: Kind::Fourier { form, sampling }, dim, draw: Box::new(draw) }
    };
    let structured = move |structure| -> Candidate<'_, T> {
        let params = RandomFourier::new(kernel).dim(even);
        let draw = move |seed| {
            Ok(Box::new(params.clone().seed(seed).sample_structured(structure, d)?) as Box<_>)
        };
        Candidate { kind: Kind::Structured(structure), dim: even, draw: Box::new(draw) }
    };
    let mut candidates = vec![fourier(FourierForm::Phase, Sampling::Independent, dim)];
    if even > 0 {
        let sampled = |sampling| fourier(FourierForm::Paired, sampling, even);
        candidates.push(sampled(Sampling::Independent));
        if kernel.is_isotropic() {
            candidates.push(sampled(Sampling::Orthogonal));
            candidates.extend([Structure::Orthogonal, Structure::Fastfood].map(structured));
        }
        candidates.push(sampled(Sampling::Quasi));
    }
    candidates.push(nystrom(kernel, points, dim, budget));
    best(kernel, points, candidates, 0, budget)
}

pub(super) fn nystrom<'a, T, K>(
    kernel: &'a K,
    points: &'a Samples<T>,
    dim: usize,
    budget: &'a MemoryBudget,
) -> Candidate<'a, T>
where
    T: Scalar,
    K: Mercer<Samples<T>>,
{
    let landmarks = dim.min(points.len());
    let draw = move |seed| {
        let params = Nystrom::new(kernel).landmarks(landmarks).seed(seed);
        Ok(Box::new(params.fit(points, budget)?) as Box<_>)
    };
    Candidate { kind: Kind::Nystrom, dim: landmarks, draw: Box::new(draw) }
}

/// The cheapest candidate among those with about the smallest measured error. `degree` is the
/// degree of a polynomial kernel.
pub(super) fn best<T, K>(
    kernel: &K,
    points: &Samples<T>,
    candidates: Vec<Candidate<'_, T>>,
    degree: u32,
    budget: &MemoryBudget,
) -> Result<Choice, Error>
where
    T: Scalar,
    K: Mercer<Samples<T>>,
{
    let sample = some(points)?;
    let exact = DenseGram::new(kernel, &sample, budget)?;
    let mut measured = Vec::new();
    let mut refused = None;
    for Candidate { kind, dim, draw } in candidates {
        // A map that cannot be drawn for this kernel or within this budget is no candidate.
        match error(&draw, &sample, exact.as_mat(), budget) {
            Ok(error) => measured.push((kind, dim, error)),
            Err(error) => refused = Some(error),
        }
    }
    let Some(smallest) = measured.iter().map(|m| m.2).min_by(f64::total_cmp) else {
        return Err(refused.unwrap_or(Error::Zero { what: "the number of features" }));
    };
    let price = |kind, dim| cost(kind, points.dim(), dim, degree);
    let alike = measured.iter().filter(|m| m.2 <= ALIKE * smallest);
    let cheapest = alike.min_by(|a, b| price(a.0, a.1).total_cmp(&price(b.0, b.1)));
    let &(kind, dim, error) = cheapest.ok_or(Error::Zero { what: "the number of features" })?;
    Ok(Choice {
        kind,
        dim,
        error,
        evidence: Evidence::Measured { points: sample.len() },
        bytes: matrix_bytes::<T>(dim, points.len()),
        reason: reason(&measured, kind),
    })
}

/// A description of all errors, that of the chosen kind first.
fn reason(measured: &[(Kind, usize, f64)], kind: Kind) -> String {
    let rest = measured.iter().filter(|m| m.0 != kind);
    let rest: Vec<String> = rest.map(|(kind, _, e)| format!("{kind} {e:.2e}")).collect();
    let others = if rest.is_empty() { "nothing else".to_string() } else { rest.join(", ") };
    format!("the cheapest of those with about the smallest error; measured beside it: {others}")
}

/// Up to [`POINTS`] of the points, drawn without replacement.
fn some<T: Scalar>(points: &Samples<T>) -> Result<Samples<T>, Error> {
    let n = points.len();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    Ok(points.select(&uniform(n, n.min(POINTS), &mut rng))?)
}

/// The root mean square of Ĝ − G over entries and maps, in units of the mean diagonal entry.
fn error<T: Scalar>(
    draw: &Draw<'_, T>,
    sample: &Samples<T>,
    exact: MatRef<'_, T>,
    budget: &MemoryBudget,
) -> Result<f64, Error> {
    let n = sample.len();
    let mut sum = 0.0;
    for seed in 0..MAPS {
        let z = transform(draw(seed)?.as_ref(), sample, budget)?;
        let z = z.columns(0..n);
        let mut difference = exact.to_owned();
        let minus = T::ZERO - T::ONE;
        matmul(difference.as_mut(), Accum::Add, z.transpose(), z, minus);
        sum += difference.squared_norm_l2().to_f64();
    }
    let diagonal = (0..n).map(|i| exact[(i, i)].to_f64()).sum::<f64>() / n as f64;
    let mean = (sum / (MAPS as f64 * (n * n) as f64)).sqrt();
    Ok(if diagonal > 0.0 { mean / diagonal } else { mean })
}
