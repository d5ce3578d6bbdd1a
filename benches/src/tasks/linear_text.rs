//! Linear support vector classification of text: the features of a blended spectrum kernel as sparse rows, more than 10⁶ numbers.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::{Dtype, Size};
use crate::data::Stream;
use crate::real;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::closure::Normalized;
use kern_core::kernels::Spectrum;
use kern_core::{Identity, Points, SparseMap, SparseSamples, SparseTransform};
use kern_solvers::svm::Svc;
use rand::RngExt;

/// `linear_text`.
pub(super) const TASK: Task = Task {
    name: "linear_text",
    about: "linear support vector classification of sparse text to a relative gap of 1e-3: the fit",
    cases: &[("spam,hinge", Dtype::F64), ("spam,squared", Dtype::F64)],
    bound: "a pass over all numbers that are stored, 2 operations each: the certificate needs them",
    bars: &[Bar {
        figure: "objective",
        reading: Reading::Error,
        factor: 1.0 + GAP,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("spam,hinge", 0.5), ("spam,squared", 0.5)],
    run,
};

/// The relative duality gap, by which an objective is further from its optimum at most.
const GAP: f64 = 1e-3;
const PENALTY: f64 = 10.0;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let squared = session.choose(&[("spam,hinge", false), ("spam,squared", true)])?;
    let (texts, y) = texts(session.size())?;
    let map = SparseMap::learn(Normalized::new(Spectrum::blended(4)?), &texts)?;
    let rows = map.rows(&texts)?;
    let x = given(session, &rows)?;
    let y = session.vector("y", &y)?;
    session.param("c", PENALTY);
    session.param("squared", squared);
    session.param("dim", x.dim());
    // The loosest tolerances with which LIBLINEAR's objective is within the bar.
    session.param("tolerance", if squared { 0.1 } else { 0.005 });
    let measured = session.measure(|| {
        let svc = Svc::on_sparse(Identity::new(x.dim())).c(PENALTY).squared(squared);
        Ok(svc.intercept(false).tolerance(GAP).fit(&x, &y)?)
    })?;
    let (outcome, model) = Outcome::new((x.len(), x.dim()), measured);
    let w = model.decision().weights();
    let norm: f64 = (0..x.dim()).map(|k| w[(k, 0)] * w[(k, 0)]).sum();
    let loss = |i: usize| {
        let value: f64 = x.item(i).iter().map(|e| w[(e.feature as usize, 0)] * e.value).sum();
        let slack = (1.0 - y[i] as f64 * value).max(0.0);
        if squared { slack * slack } else { slack }
    };
    let losses: f64 = (0..x.len()).map(loss).sum();
    Ok(outcome
        .work(Work::default().flops(2.0 * x.stored() as f64).moves::<f64>(2.0 * x.stored() as f64))
        .figure("objective", 0.5 * norm + PENALTY * losses)
        .figure("stored", x.stored() as f64))
}

/// Sparse rows as an input: where rows start, features, values.
fn given(session: &Session<'_>, x: &SparseSamples<f64>) -> Result<SparseSamples<f64>> {
    let (mut starts, mut features, mut values) = (vec![0_i64], Vec::new(), Vec::new());
    for i in 0..x.len() {
        features.extend(x.item(i).iter().map(|entry| i64::from(entry.feature)));
        values.extend(x.item(i).iter().map(|entry| entry.value));
        starts.push(values.len() as i64);
    }
    let starts: Vec<usize> =
        session.vector("starts", &starts)?.into_iter().map(|start| start as usize).collect();
    let features: Vec<u32> =
        session.vector("features", &features)?.into_iter().map(|feature| feature as u32).collect();
    let values = session.vector("values", &values)?;
    Ok(SparseSamples::from_csr(x.dim(), &starts, &features, &values)?)
}

/// Messages, and 1 for spam; for tests of this program random letters.
fn texts(size: Size) -> Result<(Vec<String>, Vec<i64>)> {
    if size != Size::Tiny {
        let (mut texts, mut y) = real::messages(&real::folder())?;
        let count = size.pick(texts.len(), texts.len() / 4, 0);
        texts.truncate(count);
        y.truncate(count);
        return Ok((texts, y));
    }
    let mut rng = Stream::Text.rng();
    let mut word = |letters: &[u8]| -> String {
        (0..20).map(|_| char::from(letters[rng.random_range(0..letters.len())])).collect()
    };
    let texts = (0..60).map(|i| word(if i % 3 == 0 { b"abcde" } else { b"cdefgh" })).collect();
    Ok((texts, (0..60).map(|i| if i % 3 == 0 { 1 } else { -1 }).collect()))
}
