//! Kernels of vectors.

use super::points::Domain::{NonNegative, Real, Simplex, Whole};
use super::{Draw, Laws, Line, boxed};
use kern_core::closure::AssumeMercer;
use kern_core::faer::Mat;
use kern_core::kernels::{
    ArcCosine, ArdRbf, Cauchy, ChiSquared, Constant, Cosine, Delta, ExpChiSquared, Exponential,
    FnKernel, Hellinger, Intersection, Laplacian, Linear, Mahalanobis, Matern, Matern32, Matern52,
    Periodic, Polynomial, RationalQuadratic, Rbf, Sigmoid, Wave, White,
};
use kern_core::{Error, Samples, Scalar};

/// BᵀB with a B of `rank` rows.
fn metric(draw: &Draw, dim: usize) -> Result<Mahalanobis, Error> {
    let rank = draw.count(3, 0, dim);
    let values = draw.values(rank * dim);
    let b = Mat::from_fn(rank, dim, |i, j| values[i * dim + j] - 0.5);
    Mahalanobis::new((b.transpose() * &b).as_ref())
}

fn radial<T: Scalar>() -> Vec<Line<Samples<T>>> {
    vec![
        Line::new("Rbf", Real.samples(), |p, _| boxed(Rbf::new(p.rate(0, 4.0)))),
        Line::new("ArdRbf", Real.samples(), |p, x| {
            let rates = p.values(x.dim()).into_iter().map(|v| p.rate(0, 3.0) * v);
            boxed(ArdRbf::new(&rates.collect::<Vec<_>>()))
        }),
        Line::new("Laplacian", Real.samples(), |p, _| boxed(Laplacian::new(p.rate(0, 4.0)))),
        Line::new("Exponential", Real.samples(), |p, _| boxed(Exponential::new(p.rate(0, 4.0)))),
        Line::new("Matern32", Real.samples(), |p, _| boxed(Matern32::new(p.rate(0, 4.0)))),
        Line::new("Matern52", Real.samples(), |p, _| boxed(Matern52::new(p.rate(0, 4.0)))),
        Line::new("Matern", Real.samples(), |p, _| {
            boxed(Matern::new(p.rate(0, 1.5), p.rate(1, 4.0)))
        }),
        Line::new("RationalQuadratic", Real.samples(), |p, _| {
            boxed(RationalQuadratic::new(p.rate(0, 2.0), p.rate(1, 4.0)))
        }),
        Line::new("Cauchy", Real.samples(), |p, _| boxed(Cauchy::new(p.rate(0, 4.0)))),
        Line::new("Periodic", Real.samples(), |p, _| {
            boxed(Periodic::new(p.rate(0, 2.0), p.rate(1, 2.0)))
        }),
        Line::new("Wave", Real.samples(), |p, x| {
            let turns = p.values(x.dim()).into_iter().map(|v| p.rate(0, 2.0) * v);
            boxed(Wave::new(&turns.collect::<Vec<_>>()))
        }),
    ]
}

fn products<T: Scalar>() -> Vec<Line<Samples<T>>> {
    vec![
        Line::new("Linear", Real.samples(), |_, _| boxed(Ok(Linear))),
        Line::new("Polynomial", Real.samples(), |p, _| {
            let coef0 = p.count(1, 0, 1) as f64 * p.rate(2, 2.0);
            boxed(Polynomial::new(p.rate(0, 1.0), coef0, p.count(3, 0, 4) as u32))
        }),
        Line::new("Mahalanobis", Real.samples(), |p, x| boxed(metric(p, x.dim()))),
        Line::new("Cosine", Real.samples(), |_, _| boxed(Ok(Cosine))),
        Line::new("ArcCosine", Real.samples(), |p, _| {
            boxed(ArcCosine::new(p.count(0, 0, 2) as u32))
        }),
        Line::new("Sigmoid", Real.samples(), |p, _| {
            boxed(Sigmoid::new(p.rate(0, 2.0), p.between(1, -2.0, 2.0)).map(AssumeMercer))
        })
        .keeping(Laws::Indefinite),
    ]
}

fn histograms<T: Scalar>() -> Vec<Line<Samples<T>>> {
    vec![
        Line::new("ChiSquared", NonNegative.samples(), |_, _| boxed(Ok(ChiSquared))),
        Line::new("ChiSquared", Simplex.samples(), |_, _| boxed(Ok(ChiSquared))),
        Line::new("ExpChiSquared", NonNegative.samples(), |p, _| {
            boxed(ExpChiSquared::new(p.rate(0, 3.0)))
        }),
        Line::new("ExpChiSquared", Simplex.samples(), |p, _| {
            boxed(ExpChiSquared::new(p.rate(0, 3.0)))
        }),
        Line::new("Intersection", NonNegative.samples(), |_, _| boxed(Ok(Intersection))),
        Line::new("Intersection", Simplex.samples(), |_, _| boxed(Ok(Intersection))),
        Line::new("Hellinger", NonNegative.samples(), |_, _| boxed(Ok(Hellinger))),
        Line::new("Hellinger", Simplex.samples(), |_, _| boxed(Ok(Hellinger))),
    ]
}

fn anything<T: Scalar>() -> Vec<Line<Samples<T>>> {
    vec![
        Line::new("Delta", Whole.samples(), |_, _| boxed(Ok(Delta))),
        Line::new("Delta", Real.samples(), |_, _| boxed(Ok(Delta))),
        Line::new("White", Whole.samples(), |p, _| boxed(White::new(p.rate(0, 6.0)))),
        Line::new("Constant", Real.samples(), |p, _| boxed(Constant::new(p.rate(0, 6.0)))),
        // The covariance of a random walk that starts at 0.
        Line::new("FnKernel", NonNegative.samples(), |_, _| {
            let smaller = |x: &[T], y: &[T]| if x[0] < y[0] { x[0] } else { y[0] };
            boxed(Ok(AssumeMercer(FnKernel::new(smaller))))
        }),
    ]
}

#[test]
fn radial_kernels_in_double_precision() {
    radial::<f64>().into_iter().for_each(Line::hold);
}

#[test]
fn radial_kernels_in_single_precision() {
    radial::<f32>().into_iter().for_each(Line::hold);
}

#[test]
fn kernels_of_products_in_both_precisions() {
    products::<f64>().into_iter().for_each(Line::hold);
    products::<f32>().into_iter().for_each(Line::hold);
}

#[test]
fn other_kernels_of_vectors_in_both_precisions() {
    histograms::<f64>().into_iter().chain(anything()).for_each(Line::hold);
    histograms::<f32>().into_iter().chain(anything()).for_each(Line::hold);
}
