//! The laws that need more than the public contract: files, errors, and given Gram matrices.

use super::kinds::Kind;
use kern_core::Points;
use kern_core::parameters::{Parameters, verify_parameters};
use kern_solvers::contract::{Answers, Contract, Violation};
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
        let mut broken = Broken(Vec::new());
        broken.law(contract.verify(learner, &data));
        broken.parameters(verify_parameters(learner));
        match learner.learn(&data, &mut Run::new()) {
            Ok(model) => {
                let expected = model.predict(&points).unwrap();
                let predicts = |points: &K::Points| model.predict(points).is_ok();
                let refused = |data: &Data<'_, _, _>| learner.learn(data, &mut Run::new()).err();
                errors::<K, Y>(&refused, &predicts, &data, &mut broken.0);
                files(&Saved { model: &model, points: &points, expected }, &mut broken.0);
            }
            Err(error) => broken.0.push(error.to_string()),
        }
        let text = serde_json::to_string(learner).unwrap();
        let is_same = serde_json::from_str::<A>(&text).is_ok_and(|read| read == *learner);
        broken.written(is_same, &text);
        self.broken.extend(broken.of(name));
    }

    /// Fails if a law was broken.
    pub(crate) fn finish(self) {
        assert!(self.broken.is_empty(), "on {}:\n{}", K::NAME, self.broken.join("\n"));
    }
}

/// The laws that a learner breaks. Not generic: compiled once, not for every learner.
struct Broken(Vec<String>);

impl Broken {
    fn law(&mut self, kept: Result<(), Violation>) {
        self.0.extend(kept.err().map(|law| law.to_string()));
    }

    fn parameters(&mut self, kept: Result<(), String>) {
        self.0.extend(kept.err());
    }

    fn written(&mut self, is_same: bool, text: &str) {
        if !is_same {
            self.0.push(format!("is another learner after {text}"));
        }
    }

    fn of(self, learner: &str) -> Vec<String> {
        self.0.into_iter().map(|law| format!("{learner}: {law}")).collect()
    }
}

/// A model, and what it answers: what has to be compiled for each type of model, and no more.
struct Saved<'m, P, M, B> {
    model: &'m M,
    points: &'m P,
    expected: B,
}

trait Files {
    fn text(&self) -> String;
    fn bytes(&self) -> Vec<u8>;

    /// The first answer that differs after reading.
    fn read_text(&self, text: &str) -> Result<Option<usize>, String>;
    fn read_bytes(&self, bytes: &[u8]) -> Result<Option<usize>, String>;

    /// Reads a damaged file and predicts, if that can be read.
    fn read_damaged(&self, bytes: &[u8]);
}

impl<P, M, B> Saved<'_, P, M, B>
where
    P: Points,
    M: Model<P, Answer = B>,
    B: Answers,
{
    fn differs(&self, read: &M) -> Result<Option<usize>, String> {
        let answers = read.predict(self.points).map_err(|error| error.to_string())?;
        assert_eq!(answers.count(), self.expected.count());
        let mut all = 0..self.expected.count();
        Ok(all.find(|&i| answers.difference(i, &self.expected, i) > 0.0))
    }
}

impl<P, M, B> Files for Saved<'_, P, M, B>
where
    P: Points,
    M: Model<P, Answer = B> + Serialize + DeserializeOwned,
    B: Answers,
{
    fn text(&self) -> String {
        serde_json::to_string(self.model).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self.model).unwrap()
    }

    fn read_text(&self, text: &str) -> Result<Option<usize>, String> {
        self.differs(&serde_json::from_str(text).map_err(|error| error.to_string())?)
    }

    fn read_bytes(&self, bytes: &[u8]) -> Result<Option<usize>, String> {
        self.differs(&postcard::from_bytes(bytes).map_err(|error| error.to_string())?)
    }

    fn read_damaged(&self, bytes: &[u8]) {
        if let Ok(read) = postcard::from_bytes::<M>(bytes) {
            drop(read.predict(self.points));
        }
    }
}

/// A model is written and read back bit by bit; a damaged file is an error or a model that answers or refuses.
fn files(model: &dyn Files, broken: &mut Vec<String>) {
    let bytes = model.bytes();
    for read in [model.read_text(&model.text()), model.read_bytes(&bytes)] {
        match read {
            Ok(differs) => {
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
            model.read_damaged(bytes);
        }
    }
}

/// The error of a fit to some data.
type Refused<'f, P, Y> = dyn Fn(&Data<'_, P, Y>) -> Option<Error> + 'f;

/// Data that cannot be learned, and points that cannot be predicted, are typed errors.
fn errors<K: Kind, Y: Targets>(
    refused: &Refused<'_, K::Points, Y>,
    predicts: &dyn Fn(&K::Points) -> bool,
    data: &Data<'_, K::Points, Y>,
    broken: &mut Vec<String>,
) {
    let none = data.points().select(&[]).unwrap();
    assert_eq!(Data::new(&none, data.targets().select(&[])).err(), Some(Error::Empty));
    if data.targets().count().is_some() {
        let few = data.targets().select(&[0, 1]);
        let error = Data::new(data.points(), few).err();
        assert!(matches!(error, Some(Error::Length { given: 2, .. })), "{error:?}");
    }
    if data.targets().strata().is_some() {
        let error = refused(&data.select(&[0, 3, 6]).unwrap());
        if !matches!(error, Some(Error::OneClass { .. })) {
            broken.push(format!("one class: {error:?}"));
        }
    }
    if K::others().is_some_and(|others| predicts(&others)) {
        broken.push("points of another dimension are not refused".into());
    }
}
