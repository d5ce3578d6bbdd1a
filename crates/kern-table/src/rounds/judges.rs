//! Evaluation of classifiers from rounds and streams, on a sample of the rows.

use super::design::Design;
use super::survey::Survey;
use crate::evidence::{Evidence, Known, Note};
use crate::fitted::Fitted;
use crate::{Error, Rows, Task, Training};
use kern_data::{Column, Values};
use serde::{Deserialize, Serialize};

/// The rows of the survey's sample, and their classes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Judges {
    rows: Rows,
    classes: Vec<String>,
}

impl Judges {
    /// The sample of a survey; `None` if there are no classes.
    pub(crate) fn new(design: &Design, survey: &Survey) -> Result<Option<Self>, Error> {
        let Some(classes) = &design.classes else { return Ok(None) };
        let classes = survey.sampled_classes(classes);
        let rows = survey.sample(&design.schema)?.rows(&design.schema)?;
        Ok(Some(Self { rows, classes }))
    }

    /// The score of a model fitted to this number of rows, and notes for the user.
    pub(super) fn judge(
        &self,
        fitted: &Fitted,
        rows: u64,
    ) -> Result<(Option<Evidence>, Vec<Note>), Error> {
        let values = Values::Texts(self.classes.iter().cloned().map(Some).collect());
        let target = Column { name: String::new(), values };
        let known = Known {
            is_sample: (self.rows.len() as u64) < rows,
            target: Some(&target),
            ..Known::of(&Training::new(Task::Classify), &self.rows, None)
        };
        known.judge(fitted)
    }
}
