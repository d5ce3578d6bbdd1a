//! Count sketches of vectors, and their circular convolution by fast Fourier transforms.

use crate::Error;
use kern_core::rand::{Rng, RngExt};
use kern_gram::MemoryBudget;
use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::sync::{Arc, OnceLock};

/// For each coordinate, the cell that it is added to, and whether its sign is negative.
pub(super) type Hash = Vec<(usize, bool)>;

/// Random hash functions with values below `dim`, one for each number of coordinates; `total` is
/// the sum of these numbers.
///
/// # Errors
/// [`Error::Gram`] if they, or the workspace for one point, do not fit.
pub(super) fn hashes(
    total: usize,
    coordinates: impl Iterator<Item = usize>,
    dim: usize,
    rng: &mut impl Rng,
) -> Result<Vec<Hash>, Error> {
    let instead = "take fewer features";
    MemoryBudget::available().check::<(usize, f64)>("the hashes", total, 1, instead)?;
    check_point(dim)?;
    let mut cell = |_| (rng.random_range(0..dim), rng.random());
    Ok(coordinates.map(|n| (0..n).map(&mut cell).collect()).collect())
}

/// Checks that the workspace of one point fits.
fn check_point(dim: usize) -> Result<(), Error> {
    let what = "the features of one point";
    Ok(MemoryBudget::available().check::<f64>(what, dim, 8, "take fewer features")?)
}

/// Checks that all cells are in range.
pub(super) fn check_cells(hashes: &[Hash], dim: usize) -> Result<(), Error> {
    if dim > 0 && hashes.iter().flatten().all(|&(cell, _)| cell < dim) {
        Ok(())
    } else {
        Err(Error::Invalid { what: "a hash is not less than the dimension" })
    }
}

/// The transforms of one length, planned on first use: a plan has as many values as the transform,
/// and a deserialised length may be arbitrary.
#[derive(Clone)]
pub(super) struct Convolution {
    length: usize,
    plans: OnceLock<Plans>,
}

#[derive(Clone)]
struct Plans {
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

/// The workspace for the features of one point.
pub(super) struct Workspace {
    sketch: Vec<f64>,
    factor: Vec<Complex<f64>>,
    product: Vec<Complex<f64>>,
    fft: Vec<Complex<f64>>,
    /// False if a transform failed: since lengths match, a value overflowed.
    done: bool,
}

impl Convolution {
    /// Creates transforms of length `length` ≥ 1.
    pub(super) fn new(length: usize) -> Result<Self, Error> {
        check_point(length)?;
        Ok(Self { length, plans: OnceLock::new() })
    }

    fn plans(&self) -> &Plans {
        self.plans.get_or_init(|| {
            let mut planner = RealFftPlanner::new();
            let forward = planner.plan_fft_forward(self.length);
            Plans { forward, inverse: planner.plan_fft_inverse(self.length) }
        })
    }

    pub(super) fn workspace(&self) -> Workspace {
        let Plans { forward, inverse } = self.plans();
        let fft = forward.get_scratch_len().max(inverse.get_scratch_len());
        Workspace {
            sketch: forward.make_input_vec(),
            factor: forward.make_output_vec(),
            product: forward.make_output_vec(),
            fft: vec![Complex::default(); fft],
            done: true,
        }
    }

    /// Starts a product with a one in the first cell, whose transform is constant. It includes the
    /// division by the length that the forward and inverse transforms leave out.
    pub(super) fn begin(work: &mut Workspace) {
        let length = work.sketch.len() as f64;
        work.product.fill(Complex::new(length.recip(), 0.0));
        work.done = true;
    }

    /// Convolves the product with the count sketch of the vector with these coordinates.
    pub(super) fn multiply(
        &self,
        hash: &Hash,
        x: impl Iterator<Item = (usize, f64)>,
        work: &mut Workspace,
    ) {
        work.sketch.fill(0.0);
        for (j, value) in x {
            let (cell, negative) = hash[j];
            work.sketch[cell] += if negative { -value } else { value };
        }
        let (input, factor) = (&mut work.sketch, &mut work.factor);
        work.done &=
            self.plans().forward.process_with_scratch(input, factor, &mut work.fft).is_ok();
        work.product.iter_mut().zip(factor).for_each(|(p, f)| *p *= *f);
    }

    /// Returns the product.
    pub(super) fn finish<'a>(&self, work: &'a mut Workspace) -> &'a [f64] {
        let (product, output) = (&mut work.product, &mut work.sketch);
        work.done &=
            self.plans().inverse.process_with_scratch(product, output, &mut work.fft).is_ok();
        if !work.done {
            work.sketch.fill(f64::NAN);
        }
        &work.sketch
    }
}
