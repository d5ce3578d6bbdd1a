//! Printing formulas: what typed kernels print, too.

use super::{KernelSpec, Node};
use crate::kernels::declaration::write_formula;
use std::fmt;

/// The tightness with which a formula binds: inside something tighter it needs parentheses.
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
            // A power binds as an atom does in a product, but not under another power.
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
