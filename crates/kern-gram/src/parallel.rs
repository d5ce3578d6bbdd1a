//! How many threads faer's factorisations and products may use.

use faer::Par;
use std::thread::available_parallelism;

/// The parallelism to hand to faer's factorisations and to products of large matrices: the current
/// rayon pool, but never more threads than cores.
///
/// faer's threads wait for each other by spinning, so more of them than cores are many times
/// slower than one. The results have the same bits for any number of threads (`tests/threads.rs`
/// checks that), but those of a product or solve with *few columns* have not: run these with
/// [`Par::Seq`], or split the rows.
#[must_use]
pub fn parallelism() -> Par {
    let cores = available_parallelism().map_or(1, usize::from);
    match rayon::current_num_threads().min(cores) {
        0 | 1 => Par::Seq,
        threads => Par::rayon(threads),
    }
}
