//! A page about a model and its predictions for rows with targets. Each section is a file.

mod case;
mod classes;
mod contest;
mod dependence;
mod format;
mod grid;
mod importance;
mod overview;
mod page;
mod sample;
mod score;
mod style;
mod values;
mod worst;

pub(crate) use case::Case;
pub(crate) use overview::Files;

use anyhow::Result;
use page::Page;

/// The HTML document.
pub(crate) fn html(case: &Case<'_>, files: &Files, notes: &[kern_data::Note]) -> Result<String> {
    let mut page = Page::new(&format!("{} on {}", files.model, files.data));
    overview::add(&mut page, case, files, notes);
    score::add(&mut page, case);
    classes::add(&mut page, case)?;
    values::add(&mut page, case)?;
    contest::add(&mut page, case)?;
    let importance = importance::of(case)?;
    importance::add(&mut page, case, importance.as_ref())?;
    dependence::add(&mut page, case, importance.as_ref())?;
    worst::add(&mut page, case, importance.as_ref())?;
    Ok(page.finish())
}
