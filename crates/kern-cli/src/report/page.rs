//! An HTML page with sections, tables and pictures. All text is escaped here.

use super::style::STYLE;
use crate::pictures;
use std::fmt::Write;

/// The longest text in a cell of a table, in characters.
const LONGEST: usize = 80;

/// A page that is written from top to bottom.
pub(crate) struct Page {
    title: String,
    /// The identifiers and titles of the sections.
    sections: Vec<(&'static str, &'static str)>,
    body: String,
}

/// A picture: the elements inside `<svg>`, and its size.
pub(crate) struct Picture {
    pub(crate) elements: String,
    pub(crate) size: (u32, u32),
}

impl Picture {
    /// Draws a picture of the usual size.
    pub(crate) fn new(
        draw: impl FnOnce(&pictures::Area<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        Self::of_size(pictures::SIZE, draw)
    }

    /// Draws a picture with a row for each name.
    pub(crate) fn of_names(
        names: usize,
        draw: impl FnOnce(&pictures::Area<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let height = u32::try_from(names).unwrap_or(u32::MAX).saturating_mul(28);
        let (width, highest) = (pictures::SIZE.0, 20 * pictures::SIZE.1);
        Self::of_size((width, height.saturating_add(112).min(highest)), draw)
    }

    fn of_size(
        size: (u32, u32),
        draw: impl FnOnce(&pictures::Area<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        Ok(Self { elements: pictures::elements(size, draw)?, size })
    }
}

impl Page {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_string(), sections: Vec::new(), body: String::new() }
    }

    /// Begins a section.
    pub(crate) fn section(&mut self, id: &'static str, title: &'static str) {
        if !self.sections.is_empty() {
            self.body.push_str("</section>\n");
        }
        self.sections.push((id, title));
        self.add(&format!("<section id=\"{id}\">\n<h2>"), title, "</h2>\n");
    }

    /// Adds a heading below that of the section.
    pub(crate) fn heading(&mut self, text: &str) {
        self.add("<h3>", text, "</h3>\n");
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        self.add("<p>", text, "</p>\n");
    }

    /// Adds a paragraph that stands out.
    pub(crate) fn warning(&mut self, text: &str) {
        self.add("<p class=\"warning\"><strong>Warning:</strong> ", text, "</p>\n");
    }

    pub(crate) fn list(&mut self, items: &[String]) {
        self.body.push_str("<ul>\n");
        items.iter().for_each(|item| self.add("<li>", item, "</li>\n"));
        self.body.push_str("</ul>\n");
    }

    /// Adds a table. The first cell of each row is its heading; numbers are aligned to the right.
    pub(crate) fn table<N: AsRef<str>>(
        &mut self,
        caption: &str,
        header: &[N],
        rows: &[Vec<String>],
    ) {
        self.add("<div class=\"wide\"><table>\n<caption>", caption, "</caption>\n");
        if !header.is_empty() {
            self.body.push_str("<thead><tr>");
            header.iter().for_each(|name| self.add("<th scope=\"col\">", name.as_ref(), "</th>"));
            self.body.push_str("</tr></thead>\n");
        }
        self.body.push_str("<tbody>\n");
        for row in rows {
            self.body.push_str("<tr>");
            for (place, cell) in row.iter().enumerate() {
                let is_number = cell.parse::<f64>().is_ok() || cell == "–";
                let class = if is_number { " class=\"number\"" } else { "" };
                let (open, close) = match place {
                    0 => (format!("<th scope=\"row\"{class}>"), "</th>"),
                    _ => (format!("<td{class}>"), "</td>"),
                };
                self.add(&open, &shortened(cell), close);
            }
            self.body.push_str("</tr>\n");
        }
        self.body.push_str("</tbody>\n</table></div>\n");
    }

    /// Adds a picture with a caption and a text alternative.
    pub(crate) fn picture(&mut self, caption: &str, alternative: &str, picture: &Picture) {
        let (width, height) = picture.size;
        let open =
            format!("<figure>\n<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"");
        self.add(&open, &format!("{caption}. {alternative}"), "\">\n");
        self.body.push_str(&picture.elements);
        self.add("</svg>\n<figcaption>", caption, "</figcaption>\n</figure>\n");
    }

    fn add(&mut self, open: &str, text: &str, close: &str) {
        self.body.push_str(open);
        self.body.push_str(&escaped(text));
        self.body.push_str(close);
    }

    /// The document.
    pub(crate) fn finish(self) -> String {
        let title = escaped(&self.title);
        let mut page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n".to_string();
        page.push_str("<meta charset=\"utf-8\"/>\n");
        page.push_str(
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n",
        );
        let _written = write!(page, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n");
        let _written = write!(page, "<body>\n<header>\n<h1>{title}</h1>\n");
        page.push_str("<nav aria-label=\"Contents\"><ul>\n");
        for (id, title) in &self.sections {
            let _written = writeln!(page, "<li><a href=\"#{id}\">{}</a></li>", escaped(title));
        }
        let end = if self.sections.is_empty() { "" } else { "</section>\n" };
        let _written = write!(page, "</ul></nav>\n</header>\n<main>\n{}{end}", self.body);
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }
}

/// Text that is safe in elements and attributes. Control characters become the replacement
/// character.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(letter),
            letter if letter.is_control() => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}

fn shortened(text: &str) -> String {
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("<a b=\"'&\u{1}\">"), "&lt;a b=&quot;&#39;&amp;\u{fffd}&quot;&gt;");
    }
}
