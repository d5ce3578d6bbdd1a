//! The whole library through its facade, on real data, in one program: what it is compiled with is compiled once.

mod auto_traits;
mod certificates;
mod choice;
mod data_files;
mod graphs;
mod intervals;
mod libsvm_programs;
mod pipelines;
#[path = "../../../kern-solvers/tests/support/real.rs"]
mod real;
mod real_data;
mod saved;
mod sparse_features;
mod structured;
mod support;
mod text;

/// The sets it uses beyond the five of the project.
const SETS: [&str; 19] = [
    "a9a_test",
    "a9a_train",
    "beijing_air_X",
    "beijing_air_y",
    "concrete",
    "elevators",
    "heart_scale",
    "kddcup99_10pct",
    "kin40k",
    "letter",
    "mnist_train_images",
    "mnist_train_labels",
    "mutag",
    "pol",
    "protein",
    "sms_spam",
    "splice_dna",
    "svmguide1_test",
    "svmguide1_train",
];
