//! The constants of the performance model, and their measurement: for example the time to access a
//! column of a matrix, depending on the size of the matrix.

use super::measure::{self, REPEATS};
use crate::{Error, RandomFourier};
use faer::{Mat, MatRef};
use kern_core::kernels::Rbf;
use kern_core::memory::{LargeMat, Pages};
use kern_core::{Samples, Scalar};
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::numerics::stopwatch::{fastest, timed};
use kern_gram::{DenseGram, MemoryBudget, parallel, stored, tile_ranges, zeros};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::hint::black_box;

/// A linear time model: constant + rate·x seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// Seconds at x = 0.
    pub constant: f64,
    /// Seconds per unit of x.
    pub rate: f64,
}

impl Affine {
    /// The value at x.
    #[must_use]
    #[inline]
    pub fn at(&self, x: f64) -> f64 {
        self.constant + self.rate * x
    }

    /// The line through two points with x₁ < x₂, restricted to non-negative times.
    fn through((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Self {
        let rate = ((y2 - y1) / (x2 - x1)).max(0.0);
        let constant = (y1 - rate * x1).max(0.0);
        Self { constant, rate }
    }
}

/// Constants that depend on the scalar type, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// One kernel value as a function of the dimension d, on all threads together (RBF kernel,
    /// dense samples).
    pub kernel_value: Affine,
    /// One feature of one point as a function of d, on all threads together (random Fourier map).
    pub feature: Affine,
    /// One entry of a Gram matrix, in addition to its computation: fresh memory, and its mirror
    /// image.
    pub entry: f64,
    /// One value of a matrix of features, in addition to its computation: fresh memory.
    pub fresh: f64,
    /// A dot product with a column and an axpy update of the iterate: a step in w-space.
    pub update: Access,
    /// A dot product with a column.
    pub dot: Access,
    /// The product of some columns of a Gram matrix with coefficients, as a function of the total
    /// length of the columns, on all threads.
    pub columns: Access,
    /// Reading an entry of a Gram matrix at a random place.
    pub pair: Access,
    /// One floating-point operation of a large factorisation or matrix product, on all threads; for
    /// `f64` in single precision, as the factor of ridge regression is.
    pub flop: f64,
}

/// The scalar type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// `f32`, 4 bytes.
    Single,
    /// `f64`, 8 bytes.
    #[default]
    Double,
}

impl Precision {
    /// Bytes per value.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// The precision of the type `T`.
    #[must_use]
    pub const fn of<T>() -> Self {
        if size_of::<T>() == 4 { Self::Single } else { Self::Double }
    }
}

/// Sizes in bytes of the matrices whose column accesses are timed: from the first-level cache to
/// main memory.
pub const WORKING_SETS: [u64; 5] = [1 << 15, 1 << 19, 1 << 22, 1 << 24, 1 << 27];

/// Seconds of an operation on a column, at a random position of a matrix of each size of
/// [`WORKING_SETS`], as a constant plus a rate per value.
///
/// # Examples
/// ```
/// use kern_approx::machine::{Access, Affine};
/// let at = |seconds| Affine { constant: 0.0, rate: seconds };
/// let access = Access([at(1.0), at(1.0), at(1.0), at(2.0), at(5.0)]);
/// assert_eq!(access.seconds(1 << 10, 10.0), 10.0);
/// let half_way = access.seconds(1 << 23, 10.0); // between 2²² and 2²⁴ bytes
/// assert!((half_way - 15.0).abs() < 1e-12);
/// assert_eq!(access.seconds(1 << 40, 10.0), 50.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access(pub [Affine; WORKING_SETS.len()]);

impl Access {
    /// Seconds per value of a matrix in main memory.
    #[must_use]
    pub fn in_memory(&self) -> f64 {
        self.0[WORKING_SETS.len() - 1].rate
    }

    /// Seconds for a column of `numbers` values of a matrix of `bytes`: interpolated linearly in
    /// log(bytes) between the timed sizes, constant beyond them.
    #[must_use]
    pub fn seconds(&self, bytes: u64, numbers: f64) -> f64 {
        let at = |k: usize| self.0[k].at(numbers);
        let above = WORKING_SETS.partition_point(|&size| size <= bytes);
        if above == 0 {
            return at(0);
        }
        if above == WORKING_SETS.len() {
            return at(above - 1);
        }
        let log = |bytes: u64| (bytes as f64).ln();
        let (low, high) = (log(WORKING_SETS[above - 1]), log(WORKING_SETS[above]));
        let share = (log(bytes) - low) / (high - low);
        at(above - 1) + share * (at(above) - at(above - 1))
    }
}

/// The two dimensions that the line is fitted to.
const DIMS: [usize; 2] = [4, 64];
/// Features per point of the timed Fourier map.
const FEATURES: usize = 256;
/// Lengths of the timed columns.
const COLUMNS: [usize; 2] = [16, 1024];
/// Points of a Gram matrix that is large enough to need fresh memory.
const GRAM_POINTS: usize = 1024;
/// A step size that keeps the iterate in range.
const TINY: f64 = 1e-9;
/// Columns of a Gram matrix per product, and entries per block of look-ups.
const BLOCK: usize = 32;

/// The constants of `f32` and of `f64`.
pub fn rates() -> Result<(Rates, Rates), Error> {
    let flop = flop()?;
    Ok((rates_of::<f32>(flop)?, rates_of::<f64>(flop)?))
}

/// Seconds per flop of a Cholesky factorisation in single precision.
fn flop() -> Result<f64, Error> {
    /// Rows of the matrix.
    const ROWS: usize = 1024;
    let run = || {
        let mut matrix = LargeMat::<f32>::zeros(ROWS, ROWS)?;
        let mut entries = matrix.as_mut();
        (0..ROWS).for_each(|i| entries[(i, i)] = 1.0);
        Ok::<_, Error>(Cholesky::new(matrix, 0.0)?)
    };
    Ok(fastest(REPEATS, run)? / ((ROWS * ROWS * ROWS) as f64 / 3.0))
}

fn rates_of<T: Scalar>(flop: f64) -> Result<Rates, Error> {
    let kernel_value =
        by_dim(|x: &Samples<T>| Ok::<_, Error>(measure::kernel(&Rbf::new(1.0)?, x)?.per_value))?;
    let feature = by_dim(|x: &Samples<T>| {
        let map = RandomFourier::new(Rbf::new(1.0)?).dim(FEATURES).sample(x.dim())?;
        Ok::<_, Error>(measure::features(&map, x)? / FEATURES as f64)
    })?;
    let memory = touched::<T>()?;
    let (update, dot) = accesses(&memory)?;
    let (columns, pair) = gram_accesses(&memory)?;
    let (entry, fresh) = (entry::<T>(&kernel_value)?, fresh::<T>()?);
    Ok(Rates { kernel_value, feature, entry, fresh, update, dot, columns, pair, flop })
}

/// The line through the times at two dimensions.
fn by_dim<T: Scalar>(seconds: impl Fn(&Samples<T>) -> Result<f64, Error>) -> Result<Affine, Error> {
    let at = |dim: usize| Ok::<_, Error>((dim as f64, seconds(&samples(measure::POINTS, dim)?)?));
    Ok(Affine::through(at(DIMS[0])?, at(DIMS[1])?))
}

/// Points in the unit cube.
pub fn samples<T: Scalar>(n: usize, dim: usize) -> Result<Samples<T>, kern_core::Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let values = (0..n * dim).map(|_| T::from_f64(rng.random::<f64>())).collect();
    Samples::from_row_major(dim, values)
}

/// Seconds per entry of a Gram matrix in fresh memory, in addition to its computation.
fn entry<T: Scalar>(kernel_value: &Affine) -> Result<f64, Error> {
    let x = samples::<T>(GRAM_POINTS, DIMS[0])?;
    let kernel = Rbf::new(1.0)?;
    let budget = MemoryBudget::bytes(u64::MAX);
    let seconds = warm(|| Ok::<_, Error>(DenseGram::new(&kernel, &x, &budget)?))?;
    let entries = (GRAM_POINTS * GRAM_POINTS) as f64;
    Ok((seconds / entries - kernel_value.at(DIMS[0] as f64) / 2.0).max(0.0))
}

/// The fastest of several runs that allocate fresh memory, with more runs than usual: memory that a
/// virtual machine has not used for a while is slow at first (measured: 1 ns per byte, later 0.05).
fn warm<R>(mut run: impl FnMut() -> Result<R, Error>) -> Result<f64, Error> {
    const RUNS: usize = 8;
    let mut smallest = f64::INFINITY;
    for _ in 0..RUNS {
        smallest = smallest.min(timed(&mut run)?);
    }
    Ok(smallest)
}

/// Seconds per value for the first touch of large memory, by all threads.
fn fresh<T: Scalar>() -> Result<f64, Error> {
    let rows = (1 << 12) / size_of::<T>();
    let columns = 1 << 12;
    let seconds = warm(|| {
        let mut matrix = LargeMat::<T>::zeros(rows, columns)?;
        let mut rest = matrix.as_mut();
        let mut parts = Vec::new();
        for range in tile_ranges(columns, 128) {
            let (head, tail) = rest.split_at_col_mut(range.len());
            parts.push(head);
            rest = tail;
        }
        parallel::for_each_init(parts, || (), |(), mut part| part.fill(T::ONE));
        Ok::<_, Error>(())
    })?;
    Ok(seconds / (rows * columns) as f64)
}

/// Memory of the largest working set, filled with ones.
fn touched<T: Scalar>() -> Result<Pages<T>, Error> {
    let largest = WORKING_SETS[WORKING_SETS.len() - 1] as usize / size_of::<T>();
    let mut memory = Pages::zeroed(largest)?;
    let chunks = memory.chunks_mut(1 << 18).collect();
    parallel::for_each_init(chunks, || (), |(), chunk: &mut [T]| chunk.fill(T::ONE));
    Ok(memory)
}

/// Times of axpy updates and dot products, by the size of the matrix and the length of its columns.
fn accesses<T: Scalar>(memory: &[T]) -> Result<(Access, Access), Error> {
    let mut columns = RandomColumns { rng: ChaCha8Rng::seed_from_u64(0) };
    let mut line = |bytes: u64, update: bool| {
        let part = &memory[..bytes as usize / size_of::<T>()];
        let mut at = |len: usize| {
            let seconds = columns.seconds::<T>(part, len, update)?;
            Ok::<_, Error>((len as f64, seconds))
        };
        Ok::<_, Error>(Affine::through(at(COLUMNS[0])?, at(COLUMNS[1])?))
    };
    let (mut update, mut dot) = ([Affine::default(); 5], [Affine::default(); 5]);
    for (k, &bytes) in WORKING_SETS.iter().enumerate() {
        update[k] = line(bytes, true)?;
        dot[k] = line(bytes, false)?;
    }
    Ok((Access(update), Access(dot)))
}

/// Visits columns in random order, so that none is in cache by chance.
struct RandomColumns {
    rng: ChaCha8Rng,
}

impl RandomColumns {
    /// Seconds per column of `len` numbers.
    fn seconds<T: Scalar>(&mut self, matrix: &[T], len: usize, update: bool) -> Result<f64, Error> {
        /// Values that are visited in one repeat, and the largest number of columns.
        const NUMBERS: usize = 1 << 19;
        const VISITS: usize = 1 << 11;
        let visits = (NUMBERS / len).min(VISITS);
        let count = matrix.len() / len;
        let mut iterate = vec![T::ONE; len];
        let mut order = vec![0; visits];
        let mut smallest = f64::INFINITY;
        for _ in 0..REPEATS {
            order.fill_with(|| self.rng.random_range(0..count));
            let seconds = timed(|| {
                for &i in &order {
                    let column = &matrix[i * len..(i + 1) * len];
                    let value = T::dot(column, &iterate);
                    if update {
                        T::axpy(T::from_f64(TINY) * value, column, &mut iterate);
                    } else {
                        iterate[0] = value;
                    }
                }
                Ok::<_, Error>(())
            })?;
            smallest = smallest.min(seconds);
        }
        Ok(smallest / visits as f64)
    }
}

/// Times of products with columns of Gram matrices, and of reading entries, by the size of the
/// matrix.
fn gram_accesses<T: Scalar>(memory: &[T]) -> Result<(Access, Access), Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut columns, mut pair) = ([Affine::default(); 5], [Affine::default(); 5]);
    for (k, &bytes) in WORKING_SETS.iter().enumerate() {
        let n = (bytes / size_of::<T>() as u64).isqrt() as usize;
        let gram = MatRef::from_column_major_slice(&memory[..n * n], n, n);
        let mut at = |count: usize| product(gram, count, &mut rng);
        columns[k] = Affine::through(at(BLOCK / 8)?, at(BLOCK)?);
        pair[k] = Affine { constant: 0.0, rate: look_up(gram, &mut rng)? };
    }
    Ok((Access(columns), Access(pair)))
}

/// The total length of `count` random columns, and the seconds for their product.
fn product<T: Scalar>(
    gram: MatRef<'_, T>,
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Result<(f64, f64), Error> {
    /// Values that are visited in one repeat.
    const NUMBERS: usize = 1 << 19;
    let n = gram.nrows();
    let products = (NUMBERS / (n * count)).clamp(1, 64);
    let v = Mat::full(count, 1, T::ONE);
    let mut out = zeros(n, 1)?;
    let mut columns = vec![0; count];
    let mut smallest = f64::INFINITY;
    for _ in 0..REPEATS {
        let seconds = timed(|| {
            for _ in 0..products {
                columns.fill_with(|| rng.random_range(0..n));
                stored::apply_columns_into(gram, &columns, v.as_ref(), out.as_mut())?;
            }
            Ok::<_, Error>(())
        })?;
        smallest = smallest.min(seconds);
    }
    Ok(((n * count) as f64, smallest / products as f64))
}

/// Seconds per entry at a random place: for each sample of a block those of the later ones.
fn look_up<T: Scalar>(gram: MatRef<'_, T>, rng: &mut ChaCha8Rng) -> Result<f64, Error> {
    const BLOCKS: usize = 16;
    let n = gram.nrows();
    let mut block = vec![0; BLOCK];
    let mut margins = vec![0.0; BLOCK];
    let mut smallest = f64::INFINITY;
    for _ in 0..REPEATS {
        let seconds = timed(|| {
            for _ in 0..BLOCKS {
                block.fill_with(|| rng.random_range(0..n));
                for (b, &i) in block.iter().enumerate() {
                    let column = gram.col(i);
                    let later = margins[b..].iter_mut().zip(&block[b..]);
                    later.for_each(|(margin, &j)| *margin += column[j].to_f64());
                }
            }
            Ok::<_, Error>(())
        })?;
        smallest = smallest.min(seconds);
    }
    black_box(&margins);
    let pairs = BLOCKS * BLOCK * (BLOCK + 1) / 2;
    Ok(smallest / pairs as f64)
}
