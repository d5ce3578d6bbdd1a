//! Closure rules.

use super::points::Domain::{NonNegative, Real};
use super::points::repeated;
use super::{Line, boxed};
use kern_core::closure::{
    AssumeMercer, Conjugated, Exp, Normalized, Power, Product, PullBack, Scaled, Sum,
    tensor_product,
};
use kern_core::kernels::{
    ArcCosine, ChiSquared, Cosine, Exponential, Hellinger, Intersection, Laplacian, Linear,
    Matern52, Polynomial, Rbf, Spectrum,
};
use kern_core::{Samples, Scalar};

fn rules<T: Scalar>() -> Vec<Line<Samples<T>>> {
    vec![
        Line::new("Sum", Real.samples(), |p, _| {
            let rbf = Rbf::new(p.rate(0, 3.0));
            boxed(rbf.map(|rbf| Sum::new(rbf, Polynomial::new(0.1, 1.0, 2).unwrap())))
        }),
        Line::new("Product", Real.samples(), |p, _| {
            let laplacian = Laplacian::new(p.rate(0, 3.0));
            boxed(laplacian.map(|laplacian| Product::new(laplacian, Linear)))
        }),
        Line::new("Product", NonNegative.samples(), |_, _| {
            boxed(Ok(Product::new(Intersection, Hellinger)))
        }),
        Line::new("Scaled", Real.samples(), |p, _| {
            let weight = p.count(1, 0, 9).min(1) as f64 * p.rate(0, 6.0);
            boxed(Scaled::new(weight, ArcCosine::new(1).unwrap()))
        }),
        Line::new("Power", Real.samples(), |p, _| {
            let kernel = Exponential::new(p.rate(0, 3.0)).unwrap() + Cosine;
            boxed(Ok(Power::new(kernel, p.count(1, 0, 6) as u32)))
        }),
        Line::new("Exp", Real.samples(), |p, _| {
            boxed(Ok(Exp::new(
                p.between(0, 0.0, 4.0) * (Cosine + Rbf::new(p.rate(1, 3.0)).unwrap()),
            )))
        }),
        Line::new("Normalized", Real.samples(), |p, _| {
            let sum = Linear + Matern52::new(p.rate(0, 3.0)).unwrap();
            boxed(Ok(Normalized::new(sum)))
        }),
        Line::new("Normalized", NonNegative.samples(), |_, _| {
            boxed(Ok(Normalized::new(ChiSquared)))
        }),
        // A weight of either sign, and of many sizes.
        Line::new("Conjugated", Real.samples(), |p, _| {
            let weight = |x: &[T]| x[0] - T::from_f64(0.5);
            boxed(Rbf::new(p.rate(0, 3.0)).map(|rbf| Conjugated::new(weight, rbf)))
        }),
        // To other dimensions, and not one to one.
        Line::new("PullBack", Real.samples(), |p, _| {
            let image = |x: &[T]| vec![x[0] * x[0], x[x.len() - 1], T::ONE];
            let kernel = Rbf::new(p.rate(0, 3.0)).unwrap() + 0.1 * Linear;
            boxed(Ok(PullBack::<_, _, Samples<T>>::new(image, kernel)))
        }),
        Line::new("AssumeMercer", Real.samples(), |p, _| {
            boxed(Rbf::new(p.rate(0, 3.0)).map(AssumeMercer))
        }),
        Line::new("Sum", NonNegative.samples(), |p, _| {
            let inner = 0.5 * Exp::new(Normalized::new(Linear + ChiSquared));
            boxed(Ok(inner * Power::new(Hellinger, 2) + p.rate(0, 3.0) * Intersection))
        }),
    ]
}

#[test]
fn rules_in_double_precision() {
    rules::<f64>().into_iter().for_each(Line::hold);
}

#[test]
fn rules_in_single_precision() {
    rules::<f32>().into_iter().for_each(Line::hold);
}

#[test]
fn rules_on_pairs() {
    let pair = (proptest::collection::vec(-2.0..2.0_f64, 2), "[ab]{0,6}");
    Line::new("tensor_product", repeated(pair, 30), |p, _| {
        let (rbf, pieces) = (Rbf::new(p.rate(0, 2.0)).unwrap(), Spectrum::new(2).unwrap());
        boxed(Ok(tensor_product::<_, _, Samples<f64>, Vec<String>>(rbf, pieces)))
    })
    .hold();
}
