//! Sizes in files are believed as far as there are bytes.

use crate::{ALONE, MEMORY};
use kern_approx::{AdditiveKernel, CentredMap, SampledAdditive, TensorSketch};
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::{Samples, SparseSamples};
use kern_solvers::kmeans::KMeans;
use kern_solvers::knn::{KNearest, KernelHashes};
use kern_solvers::model::{Clusters, FeatureExpansion, KernelExpansion, Regressor};
use kern_solvers::sgd::{Loss, Sgd};
use kern_solvers::svm::libsvm::{LibsvmModel, ModelFileError};
use kern_solvers::{Error, Values};
use serde_json::Value;
use std::fmt::Write;

/// The result, and by how much the memory grew, while nobody else is at work.
fn grown<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = f();
    (result, MEMORY.peak_usage().saturating_sub(before))
}

fn points() -> Samples<f64> {
    Samples::from_row_major(2, (0..40).map(|i| 1.0 + f64::from(i % 7)).collect()).unwrap()
}

/// A model on features in which the map says something else.
fn changed_map<M: serde::Serialize>(model: &M, change: impl Fn(&mut Value)) -> Value {
    let mut text = serde_json::to_value(model).unwrap();
    change(&mut text["model"]["decision"]["map"][1]);
    text
}

#[test]
fn more_features_than_weights_are_an_error_without_memory() {
    let _alone = ALONE.lock();
    let (x, y) = (points(), vec![1.0; 20]);
    let additive = SampledAdditive::new(AdditiveKernel::ChiSquared).map(2).unwrap();
    let sgd = Sgd::on_features(additive).loss(Loss::Squared).iterations(9).fit(&x, &y).unwrap();
    // 2·10⁹ features, of which each point would have had 16 GB.
    let text = changed_map(&sgd, |map| map["steps"] = 400_000_000.into());
    let (answer, memory) = grown(|| {
        let read: Regressor<FeatureExpansion<_, f64>> = serde_json::from_value(text).unwrap();
        let _: &kern_approx::AdditiveMap = read.decision().map();
        read.predict(&x)
    });
    assert!(matches!(answer, Err(Error::Gram(kern_gram::Error::Shape { .. }))), "{answer:?}");
    assert!(memory < 1 << 20, "{memory}");

    let sketch = TensorSketch::new(Polynomial::new(1.0, 1.0, 2).unwrap()).dim(8).sample(2).unwrap();
    let sgd = Sgd::on_features(sketch).loss(Loss::Squared).iterations(9).fit(&x, &y).unwrap();
    let text = changed_map(&sgd, |map| map["dim"] = 10_000_000.into());
    let (answer, memory) = grown(|| {
        let read: Regressor<FeatureExpansion<kern_approx::SketchMap, f64>> =
            serde_json::from_value(text).map_err(|_| Error::Empty)?;
        read.predict(&x)
    });
    assert!(answer.is_err() && memory < 1 << 20, "{answer:?}, {memory}");
}

/// Distances from centres ask for the features by themselves.
#[test]
fn distances_from_centres_check_the_features_first() {
    let _alone = ALONE.lock();
    let x = points();
    let additive = SampledAdditive::new(AdditiveKernel::ChiSquared).map(2).unwrap();
    let clusters = KMeans::on_features(additive, 2).fit(&x).unwrap();
    let mut text = serde_json::to_value(&clusters).unwrap();
    text["centres"]["decision"]["map"][1]["map"]["steps"] = 400_000_000.into();
    type Read = Clusters<FeatureExpansion<CentredMap<kern_approx::AdditiveMap, f64>, f64>>;
    let (answer, memory) =
        grown(|| serde_json::from_value::<Read>(text).unwrap().distances(&x).map(|_| ()));
    assert!(answer.is_err() && memory < 1 << 20, "{answer:?}, {memory}");
}

#[test]
fn clusters_without_centres_are_refused() {
    let _alone = ALONE.lock();
    let clusters = KMeans::on_kernel(Rbf::new(0.1).unwrap(), 2).fit(&points()).unwrap();
    let text = serde_json::to_value(&clusters).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut text = text.clone();
        change(&mut text);
        let read = serde_json::from_value::<Clusters<KernelExpansion<Samples<f64>, Rbf>>>(text);
        read.unwrap_err().to_string()
    };
    // A matrix without rows has no bytes, however many columns it says that it has.
    let wide = refused(&|v| {
        v["centres"]["decision"]["coefficients"] =
            serde_json::json!({ "nrows": 0, "ncols": 1_000_000, "values": [] });
    });
    assert!(wide.starts_with("the coefficients must be"), "{wide}");
    let more = refused(&|v| v["centres"]["masses"].as_array_mut().unwrap().push(1.0.into()));
    assert!(more.starts_with("norms of centres must be as many as there are clusters"), "{more}");
    let negative = refused(&|v| v["centres"]["masses"][0] = (-1.0).into());
    assert!(negative.ends_with("got -1"), "{negative}");
    let label = refused(&|v| v["labels"][0] = 2.into());
    assert_eq!(label, "index 2 is out of bounds for a collection of 2 points");
}

#[test]
fn hashes_have_a_greatest_number_of_tables() {
    let _alone = ALONE.lock();
    let x = points();
    let near = |hashes| KNearest::by_distance(Rbf::new(0.1).unwrap()).neighbors(2).search(hashes);
    let model = near(KernelHashes::new().tables(2)).fit(&x, &vec![1.0; 20]).unwrap();
    let mut text = serde_json::to_value(&model).unwrap();
    text["search"]["by"]["hashes"]["tables"] = 100_000.into();
    type Read = kern_solvers::knn::Neighbors<Samples<f64>, Rbf, Values<f64>>;
    let (read, memory) = grown(|| serde_json::from_value::<Read>(text).map(|_| ()));
    let error = read.unwrap_err().to_string();
    assert_eq!(error, "tables must be at least 1 and at most 256, got 100000");
    assert!(memory < 1 << 20, "{memory}");
    let refused = near(KernelHashes::new().tables(257)).fit(&x, &vec![1.0; 20]);
    assert!(matches!(refused, Err(Error::Count { name: "tables", given: 257, .. })));
}

/// A column for each of the 44 850 pairs of 300 classes would take 107 MB for 300 support vectors.
#[test]
fn libsvm_models_of_many_classes_are_as_large_as_their_files() {
    let _alone = ALONE.lock();
    let classes = 300;
    let mut file = String::from("svm_type c_svc\nkernel_type linear\n");
    write!(file, "nr_class {classes}\ntotal_sv {classes}\nrho").unwrap();
    (0..classes * (classes - 1) / 2).for_each(|_| file.push_str(" 0"));
    let list = |name: &str, value: &dyn Fn(usize) -> usize| {
        (0..classes).fold(name.to_owned(), |list, i| format!("{list} {}", value(i)))
    };
    write!(file, "\n{}\n{}\nSV\n", list("label", &|i| i), list("nr_sv", &|_| 1)).unwrap();
    for class in 0..classes {
        // Every class beats those after it at positive points.
        let coefficients = (0..classes - 1).map(|k| if k < class { "-0.5 " } else { "1 " });
        writeln!(file, "{}1:1", coefficients.collect::<String>()).unwrap();
    }
    let (answer, memory) = grown(|| {
        let model = LibsvmModel::<Samples<f64>, Linear>::read(file.as_bytes(), Some(1)).unwrap();
        model.predict(&Samples::from_rows(&[[1.0], [2.0]]).unwrap()).unwrap()
    });
    assert_eq!(answer, [0.0, 0.0]);
    // A matrix of one row has a cache line for each of its numbers, which take five bytes of the file.
    assert!(memory < 80 * file.len(), "{memory} for {}", file.len());
}

#[test]
fn dense_support_vectors_of_a_great_index_are_refused() {
    let _alone = ALONE.lock();
    let file = "svm_type one_class\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.9\n\
        SV\n0.5 1:1 \n0.5 100000000:2 \n";
    let (read, memory) =
        grown(|| LibsvmModel::<Samples<f64>, Rbf>::read(file.as_bytes(), None).map(|_| ()));
    let Err(ModelFileError::Core(kern_core::Error::TooMany { given, limit, .. })) = read else {
        panic!("{read:?}")
    };
    assert_eq!((given, limit), (200_000_000, (1 << 18) + 2 * 64));
    assert!(memory < 1 << 20, "{memory}");
    let sparse = LibsvmModel::<SparseSamples<f64>, Rbf>::read(file.as_bytes(), None).unwrap();
    assert_eq!(sparse.support_vectors(), 2);
    // A dimension that is given is the word of the caller.
    let given = LibsvmModel::<Samples<f64>, Rbf>::read(
        file.replace("100000000", "1000000").as_bytes(),
        Some(1_000_000),
    );
    assert!(given.is_ok());
}
