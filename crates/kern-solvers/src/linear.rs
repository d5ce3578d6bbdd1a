//! Values of linear functions of features.

use faer::{Accum, MatMut, MatRef};
use kern_core::Scalar;
use kern_core::products::inner_products;
use kern_gram::{parallel, split_rows, tile_ranges};

/// The number of points that one thread evaluates at a time.
const CHUNK: usize = 256;

/// out ← Zᵀw.
pub(crate) fn values<T: Scalar>(w: MatRef<'_, T>, z: MatRef<'_, T>, out: MatMut<'_, T>) {
    let ranges = tile_ranges(z.ncols(), CHUNK);
    let stripes = split_rows(out, &ranges).into_iter().zip(ranges).collect();
    parallel::for_each_init(
        stripes,
        || (),
        |(), (out, range)| {
            let z = z.subcols(range.start, range.len());
            inner_products(out, Accum::Replace, z, w, T::ONE);
        },
    );
}
