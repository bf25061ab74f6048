//! A seed and its edits.
//!
//! The arenas of one program hold the seed and all code ever generated for it; the edits say where the
//! code is inserted. Ids never change, so that an edit can be inside the code of another one, and any of
//! them can be left out.

use std::collections::HashMap;

use ctree::{ExprId, Program, StmtId, StmtKind};

use crate::Strategy;

/// One mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The strategy that made it.
    pub strategy: Strategy,
    /// What it does.
    pub change: Change,
}

/// What an edit does to its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Inserts a statement before it.
    Insert {
        /// The original statement.
        before: StmtId,
        /// The new one.
        code: StmtId,
    },
    /// Guards it by a condition.
    Guard {
        /// The statement.
        stmt: StmtId,
        /// The condition.
        by: ExprId,
    },
    /// Removes it.
    Remove {
        /// The statement.
        stmt: StmtId,
    },
}

impl Change {
    /// The statement that is changed.
    pub fn stmt(self) -> StmtId {
        match self {
            Change::Insert { before: stmt, .. }
            | Change::Guard { stmt, .. }
            | Change::Remove { stmt } => stmt,
        }
    }
}

/// A seed and its edits.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The seed and, not attached to it, the code that edits insert.
    pub(crate) base: Program,
    pub(crate) edits: Vec<Edit>,
}

impl Variant {
    /// The seed itself.
    pub fn new(seed: Program) -> Variant {
        Variant { base: seed, edits: Vec::new() }
    }

    /// The edits, in order.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The program with all edits.
    pub fn program(&self) -> Program {
        self.with(|_| true)
    }

    /// The program with the edits whose indices `keep` accepts. An edit inside the code of another one
    /// is left out with it.
    pub fn with(&self, keep: impl Fn(usize) -> bool) -> Program {
        let mut about: HashMap<StmtId, Vec<Change>> = HashMap::new();
        for (_, edit) in self.edits.iter().enumerate().filter(|(n, _)| keep(*n)) {
            about.entry(edit.change.stmt()).or_default().push(edit.change);
        }
        let mut applier = EditApplier { program: self.base.clone(), about };
        if !applier.about.is_empty() {
            // Edits inside the code of one that is left out are applied as well: they are unreachable.
            (0..self.base.stmts.len() as u32).for_each(|n| applier.stmt(StmtId(n)));
        }
        applier.program
    }
}

struct EditApplier {
    program: Program,
    about: HashMap<StmtId, Vec<Change>>,
}

impl EditApplier {
    /// Applies the edits of the statements in a statement.
    fn stmt(&mut self, id: StmtId) {
        let about = |s: &StmtId| self.about.contains_key(s);
        let kind = &self.program.stmt(id).kind;
        let touched = match kind {
            StmtKind::Block(list) => list.iter().any(about),
            StmtKind::If(_, then, other) => about(then) || other.as_ref().is_some_and(about),
            StmtKind::While(_, s)
            | StmtKind::DoWhile(s, _)
            | StmtKind::For { body: s, .. }
            | StmtKind::Switch(_, s)
            | StmtKind::Case(_, _, s)
            | StmtKind::Default(s)
            | StmtKind::Label(_, s) => about(s),
            _ => false,
        };
        if !touched {
            return;
        }
        let mut kind = kind.clone();
        match &mut kind {
            StmtKind::Block(list) => {
                *list = list.iter().flat_map(|&s| self.with_edits(s)).collect()
            }
            StmtKind::If(_, then, other) => {
                *then = self.single(*then);
                *other = other.map(|s| self.single(s));
            }
            StmtKind::While(_, s)
            | StmtKind::DoWhile(s, _)
            | StmtKind::For { body: s, .. }
            | StmtKind::Switch(_, s)
            | StmtKind::Case(_, _, s)
            | StmtKind::Default(s)
            | StmtKind::Label(_, s) => *s = self.single(*s),
            _ => {}
        }
        self.program.stmts[id.index()].kind = kind;
    }

    /// A statement that stands alone, with its edits.
    fn single(&mut self, s: StmtId) -> StmtId {
        if !self.about.contains_key(&s) {
            return s;
        }
        match self.with_edits(s)[..] {
            [] => self.program.make_stmt(StmtKind::Empty),
            [one] => one,
            ref list => {
                let list = list.to_vec();
                self.program.block(list)
            }
        }
    }

    fn with_edits(&mut self, s: StmtId) -> Vec<StmtId> {
        let Some(changes) = self.about.get(&s).cloned() else { return vec![s] };
        let mut list = Vec::new();
        let mut own = Some(s);
        for change in changes {
            match change {
                Change::Insert { code, .. } => list.extend(self.with_edits(code)),
                Change::Guard { by, .. } => {
                    own = own.map(|s| self.program.make_stmt(StmtKind::If(by, s, None)));
                }
                Change::Remove { .. } => own = None,
            }
        }
        list.extend(own);
        list
    }
}
