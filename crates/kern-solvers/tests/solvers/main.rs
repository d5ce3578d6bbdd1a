//! The solvers, in one program: what they are compiled with is compiled once.

mod classes;
mod feature_ridge;
mod golden;
mod kmeans;
mod kmeans_batch;
mod kmeans_feature;
mod kmeans_soft;
mod knn;
mod knn_hashes;
mod knn_order;
mod knn_outputs;
mod knn_radius;
mod knn_tree;
mod logistic;
mod logistic_intercept;
mod logistic_scale;
mod losses;
mod perceptron;
mod perceptron_online;
mod ridge;
mod ridge_iterative;
mod ridge_variants;
mod sgd;
mod sgd_losses;
mod sgd_online;
mod statistics;
