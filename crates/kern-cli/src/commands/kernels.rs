//! `kern kernels`.

use crate::files;
use anyhow::Result;
use clap::Args;
use kern_core::{FamilyParameter, KernelFamily, KernelSpec};
use serde_json::json;
use std::io::Write;

/// Options of `kern kernels`.
#[derive(Debug, Args)]
pub(crate) struct Kernels {
    /// Write a JSON array
    #[arg(long)]
    json: bool,
}

impl Kernels {
    pub(crate) fn run(self) -> Result<()> {
        let families = KernelSpec::families();
        let mut output = files::writer(None)?;
        if self.json {
            let values: Vec<_> = families.iter().map(value).collect();
            return files::json(&mut output, &json!(values));
        }
        for family in &families {
            let parameters: Vec<String> = family.parameters.iter().map(parameter).collect();
            let mercer = if family.is_mercer { "" } else { "  (not positive semi-definite)" };
            writeln!(
                output,
                "{:22} {:18} {}{mercer}",
                family.name,
                points(family),
                parameters.join(", ")
            )?;
        }
        writeln!(
            output,
            "\nFormulas: 2*rbf(gamma=0.5) + poly(degree=2)^2 * linear, exp(k), normalized(k), assume_mercer(k)"
        )?;
        Ok(output.flush()?)
    }
}

fn points(family: &KernelFamily) -> &'static str {
    match (family.on_vectors, family.on_strings) {
        (true, true) => "numbers, text",
        (true, false) => "numbers",
        (false, true) if family.name.starts_with("hamming") => "categories, text",
        _ => "text",
    }
}

fn parameter(parameter: &FamilyParameter) -> String {
    let default = parameter.default.as_ref().map(|value| format!("={value}"));
    format!("{}{} ({})", parameter.name, default.unwrap_or_default(), parameter.domain)
}

fn value(family: &KernelFamily) -> serde_json::Value {
    let parameters: Vec<_> = family
        .parameters
        .iter()
        .map(|p| {
            json!({
                "name": p.name, "allowed": p.domain.to_string(),
                "default": p.default.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    json!({
        "name": family.name, "points": points(family), "mercer": family.is_mercer,
        "parameters": parameters,
    })
}
