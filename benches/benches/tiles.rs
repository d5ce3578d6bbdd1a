//! One tile of 256 × 256 kernel values on one thread, per kernel, dimension and number type.
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kern_benches::data::{self, Stream};
use kern_core::faer::Mat;
use kern_core::kernels::{Laplacian, Linear, Rbf};
use kern_core::{Kernel, Samples, Scalar, Scratch, Tile};

const EDGE: usize = 256;

fn tile<T: Scalar>(c: &mut Criterion, name: &str, d: usize, kernel: &dyn Kernel<Samples<T>>) {
    let Ok(x) = data::normal::<T>(Stream::Gram, 2 * EDGE, d) else { return };
    let tile = Tile::new(&x, 0..EDGE, &x, EDGE..2 * EDGE);
    let (mut out, mut scratch) = (Mat::<T>::zeros(EDGE, EDGE), Scratch::new());
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements((EDGE * EDGE) as u64));
    group.bench_function(BenchmarkId::from_parameter(d), |b| {
        b.iter(|| kernel.block(&tile, out.as_mut(), &mut scratch));
    });
    group.finish();
}

fn tiles(c: &mut Criterion) {
    for d in [8, 64, 784] {
        let gamma = 1.0 / d as f64;
        if let (Ok(rbf), Ok(laplacian)) = (Rbf::new(gamma), Laplacian::new(gamma)) {
            tile::<f64>(c, "rbf_f64", d, &rbf);
            tile::<f32>(c, "rbf_f32", d, &rbf);
            tile::<f64>(c, "laplacian_f64", d, &laplacian);
            tile::<f32>(c, "laplacian_f32", d, &laplacian);
        }
        tile::<f64>(c, "linear_f64", d, &Linear);
        tile::<f32>(c, "linear_f32", d, &Linear);
    }
}

criterion_group!(benches, tiles);
criterion_main!(benches);
