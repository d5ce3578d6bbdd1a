//! Type-erased kernels with their parameters and derivatives, and flat sums and products of many of
//! them, whose nesting depth and time to build do not grow with the number of terms.

use crate::closure::{add, feature_distances, multiply};
use crate::gradient::{Differentiable, free_parameters};
use crate::kernel::delegate_kernel;
use crate::parameters::{Parameter, Parameters, Rule, numbered};
use crate::{
    Binding, Bound, Error, Kernel, Points, Prepared, Scalar, Scratch, SearchOrder, Spectral, Tile,
};
use faer::{MatMut, MatRef};
use rand::{Rng, RngExt};
use std::ops::Range;
use std::sync::Arc;
use std::{fmt, iter};

/// A type-erased kernel on one type of points. Its parameters can be listed; to set them, set them
/// in the formula and rebuild the kernel.
pub struct Shared<P: Points>(Arc<dyn Differentiable<P>>);

impl<P: Points> Shared<P> {
    pub(super) fn new(kernel: impl Differentiable<P> + 'static) -> Self {
        Self(Arc::new(kernel))
    }
}

impl<P: Points> fmt::Debug for Shared<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").finish_non_exhaustive()
    }
}

impl<P: Points> Clone for Shared<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Points> Parameters for Shared<P> {
    fn parameters(&self) -> Vec<Parameter> {
        // Not those of the `Arc`, which has none.
        (*self.0).parameters()
    }
}

impl<P: Points> Kernel<P> for Shared<P> {
    delegate_kernel!(|this| this.0);
}

impl<P: Points> Differentiable<P> for Shared<P> {
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.0.pull_back(tile, adjoint, gradient, scratch);
    }
}

impl Rule {
    /// The value of an empty sum or product.
    fn none(self) -> f64 {
        match self {
            Rule::Sum => 0.0,
            Rule::Product => 1.0,
        }
    }

    fn join<T: Scalar>(self, left: T, right: T) -> T {
        match self {
            Rule::Sum => left + right,
            Rule::Product => left * right,
        }
    }

    fn join_blocks<T: Scalar>(self, out: MatMut<'_, T>, right: MatRef<'_, T>) {
        match self {
            Rule::Sum => add(out, right),
            Rule::Product => multiply(out, right),
        }
    }
}

/// A sum or product of a first kernel and others, evaluated from left to right, with the same bits
/// as [`Sum`](crate::closure::Sum) and [`Product`](crate::closure::Product).
pub(super) struct Terms<P: Points> {
    rule: Rule,
    first: Shared<P>,
    others: Vec<Shared<P>>,
}

impl<P: Points> Terms<P> {
    /// None if there are no terms.
    pub(super) fn new(rule: Rule, mut terms: Vec<Shared<P>>) -> Option<Self> {
        let others = terms.split_off(terms.len().min(1));
        Some(Self { rule, first: terms.pop()?, others })
    }

    fn join(&self, value: impl Fn(&Shared<P>) -> P::Scalar) -> P::Scalar {
        let first = value(&self.first);
        self.others.iter().fold(first, |sum, other| self.rule.join(sum, value(other)))
    }
}

impl<P: Points> Kernel<P> for Terms<P> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        self.join(|term| term.eval(x, y))
    }

    fn is_pointwise(&self) -> bool {
        self.first.is_pointwise() || self.others.iter().any(Kernel::is_pointwise)
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.first.block(tile, out.as_mut(), scratch);
        for other in &self.others {
            tile.with_block(other, scratch, |right| self.rule.join_blocks(out.as_mut(), right));
        }
    }

    fn diag(&self, points: &P, i: usize) -> P::Scalar {
        self.join(|term| term.diag(points, i))
    }

    fn prepare(&self, points: &P) -> Option<Prepared> {
        let all = std::iter::once(&self.first).chain(&self.others);
        Prepared::of_parts(all.map(|term| term.prepare(points)))
    }

    fn bind<'a>(
        &'a self,
        a: &'a P,
        b: &'a P,
        prepared: Option<&'a Prepared>,
    ) -> Option<Box<dyn Bound<P::Scalar> + 'a>> {
        let bound = |(i, term): (usize, &'a Shared<P>)| {
            Binding::prepared(term, a, b, prepared.and_then(|prepared| prepared.part(i)))
        };
        let first = bound((0, &self.first));
        let others: Vec<_> = (1..).zip(&self.others).map(bound).collect();
        let bound = first.is_bound() || others.iter().any(Binding::is_bound);
        bound.then(|| Box::new(BoundTerms { rule: self.rule, first, others }) as _)
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<P>> {
        // Two or more terms have no common ordering.
        self.others.is_empty().then(|| self.first.search_order()).flatten()
    }

    fn differences<'a>(&'a self) -> Option<Box<dyn Kernel<P> + 'a>>
    where
        P: 'a,
    {
        match self.rule {
            Rule::Sum => {
                feature_distances::of_sum_of_many(iter::once(&self.first).chain(&self.others))
            }
            Rule::Product if self.others.is_empty() => self.first.differences(),
            Rule::Product => {
                feature_distances::of_product(iter::once(&self.first).chain(&self.others))
            }
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.first.check(points)?;
        self.others.iter().try_for_each(|term| term.check(points))
    }
}

/// The terms, numbered as in the typed kernel.
impl<P: Points> Parameters for Terms<P> {
    fn parameters(&self) -> Vec<Parameter> {
        let terms: Vec<_> = iter::once(&self.first).chain(&self.others).cloned().collect();
        numbered(&terms)
    }
}

impl<P: Points> Differentiable<P> for Terms<P> {
    fn pull_back(
        &self,
        tile: &Tile<'_, P>,
        adjoint: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let terms: Vec<_> = iter::once(&self.first).chain(&self.others).collect();
        pull_back(self.rule, &terms, tile, adjoint, gradient, scratch);
    }
}

/// Propagates the adjoint to each term: that of the sum, or that of the product times all other
/// factors. The terms are split in halves, each of which receives the product of the other, so that
/// m terms are evaluated m·log m times, with log m tiles in memory.
fn pull_back<P: Points>(
    rule: Rule,
    terms: &[&Shared<P>],
    tile: &Tile<'_, P>,
    adjoint: MatRef<'_, P::Scalar>,
    gradient: &mut [f64],
    scratch: &mut Scratch<P::Scalar>,
) {
    if let [term] = terms {
        return term.pull_back(tile, adjoint, gradient, scratch);
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    let of_left = left.iter().map(|term| free_parameters(*term).len()).sum();
    let (to_left, to_right) = gradient.split_at_mut(of_left);
    for (own, other, gradient) in [(left, right, to_left), (right, left, to_right)] {
        match rule {
            Rule::Sum => pull_back(rule, own, tile, adjoint, gradient, scratch),
            Rule::Product => {
                scratch.with_matrix(tile.nrows(), tile.ncols(), |mut scaled, scratch| {
                    scaled.copy_from(adjoint);
                    for term in other {
                        tile.with_block(*term, scratch, |k| multiply(scaled.as_mut(), k));
                    }
                    pull_back(rule, own, tile, scaled.as_ref(), gradient, scratch);
                });
            }
        }
    }
}

/// Terms bound to two collections.
struct BoundTerms<'a, P: Points> {
    rule: Rule,
    first: Binding<'a, Shared<P>, P>,
    others: Vec<Binding<'a, Shared<P>, P>>,
}

impl<T: Scalar, P: Points<Scalar = T>> Bound<T> for BoundTerms<'_, P> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.first.block(rows.clone(), cols.clone(), out.as_mut(), scratch);
        for other in &self.others {
            other.with_block(rows.clone(), cols.clone(), scratch, |right| {
                self.rule.join_blocks(out.as_mut(), right);
            });
        }
    }

    fn diag(&self, i: usize) -> Option<T> {
        let others = self.others.iter().map(|other| other.diag(i));
        Some(others.fold(self.first.diag(i), |sum, other| self.rule.join(sum, other)))
    }
}

/// The spectrum of a sum, a mixture weighted by mass, or of a product, the sum of independent
/// frequencies.
pub(super) struct SpectralTerms {
    pub(super) rule: Rule,
    pub(super) terms: Vec<Arc<dyn Spectral>>,
}

impl SpectralTerms {
    /// The term selected by u ∈ [0, 1), with probability proportional to its mass.
    fn chosen(&self, u: f64) -> Option<&Arc<dyn Spectral>> {
        let (at, mut below) = (u * self.mass(), 0.0);
        let reaches = |term: &&Arc<dyn Spectral>| {
            below += term.mass();
            at < below
        };
        // Rounding may leave u just below 1 without a term.
        self.terms.iter().find(reaches).or(self.terms.last())
    }

    fn all(&self, is: impl Fn(&dyn Spectral) -> Option<usize>) -> Option<Vec<usize>> {
        self.terms.iter().map(|term| is(&**term)).collect()
    }
}

impl Spectral for SpectralTerms {
    fn mass(&self) -> f64 {
        let masses = self.terms.iter().map(Spectral::mass);
        masses.reduce(|a, b| self.rule.join(a, b)).unwrap_or(self.rule.none())
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        match self.rule {
            Rule::Sum => {
                let u: f64 = (&mut rng).random();
                if let Some(term) = self.chosen(u) {
                    term.add_frequency(rng, omega);
                }
            }
            Rule::Product => self.terms.iter().for_each(|term| term.add_frequency(rng, omega)),
        }
    }

    fn is_isotropic(&self) -> bool {
        self.terms.iter().all(Spectral::is_isotropic)
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        let all = self.all(|term| term.uniforms(dim))?;
        match self.rule {
            Rule::Sum => all.into_iter().max()?.checked_add(1),
            Rule::Product => all.into_iter().try_fold(0, usize::checked_add),
        }
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        match self.rule {
            Rule::Sum => {
                // The first uniform variable selects the term.
                let Some((&u, rest)) = uniforms.split_first() else { return };
                if let Some(term) = self.chosen(u) {
                    term.add_frequency_at(rest, omega);
                }
            }
            Rule::Product => {
                let mut rest = uniforms;
                for term in &self.terms {
                    let own = term.uniforms(omega.len()).unwrap_or(0).min(rest.len());
                    let (own, others) = rest.split_at(own);
                    term.add_frequency_at(own, omega);
                    rest = others;
                }
            }
        }
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        self.terms.iter().try_for_each(|term| term.check_spectrum(dim))
    }
}
