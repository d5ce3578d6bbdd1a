//! Designs: the mapping from a row to features, a target and a weight, identical on all workers.

use super::order::{Features, Loss, Order};
use super::survey::{Survey, missing_number, with_weight};
use crate::kernel::{check_columns, spec, usual};
use crate::map::{InMetric, OnNumbers, TableMap, numbers};
use crate::{ClassType, Error, Prepared, Rows, Task};
use faer::Mat;
use kern_approx::{Nystrom, RandomFourier};
use kern_core::{FeatureMap, Identity};
use kern_data::{Schema, Table};
use kern_gram::{MemoryBudget, zeros};
use kern_solvers::Transformer;
use kern_solvers::rounds::{Block, LearnedMetric, Query, Sums};
use serde::{Deserialize, Serialize};

/// Number of values in a block of features, and the bounds on its number of rows.
const NUMBERS: usize = 1 << 22;
const ROWS: std::ops::RangeInclusive<usize> = 512..=4096;

/// Maps rows to features, targets and weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Design {
    pub(crate) schema: Schema,
    pub(crate) prepared: Prepared,
    pub(crate) kernel: String,
    pub(crate) map: TableMap,
    /// The sorted class labels, for classification.
    pub(crate) classes: Option<Vec<String>>,
    pub(crate) class_type: ClassType,
    target: Option<String>,
    weights: Option<String>,
    filled: bool,
    /// Targets are class indices instead of signs.
    numbered: bool,
}

/// The rows, targets and weights of a table.
struct Seen {
    rows: Rows,
    targets: Mat<f64>,
    weights: Option<Vec<f64>>,
}

impl Design {
    /// Builds the design from a survey. `schema` describes the columns that form the points.
    pub(crate) fn new(
        survey: &Survey,
        schema: &Schema,
        order: &Order,
        memory: &MemoryBudget,
    ) -> Result<Self, Error> {
        let schema = survey.schema(schema);
        if schema.fields.is_empty() {
            return Err(Error::NoColumns);
        }
        let prepared = survey.prepared(order.standardized)?;
        let sample = prepared.transform(&survey.sample(&schema)?.rows(&schema)?)?;
        let gamma = order.gamma.map(|rule| survey.gamma(rule, order.standardized));
        let (kernel, map) = features(&sample, &schema, order, gamma, memory)?;
        let classes = survey.classes();
        let classes = match order.task {
            Task::Classify if classes.len() < 2 => {
                let points = usize::try_from(survey.rows).unwrap_or(usize::MAX);
                return Err(kern_solvers::Error::OneClass { points }.into());
            }
            Task::Classify => Some(classes),
            _ => None,
        };
        let class_type = classes.as_ref().map(|classes| survey.class_type(classes));
        let class_type = order.class_type.or(class_type);
        let several = classes.as_ref().is_some_and(|classes| classes.len() > 2);
        Ok(Self {
            schema,
            prepared,
            kernel,
            map,
            classes,
            class_type: class_type.unwrap_or_default(),
            target: order.task.has_target().then(|| order.target.clone()).flatten(),
            weights: order.weights.clone(),
            filled: order.filled,
            numbered: several && order.loss == Loss::Logistic,
        })
    }

    /// The same design with another feature map.
    pub(super) fn with_map(&self, map: TableMap) -> Self {
        Self { map, ..self.clone() }
    }

    /// The number D of features.
    pub(crate) fn dim(&self) -> usize {
        self.map.dim()
    }

    /// The number of fitted functions.
    pub(crate) fn outputs(&self) -> usize {
        match self.classes.as_ref().map_or(1, Vec::len) {
            2 => 1,
            outputs => outputs,
        }
    }

    /// The number of rows in a block. It depends on D alone, so that all workers split tables at
    /// the same rows.
    pub(super) fn block(&self) -> usize {
        (NUMBERS / self.dim().max(1)).next_power_of_two().clamp(*ROWS.start(), *ROWS.end())
    }

    /// Applies `f` to each block of the rows of a table.
    pub(crate) fn for_each_block(
        &self,
        table: &Table,
        mut f: impl FnMut(&Table) -> Result<(), Error>,
    ) -> Result<(), Error> {
        blocks(table, self.block()).try_for_each(|rows| f(&rows?))
    }

    /// The column of class labels, for classification.
    pub(super) fn labels(&self) -> Option<&String> {
        self.target.as_ref().filter(|_| self.classes.is_some())
    }

    /// The columns that must be read.
    pub(super) fn columns(&self) -> impl Iterator<Item = &String> {
        let points = self.schema.fields.iter().map(|field| &field.name);
        points.chain(&self.target).chain(&self.weights)
    }

    /// Adds the rows of a table to the sums as one block: the caller has split the table already.
    pub(crate) fn gather(
        &self,
        query: &Query,
        sums: &mut Sums,
        table: &Table,
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        let used = with_weight(table, self.weights.as_ref())?;
        let table = used.as_ref().unwrap_or(table);
        if table.is_empty() {
            return Ok(());
        }
        let seen = self.seen(table)?;
        if let (Query::Outer(query), Sums::Outer(sums)) = (query, &mut *sums) {
            let (points, weights) = (numbers(&seen.rows)?, seen.weights.as_deref());
            return Ok(query.gather(sums, &points, weights, memory)?);
        }
        let features = self.features(&seen.rows, memory)?;
        let mut block = Block::new(features.as_ref(), seen.targets.as_ref());
        if let Some(weights) = &seen.weights {
            block = block.weights(weights);
        }
        Ok(query.gather(sums, &block, memory)?)
    }

    /// The prepared rows of the survey's sample.
    pub(super) fn sample(&self, survey: &Survey) -> Result<Rows, Error> {
        Ok(self.prepared.transform(&survey.sample(&self.schema)?.rows(&self.schema)?)?)
    }

    /// The features of prepared rows, D × rows.
    pub(super) fn features(&self, rows: &Rows, memory: &MemoryBudget) -> Result<Mat<f64>, Error> {
        let dim = self.dim();
        let bytes = kern_gram::matrix_bytes::<f64>(dim, rows.len());
        memory.require("a block of features", bytes, "use fewer features")?;
        let mut features: Mat<f64> = zeros(dim, rows.len())?;
        kern_approx::transform_into(&self.map, rows, features.as_mut())?;
        Ok(features)
    }

    fn seen(&self, table: &Table) -> Result<Seen, Error> {
        if !self.filled {
            for field in &self.schema.fields {
                let column = table.column(&field.name)?;
                if let Some(row) = missing_number(&column.values) {
                    let column = field.name.clone();
                    return Err(kern_data::Error::Missing { column, row }.into());
                }
            }
        }
        let rows = self.prepared.transform(&table.rows(&self.schema)?)?;
        let weights = self
            .weights
            .as_ref()
            .map(|name| -> Result<_, Error> { Ok(table.column(name)?.numbers()?.to_vec()) });
        Ok(Seen { targets: self.targets(table)?, rows, weights: weights.transpose()? })
    }

    /// Regression targets; for classes, ±1 for each function, or class indices.
    fn targets(&self, table: &Table) -> Result<Mat<f64>, Error> {
        let Some(target) = &self.target else { return Ok(zeros(table.len(), 0)?) };
        let column = table.column(target)?;
        let Some(classes) = &self.classes else {
            let numbers = column.numbers()?;
            return Ok(Mat::from_fn(numbers.len(), 1, |i, _| numbers[i]));
        };
        let mut places = Vec::with_capacity(table.len());
        for label in column.labels_as(classes)? {
            let Ok(place) = classes.binary_search(&label) else {
                let known = classes.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
                return Err(Error::NewClass { given: label, known });
            };
            places.push(place);
        }
        if self.numbered {
            return Ok(Mat::from_fn(places.len(), 1, |i, _| places[i] as f64));
        }
        // For two classes, the function is positive for the second class.
        let of = |k: usize| if classes.len() == 2 { 1 } else { k };
        let sign = |i: usize, k: usize| if places[i] == of(k) { 1.0 } else { -1.0 };
        Ok(Mat::from_fn(places.len(), self.outputs(), sign))
    }
}

/// The kernel, with its open parameters estimated from the sample, and the feature map.
fn features(
    sample: &Rows,
    schema: &Schema,
    order: &Order,
    gamma: Option<f64>,
    memory: &MemoryBudget,
) -> Result<(String, TableMap), Error> {
    let only_numbers = schema.numbers().count() == schema.fields.len();
    let of_rows = matches!(order.features, Features::Landmarks(_));
    if !only_numbers && !of_rows {
        return Err(Error::NotHere("these features are for columns of numbers: take landmarks"));
    }
    let formula = match (order.features, &order.kernel) {
        (Features::Columns, _) => "linear".to_string(),
        (_, Some(formula)) => formula.clone(),
        (_, None) => usual(schema),
    };
    let spec = spec(&formula, sample, None, order.seed, gamma)?;
    if order.features != Features::Columns {
        check_columns(&spec, schema, only_numbers)?;
    }
    let map = match order.features {
        Features::Fourier(dim) => {
            let params = RandomFourier::new(spec.spectrum()?).dim(dim).seed(order.seed);
            TableMap::Fourier(OnNumbers(params.sample(schema.fields.len())?))
        }
        Features::Landmarks(landmarks) => {
            let landmarks = landmarks.min(sample.len());
            // On numeric columns only, the formula may be a kernel on vectors, which is faster.
            match (only_numbers, spec.build_mercer()) {
                (true, Ok(kernel)) => {
                    let nystrom = Nystrom::new(kernel).landmarks(landmarks).seed(order.seed);
                    TableMap::Landmarks(OnNumbers(nystrom.fit(&numbers(sample)?, memory)?))
                }
                _ => {
                    let nystrom = Nystrom::new(spec.build_mercer()?).landmarks(landmarks);
                    TableMap::Rows(nystrom.seed(order.seed).fit(sample, memory)?)
                }
            }
        }
        Features::Learned { landmarks, .. } => {
            let nystrom = Nystrom::new(spec.build_mercer()?).landmarks(landmarks.min(sample.len()));
            let map = nystrom.seed(order.seed).fit(&numbers(sample)?, memory)?;
            let metric = LearnedMetric::identity(schema.fields.len());
            TableMap::Learned(OnNumbers(InMetric { metric, map }))
        }
        Features::Columns => TableMap::Columns(OnNumbers(Identity::new(schema.fields.len()))),
    };
    Ok((spec.to_string(), map))
}

/// The schema of the columns that form the points: all except the target, the weights and ignored
/// columns.
pub(crate) fn points(table: &Table, order: &Order) -> Result<Schema, Error> {
    let others = order.target.iter().chain(&order.weights).cloned().collect::<Vec<_>>();
    let points = table.clone().without(&order.ignored)?.without(&others)?;
    if points.columns().is_empty() {
        return Err(Error::NoColumns);
    }
    // The survey finds the categories of all rows.
    let mut schema = points.schema();
    for field in &mut schema.fields {
        if let kern_data::Kind::Category { levels } = &mut field.kind {
            levels.clear();
        }
    }
    Ok(schema)
}

/// Iterates over the rows of a table in blocks of a given size.
pub(super) fn blocks(
    table: &Table,
    rows: usize,
) -> impl Iterator<Item = Result<Table, kern_data::Error>> {
    (0..table.len()).step_by(rows).map(move |start| {
        let rows: Vec<usize> = (start..table.len().min(start + rows)).collect();
        table.select(&rows)
    })
}
