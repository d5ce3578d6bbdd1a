//! The table of peers.

use super::{Maker, Peer};
use crate::case::Dtype::{self, F32, F64};

const BOTH: &[Dtype] = &[F64, F32];
const FRESH_GRAM: &[&str] = &["d8,fresh", "d64,fresh", "d784,fresh"];
const ALL_BUT_DIGITS: &[&str] = &["syn5000", "syn,C=1", "syn,C=10", "mnist4000"];
const ALL_SETS: &[&str] = &["digits", "syn5000", "syn,C=1", "syn,C=10", "mnist4000"];

const fn peer(
    task: &'static str,
    package: &'static str,
    function: &'static str,
    about: &'static str,
) -> Peer {
    let (variants, slow, maker): (&[&str], &[&str], _) = (&[], &[], Maker::Python);
    let has_blas = true;
    Peer { task, variants, dtypes: BOTH, slow, package, function, about, maker, has_blas }
}

impl Peer {
    const fn only(self, variants: &'static [&'static str]) -> Self {
        Self { variants, ..self }
    }

    const fn slow(self, slow: &'static [&'static str]) -> Self {
        Self { slow, ..self }
    }

    const fn by(self, program: &'static str) -> Self {
        Self { maker: Maker::Rust(program), ..self }
    }

    const fn without_blas(self) -> Self {
        Self { has_blas: false, ..self }
    }

    const fn of_type(self, dtypes: &'static [Dtype]) -> Self {
        Self { dtypes, ..self }
    }
}

const RBF_SVC: &[&str] = &["svc273", "svc1653", "svc2330"];
const RBF_EXPANSIONS: &[&str] = &["svc273", "svc1653", "svc2330", "ridge"];
const STRING_SVC: &[&str] = &["spectrum", "mismatch"];

const COLD_SVC: &[&str] = &["svc,first", "svc,paused"];
const COLD_RIDGE: &[&str] = &["ridge,first", "ridge,paused"];
const COLD_PROCESS: &[&str] = &["gp,first", "gp,paused"];
const COLD_KMEANS: &[&str] = &["kmeans,first", "kmeans,paused"];
const COLD_LOGISTIC: &[&str] = &["logistic,first", "logistic,paused"];

const WAVES: &[&str] = &[
    "paired,D=32",
    "paired,D=128",
    "paired,D=512",
    "orthogonal,D=32",
    "orthogonal,D=128",
    "orthogonal,D=512",
    "quasi-random,D=32",
    "quasi-random,D=128",
    "quasi-random,D=512",
];
const PHASES: &[&str] = &["phase,D=32", "phase,D=128", "phase,D=512"];
const SORF: &[&str] = &["SORF,D=32", "SORF,D=128", "SORF,D=512"];
const UNIFORM: &[&str] =
    &["Nyström uniform,D=32", "Nyström uniform,D=128", "Nyström uniform,D=512"];
const PIVOTS: &[&str] = &["Nyström pivots,D=32", "Nyström pivots,D=128", "Nyström pivots,D=512"];

/// All of them, task by task.
#[rustfmt::skip]
pub const ALL: &[Peer] = &[
    peer("gram_rbf", "numpy", "numpy_product", "product, exp"),
    peer("gram_rbf", "numpy", "numpy_tiles", "half of the tiles, in threads"),
    peer("gram_rbf", "numba", "numba_fused", "half of the product, fused loops"),
    peer("gram_rbf", "torch", "torch_product", "product, exp"),
    peer("gram_rbf", "torch", "torch_tiles", "half of the rows of blocks"),
    peer("gram_rbf", "scikit-learn", "sklearn_kernel", "rbf_kernel").only(FRESH_GRAM),
    peer("gram_rbf", "linfa-kernel", "dense_kernel", "dense Kernel").by("linfa")
        .only(FRESH_GRAM).slow(&["d784,fresh"]),
    peer("gram_rbf", "rustyml", "compute_matrix", "compute_matrix").by("rustyml")
        .only(FRESH_GRAM).of_type(&[F64]),

    peer("gram_laplacian", "numba", "numba_loops", "half of the tiles, in threads").without_blas(),
    peer("gram_laplacian", "torch", "torch_cdist", "cdist, half of the blocks"),
    peer("gram_laplacian", "scipy", "scipy_cdist", "cdist, half of the tiles, in threads").without_blas(),
    peer("gram_laplacian", "scikit-learn", "sklearn_kernel", "laplacian_kernel").only(&["fresh"])
        .without_blas(),

    peer("lazy_matvec", "numpy", "numpy_tiles", "half of the tiles, in threads"),
    peer("lazy_matvec", "torch", "torch_rows", "half of the blocks of rows"),
    peer("lazy_matvec", "numba", "numba_fused", "half of the tiles, fused loops").without_blas().slow(&["rhs1", "rhs8"]),
    peer("lazy_matvec", "pykeops", "keops", "LazyTensor"),

    peer("rff", "numpy", "numpy_product", "product, cos"),
    peer("rff", "numpy", "numpy_tiles", "pairs of cos and sin, tiles in threads"),
    peer("rff", "torch", "torch_product", "product, cos"),
    peer("rff", "torch", "torch_tiles", "tiles"),
    peer("rff", "torch", "torch_paired", "pairs of cos and sin, tiles"),
    peer("rff", "scikit-learn", "sklearn_sampler", "RBFSampler").only(&["fresh"]),

    peer("nystroem", "scipy", "scipy_cholesky", "uniform, Cholesky").only(&["uniform"]),
    peer("nystroem", "torch", "torch_cholesky", "uniform, Cholesky").only(&["uniform"]),
    peer("nystroem", "scikit-learn", "sklearn_nystroem", "Nystroem").only(&["uniform"]),
    peer("nystroem", "scipy", "scipy_rpcholesky", "accelerated RPCholesky")
        .only(&["rpcholesky"]),

    peer("krr_direct", "scipy", "scipy_cholesky", "cho_factor, cho_solve"),
    peer("krr_direct", "torch", "torch_cholesky", "cholesky_solve"),
    peer("krr_direct", "scikit-learn", "sklearn_ridge", "KernelRidge"),

    peer("krr_large", "scipy", "scipy_normal_equations", "normal equations, chunked"),
    peer("krr_large", "torch", "torch_normal_equations", "normal equations, chunked, Cholesky"),
    peer("krr_large", "scipy", "scipy_falkon", "conjugate gradients as Falkon's, values kept"),
    peer("krr_large", "falkon", "falkon_fit", "Falkon"),
    peer("krr_large", "scikit-learn", "sklearn_features", "Nystroem, Ridge").slow(&["features"]),

    peer("klr", "scipy", "scipy_irls", "IRLS, Cholesky"),
    peer("klr", "torch", "torch_irls", "IRLS, Cholesky"),
    peer("klr", "scikit-learn", "sklearn_lbfgs", "LogisticRegression, Cholesky features, L-BFGS"),
    peer("klr", "scikit-learn", "sklearn_newton_cg", "LogisticRegression, Cholesky features, Newton-CG"),

    peer("gp_likelihood", "scipy", "scipy_likelihood", "Cholesky, inverse, one product"),
    peer("gp_likelihood", "scikit-learn", "sklearn_likelihood", "log_marginal_likelihood"),
    peer("gp_likelihood", "gpytorch", "gpytorch_likelihood", "exact marginal likelihood, Cholesky"),

    peer("rfm", "xrfm", "xrfm_rounds", "RFM"),

    peer("svm", "scikit-learn-intelex", "intelex_svc", "SVC"),
    peer("svm", "scikit-learn", "sklearn_svc", "SVC"),
    peer("svm", "libsvm-official", "libsvm", "svm_train"),
    peer("svm", "linfa-svm", "svc", "Svm").by("linfa")
        .slow(&["syn,C=1", "syn,C=10", "mnist4000"]),
    peer("svm", "rustyml", "svc", "SVC").by("rustyml").slow(&["syn,C=1", "syn,C=10"]),
    peer("svm", "smartcore", "svc", "SVC").by("smartcore").slow(ALL_BUT_DIGITS),

    peer("svm_predict", "scikit-learn-intelex", "intelex_svc", "SVC"),
    peer("svm_predict", "scikit-learn", "sklearn_svc", "SVC"),
    peer("svm_predict", "linfa-svm", "svc", "Svm").by("linfa")
        .slow(&["syn,C=1", "syn,C=10", "mnist4000"]),
    peer("svm_predict", "rustyml", "svc", "SVC").by("rustyml").slow(&["syn,C=1", "syn,C=10"]),
    peer("svm_predict", "smartcore", "svc", "SVC").by("smartcore").slow(ALL_SETS),

    peer("one_query", "scikit-learn", "sklearn_svc", "SVC.decision_function").only(RBF_SVC),
    peer("one_query", "libsvm-official", "libsvm_values", "svm_predict_values").only(RBF_SVC).without_blas(),
    peer("one_query", "libsvm-official", "libsvm_values_alone", "svm_predict_values on one thread").only(RBF_SVC)
        .without_blas(),
    peer("one_query", "numpy", "numpy_expansion", "product, exp, dot").only(RBF_EXPANSIONS),
    peer("one_query", "onnxruntime", "onnx_expansion", "MatMul, Exp").only(RBF_EXPANSIONS),
    peer("one_query", "onnxruntime", "onnx_regressor", "SVMRegressor").only(RBF_SVC).of_type(&[F32]),
    peer("one_query", "scikit-learn", "sklearn_ridge", "KernelRidge.predict").only(&["ridge"]),
    peer("one_query", "scikit-learn", "sklearn_process", "GaussianProcessRegressor.predict").only(&["gp"]),
    peer("one_query", "scipy", "scipy_process", "inverse, dsymv").only(&["gp"]),
    peer("one_query", "scipy", "scipy_process_alone", "inverse, dsymv on one thread").only(&["gp"]),
    peer("one_query", "scikit-learn", "sklearn_brute", "KNeighborsClassifier, brute").only(&["knn"]),
    peer("one_query", "scikit-learn", "sklearn_tree", "KNeighborsClassifier, kd_tree").only(&["knn"])
        .without_blas(),
    peer("one_query", "numpy", "numpy_nearest", "product, argpartition").only(&["knn"]),
    peer("one_query", "scikit-learn", "sklearn_counts", "CountVectorizer, weights").only(STRING_SVC)
        .without_blas(),
    peer("one_query", "numpy", "numpy_words", "table of weights").only(STRING_SVC).without_blas(),

    peer("first_contact", "scikit-learn", "sklearn_svc", "SVC").only(COLD_SVC),
    peer("first_contact", "scikit-learn-intelex", "intelex_svc", "SVC").only(COLD_SVC),
    peer("first_contact", "libsvm-official", "libsvm", "svm_train").only(COLD_SVC),
    peer("first_contact", "scikit-learn", "sklearn_ridge", "KernelRidge").only(COLD_RIDGE),
    peer("first_contact", "scipy", "scipy_ridge", "Cholesky").only(COLD_RIDGE),
    peer("first_contact", "scikit-learn", "sklearn_process", "GaussianProcessRegressor").only(COLD_PROCESS),
    peer("first_contact", "scipy", "scipy_process", "Cholesky, likelihood").only(COLD_PROCESS),
    peer("first_contact", "scikit-learn", "sklearn_kmeans", "KMeans").only(COLD_KMEANS),
    peer("first_contact", "scikit-learn-intelex", "intelex_kmeans", "KMeans").only(COLD_KMEANS),
    peer("first_contact", "scikit-learn", "sklearn_logistic", "LogisticRegression").only(COLD_LOGISTIC),
    peer("first_contact", "scikit-learn-intelex", "intelex_logistic", "LogisticRegression").only(COLD_LOGISTIC),

    peer("svr", "scikit-learn-intelex", "intelex_svr", "SVR"),
    peer("svr", "scikit-learn", "sklearn_svr", "SVR"),
    peer("svr", "libsvm-official", "libsvm", "svm_train"),
    peer("svr", "linfa-svm", "svr", "Svm").by("linfa").slow(&["exact"]),
    peer("svr", "smartcore", "svr", "SVR").by("smartcore").slow(&["exact"]),

    peer("linear_text", "scikit-learn", "liblinear", "LinearSVC").without_blas(),

    peer("tune", "scikit-learn", "sklearn_search", "GridSearchCV, SVC or SVR"),
    peer("tune", "scikit-learn-intelex", "intelex_search", "GridSearchCV, SVC or SVR"),

    peer("knn", "scikit-learn-intelex", "intelex_brute", "brute"),
    peer("knn", "scikit-learn", "sklearn_brute", "brute"),
    peer("knn", "torch", "torch_topk", "product, topk"),
    peer("knn", "faiss-cpu", "faiss_flat", "IndexFlatL2").of_type(&[F32]),
    peer("knn", "linfa-nn", "linear_search", "LinearSearch").by("linfa").slow(&["exact"]),
    peer("knn", "linfa-nn", "kd_tree", "KdTree").by("linfa").slow(&["exact"]),
    peer("knn", "linfa-nn", "ball_tree", "BallTree").by("linfa").slow(&["exact"]),
    peer("knn", "smartcore", "linear_search", "LinearKNNSearch").by("smartcore").slow(&["exact"]),
    peer("knn", "smartcore", "cover_tree", "CoverTree").by("smartcore").slow(&["exact"]),

    peer("kernel_pca", "scikit-learn", "sklearn_arpack", "KernelPCA, ARPACK"),
    peer("kernel_pca", "scikit-learn", "sklearn_randomized", "KernelPCA, randomised"),
    peer("kernel_pca", "scipy", "scipy_lanczos", "Gram matrix, eigsh"),
    peer("kernel_pca", "numpy", "numpy_subspace", "Gram matrix, powers on a subspace"),

    peer("mmd", "numpy", "numpy_tiles", "half of the tiles, in threads, product with signs"),
    peer("mmd", "scikit-learn", "sklearn_product", "rbf_kernel, product with signs"),
    peer("mmd", "torch", "torch_rows", "half of the blocks, product with signs"),

    peer("kernel_kmeans", "numpy", "numpy_lloyd", "Lloyd on the Gram matrix"),
    peer("kernel_kmeans", "torch", "torch_lloyd", "Lloyd on the Gram matrix"),

    peer("usgd", "numba", "numba_cached", "loops").only(&["cached"]),
    peer("usgd", "numpy", "numpy_cached", "row by row").only(&["cached"]),
    peer("usgd", "numba", "numba_on_the_fly", "loops").only(&["on-the-fly"]).without_blas(),
    peer("usgd", "numpy", "numpy_on_the_fly", "row by row").only(&["on-the-fly"]).without_blas(),

    peer("features_error", "numpy", "numpy_waves", "pairs of cos and sin").only(WAVES),
    peer("features_error", "numpy", "numpy_phases", "cos with phases").only(PHASES),
    peer("features_error", "scikit-learn", "sklearn_sampler", "RBFSampler").only(PHASES),
    peer("features_error", "scipy", "scipy_sorf", "Hadamard matrices").only(SORF),
    peer("features_error", "scipy", "scipy_nystroem", "uniform, Cholesky").only(UNIFORM),
    peer("features_error", "scikit-learn", "sklearn_nystroem", "Nystroem").only(UNIFORM),
    peer("features_error", "numpy", "numpy_rpcholesky", "RPCholesky").only(PIVOTS),
];
