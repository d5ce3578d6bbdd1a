//! Scores of points that are held out, and the sigmoids on them.

use super::super::{Decomposition, Svc};
use super::{CalibratedSvm, PlattSigmoid};
use crate::labels::Encoded;
use crate::weights::check_weights;
use crate::{Error, Label};
use kern_core::{Mercer, Points, Scalar};
use kern_gram::zeros;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

impl<K: Clone> Svc<K> {
    /// Learns the classes, and sigmoids for their probabilities on the scores that machines learned without a fold
    /// give to its points. Each class is dealt to the folds in a random order that the seed decides.
    ///
    /// # Complexity
    /// `folds` + 1 fits.
    ///
    /// # Errors
    /// As [`fit`](Svc::fit); [`Error::Count`] for fewer than two folds, or fewer than two points in a class.
    pub fn fit_calibrated<P, L>(
        self,
        points: &P,
        labels: &[L],
        folds: usize,
        seed: u64,
    ) -> Result<CalibratedSvm<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let encoded = Encoded::new(points.len(), labels)?;
        self.weights.as_ref().map_or(Ok(()), |w| check_weights(points.len(), w))?;
        let fold_of = deal(&encoded.indices, encoded.classes.len(), folds, seed)?;
        let classes = encoded.classes.len();
        let multi_class = self.multi_class;
        let pairs = classes == 2 || multi_class == Decomposition::OneVsOne;
        let functions = if pairs { classes * (classes - 1) / 2 } else { classes };
        let mut scores = zeros::<P::Scalar>(points.len(), functions)?;
        for fold in 0..folds {
            let (out, kept): (Vec<usize>, Vec<usize>) =
                (0..points.len()).partition(|&i| fold_of[i] == fold);
            if out.is_empty() {
                continue;
            }
            let mut machine = self.clone();
            let chosen = |w: Vec<f64>| kept.iter().map(|&i| w[i]).collect();
            machine.weights = machine.weights.map(chosen);
            let kept_labels: Vec<L> = kept.iter().map(|&i| labels[i].clone()).collect();
            let model = machine.fit(&points.select(&kept)?, &kept_labels)?;
            let values = model.decision_values(&points.select(&out)?)?;
            for (row, &i) in out.iter().enumerate() {
                scores.row_mut(i).copy_from(values.row(row));
            }
        }
        let sigmoid = |k: usize, first: Option<usize>, second: usize| {
            let is_in = |&i: &usize| {
                let class = encoded.indices[i];
                class == second || first.is_none_or(|first| class == first)
            };
            let (f, y): (Vec<f64>, Vec<bool>) = (0..points.len())
                .filter(is_in)
                .map(|i| (scores[(i, k)].to_f64(), encoded.indices[i] == second))
                .unzip();
            PlattSigmoid::fit(&f, &y)
        };
        let sigmoids = if pairs {
            let all = Decomposition::pairs(classes).enumerate();
            all.map(|(k, (a, b))| sigmoid(k, Some(a), b)).collect()
        } else {
            (0..classes).map(|c| sigmoid(c, None, c)).collect()
        };
        Ok(CalibratedSvm::new(self.fit(points, labels)?, sigmoids))
    }
}

/// The fold of each point: the points of a class take turns, in random order.
fn deal(indices: &[usize], classes: usize, folds: usize, seed: u64) -> Result<Vec<usize>, Error> {
    if folds < 2 {
        return Err(Error::Count { name: "folds", given: folds, allowed: "at least 2" });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut fold_of = vec![0; indices.len()];
    for class in 0..classes {
        let mut members: Vec<usize> = (0..indices.len()).filter(|&i| indices[i] == class).collect();
        if members.len() < 2 {
            let (name, allowed) = ("the number of points in each class", "at least 2");
            return Err(Error::Count { name, given: members.len(), allowed });
        }
        members.shuffle(&mut rng);
        members.iter().enumerate().for_each(|(turn, &i)| fold_of[i] = turn % folds);
    }
    Ok(fold_of)
}
