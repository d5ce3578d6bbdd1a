//! A model on every feature map.

use super::Kind;
use super::functions::{points, values};
use kern_approx::{
    AdditiveKernel, CentredMap, FourierForm, Nystrom, RandomFourier, RandomMaclaurin,
    SampledAdditive, SketchedTensor, Structure, TensorSketch,
};
use kern_core::closure::{Normalized, Power};
use kern_core::faer::mat;
use kern_core::kernels::{Cosine, Hellinger, Linear, Mahalanobis, Polynomial, Rbf};
use kern_core::{Explicit, FeatureMap, Identity, Named, Samples, SparseSamples};
use kern_gram::MemoryBudget;
use kern_solvers::sgd::Sgd;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The model of a regression on these features.
fn sgd<M>(name: &'static str, map: M) -> Kind
where
    M: FeatureMap<Samples<f64>> + Clone + Named + Serialize + DeserializeOwned,
{
    let (x, y) = (points(), values());
    let model = Sgd::on_features(map).loss(kern_solvers::sgd::Loss::Squared).iterations(50);
    Kind::model(name, &model.fit(&x, &y).unwrap(), &x)
}

pub(super) fn kinds() -> Vec<Kind> {
    let x = points();
    let budget = MemoryBudget::mebibytes(16);
    let polynomial = Polynomial::new(0.5, 1.0, 3).unwrap();
    let fourier = |form| RandomFourier::new(Rbf::new(0.5).unwrap()).dim(8).form(form);
    let paired = fourier(FourierForm::Paired).sample(2).unwrap();
    let structured = fourier(FourierForm::Phase).sample_structured(Structure::Fastfood, 2).unwrap();
    let a = mat![[2.0, 1.0], [1.0, 2.0]];
    let exact = 0.5 * Linear * Hellinger + Power::new(Normalized::new(Linear) + Cosine, 2);
    let nystrom = Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(5);
    let factored = nystrom.clone().fit(&x, &budget).unwrap();
    let spectral = nystrom.rank(3).fit(&x, &budget).unwrap();
    let product = SketchedTensor::new(paired.clone(), Identity::new(2)).dim(8).sample(&x).unwrap();
    vec![
        sgd("coordinates", Identity::new(2)),
        sgd("centred coordinates", CentredMap::new(Identity::new(2), vec![0.5, 0.25])),
        sgd("exact features", exact.feature_map(&x).unwrap()),
        sgd("power of a number", Power::new(Hellinger, 3).feature_map(&x).unwrap()),
        sgd("root", Mahalanobis::new(a.as_ref()).unwrap().feature_map(&x).unwrap()),
        sgd("Fourier features", paired.clone()),
        sgd("Fourier features with phases", fourier(FourierForm::Phase).sample(2).unwrap()),
        sgd("structured features", structured.clone()),
        sgd("Nystrom features by a factor", factored),
        sgd("Nystrom features by eigenvalues", spectral),
        sgd("Maclaurin features", RandomMaclaurin::new(polynomial).dim(12).sample(2).unwrap()),
        sgd("sketch", TensorSketch::new(polynomial).dim(8).sample(2).unwrap()),
        sgd("sketched product", product),
        sgd(
            "additive features",
            SampledAdditive::new(AdditiveKernel::ChiSquared).steps(2).map(2).unwrap(),
        ),
        on_sparse(paired),
    ]
}

/// The same map on sparse points.
fn on_sparse<M>(map: M) -> Kind
where
    M: FeatureMap<SparseSamples<f64>> + Clone + Named + Serialize + DeserializeOwned,
{
    let x = SparseSamples::from_dense(&points()).unwrap();
    let sgd = Sgd::on_features(map).loss(kern_solvers::sgd::Loss::Squared).iterations(50);
    Kind::model("Fourier features of sparse points", &sgd.fit(&x, &values()).unwrap(), &x)
}
