//! Variables, their types and lifetimes, and the effects that unsequenced operands must not have on one
//! another.

use super::Smith;
use ctree::{Quals, RecordId, Ty, VarId};
use std::collections::BTreeSet;

/// A variable, by its number.
pub(super) type VarIndex = usize;

/// What a pointer finally points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointee {
    /// An integer, by its number.
    Int(usize),
    Record(RecordId),
}

/// A pointer type: its depth, the pointee, and the pointee's qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PointerTo {
    pub depth: u32,
    pub base: Pointee,
    pub quals: Quals,
}

/// What a variable, or an element of an array, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    Int(usize),
    Record(RecordId),
    Pointer(PointerTo),
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub var: VarId,
    pub value_type: ValueType,
    /// Lengths of an array's dimensions; none for other variables.
    pub dims: Vec<u64>,
    /// Depth of the block it is declared in; 0 for globals. A lower level means a longer lifetime.
    pub level: u32,
    pub quals: Quals,
    pub is_param: bool,
    /// Its address may be taken.
    pub pointable: bool,
    /// A pointer that may be null, and is only dereferenced after a null check.
    pub nullable: bool,
    /// Types of what pointers can reach in it.
    pub scalars: BTreeSet<Ty>,
}

/// Something that is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accessed {
    Variable(VarIndex),
    /// Whatever a pointer to this type may reach.
    Pointee(Ty),
}

/// What an expression, a statement or a function reads and writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub reads: Vec<Accessed>,
    pub writes: Vec<Accessed>,
}

fn add(to: &mut Vec<Accessed>, touch: Accessed) {
    if !to.contains(&touch) {
        to.push(touch);
    }
}

impl Effects {
    pub(super) fn read(&mut self, touch: Accessed) {
        add(&mut self.reads, touch);
    }

    pub(super) fn write(&mut self, touch: Accessed) {
        add(&mut self.writes, touch);
    }

    pub(super) fn join(&mut self, other: &Effects) {
        other.reads.iter().for_each(|t| self.read(*t));
        other.writes.iter().for_each(|t| self.write(*t));
    }

    /// The effects that an operand unsequenced with one with these effects must not have.
    fn forbids(&self) -> Effects {
        let mut writes = self.writes.clone();
        self.reads.iter().for_each(|t| add(&mut writes, *t));
        Effects { reads: self.writes.clone(), writes }
    }
}

impl Smith {
    fn meets(&self, a: Accessed, b: Accessed) -> bool {
        match (a, b) {
            (Accessed::Variable(a), Accessed::Variable(b)) => a == b,
            (Accessed::Pointee(a), Accessed::Pointee(b)) => {
                let within = |a: Ty, b: Ty| self.inside.get(&a).is_some_and(|all| all.contains(&b));
                a == b || within(a, b) || within(b, a)
            }
            (Accessed::Variable(o), Accessed::Pointee(ty))
            | (Accessed::Pointee(ty), Accessed::Variable(o)) => {
                self.objects[o].pointable && self.objects[o].scalars.contains(&ty)
            }
        }
    }

    fn meets_any(&self, touches: &[Accessed], of: &[Accessed]) -> bool {
        touches.iter().any(|a| of.iter().any(|b| self.meets(*a, *b)))
    }

    /// Whether these effects are allowed here, next to the operands built so far.
    pub(super) fn allows(&self, effects: &Effects) -> bool {
        let locked: Vec<Accessed> = self.locked.iter().map(|o| Accessed::Variable(*o)).collect();
        !self.meets_any(&effects.reads, &self.forbidden.reads)
            && !self.meets_any(&effects.writes, &self.forbidden.writes)
            && !self.meets_any(&effects.writes, &locked)
    }

    /// Records effects. A relaxed choice is not recorded, so that the rest of the program does not
    /// change.
    pub(super) fn note(&mut self, effects: &Effects) {
        if !self.in_relaxation {
            self.effects.join(effects);
        }
    }

    /// Builds unsequenced operands: the effects of one restrict those after it.
    pub(super) fn unsequenced<T>(
        &mut self,
        count: usize,
        mut make: impl FnMut(&mut Self, usize) -> T,
    ) -> Vec<T> {
        let outer = self.forbidden.clone();
        let before = std::mem::take(&mut self.effects);
        let made = (0..count)
            .map(|i| {
                let one = make(self, i);
                self.forbidden = outer.clone();
                let more = self.effects.forbids();
                self.forbidden.join(&more);
                one
            })
            .collect();
        self.forbidden = outer;
        let inner = std::mem::replace(&mut self.effects, before);
        self.effects.join(&inner);
        made
    }

    /// The end of a full expression: its effects become those of the function.
    pub(super) fn full_expression(&mut self) {
        let effects = std::mem::take(&mut self.effects);
        self.summary.join(&effects);
    }

    /// What is read where an object's integers are read.
    pub(super) fn reading(&mut self, obj: VarIndex) -> Effects {
        let mut effects = Effects::default();
        effects.read(Accessed::Variable(obj));
        if let ValueType::Pointer(to) = self.objects[obj].value_type {
            for touch in self.behind(to) {
                effects.read(touch);
            }
        }
        effects
    }

    /// What is read and written where one of an object's integers is written.
    pub(super) fn writing(&mut self, obj: VarIndex) -> Effects {
        let mut effects = Effects::default();
        match self.objects[obj].value_type {
            ValueType::Pointer(to) => {
                effects.read(Accessed::Variable(obj));
                let mut behind = self.behind(to);
                let last = behind.pop();
                behind.into_iter().for_each(|touch| effects.read(touch));
                last.into_iter().for_each(|touch| effects.write(touch));
            }
            _ => effects.write(Accessed::Variable(obj)),
        }
        effects
    }

    /// What lies behind each star of a pointer. Of a record any member may be meant.
    fn behind(&mut self, to: PointerTo) -> Vec<Accessed> {
        let mut touches = Vec::new();
        for depth in (1..to.depth).rev() {
            let ty = self.pointer_type(PointerTo { depth, ..to });
            touches.push(Accessed::Pointee(self.program.types.canon(ty).unqual()));
        }
        let ty = self.base_type(to.base);
        touches.push(Accessed::Pointee(self.program.types.canon(ty).unqual()));
        touches
    }

    /// The type of what a pointer finally points to, unqualified.
    pub(super) fn base_type(&mut self, base: Pointee) -> Ty {
        match base {
            Pointee::Int(int) => self.ints[int],
            Pointee::Record(id) => self.record_type(id),
        }
    }

    /// A pointer type as it is written.
    pub(super) fn pointer_type(&mut self, to: PointerTo) -> Ty {
        let mut ty = self.base_type(to.base).qualified(to.quals);
        for _ in 0..to.depth {
            ty = self.program.types.pointer(ty);
        }
        ty
    }

    /// The type of a shape, unqualified.
    pub(super) fn c_type(&mut self, value_type: ValueType) -> Ty {
        match value_type {
            ValueType::Int(int) => self.ints[int],
            ValueType::Record(id) => self.record_type(id),
            ValueType::Pointer(to) => self.pointer_type(to),
        }
    }
}
