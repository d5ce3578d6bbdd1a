//! Application of a feature map to a collection: in chunks, in parallel, with checked results.
//!
//! The chunks do not depend on the number of threads and every chunk is computed by one thread, so
//! the features do not depend on it either.

use crate::Error;
use crate::panels::non_finite;
use faer::MatMut;
use kern_core::memory::Pages;
use kern_core::{FeatureMap, Points, Samples, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{MemoryBudget, parallel};
use std::ops::Range;

/// Points per chunk: enough columns for a matrix product at full speed, few enough that the
/// features of a chunk are still in cache when they are checked to be finite.
pub(crate) const CHUNK: usize = 128;

/// The largest number of values of a chunk of twice as many points: with 1000 landmarks the
/// triangular solves for 256 points at a time take 0.92 of the time of 128, and with 2048 Fourier
/// features they take more.
const NUMBERS: usize = 1 << 18;

/// Points per chunk for small collections, so that every thread has work.
const FEW: usize = 32;

/// The features of all points, as dense samples of dimension D.
///
/// # Shapes and units
/// n samples of dimension `map.dim()`, in the order of the points.
///
/// # Errors
/// [`Error::Core`] if the map refuses the points or a feature is not finite, [`Error::Gram`] if n ×
/// D values exceed the budget, [`Error::Zero`] for a map without features.
///
/// # Complexity
/// n × D values, written once.
///
/// # Examples
/// ```
/// use kern_approx::{Identity, transform};
/// use kern_core::Samples;
/// use kern_gram::{MemoryBudget, tile_ranges};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(transform(&Identity::new(2), &x, &MemoryBudget::mebibytes(1))?, x);
/// # Ok::<(), kern_approx::Error>(())
/// ```
pub fn transform<P, M>(
    map: &M,
    points: &P,
    budget: &MemoryBudget,
) -> Result<Samples<P::Scalar>, Error>
where
    P: Points + ?Sized,
    M: FeatureMap<P> + ?Sized,
{
    let (dim, n) = transformed_shape(map, points, budget)?;
    let mut values = Pages::zeroed(dim.saturating_mul(n))?;
    transform_into(map, points, MatMut::from_column_major_slice_mut(&mut values, dim, n))?;
    Ok(Samples::from_pages(dim, values)?)
}

/// The shape (D, n) of the features of points, if they fit the budget: for allocating the output of
/// [`transform_into`].
///
/// # Errors
/// [`Error::Zero`] for a map without features, [`Error::Gram`] beyond the budget.
///
/// # Examples
/// ```
/// use kern_approx::{Identity, transformed_shape};
/// use kern_core::Samples;
/// use kern_gram::MemoryBudget;
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
/// assert_eq!(transformed_shape(&Identity::new(2), &x, &MemoryBudget::bytes(48))?, (2, 3));
/// assert!(transformed_shape(&Identity::new(2), &x, &MemoryBudget::bytes(47)).is_err());
/// # Ok::<(), kern_approx::Error>(())
/// ```
pub fn transformed_shape<P, M>(
    map: &M,
    points: &P,
    budget: &MemoryBudget,
) -> Result<(usize, usize), Error>
where
    P: Points + ?Sized,
    M: FeatureMap<P> + ?Sized,
{
    let (dim, n) = (map.dim(), points.len());
    if dim == 0 {
        return Err(Error::Zero { what: "the dimension of a feature map" });
    }
    let instead = "transform fewer points at a time";
    budget.check::<P::Scalar>("the matrix of features", dim, n, instead)?;
    Ok((dim, n))
}

/// Writes the features of all points to memory of the caller. Prefer it in loops, since fresh
/// memory costs time.
///
/// # Shapes and units
/// `out` is D × n, one column per point.
///
/// # Errors
/// [`Error::Gram`] unless `out` has that shape, [`Error::Core`] if the map refuses the points or a
/// feature is not finite.
///
/// # Examples
/// ```
/// use kern_approx::{Identity, transform_into};
/// use kern_core::{Samples, faer::Mat};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?;
/// let mut z = Mat::zeros(2, 2);
/// transform_into(&Identity::new(2), &x, z.as_mut())?;
/// assert_eq!(z[(0, 1)], 3.0);
/// # Ok::<(), kern_approx::Error>(())
/// ```
pub fn transform_into<P, M>(map: &M, points: &P, out: MatMut<'_, P::Scalar>) -> Result<(), Error>
where
    P: Points + ?Sized,
    M: FeatureMap<P> + ?Sized,
{
    let shape = (map.dim(), points.len());
    kern_gram::Error::check_shape("the matrix of features", shape, out.shape())?;
    map.check(points)?;
    match fill(map, points, 0..points.len(), chunk(map.dim()), out) {
        Some((sample, feature, given)) => {
            Err(kern_core::Error::FeatureNotFinite { sample, feature, given }.into())
        }
        None => Ok(()),
    }
}

/// Points per chunk for a map with this many features.
pub(crate) fn chunk(dim: usize) -> usize {
    (NUMBERS / dim.max(1) / 8 * 8).clamp(CHUNK, 2 * CHUNK)
}

/// Fills `out` with the features of a range of points, in chunks of `chunk` points. Returns the
/// place and value of the first non-finite feature.
pub(crate) fn fill<P, M>(
    map: &M,
    points: &P,
    range: Range<usize>,
    chunk: usize,
    out: MatMut<'_, P::Scalar>,
) -> Option<(usize, usize, f64)>
where
    P: Points + ?Sized,
    M: FeatureMap<P> + ?Sized,
{
    let chunks = column_blocks(out, chunk);
    let found = parallel::map_init(chunks, Scratch::new, |scratch, (first, mut out)| {
        let start = range.start + first;
        map.transform_into(points, start..start + out.ncols(), out.as_mut(), scratch);
        let (feature, j, given) = non_finite(out.as_ref())?;
        Some((start + j, feature, given))
    });
    // The one of the first point, since the chunks are in order.
    found.into_iter().flatten().next()
}

/// The features of the points with given indices, for solvers that visit points in an order of
/// their own.
///
/// It does not check again that the map accepts the points: call [`check`](FeatureMap::check) once
/// before the loop.
///
/// # Shapes and units
/// `out` is D × `indices.len()`; column b holds ψ(x_{indices\[b\]}).
///
/// # Errors
/// [`Error::Core`] if an index is out of bounds or a feature is not finite, [`Error::Gram`] unless
/// `out` has that shape.
///
/// # Examples
/// ```
/// use kern_approx::{Identity, transform_indices_into};
/// use kern_core::{Samples, faer::Mat};
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
/// let mut z = Mat::zeros(1, 2);
/// let map = Identity::new(1);
/// transform_indices_into(&map, &x, &[2, 0], z.as_mut())?;
/// assert_eq!((z[(0, 0)], z[(0, 1)]), (3.0, 1.0));
/// # Ok::<(), kern_approx::Error>(())
/// ```
pub fn transform_indices_into<P, M>(
    map: &M,
    points: &P,
    indices: &[usize],
    out: MatMut<'_, P::Scalar>,
) -> Result<(), Error>
where
    P: Points,
    M: FeatureMap<P> + ?Sized,
{
    let shape = (map.dim(), indices.len());
    kern_gram::Error::check_shape("the matrix of features", shape, out.shape())?;
    let selected = points.select(indices)?;
    match fill(map, &selected, 0..indices.len(), FEW, out) {
        Some((at, feature, given)) => {
            Err(kern_core::Error::FeatureNotFinite { sample: indices[at], feature, given }.into())
        }
        None => Ok(()),
    }
}
