//! Encoding of table rows as vectors.

use super::Pipeline;
use crate::{Data, Error, Learner, Run, Targets, Transformer};
use kern_core::memory::{Pages, matrix_bytes};
use kern_core::{Error as CoreError, Points, Row, Samples, named, named_parameters};
use serde::{Deserialize, Serialize};

/// Encodes rows of a table as vectors: the numbers, then the categories of each column, one-hot or
/// ordinal.
///
/// # Definition
/// One-hot: a column with the categories l₁ < … < l_m in the training set becomes m coordinates, 1
/// for the category of the row and 0 for the others; an unseen category is 0 in all. Ordinal: the
/// column becomes one coordinate: i − 1 for lᵢ, and −1 for an unseen category. The text of a row is
/// ignored: see [`Terms`](super::Terms).
///
/// A [formula](kern_core::KernelSpec) on rows needs no encoding: `rbf * hamming_rbf` is a kernel on
/// numbers and categories.
///
/// # Complexity
/// O(nd log m).
///
/// # Examples
/// ```
/// use kern_core::{Points, Row};
/// use kern_solvers::pipeline::Encode;
/// use kern_solvers::{Data, Learner, Run, Transformer};
/// let row = |number, category| Row {
///     numbers: vec![number],
///     categories: Row::letter(category).into_iter().collect(),
///     text: String::new(),
/// };
/// let rows = vec![row(0.5, 2), row(1.5, 7)];
/// let data = Data::unlabelled(&rows)?;
/// let one_hot = Encode::one_hot().learn(&data, &mut Run::new())?;
/// assert_eq!(one_hot.transform(&rows)?.item(1), [1.5, 0.0, 1.0]);
/// assert_eq!(one_hot.transform(&vec![row(0.0, 3)])?.item(0), [0.0, 0.0, 0.0]);
/// let ordinal = Encode::ordinal().learn(&data, &mut Run::new())?;
/// assert_eq!(ordinal.transform(&rows)?.item(1), [1.5, 1.0]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "OneHotEncoder")]
#[doc(alias = "one-hot")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encode {
    one_hot: bool,
}

impl Encode {
    /// One-hot encoding: a coordinate for each category.
    #[must_use]
    pub const fn one_hot() -> Self {
        Self { one_hot: true }
    }

    /// Ordinal encoding: a coordinate for each column of categories.
    #[must_use]
    pub const fn ordinal() -> Self {
        Self { one_hot: false }
    }

    /// A pipeline of this encoder and a learner.
    pub const fn then<L>(self, learner: L) -> Pipeline<Self, L> {
        Pipeline::new(self, learner)
    }
}

named_parameters!([] Encode { one_hot("one_hot", None) });

impl<Y: Targets> Learner<Vec<Row>, Y> for Encode {
    type Model = Encoding;

    fn learn(&self, data: &Data<'_, Vec<Row>, Y>, _: &mut Run<'_>) -> Result<Encoding, Error> {
        let rows = data.points();
        let first = rows.first().ok_or(Error::Empty)?;
        let mut levels = vec![Vec::new(); first.categories.chars().count()];
        for (i, row) in rows.iter().enumerate() {
            check("numbers of a row", first.numbers.len(), row.numbers.len())?;
            check("categories of a row", levels.len(), row.categories.chars().count())?;
            if data.weight(i) <= 0.0 {
                continue;
            }
            let columns = levels.iter_mut().zip(row.categories.chars());
            columns.for_each(|(levels, letter)| levels.push(letter));
        }
        for levels in &mut levels {
            levels.sort_unstable();
            levels.dedup();
        }
        Encoding::new(Form { numbers: first.numbers.len(), levels, one_hot: self.one_hot })
    }
}

fn check(what: &'static str, expected: usize, given: usize) -> Result<(), Error> {
    match given == expected {
        true => Ok(()),
        false => Err(CoreError::Dimension { what, expected, given }.into()),
    }
}

/// The transformer fitted by [`Encode`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct Encoding {
    form: Form,
    dim: usize,
}

/// The serialised form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Form {
    numbers: usize,
    /// The category codes of each column, in order.
    levels: Vec<Vec<char>>,
    one_hot: bool,
}

named! { [] Encoding = "encoding"; }

impl From<Encoding> for Form {
    fn from(encoding: Encoding) -> Self {
        encoding.form
    }
}

impl TryFrom<Form> for Encoding {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self, Error> {
        Self::new(form)
    }
}

impl Encoding {
    fn new(form: Form) -> Result<Self, Error> {
        let width = |levels: &Vec<char>| if form.one_hot { levels.len() } else { 1 };
        let dim = form.levels.iter().map(width).try_fold(form.numbers, usize::checked_add);
        let is_sorted = |levels: &Vec<char>| levels.is_sorted_by(|a, b| a < b);
        let (what, expected) = ("columns of an encoding", 1);
        match dim {
            Some(dim @ 1..) if form.levels.iter().all(is_sorted) => Ok(Self { form, dim }),
            _ => Err(CoreError::Dimension { what, expected, given: dim.unwrap_or(0) }.into()),
        }
    }

    /// The dimension of the vectors.
    #[must_use]
    pub const fn dim(&self) -> usize {
        self.dim
    }

    /// Writes a row into a zeroed slice.
    fn write(&self, row: &Row, out: &mut [f64]) -> Result<(), Error> {
        let Form { numbers, levels, one_hot } = &self.form;
        check("numbers of a row", *numbers, row.numbers.len())?;
        check("categories of a row", levels.len(), row.categories.chars().count())?;
        let (head, mut rest) = out.split_at_mut(*numbers);
        head.copy_from_slice(&row.numbers);
        for (levels, letter) in levels.iter().zip(row.categories.chars()) {
            let place = levels.binary_search(&letter).ok();
            let (column, behind) = rest.split_at_mut(if *one_hot { levels.len() } else { 1 });
            match place {
                Some(place) if *one_hot => column[place] = 1.0,
                Some(place) => column[0] = place as f64,
                None if *one_hot => (),
                None => column[0] = -1.0,
            }
            rest = behind;
        }
        Ok(())
    }
}

impl Transformer<Vec<Row>> for Encoding {
    type Output = Samples<f64>;

    fn transform(&self, points: &Vec<Row>) -> Result<Samples<f64>, Error> {
        if let Some(row) = points.first() {
            // Checked before memory is allocated for all rows: a file may declare any number of
            // columns.
            check("numbers of a row", self.form.numbers, row.numbers.len())?;
        }
        let Some(len) = points.len().checked_mul(self.dim) else {
            return Err(CoreError::Allocation { bytes: u64::MAX }.into());
        };
        let mut values = Pages::zeroed(len)?;
        for (out, row) in values.chunks_exact_mut(self.dim).zip(points) {
            self.write(row, out)?;
        }
        Ok(Samples::from_pages(self.dim, values)?)
    }

    fn bytes(&self, points: &Vec<Row>) -> u64 {
        matrix_bytes::<f64>(self.dim, Points::len(points))
    }
}
