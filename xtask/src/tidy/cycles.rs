//! Rule: the top-level modules of a crate do not import each other in a circle.
//!
//! An import is a path from the root of the crate in code that is not for tests. A name that the
//! root re-exports, and an exported macro, stand for the module that they come from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::imports::{exported_macros, imports, re_exports};
use super::rust_file::RustFile;
use super::violation::Violation;

/// The imports of each module, with the first place where each was seen.
type Graph = BTreeMap<String, BTreeMap<String, Witness>>;

#[derive(Clone, Debug)]
struct Witness {
    path: String,
    line: usize,
}

/// Checks all crates among the files.
pub(crate) fn check(files: &[RustFile<'_>]) -> Vec<Violation> {
    let roots: BTreeSet<&str> = files.iter().filter_map(|file| root_folder(file.path())).collect();
    roots.into_iter().flat_map(|root| check_crate(root, files)).collect()
}

/// The folder of the crate whose root the file is.
fn root_folder(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    let is_root = folder.ends_with("src") && matches!(name, "lib.rs" | "main.rs");
    is_root.then_some(folder)
}

fn check_crate(root: &str, files: &[RustFile<'_>]) -> Vec<Violation> {
    let graph = graph_of(root, files);
    circles(&graph).iter().filter_map(|circle| violation(&graph, circle)).collect()
}

fn graph_of(root: &str, files: &[RustFile<'_>]) -> Graph {
    let mut graph = Graph::new();
    let mut origins = BTreeMap::new();
    for file in files {
        match module_path(root, file.path()).as_deref() {
            Some([]) => origins.extend(re_exports(file)),
            Some([module, ..]) => {
                graph.entry((*module).to_owned()).or_default();
                let macros = exported_macros(file).into_iter();
                origins.extend(macros.map(|name| (name, (*module).to_owned())));
            }
            None => {}
        }
    }
    for file in files {
        let Some(path) = module_path(root, file.path()) else { continue };
        let Some(module) = path.first() else { continue };
        for import in imports(file, path.len()) {
            let target = origins.get(&import.name).unwrap_or(&import.name);
            if target != module && graph.contains_key(target) {
                let witness = Witness { path: file.path().to_owned(), line: import.line };
                let edges = graph.entry((*module).to_owned()).or_default();
                edges.entry(target.clone()).or_insert(witness);
            }
        }
    }
    graph
}

/// The modules that lead to a file, outermost first; none for the root, nothing for other crates.
fn module_path<'a>(root: &str, path: &'a str) -> Option<Vec<&'a str>> {
    let inner = path.strip_prefix(root)?.strip_prefix('/')?.strip_suffix(".rs")?;
    // Each program is a crate of its own.
    if inner.starts_with("bin/") {
        return None;
    }
    let mut names: Vec<&str> = inner.split('/').collect();
    if matches!(names.last(), Some(&("mod" | "lib" | "main"))) {
        names.pop();
    }
    Some(names)
}

/// For each import that is part of a circle the shortest one, each circle once.
fn circles(graph: &Graph) -> BTreeSet<Vec<String>> {
    let edges = graph.iter().flat_map(|(from, to)| to.keys().map(move |to| (from, to)));
    edges.filter_map(|(from, to)| way(graph, to, from)).map(from_the_smallest).collect()
}

/// A shortest way from one module to another.
fn way(graph: &Graph, from: &str, to: &str) -> Option<Vec<String>> {
    let mut queue = VecDeque::from([vec![from.to_owned()]]);
    let mut seen = BTreeSet::from([from.to_owned()]);
    while let Some(way) = queue.pop_front() {
        let last = way.last()?;
        if last == to {
            return Some(way);
        }
        for next in graph.get(last).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(next.clone()) {
                queue.push_back(way.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}

fn from_the_smallest(mut circle: Vec<String>) -> Vec<String> {
    let start = (0..circle.len()).min_by_key(|&i| &circle[i]).unwrap_or(0);
    circle.rotate_left(start);
    circle
}

fn violation(graph: &Graph, circle: &[String]) -> Option<Violation> {
    let next = circle.iter().cycle().skip(1);
    let mut steps = circle.iter().zip(next).map(|(from, to)| (to, &graph[from][to]));
    let (second, first) = steps.next()?;
    let mut message = format!("a circle of modules: `{}` imports `{second}`", circle.first()?);
    for (to, witness) in steps {
        message += &format!(", which imports `{to}` ({}:{})", witness.path, witness.line);
    }
    Some(Violation::new(&first.path, first.line, message))
}

#[cfg(test)]
mod tests {
    use super::super::text_file::TextFile;
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, usize, String)> {
        let sources: Vec<TextFile> =
            files.iter().map(|(path, text)| TextFile::new(*path, *text)).collect();
        let files: Vec<RustFile<'_>> =
            sources.iter().map(|source| RustFile::parse(source).unwrap()).collect();
        check(&files).into_iter().map(|v| (v.path, v.line, v.message)).collect()
    }

    #[test]
    fn a_circle_has_a_witness_for_each_import() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b; mod c; pub use c::Name; use a::A;"),
            ("x/src/a.rs", "//! A.\nuse crate::b::B;"),
            ("x/src/b/mod.rs", "mod inner;"),
            ("x/src/b/inner.rs", "use super::super::Name;"),
            ("x/src/c.rs", "#[cfg(test)] mod tests { use crate::b::B; }\nuse super::a::A;"),
        ];
        let message = "a circle of modules: `a` imports `b`, which imports `c` \
                       (x/src/b/inner.rs:1), which imports `a` (x/src/c.rs:2)";
        assert_eq!(found(&files), [("x/src/a.rs".to_owned(), 2, message.to_owned())]);
    }

    #[test]
    fn an_exported_macro_belongs_to_its_module() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b;"),
            ("x/src/a.rs", "#[macro_export] macro_rules! m { () => { $crate::b::B } }"),
            ("x/src/b.rs", "crate::m!();"),
        ];
        assert_eq!(found(&files).len(), 1);
    }

    #[test]
    fn every_import_in_a_circle_is_in_a_reported_one() {
        let files = [
            ("x/src/lib.rs", ""),
            ("x/src/a.rs", "use crate::{b, c};"),
            ("x/src/b.rs", "use crate::a;"),
            ("x/src/c.rs", "use crate::{b, d};"),
            ("x/src/d.rs", ""),
        ];
        let messages: Vec<String> = found(&files).into_iter().map(|found| found.2).collect();
        assert_eq!(messages.len(), 2);
        assert!(messages[0].contains("`a` imports `b`, which imports `a`"), "{messages:?}");
        assert!(messages[1].contains("`a` imports `c`, which imports `b`"), "{messages:?}");
    }

    #[test]
    fn a_module_may_import_itself_other_crates_and_what_lies_below() {
        let files = [
            ("x/src/lib.rs", ""),
            ("x/src/a.rs", "use crate::a::inner; use other::b; use super::b::B;"),
            ("x/src/b.rs", "use self::a::A;"),
            ("x/src/bin/b.rs", "use crate::a;"),
            ("y/src/lib.rs", ""),
            ("y/src/b.rs", "use crate::a;"),
        ];
        assert_eq!(found(&files), []);
    }
}
