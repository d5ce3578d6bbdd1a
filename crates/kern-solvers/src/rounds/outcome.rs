//! Outcomes of fits, which become models with a feature map.

use crate::components::{Axes, Components};
use crate::model::{Centres, Clusters, FeatureExpansion, Link, MultiRegressor, Regressor, Vote};
use crate::model::{Classifier, ProbabilisticClassifier};
use crate::{Error, Label, Report};
use faer::Mat;

/// The result of a fit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Affine functions of features.
    Functions(Functions),
    /// Means of clusters.
    Centroids(Centroids),
    /// Principal axes.
    Components(PrincipalAxes),
}

impl Outcome {
    /// The functions, if that is what was found.
    #[must_use]
    pub fn functions(self) -> Option<Functions> {
        match self {
            Self::Functions(functions) => Some(functions),
            _ => None,
        }
    }
}

/// Affine functions f_c(x) = w_cᵀψ(x) + b_c.
#[derive(Clone, Debug)]
pub struct Functions {
    /// w: D × functions.
    pub weights: Mat<f64>,
    /// b.
    pub intercepts: Vec<f64>,
    /// The share of the variance of the targets that is left by generalised cross-validation, 1 − R², where this has chosen λ.
    pub left: Option<f64>,
    /// The evidence of the fit.
    pub report: Report,
}

/// Means of clusters.
#[derive(Clone, Debug)]
pub struct Centroids {
    /// D × k.
    pub centres: Mat<f64>,
    /// Σβ of each cluster.
    pub masses: Vec<f64>,
    /// The evidence of the fit.
    pub report: Report,
}

/// Principal axes of features.
#[derive(Debug)]
pub struct PrincipalAxes(pub(super) Axes);

impl Functions {
    fn expansion<M>(self, map: M) -> (FeatureExpansion<M, f64>, Report) {
        let Self { weights, intercepts, report, .. } = self;
        (FeatureExpansion::new(map, weights).with_intercepts(intercepts), report)
    }

    /// The functions of this map's features.
    pub fn regressors<M>(self, map: M) -> MultiRegressor<FeatureExpansion<M, f64>> {
        let (decision, report) = self.expansion(map);
        MultiRegressor::new(decision, report)
    }

    /// The function of this map's features.
    ///
    /// # Errors
    /// [`Error::Count`] if there are several.
    pub fn regressor<M>(self, map: M) -> Result<Regressor<FeatureExpansion<M, f64>>, Error> {
        match self.intercepts.len() {
            1 => {
                let (decision, report) = self.expansion(map);
                Ok(Regressor::new(decision, report))
            }
            given => Err(Error::Count { name: "the number of outputs", given, allowed: "1" }),
        }
    }

    /// The classifier of these classes, in order: of two by the sign of one function, of others by the greatest of one
    /// function for each.
    ///
    /// # Errors
    /// [`Error::Count`] for another number of functions, [`Error::Classes`] unless there are two, different and in order.
    pub fn classifier<M, L: Label>(
        self,
        map: M,
        classes: Vec<L>,
    ) -> Result<Classifier<FeatureExpansion<M, f64>, L>, Error> {
        if classes.len() < 2 || !classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::Classes);
        }
        let given = self.intercepts.len();
        if given != Vote::Greatest.functions(classes.len()) {
            let (name, allowed) = ("the number of functions", "one, or one for each class");
            return Err(Error::Count { name, given, allowed });
        }
        let (decision, report) = self.expansion(map);
        Ok(Classifier::new(decision, (classes, Vote::Greatest), report))
    }

    /// The classifier with probabilities: σ(f) of the second of two classes, softmax of others.
    ///
    /// # Errors
    /// As [`classifier`](Self::classifier).
    pub fn probabilistic<M, L: Label>(
        self,
        map: M,
        classes: Vec<L>,
    ) -> Result<ProbabilisticClassifier<FeatureExpansion<M, f64>, L>, Error> {
        let link = if self.intercepts.len() == 1 { Link::Logistic } else { Link::Softmax };
        Ok(ProbabilisticClassifier::new(self.classifier(map, classes)?, link))
    }
}

impl Centroids {
    /// The clusters of this map's features. The clusters of the samples of the fit are not known.
    pub fn clusters<M>(self, map: M) -> Clusters<FeatureExpansion<M, f64>> {
        let Self { centres, masses, report } = self;
        let square = |v: &f64| v * v;
        let norms = centres.col_iter().map(|v| v.iter().map(square).sum()).collect();
        let decision = FeatureExpansion::new(map, centres);
        Clusters::new(Centres { decision, masses, norms }, Vec::new(), report)
    }
}

impl PrincipalAxes {
    /// The components of this map's features.
    pub fn components<M>(self, map: M) -> Components<FeatureExpansion<M, f64>> {
        self.0.components(map)
    }
}
