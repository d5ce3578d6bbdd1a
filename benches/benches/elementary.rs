//! Elementary functions of 1024 numbers in cache on one thread, and those of the standard library.
//!
//! Maps are applied again and again, and converge to ordinary numbers; their time does not depend
//! on the values.
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kern_core::Scalar;

const LEN: usize = 1024;

fn measure<T: Scalar>(c: &mut Criterion, name: &str, map: impl Fn(&mut [T])) {
    let mut v: Vec<T> = (0..LEN).map(|i| T::from_f64(i as f64 / LEN as f64)).collect();
    let mut group = c.benchmark_group("elementary");
    group.throughput(Throughput::Elements(LEN as u64));
    group.bench_function(name, |b| b.iter(|| map(&mut v)));
    group.finish();
}

macro_rules! functions {
    ($c:ident, $t:ident) => {
        let turns: Vec<f64> = (0..LEN).map(|i| i as f64 * 0.37 - 100.0).collect();
        let name = |function: &str| format!("{function}_{}", stringify!($t));
        measure::<$t>($c, &name("exp"), |v| $t::exp_scaled(v, -0.5));
        measure::<$t>($c, &name("tanh"), |v| $t::tanh_affine(v, 1.0, 0.5));
        measure::<$t>($c, &name("ln_1p"), |v| $t::ln_1p_scaled(v, 1.5));
        measure::<$t>($c, &name("sqrt"), |v| $t::sqrt_scaled(v, 1.1));
        measure::<$t>($c, &name("cos"), |v| $t::cos_turns(&turns, 0.1, v));
        measure::<$t>($c, &name("sin"), |v| $t::sin_turns(&turns, 0.1, v));
        let each = |map: fn($t) -> $t| move |v: &mut [$t]| v.iter_mut().for_each(|x| *x = map(*x));
        measure::<$t>($c, &name("std_exp"), each(|x| (-0.5 * x).exp()));
        measure::<$t>($c, &name("std_tanh"), each(|x| (x + 0.5).tanh()));
        measure::<$t>($c, &name("std_ln_1p"), each(|x| (1.5 * x).ln_1p()));
        measure::<$t>($c, &name("std_sqrt"), each(|x| 1.1 * x.sqrt()));
        measure::<$t>($c, &name("std_cos"), each(|x| (x + 0.5).cos()));
    };
}

fn elementary(c: &mut Criterion) {
    functions!(c, f64);
    functions!(c, f32);
}

criterion_group!(benches, elementary);
criterion_main!(benches);
