//! The dense kernel, by linfa-kernel: value by value, on one thread.

use crate::array;
use anyhow::{Result, bail};
use kern_rust_peers::case::{Case, Judged};
use kern_rust_peers::gram::judge;
use linfa::traits::Transformer;
use linfa_kernel::{Kernel, KernelInner, KernelMethod, KernelType};
use ndarray_016::Array2;

pub fn dense_kernel(case: &mut Case<'_>) -> Result<Judged> {
    if case.is_single() {
        let x = case.samples::<f32>("x")?;
        let (judged, gram) = transform(case, &array(&x)?)?;
        judge(case, judged, &x, gram.as_slice())
    } else {
        let x = case.samples::<f64>("x")?;
        let (judged, gram) = transform(case, &array(&x)?)?;
        judge(case, judged, &x, gram.as_slice())
    }
}

fn transform<T: linfa::Float>(case: &mut Case<'_>, x: &Array2<T>) -> Result<(Judged, Array2<T>)> {
    // linfa's exp(−‖x − y‖²/ε).
    let method = KernelMethod::Gaussian(T::cast(1.0 / case.number("gamma")?));
    let params = Kernel::params().kind(KernelType::Dense).method(method);
    let (judged, kernel) = case.measure(|| Ok(params.transform(x)))?;
    let KernelInner::Dense(gram) = kernel.inner else { bail!("a sparse kernel") };
    Ok((judged, gram))
}
