//! Small changes of a source file, all in one text: each is asleep until its number is asked for.

use proc_macro2::Span;
use std::collections::BTreeSet;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprUnary, GenericArgument, ImplItemFn, Item, ItemMod, Pat,
    PathArguments, ReturnType, Signature, Type, UnOp,
};

use crate::tidy::is_test_only;

/// Asks for a change by its number, which the environment names. It stands at the end of every changed file.
const SWITCH: &str = r#"
fn mutant(number: u32) -> bool {
    static ON: std::sync::LazyLock<Option<u32>> =
        std::sync::LazyLock::new(|| std::env::var("KERN_MUTANT").ok()?.parse().ok());
    *ON == Some(number)
}
"#;

/// A change at one place.
#[derive(Debug)]
pub(super) struct Change {
    /// The number that wakes it.
    pub(super) number: u32,
    pub(super) line: usize,
    /// Such as "`<` becomes `<=`".
    pub(super) what: String,
}

/// The changes of a file, with the pieces of text that make them.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) all: Vec<Change>,
    /// Before the place at which they stand, outer ones first.
    openers: Vec<Piece>,
    /// After what they close, inner ones first.
    closers: Vec<Piece>,
    /// In the place of a range.
    replacements: Vec<(Range<usize>, Piece)>,
    next: u32,
}

/// Text that belongs to changes.
#[derive(Debug)]
struct Piece {
    at: usize,
    numbers: Range<u32>,
    /// Text of one change alone has its number.
    parts: Vec<(Option<u32>, String)>,
}

impl Changes {
    /// All changes of a text, numbered from `first` on.
    pub(super) fn of(text: &str, first: u32) -> syn::Result<Self> {
        let mut changes = Self { next: first, ..Self::default() };
        changes.visit_file(&syn::parse_file(text)?);
        Ok(changes)
    }

    /// The text with all changes but those that do not compile, and where each of them stands in it.
    pub(super) fn apply(&self, text: &str, left_out: &BTreeSet<u32>) -> (String, Vec<Place>) {
        let kept = |piece: &&Piece| piece.numbers.clone().any(|number| !left_out.contains(&number));
        // At one byte what closes comes first, then what opens, then what replaces.
        let closers = self.closers.iter().filter(kept).map(|piece| (piece.at, 0, piece.at, piece));
        let openers = self.openers.iter().filter(kept).map(|piece| (piece.at, 1, piece.at, piece));
        let replacements = self.replacements.iter().filter(|(_, piece)| kept(&piece));
        let replacements = replacements.map(|(range, piece)| (range.start, 2, range.end, piece));
        let mut pieces: Vec<_> = closers.chain(openers).chain(replacements).collect();
        pieces.sort_by_key(|&(at, order, ..)| (at, order));
        let (mut out, mut from, mut places) = (String::new(), 0, Vec::new());
        for (at, _, end, piece) in pieces {
            out.push_str(&text[from..at]);
            for (number, part) in &piece.parts {
                let numbers = number.map_or(piece.numbers.clone(), |number| number..number + 1);
                if !number.is_some_and(|number| left_out.contains(&number)) {
                    places.push(Place { start: out.len(), numbers });
                    out.push_str(part);
                }
            }
            from = end;
        }
        out.push_str(&text[from..]);
        out.push_str(SWITCH);
        (out, places)
    }

    fn add(&mut self, span: Span, whats: &[String]) -> Range<u32> {
        let first = self.next;
        for what in whats {
            let (number, line) = (self.next, span.start().line);
            self.all.push(Change { number, line, what: what.clone() });
            self.next += 1;
        }
        first..self.next
    }

    /// The changes of an operator of two values.
    fn operator(&mut self, binary: &ExprBinary) {
        let ExprBinary { left, op, right, .. } = binary;
        let own = token(op);
        let others = others(op);
        let whats: Vec<_> =
            others.iter().map(|other| format!("`{own}` becomes `{other}`")).collect();
        let numbers = self.add(op.span(), &whats);
        let whole = binary.span().byte_range();
        let (left_range, right_range) = (left.span().byte_range(), right.span().byte_range());
        let piece = |at, text: &str| Piece {
            at,
            numbers: numbers.clone(),
            parts: vec![(None, text.to_owned())],
        };
        let ends = |start: &str, left: &str, right: &str| {
            let arm = |(number, other): (u32, &&str)| {
                let text = format!("if {} {{ {left} {other} {right} }} else ", switch(number));
                (Some(number), text)
            };
            let mut piece = piece(whole.end, start);
            piece.parts.extend(numbers.clone().zip(others).map(arm));
            piece.parts.push((None, format!("{{ {left} {own} {right} }} }})")));
            piece
        };
        match op {
            // The right side is looked at where it has to be, and nowhere else.
            BinOp::And(_) | BinOp::Or(_) => {
                let on = switch(numbers.start);
                let (sign, ends) = if matches!(op, BinOp::And(_)) {
                    ("!", on.clone())
                } else {
                    ("", format!("!{on}"))
                };
                let between = piece(left_range.end, &format!(") == {sign}{on} {{ "));
                let close = piece(whole.end, &format!(" }} else {{ {ends} }})"));
                self.around(binary, (piece(whole.start, "(if ("), between, close));
            }
            _ if is_assignment(op) => {
                let close = ends(") { r => ", &text_of(left), "r");
                self.replacements
                    .push((whole.start..right_range.start, piece(whole.start, "(match (")));
                self.visit_expr(right);
                self.closers.push(close);
            }
            _ => {
                let borrow = if is_comparison(op) { "&" } else { "" };
                let open = piece(whole.start, &format!("(match ({borrow}("));
                let between = piece(left_range.end, &format!("), {borrow}("));
                let close = ends(")) { (l, r) => ", "l", "r");
                self.around(binary, (open, between, close));
            }
        }
    }

    /// Pieces before, in the place of the operator, and after; the operands have changes of their own.
    fn around(&mut self, binary: &ExprBinary, (open, between, close): (Piece, Piece, Piece)) {
        let operator = binary.left.span().byte_range().end..binary.right.span().byte_range().start;
        self.openers.push(open);
        self.visit_expr(&binary.left);
        self.replacements.push((operator, between));
        self.visit_expr(&binary.right);
        self.closers.push(close);
    }

    /// A sign or a negation that is left out.
    fn sign(&mut self, unary: &ExprUnary) {
        let (own, whole) = (unary.op.span(), unary.span().byte_range());
        let is_minus = matches!(unary.op, UnOp::Neg(_));
        let what = if is_minus { "`-` is left out" } else { "`!` is left out" };
        let numbers = self.add(own, &[what.to_owned()]);
        let on = switch(numbers.start);
        let (open, close) = if is_minus {
            ("(match (".to_owned(), format!(") {{ v => if {on} {{ v }} else {{ -v }} }})"))
        } else {
            ("((".to_owned(), format!(") == {on})"))
        };
        let start = unary.expr.span().byte_range().start;
        let piece = |at, text| Piece { at, numbers: numbers.clone(), parts: vec![(None, text)] };
        self.replacements.push((whole.start..start, piece(whole.start, open)));
        self.visit_expr(&unary.expr);
        self.closers.push(piece(whole.end, close));
    }

    /// Values that a function returns without doing anything.
    fn body(&mut self, signature: &Signature, block: &Block) {
        let is_left_alone = signature.constness.is_some() || block.stmts.is_empty();
        let values = if is_left_alone { Vec::new() } else { constants(&signature.output) };
        let whats: Vec<_> =
            values.iter().map(|value| format!("`{}` returns `{value}`", signature.ident)).collect();
        let numbers = self.add(signature.ident.span(), &whats);
        let exit = |(number, value): (u32, &String)| {
            (Some(number), format!(" if {} {{ return {value}; }}", switch(number)))
        };
        let parts = numbers.clone().zip(&values).map(exit).collect();
        let at = block.brace_token.span.open().byte_range().end;
        self.openers.push(Piece { at, numbers, parts });
        if signature.constness.is_none() {
            self.visit_block(block);
        }
    }
}

/// A place in the changed text, from which on it belongs to these changes.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) numbers: Range<u32>,
}

impl<'a> Visit<'a> for Changes {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Binary(binary) if !others(&binary.op).is_empty() && !has_let(expr) => {
                self.operator(binary);
            }
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => self.sign(unary),
            // A length is a constant.
            Expr::Repeat(repeat) => self.visit_expr(&repeat.expr),
            // Memory that is reserved changes no result.
            Expr::Call(call) if ends_in(&call.func, "with_capacity") => {}
            Expr::Const(_) => {}
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_item(&mut self, item: &'a Item) {
        match item {
            Item::Fn(function) => self.body(&function.sig, &function.block),
            Item::Const(_) | Item::Static(_) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_test_only(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'a ImplItemFn) {
        self.body(&function.sig, &function.block);
    }

    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_type(&mut self, _: &'a Type) {}

    fn visit_pat(&mut self, _: &'a Pat) {}
}

fn switch(number: u32) -> String {
    format!("mutant({number})")
}

fn text_of(expr: &Expr) -> String {
    expr.span().source_text().unwrap_or_default()
}

fn token(op: &BinOp) -> String {
    op.span().source_text().unwrap_or_default()
}

/// Tells whether an expression binds a name on the way, as conditions do: the text around it must stay.
/// Returns true if a function is called by a path that ends in this name.
fn ends_in(function: &Expr, name: &str) -> bool {
    let Expr::Path(path) = function else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == name)
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_)
    )
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_) | BinOp::DivAssign(_)
    )
}

/// The operators that take the place of one.
fn others(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Lt(_) => &["<=", ">"],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<"],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["*", "%"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["*=", "%="],
        _ => &[],
    }
}

/// Values of this type for a function that does nothing.
fn constants(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".to_owned()],
        ReturnType::Type(_, kind) => values(kind),
    }
}

fn values(kind: &Type) -> Vec<String> {
    let owned = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    let Type::Path(path) = kind else {
        return match kind {
            Type::Tuple(tuple) if tuple.elems.is_empty() => owned(&["()"]),
            _ => Vec::new(),
        };
    };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    match last.ident.to_string().as_str() {
        "bool" => owned(&["true", "false"]),
        "f64" | "f32" => owned(&["0.0", "1.0"]),
        "usize" | "u64" | "u32" | "i64" => owned(&["0", "1"]),
        "Vec" => owned(&["Vec::new()"]),
        "Option" => owned(&["None"]),
        "Result" => match &last.arguments {
            PathArguments::AngleBracketed(of) => match of.args.first() {
                Some(GenericArgument::Type(inner)) => {
                    values(inner).iter().map(|value| format!("Ok({value})")).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_sleep_in_text_that_means_the_same() {
        let text = "fn f(a: f64, b: f64) -> bool {\n    -a + 1.0 < b && !(a == b)\n}\n";
        let changes = Changes::of(text, 1).unwrap();
        let whats: Vec<_> = changes.all.iter().map(|change| change.what.as_str()).collect();
        assert_eq!(
            whats,
            [
                "`f` returns `true`",
                "`f` returns `false`",
                "`&&` becomes `||`",
                "`<` becomes `<=`",
                "`<` becomes `>`",
                "`+` becomes `-`",
                "`+` becomes `*`",
                "`-` is left out",
                "`!` is left out",
                "`==` becomes `!=`",
            ]
        );
        assert!(changes.all[2..].iter().all(|change| change.line == 2));
        let (changed, places) = changes.apply(text, &BTreeSet::new());
        syn::parse_file(&changed).unwrap();
        assert!(places.is_sorted_by_key(|place| place.start));
        assert_eq!(changed.lines().take(3).count(), text.lines().count());
        // Without any change the file is what it was.
        let all = changes.all.iter().map(|change| change.number).collect();
        assert_eq!(changes.apply(text, &all).0, format!("{text}{SWITCH}"));
    }

    #[test]
    fn what_is_constant_or_a_test_stays() {
        let text = "const N: usize = 1 + 2;\nconst fn n() -> usize { 1 + 2 }\n\
            #[cfg(test)]\nmod tests { fn f() -> f64 { 1.0 + 2.0 } }\n\
            fn g(x: Option<u8>) { if let Some(y) = x && let Some(z) = x { h([y; 1 + 2], z); } }\n\
            fn room() { Vec::<u8>::with_capacity(1 + 2); }\n";
        let changes = Changes::of(text, 1).unwrap();
        let whats: Vec<_> = changes.all.iter().map(|change| change.what.as_str()).collect();
        assert_eq!(whats, ["`g` returns `()`", "`room` returns `()`"]);
    }
}
