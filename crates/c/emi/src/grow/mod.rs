//! Statements generated from C's grammar, for code that never runs.
//!
//! They are well typed, use what is visible at a site, and need no defined behaviour: variables may be
//! uninitialised, loops endless, divisors zero. What compilers reject is avoided, which is the purpose of
//! the checks here.
//!
//! What it does not do: labels of its own, operators on vectors, calls of the C library.

mod expr;
mod lvalue;
mod stmt;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashSet;

use choice::Choices;
use ctree::{
    ArrayLen, FuncId, LabelId, Program, RecordId, Scope, StmtId, Storage, Ty, TypeKind, VarId,
};

use crate::site::{CalleeKind, Site, Sites};

/// Most statements of a body: enough for a loop with a body, and short to read.
const STMTS: u64 = 12;
/// Most operators of a body.
const OPERATORS: u32 = 120;
/// Greatest nesting of statements.
const DEPTH: u32 = 3;

/// A block for a site: well typed, using what is visible there, without regard to undefined behaviour.
/// `looped` if it is the body of a loop of its own.
pub(crate) fn body(
    program: &mut Program,
    sites: &Sites,
    site: &Site,
    looped: bool,
    choices: &mut Choices,
) -> StmtId {
    let scope = Visible::at(program, sites, site);
    let ret = program.types.as_function(program.func(site.func).ty).map_or(Ty::VOID, |f| f.ret);
    let ret = program.types.canon(ret).unqual();
    let labels = sites.labels.get(&site.func).cloned().unwrap_or_default();
    let mut generator = BodyGenerator {
        stmts: 1 + choices.below(STMTS) as u32,
        operators: OPERATORS,
        breaks: site.breaks || looped,
        continues: site.continues || looped,
        program,
        scope,
        ret,
        labels,
        choices,
    };
    generator.block(DEPTH)
}

/// A name that nothing in a program has.
pub(crate) fn fresh(program: &Program) -> String {
    let mut n = program.vars.len();
    loop {
        let name = format!("emi_{n}");
        if program.names.get(&name).is_none() {
            return name;
        }
        n += 1;
    }
}

/// What is visible at a site.
pub(crate) struct Visible {
    /// Variables, innermost last. Those that are only declared are left out: they may not be
    /// defined.
    pub vars: Vec<VarId>,
    /// Functions that have a body somewhere, `main` left out.
    pub funcs: Vec<FuncId>,
    /// Functions of the C library.
    pub library: Vec<FuncId>,
    /// Records whose members are known.
    records: HashSet<RecordId>,
}

impl Visible {
    /// What is visible before a statement.
    pub fn at(program: &Program, sites: &Sites, site: &Site) -> Visible {
        let mut vars = sites.visible.vars(program, site.stmt);
        vars.retain(|&v| is_defined(program, v));
        vars.reverse();
        let all = sites.visible.funcs(program, site.stmt);
        let of = |callee| all.iter().copied().filter(|&f| sites.callee(f) == callee).collect();
        let (funcs, library) = (of(CalleeKind::Defined), of(CalleeKind::Library));
        Visible { vars, funcs, library, records: sites.visible.records(site.stmt) }
    }

    /// Whether the members of a record can be named.
    pub fn knows(&self, program: &Program, id: RecordId) -> bool {
        let record = &program.types.records[id.index()];
        record.complete && (record.tag.is_none() || self.records.contains(&id))
    }

    /// Whether objects of a type can be read and written whole: its size is known here.
    pub fn is_complete(&self, program: &Program, ty: Ty) -> bool {
        match *program.types.shape(ty) {
            TypeKind::Record(id) => self.knows(program, id),
            TypeKind::Array(elem, ArrayLen::Known(_)) => self.is_complete(program, elem),
            TypeKind::Array(..) | TypeKind::Void | TypeKind::Function(_) | TypeKind::VaList => {
                false
            }
            _ => true,
        }
    }

    /// Whether a canonical type can be written here with the same meaning.
    pub fn can_write(&self, program: &Program, ty: Ty) -> bool {
        match program.types.shape(ty) {
            TypeKind::Void | TypeKind::Int(_) | TypeKind::Float(_) => true,
            TypeKind::Pointer(to) => self.can_write(program, *to),
            TypeKind::Array(elem, ArrayLen::Known(_)) => self.can_write(program, *elem),
            TypeKind::Function(f) => {
                f.proto && [f.ret].iter().chain(&f.params).all(|&ty| self.can_write(program, ty))
            }
            TypeKind::Record(id) => {
                let tag = program.types.records[id.index()].tag;
                let same = program.types.records.iter().filter(|r| r.tag == tag).count();
                // The tag would refer to an inner record or enum.
                let hidden = same > 1 || program.types.enums.iter().any(|e| e.tag == tag);
                tag.is_some() && self.records.contains(id) && !hidden
            }
            _ => false,
        }
    }
}

/// Each unit has its own entry for a shared variable.
fn is_defined(program: &Program, v: VarId) -> bool {
    let var = program.var(v);
    let shared = |other: &ctree::Var| {
        other.name == var.name
            && other.scope == Scope::File
            && other.defined
            && other.storage != Storage::Static
    };
    var.scope != Scope::File || var.defined || program.vars.iter().any(shared)
}

/// Builds a body.
struct BodyGenerator<'a> {
    program: &'a mut Program,
    scope: Visible,
    /// What the function returns.
    ret: Ty,
    labels: Vec<LabelId>,
    breaks: bool,
    continues: bool,
    /// The budgets of statements and operators.
    stmts: u32,
    operators: u32,
    choices: &'a mut Choices,
}
