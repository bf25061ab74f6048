//! Variables and what is done to them: shapes, lifetimes, and the effects that operands must not have
//! on one another.

use super::Smith;
use ctree::{Quals, RecordId, Ty, VarId};
use std::collections::BTreeSet;

/// A variable, by its number.
pub(super) type Obj = usize;

/// What a pointer finally points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// An integer, by its number.
    Int(usize),
    Record(RecordId),
}

/// A pointer type: stars, what is behind them, and that one's qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PointerTo {
    pub depth: u32,
    pub base: Base,
    pub quals: Quals,
}

/// What a variable, or an element of an array, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Int(usize),
    Record(RecordId),
    Pointer(PointerTo),
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub var: VarId,
    pub shape: Shape,
    /// Lengths of an array's dimensions; none for other variables.
    pub dims: Vec<u64>,
    /// Depth of the block it is declared in; 0 for globals. What has a lower level lives longer.
    pub level: u32,
    pub quals: Quals,
    pub is_param: bool,
    /// Its address may be taken.
    pub pointable: bool,
    /// A pointer that may be null, and is only dereferenced behind a test.
    pub nullable: bool,
    /// Types of what pointers can reach in it.
    pub scalars: BTreeSet<Ty>,
}

/// Something that is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Object(Obj),
    /// Whatever a pointer to this type may reach.
    Pointee(Ty),
}

/// What an expression, a statement or a function reads and writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub reads: Vec<Touch>,
    pub writes: Vec<Touch>,
}

fn add(to: &mut Vec<Touch>, touch: Touch) {
    if !to.contains(&touch) {
        to.push(touch);
    }
}

impl Effects {
    pub(super) fn read(&mut self, touch: Touch) {
        add(&mut self.reads, touch);
    }

    pub(super) fn write(&mut self, touch: Touch) {
        add(&mut self.writes, touch);
    }

    pub(super) fn join(&mut self, other: &Effects) {
        other.reads.iter().for_each(|t| self.read(*t));
        other.writes.iter().for_each(|t| self.write(*t));
    }

    /// What an operand beside one with these effects must not do.
    fn forbids(&self) -> Effects {
        let mut writes = self.writes.clone();
        self.reads.iter().for_each(|t| add(&mut writes, *t));
        Effects { reads: self.writes.clone(), writes }
    }
}

impl Smith {
    fn meets(&self, a: Touch, b: Touch) -> bool {
        match (a, b) {
            (Touch::Object(a), Touch::Object(b)) => a == b,
            (Touch::Pointee(a), Touch::Pointee(b)) => {
                let within = |a: Ty, b: Ty| self.inside.get(&a).is_some_and(|all| all.contains(&b));
                a == b || within(a, b) || within(b, a)
            }
            (Touch::Object(o), Touch::Pointee(ty)) | (Touch::Pointee(ty), Touch::Object(o)) => {
                self.objects[o].pointable && self.objects[o].scalars.contains(&ty)
            }
        }
    }

    fn meets_any(&self, touches: &[Touch], of: &[Touch]) -> bool {
        touches.iter().any(|a| of.iter().any(|b| self.meets(*a, *b)))
    }

    /// Whether these effects may happen here, beside the operands made so far.
    pub(super) fn allows(&self, effects: &Effects) -> bool {
        let locked: Vec<Touch> = self.locked.iter().map(|o| Touch::Object(*o)).collect();
        !self.meets_any(&effects.reads, &self.forbidden.reads)
            && !self.meets_any(&effects.writes, &self.forbidden.writes)
            && !self.meets_any(&effects.writes, &locked)
    }

    /// Notes what was done; a choice beyond the rules leaves no trace, so that the rest of the program
    /// stays as it was.
    pub(super) fn note(&mut self, effects: &Effects) {
        if !self.wild {
            self.effects.join(effects);
        }
    }

    /// Makes operands whose order is open: what one does, those after it must not undo.
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
    pub(super) fn reading(&mut self, obj: Obj) -> Effects {
        let mut effects = Effects::default();
        effects.read(Touch::Object(obj));
        if let Shape::Pointer(to) = self.objects[obj].shape {
            for touch in self.behind(to) {
                effects.read(touch);
            }
        }
        effects
    }

    /// What is read and written where one of an object's integers is written.
    pub(super) fn writing(&mut self, obj: Obj) -> Effects {
        let mut effects = Effects::default();
        match self.objects[obj].shape {
            Shape::Pointer(to) => {
                effects.read(Touch::Object(obj));
                let mut behind = self.behind(to);
                let last = behind.pop();
                behind.into_iter().for_each(|touch| effects.read(touch));
                last.into_iter().for_each(|touch| effects.write(touch));
            }
            _ => effects.write(Touch::Object(obj)),
        }
        effects
    }

    /// What lies behind each star of a pointer. Of a record any member may be meant.
    fn behind(&mut self, to: PointerTo) -> Vec<Touch> {
        let mut touches = Vec::new();
        for depth in (1..to.depth).rev() {
            let ty = self.pointer_type(PointerTo { depth, ..to });
            touches.push(Touch::Pointee(self.p.types.canon(ty).unqual()));
        }
        let ty = self.base_type(to.base);
        touches.push(Touch::Pointee(self.p.types.canon(ty).unqual()));
        touches
    }

    /// The type of what a pointer finally points to, unqualified.
    pub(super) fn base_type(&mut self, base: Base) -> Ty {
        match base {
            Base::Int(int) => self.ints[int],
            Base::Record(id) => self.record_type(id),
        }
    }

    /// A pointer type as it is written.
    pub(super) fn pointer_type(&mut self, to: PointerTo) -> Ty {
        let mut ty = self.base_type(to.base).qualified(to.quals);
        for _ in 0..to.depth {
            ty = self.p.types.pointer(ty);
        }
        ty
    }

    /// The type of a shape, unqualified.
    pub(super) fn shape_type(&mut self, shape: Shape) -> Ty {
        match shape {
            Shape::Int(int) => self.ints[int],
            Shape::Record(id) => self.record_type(id),
            Shape::Pointer(to) => self.pointer_type(to),
        }
    }
}
