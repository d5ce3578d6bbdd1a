//! The report that people read: one [`document::Document`], as a page and as Markdown.
//!
//! What a report says is decided in [`sections`], how it looks in [`html`] and [`markdown`]; pictures are
//! [`chart`]s and [`strip`]s, drawn as SVG whose colours follow the reader's scheme.

pub mod chart;
pub mod document;
pub mod html;
pub mod markdown;
pub mod number;
pub mod readme;
pub mod sections;
pub mod strip;

use crate::found::Report;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The style sheet of the page, and of pictures that stand alone.
const STYLE: &str = include_str!("style.css");

/// Writes `report.html`, `report.md` and `report.json` into a folder, which is made. Recorded runs are shown
/// beside it.
///
/// # Errors
/// If something cannot be written.
pub fn write(report: &Report, records: &[Report], folder: &Path) -> Result<()> {
    let document = sections::document(report, records);
    let put = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    put("report.html", html::page(&document))?;
    put("report.md", markdown::text(&document))?;
    report.write(&folder.join("report.json"))
}
