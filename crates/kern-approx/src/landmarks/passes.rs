//! Passes over a matrix V with one column per point: the kernel values K_mn between landmarks and
//! points, or features.
//!
//! A pass computes t = Vᵀc for a chunk of points, lets its caller replace t by other values for
//! these points, and adds V·t, while the columns of V are in cache: every value is read, or
//! computed, once for both products. Points are cut into groups by a rule independent of the number
//! of threads; each group is summed by one thread, and the groups in order.
//!
//! Values in single precision take half the memory, and half the time of a pass. They serve for
//! steps whose result is verified with the original values.

use crate::panels::non_finite;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::memory::{LargeMat, convert_into, converted};
use kern_core::products::{inner_products, matmul};
use kern_core::{Binding, FeatureMap, Kernel, Points, Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{Error, MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros};
use std::ops::Range;

/// Points whose products are summed in the type of the points; longer sums are in double precision.
const BLOCK: usize = 512;

/// Values per chunk: half a megabyte of doubles, for a second-level cache.
const NUMBERS: usize = 1 << 16;

/// The matrix V, stored or computed in each pass.
#[allow(missing_debug_implementations, reason = "a kernel that is bound has none")]
pub struct Passes<'a, T: Scalar> {
    fill: Box<Fill<'a, T>>,
    rows: usize,
    points: usize,
    stored: Option<LargeMat<T>>,
    rounded: Rounded,
    /// Creates the error for a value that is not finite: (row, point, value).
    refuse: fn(usize, usize, f64) -> Error,
}

/// V in single precision, if used.
enum Rounded {
    No,
    /// Values are computed in each pass.
    Computed,
    /// Memory to be filled by [`Passes::run_storing`].
    Empty(LargeMat<f32>),
    Stored(LargeMat<f32>),
}

/// Writes the columns of some points.
type Fill<'a, T> = dyn Fn(Range<usize>, MatMut<'_, T>, &mut Scratch<T>) + Send + Sync + 'a;

impl<'a, T: Scalar> Passes<'a, T> {
    /// Passes over the kernel values between landmarks and points.
    pub fn of_kernel<P: Points<Scalar = T>, K: Kernel<P>>(
        kernel: &'a K,
        landmarks: &'a P,
        points: &'a P,
    ) -> Self {
        let (binding, m) = (Binding::new(kernel, landmarks, points), landmarks.len());
        Self {
            fill: Box::new(move |range, out, scratch| binding.block(0..m, range, out, scratch)),
            rows: m,
            points: points.len(),
            stored: None,
            rounded: Rounded::No,
            refuse: |row, col, given| Error::NotFinite { row, col, given },
        }
    }

    /// Passes over the features of points.
    pub fn of_map<P: Points<Scalar = T>>(map: &'a dyn FeatureMap<P>, points: &'a P) -> Self {
        Self {
            fill: Box::new(move |range, out, scratch| {
                map.transform_into(points, range, out, scratch);
            }),
            rows: map.dim(),
            points: points.len(),
            stored: None,
            rounded: Rounded::No,
            refuse: |feature, sample, given| {
                kern_core::Error::FeatureNotFinite { sample, feature, given }.into()
            },
        }
    }

    /// Stores the values if they fit into the budget.
    pub fn keep_within(&mut self, budget: &MemoryBudget) -> Result<(), Error> {
        let (m, n) = (self.rows, self.points);
        if budget.fits(matrix_bytes::<T>(m.next_multiple_of(16), n)) {
            let mut values = LargeMat::zeros(m, n)?;
            let blocks = column_blocks(values.as_mut(), self.chunk());
            parallel::for_each_init(blocks, Scratch::new, |scratch, (start, out)| {
                (self.fill)(start..start + out.ncols(), out, scratch);
            });
            self.stored = Some(values);
        }
        Ok(())
    }

    /// Enables [`run_rounded`](Self::run_rounded) with values in single precision. If they fit into
    /// the budget, the next [`run_storing`](Self::run_storing) stores them; otherwise they are
    /// computed in each pass.
    pub fn round_within(&mut self, budget: &MemoryBudget) -> Result<(), Error> {
        let (m, n) = (self.rows, self.points);
        let fits = budget.fits(matrix_bytes::<f32>(m.next_multiple_of(16), n));
        self.rounded = match fits {
            true => Rounded::Empty(LargeMat::zeros(m, n)?),
            false => Rounded::Computed,
        };
        Ok(())
    }

    /// True if values in single precision are enabled.
    #[must_use]
    pub const fn is_rounded(&self) -> bool {
        !matches!(self.rounded, Rounded::No)
    }

    /// Releases the values in single precision; their memory is used for the original values if
    /// they fit.
    pub fn make_exact(&mut self, budget: &MemoryBudget) -> Result<(), Error> {
        self.rounded = Rounded::No;
        self.keep_within(budget)
    }

    /// True if the original values are stored, and not computed in each pass.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        self.stored.is_some()
    }

    /// Points per chunk.
    fn chunk(&self) -> usize {
        (NUMBERS / self.rows.max(1) / 8 * 8).clamp(8, BLOCK)
    }

    /// Lends the columns of some points to `work`.
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
}

/// Groups of points, each with sums of its own.
const GROUPS: usize = 64;

/// Computes the values to be summed from t: (range of points, t, values to be summed, scalars).
pub type Middle<'p, T> = dyn Fn(Range<usize>, MatRef<'_, T>, MatMut<'_, T>, &mut [f64]) + Sync + 'p;

/// The definition of a pass.
#[allow(missing_debug_implementations, reason = "closures have none")]
pub struct Pass<'p, T> {
    /// c, rows of V × columns.
    pub coefficients: MatRef<'p, T>,
    /// The number of columns of the values to be summed.
    pub columns: usize,
    /// The number of scalars that are summed in addition.
    pub scalars: usize,
    /// Computes the values to be summed from t: (range of points, t, values to be summed, scalars).
    pub middle: &'p Middle<'p, T>,
}

/// The results of a pass.
#[derive(Debug)]
pub struct Sums {
    /// Products of the kernel values with what the middle computed: landmarks × columns.
    pub products: Mat<f64>,
    /// Sums of the scalars.
    pub scalars: Vec<f64>,
}

/// The products of a chunk of points, in the type T of the points and the type V of the values.
struct Chunk<T, V> {
    found: Mat<V>,
    t: Mat<T>,
    right: Mat<T>,
    weights: Mat<V>,
}

impl<T: Scalar, V: Scalar> Chunk<T, V> {
    /// Buffers for a number of points, with `wanted` columns of coefficients, and `columns` columns
    /// of values to be summed.
    fn new(points: usize, wanted: usize, columns: usize) -> Result<Self, Error> {
        let (found, t) = (zeros(points, wanted)?, zeros(points, wanted)?);
        Ok(Self { found, t, right: zeros(points, columns)?, weights: zeros(points, columns)? })
    }

    /// Computes the weights of these points from t = Vᵀc.
    fn products(
        &mut self,
        values: MatRef<'_, V>,
        coefficients: MatRef<'_, V>,
        pass: &Pass<'_, T>,
        range: Range<usize>,
        scalars: &mut [f64],
    ) {
        let count = range.len();
        let mut found = self.found.as_mut().subrows_mut(0, count);
        let mut t = self.t.as_mut().subrows_mut(0, count);
        let mut right = self.right.as_mut().subrows_mut(0, count);
        inner_products(found.as_mut(), Accum::Replace, values, coefficients, V::ONE);
        convert_into(found.as_ref(), t.as_mut());
        (pass.middle)(range, t.as_ref(), right.as_mut(), scalars);
        convert_into(right.as_ref(), self.weights.as_mut().subrows_mut(0, count));
    }
}

/// The buffers of a thread.
struct Buffers<T: Scalar> {
    values: Scratch<T>,
    rounded: Scratch<f32>,
}

impl<T: Scalar> Buffers<T> {
    const fn new() -> Self {
        Self { values: Scratch::new(), rounded: Scratch::new() }
    }
}

/// Lends the columns of some points, in the type V.
type Values<'v, T, V> =
    dyn Fn(Range<usize>, &mut Buffers<T>, &mut dyn FnMut(MatRef<'_, V>)) + Sync + 'v;

impl<T: Scalar> Passes<'_, T> {
    /// Runs one pass.
    pub fn run(&self, pass: &Pass<'_, T>) -> Result<Sums, Error> {
        self.run_into(None, pass)
    }

    /// [`run`](Self::run), which also stores the values in single precision if memory is reserved
    /// for them.
    pub fn run_storing(&mut self, pass: &Pass<'_, T>) -> Result<Sums, Error> {
        match std::mem::replace(&mut self.rounded, Rounded::Computed) {
            Rounded::Empty(mut values) => {
                let sums = self.run_into(Some(values.as_mut()), pass)?;
                self.rounded = Rounded::Stored(values);
                Ok(sums)
            }
            other => {
                self.rounded = other;
                self.run(pass)
            }
        }
    }

    fn run_into(&self, store: Option<MatMut<'_, f32>>, pass: &Pass<'_, T>) -> Result<Sums, Error> {
        let sums = self.sum(pass, pass.coefficients, store, &|range, buffers, work| {
            self.with_values(range, &mut buffers.values, |values| work(values));
        })?;
        self.verify(&sums)?;
        Ok(sums)
    }

    /// Runs one pass with values in single precision, if enabled.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if a sum overflows single precision.
    pub fn run_rounded(&self, pass: &Pass<'_, T>) -> Result<Sums, Error> {
        if !self.is_rounded() {
            return self.run(pass);
        }
        let coefficients: Mat<f32> = converted(pass.coefficients)?;
        let narrow = coefficients.as_ref();
        let sums = if let Rounded::Stored(rounded) = &self.rounded {
            self.sum(pass, narrow, None, &|range, _, work| {
                work(rounded.as_ref().subcols(range.start, range.len()));
            })
        } else {
            self.sum(pass, narrow, None, &|range, buffers, work| {
                let Buffers { values, rounded } = buffers;
                rounded.with_matrix(self.rows, range.len(), |mut rounded, _| {
                    self.with_values(range, values, |values| {
                        convert_into(values, rounded.as_mut());
                    });
                    work(rounded.as_ref());
                });
            })
        }?;
        match non_finite(sums.products.as_ref()) {
            Some((row, col, given)) => Err(Error::ProductNotFinite { row, col, given }),
            None => Ok(sums),
        }
    }

    /// The sums of a pass with values and coefficients of the type V.
    fn sum<V: Scalar>(
        &self,
        pass: &Pass<'_, T>,
        coefficients: MatRef<'_, V>,
        store: Option<MatMut<'_, f32>>,
        values: &Values<'_, T, V>,
    ) -> Result<Sums, Error> {
        let group = self.points.div_ceil(GROUPS).next_multiple_of(self.chunk());
        let groups = tile_ranges(self.points, group);
        let stores: Vec<Option<MatMut<'_, f32>>> = match store {
            Some(store) => {
                column_blocks(store, group).into_iter().map(|(_, block)| Some(block)).collect()
            }
            None => groups.iter().map(|_| None).collect(),
        };
        let tasks = groups.into_iter().zip(stores).collect();
        let parts = parallel::map_init(tasks, Buffers::new, |buffers, (group, store)| {
            self.sum_group(pass, coefficients, group, store, values, buffers)
        });
        let mut total =
            Sums { products: zeros(self.rows, pass.columns)?, scalars: vec![0.0; pass.scalars] };
        for part in parts {
            let Sums { products, scalars } = part?;
            total.products += products;
            total.scalars.iter_mut().zip(scalars).for_each(|(sum, term)| *sum += term);
        }
        Ok(total)
    }

    fn sum_group<V: Scalar>(
        &self,
        pass: &Pass<'_, T>,
        coefficients: MatRef<'_, V>,
        group: Range<usize>,
        mut store: Option<MatMut<'_, f32>>,
        values: &Values<'_, T, V>,
        buffers: &mut Buffers<T>,
    ) -> Result<Sums, Error> {
        let (m, columns) = (self.rows, pass.columns);
        let (mut products, mut recent) = (zeros(m, columns)?, zeros::<V>(m, columns)?);
        let mut scalars = vec![0.0; pass.scalars];
        let (chunk, wanted) = (self.chunk(), coefficients.ncols());
        let mut chunked = Chunk::new(chunk, wanted, columns)?;
        let mut pending = 0;
        for start in group.clone().step_by(chunk) {
            let range = start..group.end.min(start + chunk);
            values(range.clone(), buffers, &mut |values| {
                if let Some(store) = &mut store {
                    let columns = store.as_mut().subcols_mut(start - group.start, range.len());
                    convert_into(values, columns);
                }
                chunked.products(values, coefficients, pass, range.clone(), &mut scalars);
                let weights = chunked.weights.as_ref().subrows(0, range.len());
                matmul(recent.as_mut(), Accum::Add, values, weights, V::ONE);
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

    /// Finds the cause if the sums are not finite: non-finite values always propagate to them.
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
