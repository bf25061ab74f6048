//! Identifier scopes and name spaces (C11 6.2.1, 6.2.3).
//!
//! One vector per name space, indexed by symbol, holds the visible binding; an undo log restores
//! what a scope hid. A lookup is one index, and leaving a scope costs what it declared.

use ctree::{EnumId, FuncId, RecordId, Sym, TypedefId, VarId};

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binding {
    None,
    Typedef(TypedefId),
    Var(VarId),
    Func(FuncId),
    Enumerator(EnumId, u32),
    /// A declaration that used something unsupported: index of the reason.
    Unsupported(u32),
}

/// What a tag stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    None,
    Record(RecordId),
    Enum(EnumId),
}

enum UndoEntry {
    Name(Sym, Binding, u32),
    Tag(Sym, Tag, u32),
}

/// The scopes in force; level 0 is file scope.
pub(crate) struct Scopes {
    names: Vec<(Binding, u32)>,
    tags: Vec<(Tag, u32)>,
    undo: Vec<UndoEntry>,
    marks: Vec<usize>,
}

impl Scopes {
    pub(crate) fn new(symbols: usize) -> Scopes {
        Scopes {
            names: vec![(Binding::None, 0); symbols],
            tags: vec![(Tag::None, 0); symbols],
            undo: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// How deep we are; 0 at file scope.
    #[inline]
    pub(crate) fn level(&self) -> u32 {
        self.marks.len() as u32
    }

    pub(crate) fn push(&mut self) {
        self.marks.push(self.undo.len());
    }

    pub(crate) fn pop(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some(UndoEntry::Name(sym, bind, level)) => {
                    self.names[sym.0 as usize] = (bind, level)
                }
                Some(UndoEntry::Tag(sym, tag, level)) => self.tags[sym.0 as usize] = (tag, level),
                None => break,
            }
        }
    }

    /// The visible meaning of an identifier, and the level that declared it.
    #[inline]
    pub(crate) fn name(&self, sym: Sym) -> (Binding, u32) {
        self.names.get(sym.0 as usize).copied().unwrap_or((Binding::None, 0))
    }

    /// The meaning of an identifier if the innermost scope declared it.
    pub(crate) fn name_here(&self, sym: Sym) -> Binding {
        let (bind, level) = self.name(sym);
        if level == self.level() { bind } else { Binding::None }
    }

    pub(crate) fn bind(&mut self, sym: Sym, bind: Binding) {
        let index = sym.0 as usize;
        if index >= self.names.len() {
            self.names.resize(index + 1, (Binding::None, 0));
        }
        let level = self.level();
        let (old, old_level) = self.names[index];
        if level > 0 && (old_level != level || old == Binding::None) {
            self.undo.push(UndoEntry::Name(sym, old, old_level));
        }
        self.names[index] = (bind, level);
    }

    /// The visible meaning of a tag, and the level that declared it.
    pub(crate) fn tag(&self, sym: Sym) -> (Tag, u32) {
        self.tags.get(sym.0 as usize).copied().unwrap_or((Tag::None, 0))
    }

    pub(crate) fn bind_tag(&mut self, sym: Sym, tag: Tag) {
        let index = sym.0 as usize;
        if index >= self.tags.len() {
            self.tags.resize(index + 1, (Tag::None, 0));
        }
        let level = self.level();
        let (old, old_level) = self.tags[index];
        if level > 0 && (old_level != level || old == Tag::None) {
            self.undo.push(UndoEntry::Tag(sym, old, old_level));
        }
        self.tags[index] = (tag, level);
    }

    /// The tags that the innermost scope declared.
    pub(crate) fn tags_here(&self) -> Vec<(Sym, Tag)> {
        let mark = self.marks.last().copied().unwrap_or(0);
        let here = |u: &UndoEntry| match *u {
            UndoEntry::Tag(sym, ..) => Some((sym, self.tags[sym.0 as usize].0)),
            UndoEntry::Name(..) => None,
        };
        self.undo[mark..].iter().filter_map(here).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_a_scope_restores_what_it_hid() {
        let mut scopes = Scopes::new(1);
        let (x, y) = (Sym(0), Sym(7));
        scopes.bind(x, Binding::Var(VarId(1)));
        scopes.push();
        assert_eq!(scopes.name_here(x), Binding::None);
        scopes.bind(x, Binding::Var(VarId(2)));
        scopes.bind(y, Binding::Func(FuncId(3)));
        assert_eq!(scopes.name(x), (Binding::Var(VarId(2)), 1));
        scopes.pop();
        assert_eq!(scopes.name(x), (Binding::Var(VarId(1)), 0));
        assert_eq!(scopes.name(y).0, Binding::None);
    }
}
