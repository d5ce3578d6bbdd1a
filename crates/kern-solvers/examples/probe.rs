use kern_core::kernels::Exponential;
use kern_core::{Samples};
use kern_core::memory::LargeMat;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{DenseGram, MemoryBudget};
struct Instant(f64);
impl Instant {
    fn at() -> f64 {
        let s = std::fs::read_to_string("/proc/self/stat").unwrap();
        let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
        (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
    }
    fn now() -> Self { Self(Self::at()) }
    fn elapsed(&self) -> E { E(Self::at() - self.0) }
}
struct E(f64);
impl E { fn as_secs_f64(&self) -> f64 { self.0 } }

fn go<T: kern_core::Scalar>(n: usize) {
    let d = 20;
    let v: Vec<T> = (0..n * d).map(|i| T::from_f64(((i as f64 * 12.9898).sin() * 43758.5453).fract())).collect();
    let x = Samples::from_row_major(d, v).unwrap();
    let k = Exponential::new(0.5).unwrap();
    let mut m: LargeMat<T> = LargeMat::zeros(n, n).unwrap();
    for r in 0..3 {
        let t = Instant::now();
        DenseGram::fill(&k, &x, m.as_mut()).unwrap();
        let a = t.elapsed().as_secs_f64();
        let t = Instant::now();
        let c = Cholesky::new(m, 1.0).unwrap();
        let b = t.elapsed().as_secs_f64();
        let t = Instant::now();
        let s: f64 = c.inverse_diagonal().unwrap().iter().sum();
        let e = t.elapsed().as_secs_f64();
        let t = Instant::now();
        let g = DenseGram::new(&k, &x, &MemoryBudget::bytes(1 << 34)).unwrap();
        let f = t.elapsed().as_secs_f64();
        drop(g);
        let gf = (n as f64).powi(3) / 3e9;
        println!("{} {r} fill {a:.3} chol {b:.3} ({:.0} GF/s) invdiag {e:.3} ({:.0} GF/s) gram new {f:.3} {s:.1}", std::any::type_name::<T>(), gf / b, gf / e);
        m = c.into_matrix();
    }
}
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    go::<f64>(n);
    go::<f32>(n);
}
