//! Lvalues of integer type within variables: elements, members, dereferences.

use super::{Induction, Yarp};
use crate::policy::knobs::{Chance, Index, PointerForm};
use ctree::print::Container;
use ctree::{ArrayLen, BinOp, ExprId, RecordKind, Ty, TypeKind, VarId};

impl Yarp {
    /// An integer within a variable: the variable itself, an element, a member, what it points to.
    pub(super) fn integer_in(&mut self, var: VarId) -> ExprId {
        self.used.push(var);
        let mut at = self.program.var_ref(var);
        let mut dimension = 0;
        loop {
            let ty = self.program.expr(at).ty;
            match *self.program.types.shape(ty) {
                TypeKind::Array(_, ArrayLen::Known(n)) => {
                    let index = self.index(n as i64);
                    at = self.program.index(at, index);
                    if self.has_at(var, dimension) && self.chance(Chance::At) {
                        self.plan.at.insert(at);
                    }
                    dimension += 1;
                }
                TypeKind::Vector(_, lanes) => {
                    let lane = self.choices.below(u64::from(lanes));
                    let lane = self.program.int_const(Ty::INT, i128::from(lane));
                    at = self.program.index(at, lane);
                }
                TypeKind::Record(id) => {
                    let field = self.choose_field(id);
                    at = self.program.member(at, field);
                }
                TypeKind::Pointer(to) => {
                    let elements = self.pointees.get(&var).copied().unwrap_or(1);
                    at = self.follow(at, to, elements);
                }
                _ => return at,
            }
        }
    }

    fn choose_field(&mut self, id: ctree::RecordId) -> u32 {
        let fields = self.named_fields(id);
        // In C++ only the member that was written last may be read.
        if self.is_cxx() && self.program.types.records[id.index()].kind == RecordKind::Union {
            return fields.first().copied().unwrap_or(0);
        }
        self.choices.pick(&fields).copied().unwrap_or(0)
    }

    fn has_at(&self, var: VarId, dimension: usize) -> bool {
        let containers = self.plan.containers.get(&var);
        matches!(
            containers.and_then(|c| c.get(dimension)),
            Some(Container::StdArray | Container::Vector)
        )
    }

    /// What a pointer points to, or something behind it.
    fn follow(&mut self, pointer: ExprId, to: Ty, elements: i64) -> ExprId {
        if self.program.types.is_pointer(to) {
            return self.program.deref(pointer);
        }
        if let Some(id) = self.program.types.as_record(to) {
            let field = self.choose_field(id);
            if self.choices.chance(80) {
                return self.program.arrow(pointer, field);
            }
            let record = self.program.deref(pointer);
            return self.program.member(record, field);
        }
        if elements == 1 {
            return self.program.deref(pointer);
        }
        match self.pick::<PointerForm>() {
            PointerForm::Star => self.program.deref(pointer),
            PointerForm::Index => {
                let index = self.index(elements);
                self.program.index(pointer, index)
            }
            PointerForm::Sum => {
                let index = self.index(elements);
                let sum = self.program.binary(BinOp::Add, pointer, index);
                self.program.deref(sum)
            }
        }
    }

    /// An index into so many elements: most kinds are in bounds by construction, wild ones are
    /// repaired.
    pub(super) fn index(&mut self, length: i64) -> ExprId {
        let policy = &self.policy;
        let depth = self.index_depth;
        let kind = policy.pick_if(&mut self.choices, |kind| match kind {
            Index::Masked => depth == 0 && length >= 2,
            Index::Modulo | Index::Wild => depth == 0,
            _ => true,
        });
        match kind.unwrap_or(Index::Constant) {
            Index::Constant => self.constant_index(length),
            Index::Induction => match self.induction(|i| i.low >= 0 && i.high < length) {
                Some(i) => self.program.var_ref(i.var),
                None => self.constant_index(length),
            },
            Index::Shifted => match self.induction(|i| i.high - i.low < length) {
                Some(i) => {
                    let by = self.choices.range((-i.low).max(-3)..=(length - 1 - i.high).min(3));
                    self.shifted(i, by, length)
                }
                None => self.constant_index(length),
            },
            Index::Reversed => match self.induction(|i| i.low >= 0 && i.high < length) {
                Some(i) => {
                    let last = self.choices.range(i.high..=length - 1);
                    let last = self.program.int_const(Ty::INT, i128::from(last));
                    let counter = self.program.var_ref(i.var);
                    self.program.binary(BinOp::Sub, last, counter)
                }
                None => self.constant_index(length),
            },
            Index::Masked => {
                let mask = (1 << (63 - (length as u64).leading_zeros())) - 1;
                let value = self.index_value();
                let mask = self.program.int_const(Ty::INT, mask);
                self.program.binary(BinOp::BitAnd, value, mask)
            }
            Index::Modulo => {
                let value = self.index_value();
                let value = self.program.cast(Ty::UINT, value);
                let length = self.program.int_const(Ty::UINT, i128::from(length));
                self.program.binary(BinOp::Rem, value, length)
            }
            Index::Wild => self.index_value(),
        }
    }

    /// An expression to index with; its own indices are plain.
    fn index_value(&mut self) -> ExprId {
        self.index_depth += 1;
        let value = self.expr(1);
        self.index_depth -= 1;
        // Neither a pointer nor a 128-bit integer is used as an index.
        value
    }

    fn constant_index(&mut self, length: i64) -> ExprId {
        let value = self.choices.below(length as u64);
        self.program.int_const(Ty::INT, i128::from(value))
    }

    /// `i + by`, if that stays within the array.
    fn shifted(&mut self, i: Induction, by: i64, length: i64) -> ExprId {
        let counter = self.program.var_ref(i.var);
        if by == 0 || i.low + by < 0 || i.high + by >= length {
            return if i.low >= 0 && i.high < length {
                counter
            } else {
                self.constant_index(length)
            };
        }
        let op = if by > 0 { BinOp::Add } else { BinOp::Sub };
        let by = self.program.int_const(Ty::INT, i128::from(by.abs()));
        self.program.binary(op, counter, by)
    }

    /// A counter of an enclosing loop, the innermost more often.
    pub(super) fn induction(&mut self, fits: impl Fn(&Induction) -> bool) -> Option<Induction> {
        let found: Vec<Induction> = self.inductions.iter().copied().filter(|i| fits(i)).collect();
        if self.choices.chance(50) {
            return found.last().copied();
        }
        self.choices.pick(&found).copied()
    }
}
