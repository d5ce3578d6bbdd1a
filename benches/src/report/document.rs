//! A document: sections of texts, tables and pictures. It says what there is, not how it looks.

use maud::Markup;

/// The whole.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A part with a heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// The blocks below it.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A command.
    Command(String),
    /// A table.
    Table(Table),
    /// Pictures side by side; their numbers are in tables, too.
    Figures(Vec<Figure>),
}

/// A picture.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The caption.
    pub caption: String,
    /// The picture, as SVG.
    pub drawing: Markup,
    /// Names of what is drawn in the colours, by number.
    pub legend: Vec<(usize, String)>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The words above it.
    pub name: String,
    /// True if it holds numbers, which end at one line.
    pub numbers: bool,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The words.
    pub text: String,
    /// The tone in which they are said.
    pub tone: Tone,
}

/// A tone of words. Whoever cannot see it still reads the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As is.
    Plain,
    /// Our own.
    Strong,
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// By the way.
    Faint,
    /// Code.
    Code,
}

impl Cell {
    /// A cell in a tone.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }

    /// A cell as is.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Plain)
    }

    /// A cell by the way.
    pub fn faint(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Faint)
    }
}

impl Table {
    /// An empty table; names that begin with `#` are of columns of numbers.
    #[must_use]
    pub fn new(names: &[&str]) -> Self {
        let column = |name: &&str| match name.strip_prefix('#') {
            Some(name) => Column { name: name.to_owned(), numbers: true },
            None => Column { name: (*name).to_owned(), numbers: false },
        };
        Self { columns: names.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, cells: impl Into<Vec<Cell>>) {
        let cells = cells.into();
        debug_assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        self.rows.push(cells);
    }
}
