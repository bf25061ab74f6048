//! The integers that a profile looks at before a statement: the variables in scope, and the members
//! and elements of those that are no integers themselves. Pointers are not followed.

use cmachine::{PathStep, Watch};
use ctree::scope::VisibleDecls;
use ctree::{ArrayLen, Program, StmtId, Ty, TypeKind, VarId};

/// Integers of one variable, and elements of one array, at most.
const MAX_SCALARS: usize = 64;

/// What to watch before a statement, in the order of declaration.
pub fn watches(program: &Program, visible: &VisibleDecls, s: StmtId) -> Vec<Watch> {
    let mut vars = visible.vars(program, s);
    vars.sort();
    let mut watches = Vec::new();
    for var in vars {
        let end = watches.len() + MAX_SCALARS;
        Way { program, var, path: Vec::new() }.integers(program.var(var).ty, end, &mut watches);
    }
    watches
}

struct Way<'p> {
    program: &'p Program,
    var: VarId,
    path: Vec<PathStep>,
}

impl Way<'_> {
    fn integers(&mut self, ty: Ty, end: usize, out: &mut Vec<Watch>) {
        if out.len() >= end {
            return;
        }
        let types = &self.program.types;
        match *types.shape(ty) {
            TypeKind::Array(elem, ArrayLen::Known(n)) => {
                for i in 0..n.min(MAX_SCALARS as u64) as u32 {
                    self.part(PathStep::Element(i), elem, end, out);
                }
            }
            TypeKind::Record(id) => {
                for (i, field) in types.records[id.index()].fields.iter().enumerate() {
                    self.part(PathStep::Field(i as u32), field.ty, end, out);
                }
            }
            TypeKind::Int(_) | TypeKind::Enum(_) => {
                out.push(Watch { var: self.var, path: self.path.clone() });
            }
            _ => {}
        }
    }

    fn part(&mut self, step: PathStep, ty: Ty, end: usize, out: &mut Vec<Watch>) {
        self.path.push(step);
        self.integers(ty, end, out);
        self.path.pop();
    }
}
