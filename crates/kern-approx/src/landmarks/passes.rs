//! Passes over the kernel values K_mn between landmarks and points.
//!
//! A pass computes t = K_mnᵀc for a few points at a time, lets its caller replace t by something of as
//! many points, and adds K_mn·t, while the kernel values of these points are in cache: every value is read, or
//! computed, once for both products. Points are cut into groups by a rule that does not know the number of
//! threads; each group is summed by one thread, and the groups in their order.

use crate::columns::non_finite;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::memory::LargeMat;
use kern_core::products::{inner_products, matmul};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{Error, MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros};
use std::ops::Range;

/// Groups of points, each with sums of its own.
const GROUPS: usize = 64;

/// Kernel values that are worked on at a time: half a megabyte of doubles, for a second-level cache.
const NUMBERS: usize = 1 << 16;

/// Points whose products are summed in the type of the points; longer sums are in double precision.
const BLOCK: usize = 512;

/// K_mn, stored or not.
#[allow(missing_debug_implementations, reason = "a kernel that is bound has none")]
pub struct Passes<'a, P: Points, K> {
    binding: Binding<'a, K, P>,
    landmarks: usize,
    points: usize,
    stored: Option<LargeMat<P::Scalar>>,
}

/// Makes what is summed of t: (range of points, t, what is summed, scalars).
pub type Middle<'p, T> = dyn Fn(Range<usize>, MatRef<'_, T>, MatMut<'_, T>, &mut [f64]) + Sync + 'p;

/// The work of a pass.
#[allow(missing_debug_implementations, reason = "closures have none")]
pub struct Pass<'p, T> {
    /// c, m × columns.
    pub coefficients: MatRef<'p, T>,
    /// The number of columns of what is summed.
    pub columns: usize,
    /// The number of scalars that are summed beside.
    pub scalars: usize,
    /// Makes what is summed of t: (range of points, t, what is summed, scalars).
    pub middle: &'p Middle<'p, T>,
}

/// The results of a pass.
#[derive(Debug)]
pub struct Sums {
    pub products: Mat<f64>,
    pub scalars: Vec<f64>,
}

impl<'a, P: Points, K: Kernel<P>> Passes<'a, P, K> {
    /// Stores the values if they fit into the budget.
    pub fn new(
        kernel: &'a K,
        (landmarks, points): (&'a P, &'a P),
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let binding = Binding::new(kernel, landmarks, points);
        let (m, n) = (landmarks.len(), points.len());
        let mut passes = Self { binding, landmarks: m, points: n, stored: None };
        if budget.fits(matrix_bytes::<P::Scalar>(m.next_multiple_of(16), n)) {
            let mut values = LargeMat::zeros(m, n)?;
            let blocks = column_blocks(values.as_mut(), passes.chunk());
            parallel::for_each_init(blocks, Scratch::new, |scratch, (start, out)| {
                let cols = start..start + out.ncols();
                passes.binding.block(0..m, cols, out, scratch);
            });
            passes.stored = Some(values);
        }
        Ok(passes)
    }

    /// Points that are worked on at a time.
    fn chunk(&self) -> usize {
        (NUMBERS / self.landmarks.max(1) / 8 * 8).clamp(8, BLOCK)
    }

    /// One pass.
    pub fn run(&self, pass: &Pass<'_, P::Scalar>) -> Result<Sums, Error> {
        let group = self.points.div_ceil(GROUPS).next_multiple_of(self.chunk());
        let groups = tile_ranges(self.points, group);
        let parts = parallel::map_init(groups, Scratch::new, |scratch, group| {
            self.sum_group(pass, group, scratch)
        });
        let mut total = Sums {
            products: zeros(self.landmarks, pass.columns)?,
            scalars: vec![0.0; pass.scalars],
        };
        for part in parts {
            let Sums { products, scalars } = part?;
            total.products += products;
            total.scalars.iter_mut().zip(scalars).for_each(|(sum, term)| *sum += term);
        }
        self.verify(&total)?;
        Ok(total)
    }

    fn sum_group(
        &self,
        pass: &Pass<'_, P::Scalar>,
        group: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Sums, Error> {
        let (m, columns) = (self.landmarks, pass.columns);
        let (mut products, mut recent) = (zeros(m, columns)?, zeros::<P::Scalar>(m, columns)?);
        let mut scalars = vec![0.0; pass.scalars];
        let mut t = zeros(self.chunk(), pass.coefficients.ncols())?;
        let mut right = zeros(self.chunk(), columns)?;
        let mut pending = 0;
        for start in group.clone().step_by(self.chunk()) {
            let range = start..group.end.min(start + self.chunk());
            let mut t = t.as_mut().subrows_mut(0, range.len());
            let mut right = right.as_mut().subrows_mut(0, range.len());
            self.with_values(range.clone(), scratch, |values| {
                let (c, one) = (pass.coefficients, P::Scalar::ONE);
                inner_products(t.as_mut(), Accum::Replace, values, c, one);
                (pass.middle)(range.clone(), t.as_ref(), right.as_mut(), &mut scalars);
                matmul(recent.as_mut(), Accum::Add, values, right.as_ref(), one);
            });
            pending += range.len();
            if pending >= BLOCK || range.end == group.end {
                for k in 0..columns {
                    let terms = recent.col_as_slice_mut(k).iter_mut();
                    let sums = products.col_as_slice_mut(k).iter_mut();
                    sums.zip(terms).for_each(|(sum, term): (&mut f64, _)| {
                        *sum += std::mem::take(term).to_f64();
                    });
                }
                pending = 0;
            }
        }
        Ok(Sums { products, scalars })
    }

    /// The values of all landmarks with some points.
    fn with_values(
        &self,
        range: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
        work: impl FnOnce(MatRef<'_, P::Scalar>),
    ) {
        match &self.stored {
            Some(values) => work(values.as_ref().subcols(range.start, range.len())),
            None => scratch.with_matrix(self.landmarks, range.len(), |mut values, scratch| {
                self.binding.block(0..self.landmarks, range, values.as_mut(), scratch);
                work(values.as_ref());
            }),
        }
    }

    /// Says what is wrong if the sums are not finite: a kernel value that is not shows there.
    fn verify(&self, sums: &Sums) -> Result<(), Error> {
        let products = sums.products.as_ref();
        let Some((row, col, given)) = non_finite(products) else { return Ok(()) };
        let mut scratch = Scratch::new();
        for range in tile_ranges(self.points, self.chunk()) {
            let mut found = None;
            self.with_values(range.clone(), &mut scratch, |values| {
                found = non_finite(values);
            });
            if let Some((row, column, given)) = found {
                return Err(Error::NotFinite { row, col: range.start + column, given });
            }
        }
        Err(Error::ProductNotFinite { row, col, given })
    }
}
