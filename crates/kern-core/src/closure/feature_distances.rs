//! Distances in the feature space of sums, products, powers and normalised kernels, computed from
//! the distances of their parts.
//!
//! For a sum, the squared distance is the sum of the squared distances of its terms.
//!
//! Let a = K(x, x), b = K(y, y), m = (a + b)/2, h = (a − b)/2 and D = −½‖φ(x) − φ(y)‖², so that
//! K(x, y) = m + D. For a product, a = a₁a₂ and b = b₁b₂, so that m = m₁m₂ + h₁h₂, h = m₁h₂ + h₁m₂
//! and
//!
//! D = D₁m₂ + m₁D₂ + D₁D₂ − h₁h₂.
//!
//! For a normalised kernel, K/√(ab) − 1 = (D + h²/(m + √(ab)))/√(ab), since ab = m² − h². This form
//! is used for features that are close to each other. Where the lengths of the features differ so
//! much that D is dominated by the difference, K/√(ab) itself is more accurate.
//!
//! h is a difference of values: far from the origin, h₁h₂ loses digits in proportion to the offset,
//! whereas distances from values lose them in proportion to its square.

use super::Sum;
use crate::tile::{Scratch, Tile};
use crate::{Kernel, Points, Scalar, tolerance};
use faer::MatMut;
use std::ops::Range;

/// The largest exponent for which distances come from differences: with more products, these have
/// the rounding error of distances from kernel values.
const LARGEST_POWER: u32 = 32;

/// The largest squared distance, relative to the product of the two lengths, at which the distance
/// determines the angle better than the kernel values do.
const NEAR: f64 = 0.25;

/// A kernel with its type erased.
type Boxed<'a, P> = Box<dyn Kernel<P> + 'a>;

/// The distances of a sum of two kernels, if those of at least one term come from differences.
pub(crate) fn of_sum_of_two<'a, P, A, B>(left: &'a A, right: &'a B) -> Option<Boxed<'a, P>>
where
    P: Points + ?Sized + 'a,
    A: Kernel<P>,
    B: Kernel<P>,
{
    let parts = (left.differences(), right.differences());
    let is_better = parts.0.is_some() || parts.1.is_some();
    is_better
        .then(|| Box::new(Sum::new(or_by_values(parts.0, left), or_by_values(parts.1, right))) as _)
}

/// The distances of a sum of many kernels, if those of at least one term come from differences.
pub(crate) fn of_sum_of_many<'a, P, K>(terms: impl Iterator<Item = &'a K>) -> Option<Boxed<'a, P>>
where
    P: Points + ?Sized + 'a,
    K: Kernel<P> + 'a,
{
    let parts: Vec<_> = terms.map(|term| (term, term.differences())).collect();
    let is_better = parts.iter().any(|(_, part)| part.is_some());
    let parts = parts.into_iter().filter(|_| is_better);
    let terms = parts.map(|(term, part)| or_by_values(part, term));
    terms.reduce(|sum, term| Box::new(Sum::new(sum, term)))
}

/// The distances of a term: from differences if available, otherwise from its values.
fn or_by_values<'a, P, K>(differences: Option<Boxed<'a, P>>, kernel: &'a K) -> Boxed<'a, P>
where
    P: Points + ?Sized + 'a,
    K: Kernel<P> + ?Sized,
{
    differences.unwrap_or_else(|| Box::new(ByValues(kernel)))
}

/// −½(K(x, x) − 2K(x, y) + K(y, y)), and 0 where that is within the rounding error of K.
struct ByValues<'a, K: ?Sized>(&'a K);

fn of_values<T: Scalar>([xx, xy, yy]: [f64; 3]) -> T {
    let (own, value) = ((xx + yy) / 2.0, xy - (xx + yy) / 2.0);
    let is_rounding = value.abs() <= tolerance::TILE_ERROR * T::UNIT_ROUNDOFF * own.abs();
    if is_rounding { T::ZERO } else { T::from_f64(value) }
}

impl<P: Points + ?Sized, K: Kernel<P> + ?Sized> Kernel<P> for ByValues<'_, K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        let [xx, xy, yy] = [(x, x), (x, y), (y, y)].map(|(x, y)| self.0.eval(x, y).to_f64());
        of_values([xx, xy, yy])
    }

    fn is_pointwise(&self) -> bool {
        self.0.is_pointwise()
    }

    fn block(
        &self,
        tile: &Tile<'_, P>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.0.block(tile, out.as_mut(), scratch);
        let own = |points: &P, range: Range<usize>| -> Vec<f64> {
            range.map(|i| self.0.diag(points, i).to_f64()).collect()
        };
        let (rows, cols) = (own(tile.a(), tile.rows()), own(tile.b(), tile.cols()));
        for (j, yy) in cols.iter().enumerate() {
            for (i, xx) in rows.iter().enumerate() {
                let value = &mut out[(i, j)];
                *value = of_values([*xx, value.to_f64(), *yy]);
            }
        }
    }

    fn diag(&self, _: &P, _: usize) -> P::Scalar {
        P::Scalar::ZERO
    }
}

/// The distances of a product, if those of at least one factor come from differences.
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

/// The distances of a power of a kernel, if the kernel's own come from differences.
pub(crate) fn of_power<'a, P, K>(kernel: &'a K, exponent: u32) -> Option<Boxed<'a, P>>
where
    P: Points + ?Sized + 'a,
    K: Kernel<P>,
{
    let apart = kernel.differences().filter(|_| (1..=LARGEST_POWER).contains(&exponent))?;
    let factors = vec![Factor { kernel, apart }];
    Some(Box::new(Composed { factors, rule: Rule::Power(exponent) }))
}

/// The distances of a normalised kernel, if the kernel's own come from differences.
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

    /// The distance of normalised features that are close to each other or have length 0; NaN
    /// otherwise.
    fn normalized(self) -> f64 {
        let [a, b] = self.own.map(f64::sqrt);
        let lengths = a * b;
        if self.own.contains(&0.0) {
            return -0.5 * self.own.map(|own| f64::from(u8::from(own > 0.0))).iter().sum::<f64>();
        }
        // h is not squared: the square may overflow where the lengths do not.
        let share = self.half() / (self.mean() + lengths);
        match lengths.is_normal() && -2.0 * self.apart <= NEAR * lengths {
            true => (self.apart + self.half() * share) / lengths,
            false => f64::NAN,
        }
    }

    /// The same from K(x, y).
    fn normalized_by(self, value: f64) -> f64 {
        let [a, b] = self.own.map(f64::sqrt);
        // Symmetric in the two points.
        let lengths = a * b;
        let cosine =
            if lengths.is_normal() { value / lengths } else { value / a.max(b) / a.min(b) };
        cosine - 1.0
    }
}

impl<P: Points + ?Sized, K: Kernel<P> + ?Sized> Kernel<P> for Composed<'_, P, K> {
    fn eval(&self, x: &P::Item, y: &P::Item) -> P::Scalar {
        let pair = |Factor { kernel, apart }: &Factor<'_, P, K>| Pair {
            apart: apart.eval(x, y).to_f64(),
            own: [x, y].map(|x| kernel.eval(x, x).to_f64()),
        };
        let Some(all) = self.factors.iter().map(pair).reduce(Pair::times) else {
            return P::Scalar::ZERO;
        };
        let value = match self.rule {
            Rule::Product => all.apart,
            Rule::Power(exponent) => all.power(exponent).apart,
            Rule::Normalized => match all.normalized() {
                near if !near.is_nan() => near,
                _ => all.normalized_by(self.factors[0].kernel.eval(x, y).to_f64()),
            },
        };
        P::Scalar::from_f64(value)
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
                    pair.times(others.pair(apart[(i, j)].to_f64(), i, j)).apart
                });
            });
            own.times(&others);
        }
        match self.rule {
            Rule::Product => {}
            Rule::Power(exponent) => own.for_each(out, |pair, _, _| pair.power(exponent).apart),
            Rule::Normalized => {
                own.for_each(out.as_mut(), |pair, _, _| pair.normalized());
                if out.as_ref().is_all_finite() {
                    return;
                }
                tile.with_block(first.kernel, scratch, |values| {
                    own.for_each(out, |near, i, j| match near.apart.is_nan() {
                        true => near.normalized_by(values[(i, j)].to_f64()),
                        false => near.apart,
                    });
                });
            }
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

    /// Replaces each entry of the tile by `value` of its pair.
    fn for_each<T: Scalar>(
        &self,
        mut out: MatMut<'_, T>,
        value: impl Fn(Pair, usize, usize) -> f64,
    ) {
        for j in 0..self.cols.len() {
            for i in 0..self.rows.len() {
                let pair = self.pair(out[(i, j)].to_f64(), i, j);
                out[(i, j)] = T::from_f64(value(pair, i, j));
            }
        }
    }
}
