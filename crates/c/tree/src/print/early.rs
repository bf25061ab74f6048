//! Declarations whose type was completed after a use.
//!
//! All declarations of a name share one entry with the final type, but an expression between two
//! declarations was checked with what was known there: `int f(); … f(c) … int f(long x) {…}` calls
//! without a prototype. To be read back the same, every declaration but the last is printed with
//! the type that the early expressions saw.

use crate::expr::ExprKind;
use crate::ids::{FuncId, UnitId, VarId};
use crate::program::{Item, Program};
use crate::types::Ty;
use std::collections::HashMap;

/// Functions and variables with such expressions. Few programs have any; lookups only.
#[derive(Default)]
pub(super) struct EarlyUses {
    funcs: HashMap<FuncId, (Ty, usize)>,
    vars: HashMap<VarId, (Ty, usize)>,
}

impl EarlyUses {
    /// Finds them with one pass over the expressions.
    pub(super) fn of(program: &Program, unit: UnitId) -> EarlyUses {
        let mut early = EarlyUses::default();
        let types = &program.types;
        for expr in &program.exprs {
            match expr.kind {
                ExprKind::Func(id) if types.resolved(program.func(id).ty) != expr.ty => {
                    early.funcs.entry(id).or_insert((expr.ty, 0));
                }
                // Only the length of an array can come later, and quals of arrays are moved.
                ExprKind::Var(id)
                    if types.size_of(expr.ty).is_none() && types.as_array(expr.ty).is_some() =>
                {
                    early.vars.entry(id).or_insert((expr.ty, 0));
                }
                _ => {}
            }
        }
        if early.funcs.is_empty() && early.vars.is_empty() {
            return early;
        }
        for (at, item) in program.units[unit.index()].items.iter().enumerate() {
            match item {
                Item::FuncDecl(id) | Item::Func(id) => {
                    early.funcs.entry(*id).and_modify(|entry| entry.1 = at);
                }
                Item::Var(id) | Item::VarDecl(id) => {
                    early.vars.entry(*id).and_modify(|entry| entry.1 = at);
                }
                _ => {}
            }
        }
        early
    }

    /// The type to print for the item at a position, where it is not the entry's own.
    pub(super) fn ty(&self, item: &Item, at: usize) -> Option<Ty> {
        let entry = match item {
            Item::FuncDecl(id) => self.funcs.get(id),
            Item::VarDecl(id) => self.vars.get(id),
            _ => None,
        };
        entry.filter(|entry| at < entry.1).map(|entry| entry.0)
    }
}
