//! A document as Markdown whose tables are aligned, so that a terminal is enough to read it. Pictures
//! are left out: their numbers are in the tables.

use super::document::{Block, Cell, Document, Table, Tone};

/// The whole document.
#[must_use]
pub fn text(document: &Document) -> String {
    let mut lines = vec![format!("# {}", document.title)];
    for section in &document.sections {
        lines.push(format!("\n## {}", section.title));
        for block in &section.blocks {
            match block {
                Block::Text(text) => lines.push(format!("\n{text}")),
                Block::Command(command) => lines.push(format!("\n```sh\n{command}\n```")),
                Block::Table(table) => lines.push(format!("\n{}", self::table(table))),
                Block::Figures(_) => {}
            }
        }
    }
    lines.join("\n") + "\n"
}

/// A table, without a line break at its end.
#[must_use]
pub fn table(table: &Table) -> String {
    let head: Vec<String> = table.columns.iter().map(|column| escaped(&column.name)).collect();
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| &row[column]).chain([&head[column]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded =
            cells.iter().zip(&widths).zip(&table.columns).map(|((cell, &width), column)| {
                if column.numbers {
                    format!(" {cell:>width$} |")
                } else {
                    format!(" {cell:<width$} |")
                }
            });
        format!("|{}", padded.collect::<String>())
    };
    let rule = table.columns.iter().zip(&widths).map(|(column, &width)| {
        let (dashes, end) = ("-".repeat(width), if column.numbers { ":" } else { " " });
        format!(" {}{end}|", if column.numbers { &dashes[..] } else { &dashes })
    });
    let rule = format!("|{}", rule.collect::<String>());
    let body = rows.iter().map(|row| line(row));
    [line(&head), rule].into_iter().chain(body).collect::<Vec<_>>().join("\n")
}

fn cell(cell: &Cell) -> String {
    let text = escaped(&cell.text);
    match cell.tone {
        _ if text.is_empty() => text,
        Tone::Strong | Tone::Bad => format!("**{text}**"),
        Tone::Code => format!("`{text}`"),
        Tone::Plain | Tone::Good | Tone::Faint => text,
    }
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::Section;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["name", "#value"]);
        table.push([Cell::new("kern", Tone::Strong), Cell::plain("1.5")]);
        table.push([Cell::plain("a|b"), Cell::new("worse", Tone::Bad)]);
        let expected = "| name     |     value |\n\
                        | -------- | ---------:|\n\
                        | **kern** |       1.5 |\n\
                        | a\\|b     | **worse** |";
        assert_eq!(super::table(&table), expected);
    }

    #[test]
    fn a_document_has_headings_and_commands() {
        let blocks = vec![Block::Text("Text.".into()), Block::Command("cargo xtask bench".into())];
        let sections = vec![Section { title: "Part".into(), blocks }];
        let document = Document { title: "Title".into(), sections };
        let expected = "# Title\n\n## Part\n\nText.\n\n```sh\ncargo xtask bench\n```\n";
        assert_eq!(text(&document), expected);
    }
}
