//! Code that is compiled for tests only, in a file and among the files.

use syn::punctuated::Punctuated;
use syn::{Attribute, ImplItem, Item, Meta, Token};

/// Tells whether the attributes take the item out of ordinary builds: `cfg(test)`, `cfg(all(test, …))`
/// or `test`.
pub(crate) fn is_test_only(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("test")
            || attr.path().is_ident("cfg")
                && attr.parse_args::<Meta>().is_ok_and(|condition| requires_test(&condition))
    })
}

fn requires_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|parts| parts.iter().any(requires_test)),
        _ => false,
    }
}

/// The items without those that are for tests only, at every level of modules and impl blocks.
pub(crate) fn without_tests(items: &[Item]) -> Vec<Item> {
    items.iter().filter(|item| !is_test_only(attributes(item))).cloned().map(pruned).collect()
}

fn pruned(mut item: Item) -> Item {
    match &mut item {
        Item::Mod(module) => {
            if let Some((_, items)) = &mut module.content {
                *items = without_tests(items);
            }
        }
        Item::Impl(block) => block.items.retain(|item| match item {
            ImplItem::Fn(method) => !is_test_only(&method.attrs),
            _ => true,
        }),
        _ => {}
    }
    item
}

/// The attributes of an item, docs among them.
pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(syn::ItemConst { attrs, .. })
        | Item::Enum(syn::ItemEnum { attrs, .. })
        | Item::ExternCrate(syn::ItemExternCrate { attrs, .. })
        | Item::Fn(syn::ItemFn { attrs, .. })
        | Item::ForeignMod(syn::ItemForeignMod { attrs, .. })
        | Item::Impl(syn::ItemImpl { attrs, .. })
        | Item::Macro(syn::ItemMacro { attrs, .. })
        | Item::Mod(syn::ItemMod { attrs, .. })
        | Item::Static(syn::ItemStatic { attrs, .. })
        | Item::Struct(syn::ItemStruct { attrs, .. })
        | Item::Trait(syn::ItemTrait { attrs, .. })
        | Item::TraitAlias(syn::ItemTraitAlias { attrs, .. })
        | Item::Type(syn::ItemType { attrs, .. })
        | Item::Union(syn::ItemUnion { attrs, .. })
        | Item::Use(syn::ItemUse { attrs, .. }) => attrs,
        _ => &[],
    }
}

/// Paths, without `.rs`, of the modules that `items` of the file at `path` declare as
/// `#[cfg(test)] mod name;`.
pub(crate) fn test_modules(path: &str, items: &[Item]) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let base = match stem {
        "lib" | "main" | "mod" => folder.to_owned(),
        _ => format!("{folder}/{stem}"),
    };
    let declared = items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && is_test_only(&module.attrs) => {
            Some(format!("{base}/{}", module.ident))
        }
        _ => None,
    });
    declared.collect()
}

/// Tells whether the file at `path` is one of `modules` or below one.
pub(crate) fn is_within(path: &str, modules: &[String]) -> bool {
    modules.iter().any(|module| {
        path.strip_prefix(module.as_str())
            .is_some_and(|tail| tail == ".rs" || tail.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(items: &[Item]) -> Vec<String> {
        let name = |item: &Item| match item {
            Item::Fn(function) => function.sig.ident.to_string(),
            Item::Mod(module) => module.ident.to_string(),
            _ => "other".to_owned(),
        };
        items.iter().map(name).collect()
    }

    #[test]
    fn only_test_code_is_cut() {
        let file = syn::parse_file(
            "fn a() {} #[cfg(test)] mod t {} #[cfg(all(test, unix))] fn b() {} #[test] fn c() {}
             #[cfg(any(test, unix))] fn d() {} #[cfg(not(test))] fn e() {}
             mod m { #[cfg(test)] fn f() {} fn g() {} }",
        );
        let items = without_tests(&file.unwrap().items);
        assert_eq!(names(&items), ["a", "d", "e", "m"]);
        let Some(Item::Mod(module)) = items.last() else { panic!("no module") };
        assert_eq!(names(&module.content.as_ref().unwrap().1), ["g"]);
    }

    #[test]
    fn test_modules_in_files_of_their_own_are_found() {
        let items = syn::parse_file("#[cfg(test)] mod tests; mod code;").unwrap().items;
        assert_eq!(test_modules("crates/a/src/lib.rs", &items), ["crates/a/src/tests"]);
        let modules = test_modules("crates/a/src/tile.rs", &items);
        assert_eq!(modules, ["crates/a/src/tile/tests"]);
        assert!(is_within("crates/a/src/tile/tests.rs", &modules));
        assert!(is_within("crates/a/src/tile/tests/laws.rs", &modules));
        assert!(!is_within("crates/a/src/tile/tests_of_code.rs", &modules));
    }
}
