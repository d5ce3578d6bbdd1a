//! Passes over the columns of a matrix V that belong to points: the kernel values K_mn between landmarks and points, or features.
//!
//! A pass computes t = Vᵀc for a few points at a time, lets its caller replace t by something of as
//! many points, and adds V·t, while the values of these points are in cache: every value is read, or
//! computed, once for both products. Points are cut into groups by a rule that does not know the number of
//! threads; each group is summed by one thread, and the groups in their order.
//!
//! Values in single precision take half the memory, and half the time of a pass. They are for steps whose outcome is looked at
//! with the values themselves, computed once more.

mod run;

pub use run::{Middle, Pass, Sums};

use faer::{MatMut, MatRef};
use kern_core::memory::LargeMat;
use kern_core::{Binding, FeatureMap, Kernel, Points, Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{Error, MemoryBudget, matrix_bytes, parallel};
use std::ops::Range;

/// Points whose products are summed in the type of the points; longer sums are in double precision.
const BLOCK: usize = 512;

/// Values that are worked on at a time: half a megabyte of doubles, for a second-level cache.
const NUMBERS: usize = 1 << 16;

/// V, stored or not.
#[allow(missing_debug_implementations, reason = "a kernel that is bound has none")]
pub struct Passes<'a, T: Scalar> {
    fill: Box<Fill<'a, T>>,
    rows: usize,
    points: usize,
    stored: Option<LargeMat<T>>,
    rounded: Rounded,
    /// Says what is wrong with a value that is not finite: (row, point, value).
    refuse: fn(usize, usize, f64) -> Error,
}

/// V in single precision, if there is to be one.
enum Rounded {
    No,
    /// Of values that are computed in each pass.
    Computed,
    /// Memory that [`Passes::run_storing`] fills.
    Empty(LargeMat<f32>),
    Stored(LargeMat<f32>),
}

/// Writes the columns of some points.
type Fill<'a, T> = dyn Fn(Range<usize>, MatMut<'_, T>, &mut Scratch<T>) + Send + Sync + 'a;

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
            rounded: Rounded::No,
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

    /// Lets [`run_rounded`](Self::run_rounded) go over values in single precision. If they fit into the budget, the next
    /// [`run_storing`](Self::run_storing) stores them; else they are computed in each pass.
    pub fn round_within(&mut self, budget: &MemoryBudget) -> Result<(), Error> {
        let (m, n) = (self.rows, self.points);
        let fits = budget.fits(matrix_bytes::<f32>(m.next_multiple_of(16), n));
        self.rounded = match fits {
            true => Rounded::Empty(LargeMat::zeros(m, n)?),
            false => Rounded::Computed,
        };
        Ok(())
    }

    /// True if there are values in single precision.
    #[must_use]
    pub const fn is_rounded(&self) -> bool {
        !matches!(self.rounded, Rounded::No)
    }

    /// Gives values in single precision back; their memory is for the values themselves.
    pub fn make_exact(&mut self, budget: &MemoryBudget) -> Result<(), Error> {
        self.rounded = Rounded::No;
        self.keep_within(budget)
    }

    /// True if the values themselves are stored, and not computed in each pass.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        self.stored.is_some()
    }

    /// Points that are worked on at a time.
    fn chunk(&self) -> usize {
        (NUMBERS / self.rows.max(1) / 8 * 8).clamp(8, BLOCK)
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
}
