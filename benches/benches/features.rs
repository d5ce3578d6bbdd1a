//! Random Fourier features of 128 points on one thread: dense and structured frequencies, per dimension
//! d of the points and number type, D = 4d features.
//!
//! `cargo bench -p kern-benches --bench features`
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kern_approx::{FeatureMap, RandomFourier, Structure};
use kern_benches::data::{self, Stream};
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Samples, Scalar, Scratch};

const POINTS: usize = 128;

fn measure<T: Scalar>(c: &mut Criterion, name: &str, map: &dyn FeatureMap<Samples<T>>, d: usize) {
    let Ok(x) = data::normal::<T>(Stream::Gram, POINTS, d) else { return };
    let (mut out, mut scratch) = (Mat::<T>::zeros(map.dim(), POINTS), Scratch::new());
    let mut group = c.benchmark_group(format!("features_{d}"));
    group.throughput(Throughput::Elements((POINTS * map.dim()) as u64));
    group.bench_function(name, |b| {
        b.iter(|| map.transform_into(&x, 0..POINTS, out.as_mut(), &mut scratch));
    });
    group.finish();
}

fn features(c: &mut Criterion) {
    for d in [64, 128, 256, 512, 784, 1024] {
        let Ok(kernel) = Rbf::new(0.5 / d as f64) else { return };
        let params = RandomFourier::new(kernel).dim(4 * d);
        if let Ok(dense) = params.sample(d) {
            measure::<f64>(c, "dense_f64", &dense, d);
            measure::<f32>(c, "dense_f32", &dense, d);
        }
        for structure in [Structure::Orthogonal, Structure::Fastfood] {
            if let Ok(map) = params.sample_structured(structure, d) {
                measure::<f64>(c, &format!("{structure:?}_f64"), &map, d);
                measure::<f32>(c, &format!("{structure:?}_f32"), &map, d);
            }
        }
    }
}

criterion_group!(benches, features);
criterion_main!(benches);
