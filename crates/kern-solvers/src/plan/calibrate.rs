//! Measuring the constants of a machine.

use super::measure::{self, REPEATS, fastest, timed};
use super::{Access, Affine, Machine, Rates, WORKING_SETS};
use crate::Error;
use crate::sgd::{Sgd, Storage};
use kern_approx::RandomFourier;
use kern_core::kernels::Rbf;
use kern_core::memory::{LargeMat, Pages};
use kern_core::{Identity, Points, Samples, Scalar};
use kern_gram::{DenseGram, MemoryBudget, parallel, parallelism, tile_ranges};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The two dimensions through whose times a line is drawn.
const DIMS: [usize; 2] = [4, 64];
/// Features per point of the Fourier map that is timed.
const FEATURES: usize = 256;
/// Lengths of the columns that are timed.
const COLUMNS: [usize; 2] = [16, 1024];
/// Points of a Gram matrix that is large enough to need fresh memory.
const GRAM_POINTS: usize = 1024;
/// A step size that leaves the iterate in range.
const TINY: f64 = 1e-9;
/// Steps of the fits whose overhead is timed.
const STEPS: usize = 1 << 13;

/// The threads that loops of the library have here.
pub(super) fn threads() -> usize {
    parallelism().degree()
}

/// All constants.
pub(super) fn machine() -> Result<Machine, Error> {
    let (single, double) = (rates::<f32>()?, rates::<f64>()?);
    let mut machine =
        Machine { threads: threads(), single, double, step: 0.0, block: 0.0, fit: 0.0 };
    overheads(&mut machine)?;
    Ok(machine)
}

fn rates<T: Scalar>() -> Result<Rates, Error> {
    let kernel_value = by_dim(|x: &Samples<T>| Ok(measure::kernel(&Rbf::new(1.0)?, x)?.per_value))?;
    let feature = by_dim(|x: &Samples<T>| {
        let map = RandomFourier::new(Rbf::new(1.0)?).dim(FEATURES).sample(x.dim())?;
        Ok(measure::features(&map, x)? / FEATURES as f64)
    })?;
    let (update, dot) = accesses::<T>()?;
    let entry = entry::<T>(&kernel_value)?;
    Ok(Rates { kernel_value, feature, entry, fresh: fresh::<T>()?, update, dot })
}

/// The line through the times at two dimensions.
fn by_dim<T: Scalar>(seconds: impl Fn(&Samples<T>) -> Result<f64, Error>) -> Result<Affine, Error> {
    let at = |dim: usize| Ok::<_, Error>((dim as f64, seconds(&samples(measure::POINTS, dim)?)?));
    Ok(Affine::through(at(DIMS[0])?, at(DIMS[1])?))
}

/// Points in the unit cube.
fn samples<T: Scalar>(n: usize, dim: usize) -> Result<Samples<T>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let values = (0..n * dim).map(|_| T::from_f64(rng.random::<f64>())).collect();
    Ok(Samples::from_row_major(dim, values)?)
}

/// What an entry of a Gram matrix in fresh memory takes beyond its computation.
fn entry<T: Scalar>(kernel_value: &Affine) -> Result<f64, Error> {
    let x = samples::<T>(GRAM_POINTS, DIMS[0])?;
    let kernel = Rbf::new(1.0)?;
    let budget = MemoryBudget::bytes(u64::MAX);
    let seconds = fastest(REPEATS, || Ok(drop(DenseGram::new(&kernel, &x, &budget)?)))?;
    let entries = (GRAM_POINTS * GRAM_POINTS) as f64;
    Ok((seconds / entries - kernel_value.at(DIMS[0] as f64) / 2.0).max(0.0))
}

/// The first touch of a number of large memory, by all threads.
fn fresh<T: Scalar>() -> Result<f64, Error> {
    let rows = (1 << 12) / size_of::<T>();
    let columns = 1 << 12;
    let seconds = fastest(REPEATS, || {
        let mut matrix = LargeMat::<T>::zeros(rows, columns)?;
        let mut rest = matrix.as_mut();
        let mut parts = Vec::new();
        for range in tile_ranges(columns, 128) {
            let (head, tail) = rest.split_at_col_mut(range.len());
            parts.push(head);
            rest = tail;
        }
        parallel::for_each_init(parts, || (), |(), mut part| part.fill(T::ONE));
        Ok(())
    })?;
    Ok(seconds / (rows * columns) as f64)
}

/// Updates of an iterate and dot products, by the size of the matrix and the length of its columns.
fn accesses<T: Scalar>() -> Result<(Access, Access), Error> {
    let largest = WORKING_SETS[WORKING_SETS.len() - 1] as usize / size_of::<T>();
    let mut matrix = Pages::<T>::zeroed(largest)?;
    let chunks = matrix.chunks_mut(1 << 18).collect();
    parallel::for_each_init(chunks, || (), |(), chunk: &mut [T]| chunk.fill(T::ONE));
    let mut columns = RandomColumns { rng: ChaCha8Rng::seed_from_u64(0) };
    let mut line = |bytes: u64, update: bool| {
        let part = &matrix[..bytes as usize / size_of::<T>()];
        let mut at = |len: usize| {
            let seconds = columns.seconds(part, len, update)?;
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

/// Visits columns in an order that no cache has seen before.
struct RandomColumns {
    rng: ChaCha8Rng,
}

impl RandomColumns {
    /// Seconds per column of `len` numbers.
    fn seconds<T: Scalar>(&mut self, matrix: &[T], len: usize, update: bool) -> Result<f64, Error> {
        /// Numbers that are visited in one repeat, and columns at most.
        const NUMBERS: usize = 1 << 19;
        const VISITS: usize = 1 << 11;
        let visits = (NUMBERS / len).min(VISITS);
        let count = matrix.len() / len;
        let mut iterate = vec![T::ONE; len];
        let mut order = vec![0; visits];
        let mut least = f64::INFINITY;
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
                Ok(())
            })?;
            least = least.min(seconds);
        }
        Ok(least / visits as f64)
    }
}

/// What a fit, a step and a block take beyond all else: SGD with one feature.
fn overheads(machine: &mut Machine) -> Result<(), Error> {
    let x = samples::<f64>(64, 1)?;
    let labels: Vec<bool> = (0..x.len()).map(|i| i % 2 == 0).collect();
    let run = |storage, steps| {
        let sgd = Sgd::on_features(Identity::new(1)).storage(storage).iterations(steps);
        // Asking the system how much memory there is takes longer than the fit.
        let sgd = sgd.budget(MemoryBudget::bytes(u64::MAX));
        fastest(REPEATS, || Ok(drop(sgd.clone().fit_classifier(&x, &labels)?)))
    };
    let all = STEPS as f64;
    machine.fit = run(Storage::Cached, 1)?;
    let cached = run(Storage::Cached, STEPS)? - machine.fit;
    let fly = run(Storage::OnTheFly, STEPS)? - machine.fit;
    let update = machine.double.update.seconds(0, 1);
    machine.step = (cached / all - update).max(0.0);
    machine.block = ((fly - cached) / (all / 256.0)).max(0.0);
    Ok(())
}
