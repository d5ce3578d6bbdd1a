//! Precomputed kernels: points that are known only by their kernel values.

use crate::{Error, GramOperator, Rows};
use faer::{Mat, MatMut};
use kern_core::memory::matrix_bytes;
use kern_core::{Kernel, Mercer, Parameters, Points, Scalar, Scratch, Tile};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Points that are known only by their kernel values: those of a Gram matrix, which may be any
/// operator, or queries with given kernel values with these points. With the kernel [`Precomputed`]
/// they work with every solver.
///
/// # Definition
/// The points of a Gram matrix are identified by their index; K(xᵢ, xⱼ) is its entry (i, j). A
/// query has no index, but a row of values K(x, x₀) … K(x, xₙ₋₁) with the indexed points. The value
/// between two queries is unknown and is returned as NaN, which every operator reports as an error.
///
/// A model keeps the indices of its points but not the kernel values, so that it can be saved and
/// is small.
///
/// # Examples
/// ```
/// use kern_core::faer::mat;
/// use kern_core::{Kernel, Points};
/// use kern_gram::{CrossGram, GivenPoints, Precomputed, PrecomputedGram};
/// let gram = PrecomputedGram::new(mat![[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])?;
/// let points = GivenPoints::of_gram(gram);
/// assert_eq!(Precomputed.eval(points.item(0), points.item(1)), 1.0);
/// // Two queries, and the values of each with the three points.
/// let queries = GivenPoints::of_cross(mat![[0.5, 0.25, 0.0], [3.0, 4.0, 5.0]])?;
/// let some = points.select(&[2, 0])?;
/// let cross = CrossGram::new(&Precomputed, &queries, &some)?;
/// assert_eq!(cross.apply(mat![[1.0], [10.0]].as_ref())?, mat![[5.0], [35.0]]);
/// # Ok::<(), kern_gram::Error>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "Stored<T>", try_from = "Stored<T>", bound = "")]
pub struct GivenPoints<T: Scalar> {
    points: Vec<GivenPoint<T>>,
}

/// One of the [`GivenPoints`].
#[derive(Clone)]
pub struct GivenPoint<T: Scalar> {
    /// Its index; `None` for a query.
    number: Option<usize>,
    /// K(x, x), if known.
    own: Option<T>,
    /// Its kernel values, as a row of a matrix or operator; `None` in a model.
    values: Option<(Arc<Values<T>>, usize)>,
}

/// Given kernel values.
enum Values<T: Scalar> {
    Gram(Box<dyn GramOperator<T>>),
    /// Queries × indexed points.
    Cross(Mat<T>),
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Stored<T: Scalar> {
    points: Vec<(Option<usize>, Option<T>)>,
}

impl<T: Scalar> From<GivenPoints<T>> for Stored<T> {
    fn from(given: GivenPoints<T>) -> Self {
        Self { points: given.points.into_iter().map(|point| (point.number, point.own)).collect() }
    }
}

impl<T: Scalar> TryFrom<Stored<T>> for GivenPoints<T> {
    type Error = Error;

    fn try_from(stored: Stored<T>) -> Result<Self, Error> {
        let point = |(i, (number, own)): (usize, (Option<usize>, Option<T>))| {
            let wrong = own.filter(|own| !own.is_finite_number());
            match (wrong, number) {
                (Some(given), _) => Err(Error::NotFinite { row: i, col: i, given: given.to_f64() }),
                // No matrix has this many columns.
                (None, Some(given @ usize::MAX)) => {
                    Err(kern_core::Error::Index { given, len: usize::MAX }.into())
                }
                (None, number) => Ok(GivenPoint { number, own, values: None }),
            }
        };
        let points = stored.points.into_iter().enumerate().map(point);
        Ok(Self { points: points.collect::<Result<_, _>>()? })
    }
}

impl<T: Scalar> fmt::Debug for GivenPoints<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GivenPoints").field(&self.points).finish()
    }
}

impl<T: Scalar> fmt::Debug for GivenPoint<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, own, values } = self;
        let row = values.as_ref().map(|(_, row)| row);
        f.debug_struct("GivenPoint")
            .field("number", number)
            .field("own", own)
            .field("row", &row)
            .finish()
    }
}

/// Compares indices and K(x, x); the source of the values does not matter.
impl<T: Scalar> PartialEq for GivenPoints<T> {
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.points.iter().zip(&other.points);
        self.points.len() == other.points.len()
            && pairs.into_iter().all(|(a, b)| a.number == b.number && a.own == b.own)
    }
}

impl<T: Scalar> GivenPoints<T> {
    /// The points of a Gram matrix, in its order.
    pub fn of_gram(gram: impl GramOperator<T> + 'static) -> Self {
        let own = gram.diag();
        let values = Arc::new(Values::Gram(Box::new(gram)));
        let point = |(row, own)| GivenPoint {
            number: Some(row),
            own: Some(own),
            values: Some((Arc::clone(&values), row)),
        };
        Self { points: own.into_iter().enumerate().map(point).collect() }
    }

    /// Queries; row i holds the kernel values of query i with all points of a Gram matrix.
    ///
    /// # Errors
    /// [`Error::NotFinite`].
    pub fn of_cross(values: Mat<T>) -> Result<Self, Error> {
        if let Some(error) = crate::tiling::first_non_finite(values.as_ref(), 0, 0) {
            return Err(error);
        }
        let rows = values.nrows();
        let values = Arc::new(Values::Cross(values));
        let point =
            |row| GivenPoint { number: None, own: None, values: Some((Arc::clone(&values), row)) };
        Ok(Self { points: (0..rows).map(point).collect() })
    }

    /// The same points with known K(x, x), which distances of queries require.
    ///
    /// # Errors
    /// [`Error::Shape`] if the number of values is wrong; [`Error::NotFinite`].
    pub fn with_diag(mut self, diag: &[T]) -> Result<Self, Error> {
        let shape = |rows| (rows, 1);
        Error::check_shape("the diagonal", shape(self.points.len()), shape(diag.len()))?;
        if let Some(i) = diag.iter().position(|own| !own.is_finite_number()) {
            return Err(Error::NotFinite { row: i, col: i, given: diag[i].to_f64() });
        }
        self.points.iter_mut().zip(diag).for_each(|(point, &own)| point.own = Some(own));
        Ok(self)
    }

    /// The number of indexed points with which every point has a value; `None` without points.
    fn width(&self) -> Option<usize> {
        self.points.iter().map(GivenPoint::width).min()
    }

    /// The number of values that a query needs to cover all of these points; `None` if one of them
    /// is a query.
    fn reach(&self) -> Option<usize> {
        self.points.iter().try_fold(0, |most, point| Some(most.max(point.number? + 1)))
    }
}

impl<T: Scalar> Values<T> {
    /// True if every entry is stored.
    fn is_stored(&self) -> bool {
        match self {
            Self::Gram(gram) => gram.stored_column(0).is_some(),
            Self::Cross(_) => true,
        }
    }
}

impl<T: Scalar> GivenPoint<T> {
    /// The number of values in its row.
    fn width(&self) -> usize {
        match self.values.as_ref().map(|(values, _)| &**values) {
            Some(Values::Gram(gram)) => gram.size(),
            Some(Values::Cross(cross)) => cross.ncols(),
            None => 0,
        }
    }

    /// The value with the point of this index.
    fn value(&self, number: usize) -> Option<T> {
        let (values, row) = self.values.as_ref()?;
        match &**values {
            Values::Gram(gram) => entry(&**gram, *row, number),
            Values::Cross(cross) => (number < cross.ncols()).then(|| cross[(*row, number)]),
        }
    }

    /// The operator and the row that the point belongs to.
    fn gram(&self) -> Option<(&Arc<Values<T>>, usize)> {
        let (values, row) = self.values.as_ref()?;
        matches!(**values, Values::Gram(_)).then_some((values, *row))
    }
}

/// One entry of an operator.
fn entry<T: Scalar>(gram: &dyn GramOperator<T>, row: usize, col: usize) -> Option<T> {
    if let Some(column) = gram.stored_column(col) {
        return column.get(row).copied();
    }
    let mut out = Mat::zeros(1, 1);
    gram.submatrix_into(Rows::Of(&[row]), &[col], out.as_mut()).ok()?;
    Some(out[(0, 0)])
}

impl<T: Scalar> Points for GivenPoints<T> {
    type Item = GivenPoint<T>;
    type Scalar = T;

    fn len(&self) -> usize {
        self.points.len()
    }

    fn item(&self, i: usize) -> &GivenPoint<T> {
        &self.points[i]
    }

    fn select(&self, indices: &[usize]) -> Result<Self, kern_core::Error> {
        Ok(Self { points: self.points.select(indices)? })
    }

    /// Keeps indices without kernel values.
    fn keep(&self, indices: &[usize]) -> Result<Self, kern_core::Error> {
        let mut kept = self.select(indices)?;
        kept.points.iter_mut().for_each(|point| point.values = None);
        Ok(kept)
    }

    fn check_compatible(&self, other: &Self) -> Result<(), kern_core::Error> {
        let meets = |a: &Self, b: &Self| match (a.width(), b.reach()) {
            (Some(width), Some(reach)) => width >= reach,
            _ => a.is_empty() || b.is_empty(),
        };
        if meets(self, other) || meets(other, self) {
            return Ok(());
        }
        let what = "kernel values per point";
        let (reach, width) = match (self.reach(), other.reach()) {
            (Some(reach), None) => (reach, other.width()),
            (_, Some(reach)) => (reach, self.width()),
            (None, None) => {
                let (what, expected) = ("kernel values between queries", other.len());
                return Err(kern_core::Error::Dimension { what, expected, given: 0 });
            }
        };
        Err(kern_core::Error::Dimension { what, expected: reach, given: width.unwrap_or(0) })
    }

    /// True for stored columns; another operator may round an entry differently depending on the
    /// request.
    fn entries_are_local(&self) -> bool {
        self.points.iter().all(|point| match point.gram() {
            Some((values, _)) => values.is_stored(),
            None => true,
        })
    }

    fn bytes(&self) -> u64 {
        matrix_bytes::<GivenPoint<T>>(self.points.len(), 1)
    }
}

/// The kernel of [`GivenPoints`], which returns their given values. That these are the values of a
/// Mercer kernel is the responsibility of the user.
#[doc(alias = "precomputed kernel")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Precomputed;

impl<T: Scalar> Kernel<GivenPoints<T>> for Precomputed {
    fn eval(&self, x: &GivenPoint<T>, y: &GivenPoint<T>) -> T {
        let found = y.number.and_then(|number| x.value(number));
        let found = found.or_else(|| x.number.and_then(|number| y.value(number)));
        found.unwrap_or_else(|| T::from_f64(f64::NAN))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, GivenPoints<T>>, mut out: MatMut<'_, T>, _: &mut Scratch<T>) {
        if let Some((gram, rows, cols)) = common(tile)
            && gram.submatrix_into(Rows::Of(&rows), &cols, out.as_mut()).is_ok()
        {
            return;
        }
        tile.fill_pointwise(out, |x, y| self.eval(x, y));
    }

    fn diag(&self, points: &GivenPoints<T>, i: usize) -> T {
        let point = points.item(i);
        point.own.unwrap_or_else(|| self.eval(point, point))
    }
}

impl<T: Scalar> Mercer<GivenPoints<T>> for Precomputed {}

/// No parameters: the values are given.
impl Parameters for Precomputed {}

kern_core::named! { [] Precomputed = "precomputed"; }

/// An operator, and some of its rows and columns.
type Part<'t, T> = (&'t dyn GramOperator<T>, Vec<usize>, Vec<usize>);

/// The operator that all rows of a tile belong to, and the entries of it that the tile consists of.
fn common<'t, T: Scalar>(tile: &Tile<'t, GivenPoints<T>>) -> Option<Part<'t, T>> {
    let mut rows = Vec::with_capacity(tile.nrows());
    let mut shared: Option<&'t Arc<Values<T>>> = None;
    for i in tile.rows() {
        let (values, row) = tile.a().item(i).gram()?;
        if !Arc::ptr_eq(shared.get_or_insert(values), values) {
            return None;
        }
        rows.push(row);
    }
    let cols: Option<Vec<usize>> = tile.cols().map(|j| tile.b().item(j).number).collect();
    match &**shared? {
        Values::Gram(gram) => Some((&**gram, rows, cols?)),
        Values::Cross(_) => None,
    }
}
