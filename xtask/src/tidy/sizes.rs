//! Rule: files and parameter lists stay small. Clippy counts the lines of functions, and parameters only
//! together with self.

use std::ops::RangeInclusive;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ImplItemFn, Item, ItemFn, ItemImpl, Signature, TraitItemFn};

use super::allow::Rule;
use super::rust_file::RustFile;
use super::test_code::is_test_only;
use super::violation::Violation;

const FILE_LINES: usize = 600;
const PARAMETERS: usize = 5;

/// Checks the parameters of functions, and the length of the file if it is not a file of tests.
pub(crate) fn check(file: &RustFile<'_>) -> Vec<Violation> {
    let mut found: Vec<Violation> = check_length(file).into_iter().collect();
    let mut visitor = Functions { file, in_trait_impl: false, found: Vec::new() };
    file.items.iter().for_each(|item| visitor.visit_item(item));
    found.append(&mut visitor.found);
    found
}

fn check_length(file: &RustFile<'_>) -> Option<Violation> {
    if file.shipped.is_empty() {
        return None;
    }
    let tests: usize = file.items.iter().filter_map(test_module).map(Iterator::count).sum();
    let lines = file.source.text.lines().count() - tests;
    (lines > FILE_LINES).then(|| {
        let message = format!("{lines} lines without tests; at most {FILE_LINES} are allowed");
        file.violation(1, message)
    })
}

fn test_module(item: &Item) -> Option<RangeInclusive<usize>> {
    match item {
        Item::Mod(module) if module.content.is_some() && is_test_only(&module.attrs) => {
            Some(module.span().start().line..=module.span().end().line)
        }
        _ => None,
    }
}

struct Functions<'a> {
    file: &'a RustFile<'a>,
    in_trait_impl: bool,
    found: Vec<Violation>,
}

impl Functions<'_> {
    /// The list of a trait's method is the trait's choice, and is checked there.
    fn check(&mut self, attrs: &[Attribute], sig: &Signature) {
        let line = sig.fn_token.span.start().line;
        let top = attrs.iter().map(|attr| attr.span().start().line).min().unwrap_or(line);
        let params = sig.inputs.iter().filter(|arg| matches!(arg, FnArg::Typed(_))).count();
        let is_permitted = |line| self.file.allows.permits(Rule::Params, line);
        if !self.in_trait_impl && params > PARAMETERS && !is_permitted(top) && !is_permitted(line) {
            let message = format!(
                "`{}` has {params} parameters besides self; at most {PARAMETERS} are allowed",
                sig.ident
            );
            self.found.push(self.file.violation(line, message));
        }
    }
}

impl Visit<'_> for Functions<'_> {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        let outer = std::mem::replace(&mut self.in_trait_impl, false);
        self.check(&function.attrs, &function.sig);
        visit::visit_item_fn(self, function);
        self.in_trait_impl = outer;
    }

    fn visit_item_impl(&mut self, block: &ItemImpl) {
        let outer = std::mem::replace(&mut self.in_trait_impl, block.trait_.is_some());
        visit::visit_item_impl(self, block);
        self.in_trait_impl = outer;
    }

    fn visit_impl_item_fn(&mut self, method: &ImplItemFn) {
        self.check(&method.attrs, &method.sig);
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_trait_item_fn(&mut self, method: &TraitItemFn) {
        self.check(&method.attrs, &method.sig);
        visit::visit_trait_item_fn(self, method);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rust_file::check_snippet;
    use super::*;

    #[test]
    fn long_parameter_lists_are_found_where_they_are_chosen() {
        let five = "a: u8, b: u8, c: u8, d: u8, e: u8";
        let clean = format!("fn f({five}) {{}}\nimpl A {{ fn g(&self, {five}) {{}} }}\n");
        assert_eq!(check_snippet(check, &clean), []);
        let six = format!("fn f({five}, f: u8) {{}}\ntrait T {{ fn g(&self, {five}, f: u8); }}\n");
        let found = check_snippet(check, &six);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2]);
        let implementation = format!("impl T for A {{ fn g(&self, {five}, f: u8) {{}} }}\n");
        assert_eq!(check_snippet(check, &implementation), []);
    }

    #[test]
    fn a_function_may_opt_out() {
        let six = "a: u8, b: u8, c: u8, d: u8, e: u8, f: u8";
        let long = format!("/// G.\n#[expect(\n    dead_code\n)]\nfn g({six}) {{}}\n");
        let opted = format!("// tidy: allow(params) because it is a table\n{long}");
        assert_eq!(check_snippet(check, &opted), []);
        assert_eq!(check_snippet(check, &long).len(), 1);
        let other = format!("// tidy: allow(panic) because it is a table\n{long}");
        assert_eq!(check_snippet(check, &other).len(), 1);
    }

    #[test]
    fn long_files_are_found_and_tests_do_not_count() {
        let code = "const A: u8 = 0;\n".repeat(600);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "use a::b;\n".repeat(50));
        assert_eq!(check_snippet(check, &format!("{code}{tests}")), []);
        let found = check_snippet(check, &format!("{code}fn f() {{}}\n{tests}"));
        let message = "601 lines without tests; at most 600 are allowed";
        assert_eq!(found, [(1, message.to_owned())]);
    }
}
