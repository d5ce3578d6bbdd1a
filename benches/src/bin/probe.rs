//! probe
use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_solvers::sgd::{Loss, Schedule, Sgd, Storage};
use std::time::Instant;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let reps: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let storage =
        if std::env::args().nth(3).is_some() { Storage::OnTheFly } else { Storage::Cached };
    let mut s = 12345u64;
    let mut r = || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1u64 << 53) as f64
    };
    let rows: Vec<[f64; 2]> = (0..n).map(|_| [r(), r()]).collect();
    let y: Vec<i8> =
        rows.iter().map(|p| if (p[0] - 0.25).hypot(p[1] - 0.75) < 0.15 { -1 } else { 1 }).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let k = Rbf::new(100.0).unwrap();
    let mut times = Vec::new();
    for _ in 0..reps {
        let t = Instant::now();
        let sgd = Sgd::on_kernel(k)
            .loss(Loss::Logistic)
            .schedule(Schedule::Constant(0.1))
            .epochs(20)
            .storage(storage);
        let m = sgd.fit_classifier(&x, &y).unwrap();
        times.push(t.elapsed().as_secs_f64());
        std::hint::black_box(m);
    }
    times.sort_by(f64::total_cmp);
    println!("min {:.5} median {:.5}", times[0], times[reps / 2]);
}
