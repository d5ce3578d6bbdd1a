//! Schemas.

use serde::{Deserialize, Serialize};

/// The names and kinds of columns, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// The columns.
    pub fields: Vec<Field>,
}

/// The name and the kind of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
}

/// The kind of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Finite numbers.
    Number,
    /// Categorical values.
    Category {
        /// The distinct values; if empty, they are inferred when a file is read.
        levels: Vec<String>,
    },
    /// Text.
    Text,
    /// Dates and times: seconds since 1970-01-01T00:00:00 UTC.
    Instant,
    /// Durations, in seconds.
    Duration,
}

impl Kind {
    /// Returns true if a row stores a column of this kind as a number: numbers, dates, times and
    /// durations.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        matches!(self, Self::Number | Self::Instant | Self::Duration)
    }

    /// The kind, for error messages.
    pub(crate) fn described(&self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Category { .. } => "categories",
            Self::Text => "text",
            Self::Instant => "dates or times",
            Self::Duration => "durations",
        }
    }
}

impl Schema {
    /// The columns of numbers, dates, times and durations.
    pub fn numbers(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.kind.is_numeric())
    }

    /// The columns of categories.
    pub fn categories(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| matches!(field.kind, Kind::Category { .. }))
    }

    /// The columns of text.
    pub fn texts(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.kind == Kind::Text)
    }
}

/// The declared kind of values in a column of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Not declared: inferred from the values.
    Unknown,
    /// Numbers, or times as numbers of seconds.
    Reals(Measure),
    /// Categories or text, even if they look like numbers.
    Words,
}

/// The meaning of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Number,
    Instant,
    Duration,
}

impl Measure {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Number => Kind::Number,
            Self::Instant => Kind::Instant,
            Self::Duration => Kind::Duration,
        }
    }
}
