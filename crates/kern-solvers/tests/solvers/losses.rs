//! The losses of SGD, with parameters where they have one.

use kern_solvers::sgd::Loss;

pub(crate) const LOSSES: [Loss; 7] = [
    Loss::Logistic,
    Loss::Hinge,
    Loss::SquaredHinge,
    Loss::Perceptron,
    Loss::Squared,
    Loss::Huber(0.5),
    Loss::EpsilonInsensitive(0.1),
];
