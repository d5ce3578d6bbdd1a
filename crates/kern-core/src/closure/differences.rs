//! Distances of sums: those of a sum are the sum of those of its terms.

use super::Sum;
use crate::tile::{Scratch, Tile};
use crate::{Kernel, Points, Scalar, tolerance};
use faer::MatMut;
use std::ops::Range;

/// A kernel of which only the type of points is known.
type Boxed<'a, P> = Box<dyn Kernel<P> + 'a>;

/// The distances of a sum of two, if those of one of them come from differences.
pub(crate) fn of_two<'a, P, A, B>(left: &'a A, right: &'a B) -> Option<Boxed<'a, P>>
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

/// The distances of a sum of many, if those of one of them come from differences.
pub(crate) fn of_many<'a, P, K>(terms: impl Iterator<Item = &'a K>) -> Option<Boxed<'a, P>>
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

/// The distances of a term from differences, if it has them, or from its values.
pub(super) fn or_by_values<'a, P, K>(
    differences: Option<Boxed<'a, P>>,
    kernel: &'a K,
) -> Boxed<'a, P>
where
    P: Points + ?Sized + 'a,
    K: Kernel<P> + ?Sized,
{
    differences.unwrap_or_else(|| Box::new(ByValues(kernel)))
}

/// −½(K(x, x) − 2K(x, y) + K(y, y)), and 0 where that is nothing but the rounding of K.
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
