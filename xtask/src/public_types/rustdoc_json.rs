//! The items of other crates in the public signatures of a library, from rustdoc's JSON.
//!
//! rustdoc leaves out what is private or hidden. A path in a type or a bound is an object with the
//! keys `path` and `id`; the table `paths` has the crate of each id.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

/// The crates of the language, which are no third parties.
const LANGUAGE: [&str; 3] = ["alloc", "core", "std"];

/// The number of the crate that the document is about.
const DOCUMENTED: u64 = 0;

/// The kinds of items with children: the list that each must have, and those that it may have.
static CHILDREN: [(&str, &str, &[&str]); 6] = [
    ("module", "/items", &[]),
    ("struct", "/impls", &["/kind/plain/fields", "/kind/tuple"]),
    ("union", "/impls", &["/fields"]),
    ("enum", "/variants", &["/impls"]),
    ("variant", "/kind", &["/kind/tuple", "/kind/struct/fields"]),
    ("trait", "/items", &["/implementations"]),
];

/// How a library uses an item of another crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Usage {
    /// In a signature: of a function, a field, an alias, a bound.
    Signature,
    /// A trait that a type of the library implements.
    Implemented,
    /// A re-export.
    Reexport,
}

impl Usage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Signature => "signatures",
            Self::Implemented => "implemented",
            Self::Reexport => "re-exported",
        }
    }
}

/// The public places of each item of another crate, such as `faer::Mat`.
pub(super) type Found = BTreeMap<(String, Usage), BTreeSet<String>>;

/// Collects the items of other crates in `document`; `ours` are the crates of the library.
///
/// # Errors
/// An error that names what is missing, if the document is not what this reader expects.
pub(super) fn read(document: &Value, ours: &[String]) -> Result<Found> {
    let version = document.get("format_version").and_then(Value::as_u64);
    let version = version.context("expected a number `format_version`")?;
    collect(document, ours).with_context(|| format!("rustdoc's JSON of format {version}"))
}

fn collect(document: &Value, ours: &[String]) -> Result<Found> {
    let root = document.get("root").and_then(id).context("expected an id `root`")?;
    let mut walk = Walk {
        index: object(document, "index")?,
        paths: object(document, "paths")?,
        crates: object(document, "external_crates")?,
        ours,
        seen: BTreeSet::new(),
        resolved: 0,
        found: Found::new(),
    };
    walk.visit(&root, "")?;
    if walk.resolved == 0 {
        // Otherwise a document in another form would have no third parties.
        bail!("expected objects with `path` and `id` in signatures, found none");
    }
    Ok(walk.found)
}

fn object<'v>(value: &'v Value, key: &str) -> Result<&'v Map<String, Value>> {
    let found = value.get(key).and_then(Value::as_object);
    found.with_context(|| format!("expected an object `{key}`"))
}

/// An id as a key of the tables.
fn id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The ids in a list, without the `null`s of private fields.
fn ids(list: &Value) -> Vec<String> {
    list.as_array().map_or_else(Vec::new, |list| list.iter().filter_map(id).collect())
}

/// The kind of an item, and what belongs to the kind.
fn kind(item: &Value) -> Result<(&str, &Value)> {
    static NOTHING: Value = Value::Null;
    match item.get("inner") {
        Some(Value::Object(inner)) => {
            let (kind, inner) = inner.iter().next().context("expected a kind in `inner`")?;
            Ok((kind.as_str(), inner))
        }
        Some(Value::String(kind)) => Ok((kind.as_str(), &NOTHING)),
        _ => bail!("expected `inner` of an item"),
    }
}

/// The walk through the public items.
struct Walk<'d> {
    index: &'d Map<String, Value>,
    paths: &'d Map<String, Value>,
    crates: &'d Map<String, Value>,
    ours: &'d [String],
    seen: BTreeSet<String>,
    /// The number of references whose crate is known.
    resolved: usize,
    found: Found,
}

impl<'d> Walk<'d> {
    /// Visits an item and all below it; `parent` is the path to it.
    fn visit(&mut self, id: &str, parent: &str) -> Result<()> {
        let Some(item) = self.index.get(id) else { return Ok(()) };
        if !self.seen.insert(id.to_owned()) {
            return Ok(());
        }
        let number = item.get("crate_id").and_then(Value::as_u64);
        let number = number.context("expected a number `crate_id` of an item")?;
        let place = match item.get("name").and_then(Value::as_str) {
            Some(name) if parent.is_empty() => name.to_owned(),
            Some(name) => format!("{parent}::{name}"),
            None => parent.to_owned(),
        };
        if let Some(name) = self.third_party(number)? {
            // An item of another crate that rustdoc has copied to where it is re-exported.
            let last = item.get("name").and_then(Value::as_str).unwrap_or("*");
            self.add(format!("{name}::{last}"), Usage::Reexport, parent);
            return Ok(());
        }
        match kind(item)? {
            ("use", inner) => self.reexport(inner, parent),
            ("extern_crate", inner) => {
                let name = inner.get("name").and_then(Value::as_str);
                let name = name.context("expected the name of an `extern_crate`")?;
                self.add(name.to_owned(), Usage::Reexport, parent);
                Ok(())
            }
            ("impl", inner) => self.implementation(inner, parent),
            (kind, inner) => {
                self.signature(inner, &place)?;
                self.children(kind, inner, &place)
            }
        }
    }

    fn children(&mut self, kind: &str, inner: &Value, place: &str) -> Result<()> {
        let Some((_, required, optional)) = CHILDREN.iter().find(|(name, ..)| *name == kind) else {
            return Ok(());
        };
        let first = inner.pointer(required);
        let first = first.with_context(|| format!("expected `{required}` of a `{kind}`"))?;
        let others = optional.iter().filter_map(|list| inner.pointer(list));
        for child in std::iter::once(first).chain(others).flat_map(ids) {
            self.visit(&child, place)?;
        }
        Ok(())
    }

    fn reexport(&mut self, inner: &Value, parent: &str) -> Result<()> {
        let source = inner.get("source").and_then(Value::as_str);
        let source = source.context("expected `source` of a `use`")?;
        let target = inner.get("id").and_then(id);
        if let Some(target) = target.as_ref().filter(|target| self.index.contains_key(*target)) {
            return self.visit_target(target, inner, parent);
        }
        let name = match target.filter(|target| self.paths.contains_key(target)) {
            Some(target) => self.resolve(&target)?,
            // The root of a crate may have no entry.
            None => source.split("::").find(|part| !part.is_empty()).map(str::to_owned),
        };
        let is_foreign = |name: &String| {
            let first = name.split("::").next().unwrap_or(name);
            !self.is_known(first) && !["crate", "self", "super"].contains(&first)
        };
        if let Some(name) = name.filter(is_foreign) {
            self.add(name, Usage::Reexport, parent);
        }
        Ok(())
    }

    /// Visits what a `use` names; a glob has all items of a module in the place of the `use`.
    fn visit_target(&mut self, target: &str, inner: &Value, parent: &str) -> Result<()> {
        let is_glob = inner.get("is_glob").and_then(Value::as_bool);
        if !is_glob.context("expected `is_glob` of a `use`")? {
            return self.visit(target, parent);
        }
        let Some(item) = self.index.get(target) else { return Ok(()) };
        let (kind, inner) = kind(item)?;
        self.children(kind, inner, parent)
    }

    /// An implementation: the methods of a type, or a trait of which only the types count.
    fn implementation(&mut self, inner: &Value, place: &str) -> Result<()> {
        let synthetic = inner.get("is_synthetic").and_then(Value::as_bool);
        let synthetic = synthetic.context("expected `is_synthetic` of an `impl`")?;
        let blanket = inner.get("blanket_impl").context("expected `blanket_impl` of an `impl`")?;
        if synthetic || !blanket.is_null() {
            return Ok(());
        }
        let of = inner.get("trait").context("expected `trait` of an `impl`")?;
        let items = ids(inner.get("items").context("expected `items` of an `impl`")?);
        self.signature(inner.get("for").context("expected `for` of an `impl`")?, place)?;
        self.signature(inner.get("generics").context("expected `generics` of an `impl`")?, place)?;
        if of.is_null() {
            return items.iter().try_for_each(|item| self.visit(item, place));
        }
        let of_id = of.get("id").and_then(id).context("expected `id` of a trait")?;
        if let Some(name) = self.resolve(&of_id)? {
            self.add(name, Usage::Implemented, place);
        }
        if let Some(args) = of.get("args") {
            self.signature(args, place)?;
        }
        let index = self.index;
        for item in items.iter().filter_map(|item| index.get(item)) {
            if let ("assoc_type", inner) = kind(item)? {
                self.signature(inner, place)?;
            }
        }
        Ok(())
    }

    /// Adds every path in a type, a bound or a list of them.
    fn signature(&mut self, value: &Value, place: &str) -> Result<()> {
        match value {
            Value::Array(list) => list.iter().try_for_each(|value| self.signature(value, place)),
            Value::Object(fields) => {
                if let (Some(Value::String(_)), Some(id)) =
                    (fields.get("path"), fields.get("id").and_then(id))
                    && let Some(name) = self.resolve(&id)?
                {
                    self.add(name, Usage::Signature, place);
                }
                fields.values().try_for_each(|value| self.signature(value, place))
            }
            _ => Ok(()),
        }
    }

    /// The crate and the name of an item, if it is a third party's. Private items of the
    /// documented crate have no entry.
    fn resolve(&mut self, id: &str) -> Result<Option<String>> {
        let Some(summary) = self.paths.get(id) else { return Ok(None) };
        self.resolved += 1;
        let number = summary.get("crate_id").and_then(Value::as_u64);
        let number = number.context("expected a number `crate_id` in `paths`")?;
        let path = summary.get("path").and_then(Value::as_array);
        let path = path.context("expected a list `path` in `paths`")?;
        let Some(name) = self.third_party(number)? else { return Ok(None) };
        Ok(Some(match path.as_slice() {
            [_, .., last] => {
                let last = last.as_str().context("expected texts in a `path`")?;
                format!("{name}::{last}")
            }
            _ => name.to_owned(),
        }))
    }

    /// The name of a crate, if it is a third party.
    fn third_party(&self, number: u64) -> Result<Option<&'d str>> {
        if number == DOCUMENTED {
            return Ok(None);
        }
        let entry = self.crates.get(&number.to_string());
        let name = entry.and_then(|entry| entry.get("name")).and_then(Value::as_str);
        let name = name.with_context(|| format!("expected crate {number} in `external_crates`"))?;
        Ok(Some(name).filter(|name| !self.is_known(name)))
    }

    fn is_known(&self, name: &str) -> bool {
        LANGUAGE.contains(&name) || self.ours.iter().any(|own| own == name)
    }

    fn add(&mut self, item: String, usage: Usage, place: &str) {
        self.found.entry((item, usage)).or_default().insert(place.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A crate `ours` with `pub fn product(m: &Mat) -> Option<()>`, a struct that implements
    /// `Serialize`, and `pub use rand;`.
    fn document() -> Value {
        let public = |name: Option<&str>, inner: Value| json!({ "crate_id": 0, "name": name, "inner": inner });
        json!({
            "format_version": 57,
            "root": 0,
            "index": {
                "0": public(Some("ours"), json!({ "module": { "items": [1, 2, 5] } })),
                "1": public(Some("product"), json!({ "function": { "sig": {
                    "inputs": [["m", { "borrowed_ref": { "type": {
                        "resolved_path": { "path": "Mat", "id": 10, "args": null },
                    } } }]],
                    "output": { "resolved_path": { "path": "Option", "id": 11, "args": null } },
                } } })),
                "2": public(Some("Model"), json!({ "struct": {
                    "kind": { "plain": { "fields": [3] } },
                    "impls": [4, 6],
                } })),
                "3": public(Some("weights"), json!({ "struct_field": {
                    "resolved_path": { "path": "faer::Mat", "id": 10, "args": null },
                } })),
                "4": public(None, json!({ "impl": {
                    "is_synthetic": false, "blanket_impl": null, "items": [], "generics": {},
                    "trait": { "path": "Serialize", "id": 12, "args": null },
                    "for": { "resolved_path": { "path": "Model", "id": 2, "args": null } },
                } })),
                "5": public(None, json!({ "use": {
                    "source": "rand", "name": "rand", "id": 13, "is_glob": false,
                } })),
                "6": public(None, json!({ "impl": {
                    "is_synthetic": false, "blanket_impl": { "generic": "T" },
                    "items": [], "generics": {},
                    "trait": { "path": "Pointable", "id": 14, "args": null },
                    "for": { "resolved_path": { "path": "Model", "id": 2, "args": null } },
                } })),
            },
            "paths": {
                "2": { "crate_id": 0, "path": ["ours", "Model"] },
                "10": { "crate_id": 1, "path": ["faer", "mat", "Mat"] },
                "11": { "crate_id": 2, "path": ["core", "option", "Option"] },
                "12": { "crate_id": 3, "path": ["serde_core", "ser", "Serialize"] },
                "13": { "crate_id": 4, "path": ["rand"] },
                "14": { "crate_id": 1, "path": ["faer", "Pointable"] },
            },
            "external_crates": {
                "1": { "name": "faer" },
                "2": { "name": "core" },
                "3": { "name": "serde_core" },
                "4": { "name": "rand" },
            },
        })
    }

    #[test]
    fn items_of_others_are_found() {
        let found = read(&document(), &["ours".to_owned()]).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|((item, usage), places)| (item.as_str(), *usage, places.len()))
            .collect();
        let expected = [
            ("faer::Mat", Usage::Signature, 2),
            ("rand", Usage::Reexport, 1),
            ("serde_core::Serialize", Usage::Implemented, 1),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn crates_of_the_library_are_none_of_others() {
        let ours = ["ours", "faer", "rand", "serde_core"].map(str::to_owned);
        assert!(read(&document(), &ours).unwrap().is_empty());
    }

    #[test]
    fn an_unknown_form_is_refused_with_what_was_expected() {
        for key in ["format_version", "root", "index", "paths", "external_crates"] {
            let mut document = document();
            document.as_object_mut().unwrap().remove(key);
            let error = format!("{:#}", read(&document, &[]).unwrap_err());
            assert!(error.contains(&format!("`{key}`")), "{error}");
        }
        let mut empty = document();
        empty["index"]["0"]["inner"]["module"]["items"] = json!([]);
        let error = format!("{:#}", read(&empty, &[]).unwrap_err());
        assert!(error.contains("`path` and `id`"), "{error}");
    }
}
