//! The grammar of formulas: a parser built from combinators, and printing in the same form as typed
//! kernels.
//!
//! With the usual precedence of `^` over `*` over `+`:
//!
//! ```text
//! sum     = product ("+" product)*
//! product = factor ("*" factor)*
//! factor  = atom ("^" integer)?
//! atom    = number | "(" sum ")" | function "(" sum ")" | family ["(" name "=" value, … ")"]
//! value   = number | "true" | "false" | "[" number, … "]"
//! function = "exp" | "normalized" | "assume_mercer"
//! ```

use super::kernel_spec::{KernelSpec, Node};
use super::registry::Known;
use crate::Error;
use crate::kernels::declaration::write_formula;
use crate::parameters::Setting;
use std::fmt;
use winnow::ascii::{dec_uint, float, multispace0};
use winnow::combinator::{
    alt, cut_err, delimited, not, opt, preceded, separated, separated_pair, terminated,
};
use winnow::error::{ContextError, ErrMode, FromExternalError};
use winnow::prelude::*;
use winnow::stream::Stateful;
use winnow::token::{literal, one_of, take_while};

/// The largest nesting depth, so that parsing cannot exhaust the stack.
const DEPTH: usize = 64;

/// The largest number of kernels in a formula: evaluating more of them would take too long.
const TERMS: usize = 10_000;

/// Returns values for parameters that a formula omits, by family and parameter.
type Fallback<'f> = &'f dyn Fn(&str, &str) -> Option<Setting>;

/// A fallback as the state of the parser.
#[derive(Clone, Copy)]
struct Values<'f>(Fallback<'f>);

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Values")
    }
}

/// The remaining input.
type Input<'s> = Stateful<&'s str, Values<'s>>;

/// A factor of a product: a number or a kernel.
enum Factor {
    Number(f64),
    Kernel(Node),
}

/// Parses a whole formula.
pub(super) fn formula(text: &str, fallback: Fallback<'_>) -> Result<Node, Error> {
    check_depth(text)?;
    if let Some(position) = text.find("**") {
        return Err(Error::PowerSign { position });
    }
    let input = Stateful { input: text, state: Values(fallback) };
    let node = delimited(multispace0, sum, multispace0).parse(input).map_err(|error| {
        let position = error.offset();
        match error.into_inner().cause().and_then(|cause| cause.downcast_ref::<Error>()) {
            Some(ours) => ours.clone(),
            None => Error::Syntax { position },
        }
    })?;
    match node.count() {
        given if given > TERMS => Err(Error::TooManyTerms { given, limit: TERMS }),
        _ => Ok(node),
    }
}

fn check_depth(text: &str) -> Result<(), Error> {
    let mut depth = 0_usize;
    for (position, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return Err(Error::Syntax { position });
        }
    }
    Ok(())
}

/// Parses a literal surrounded by optional white space.
fn symbol<'s>(text: &'static str) -> impl Parser<Input<'s>, &'s str, ErrMode<ContextError>> {
    delimited(multispace0, literal(text), multispace0)
}

/// Converts an [`Error`] to a parser error that ends parsing.
fn ours(input: &Input<'_>, error: Error) -> ErrMode<ContextError> {
    ErrMode::Cut(ContextError::from_external_error(input, error))
}

fn sum(input: &mut Input<'_>) -> ModalResult<Node> {
    let parts: Vec<Node> = separated(1.., product, symbol("+")).parse_next(input)?;
    Ok(Node::sum(parts))
}

fn product(input: &mut Input<'_>) -> ModalResult<Node> {
    let factors: Vec<Factor> = separated(1.., factor, symbol("*")).parse_next(input)?;
    let mut weight = None;
    let mut kernels = Vec::new();
    for factor in factors {
        match factor {
            Factor::Number(number) => weight = Some(weight.unwrap_or(1.0) * number),
            Factor::Kernel(kernel) => kernels.push(kernel),
        }
    }
    if kernels.is_empty() {
        // A product of numbers only is not a kernel: the constant c is constant(value=c).
        return Err(ErrMode::Backtrack(ContextError::new()));
    }
    Node::product(weight, kernels).map_err(|error| ours(input, error))
}

fn factor(input: &mut Input<'_>) -> ModalResult<Factor> {
    alt((float.map(Factor::Number), power.map(Factor::Kernel))).parse_next(input)
}

fn power(input: &mut Input<'_>) -> ModalResult<Node> {
    let base = atom.parse_next(input)?;
    let exponent = opt(preceded(symbol("^"), cut_err(dec_uint))).parse_next(input)?;
    Ok(exponent.into_iter().fold(base, |kernel, exponent| Node::Power(Box::new(kernel), exponent)))
}

fn atom(input: &mut Input<'_>) -> ModalResult<Node> {
    alt((delimited(symbol("("), sum, symbol(")")), named)).parse_next(input)
}

fn name<'s>(input: &mut Input<'s>) -> ModalResult<&'s str> {
    take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_')
        .verify(|name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        .parse_next(input)
}

/// Parses a function of a kernel, or a family with its parameters.
fn named(input: &mut Input<'_>) -> ModalResult<Node> {
    let name = name.parse_next(input)?;
    let wrap: Option<fn(Box<Node>) -> Node> = match name {
        "exp" => Some(Node::Exp),
        "normalized" => Some(Node::Normalized),
        "assume_mercer" => Some(Node::AssumeMercer),
        _ => None,
    };
    if let Some(wrap) = wrap {
        let kernel = cut_err(delimited(symbol("("), sum, symbol(")"))).parse_next(input)?;
        return Ok(wrap(Box::new(kernel)));
    }
    let family = Known::find(name).map_err(|error| ours(input, error))?;
    let list = cut_err((parameters, symbol(")"))).map(|list| list.0);
    let given = opt(preceded(symbol("("), list)).parse_next(input)?;
    let values = family.values(&given.unwrap_or_default(), input.state.0);
    let values = values.map_err(|error| ours(input, error))?;
    Ok(Node::Base(family, values))
}

fn parameters<'s>(input: &mut Input<'s>) -> ModalResult<Vec<(&'s str, Setting)>> {
    separated(0.., separated_pair(name, symbol("="), cut_err(value)), symbol(",")).parse_next(input)
}

fn value(input: &mut Input<'_>) -> ModalResult<Setting> {
    let numbers = separated(0.., float::<_, f64, _>, symbol(","));
    let list = delimited(symbol("["), numbers, symbol("]"));
    let flag = alt(("true".value(true), "false".value(false)));
    // From 2⁵³ on, integers are not exact in floating point.
    let is_exact = |count: &u64| *count < 1 << f64::MANTISSA_DIGITS;
    let digits = terminated(dec_uint, not(one_of(['.', 'e', 'E'])));
    let count = digits.verify(move |count| !is_exact(count)).map(Setting::Count);
    let (number, flag) = (float.map(Setting::Real), flag.map(Setting::Flag));
    let setting = (count, number, list.map(Setting::List), flag);
    alt(setting).parse_next(input)
}

/// The precedence of an expression, which needs parentheses inside one of higher precedence.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Atom,
}

impl Node {
    fn level(&self) -> Level {
        match self {
            Node::Sum(_) => Level::Sum,
            Node::Product(_) | Node::Scaled(..) => Level::Product,
            // A power binds like an atom in a product, but not in another power.
            _ => Level::Atom,
        }
    }

    fn print(&self, around: Level, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.level() < around {
            f.write_str("(")?;
            self.print(Level::Sum, f)?;
            return f.write_str(")");
        }
        match self {
            Node::Base(known, values) => {
                write_formula(f, known.name(), &known.declaration.parameters(values))
            }
            Node::Scaled(weight, kernel) => {
                write!(f, "{weight}*")?;
                kernel.print(Level::Product, f)
            }
            Node::Sum(parts) => print_all(parts, " + ", Level::Product, f),
            Node::Product(parts) => print_all(parts, "*", Level::Atom, f),
            Node::Power(kernel, exponent) => {
                let nested = matches!(**kernel, Node::Power(..));
                f.write_str(if nested { "(" } else { "" })?;
                kernel.print(if nested { Level::Sum } else { Level::Atom }, f)?;
                f.write_str(if nested { ")" } else { "" })?;
                write!(f, "^{exponent}")
            }
            Node::Exp(kernel) => print_function("exp", kernel, f),
            Node::Normalized(kernel) => print_function("normalized", kernel, f),
            Node::AssumeMercer(kernel) => print_function("assume_mercer", kernel, f),
        }
    }
}

fn print_all(
    parts: &[Node],
    between: &str,
    around: Level,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (k, part) in parts.iter().enumerate() {
        f.write_str(if k == 0 { "" } else { between })?;
        part.print(around, f)?;
    }
    Ok(())
}

fn print_function(name: &str, kernel: &Node, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{name}(")?;
    kernel.print(Level::Sum, f)?;
    f.write_str(")")
}

impl fmt::Display for KernelSpec {
    /// `{:#}` puts a sum in parentheses, as typed kernels do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.print(if f.alternate() { Level::Product } else { Level::Sum }, f)
    }
}
