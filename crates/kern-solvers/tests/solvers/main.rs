//! The solvers, in one program: what they are compiled with is compiled once. Those that learn kernels and distributions are in
//! [`processes`](../processes/main.rs), so that both are compiled at the same time.

mod auto;
mod classes;
mod default_bits;
mod extremes;
mod feature_ridge;
mod fits;
mod golden;
mod interrupts;
mod kmeans;
mod kmeans_batch;
mod kmeans_feature;
mod kmeans_seeds;
mod kmeans_soft;
mod knn;
mod knn_errors;
mod knn_hashes;
mod knn_low_precision;
mod knn_order;
mod knn_outputs;
mod knn_radius;
mod knn_tree;
mod knn_weights;
mod learn;
mod logistic;
mod logistic_intercept;
mod logistic_scale;
mod losses;
mod observers;
mod offsets;
mod panics;
mod parameters;
mod perceptron;
mod perceptron_bounds;
mod perceptron_features;
mod perceptron_gram;
mod perceptron_online;
mod pipeline;
#[path = "../support/real.rs"]
mod real;
mod ridge;
mod ridge_classes;
mod ridge_given;
mod ridge_iterative;
mod ridge_lambda;
mod ridge_variants;
mod search;
mod sgd;
mod sgd_losses;
mod sgd_online;
mod sgd_spaces;
mod statistics;
mod validation;
mod validation_scores;
mod validation_splits;
mod weightless;

/// The sets it uses beyond the five of the project.
const SETS: [&str; 0] = [];
