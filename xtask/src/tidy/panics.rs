//! Rule: the library does not panic, except by an assertion that its documentation announces.

use proc_macro2::{Delimiter, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprMethodCall, ExprPath, ImplItemFn, ItemFn, Lit, Macro, Meta, TraitItemFn,
};

use super::allow::Rule;
use super::rust_file::RustFile;
use super::tokens;
use super::violation::Violation;

const METHODS: [&str; 2] = ["unwrap", "expect"];
const MACROS: [&str; 1] = ["panic"];
const ASSERTIONS: [&str; 3] = ["assert", "assert_eq", "assert_ne"];

/// Checks the shipped code of a file.
pub(crate) fn check(file: &RustFile<'_>) -> Vec<Violation> {
    let mut visitor = Panics::default();
    file.shipped.iter().for_each(|item| visitor.visit_item(item));
    let found = visitor.found.into_iter();
    let kept = found.filter(|(line, _)| !file.allows.permits(Rule::Panic, *line));
    kept.map(|(line, message)| file.violation(line, message)).collect()
}

#[derive(Default)]
struct Panics {
    /// True if the documentation of the function at hand has a section on panics.
    announces: bool,
    found: Vec<(usize, String)>,
}

impl Panics {
    fn within(&mut self, attrs: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.announces, announces_panics(attrs));
        visit(self);
        self.announces = outer;
    }

    fn method(&mut self, line: usize, name: &str) {
        if METHODS.contains(&name) {
            self.found.push((line, format!("`{name}` may panic: return an error")));
        }
    }

    fn call(&mut self, line: usize, name: &str) {
        if MACROS.contains(&name) {
            self.found.push((line, format!("`{name}!`: return an error")));
        } else if ASSERTIONS.contains(&name) && !self.announces {
            let message = format!("`{name}!` in a function without `# Panics` in its docs");
            self.found.push((line, message));
        }
    }

    fn tokens(&mut self, tokens: &[TokenTree]) {
        if tokens::is_punct(tokens, '.')
            && let Some(name) = tokens::ident(&tokens[1..])
            && let Some(TokenTree::Group(group)) = tokens.get(2)
            && group.delimiter() == Delimiter::Parenthesis
        {
            self.method(tokens::line(&tokens[1..]), &name);
        } else if let Some(name) = tokens::ident(tokens)
            && tokens::is_punct(&tokens[1..], '!')
            && matches!(tokens.get(2), Some(TokenTree::Group(_)))
        {
            self.call(tokens::line(tokens), &name);
        }
    }
}

fn announces_panics(attrs: &[Attribute]) -> bool {
    attrs.iter().filter_map(doc_line).any(|line| line.trim() == "# Panics")
}

fn doc_line(attr: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attr.meta else { return None };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

impl Visit<'_> for Panics {
    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_item_fn(&mut self, function: &ItemFn) {
        self.within(&function.attrs, |panics| visit::visit_item_fn(panics, function));
    }

    fn visit_impl_item_fn(&mut self, method: &ImplItemFn) {
        self.within(&method.attrs, |panics| visit::visit_impl_item_fn(panics, method));
    }

    fn visit_trait_item_fn(&mut self, method: &TraitItemFn) {
        self.within(&method.attrs, |panics| visit::visit_trait_item_fn(panics, method));
    }

    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        self.method(call.method.span().start().line, &call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    /// `Option::unwrap` as a value.
    fn visit_expr_path(&mut self, value: &ExprPath) {
        if value.path.segments.len() > 1
            && let Some(last) = value.path.segments.last()
        {
            self.method(last.ident.span().start().line, &last.ident.to_string());
        }
    }

    fn visit_macro(&mut self, call: &Macro) {
        if let Some(name) = call.path.segments.last() {
            self.call(name.ident.span().start().line, &name.ident.to_string());
        }
        tokens::walk(call.tokens.clone(), &mut |tokens| self.tokens(tokens));
    }
}

#[cfg(test)]
mod tests {
    use super::super::rust_file::check_snippet;
    use super::*;

    fn lines(snippet: &str) -> Vec<usize> {
        check_snippet(check, snippet).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn panics_are_found() {
        for code in [
            "x.unwrap();",
            "x.expect(\"x\");",
            "panic!(\"no\");",
            "std::panic!();",
            "x.map(Option::unwrap);",
            "let y = vec![x.unwrap()];",
            "debug_assert!(x.expect(\"x\") > 0);",
            "m! { if x { panic!() } }",
        ] {
            assert_eq!(lines(&format!("fn f() {{\n    {code}\n}}\n")), [2], "{code}");
        }
        assert_eq!(lines("impl A {\n fn f() {\n a\n.unwrap() } }\n"), [4]);
    }

    #[test]
    fn what_cannot_panic_is_not() {
        let clean = "/// `x.unwrap()`\nfn f() { x.unwrap_or(1); x.unwrap_or_default(); }\n\
                     fn g() { std::panic::catch_unwind(f); let s = \"panic!()\"; }\n\
                     #[cfg(test)]\nmod tests { fn f() { x.unwrap(); panic!(); } }\n";
        assert_eq!(lines(clean), [0; 0]);
    }

    #[test]
    fn assertions_are_announced() {
        let announced = "/// F.\n///\n/// # Panics\n/// If x.\nfn f() { assert!(x); }\n";
        assert_eq!(lines(announced), [0; 0]);
        for name in ASSERTIONS {
            assert_eq!(lines(&format!("/// F.\nfn f() {{\n    {name}!(x, y);\n}}\n")), [3]);
        }
        let inner = "/// # Panics\nfn f() {\n fn g() { assert!(x) }\n assert!(y)\n}\n";
        assert_eq!(lines(inner), [3]);
        assert_eq!(lines("fn f() { debug_assert!(x); const { assert_size(1) } }\n"), [0; 0]);
    }

    #[test]
    fn a_line_may_opt_out() {
        let opted = "fn f() {\n    // tidy: allow(panic) because the index was checked\n    \
                     x.unwrap();\n}\n";
        assert_eq!(lines(opted), [0; 0]);
    }
}
