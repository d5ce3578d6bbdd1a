//! Files of LIBSVM, data and models, with slips: read, used, written and read again.

mod files;

use crate::{Case, Draws, memory};
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::libsvm::{self, Number};
use kern_core::{Kernel, Points, Samples, Scalar, SparseSamples};
use kern_solvers::model::KernelExpansion;
use kern_solvers::svm::libsvm::{FileKernel, FromSparse, LibsvmModel};

/// The most numbers that a case asks for by itself.
const NUMBERS: usize = 1 << 16;

/// A case: a file.
pub(crate) fn check(draws: &mut Draws<'_>, case: &mut Case) {
    let dim = draws.one_of(&[None, None, Some(3), Some(1000), Some(usize::MAX), Some(0)]);
    let is_model = draws.once_in(2);
    let (kernel, text) = if is_model { files::model(draws) } else { ("", files::data(draws)) };
    let bytes = files::mutated(text, draws);
    case.note(format!("dimension {dim:?}, {} bytes:\n{}", bytes.len(), shown(&bytes)));
    memory::limit(None);
    match (kernel, draws.once_in(2)) {
        ("", false) => data::<f64, i32>(&bytes, dim, case),
        ("", true) => data::<f32, f64>(&bytes, dim, case),
        ("rbf", false) => model::<SparseSamples<f64>, Rbf>(&bytes, dim, case),
        ("rbf", true) => model::<Samples<f64>, Rbf>(&bytes, dim, case),
        ("linear", _) => model::<SparseSamples<f64>, Linear>(&bytes, dim, case),
        _ => model::<SparseSamples<f64>, Polynomial>(&bytes, dim, case),
    }
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(600)]).into_owned()
}

/// A data file.
fn data<T, Y>(bytes: &[u8], dim: Option<usize>, case: &mut Case)
where
    T: Scalar + Number,
    Y: Number,
{
    let Ok((x, labels)) = libsvm::read::<T, Y>(bytes, dim) else { return };
    case.answer();
    let mut text = Vec::new();
    if let Err(error) = libsvm::write(&mut text, &x, &labels) {
        return case.find("file", "data that were read are not written", error.to_string());
    }
    match libsvm::read::<T, Y>(&text[..], Some(x.dim())) {
        Ok((again, same)) if again == x && same == labels => {}
        Ok(_) => case.find("file", "data are others after writing", shown(&text)),
        Err(error) => case.find("file", "data that were written are not read", error.to_string()),
    }
    if x.len().saturating_mul(x.dim()) <= NUMBERS {
        drop(x.to_dense());
    }
    let Ok(kernel) = Rbf::new(0.5) else { return };
    for i in 0..x.len().min(4) {
        let value = Kernel::<SparseSamples<T>>::eval(&kernel, x.item(0), x.item(i));
        if !value.to_f64().is_finite() {
            case.find("not finite", "a kernel value of data", format!("point {i}: {value}"));
        }
    }
}

/// A model file.
fn model<P, K>(bytes: &[u8], dim: Option<usize>, case: &mut Case)
where
    P: FromSparse + kern_core::Vectors + PartialEq,
    K: Kernel<P> + FileKernel + PartialEq,
{
    let Ok(model) = LibsvmModel::<P, K>::read(bytes, dim) else { return };
    case.answer();
    let mut parts = model.parts().iter().map(KernelExpansion::points);
    let Some(points) = parts.find(|points| !points.is_empty()) else { return };
    if let Ok(answers) = model.predict(points)
        && let Some(answer) = answers.iter().find(|answer| !answer.is_finite())
    {
        case.find("not finite", "a prediction of a model file", answer.to_string());
    }
    if let Ok(Some(p)) = model.predict_proba(points)
        && let Some(p) =
            p.col_iter().flat_map(kern_core::faer::ColRef::iter).find(|p| !(0.0..=1.0).contains(*p))
    {
        case.find("not finite", "a probability of a model file", p.to_string());
    }
    let width = points.dim();
    let mut text = Vec::new();
    if let Err(error) = model.write(&mut text) {
        return case.find("file", "a model that was read is not written", error.to_string());
    }
    match LibsvmModel::<P, K>::read(&text[..], Some(width)) {
        Ok(again) if again == model => {}
        Ok(_) => case.find("file", "a model is another after writing", shown(&text)),
        Err(error) => case.find("file", "a model that was written is not read", error.to_string()),
    }
}
