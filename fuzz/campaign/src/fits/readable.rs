//! Models, by all that can be read of them.

use super::function::Function;
use super::reading::Reading;
use kern_core::faer::{Mat, MatRef};
use kern_core::{Kernel, Samples, Scalar};
use kern_solvers::knn::{Known, Nearness, Neighbor, Neighbors, Reach, WeightFunction};
use kern_solvers::model::{
    Classifier, Clusters, Geometry, MultiRegressor, NoveltyDetector, ProbabilisticClassifier,
    Regressor, SoftClusters,
};
use kern_solvers::{Error, Report};
use std::fmt::Debug;

/// A model that is read.
pub(super) trait Readable<T: Scalar> {
    fn report(&self) -> &Report;

    /// Checks all numbers that the model gives away, and all that it answers for these points.
    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error>;
}

fn numbers<T: Scalar>(matrix: MatRef<'_, T>) -> Vec<f64> {
    matrix.col_iter().flat_map(|column| column.iter().map(|x| x.to_f64())).collect()
}

fn rows<T: Scalar>(matrix: MatRef<'_, T>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().map(|x| x.to_f64()).collect()).collect()
}

impl<T: Scalar, D: Function<T>> Readable<T> for Classifier<D, u8> {
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.finite("coefficients", self.decision().numbers());
        reading.finite("decision values", numbers(self.decision_values(points)?.as_ref()));
        self.predict(points).map(drop)
    }
}

impl<T: Scalar, D: Function<T>> Readable<T> for ProbabilisticClassifier<D, u8> {
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.finite("coefficients", self.decision().numbers());
        reading.finite("decision values", numbers(self.decision_values(points)?.as_ref()));
        reading.shares("probabilities", rows(self.predict_proba(points)?.as_ref()));
        reading.finite("disagreement", [self.disagreement(points)?]);
        self.predict(points).map(drop)
    }
}

impl<T: Scalar, D: Function<T>> Readable<T> for Regressor<D> {
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.finite("coefficients", self.decision().numbers());
        reading.finite("predictions", self.predict(points)?.into_iter().map(Scalar::to_f64));
        Ok(())
    }
}

impl<T: Scalar, D: Function<T>> Readable<T> for MultiRegressor<D> {
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.finite("coefficients", self.decision().numbers());
        reading.finite("predictions", numbers(self.predict(points)?.as_ref()));
        Ok(())
    }
}

impl<T: Scalar, D: Function<T>> Readable<T> for NoveltyDetector<D> {
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.finite("coefficients", self.decision().numbers());
        reading.finite("decision values", numbers(self.decision_values(points)?.as_ref()));
        self.predict(points).map(drop)
    }
}

impl<T: Scalar, D: Function<T> + Geometry<Samples<T>>> Readable<T> for Clusters<D> {
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.finite("coefficients", self.decision().numbers());
        self.predict(points)?;
        let (distances, sizes): (Mat<T>, _) = (self.distances(points)?, self.sizes());
        // An empty cluster is nowhere.
        let columns = distances.col_iter().zip(sizes).filter(|(_, size)| *size > 0);
        let all =
            columns.flat_map(|(column, _)| column.iter().map(|x| x.to_f64()).collect::<Vec<_>>());
        reading.finite("distances", all);
        Ok(())
    }
}

impl<T: Scalar, D: Function<T>> Readable<T> for SoftClusters<D> {
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.finite("coefficients", self.decision().numbers());
        reading.finite("sizes", self.sizes().iter().copied());
        reading.shares("memberships", rows(self.memberships()));
        reading.shares("predicted memberships", rows(self.predict_memberships(points)?.as_ref()));
        self.predict(points).map(drop)
    }
}

impl<T, K, Y, E, W> Readable<T> for Neighbors<Samples<T>, K, Y, E, W>
where
    T: Scalar,
    K: Kernel<Samples<T>>,
    Y: Known,
    E: Reach<Answer<Y::One, Y::All>: Debug>,
    W: WeightFunction,
{
    fn report(&self) -> &Report {
        self.report()
    }

    fn read(&self, points: &Samples<T>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let sign = if self.nearness() == Nearness::Distance { 1.0 } else { -1.0 };
        for row in self.neighbors(points)? {
            let score = |neighbor: &Neighbor<T>| neighbor.score.to_f64();
            reading.finite("scores", row.iter().map(score));
            if !row.is_sorted_by(|a, b| sign * score(a) <= sign * score(b)) {
                reading.broken("order", "scores", &format!("{row:?}"));
            }
        }
        // Of whatever type, numbers that are none are printed as such.
        let answers = format!("{:?}", self.predict(points)?);
        if answers.contains("NaN") || answers.contains("inf") {
            reading.broken("not finite", "predictions", &answers);
        }
        Ok(())
    }
}
