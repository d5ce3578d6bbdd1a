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
    /// Values of which there are few different ones.
    Category {
        /// The different values; where a file is read and there are none, those that it has.
        levels: Vec<String>,
    },
    /// Text.
    Text,
}

impl Kind {
    /// The kind in messages.
    pub(crate) fn described(&self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Category { .. } => "categories",
            Self::Text => "text",
        }
    }
}

impl Schema {
    /// The columns of numbers.
    pub fn numbers(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.kind == Kind::Number)
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

/// The kind of values that a column of a file says that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Anything: the values tell.
    Unknown,
    /// Numbers.
    Numbers,
    /// Categories or text, whatever they look like.
    Words,
}
