use kern_core::kernels::Exponential;
use kern_core::{Samples, faer::Mat};
use kern_solvers::feature_machine::FeatureMachine;
use std::time::Instant;
fn go<T: kern_core::Scalar>(n: usize, reps: usize, rounds: &[usize], diag: bool) {
    let d = 20;
    let v: Vec<T> = (0..n * d).map(|i| T::from_f64(((i as f64 * 12.9898).sin() * 43758.5453).fract())).collect();
    let y = Mat::from_fn(n, 1, |i, _| T::from_f64((3.0 * v[i * d].to_f64()).sin() + v[i * d + 1].to_f64()));
    let x = Samples::from_row_major(d, v).unwrap();
    for _ in 0..reps {
        for &r in rounds {
            let m = FeatureMachine::on_kernel(Exponential::new(0.5).unwrap()).lambda(1.0 / n as f64).spread(1.0).rounds(r).folds(0).metric(if diag { kern_solvers::feature_machine::FeatureMetric::Diagonal } else { kern_solvers::feature_machine::FeatureMetric::Full });
            let t = Instant::now();
            let f = m.fit(&x, &y).unwrap();
            print!("{} rounds {r}: {:.3}  ", std::any::type_name::<T>(), t.elapsed().as_secs_f64());
            drop(f);
        }
        println!();
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let rounds: Vec<usize> = a[3].split(',').map(|v| v.parse().unwrap()).collect();
    if a[2].contains('d') { go::<f64>(n, 2, &rounds, a[2].contains('D')); }
    if a[2].contains('s') { go::<f32>(n, 2, &rounds, a[2].contains('D')); }
}
