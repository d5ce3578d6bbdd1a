//! The section on the model and the data.

use super::case::Case;
use super::page::Page;
use kern_data::Kind;

/// The names of the files.
pub(crate) struct Files {
    pub(crate) model: String,
    pub(crate) data: String,
}

pub(crate) fn add(page: &mut Page, case: &Case<'_>, files: &Files, notes: &[kern_data::Note]) {
    let Case { model, table, .. } = case;
    page.section("model", "Model and data");
    let of_kind = |test: fn(&Kind) -> bool| {
        model.schema().fields.iter().filter(|field| test(&field.kind)).count()
    };
    let kinds = [
        (of_kind(|kind| matches!(kind, Kind::Number)), "numbers"),
        (of_kind(|kind| matches!(kind, Kind::Category { .. })), "categories"),
        (of_kind(|kind| matches!(kind, Kind::Text)), "text"),
        (of_kind(|kind| matches!(kind, Kind::Instant | Kind::Duration)), "times"),
    ];
    let kinds = kinds.iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(count, name)| format!("{name}: {count}")).collect();
    let columns = format!("{} ({})", model.schema().fields.len(), kinds.join(", "));
    let fact = |name: &str, value: &str| vec![name.to_string(), value.to_string()];
    let facts = [
        fact("model", &files.model),
        fact("data", &files.data),
        fact("task", model.task()),
        fact("target", case.target()),
        fact("method", model.method()),
        fact("rows of this data", &table.len().to_string()),
        fact("training rows", &model.rows().to_string()),
        fact("columns", &columns),
    ];
    page.table("Model and data", &[""; 0], &facts);
    page.paragraph(&format!("Kernel: {}", model.kernel()));
    page.paragraph(&format!("Fit: {}", model.report()));
    let of_model = model.notes().iter().map(|note| format!("model: {note}"));
    let notes: Vec<String> =
        of_model.chain(notes.iter().map(|note| format!("data: {note}"))).collect();
    if !notes.is_empty() {
        page.heading("Notes");
        page.list(&notes);
    }
}
