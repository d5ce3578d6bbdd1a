//! The first round: statistics of all rows that are required before features can be computed.

use super::order::{Gamma, Order};
use super::sample::Sample;
use crate::prepare::Scale;
use crate::{ClassType, Error, Prepared, Task};
use kern_data::{Column, Field, Kind, Labels, Schema, Table, Values, merged};
use kern_solvers::pipeline::is_constant;
use kern_solvers::statistics::check_batch_weights;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The largest number of categories of a column, and of classes.
const LEVELS: usize = 100_000;

/// Sums over rows: their number, the moments of numeric columns, the categories and classes that
/// occur, and a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Survey {
    pub(super) rows: u64,
    columns: Vec<Seen>,
    classes: BTreeSet<String>,
    /// All classes are numbers, which may occur in several spellings.
    numbers: bool,
    sample: Sample,
}

/// The sums of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Seen {
    Numbers(Moments),
    Levels(BTreeSet<String>),
    Texts,
}

/// The number, the mean and the sum of squared deviations, updated by the formula of Chan, Golub &
/// LeVeque (1979).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Moments {
    pub(super) weight: f64,
    pub(super) mean: f64,
    pub(super) squares: f64,
}

impl Moments {
    pub(super) fn add(&mut self, other: Self) {
        let weight = self.weight + other.weight;
        if other.weight <= 0.0 {
            return;
        }
        let (distance, share) = (other.mean - self.mean, other.weight / weight);
        self.squares += other.squares + distance * distance * self.weight * share;
        self.mean += distance * share;
        self.weight = weight;
    }

    /// The moments of numbers with weights, 1 by default; missing numbers are ignored.
    pub(super) fn of(numbers: &[f64], weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let there = || numbers.iter().enumerate().filter(|(_, v)| !v.is_nan());
        let total = there().map(|(i, _)| weight(i)).sum::<f64>();
        let mean = there().map(|(i, v)| weight(i) * v / total).sum::<f64>();
        let squares = there().map(|(i, v)| weight(i) * (v - mean).powi(2)).sum();
        Self { weight: total, mean, squares }
    }

    fn variance(&self) -> f64 {
        if self.weight > 0.0 { self.squares / self.weight } else { 0.0 }
    }

    /// Returns true if all values are equal up to round-off, or if there are none.
    pub(super) fn is_constant(&self) -> bool {
        is_constant::<f64>(self.weight, self.mean, self.variance())
    }

    fn scale(&self, standardized: bool) -> Scale {
        Scale::new(self.weight, self.mean, self.variance(), standardized)
    }
}

/// The pooled variance of the values of all columns.
fn variance(columns: &[Moments]) -> f64 {
    let weight = columns.iter().map(|column| column.weight).sum::<f64>();
    let mean = columns.iter().map(|column| column.weight / weight * column.mean).sum::<f64>();
    let of = |column: &Moments| column.squares + column.weight * (column.mean - mean).powi(2);
    columns.iter().map(|column| of(column) / weight).sum()
}

impl Survey {
    /// The survey of zero rows with these columns.
    pub(crate) fn new(schema: &Schema, order: &Order) -> Self {
        let seen = |field: &Field| match field.kind {
            Kind::Number | Kind::Instant | Kind::Duration => Seen::Numbers(Moments::default()),
            Kind::Category { .. } => Seen::Levels(BTreeSet::new()),
            Kind::Text => Seen::Texts,
        };
        let columns = schema.fields.iter().map(seen).collect();
        let sample = Sample::new(order.sampled());
        Self { rows: 0, columns, classes: BTreeSet::new(), numbers: true, sample }
    }

    /// Adds the rows of a table, given the part and row index of its first row.
    pub(crate) fn gather(
        &mut self,
        table: &Table,
        schema: &Schema,
        order: &Order,
        place: (u64, u64),
    ) -> Result<(), Error> {
        let used = with_weight(table, order.weights.as_ref())?;
        let table = used.as_ref().unwrap_or(table);
        let weights = order.weights.as_ref().map(|name| table.column(name)?.plain_numbers());
        let weights = weights.transpose()?;
        for (seen, field) in self.columns.iter_mut().zip(&schema.fields) {
            let column = table.column(&field.name)?;
            if !order.filled
                && let Some(row) = missing_number(&column.values)
            {
                return Err(kern_data::Error::Missing { column: field.name.clone(), row }.into());
            }
            seen.add(column, weights)?;
        }
        let mut classes = None;
        if let (Task::Classify, Some(target)) = (order.task, &order.target) {
            let column = table.column(target)?;
            self.numbers &= column.values.are_numbers();
            classes = Some(column.labels()?);
            insert(&mut self.classes, target, classes.iter().flatten().cloned())?;
        }
        self.sample.draw(table, schema, classes.as_deref(), place, order.seed)?;
        self.rows += table.len() as u64;
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<(), Error> {
        for (seen, other) in self.columns.iter_mut().zip(&other.columns) {
            match (seen, other) {
                (Seen::Numbers(seen), Seen::Numbers(other)) => seen.add(*other),
                (Seen::Levels(seen), Seen::Levels(other)) => {
                    insert(seen, "of categories", other.iter().cloned())?;
                }
                _ => (),
            }
        }
        insert(&mut self.classes, "of classes", other.classes.iter().cloned())?;
        self.numbers &= other.numbers;
        self.sample.merge(&other.sample);
        self.rows += other.rows;
        Ok(())
    }

    /// The type of these classes.
    pub(super) fn class_type(&self, classes: &[String]) -> ClassType {
        ClassType::of(classes, self.numbers)
    }

    /// The sorted classes; spellings of the same number are merged.
    pub(super) fn classes(&self) -> Vec<String> {
        let classes: Vec<String> = self.classes.iter().cloned().collect();
        merged(&classes, self.numbers)
    }

    /// The indices of the columns that have a value.
    fn places(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|&k| !self.columns[k].is_empty())
    }

    /// The schema of the columns that have a value, with all categories that occur.
    pub(super) fn schema(&self, schema: &Schema) -> Schema {
        let field = |(seen, field): (&Seen, &Field)| Field {
            name: field.name.clone(),
            kind: match seen {
                Seen::Levels(levels) => {
                    let levels: Vec<String> = levels.iter().cloned().collect();
                    Kind::Category { levels: merged(&levels, false) }
                }
                _ => field.kind.clone(),
            },
        };
        let fields = self.places().map(|k| field((&self.columns[k], &schema.fields[k])));
        Schema { fields: fields.collect() }
    }

    /// Computes γ by a rule.
    pub(super) fn gamma(&self, rule: Gamma, standardized: bool) -> f64 {
        let numbers = |seen: &Seen| match seen {
            Seen::Numbers(moments) => Some(*moments).filter(|moments| moments.weight > 0.0),
            _ => None,
        };
        let columns: Vec<Moments> = self.columns.iter().filter_map(numbers).collect();
        let share = 1.0 / columns.len().max(1) as f64;
        let variance = match (rule, standardized) {
            (Gamma::Auto, _) => 1.0,
            // A standardized column that is not constant has variance 1.
            (Gamma::Scale, true) => {
                columns.iter().filter(|column| !column.is_constant()).count() as f64 * share
            }
            (Gamma::Scale, false) => variance(&columns),
        };
        if variance > 0.0 { share / variance } else { 1.0 }
    }

    /// The preparation of the numeric columns.
    pub(super) fn prepared(&self, standardized: bool) -> Result<Prepared, Error> {
        let scale = |seen: &Seen| match seen {
            Seen::Numbers(moments) if !seen.is_empty() => Some(moments.scale(standardized)),
            _ => None,
        };
        Ok(Prepared::new(self.columns.iter().filter_map(scale).collect())?)
    }

    /// The classes of the sample, in the spelling of these [`classes`](Survey::classes).
    pub(super) fn sampled_classes(&self, classes: &[String]) -> Vec<String> {
        let labels = Labels::new(classes);
        let spelled = |class: &String| match labels.find(class, self.numbers) {
            Some(place) => classes[place].clone(),
            None => class.clone(),
        };
        self.sample.classes().map(spelled).collect()
    }

    /// The sample, as a table of this [`schema`](Survey::schema).
    pub(super) fn sample(&self, schema: &Schema) -> Result<Table, Error> {
        self.sample.table(self.places(), schema)
    }
}

impl Seen {
    /// Returns true if the column has no values; always false for text, which is not recorded.
    fn is_empty(&self) -> bool {
        match self {
            Self::Numbers(moments) => moments.weight <= 0.0,
            Self::Levels(levels) => levels.is_empty(),
            Self::Texts => false,
        }
    }

    fn add(&mut self, column: &Column, weights: Option<&[f64]>) -> Result<(), Error> {
        match (self, &column.values) {
            // A column without any value has no kind.
            (Self::Numbers(_), values) if values.missing() == values.len() => (),
            (Self::Numbers(moments), values) => match values.reals() {
                Some(numbers) => moments.add(Moments::of(numbers, weights)),
                None => drop(column.numbers()?),
            },
            (Self::Levels(levels), Values::Categories(categories)) => {
                let used: BTreeSet<u32> = categories.codes.iter().copied().flatten().collect();
                let level = |code: u32| categories.levels.get(code as usize).cloned();
                insert(levels, &column.name, used.into_iter().filter_map(level))?;
            }
            (Self::Levels(levels), values) => {
                let text = |row| values.text(row);
                insert(levels, &column.name, (0..values.len()).filter_map(text))?;
            }
            (Self::Texts, _) => (),
        }
        Ok(())
    }
}

/// The rows of a table with a non-zero weight, or `None` if these are all rows. Rows of weight 0
/// count as absent.
pub(super) fn with_weight(table: &Table, weights: Option<&String>) -> Result<Option<Table>, Error> {
    let Some(weights) = weights else { return Ok(None) };
    let weights = table.column(weights)?.plain_numbers()?;
    check_batch_weights(table.len(), weights).map_err(kern_solvers::Error::from)?;
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
    Ok((used.len() < weights.len()).then(|| table.select(&used)).transpose()?)
}

/// Adds levels, up to a limit.
fn insert(
    levels: &mut BTreeSet<String>,
    column: &str,
    new: impl Iterator<Item = String>,
) -> Result<(), Error> {
    levels.extend(new);
    match levels.len() {
        given if given > LEVELS => {
            let column = column.to_string();
            Err(Error::Levels { column, given, most: LEVELS })
        }
        _ => Ok(()),
    }
}

/// The number of the first row with a missing value, counted from 1.
pub(super) fn missing_number(values: &Values) -> Option<usize> {
    values.reals()?.iter().position(|v| v.is_nan()).map(|row| row + 1)
}
