//! Rule: small numbers are named tolerances, not literals in the code that uses them.
//!
//! A literal with a negative exponent may stand in `tolerance.rs`, in a constant or static, and in
//! tests.

use proc_macro2::TokenTree;
use syn::visit::Visit;
use syn::{Attribute, ImplItemConst, ItemConst, ItemStatic, LitFloat, Macro, TraitItemConst};

use super::allow::Rule;
use super::rust_file::RustFile;
use super::tokens;
use super::violation::Violation;

/// Checks the shipped code of a file.
pub(crate) fn check(file: &RustFile<'_>) -> Vec<Violation> {
    if file.source.path.ends_with("/tolerance.rs") {
        return Vec::new();
    }
    let mut visitor = Literals::default();
    file.shipped.iter().for_each(|item| visitor.visit_item(item));
    let unnamed =
        visitor.found.into_iter().filter(|(line, _)| !file.allows.permits(Rule::Float, *line));
    let message = |text| format!("`{text}`: give it a name in a constant");
    unnamed.map(|(line, text)| file.violation(line, message(text))).collect()
}

fn has_negative_exponent(literal: &str) -> bool {
    literal.starts_with(|c: char| c.is_ascii_digit())
        && (literal.contains("e-") || literal.contains("E-"))
}

#[derive(Default)]
struct Literals {
    found: Vec<(usize, String)>,
}

impl Visit<'_> for Literals {
    fn visit_lit_float(&mut self, literal: &LitFloat) {
        let text = literal.token().to_string();
        if has_negative_exponent(&text) {
            self.found.push((literal.span().start().line, text));
        }
    }

    fn visit_macro(&mut self, call: &Macro) {
        tokens::walk(call.tokens.clone(), &mut |tokens| {
            if let Some(TokenTree::Literal(literal)) = tokens.first()
                && has_negative_exponent(&literal.to_string())
            {
                self.found.push((tokens::line(tokens), literal.to_string()));
            }
        });
    }

    // What is named, or not code, is not visited.
    fn visit_attribute(&mut self, _: &Attribute) {}
    fn visit_item_const(&mut self, _: &ItemConst) {}
    fn visit_item_static(&mut self, _: &ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &TraitItemConst) {}
}

#[cfg(test)]
mod tests {
    use super::super::rust_file::check_snippet;
    use super::super::text_file::TextFile;
    use super::*;

    fn lines(snippet: &str) -> Vec<usize> {
        check_snippet(check, snippet).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn bare_small_numbers_are_found() {
        for literal in ["1e-8", "2.5E-3", "1e-8_f32", "1_0e-1_0", "-1e-8"] {
            assert_eq!(lines(&format!("fn f() {{\n    g({literal});\n}}\n")), [2], "{literal}");
        }
        assert_eq!(lines("fn f() {\n    assert!(x < 1e-8);\n}\n"), [2]);
        assert_eq!(lines("impl A { fn f() {\n g(vec![1.0, 1e-8]) } }\n"), [2]);
    }

    #[test]
    fn named_and_harmless_numbers_are_not() {
        let clean = "/// Error below 1e-8.\nfn f() { g(1e8, 0.5, 0xe, \"1e-8\") }\n// 1e-8\n\
                     const E: f64 = 1e-8;\nstatic S: [f64; 1] = [1e-8];\n\
                     impl A { const E: f64 = 1e-8; }\ntrait T { const E: f64 = 1e-8; }\n\
                     fn h() { const E: f64 = 1e-8; }\n\
                     #[cfg(test)]\nmod tests { fn f() { g(1e-8) } }\n";
        assert_eq!(lines(clean), [0; 0]);
        let source = TextFile::new("crates/a/src/tolerance.rs", "fn f() -> f64 { 1e-8 }\n");
        assert_eq!(check(&RustFile::parse(&source).unwrap()), []);
    }

    #[test]
    fn a_line_may_opt_out() {
        let above = "fn f() {\n    // tidy: allow(float) because of the paper\n    g(1e-8);\n}\n";
        assert_eq!(lines(above), [0; 0]);
        let same = "fn f() {\n    g(1e-8); // tidy: allow(float) because of the paper\n}\n";
        assert_eq!(lines(same), [0; 0]);
        assert_eq!(lines("// tidy: allow(float) because of it\nfn f() {\n    g(1e-8);\n}\n"), [3]);
    }
}
