//! The linear kernel has no spectral measure.
//~ has no spectral sampler
//~ use Nystrom features

use kern::approx::RandomFourier;
use kern::kernels::Linear;

fn main() {
    let _ = RandomFourier::new(Linear);
}
