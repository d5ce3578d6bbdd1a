//! Rule: every kernel, closure rule, feature map and bound has a line in the tables of laws.
//!
//! A line names its type in quotes. The types are those that are public in certain folders, but for a few that are
//! points, parameters or parts of something else.

use syn::{Item, Visibility};

use super::rust_file::RustFile;
use super::text_file::TextFile;
use super::violation::Violation;

/// A folder whose public types must be in the tables of another folder.
struct Tables {
    sources: &'static str,
    tables: &'static str,
    /// Types without laws of their own.
    others: &'static [&'static str],
}

const TABLES: [Tables; 9] = [
    Tables {
        sources: "crates/kern-core/src/kernels/",
        tables: KERNELS,
        others: &["AttributedGraph", "Declaration", "Graph", "Tree", "words"],
    },
    Tables { sources: "crates/kern-core/src/closure/", tables: KERNELS, others: &[] },
    Tables { sources: "crates/kern-approx/src/bounds/", tables: MAPS, others: &[] },
    Tables {
        sources: "crates/kern-approx/src/additive.rs",
        tables: MAPS,
        others: &["SampledAdditive"],
    },
    Tables { sources: "crates/kern-approx/src/centred.rs", tables: MAPS, others: &[] },
    Tables {
        sources: "crates/kern-approx/src/random_maclaurin.rs",
        tables: MAPS,
        others: &["RandomMaclaurin"],
    },
    Tables { sources: "crates/kern-approx/src/fourier/", tables: MAPS, others: &["RandomFourier"] },
    Tables {
        sources: "crates/kern-approx/src/nystrom/",
        tables: MAPS,
        others: &["Nystrom", "NystromFit", "NystromGram", "NystromReport", "PivotedCholesky"],
    },
    Tables {
        sources: "crates/kern-approx/src/sketch/",
        tables: MAPS,
        others: &["SketchedTensor", "TensorSketch"],
    },
];

const KERNELS: &str = "crates/kern-core/tests/kernels/laws/";
const MAPS: &str = "crates/kern-approx/tests/maps/laws/";

/// Checks that the tables have a line for each type in the sources.
pub(crate) fn check(files: &[TextFile], sources: &[RustFile<'_>]) -> Vec<Violation> {
    let mut found = Vec::new();
    for Tables { sources: folder, tables, others } in &TABLES {
        let lines: Vec<&str> = files
            .iter()
            .filter(|file| file.path.starts_with(tables))
            .flat_map(|file| file.text.lines())
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        for file in sources.iter().filter(|file| file.path().starts_with(folder)) {
            for (line, name) in file.shipped.iter().filter_map(public_name) {
                let quoted = format!("\"{name}\"");
                if !others.contains(&name.as_str()) && !lines.iter().any(|l| l.contains(&quoted)) {
                    let message = format!("{name} has no line {quoted} in the tables of {tables}");
                    found.push(file.violation(line, message));
                }
            }
        }
    }
    found
}

/// The name of a public type or function. A function of a closure rule makes kernels, too.
fn public_name(item: &Item) -> Option<(usize, String)> {
    let (visibility, ident) = match item {
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Fn(item) => (&item.vis, &item.sig.ident),
        _ => return None,
    };
    let is_public = matches!(visibility, Visibility::Public(_));
    is_public.then(|| (ident.span().start().line, ident.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: (&str, &str), table: (&str, &str)) -> Vec<String> {
        let files = [TextFile::new(source.0, source.1), TextFile::new(table.0, table.1)];
        let sources = [RustFile::parse(&files[0]).unwrap()];
        check(&files, &sources).into_iter().map(|violation| violation.message).collect()
    }

    const RBF: (&str, &str) = (
        "crates/kern-core/src/kernels/vectors/rbf.rs",
        "//! R.\npub struct Rbf {\n    gamma: f64,\n}\nstruct Part;\npub(crate) struct Inner;\n",
    );
    const TABLE: &str = "crates/kern-core/tests/kernels/laws/vectors.rs";

    #[test]
    fn a_kernel_without_a_line_is_noticed() {
        assert_eq!(found(RBF, (TABLE, "Line::new(\"Rbf\", r)\n")), [""; 0]);
        for table in ["", "Line::new(\"ArdRbf\", Rbf)\n", "    // \"Rbf\"\n"] {
            let found = found(RBF, (TABLE, table));
            assert_eq!(found.len(), 1);
            assert!(found[0].starts_with("Rbf has no line \"Rbf\" in the tables of"), "{found:?}");
        }
        // A line elsewhere is no line of the table.
        let elsewhere = "crates/kern-core/tests/kernels/contract.rs";
        assert_eq!(found(RBF, (elsewhere, "Line::new(\"Rbf\", r)\n")).len(), 1);
    }

    #[test]
    fn rules_bounds_and_maps_need_a_line_and_points_do_not() {
        let cases = [
            ("crates/kern-core/src/closure/a.rs", "pub fn tensor_product() {}\n", KERNELS, 1),
            ("crates/kern-core/src/kernels/trees/tree.rs", "pub struct Tree;\n", KERNELS, 0),
            ("crates/kern-core/src/points/row.rs", "pub struct Row;\n", KERNELS, 0),
            ("crates/kern-approx/src/bounds/uniform.rs", "pub struct Uniform;\n", MAPS, 1),
            ("crates/kern-approx/src/fourier/map.rs", "pub struct FourierMap;\n", MAPS, 1),
            ("crates/kern-approx/src/fourier/map.rs", "pub struct RandomFourier;\n", MAPS, 0),
        ];
        for (path, text, folder, count) in cases {
            let text = format!("//! A.\n{text}");
            assert_eq!(
                found((path, &text), (&format!("{folder}mod.rs"), "")).len(),
                count,
                "{path}"
            );
        }
    }
}
