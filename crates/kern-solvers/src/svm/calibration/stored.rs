//! Reading of calibrated machines.

use super::{CalibratedSvm, PlattSigmoid};
use crate::model::Format;
use crate::svm::{Decomposition, SvmClassifier};
use crate::{Error, Label};
use kern_core::{Kernel, Points};
use serde::Deserialize;

/// A calibrated machine as it is read from a file, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Deserialize<'de>, \
                             L: Deserialize<'de>"))]
pub(super) struct Stored<P: Points, K, L> {
    #[serde(rename = "format")]
    _format: Format,
    classifier: SvmClassifier<P, K, L>,
    sigmoids: Vec<PlattSigmoid>,
}

impl<P: Points, K: Kernel<P>, L: Label> TryFrom<Stored<P, K, L>> for CalibratedSvm<P, K, L> {
    type Error = Error;

    fn try_from(stored: Stored<P, K, L>) -> Result<Self, Error> {
        let Stored { classifier, sigmoids, .. } = stored;
        let classes = classifier.classes().len();
        let functions = match (classes, classifier.decomposition()) {
            (0 | 1, _) => return Err(Error::OneClass { points: classes }),
            (2, _) => 1,
            (_, Decomposition::OneVsOne) => classes * (classes - 1) / 2,
            _ => classes,
        };
        let decision = classifier.decision();
        let shape = decision.coefficients().shape();
        let expected = (decision.points().len(), functions);
        kern_gram::Error::check_shape("the coefficients", expected, shape)?;
        for (name, given) in [
            ("the number of sigmoids", sigmoids.len()),
            ("the number of biases", decision.intercepts().len()),
        ] {
            if given != functions {
                let allowed = "that of the functions of the classifier";
                return Err(Error::Count { name, given, allowed });
            }
        }
        let numbers = sigmoids.iter().flat_map(|sigmoid| [sigmoid.a, sigmoid.b]);
        if let Some((index, given)) = numbers.enumerate().find(|(_, given)| !given.is_finite()) {
            return Err(Error::Coefficient { index, given });
        }
        Ok(Self::new(classifier, sigmoids))
    }
}
