//! Golden values of scores, from scikit-learn 1.9.1 (numpy 2.4.6, f64). Each pair is without and with weights:
//!
//! ```python
//! y, f, w, P = LABELS, ANSWERS, WEIGHTS, EIGHTHS / 8
//! accuracy_score(y, f, sample_weight=w); balanced_accuracy_score(y, f, sample_weight=w)
//! f1_score(y, f, average="macro", sample_weight=w)  # and "weighted", "micro"
//! log_loss(y, P, sample_weight=w); brier_score_loss(y, P, sample_weight=w)
//! roc_auc_score(y, P, multi_class="ovr", average="macro", sample_weight=w)
//! ```

pub(crate) const LABELS: [&str; 12] = ["a", "b", "c", "a", "b", "c", "a", "a", "b", "c", "c", "b"];
/// One of them is no label at all.
pub(crate) const ANSWERS: [&str; 12] = ["a", "b", "b", "a", "c", "c", "b", "a", "b", "d", "c", "a"];
pub(crate) const WEIGHTS: [f64; 12] =
    [1.0, 2.0, 0.5, 1.5, 3.0, 0.25, 1.0, 4.0, 0.75, 2.5, 0.0, 1.25];
/// Eight times the probabilities, with equal ones in every column, and zeros for the label.
pub(crate) const EIGHTHS: [[f64; 3]; 12] = [
    [5.0, 2.0, 1.0],
    [1.0, 6.0, 1.0],
    [2.0, 5.0, 1.0],
    [4.0, 4.0, 0.0],
    [0.0, 3.0, 5.0],
    [1.0, 1.0, 6.0],
    [2.0, 6.0, 0.0],
    [8.0, 0.0, 0.0],
    [3.0, 5.0, 0.0],
    [8.0, 0.0, 0.0],
    [2.0, 2.0, 4.0],
    [4.0, 2.0, 2.0],
];
pub(crate) const ACCURACY: [f64; 2] = [0.5833333333333334, 0.5352112676056338];
pub(crate) const BALANCED_ACCURACY: [f64; 2] = [0.5833333333333334, 0.44548229548229545];
pub(crate) const F1_MACRO: [f64; 2] = [0.45535714285714285, 0.35456774555135206];
pub(crate) const F1_WEIGHTED: [f64; 2] = [0.6071428571428571, 0.5670797095872135];
pub(crate) const F1_MICRO: [f64; 2] = [0.5833333333333334, 0.5352112676056338];
pub(crate) const LOG_LOSS: [f64; 2] = [3.7315148892136185, 5.618029076068969];
pub(crate) const BRIER: [f64; 2] = [0.6302083333333334, 0.6514084507042254];
pub(crate) const AUC: [f64; 2] = [0.7291666666666666, 0.6460851300573952];

/// Two classes, with the weights of above:
///
/// ```python
/// roc_auc_score(y, DECISIONS, sample_weight=w)
/// brier_score_loss(y, EIGHTHS / 8, sample_weight=w); log_loss(y, EIGHTHS / 8, sample_weight=w)
/// ```
pub(crate) mod binary {
    pub(crate) const LABELS: [u8; 12] = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1];
    pub(crate) const DECISIONS: [f64; 12] =
        [-1.0, 0.5, -0.25, 0.5, 2.0, -1.0, -0.25, 0.5, 1.0, 0.0, -3.0, -0.25];
    pub(crate) const EIGHTHS: [f64; 12] =
        [1.0, 5.0, 3.0, 2.0, 8.0, 0.0, 4.0, 6.0, 7.0, 1.0, 2.0, 3.0];
    pub(crate) const AUC: [f64; 2] = [0.8333333333333334, 0.8278260869565217];
    /// Of the second class alone: half of the sum over both.
    pub(crate) const BRIER: [f64; 2] = [0.1171875, 0.09154929577464789];
    pub(crate) const LOG_LOSS: [f64; 2] = [0.36570414258817036, 0.30982340557526505];
}

/// Numbers, for the first output alone and for both, each without and with weights:
///
/// ```python
/// r2_score(Y, F, sample_weight=w); root_mean_squared_error(Y, F, sample_weight=w)
/// mean_absolute_error(Y, F, sample_weight=w)
/// ```
pub(crate) mod numbers {
    pub(crate) const TARGETS: [[f64; 2]; 6] =
        [[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25], [2.0, 1.5], [0.0, -1.0], [4.0, 0.5]];
    pub(crate) const ANSWERS: [[f64; 2]; 6] =
        [[0.75, -1.0], [1.0, 2.5], [-0.5, 0.0], [2.25, 1.0], [0.5, -2.0], [3.0, 1.0]];
    pub(crate) const WEIGHTS: [f64; 6] = [1.0, 2.0, 0.5, 0.0, 3.0, 1.5];
    pub(crate) const R2: [f64; 4] =
        [0.8767123287671232, 0.8451400329489291, 0.8488929437076173, 0.8243145208943973];
    pub(crate) const RMSE: [f64; 4] =
        [0.5590169943749475, 0.6059599821770412, 0.6218350956282026, 0.6945413687804477];
    pub(crate) const MAE: [f64; 4] = [0.5, 0.5625, 0.5625, 0.6484375];
}

/// Clusters of the rows of iris in `golden::ridge`, and a partition to compare with:
///
/// ```python
/// silhouette_score(X, CLUSTERS)
/// D = np.sqrt(2 - 2 * rbf_kernel(X, gamma=0.5)); np.fill_diagonal(D, 0)
/// silhouette_score(D, CLUSTERS, metric="precomputed")
/// adjusted_rand_score(CLUSTERS, OTHERS); adjusted_rand_score(LABELS, ANSWERS)
/// ```
pub(crate) mod clusters {
    pub(crate) const CLUSTERS: [usize; 10] = [0, 0, 0, 0, 1, 2, 1, 3, 2, 2];
    pub(crate) const OTHERS: [usize; 10] = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2];
    pub(crate) const SILHOUETTE: f64 = 0.2974205132922722;
    pub(crate) const SILHOUETTE_RBF: f64 = 0.16784759607474387;
    pub(crate) const RAND: f64 = 0.2125;
    pub(crate) const RAND_OF_LABELS: f64 = 0.07326007326007326;
}
