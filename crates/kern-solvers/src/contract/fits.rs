//! The fits of a learner, by their numbers.

use super::Answers;
use crate::{Data, Error, Learner, Model, Report, Run};
use kern_core::Points;

/// Fits of which only points and targets are known, so that the laws are compiled once for these, not for each learner.
pub(super) trait Fitted<P: Points, Y>: Send {
    /// Learns by the learner, or by the one that learns of repeated points; the report of the model.
    fn learn(
        &mut self,
        repeated: bool,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Report, Error>;

    /// The answers of the last model to these queries: the number under which they are kept, and how many they are.
    fn predict(&mut self, queries: &P) -> Result<(usize, usize), Error>;

    /// The difference of answer `i` under one number to answer `j` under another.
    fn difference(&self, one: (usize, usize), other: (usize, usize)) -> f64;
}

/// The fits of a learner.
pub(super) struct Fits<'a, A, M, B> {
    learner: &'a A,
    repeated: Option<&'a A>,
    model: Option<M>,
    answers: Vec<B>,
}

impl<'a, A, M, B> Fits<'a, A, M, B> {
    pub(super) fn new(learner: &'a A, repeated: Option<&'a A>) -> Self {
        Self { learner, repeated, model: None, answers: Vec::new() }
    }
}

impl<P, Y, A, M, B> Fitted<P, Y> for Fits<'_, A, M, B>
where
    P: Points,
    A: Learner<P, Y, Model = M>,
    M: Model<P, Answer = B> + Send,
    B: Answers,
{
    fn learn(
        &mut self,
        repeated: bool,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Report, Error> {
        let learner = self.repeated.filter(|_| repeated).unwrap_or(self.learner);
        let model = self.model.insert(learner.learn(data, run)?);
        Ok(model.report().clone())
    }

    fn predict(&mut self, queries: &P) -> Result<(usize, usize), Error> {
        let model = self.model.as_ref().ok_or(Error::Empty)?;
        let answers = model.predict(queries)?;
        let count = answers.count();
        self.answers.push(answers);
        Ok((self.answers.len() - 1, count))
    }

    fn difference(&self, (one, i): (usize, usize), (other, j): (usize, usize)) -> f64 {
        self.answers[one].difference(i, &self.answers[other], j)
    }
}
