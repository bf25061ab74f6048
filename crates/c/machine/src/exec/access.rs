//! Reading and writing memory.

use super::Machine;
use crate::VolatileAccess;
use crate::classes::Class;
use crate::code::{BitAccess, CodeNode, NO_REG, Reg};
use crate::kind::ScalarKind;
use crate::memory::{
    Access, AccessCheck, FRAGMENT, INIT, INIT8, Origin, PARTIAL, POINTER8, STATE, offset_of,
    slot_of, with_offset,
};
use crate::outcome::{UbKind, UnspecKind};
use crate::stop::{ExecResult, Stop, ub, unspecified};

impl Machine<'_> {
    #[inline(always)]
    pub(super) fn bytes<const N: usize>(from: &[u8], at: u32) -> [u8; N] {
        let mut out = [0; N];
        out.copy_from_slice(&from[at as usize..at as usize + N]);
        out
    }

    /// Reads a scalar at an address that is known to be valid for it.
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        d: Reg,
        at: u32,
        kind: ScalarKind,
        volatile: bool,
    ) -> ExecResult<()> {
        if volatile {
            return self.load_slow(d, at, kind, true);
        }
        let (memory, shadow, readable) =
            (&self.memory.bytes, &self.memory.shadow, self.memory.readable);
        let value = match kind.size() {
            1 if shadow[at as usize] == readable as u8 => u64::from(memory[at as usize]),
            2 if u16::from_le_bytes(Self::bytes(shadow, at)) == readable as u16 => {
                u64::from(u16::from_le_bytes(Self::bytes(memory, at)))
            }
            4 if u32::from_le_bytes(Self::bytes(shadow, at)) == readable as u32 => {
                u64::from(u32::from_le_bytes(Self::bytes(memory, at)))
            }
            8 if u64::from_le_bytes(Self::bytes(shadow, at)) == readable => {
                u64::from_le_bytes(Self::bytes(memory, at))
            }
            _ => return self.load_slow(d, at, kind, false),
        };
        if kind.is_pointer() && value != 0 || kind == ScalarKind::Bool && value > 1 {
            return self.load_slow(d, at, kind, false);
        }
        self.set(d, if kind == ScalarKind::Bool { value } else { kind.wrap(value) });
        Ok(())
    }

    #[inline(never)]
    fn load_slow(&mut self, d: Reg, at: u32, kind: ScalarKind, volatile: bool) -> ExecResult<()> {
        // Ten bytes of a long double hold its value; the rest is padding.
        let size = if kind == ScalarKind::F80 { 10 } else { kind.size() };
        self.sequenced(at, size, false)?;
        let states = &self.memory.shadow[at as usize..(at + size) as usize];
        let states: Vec<u8> = states.iter().map(|s| s & STATE).collect();
        if states.iter().any(|&s| s < INIT || s == PARTIAL) {
            return ub(UbKind::Indeterminate, "the object has not been initialised".into());
        }
        let fragments = states.iter().any(|&s| s >= FRAGMENT);
        if kind.is_pointer() {
            let is_narrow = kind == ScalarKind::Ptr32;
            let raw = match is_narrow {
                true => u64::from(u32::from_le_bytes(Self::bytes(&self.memory.bytes, at))),
                false => u64::from_le_bytes(Self::bytes(&self.memory.bytes, at)),
            };
            let value = if fragments {
                if states[..] != POINTER8.to_le_bytes()[..size as usize] {
                    return unspecified(
                        UnspecKind::Address,
                        "the pointer is assembled from bytes of different pointers".into(),
                    );
                }
                if is_narrow { self.memory.widened(raw as u32) } else { raw }
            } else {
                self.memory.pointer_from_int(raw)
            };
            self.set(d, value);
            self.traced(at, size, value, false, volatile);
            return Ok(());
        }
        if fragments {
            return unspecified(
                UnspecKind::Address,
                "the bytes of a pointer are read as an integer".into(),
            );
        }
        let mut raw = [0; 16];
        raw[..size as usize].copy_from_slice(&self.memory.bytes[at as usize..(at + size) as usize]);
        let low = u64::from_le_bytes(Self::bytes(&raw, 0));
        let high = u64::from_le_bytes(Self::bytes(&raw, 8));
        if kind == ScalarKind::Bool && low > 1 {
            return ub(UbKind::TrapValue, format!("a _Bool holds {low}"));
        }
        if kind.is_wide() {
            self.set(d, low);
            self.set(d + 1, high);
        } else {
            self.set(d, if kind == ScalarKind::Bool { low } else { kind.wrap(low) });
        }
        self.traced(at, size, low, false, volatile);
        Ok(())
    }

    /// Checks the access against marks and logs it. A volatile read counts as a read: strictly
    /// (5.1.2.3p2, 6.5p2) two unsequenced ones of one object are undefined, but their order cannot
    /// change the result.
    fn sequenced(&mut self, at: u32, size: u32, write: bool) -> ExecResult<()> {
        let range = (u64::from(at) * 8, u64::from(size) * 8);
        self.sequenced_bits(range, write)
    }

    /// The same for a bit-field, an object of its own although it shares bytes (6.5p2).
    fn sequenced_bits(&mut self, range: (u64, u64), write: bool) -> ExecResult<()> {
        let depth = self.depth();
        self.sequence.access(&self.memory, range, write, depth, self.pc - 1)
    }

    fn traced(&mut self, at: u32, size: u32, value: u64, store: bool, volatile: bool) {
        if volatile {
            let node = match self.code.nodes.get(self.pc as usize - 1) {
                Some(&CodeNode::Expr(e)) => Some(e),
                _ => None,
            };
            self.recorder.volatile(VolatileAccess { address: at, size, value, store, node });
        }
    }

    /// Writes a scalar at an address that is known to be valid for it.
    #[inline(always)]
    pub(super) fn store(
        &mut self,
        s: Reg,
        at: u32,
        kind: ScalarKind,
        volatile: bool,
    ) -> ExecResult<()> {
        let (value, pattern) = self.representation(self.r(s), kind);
        let writable = self.memory.writable;
        const MARKS: u64 = 0x3030_3030_3030_3030;
        let shadow = &self.memory.shadow;
        let plain = !volatile
            && match kind.size() {
                1 => u64::from(shadow[at as usize]) & MARKS == writable,
                2 => u64::from(u16::from_le_bytes(Self::bytes(shadow, at))) & MARKS == writable,
                4 => u64::from(u32::from_le_bytes(Self::bytes(shadow, at))) & MARKS == writable,
                8 => u64::from_le_bytes(Self::bytes(shadow, at)) & MARKS == writable,
                _ => false,
            };
        if !plain {
            return self.store_slow(s, at, kind, volatile);
        }
        let size = kind.size() as usize;
        let a = at as usize;
        let (value, pattern) = (value.to_le_bytes(), pattern.to_le_bytes());
        match size {
            1 => {
                self.memory.bytes[a] = value[0];
                self.memory.shadow[a] = pattern[0];
            }
            2 => {
                self.memory.bytes[a..a + 2].copy_from_slice(&value[..2]);
                self.memory.shadow[a..a + 2].copy_from_slice(&pattern[..2]);
            }
            4 => {
                self.memory.bytes[a..a + 4].copy_from_slice(&value[..4]);
                self.memory.shadow[a..a + 4].copy_from_slice(&pattern[..4]);
            }
            _ => {
                self.memory.bytes[a..a + 8].copy_from_slice(&value);
                self.memory.shadow[a..a + 8].copy_from_slice(&pattern);
            }
        }
        Ok(())
    }

    /// The bytes of a register's value in memory, with their states.
    #[inline(always)]
    fn representation(&mut self, value: u64, kind: ScalarKind) -> (u64, u64) {
        match kind {
            ScalarKind::Ptr if value != 0 => (value, POINTER8),
            ScalarKind::Ptr32 if value != 0 => (u64::from(self.memory.narrowed(value)), POINTER8),
            _ => (value, INIT8),
        }
    }

    #[inline(never)]
    fn store_slow(&mut self, s: Reg, at: u32, kind: ScalarKind, volatile: bool) -> ExecResult<()> {
        let size = if kind == ScalarKind::F80 { 10 } else { kind.size() };
        self.sequenced(at, size, true)?;
        let mut raw = [0; 16];
        let (value, pattern) = self.representation(self.r(s), kind);
        raw[..8].copy_from_slice(&value.to_le_bytes());
        if kind.is_wide() {
            raw[8..].copy_from_slice(&self.r(s + 1).to_le_bytes());
        }
        let a = at as usize;
        self.memory.bytes[a..a + size as usize].copy_from_slice(&raw[..size as usize]);
        self.set_states(at, size, |i| pattern.to_le_bytes()[(i % 8) as usize]);
        self.traced(at, size, self.r(s), true, volatile);
        Ok(())
    }

    /// Sets the states of a range and keeps its marks.
    fn set_states(&mut self, at: u32, size: u32, state: impl Fn(u32) -> u8) {
        for i in 0..size {
            let shadow = &mut self.memory.shadow[(at + i) as usize];
            *shadow = (*shadow & !STATE) | state(i);
        }
    }

    /// The check of an access. Any member of a union may be read, whichever was stored last.
    #[inline(always)]
    pub(super) fn access_check(&self, access: u32, which: Access) -> AccessCheck {
        let a = &self.code.accesses[access as usize];
        AccessCheck {
            offset: a.offset,
            size: a.kind.size(),
            align: a.align,
            class: if a.union_member { crate::classes::CHAR } else { a.class },
            access: which,
            volatile: a.volatile,
            whole: a.union_member,
        }
    }

    /// The address of an access through a pointer.
    #[inline(always)]
    pub(super) fn resolve(&self, pointer: u64, access: u32, which: Access) -> ExecResult<u32> {
        self.memory.resolve(&self.code.classes, pointer, &self.access_check(access, which))
    }

    #[inline(always)]
    pub(super) fn load_pointer(&mut self, d: Reg, p: Reg, access: u32) -> ExecResult<()> {
        let a = self.code.accesses[access as usize];
        let at = self.resolve(self.r(p), access, Access::Load)?;
        self.load(d, at, a.kind, a.volatile)
    }

    #[inline(always)]
    pub(super) fn store_pointer(&mut self, s: Reg, p: Reg, access: u32) -> ExecResult<()> {
        let a = self.code.accesses[access as usize];
        let pointer = self.r(p);
        let at = self.resolve(pointer, access, Access::Store)?;
        if self.memory.notes_stores(pointer) {
            let offset = offset_of(pointer) + a.offset;
            self.memory.note_stored(&self.code.classes, pointer, offset, a.kind.size(), a.class);
        }
        self.store(s, at, a.kind, a.volatile)
    }

    /// The address behind a live pointer, without any check.
    pub(super) fn raw_address(&self, pointer: u64) -> u32 {
        self.memory.objects[slot_of(pointer) as usize].base + offset_of(pointer)
    }

    /// Address of the first byte of a bit-field.
    fn bits_address(&mut self, p: Reg, access: u32, which: Access) -> ExecResult<u32> {
        let a = &self.code.bits[access as usize];
        if let Some(base) = a.base {
            return Ok(self.direct(base, p, a.at));
        }
        self.memory.resolve(&self.code.classes, self.r(p), &Self::bit_access_check(a, which))
    }

    /// An access to a bit-field to check.
    pub(super) fn bit_access_check(a: &BitAccess, which: Access) -> AccessCheck {
        AccessCheck {
            offset: a.at,
            size: (a.bit + a.width).div_ceil(8),
            align: 1,
            class: crate::classes::CHAR,
            access: which,
            volatile: a.volatile,
            whole: true,
        }
    }

    pub(super) fn load_bits(&mut self, d: Reg, p: Reg, access: u32) -> ExecResult<()> {
        let a = self.code.bits[access as usize];
        let at = self.bits_address(p, access, Access::Load)?;
        let size = (a.bit + a.width).div_ceil(8);
        self.sequenced_bits((u64::from(at) * 8 + u64::from(a.bit), u64::from(a.width)), false)?;
        let value = self.bits_at(at, &a)?;
        self.set(d, value);
        self.traced(at, size, value, false, a.volatile);
        Ok(())
    }

    /// The value of a bit-field whose first byte is known.
    pub(super) fn bits_at(&self, at: u32, a: &BitAccess) -> ExecResult<u64> {
        let mut raw: u128 = 0;
        for i in 0..(a.bit + a.width).div_ceil(8) {
            let address = at + i;
            let have = self.initialised_bits(address)?;
            let needed = byte_mask(a.bit, a.width, i);
            if have & needed != needed {
                return ub(UbKind::Indeterminate, "the bit-field has not been initialised".into());
            }
            raw |= u128::from(self.memory.bytes[address as usize]) << (8 * i);
        }
        let value = (raw >> a.bit) as u64 & low_bits(a.width);
        Ok(extend(value, a.width, a.kind))
    }

    /// Which bits of a byte hold data.
    fn initialised_bits(&self, address: u32) -> ExecResult<u8> {
        match self.memory.shadow[address as usize] & STATE {
            0 => Ok(0),
            PARTIAL => Ok(self.memory.partial.get(&address).copied().unwrap_or(0)),
            s if s >= FRAGMENT => unspecified(
                UnspecKind::Address,
                "the bytes of a pointer are read as an integer".into(),
            ),
            _ => Ok(0xff),
        }
    }

    pub(super) fn store_bits(&mut self, s: Reg, p: Reg, access: u32) -> ExecResult<()> {
        let a = self.code.bits[access as usize];
        let at = self.bits_address(p, access, Access::Store)?;
        let size = (a.bit + a.width).div_ceil(8);
        self.sequenced_bits((u64::from(at) * 8 + u64::from(a.bit), u64::from(a.width)), true)?;
        let value = self.r(s) & low_bits(a.width);
        for i in 0..size {
            let address = at + i;
            let mask = byte_mask(a.bit, a.width, i);
            let byte = ((u128::from(value) << a.bit) >> (8 * i)) as u8;
            let old = self.memory.bytes[address as usize];
            self.memory.bytes[address as usize] = (old & !mask) | (byte & mask);
            let have = self.initialised_bits(address).unwrap_or(0) | mask;
            let shadow = &mut self.memory.shadow[address as usize];
            if have == 0xff {
                *shadow = (*shadow & !STATE) | INIT;
            } else {
                *shadow = (*shadow & !STATE) | PARTIAL;
                self.memory.partial.insert(address, have);
            }
        }
        let stored = extend(value, a.width, a.kind);
        self.set(s, stored);
        self.traced(at, size, stored, true, a.volatile);
        Ok(())
    }

    /// Fills a range that is known to be valid.
    pub(crate) fn fill(&mut self, at: u32, size: u32, byte: u8) -> ExecResult<()> {
        self.sequenced(at, size, true)?;
        self.memory.bytes[at as usize..(at + size) as usize].fill(byte);
        self.set_states(at, size, |_| INIT);
        Ok(())
    }

    /// Writes data to a range that is known to be valid.
    pub(crate) fn write_bytes(&mut self, at: u32, bytes: &[u8]) -> ExecResult<()> {
        self.sequenced(at, bytes.len() as u32, true)?;
        self.memory.bytes[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        self.set_states(at, bytes.len() as u32, |_| INIT);
        Ok(())
    }

    /// Writes data to a fresh object.
    pub(crate) fn poke(&mut self, pointer: u64, bytes: &[u8]) {
        let at = self.raw_address(pointer) as usize;
        self.memory.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.memory.shadow[at..at + bytes.len()].fill(INIT);
    }

    /// Writes a pointer to an address of a fresh object.
    pub(crate) fn write_pointer(&mut self, at: u32, pointer: u64) {
        let (a, size) = (at as usize, self.program.types.model.pointer_size as usize);
        let kind = if size == 4 { ScalarKind::Ptr32 } else { ScalarKind::Ptr };
        let (value, pattern) = self.representation(pointer, kind);
        self.memory.bytes[a..a + size].copy_from_slice(&value.to_le_bytes()[..size]);
        self.memory.shadow[a..a + size].copy_from_slice(&pattern.to_le_bytes()[..size]);
    }

    /// Record assignment.
    pub(super) fn copy(&mut self, to: u64, from: u64, copy: u32) -> ExecResult<()> {
        let spec = self.code.copies[copy as usize];
        if spec.size == 0 {
            return Ok(());
        }
        self.check_copy_side(
            from,
            spec.ty,
            spec.size,
            spec.align.1,
            spec.volatile.1,
            Access::Load,
        )?;
        if spec.init {
            self.memory.check_valid(to)?;
        } else {
            self.check_copy_side(
                to,
                spec.ty,
                spec.size,
                spec.align.0,
                spec.volatile.0,
                Access::Store,
            )?;
        }
        let (a, b) = (self.raw_address(from), self.raw_address(to));
        if a != b && a < b + spec.size && b < a + spec.size {
            return ub(
                UbKind::Overlap,
                format!("{} bytes overlap by {}", spec.size, spec.size - a.abs_diff(b)),
            );
        }
        self.move_bytes(to, from, spec.size)
    }

    /// `*d = *s` on characters: copies the byte with its state.
    pub(super) fn copy_char(&mut self, to: u64, from: u64) -> ExecResult<()> {
        self.range(from, 1, Access::Load)?;
        self.range(to, 1, Access::Store)?;
        self.move_bytes(to, from, 1)
    }

    /// Whether two scalars overlap inexactly.
    pub(super) fn check_overlap(&self, a: u64, b: u64, sizes: (u8, u8)) -> ExecResult<()> {
        let (x, y) = (self.raw_address(a), self.raw_address(b));
        if x < y + u32::from(sizes.1)
            && y < x + u32::from(sizes.0)
            && (x != y || sizes.0 != sizes.1)
        {
            return ub(
                UbKind::Overlap,
                "a member of a union is assigned from one that overlaps it".into(),
            );
        }
        Ok(())
    }

    fn check_copy_side(
        &self,
        pointer: u64,
        ty: ctree::Ty,
        size: u32,
        align: u32,
        volatile: bool,
        access: Access,
    ) -> ExecResult<()> {
        // Checked as characters; the type is checked for the record as a whole.
        let class = crate::classes::CHAR;
        let check = AccessCheck { offset: 0, size, align, class, access, volatile, whole: true };
        self.memory.resolve(&self.code.classes, pointer, &check)?;
        let object = &self.memory.objects[slot_of(pointer) as usize];
        match self.code.classes.get(object.layout).ty {
            None => Ok(()),
            Some(declared) => {
                if crate::extent::holds(self.program, declared, ty, u64::from(offset_of(pointer))) {
                    return Ok(());
                }
                ub(UbKind::Aliasing, "the object is not of the record's type".to_string())
            }
        }
    }

    /// Copies bytes with their states and stored classes; both ranges are known to be valid.
    pub(crate) fn move_bytes(&mut self, to: u64, from: u64, size: u32) -> ExecResult<()> {
        let (a, b) = (self.raw_address(from), self.raw_address(to));
        self.sequenced(a, size, false)?;
        self.sequenced(b, size, true)?;
        self.spend(u64::from(size) / 64)?;
        let classes = self.classes_of(from, size);
        self.memory.bytes.copy_within(a as usize..(a + size) as usize, b as usize);
        let states: Vec<u8> =
            self.memory.shadow[a as usize..(a + size) as usize].iter().map(|s| s & STATE).collect();
        for (i, &state) in states.iter().enumerate() {
            if state == PARTIAL {
                let bits = self.memory.partial.get(&(a + i as u32)).copied().unwrap_or(0);
                self.memory.partial.insert(b + i as u32, bits);
            }
        }
        self.set_states(b, size, |i| states[i as usize]);
        self.memory.set_stored(&self.code.classes, to, &classes);
        Ok(())
    }

    /// The class that each byte of a range begins, as stored or declared.
    fn classes_of(&self, pointer: u64, size: u32) -> Vec<Class> {
        self.memory.classes_of(&self.code.classes, pointer, size)
    }

    /// Checks a range for a library function: `size` characters read or written.
    pub(crate) fn range(&mut self, pointer: u64, size: u32, access: Access) -> ExecResult<u32> {
        let check = AccessCheck {
            offset: 0,
            size,
            align: 1,
            class: crate::classes::CHAR,
            access,
            volatile: false,
            whole: false,
        };
        let resolved = match self.memory.resolve(&self.code.classes, pointer, &check) {
            Err(stop) if matches!(*stop, Stop::Unspecified(UnspecKind::Padding, _)) => {
                Ok(self.raw_address(pointer))
            }
            other => other,
        };
        if size == 0
            && resolved.is_err()
            && pointer != 0
            && self.memory.check_valid(pointer).is_ok()
        {
            // One past the end is a valid argument with size 0.
            return Ok(self.raw_address(pointer));
        }
        resolved
    }

    /// One character read through a pointer by a library function.
    pub(crate) fn read_char(&mut self, pointer: u64) -> ExecResult<u8> {
        let check = AccessCheck {
            offset: 0,
            size: 1,
            align: 1,
            class: crate::classes::CHAR,
            access: Access::Load,
            volatile: false,
            whole: false,
        };
        let at = self.memory.resolve(&self.code.classes, pointer, &check)?;
        let saved = self.r(CHAR_SCRATCH);
        self.load(CHAR_SCRATCH, at, ScalarKind::U8, false)?;
        let value = self.r(CHAR_SCRATCH) as u8;
        self.set(CHAR_SCRATCH, saved);
        Ok(value)
    }

    /// A terminated string, without its end, at most `limit` characters.
    pub(crate) fn read_string(
        &mut self,
        pointer: u64,
        limit: Option<usize>,
    ) -> ExecResult<Vec<u8>> {
        let mut out = Vec::new();
        let mut at = pointer;
        while limit.is_none_or(|n| out.len() < n) {
            let c = self.read_char(at)?;
            if c == 0 {
                break;
            }
            out.push(c);
            at = with_offset(at, offset_of(at) + 1);
        }
        self.spend(out.len() as u64 / 16)?;
        Ok(out)
    }

    /// Writes a scalar through a pointer, for builtins.
    pub(crate) fn store_value(
        &mut self,
        pointer: u64,
        ty: ctree::Ty,
        value: u64,
    ) -> ExecResult<()> {
        let Some(kind) = ScalarKind::of(&self.program.types, ty) else { return Ok(()) };
        let class = self.code.classes.known(&self.program.types, ty);
        let (size, align) = (kind.size(), self.program.types.align_of(ty));
        let volatile = self.program.types.resolved(ty).is_volatile();
        let check = AccessCheck {
            offset: 0,
            size,
            align,
            class,
            access: Access::Store,
            volatile,
            whole: false,
        };
        let at = self.memory.resolve(&self.code.classes, pointer, &check)?;
        self.memory.note_stored(&self.code.classes, pointer, offset_of(pointer), size, class);
        self.write_bytes(at, &value.to_le_bytes()[..size as usize])
    }

    /// Orders a write to a whole range, without changing its bytes.
    pub(crate) fn order(&mut self, pointer: u64, size: u32) -> ExecResult<()> {
        self.sequenced(self.raw_address(pointer), size, true)
    }

    /// Whether a pointer's object came from an allocation function.
    pub(crate) fn is_heap(&self, pointer: u64) -> bool {
        self.memory.is_live(pointer)
            && self.memory.objects[slot_of(pointer) as usize].origin == Origin::Heap
    }
}

/// The register through which single characters pass; saved and restored.
const CHAR_SCRATCH: Reg = 0;
const _: () = assert!(CHAR_SCRATCH != NO_REG);

fn low_bits(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The bits of byte `i` that a field covers.
fn byte_mask(bit: u32, width: u32, i: u32) -> u8 {
    ((u128::from(low_bits(width)) << bit) >> (8 * i)) as u8
}

fn extend(value: u64, width: u32, kind: ScalarKind) -> u64 {
    if kind.is_signed() && width < 64 && value >> (width - 1) & 1 == 1 {
        value | !low_bits(width)
    } else {
        value
    }
}
