//! Initialisers in C++: no designators, no narrowing (ISO C++ [dcl.init.list]), all values
//! in order.

use super::Printer;
use super::cxx::{Container, is_container};
use super::expr::ASSIGN;
use crate::expr::{Expr, ExprKind, Init, InitItem, UnOp};
use crate::ids::{ExprId, RecordId, StrId};
use crate::program::StrWidth;
use crate::types::{Field, RecordKind, Ty, TypeKind};

/// Longest list that is written out: C++ has no short form for `[a ... b]` and distant designators.
const MOST: u64 = 1 << 16;

/// Integers up to this are exact in every floating type.
const EXACT: i128 = 1 << 24;

/// The initialiser of one position.
#[derive(Clone, Copy)]
pub(super) enum Slot<'i> {
    /// Nothing was given.
    Zero,
    Init(&'i Init),
    /// A character of a string that has to be taken apart.
    Char(i64),
}

impl Slot<'_> {
    fn is_zero(&self) -> bool {
        matches!(self, Slot::Zero)
    }
}

/// How many of the elements have to be written: the rest is implicitly zero.
pub(super) fn used(slots: &[Slot<'_>]) -> usize {
    slots.iter().rposition(|slot| !slot.is_zero()).map_or(0, |last| last + 1)
}

impl Printer<'_> {
    /// An initialiser outside of braces, after the `=`.
    pub(super) fn cxx_init(&mut self, ty: Ty, init: &Init) {
        match init {
            Init::Expr(value) if self.program.types.as_array(ty).is_none() => {
                self.check_copy(*value);
                self.expr(*value, ASSIGN);
            }
            _ => self.slot(ty, &[], Slot::Init(init)),
        }
    }

    /// Whether C++ wants an initialiser where C takes none: something in it is `const`.
    pub(super) fn must_be_initialised(&self, ty: Ty) -> bool {
        let types = &self.program.types;
        let mut elem = ty;
        while let Some((inner, _)) = types.as_array(elem) {
            elem = inner;
        }
        let fields = types.as_record(elem).map(|id| &types.records[id.index()].fields);
        self.is_const(ty)
            || fields.is_some_and(|fields| fields.iter().any(|f| self.must_be_initialised(f.ty)))
    }

    /// One element within braces.
    pub(super) fn slot(&mut self, ty: Ty, dims: &[Container], slot: Slot<'_>) {
        if is_container(dims) {
            return self.container_element(ty, dims, slot);
        }
        let program = self.program;
        match (program.types.shape(ty), slot) {
            (TypeKind::Array(elem, _) | TypeKind::Vector(elem, _), Slot::Init(init)) => {
                self.array_list(ty, *elem, init);
            }
            (TypeKind::Record(id), Slot::Init(Init::List(items))) => self.record_list(*id, items),
            (_, Slot::Init(Init::Expr(value))) => self.element_value(ty, *value),
            // A scalar in braces.
            (_, Slot::Init(Init::List(items))) => {
                let first = items.first().map_or(Slot::Zero, |item| Slot::Init(&item.init));
                self.slot(ty, &[], first);
            }
            (_, Slot::Char(value)) => self.push_fmt(format_args!("{value}")),
            (TypeKind::Array(..) | TypeKind::Vector(..) | TypeKind::Record(_), Slot::Zero) => {
                self.push("{}");
            }
            (TypeKind::Enum(_), Slot::Zero) => {
                self.push("(");
                self.type_name(ty.unqual());
                self.push(")0");
            }
            (_, Slot::Zero) => self.push("0"),
        }
    }

    /// Elements between the braces, `in_class` if those are for a constructor.
    pub(super) fn elements(
        &mut self,
        elem: Ty,
        dims: &[Container],
        slots: &[Slot<'_>],
        in_class: bool,
    ) {
        for (i, slot) in slots.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            // No constructor takes a braced list for a vector of the GNU kind.
            let lanes = matches!(self.program.types.shape(elem), TypeKind::Vector(..));
            if lanes && in_class && !matches!(slot, Slot::Init(Init::Expr(_))) {
                self.push("(");
                self.type_name(elem.unqual());
                self.push(")");
            }
            self.slot(elem, dims, *slot);
        }
    }

    fn array_list(&mut self, ty: Ty, elem: Ty, init: &Init) {
        let program = self.program;
        if let Init::Expr(value) = init {
            let value = *value;
            let len = self.element(ty).1;
            match program.expr(value).kind {
                // Unlike C, there must be room for the terminating zero.
                ExprKind::Str(id)
                    if program.strings[id.index()].width == StrWidth::Char
                        && program.strings[id.index()].bytes.len() as u64 <= len =>
                {
                    return self.str_lit(id, program.expr(value).ty);
                }
                ExprKind::Str(_) => {}
                _ => return self.element_value(ty, value),
            }
        }
        let len = match (program.types.shape(ty), init) {
            (TypeKind::Vector(_, lanes), _) => u64::from(*lanes),
            (_, Init::List(items)) => items.last().map_or(0, |item| item.last + 1),
            _ => self.element(ty).1,
        };
        let slots = self.slots(elem, len, Slot::Init(init));
        self.push("{");
        self.elements(elem, &[], &slots[..used(&slots)], false);
        self.push("}");
    }

    /// The initialiser of each of the `len` elements of an array.
    pub(super) fn slots<'i>(&mut self, elem: Ty, len: u64, init: Slot<'i>) -> Vec<Slot<'i>> {
        if len > MOST {
            self.fail("an array initialiser of more than 65536 elements");
            return Vec::new();
        }
        let mut slots = vec![Slot::Zero; len as usize];
        match init {
            Slot::Init(Init::List(items)) => {
                for item in items {
                    if item.first != item.last && !self.is_repeatable(&item.init) {
                        self.fail("a side effect that initialises a range of elements");
                    }
                    let range = item.first as usize..(item.last + 1).min(len) as usize;
                    slots[range].fill(Slot::Init(&item.init));
                }
            }
            Slot::Init(Init::Expr(value)) => match self.program.expr(*value).kind {
                ExprKind::Str(id) => self.characters(elem, id, &mut slots),
                _ => self.fail("an array initialised by an array"),
            },
            Slot::Zero | Slot::Char(_) => {}
        }
        slots
    }

    fn characters(&self, elem: Ty, id: StrId, slots: &mut [Slot<'_>]) {
        let lit = &self.program.strings[id.index()];
        let signed = self.program.types.int_bits(elem).is_some_and(|(_, signed)| signed);
        let width = if lit.width == StrWidth::Wide { 4 } else { 1 };
        for (slot, unit) in slots.iter_mut().zip(lit.bytes.chunks_exact(width)) {
            let value = match (unit, signed) {
                (&[byte], true) => i64::from(byte as i8),
                (&[byte], false) => i64::from(byte),
                (&[a, b, c, d], _) => i64::from(i32::from_le_bytes([a, b, c, d])),
                _ => 0,
            };
            if value != 0 {
                *slot = Slot::Char(value);
            }
        }
    }

    fn record_list(&mut self, id: RecordId, items: &[InitItem]) {
        let program = self.program;
        let record = &program.types.records[id.index()];
        // Unnamed bit-fields are not initialised.
        let named = |&(_, f): &(usize, &Field)| f.name.is_some() || f.bits.is_none();
        let mut members = record.fields.iter().enumerate().filter(named);
        self.push("{");
        match (record.kind, items) {
            (_, []) => {}
            (RecordKind::Struct, [.., last]) => {
                let mut left = items.iter().peekable();
                let given = members.take_while(|&(at, _)| at as u64 <= last.first);
                for (i, (at, field)) in given.enumerate() {
                    if i > 0 {
                        self.push(", ");
                    }
                    let item = left.next_if(|item| item.first == at as u64);
                    let slot = item.map_or(Slot::Zero, |item| Slot::Init(&item.init));
                    let dims = self.field_dims(id, at);
                    self.slot(field.ty, &dims, slot);
                }
            }
            (RecordKind::Union, [item, ..]) => {
                let at = item.first as usize;
                let field = &record.fields[at];
                if members.next().is_some_and(|(first, _)| first != at) {
                    self.designator(field);
                }
                let dims = self.field_dims(id, at);
                self.slot(field.ty, &dims, Slot::Init(&item.init));
            }
        }
        self.push("}");
    }

    fn designator(&mut self, field: &Field) {
        match field.name {
            Some(name) if self.cxx.as_ref().is_some_and(|cxx| cxx.plan.std >= 20) => {
                self.push(".");
                self.push_name(name);
                self.push(" = ");
            }
            _ => self.fail("a union initialised by another member than its first"),
        }
    }

    /// A scalar or a whole record within braces, with a cast where it would narrow.
    fn element_value(&mut self, ty: Ty, value: ExprId) {
        self.check_copy(value);
        let to = self.program.types.resolved(ty).unqual();
        let inner = self.unconverted(value);
        if self.narrows(self.innermost(value), to) {
            self.cast(to, inner);
        } else {
            self.expr(value, ASSIGN);
        }
    }

    fn narrows(&self, inner: ExprId, to: Ty) -> bool {
        let types = &self.program.types;
        let from = self.program.expr(inner).ty.unqual();
        if from == to || !types.is_arithmetic(to) || types.as_record(from).is_some() {
            return false;
        }
        match (types.float_kind(from), types.float_kind(to)) {
            (Some(a), Some(b)) => b < a,
            (Some(_), None) => true,
            (None, Some(_)) => self.literal(inner).is_none_or(|value| value.abs() > EXACT),
            (None, None) => {
                let (Some(a), Some(b)) = (types.int_bits(from), types.int_bits(to)) else {
                    return true; // a pointer to bool
                };
                match self.literal(inner) {
                    Some(value) => !fits(value, b),
                    None => b.0 < a.0 + u32::from(b.1 && !a.1) || (a.1 && !b.1),
                }
            }
        }
    }

    /// The value of an integer literal, perhaps negated.
    fn literal(&self, id: ExprId) -> Option<i128> {
        match self.program.expr(id).kind {
            ExprKind::Int(value) => Some(i128::from(value)),
            ExprKind::Unary(UnOp::Neg, of) => match self.program.expr(of) {
                Expr { kind: ExprKind::Int(value), ty, .. }
                    if self.program.types.int_bits(*ty).is_some_and(|(_, signed)| signed) =>
                {
                    Some(-i128::from(*value))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether an initialiser may be written for each element of a range.
    fn is_repeatable(&self, init: &Init) -> bool {
        match init {
            Init::Expr(value) => self.is_pure(*value),
            Init::List(items) => items.iter().all(|item| self.is_repeatable(&item.init)),
        }
    }

    fn is_pure(&self, id: ExprId) -> bool {
        use UnOp::{PostDec, PostInc, PreDec, PreInc};
        match &self.program.expr(id).kind {
            ExprKind::Unary(PreInc | PreDec | PostInc | PostDec, _)
            | ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Call(..)
            | ExprKind::StmtExpr(_)
            | ExprKind::VaArg(..) => false,
            ExprKind::Unary(_, of)
            | ExprKind::Cast(_, of)
            | ExprKind::Implicit(of)
            | ExprKind::Member(of, _)
            | ExprKind::Arrow(of, _) => self.is_pure(*of),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                self.is_pure(*a) && self.is_pure(*b)
            }
            ExprKind::Cond(c, a, b) => {
                self.is_pure(*c) && a.is_none_or(|a| self.is_pure(a)) && self.is_pure(*b)
            }
            ExprKind::CompoundLit(_, init) => self.is_repeatable(init),
            _ => true,
        }
    }
}

/// Whether a value is one of an integer type with so many bits.
fn fits(value: i128, (bits, signed): (u32, bool)) -> bool {
    match (signed, bits) {
        (_, 128..) => signed || value >= 0,
        (true, _) => (-(1 << (bits - 1))..1 << (bits - 1)).contains(&value),
        (false, _) => (0..1 << bits).contains(&value),
    }
}
