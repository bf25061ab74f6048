//! Prints a tree as C11 or C++ text; GNU extensions appear only where the tree holds them.
//!
//! The text reads back as the same tree: [`ExprKind::Implicit`](crate::ExprKind::Implicit) nodes are
//! not printed, everything else is, with the parentheses that precedence (6.5) needs and some for
//! readability (`&&` within `||`, bitwise operators and shifts within each other). Where a tree has no
//! text that parses back the same (a label on a declaration, an `if` that would capture the `else` of
//! another) the nearest text of the same meaning is printed. `build` does not make such trees and the
//! parser cannot.
//!
//! A tree can also be printed as C++: see [`CxxPlan`] and [`print_unit_as`]. [`print_split`]
//! prints a unit as a header and two files.

mod cxx;
mod cxx_check;
mod cxx_container;
mod cxx_convert;
mod cxx_init;
mod early;
mod expr;
mod init;
mod item;
mod lit;
mod split;
mod stmt;
mod types;

pub use self::cxx::{Container, CxxPlan, Style, Unprintable};
pub use self::split::{HEADER, Split, SplitFile, print_split};

use self::cxx::Cxx;
use self::early::EarlyUses;
use crate::ids::{ExprId, StmtId, UnitId};
use crate::program::{Item, Program};
use crate::symbol::Sym;
use crate::types::Ty;

/// The text of a translation unit.
pub fn print_unit(program: &Program, unit: UnitId) -> String {
    let mut printer = Printer::of_unit(program, unit);
    printer.unit(unit);
    printer.out
}

/// The text of a translation unit in either language. C11 never fails; C++ does where the tree or
/// the plan holds something that has no text of the same meaning.
pub fn print_unit_as(
    program: &Program,
    unit: UnitId,
    style: Style<'_>,
) -> Result<String, Unprintable> {
    let mut printer = Printer::of_unit(program, unit);
    printer.set_style(style)?;
    printer.unit(unit);
    printer.finish()
}

/// The text of some items of a unit, as C11; all type names are taken to be declared.
pub fn print_items(program: &Program, items: &[Item]) -> String {
    let mut printer = Printer::new(program);
    for (at, item) in items.iter().enumerate() {
        printer.unit_item(item, at);
    }
    printer.out
}

/// The text of an expression.
pub fn print_expr(program: &Program, expr: ExprId) -> String {
    let mut printer = Printer::new(program);
    printer.expr(expr, expr::COMMA);
    printer.out
}

/// The text of a statement, indented from column one, with a final line break.
pub fn print_stmt(program: &Program, stmt: StmtId) -> String {
    let mut printer = Printer::new(program);
    printer.stmt(stmt);
    printer.out
}

/// The text of a type name, as in a cast.
pub fn print_type(program: &Program, ty: Ty) -> String {
    let mut printer = Printer::new(program);
    printer.type_name(ty);
    printer.out
}

/// Everything is appended to one string.
struct Printer<'p> {
    program: &'p Program,
    out: String,
    /// Depth of blocks.
    indent: usize,
    /// The function whose definition is being printed.
    function: Option<Sym>,
    /// Whether the enclosing switches have unsigned controlling types, innermost last.
    switches: Vec<bool>,
    /// Typedef names declared so far. A declaration may carry a type that was written later in the
    /// text (`extern int x; typedef int T; T x = 1;`): there the resolved type is printed. `None`
    /// for a fragment, where all names are taken to be declared.
    typedefs: Option<Vec<bool>>,
    /// What is printed by a type of its own because it was used before its type was completed.
    early: EarlyUses,
    /// Present if the language is C++.
    cxx: Option<Cxx<'p>>,
    /// The first construct that has no text.
    failure: Option<Unprintable>,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        Printer {
            program,
            out: String::new(),
            indent: 0,
            function: None,
            switches: Vec::new(),
            typedefs: None,
            early: EarlyUses::default(),
            cxx: None,
            failure: None,
        }
    }

    fn of_unit(program: &'p Program, unit: UnitId) -> Self {
        let mut printer = Printer::new(program);
        // Half the size of what a Csmith program expands to: few reallocations, little waste.
        printer.out.reserve(program.exprs.len() * 8);
        printer.typedefs = Some(vec![false; program.types.typedefs.len()]);
        printer.early = EarlyUses::of(program, unit);
        printer
    }

    fn set_style(&mut self, style: Style<'p>) -> Result<(), Unprintable> {
        if let Style::Cxx(plan) = style {
            self.cxx = Some(Cxx::new(self.program, plan)?);
        }
        Ok(())
    }

    /// What has been printed, after the headers that it needs.
    fn finish(&mut self) -> Result<String, Unprintable> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut text = self.cxx.as_mut().map(Cxx::take_includes).unwrap_or_default();
        if text.is_empty() {
            return Ok(std::mem::take(&mut self.out));
        }
        text.push_str(&self.out);
        self.out.clear();
        Ok(text)
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn push_name(&mut self, name: Sym) {
        let name = self.program.name(name);
        if self.cxx.is_some() && cxx_check::is_keyword(name) {
            self.fail(format!("the name `{name}`, a keyword of C++"));
        }
        self.out.push_str(name);
    }

    fn push_u64(&mut self, n: u64) {
        self.push_fmt(format_args!("{n}"));
    }

    fn push_fmt(&mut self, args: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut self.out, args);
    }

    /// Starts a line.
    fn line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    /// A blank where two words, or a word and a declarator, would touch.
    fn separate(&mut self) {
        if let Some(&last) = self.out.as_bytes().last()
            && (last.is_ascii_alphanumeric() || matches!(last, b'_' | b'$' | b')' | b'}' | b'>'))
        {
            self.out.push(' ');
        }
    }
}
