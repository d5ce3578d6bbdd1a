//! Distances of products, powers and normalised kernels.
//!
//! With a = K(x, x), b = K(y, y), m = (a + b)/2 and h = (a − b)/2 a kernel is K(x, y) = m + D, and D = −½‖φ(x) − φ(y)‖². For a product
//! a = a₁a₂ and b = b₁b₂, so that m = m₁m₂ + h₁h₂, h = m₁h₂ + h₁m₂ and
//!
//! D = D₁m₂ + m₁D₂ + D₁D₂ − h₁h₂.
//!
//! Normalised, K/√(ab) − 1 = (D + h²/(m + √(ab)))/√(ab), since ab = m² − h².
//!
//! h is a difference of values, so far from the origin h₁h₂ loses digits in proportion to the offset, where values would lose
//! them in proportion to its square.

use super::differences::or_by_values;
use crate::tile::{Scratch, Tile};
use crate::{Kernel, Points, Scalar};
use faer::MatMut;
use std::ops::Range;

/// A kernel of which only the type of points is known.
type Boxed<'a, P> = Box<dyn Kernel<P> + 'a>;

/// Powers beyond have distances from values: so many products are rounded as often.
const GREATEST_POWER: u32 = 32;

/// The distances of a product, if those of one of its factors come from differences.
pub(crate) fn of_product<'a, P, K>(factors: impl Iterator<Item = &'a K>) -> Option<Boxed<'a, P>>
where
    P: Points + ?Sized + 'a,
    K: Kernel<P> + ?Sized + 'a,
{
    let parts: Vec<_> = factors.map(|factor| (factor, factor.differences())).collect();
    let is_better = parts.iter().any(|(_, apart)| apart.is_some());
    let factor = |(kernel, apart)| Factor { kernel, apart: or_by_values(apart, kernel) };
    let factors = parts.into_iter().map(factor).collect();
    is_better.then(|| Box::new(Composed { factors, rule: Rule::Product }) as _)
}

/// The distances of a kernel to a power, if its own come from differences.
pub(crate) fn of_power<'a, P, K>(kernel: &'a K, exponent: u32) -> Option<Boxed<'a, P>>
where
    P: Points + ?Sized + 'a,
    K: Kernel<P>,
{
    let apart = kernel.differences().filter(|_| (1..=GREATEST_POWER).contains(&exponent))?;
    let factors = vec![Factor { kernel, apart }];
    Some(Box::new(Composed { factors, rule: Rule::Power(exponent) }))
}

/// The distances of a normalised kernel, if its own come from differences.
pub(crate) fn of_normalized<'a, P, K>(kernel: &'a K) -> Option<Boxed<'a, P>>
where
    P: Points + ?Sized + 'a,
    K: Kernel<P>,
{
    let apart = kernel.differences()?;
    let factors = vec![Factor { kernel, apart }];
    Some(Box::new(Composed { factors, rule: Rule::Normalized }))
}

/// A kernel, and its distances.
struct Factor<'a, P: Points + ?Sized, K: ?Sized> {
    kernel: &'a K,
    apart: Boxed<'a, P>,
}

#[derive(Clone, Copy)]
enum Rule {
    Product,
    Power(u32),
    Normalized,
}

struct Composed<'a, P: Points + ?Sized, K: ?Sized> {
    factors: Vec<Factor<'a, P, K>>,
    rule: Rule,
}

/// D, and K(x, x) and K(y, y).
#[derive(Clone, Copy)]
struct Pair {
    apart: f64,
    own: [f64; 2],
}

impl Pair {
    fn mean(self) -> f64 {
        (self.own[0] + self.own[1]) / 2.0
    }

    fn half(self) -> f64 {
        (self.own[0] - self.own[1]) / 2.0
    }

    fn times(self, other: Self) -> Self {
        let apart =
            self.apart * other.mean() + self.mean() * other.apart + self.apart * other.apart
                - self.half() * other.half();
        Self { apart, own: [self.own[0] * other.own[0], self.own[1] * other.own[1]] }
    }

    fn power(self, exponent: u32) -> Self {
        (1..exponent).fold(self, |power, _| power.times(self))
    }

    /// Features of length 0 stay where they are.
    fn normalized(self) -> Self {
        let [a, b] = self.own.map(f64::sqrt);
        let (lengths, own) = (a * b, self.own.map(|own| f64::from(u8::from(own > 0.0))));
        let apart = match lengths > 0.0 {
            true => (self.apart + self.half().powi(2) / (self.mean() + lengths)) / lengths,
            false => -0.5 * (own[0] + own[1]),
        };
        Self { apart, own }
    }

    fn by(self, rule: Rule) -> Self {
        match rule {
            Rule::Product => self,
            Rule::Power(exponent) => self.power(exponent),
            Rule::Normalized => self.normalized(),
        }
    }
}

impl<P: Points + ?Sized, K: Kernel<P> + ?Sized> Kernel<P> for Composed<'_, P, K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        let pair = |Factor { kernel, apart }: &Factor<'_, P, K>| Pair {
            apart: apart.eval(x, y).to_f64(),
            own: [x, y].map(|x| kernel.eval(x, x).to_f64()),
        };
        let all = self.factors.iter().map(pair).reduce(Pair::times);
        P::Scalar::from_f64(all.map_or(0.0, |pair| pair.by(self.rule).apart))
    }

    fn is_pointwise(&self) -> bool {
        self.factors
            .iter()
            .any(|factor| factor.apart.is_pointwise() || factor.kernel.is_pointwise())
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let Some((first, others)) = self.factors.split_first() else { return };
        first.apart.block(tile, out.as_mut(), scratch);
        let mut own = Own::of(first.kernel, tile);
        for other in others {
            let others = Own::of(other.kernel, tile);
            tile.with_block(&other.apart, scratch, |apart| {
                own.for_each(out.as_mut(), |pair, i, j| {
                    pair.times(others.pair(apart[(i, j)].to_f64(), i, j))
                });
            });
            own.times(&others);
        }
        if !matches!(self.rule, Rule::Product) {
            own.for_each(out, |pair, _, _| pair.by(self.rule));
        }
    }

    fn diag(&self, _: &P, _: usize) -> P::Scalar {
        P::Scalar::ZERO
    }
}

/// K(x, x) of the rows and of the columns of a tile.
struct Own {
    rows: Vec<f64>,
    cols: Vec<f64>,
}

impl Own {
    fn of<P: Points + ?Sized, K: Kernel<P> + ?Sized>(kernel: &K, tile: &Tile<'_, P>) -> Self {
        let own = |points: &P, range: Range<usize>| -> Vec<f64> {
            range.map(|i| kernel.diag(points, i).to_f64()).collect()
        };
        Self { rows: own(tile.a(), tile.rows()), cols: own(tile.b(), tile.cols()) }
    }

    fn times(&mut self, other: &Self) {
        self.rows.iter_mut().zip(&other.rows).for_each(|(own, other)| *own *= other);
        self.cols.iter_mut().zip(&other.cols).for_each(|(own, other)| *own *= other);
    }

    fn pair(&self, apart: f64, i: usize, j: usize) -> Pair {
        Pair { apart, own: [self.rows[i], self.cols[j]] }
    }

    /// `value` of the pair of each entry, in its place.
    fn for_each<T: Scalar>(
        &self,
        mut out: MatMut<'_, T>,
        value: impl Fn(Pair, usize, usize) -> Pair,
    ) {
        for j in 0..self.cols.len() {
            for i in 0..self.rows.len() {
                let pair = self.pair(out[(i, j)].to_f64(), i, j);
                out[(i, j)] = T::from_f64(value(pair, i, j).apart);
            }
        }
    }
}
