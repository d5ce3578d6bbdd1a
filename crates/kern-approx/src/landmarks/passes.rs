//! Passes over the columns of a matrix V that belong to points: the kernel values K_mn between landmarks and points, or features.
//!
//! A pass computes t = Vᵀc for a few points at a time, lets its caller replace t by something of as
//! many points, and adds V·t, while the values of these points are in cache: every value is read, or
//! computed, once for both products. Points are cut into groups by a rule that does not know the number of
//! threads; each group is summed by one thread, and the groups in their order.

use crate::columns::non_finite;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::memory::LargeMat;
use kern_core::products::{inner_products, matmul};
use kern_core::{Binding, FeatureMap, Kernel, Points, Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{Error, MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros};
use std::ops::Range;

/// Groups of points, each with sums of its own.
const GROUPS: usize = 64;

/// Values that are worked on at a time: half a megabyte of doubles, for a second-level cache.
const NUMBERS: usize = 1 << 16;

/// Points whose products are summed in the type of the points; longer sums are in double precision.
const BLOCK: usize = 512;

/// V, stored or not.
#[allow(missing_debug_implementations, reason = "a kernel that is bound has none")]
pub struct Passes<'a, T: Scalar> {
    fill: Box<Fill<'a, T>>,
    rows: usize,
    points: usize,
    stored: Option<LargeMat<T>>,
    /// Says what is wrong with a value that is not finite: (row, point, value).
    refuse: fn(usize, usize, f64) -> Error,
}

/// Writes the columns of some points.
type Fill<'a, T> = dyn Fn(Range<usize>, MatMut<'_, T>, &mut Scratch<T>) + Send + Sync + 'a;

/// Makes what is summed of t: (range of points, t, what is summed, scalars).
pub type Middle<'p, T> = dyn Fn(Range<usize>, MatRef<'_, T>, MatMut<'_, T>, &mut [f64]) + Sync + 'p;

/// The work of a pass.
#[allow(missing_debug_implementations, reason = "closures have none")]
pub struct Pass<'p, T> {
    /// c, rows of V × columns.
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

impl<'a, T: Scalar> Passes<'a, T> {
    /// The kernel values between landmarks and points.
    pub fn of_kernel<P: Points<Scalar = T>, K: Kernel<P>>(
        kernel: &'a K,
        (landmarks, points): (&'a P, &'a P),
    ) -> Self {
        let (binding, m) = (Binding::new(kernel, landmarks, points), landmarks.len());
        Self {
            fill: Box::new(move |range, out, scratch| binding.block(0..m, range, out, scratch)),
            rows: m,
            points: points.len(),
            stored: None,
            refuse: |row, col, given| Error::NotFinite { row, col, given },
        }
    }

    /// The features of points.
    pub fn of_map<P: Points<Scalar = T>>(map: &'a dyn FeatureMap<P>, points: &'a P) -> Self {
        Self {
            fill: Box::new(move |range, out, scratch| {
                map.transform_into(points, range, out, scratch);
            }),
            rows: map.dim(),
            points: points.len(),
            stored: None,
            refuse: |feature, sample, given| {
                kern_core::Error::FeatureNotFinite { sample, feature, given }.into()
            },
        }
    }

    /// Stores the values if they fit into the budget.
    pub fn kept_within(mut self, budget: &MemoryBudget) -> Result<Self, Error> {
        let (m, n) = (self.rows, self.points);
        if budget.fits(matrix_bytes::<T>(m.next_multiple_of(16), n)) {
            let mut values = LargeMat::zeros(m, n)?;
            let blocks = column_blocks(values.as_mut(), self.chunk());
            parallel::for_each_init(blocks, Scratch::new, |scratch, (start, out)| {
                (self.fill)(start..start + out.ncols(), out, scratch);
            });
            self.stored = Some(values);
        }
        Ok(self)
    }

    /// Points that are worked on at a time.
    fn chunk(&self) -> usize {
        (NUMBERS / self.rows.max(1) / 8 * 8).clamp(8, BLOCK)
    }

    /// One pass.
    pub fn run(&self, pass: &Pass<'_, T>) -> Result<Sums, Error> {
        let group = self.points.div_ceil(GROUPS).next_multiple_of(self.chunk());
        let groups = tile_ranges(self.points, group);
        let parts = parallel::map_init(groups, Scratch::new, |scratch, group| {
            self.sum_group(pass, group, scratch)
        });
        let mut total =
            Sums { products: zeros(self.rows, pass.columns)?, scalars: vec![0.0; pass.scalars] };
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
        pass: &Pass<'_, T>,
        group: Range<usize>,
        scratch: &mut Scratch<T>,
    ) -> Result<Sums, Error> {
        let (m, columns) = (self.rows, pass.columns);
        let (mut products, mut recent) = (zeros(m, columns)?, zeros::<T>(m, columns)?);
        let mut scalars = vec![0.0; pass.scalars];
        let mut t = zeros(self.chunk(), pass.coefficients.ncols())?;
        let mut right = zeros(self.chunk(), columns)?;
        let mut pending = 0;
        for start in group.clone().step_by(self.chunk()) {
            let range = start..group.end.min(start + self.chunk());
            let mut t = t.as_mut().subrows_mut(0, range.len());
            let mut right = right.as_mut().subrows_mut(0, range.len());
            self.with_values(range.clone(), scratch, |values| {
                let (c, one) = (pass.coefficients, T::ONE);
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

    /// The values of some points.
    fn with_values(
        &self,
        range: Range<usize>,
        scratch: &mut Scratch<T>,
        work: impl FnOnce(MatRef<'_, T>),
    ) {
        match &self.stored {
            Some(values) => work(values.as_ref().subcols(range.start, range.len())),
            None => scratch.with_matrix(self.rows, range.len(), |mut values, scratch| {
                (self.fill)(range, values.as_mut(), scratch);
                work(values.as_ref());
            }),
        }
    }

    /// Says what is wrong if the sums are not finite: a value that is not shows there.
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
                return Err((self.refuse)(row, range.start + column, given));
            }
        }
        Err(Error::ProductNotFinite { row, col, given })
    }
}
