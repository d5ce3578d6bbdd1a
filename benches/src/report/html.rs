//! A document as one page: no scripts, nothing from elsewhere, light or dark as the reader has it.

use super::STYLE;
use super::document::{Block, Cell, Document, Figure, Section, Table, Tone};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The whole page.
#[must_use]
pub fn page(document: &Document) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (document.title) }
                // An address for no picture: browsers would ask for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (document.title) }
                    (contents(document))
                    @for section in &document.sections { (self::section(section)) }
                }
            }
        }
    };
    page.into_string()
}

fn contents(document: &Document) -> Markup {
    html! {
        nav aria-label="Contents" {
            @for section in &document.sections {
                a href={ "#" (anchor(&section.title)) } { (section.title) }
            }
        }
    }
}

fn section(section: &Section) -> Markup {
    html! {
        section id=(anchor(&section.title)) {
            h2 { (section.title) }
            @for block in &section.blocks {
                @match block {
                    Block::Text(text) => p { (words(text)) },
                    Block::Command(command) => pre tabindex="0" { code { (command) } },
                    Block::Table(table) => (self::table(table)),
                    Block::Figures(figures) => div .figures { @for f in figures { (figure(f)) } },
                }
            }
        }
    }
}

/// A text in which code is between backticks, as in Markdown.
fn words(text: &str) -> Markup {
    html! {
        @for (k, part) in text.split('`').enumerate() {
            @if k % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The letters and digits of a title.
fn anchor(title: &str) -> String {
    let letters = title.to_lowercase();
    letters
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

fn table(table: &Table) -> Markup {
    html! {
        div .scroll tabindex="0" role="region" aria-label="Table" {
            table {
                thead {
                    tr {
                        @for column in &table.columns {
                            th scope="col" .number[column.numbers] { (column.name) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (cell, column) in row.iter().zip(&table.columns) {
                                td .number[column.numbers] { (self::cell(cell)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(cell: &Cell) -> Markup {
    html! {
        @match cell.tone {
            Tone::Plain => (cell.text),
            Tone::Strong => strong { (cell.text) },
            Tone::Good => span .good { (cell.text) },
            Tone::Bad => span .bad { (cell.text) },
            Tone::Faint => span .faint { (cell.text) },
            Tone::Code => code { (cell.text) },
        }
    }
}

fn figure(figure: &Figure) -> Markup {
    html! {
        figure {
            (figure.drawing)
            @if !figure.legend.is_empty() {
                ul .legend {
                    @for (color, name) in &figure.legend {
                        li { span class={ "key c" (color) } {} (name) }
                    }
                }
            }
            figcaption { (figure.caption) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut table = Table::new(&["<b>", "#n"]);
        table.push([Cell::new("<script>alert(1)</script>", Tone::Bad), Cell::plain("1 & 2")]);
        let blocks = vec![Block::Table(table), Block::Text("Say `--a`.".into())];
        let sections = vec![Section { title: "A & B".into(), blocks }];
        let page = page(&Document { title: "<title>".into(), sections });
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("Say <code>--a</code>."), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("1 &amp; 2"), "{page}");
        assert!(page.contains("href=\"#a-b\"") && page.contains("id=\"a-b\""), "{page}");
    }
}
