//! The paths from the root of a crate that a file names: `crate::a`, `super::a`, `"crate::a"`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, UseTree};

use super::rust_file::RustFile;
use super::tokens::{ident, is_punct, line};

/// The first name of a path from the root of the crate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// The imports of the shipped code of a file, whose module lies `depth` levels below the root.
pub(crate) fn imports(file: &RustFile<'_>, depth: usize) -> Vec<Import> {
    let mut found = Vec::new();
    for item in &file.shipped {
        read(item.to_token_stream(), depth, &mut found);
    }
    found
}

/// The names that the root of a crate takes from its modules, each with its module.
pub(crate) fn re_exports(root: &RustFile<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for item in &root.shipped {
        if let Item::Use(item) = item {
            names(&item.tree, None, &mut found);
        }
    }
    found
}

/// The names of the macros that a file exports, which puts them into the root of its crate.
pub(crate) fn exported_macros(file: &RustFile<'_>) -> Vec<String> {
    let macros = file.shipped.iter().filter_map(|item| match item {
        Item::Macro(item) => Some(item),
        _ => None,
    });
    let exported =
        macros.filter(|item| item.attrs.iter().any(|attr| attr.path().is_ident("macro_export")));
    exported.filter_map(|item| Some(item.ident.as_ref()?.to_string())).collect()
}

fn read(stream: TokenStream, depth: usize, found: &mut Vec<Import>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (i, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let is_module = i >= 2 && ident(&trees[i - 2..]).as_deref() == Some("mod");
                read(group.stream(), depth + usize::from(is_module), found);
            }
            TokenTree::Ident(name) if name == "crate" => heads(&trees[i + 1..], found),
            TokenTree::Ident(name) if name == "super" && !follows_path(&trees[..i]) => {
                let (levels, tail) = climb(&trees[i..]);
                if levels == depth {
                    heads(tail, found);
                }
            }
            TokenTree::Literal(literal) => {
                // Attributes of serde name modules in strings.
                let text = literal.to_string();
                if let Some(path) = text.strip_prefix("\"crate::") {
                    let name = path.split([':', '"']).next().unwrap_or_default().to_owned();
                    found.push(Import { name, line: line(&trees[i..]) });
                }
            }
            _ => {}
        }
    }
}

/// Reads `::name` or `::{name, …}` at the start of the tokens.
fn heads(tokens: &[TokenTree], found: &mut Vec<Import>) {
    let Some(tail) = after_colons(tokens) else { return };
    let mut push = |tokens: &[TokenTree]| {
        found.extend(ident(tokens).map(|name| Import { name, line: line(tokens) }));
    };
    if let Some(TokenTree::Group(group)) = tail.first() {
        let trees: Vec<TokenTree> = group.stream().into_iter().collect();
        trees.split(|tree| is_punct(std::slice::from_ref(tree), ',')).for_each(push);
    } else {
        push(tail);
    }
}

/// Skips `super::super` and counts it.
fn climb(mut tokens: &[TokenTree]) -> (usize, &[TokenTree]) {
    let mut levels = 0;
    while ident(tokens).as_deref() == Some("super") {
        levels += 1;
        match after_colons(&tokens[1..]) {
            Some(tail) if ident(tail).as_deref() == Some("super") => tokens = tail,
            _ => tokens = &tokens[1..],
        }
    }
    (levels, tokens)
}

fn after_colons(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    let is_path = is_punct(tokens, ':') && is_punct(tokens.get(1..)?, ':');
    is_path.then(|| tokens.get(2..)).flatten()
}

fn follows_path(before: &[TokenTree]) -> bool {
    before.len() >= 2 && after_colons(&before[before.len() - 2..]).is_some()
}

/// The names that a `use` brings in, with the first segment of their path.
fn names(tree: &UseTree, module: Option<&str>, found: &mut Vec<(String, String)>) {
    let mut push = |name: String| found.extend(module.map(|module| (name, module.to_owned())));
    match tree {
        UseTree::Path(path) if path.ident == "crate" || path.ident == "self" => {
            names(&path.tree, module, found);
        }
        UseTree::Path(path) => {
            let first = path.ident.to_string();
            names(&path.tree, Some(module.unwrap_or(&first)), found);
        }
        UseTree::Name(name) => push(name.ident.to_string()),
        UseTree::Rename(rename) => push(rename.rename.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, module, found)),
        // `*`, and what the syntax may yet bring: names that are not in sight.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_file::TextFile;
    use super::*;

    fn found(depth: usize, text: &str) -> Vec<(String, usize)> {
        let source = TextFile::new("crates/a/src/b.rs", text);
        let file = RustFile::parse(&source).unwrap();
        imports(&file, depth).into_iter().map(|import| (import.name, import.line)).collect()
    }

    fn is_found(depth: usize, text: &str, expected: &[(&str, usize)]) {
        let expected: Vec<_> =
            expected.iter().map(|(name, line)| ((*name).to_owned(), *line)).collect();
        assert_eq!(found(depth, text), expected, "{text}");
    }

    #[test]
    fn paths_from_the_root_are_found_everywhere() {
        is_found(1, "use crate::x::Y;", &[("x", 1)]);
        is_found(1, "use crate::{x::{Y, Z}, w};", &[("x", 1), ("w", 1)]);
        is_found(1, "fn f(a: crate::x::Y) {\n crate::z::g::<A>() }", &[("x", 1), ("z", 2)]);
        is_found(1, "fn f() { vec![crate::x::Y] }", &[("x", 1)]);
        is_found(1, "macro_rules! m { () => { $crate::x::Y } }", &[("x", 1)]);
        is_found(1, "struct S { #[serde(with = \"crate::x\")] a: u8 }", &[("x", 1)]);
    }

    #[test]
    fn super_counts_from_the_module() {
        is_found(1, "use super::x::Y;", &[("x", 1)]);
        is_found(2, "use super::x::Y;", &[]);
        is_found(2, "use super::super::{x, y};", &[("x", 1), ("y", 1)]);
        is_found(1, "mod inner { use super::x; use super::super::y; }", &[("y", 1)]);
    }

    #[test]
    fn other_crates_docs_and_tests_are_no_imports() {
        is_found(1, "/// See [`crate::x`].\nuse other::x::Y; use self::z::A; fn x() {}", &[]);
        is_found(1, "#[cfg(test)] mod tests { use crate::x; }", &[]);
    }

    #[test]
    fn names_of_the_root_have_an_origin() {
        let text = "pub use a::{B, c::D as E}; use self::f::G; pub use faer; pub use h::*;";
        let source = TextFile::new("crates/a/src/lib.rs", text);
        let root = RustFile::parse(&source).unwrap();
        let pair = |name: &str, module: &str| (name.to_owned(), module.to_owned());
        assert_eq!(re_exports(&root), [pair("B", "a"), pair("E", "a"), pair("G", "f")]);
    }

    #[test]
    fn exported_macros_are_names_of_the_root() {
        let text = "#[macro_export] macro_rules! m { () => {} } macro_rules! n { () => {} }";
        let source = TextFile::new("crates/a/src/b.rs", text);
        assert_eq!(exported_macros(&RustFile::parse(&source).unwrap()), ["m"]);
    }
}
