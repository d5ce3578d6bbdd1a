//! Rule: a crate imports only from the layers below it, and a tool from these and its own parts.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

use super::violation::Violation;

/// The crates under `crates/`, lowest first.
pub(crate) const LAYERS: [&str; 9] = [
    "kern-macros",
    "kern-core",
    "kern-gram",
    "kern-approx",
    "kern-solvers",
    "kern-data",
    "kern-table",
    "kern",
    "kern-cli",
];

/// The crates whose documentation has an example. That of the attribute in kern-macros, which writes paths of kern-core, is
/// in kern-core.
pub(crate) const DOCUMENTED: &[&str] = LAYERS.split_at(1).1;

/// A package of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    name: String,
    /// Path of `Cargo.toml` from the root of the workspace.
    manifest: String,
    /// Packages named under any kind of dependencies, with the line.
    dependencies: Vec<(String, usize)>,
}

impl Package {
    /// Tells whether `other` lies in the folder of this one: then it is a part of it.
    fn holds(&self, other: &Package) -> bool {
        let folder = self.manifest.strip_suffix("Cargo.toml").filter(|folder| !folder.is_empty());
        let is_below = |folder| other.name != self.name && other.manifest.starts_with(folder);
        folder.is_some_and(is_below)
    }
}

/// Asks cargo for the packages of the workspace.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>> {
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("`cargo metadata` failed")?;
    let package = |package: &cargo_metadata::Package| {
        let manifest = package.manifest_path.strip_prefix(&metadata.workspace_root)?;
        let text = fs::read_to_string(&package.manifest_path)?;
        let located = |name: &str| (name.to_owned(), line_of(&text, name));
        Ok(Package {
            name: package.name.to_string(),
            manifest: manifest.to_string(),
            dependencies: package.dependencies.iter().map(|d| located(&d.name)).collect(),
        })
    };
    metadata.packages.iter().map(package).collect()
}

/// Checks that every dependency within the workspace points down.
pub(crate) fn check(packages: &[Package]) -> Vec<Violation> {
    packages.iter().flat_map(|package| check_package(package, packages)).collect()
}

fn check_package(package: &Package, packages: &[Package]) -> Vec<Violation> {
    let layer = layer_of(&package.name).or_else(|| layer_of_part(package, packages));
    let in_crates = package.manifest.starts_with("crates/");
    if in_crates && layer.is_none() {
        let message = format!(
            "`{}` has no layer; add it to LAYERS in xtask/src/tidy/layers.rs",
            package.name
        );
        return vec![Violation::new(&package.manifest, 1, message)];
    }
    let member = |name: &str| packages.iter().find(|other| other.name == name);
    let is_bound = |name: &str| member(name).is_some_and(|other| !package.holds(other));
    let mut found = Vec::new();
    for (name, line) in package.dependencies.iter().filter(|(name, _)| is_bound(name)) {
        let message = match (layer_of(name), layer) {
            (None, _) => format!("`{name}` is a tool of the workspace: nothing depends on it"),
            (Some(below), Some(layer)) if below >= layer => {
                format!("`{}` may not depend on `{name}`: only on {}", package.name, allowed(layer))
            }
            _ => continue,
        };
        found.push(Violation::new(&package.manifest, *line, message));
    }
    found
}

/// A package in the folder of a crate stands above that crate and below the next.
fn layer_of_part(package: &Package, packages: &[Package]) -> Option<usize> {
    let owner = packages.iter().find(|other| other.holds(package))?;
    layer_of(&owner.name).map(|layer| layer + 1)
}

fn layer_of(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == name)
}

fn allowed(layer: usize) -> String {
    if layer == 0 { "crates outside the workspace".to_owned() } else { LAYERS[..layer].join(", ") }
}

/// The line of a manifest on which `dependency` is named; 1 if it goes by another name there.
fn line_of(manifest: &str, dependency: &str) -> usize {
    let names = |line: &str| {
        let tail = line.trim_start().strip_prefix(dependency);
        tail.is_some_and(|tail| tail.starts_with(['.', ' ', '=']))
    };
    manifest.lines().position(names).map_or(1, |i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, folder: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            manifest: format!("{folder}/Cargo.toml"),
            dependencies: dependencies.iter().map(|name| ((*name).to_owned(), 7)).collect(),
        }
    }

    fn messages(packages: &[Package]) -> Vec<String> {
        check(packages).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn downwards_and_tools_are_fine() {
        let packages = [
            package("kern-core", "crates/kern-core", &["faer"]),
            package("kern-gram", "crates/kern-gram", &["kern-core", "rayon"]),
            package("kern", "crates/kern", &["kern-core", "kern-gram"]),
            package("kern-benches", "benches", &["kern", "kern-core"]),
            package("xtask", "xtask", &["syn"]),
        ];
        assert_eq!(messages(&packages), [""; 0]);
    }

    #[test]
    fn upwards_is_not() {
        let packages = [
            package("kern-macros", "crates/kern-macros", &["kern-core"]),
            package("kern-core", "crates/kern-core", &["kern-core", "kern-macros"]),
            package("kern-gram", "crates/kern-gram", &["kern-core", "kern-gram"]),
        ];
        assert_eq!(
            messages(&packages),
            [
                "crates/kern-macros/Cargo.toml:7: `kern-macros` may not depend on `kern-core`: only on \
                 crates outside the workspace",
                "crates/kern-core/Cargo.toml:7: `kern-core` may not depend on `kern-core`: only on \
                 kern-macros",
                "crates/kern-gram/Cargo.toml:7: `kern-gram` may not depend on `kern-gram`: only on \
                 kern-macros, kern-core",
            ]
        );
    }

    #[test]
    fn tools_are_not_for_use_and_new_crates_need_a_layer() {
        let packages = [
            package("kern-core", "crates/kern-core", &["xtask"]),
            package("kern-extra", "crates/kern-extra", &[]),
            package("xtask", "xtask", &[]),
            package("kern-examples", "examples", &["xtask"]),
        ];
        let found = messages(&packages);
        assert_eq!(found.len(), 3);
        assert!(found[0].contains("`xtask` is a tool"));
        assert!(found[1].contains("`kern-extra` has no layer"));
        assert!(found[2].starts_with("examples/Cargo.toml:7: `xtask` is a tool"));
    }

    #[test]
    fn a_part_of_a_tool_is_for_that_tool_only() {
        let packages = [
            package("kern-core", "crates/kern-core", &["kern-bench-kit"]),
            package("kern-bench-kit", "benches/kit", &["kern-core", "kern-benches"]),
            package("kern-benches", "benches", &["kern-bench-kit"]),
            package("kern-examples", "examples", &["kern-bench-kit"]),
        ];
        let found = messages(&packages);
        let places = ["crates/kern-core", "benches/kit", "examples"];
        assert_eq!(found.len(), places.len(), "{found:?}");
        for (message, place) in found.iter().zip(places) {
            assert!(message.starts_with(&format!("{place}/Cargo.toml:7: ")), "{message}");
            assert!(message.ends_with("is a tool of the workspace: nothing depends on it"));
        }
    }

    #[test]
    fn a_part_of_a_crate_stands_above_it() {
        let part = |dependencies| package("kern-gram-laws", "crates/kern-gram/laws", dependencies);
        let packages = |part| {
            let core = package("kern-core", "crates/kern-core", &[]);
            let gram = package("kern-gram", "crates/kern-gram", &["kern-core"]);
            [core, gram, package("kern-approx", "crates/kern-approx", &["kern-gram"]), part]
        };
        assert_eq!(messages(&packages(part(&["kern-core", "kern-gram"]))), [""; 0]);
        let found = messages(&packages(part(&["kern-approx"])));
        assert!(
            found.len() == 1 && found[0].contains("may not depend on `kern-approx`"),
            "{found:?}"
        );
    }

    #[test]
    fn cargo_knows_the_packages_and_all_kinds_of_dependencies() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let packages = packages(root).unwrap();
        let gram = packages.iter().find(|package| package.name == "kern-gram").unwrap();
        assert_eq!(gram.manifest, "crates/kern-gram/Cargo.toml");
        for (dependency, kind) in [("kern-core", "normal"), ("proptest", "dev")] {
            let found = gram.dependencies.iter().find(|(name, _)| name == dependency);
            assert!(found.is_some_and(|(_, line)| *line > 1), "{kind}: {found:?}");
        }
    }

    #[test]
    fn the_line_is_that_of_the_whole_name() {
        let manifest = "[dependencies]\nkern-core.workspace = true\nkern = { path = \"x\" }\n";
        assert_eq!(line_of(manifest, "kern"), 3);
        assert_eq!(line_of(manifest, "kern-core"), 2);
        assert_eq!(line_of(manifest, "absent"), 1);
    }
}
