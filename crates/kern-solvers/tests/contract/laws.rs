//! The laws that need more than the public contract: files, errors, and given Gram matrices.

use super::kinds::Kind;
use kern_core::Points;
use kern_core::parameters::{Parameters, verify_parameters};
use kern_solvers::contract::{Answers, Contract};
use kern_solvers::{Data, Error, Learner, Model, Run, Targets};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

/// Bytes of a file that are damaged, one at a time.
const DAMAGES: usize = 40;

/// The laws that learners break on a kind of points.
pub(crate) struct Table<K> {
    broken: Vec<String>,
    kind: PhantomData<K>,
}

impl<K: Kind> Table<K> {
    pub(crate) fn new() -> Self {
        Self { broken: Vec::new(), kind: PhantomData }
    }

    /// Runs all laws of a learner on some targets.
    pub(crate) fn check<Y, A>(
        &mut self,
        name: &str,
        learner: &A,
        targets: &Y,
        contract: &Contract<A>,
    ) where
        Y: Targets,
        A: Learner<K::Points, Y> + Parameters + PartialEq + Serialize + DeserializeOwned,
        A::Model: Model<K::Points, Answer: Answers> + Serialize + DeserializeOwned + Send,
    {
        let points = K::points();
        let data = Data::new(&points, targets.clone()).unwrap();
        let mut broken: Vec<String> =
            contract.verify(learner, &data).err().iter().map(ToString::to_string).collect();
        broken.extend(verify_parameters(learner).err());
        match learner.learn(&data, &mut Run::new()) {
            Ok(model) => {
                broken.extend(files::<K, A::Model>(&model));
                broken.extend(errors::<K, Y, A>(learner, &model, &data));
            }
            Err(error) => broken.push(error.to_string()),
        }
        let text = serde_json::to_string(learner).unwrap();
        if serde_json::from_str::<A>(&text).ok().as_ref() != Some(learner) {
            broken.push(format!("is another learner after {text}"));
        }
        self.broken.extend(broken.into_iter().map(|law| format!("{name}: {law}")));
    }

    /// Fails if a law was broken.
    pub(crate) fn finish(self) {
        assert!(self.broken.is_empty(), "on {}:\n{}", K::NAME, self.broken.join("\n"));
    }
}

/// A model is written and read back bit by bit; a damaged file is an error or a model that answers or refuses.
fn files<K, M>(model: &M) -> Vec<String>
where
    K: Kind,
    M: Model<K::Points, Answer: Answers> + Serialize + DeserializeOwned,
{
    let points = K::points();
    let expected = model.predict(&points).unwrap();
    let bytes = postcard::to_stdvec(model).unwrap();
    let from_text = serde_json::to_string(model).map(|text| serde_json::from_str::<M>(&text));
    let read = [
        from_text.unwrap().map_err(|error| error.to_string()),
        postcard::from_bytes::<M>(&bytes).map_err(|error| error.to_string()),
    ];
    let mut broken = Vec::new();
    for read in read {
        match read.and_then(|model| model.predict(&points).map_err(|error| error.to_string())) {
            Ok(answers) => {
                let differs = |&i: &usize| answers.difference(i, &expected, i) > 0.0;
                let differs = (0..expected.count()).find(differs);
                broken.extend(differs.map(|i| format!("answer {i} differs after reading")));
            }
            Err(error) => broken.push(format!("a written model is not read: {error}")),
        }
    }
    for k in 0..DAMAGES {
        let mut damaged = bytes.clone();
        let at = k * 7919 % damaged.len();
        damaged[at] ^= 1 << (k % 8);
        for bytes in [&damaged[..], &bytes[..at]] {
            if let Ok(read) = postcard::from_bytes::<M>(bytes) {
                drop(read.predict(&points));
            }
        }
    }
    broken
}

/// Points that cannot be learned, or predicted, are typed errors.
fn errors<K, Y, A>(learner: &A, model: &A::Model, data: &Data<'_, K::Points, Y>) -> Vec<String>
where
    K: Kind,
    Y: Targets,
    A: Learner<K::Points, Y>,
    A::Model: Model<K::Points>,
{
    let none = data.points().select(&[]).unwrap();
    assert_eq!(Data::new(&none, data.targets().select(&[])).err(), Some(Error::Empty));
    let mut broken = Vec::new();
    if data.targets().count().is_some() {
        let few = data.targets().select(&[0, 1]);
        let error = Data::new(data.points(), few).err();
        assert!(matches!(error, Some(Error::Length { given: 2, .. })), "{error:?}");
    }
    if data.targets().strata().is_some() {
        let one = data.select(&[0, 3, 6]).unwrap();
        let error = learner.learn(&one, &mut Run::new()).err();
        if !matches!(error, Some(Error::OneClass { .. })) {
            broken.push(format!("one class: {error:?}"));
        }
    }
    if K::others().is_some_and(|others| model.predict(&others).is_ok()) {
        broken.push("points of another dimension are not refused".into());
    }
    broken
}
