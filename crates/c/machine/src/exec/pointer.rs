//! Pointers as values: arithmetic, comparison, conversion.

use super::Machine;
use crate::code::{NO_REG, Reg};
use crate::extent;
use crate::kind::ScalarKind;
use crate::memory::{INT_SLOT, Origin, offset_of, slot_of, with_offset};
use crate::outcome::{UbKind, UnspecKind};
use crate::stop::{ExecResult, ub, unspecified};

impl Machine<'_> {
    /// The value of a pointer is used: its object must be alive (6.2.4p2).
    #[inline(always)]
    pub(super) fn use_pointer(&self, pointer: u64) -> ExecResult<()> {
        if pointer == 0 || self.memory.is_live(pointer) || slot_of(pointer) <= INT_SLOT {
            return Ok(());
        }
        ub(UbKind::Dangling, "the lifetime of the object that it points to has ended".into())
    }

    pub(super) fn index(&mut self, d: Reg, i: Reg, kind: ScalarKind, bound: u32) -> ExecResult<()> {
        let b = self.code.bounds[bound as usize];
        let raw = self.r(i);
        // A negative index is a huge unsigned one; an unsigned 64-bit one is itself.
        if raw < b.len || (b.address_only && raw == b.len) {
            self.set(d, raw * u64::from(b.size));
            return Ok(());
        }
        let shown = kind.value(raw);
        if raw == b.len && !b.address_only {
            return ub(UbKind::OnePast, format!("index {shown} in an array of {} elements", b.len));
        }
        let kind = if b.address_only { UbKind::PointerArith } else { UbKind::OutOfBounds };
        ub(kind, format!("index {shown} in an array of {} elements", b.len))
    }

    pub(super) fn offset(&mut self, d: Reg, p: Reg, x: Reg, at: u32) -> ExecResult<()> {
        let pointer = self.r(p);
        let by = u64::from(at) + if x == NO_REG { 0 } else { self.r(x) };
        if slot_of(pointer) == 0 {
            return ub(
                UbKind::NullDeref,
                "a member or element of what a null pointer points to".into(),
            );
        }
        if slot_of(pointer) == INT_SLOT {
            let value = self.memory.int_pointers[offset_of(pointer) as usize].wrapping_add(by);
            let moved = self.memory.pointer_from_int(value);
            self.set(d, moved);
            return Ok(());
        }
        let offset = u64::from(offset_of(pointer)) + by;
        let size = u64::from(self.memory.objects[slot_of(pointer) as usize].size);
        if offset > size {
            self.memory.check_valid(pointer)?;
            return ub(
                UbKind::PointerArith,
                format!("offset {offset} in an object of {size} bytes"),
            );
        }
        self.set(d, with_offset(pointer, offset as u32));
        Ok(())
    }

    /// `p + by * sign`, within the array that p points into. The common case, a live object without
    /// inner arrays, is decided here.
    #[inline(always)]
    pub(super) fn pointer_add(
        &mut self,
        d: Reg,
        p: Reg,
        (by, kind, sign): (Reg, ScalarKind, i64),
        elem: u32,
    ) -> ExecResult<()> {
        let pointer = self.r(p);
        let object = &self.memory.objects[slot_of(pointer) as usize];
        let elem_size = i64::from(self.code.elems[elem as usize].size);
        let step = (self.r(by) as i64).checked_mul(elem_size * sign);
        // An unsigned offset beyond the signed range is large, not negative.
        let is_huge = kind == ScalarKind::U64 && (self.r(by) as i64) < 0;
        if let Some(step) = step
            && !is_huge
            && object.id == pointer >> crate::memory::OFFSET_BITS
            && let Some(to) = i64::from(offset_of(pointer)).checked_add(step)
            && (0..=i64::from(object.size)).contains(&to)
            && self.code.classes.get(object.layout).flat
        {
            self.set(d, with_offset(pointer, to as u32));
            return Ok(());
        }
        self.pointer_add_slow(d, pointer, kind.value(self.r(by)) * i128::from(sign), elem)
    }

    #[cold]
    fn pointer_add_slow(&mut self, d: Reg, pointer: u64, n: i128, elem: u32) -> ExecResult<()> {
        let slot = slot_of(pointer);
        if slot <= INT_SLOT {
            return self.add_to_invalid_pointer(d, pointer, n, elem);
        }
        if !self.memory.is_live(pointer) {
            return ub(
                UbKind::Dangling,
                "arithmetic on a pointer to an object whose lifetime has ended".into(),
            );
        }
        let object = &self.memory.objects[slot as usize];
        let elem = self.code.elems[elem as usize];
        let from = i128::from(offset_of(pointer));
        let to = from + n * i128::from(elem.size);
        if to < 0 || to > i128::from(object.size) {
            if let Origin::Func(_) = object.origin {
                return ub(UbKind::PointerArith, "arithmetic on a function pointer".into());
            }
            return ub(
                UbKind::PointerArith,
                format!("from offset {from} to {to} in an object of {} bytes", object.size),
            );
        }
        let layout = self.code.classes.get(object.layout);
        if !layout.flat
            && elem.size > 1
            && n != 0
            && let Some(ty) = layout.ty
            && !extent::may_move(self.program, ty, elem.ty, from as u64, to as u64)
        {
            return ub(
                UbKind::PointerArith,
                format!("from offset {from} to {to} leaves the array in the object"),
            );
        }
        self.set(d, with_offset(pointer, to as u32));
        Ok(())
    }

    /// Arithmetic on null and on pointers made from integers.
    fn add_to_invalid_pointer(
        &mut self,
        _d: Reg,
        pointer: u64,
        n: i128,
        _elem: u32,
    ) -> ExecResult<()> {
        if slot_of(pointer) == 0 {
            return ub(UbKind::PointerArith, format!("a null pointer plus {n}"));
        }
        ub(UbKind::PointerArith, "a pointer made from an integer points into no array".into())
    }

    pub(super) fn pointer_difference(
        &mut self,
        d: Reg,
        a: Reg,
        b: Reg,
        elem: u32,
    ) -> ExecResult<()> {
        let (x, y) = (self.r(a), self.r(b));
        if slot_of(x) <= INT_SLOT
            || x >> crate::memory::OFFSET_BITS != y >> crate::memory::OFFSET_BITS
        {
            return ub(UbKind::PointerSub, "the pointers do not point into the same object".into());
        }
        self.use_pointer(x)?;
        let elem = self.code.elems[elem as usize];
        let bytes = i64::from(offset_of(x)) - i64::from(offset_of(y));
        let size = i64::from(elem.size.max(1));
        if bytes % size != 0 {
            return ub(
                UbKind::PointerSub,
                format!(
                    "the pointers are {bytes} bytes apart, which is not a multiple of the element size {size}"
                ),
            );
        }
        let object = &self.memory.objects[slot_of(x) as usize];
        let layout = self.code.classes.get(object.layout);
        if !layout.flat
            && size > 1
            && let Some(ty) = layout.ty
            && !extent::may_move(
                self.program,
                ty,
                elem.ty,
                u64::from(offset_of(y)),
                u64::from(offset_of(x)),
            )
        {
            return ub(
                UbKind::PointerSub,
                "the pointers point into different arrays of the object".into(),
            );
        }
        self.set(d, (bytes / size) as u64);
        Ok(())
    }

    pub(super) fn pointer_less(
        &mut self,
        d: Reg,
        a: Reg,
        b: Reg,
        or_equal: bool,
    ) -> ExecResult<()> {
        let (x, y) = (self.r(a), self.r(b));
        if slot_of(x) <= INT_SLOT
            || x >> crate::memory::OFFSET_BITS != y >> crate::memory::OFFSET_BITS
        {
            return ub(
                UbKind::PointerCompare,
                "the pointers do not point into the same object".into(),
            );
        }
        self.use_pointer(x)?;
        let (i, j) = (offset_of(x), offset_of(y));
        self.set(d, u64::from(i < j || or_equal && i == j));
        Ok(())
    }

    pub(super) fn pointer_equal(&mut self, d: Reg, a: Reg, b: Reg, negate: bool) -> ExecResult<()> {
        let (x, y) = (self.r(a), self.r(b));
        let equal = x == y || self.equal_pointers(x, y)?;
        self.set(d, u64::from(equal != negate));
        Ok(())
    }

    fn equal_pointers(&self, x: u64, y: u64) -> ExecResult<bool> {
        if x == 0 || y == 0 {
            return Ok(false);
        }
        let (s, t) = (slot_of(x), slot_of(y));
        if s == t {
            return Ok(false);
        }
        if s <= INT_SLOT || t <= INT_SLOT {
            return unspecified(
                UnspecKind::Address,
                "the address of an object is compared with an integer".into(),
            );
        }
        let (o, q) = (&self.memory.objects[s as usize], &self.memory.objects[t as usize]);
        if o.origin == Origin::Str && q.origin == Origin::Str {
            return unspecified(
                UnspecKind::StringIdentity,
                "the addresses of two string literals are compared".into(),
            );
        }
        let end = |object: &crate::memory::Object, p: u64| offset_of(p) == object.size;
        let is_func = |object: &crate::memory::Object| {
            matches!(object.origin, Origin::Func(_) | Origin::LibFunc(_))
        };
        if !is_func(o)
            && !is_func(q)
            && (end(o, x) && offset_of(y) == 0 || end(q, y) && offset_of(x) == 0)
        {
            return unspecified(
                UnspecKind::PointerEquality,
                "one past an object is compared with the start of another".into(),
            );
        }
        Ok(false)
    }

    pub(super) fn check_align(&self, pointer: u64, align: u32) -> ExecResult<()> {
        if slot_of(pointer) <= INT_SLOT {
            return Ok(());
        }
        let object = &self.memory.objects[slot_of(pointer) as usize];
        if let Origin::Func(_) | Origin::LibFunc(_) = object.origin {
            return Ok(());
        }
        if !self.memory.is_live(pointer) {
            return Ok(());
        }
        self.memory.check_align(object, offset_of(pointer), align)
    }

    /// `p->f`: p must point to a record of the type (6.5.2.3p4).
    pub(super) fn check_record(&self, pointer: u64, elem: u32) -> ExecResult<()> {
        let object = &self.memory.objects[slot_of(pointer) as usize];
        if object.id != pointer >> crate::memory::OFFSET_BITS {
            return self.memory.check_valid(pointer);
        }
        let elem = self.code.elems[elem as usize];
        let layout = self.code.classes.get(object.layout);
        let Some(ty) = layout.ty else { return Ok(()) };
        if offset_of(pointer) == 0 && ty == elem.ty {
            return Ok(());
        }
        if offset_of(pointer) == object.size && elem.size > 0 {
            return ub(UbKind::OnePast, "the pointer points past the end of the object".into());
        }
        if extent::holds(self.program, ty, elem.ty, u64::from(offset_of(pointer))) {
            return Ok(());
        }
        self.memory.check_valid(pointer)?;
        let name = |ty| ctree::print::print_type(self.program, ty);
        ub(
            UbKind::Aliasing,
            format!("an object of type `{}` accessed as `{}`", name(ty), name(elem.ty)),
        )
    }

    pub(super) fn pointer_to_int(&mut self, d: Reg, a: Reg, kind: ScalarKind) -> ExecResult<()> {
        let pointer = self.r(a);
        let value = match slot_of(pointer) {
            0 => u64::from(offset_of(pointer)),
            INT_SLOT => self.memory.int_pointers[offset_of(pointer) as usize],
            _ => {
                return unspecified(
                    UnspecKind::Address,
                    "the address of an object is converted to an integer".into(),
                );
            }
        };
        if kind.is_wide() {
            self.set_wide(d, u128::from(value));
        } else {
            self.set(d, kind.wrap(value));
        }
        Ok(())
    }
}
