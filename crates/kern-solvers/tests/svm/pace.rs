//! The same result from a fast kernel and from a slow one: where values are kept depends on their cost, and nothing else does.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use faer::MatMut;
use kern_core::kernels::Polynomial;
use kern_core::{Kernel, Mercer, Points, Samples, Scratch, Tile};
use kern_solvers::svm::Svc;
use std::time::{Duration, Instant};

/// So many points that their matrix (18 MB) is kept by columns if values are computed faster than fetched.
const N: usize = 1500;

/// A polynomial kernel that waits so long for each value of a block.
#[derive(Clone, Debug)]
struct Paced {
    kernel: Polynomial,
    wait: Duration,
}

impl Kernel<Samples<f64>> for Paced {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        Kernel::<Samples<f64>>::eval(&self.kernel, x, y)
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, Samples<f64>>,
        out: MatMut<'_, f64>,
        scratch: &mut Scratch<f64>,
    ) {
        let start = Instant::now();
        let values = u32::try_from(tile.nrows() * tile.ncols()).unwrap();
        self.kernel.block(tile, out, scratch);
        while start.elapsed() < self.wait * values {
            std::hint::spin_loop();
        }
    }
}

impl Mercer<Samples<f64>> for Paced {}

#[test]
fn models_and_reports_do_not_depend_on_the_time_of_a_value() {
    let numbers = (0..2 * N).map(|i| (i as f64 * 2.0_f64.sqrt()).fract()).collect();
    let x = Samples::from_row_major(2, numbers).unwrap();
    let y: Vec<bool> = (0..N).map(|i| x.item(i)[0] > 0.3 + 0.2 * (i as f64).sin()).collect();
    let fit = |wait| {
        let kernel = Paced { kernel: Polynomial::new(1.0, 1.0, 2).unwrap(), wait };
        let model = Svc::on_kernel(kernel).max_iterations(2000).fit(&x, &y).unwrap();
        (model.decision_values(&x).unwrap(), model.report().clone())
    };
    assert_eq!(fit(Duration::ZERO), fit(Duration::from_nanos(40)));
}
