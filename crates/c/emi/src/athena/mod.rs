//! Athena: inserts statements of other programs into code that never runs, and removes such code.
//!
//! A random walk over variants (Markov chain Monte Carlo) that prefers distance from the seed. Code that
//! never runs needs no execution between proposals, so a variant takes several steps at once.

mod copy;
mod distance;
mod survey;
#[cfg(test)]
mod tests;
mod transplant;
mod walk;

use choice::Choices;
use ctree::{Program, StmtId, StmtKind};

use crate::chain::ProfiledProgram;
use crate::dead::{Flow, dead_sites};
use crate::site::own_funcs;
use crate::{Change, Edit, Strategy, Variant};
use copy::{ArenaMark, Destination, TreeCopier};
use survey::Requirements;
use walk::Walk;

/// Most snippets in total, and of one seed: the snippets should come from many programs.
const ALL: usize = 4000;
const OF_SEED: usize = 100;

/// Snippets: statements gathered from seeds.
#[derive(Debug, Default)]
pub struct Database {
    /// Their trees, with the names and types of functions.
    program: Option<Program>,
    snippets: Vec<Snippet>,
}

#[derive(Debug)]
struct Snippet {
    stmt: StmtId,
    needs: Requirements,
}

impl Database {
    /// Adds statements of a program that can be transplanted into others. The first `headers`
    /// declarations of each unit are left out.
    pub fn gather(&mut self, program: &Program, headers: &[usize]) {
        let to = self.program.get_or_insert_with(|| Program::new(program.types.model.clone()));
        if to.types.model != program.types.model {
            return;
        }
        let mut found = Vec::new();
        for (_, body) in own_funcs(program, headers) {
            let flow = Flow::of_stmt(program, body);
            found.extend(flow.nodes.iter().skip(1).map(|node| node.stmt));
        }
        found.retain(|&s| {
            is_snippet(program, s)
                && Requirements::of(program, s).is_some_and(|needs| needs.is_portable(program))
        });
        // A sample of the whole program.
        let count = found.len().min(OF_SEED).min(ALL.saturating_sub(self.snippets.len()));
        for n in 0..count {
            let mark = ArenaMark::of(to);
            match keep(program, found[n * found.len() / count], to) {
                Some(snippet) => self.snippets.push(snippet),
                None => mark.restore(to),
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.snippets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.snippets.is_empty()
    }
}

fn keep(from: &Program, s: StmtId, to: &mut Program) -> Option<Snippet> {
    let needs = Requirements::of(from, s)?;
    let vars = Default::default();
    let mut copier =
        TreeCopier { from, to, same: false, into: Destination::Database, vars, decls: Vec::new() };
    for free_var in &needs.free_vars {
        copier.var(free_var.var)?;
    }
    let stmt = copier.stmt(s)?;
    Some(Snippet { stmt, needs: Requirements::of(to, stmt)? })
}

/// Whether a statement is suitable as a snippet.
fn is_snippet(program: &Program, s: StmtId) -> bool {
    use StmtKind::{Block, DoWhile, Expr, For, If, Switch, While};
    match &program.stmt(s).kind {
        Expr(_) | If(..) | While(..) | DoWhile(..) | For { .. } | Switch(..) => true,
        Block(list) => !list.is_empty(),
        _ => false,
    }
}

/// Inserts snippets into code that never ran, and removes statements that never ran.
pub(crate) fn mutate(
    view: &ProfiledProgram,
    database: &Database,
    room: usize,
    next: &mut Variant,
    choices: &mut Choices,
) {
    let flow = Flow::of(view.program);
    let dead = dead_sites(view, &flow, next);
    if dead.is_empty() || room == 0 {
        return;
    }
    let mut walk = Walk::new(view, database, &flow, &dead, &mut next.base);
    // From few proposals to many.
    for _ in 0..1 + choices.below(2 * room as u64) {
        walk.propose(room, choices);
    }
    let changes: Vec<Change> = walk.changes().collect();
    let edit = |change| Edit { strategy: Strategy::Athena, change };
    next.edits.extend(changes.into_iter().map(edit));
}
