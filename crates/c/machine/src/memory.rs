//! Memory: objects with provenance, bounds, lifetime, alignment, per-byte initialisation and
//! pointer fragments.
//!
//! All objects live in one array of bytes: reserved bytes, static objects, a little heap, the stack,
//! the heap.
//! Beside each byte stands a *shadow* byte: its state (indeterminate, data, one of the eight
//! fragments of a pointer) and two marks that [`crate::sequence`] sets while operands are evaluated
//! whose order C leaves open.
//!
//! A pointer is packed into 64 bits: 14 bits generation, 22 bits slot in the object table, 28 bits
//! byte offset. A slot is used again with the next generation, never with the same one, so a
//! dangling pointer is never mistaken for a valid one. Null is 0. Slot 1 stands for pointers made
//! from integers: their offset is an index into [`Memory::int_pointers`].

use crate::Alignment;
use crate::classes::{self, Class, Classes, LayoutByte};
use crate::outcome::{UbKind, UnspecKind};
use crate::stop::{ExecResult, Stop, ub, unspecified};
use std::collections::HashMap;

/// Bits of a pointer's byte offset.
pub const OFFSET_BITS: u32 = 28;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
const SLOT_BITS: u32 = 22;
const SLOT_MASK: u64 = (1 << SLOT_BITS) - 1;
const LAST_GENERATION: u64 = (1 << (64 - OFFSET_BITS - SLOT_BITS)) - 1;

/// Shadow state: indeterminate.
pub const UNINIT: u8 = 0;
/// Shadow state: data.
pub const INIT: u8 = 1;
/// Shadow state: only some bits hold data; which, is in [`Memory::partial`].
pub const PARTIAL: u8 = 2;
/// Shadow state: fragment 0 of a pointer; the others follow.
pub const FRAGMENT: u8 = 8;
/// The state bits of a shadow byte.
pub const STATE: u8 = 0x0f;
/// Mark: read by an operand whose order is open.
pub const READ_MARK: u8 = 0x10;
/// Mark: written by an operand whose order is open.
pub const WRITE_MARK: u8 = 0x20;

/// Shadow of eight data bytes.
pub const INIT8: u64 = 0x0101_0101_0101_0101;
/// Shadow of a whole pointer.
pub const POINTER8: u64 = 0x0f0e_0d0c_0b0a_0908;

/// The slot of pointers made from integers.
pub const INT_SLOT: u32 = 1;
/// A byte that stands for standard output in conflicts of order.
pub const IO_ADDRESS: u32 = 8;
/// Bytes of stack and heap reserved from the start. Most programs need no more, and clearing
/// the whole stack would take longer than they run.
const FIRST_STACK: usize = 64 << 10;
const FIRST_HEAP: u32 = 4 << 10;
/// Where static objects begin.
pub const STATIC_BASE: u32 = 64;

/// What an object is, beyond its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Not an object: null, integers.
    None,
    /// A variable.
    Var(ctree::VarId),
    /// A function, by its number in the code.
    Func(u32),
    /// A string literal.
    Str,
    /// A compound literal or the value of a call.
    Temp,
    /// A library function.
    LibFunc(crate::library::LibFunc),
    /// A stream: 1 for standard output, 2 for standard error.
    Stream(u8),
    /// From `malloc` and the like.
    Heap,
}

/// An entry of the object table.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// Generation and slot as a pointer has them; differs from every pointer once the object is dead.
    pub id: u64,
    /// First byte in memory.
    pub base: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment that the object is known to have.
    pub align: u32,
    /// Class that may be read without further checks, 0 for none.
    pub load_class: Class,
    /// Class that may be written without further checks, 0 for none.
    pub store_class: Class,
    /// Number of its [`classes::Layout`].
    pub layout: u32,
    /// What it is.
    pub origin: Origin,
}

/// The properties of a new object.
#[derive(Clone, Copy, Debug)]
pub struct NewObject {
    /// First byte in memory.
    pub base: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment.
    pub align: u32,
    /// Layout number.
    pub layout: u32,
    /// What it is.
    pub origin: Origin,
}

/// The memory of an execution.
#[derive(Debug)]
pub struct Memory {
    /// Contents.
    pub bytes: Vec<u8>,
    /// Shadow of each byte.
    pub shadow: Vec<u8>,
    /// The object table.
    pub objects: Vec<Object>,
    free_slots: Vec<u32>,
    /// Class last stored at each byte, for allocated objects and objects with unions in them.
    stored: HashMap<u32, Box<[Class]>>,
    /// Which bits of a byte in state [`PARTIAL`] hold data.
    pub partial: HashMap<u32, u8>,
    /// The integers behind pointers made from them.
    pub int_pointers: Vec<u64>,
    /// What stands behind pointers of 4 bytes: in memory they are the index of an entry here.
    pub narrow: Vec<u64>,
    /// Where each of them is, for its second use.
    narrow_index: HashMap<u64, u32>,
    /// Next free byte of the stack.
    pub stack_top: u32,
    stack_end: u32,
    free_heap: HashMap<u32, Vec<u32>>,
    /// The free part of the heap below the stack; the rest of the heap is above it.
    low_heap: std::ops::Range<u32>,
    limit: u64,
    /// How alignment is judged.
    pub alignment: Alignment,
    /// What the shadow of eight plain readable bytes looks like now: [`INIT8`], or a pattern that
    /// never matches while reads must be noted.
    pub readable: u64,
    /// What the marks of plain writable bytes look like now: 0, or a pattern that never matches.
    pub writable: u64,
}

/// Slot of a packed pointer.
#[inline(always)]
pub fn slot_of(pointer: u64) -> u32 {
    ((pointer >> OFFSET_BITS) & SLOT_MASK) as u32
}

/// Byte offset of a packed pointer.
#[inline(always)]
pub fn offset_of(pointer: u64) -> u32 {
    (pointer & OFFSET_MASK) as u32
}

/// A pointer to the same object at another offset.
#[inline(always)]
pub fn with_offset(pointer: u64, offset: u32) -> u64 {
    (pointer & !OFFSET_MASK) | u64::from(offset)
}

/// Reading or writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Access {
    Load,
    Store,
}

impl Memory {
    /// A memory with room for static objects of `static_end` bytes in all, a stack, and a heap up to
    /// `limit`.
    pub fn new(static_end: u32, stack: u32, limit: u64) -> Memory {
        let low_heap = static_end.next_multiple_of(64);
        let stack_base = low_heap + FIRST_HEAP;
        let end = stack_base as usize + stack as usize;
        let reserved = end.min(stack_base as usize + FIRST_STACK);
        let none = Object {
            id: u64::MAX,
            base: 0,
            size: 0,
            align: 1,
            load_class: 0,
            store_class: 0,
            layout: 0,
            origin: Origin::None,
        };
        Memory {
            bytes: vec![0; reserved],
            shadow: vec![0; reserved],
            objects: vec![none, none],
            free_slots: Vec::new(),
            stored: HashMap::new(),
            partial: HashMap::new(),
            int_pointers: vec![0],
            narrow: vec![0],
            narrow_index: HashMap::from([(0, 0)]),
            stack_top: stack_base,
            stack_end: end as u32,
            free_heap: HashMap::new(),
            low_heap: low_heap..stack_base,
            limit,
            alignment: Alignment::Offsets,
            readable: INIT8,
            writable: 0,
        }
    }

    /// Makes an object over bytes already reserved; returns the pointer to its first byte.
    pub fn create(&mut self, classes: &Classes, new: NewObject) -> ExecResult<u64> {
        let slot = match self.free_slots.pop() {
            Some(slot) => slot,
            None => {
                if self.objects.len() as u64 > SLOT_MASK {
                    return Err(Stop::OutOfMemory("more than four million objects".into()).into());
                }
                let slot = self.objects.len() as u32;
                self.objects.push(Object { id: u64::from(slot), ..self.objects[0] });
                slot
            }
        };
        let layout = classes.get(new.layout);
        let plain = layout.uniform != 0 && layout.flags & classes::VOLATILE == 0;
        let writable = plain && layout.flags & classes::CONST == 0 && new.origin != Origin::Str;
        let object = &mut self.objects[slot as usize];
        // The generation was advanced when the slot was freed.
        object.id &= !DEAD;
        object.base = new.base;
        object.size = new.size;
        object.align = new.align;
        object.layout = new.layout;
        object.origin = new.origin;
        object.load_class = if plain { layout.uniform } else { 0 };
        object.store_class = if writable { layout.uniform } else { 0 };
        Ok(object.id << OFFSET_BITS)
    }

    /// Ends an object's lifetime; its bytes stay reserved.
    pub fn kill(&mut self, slot: u32) {
        let object = &mut self.objects[slot as usize];
        if object.id & DEAD != 0 {
            return;
        }
        let generation = object.id >> SLOT_BITS;
        if !self.stored.is_empty() {
            self.stored.remove(&slot);
        }
        object.load_class = 0;
        object.store_class = 0;
        if generation == LAST_GENERATION {
            object.id = u64::MAX;
        } else {
            object.id = (object.id + (1 << SLOT_BITS)) | DEAD;
            self.free_slots.push(slot);
        }
    }

    /// Whether the object of a pointer is alive.
    #[inline(always)]
    pub fn is_live(&self, pointer: u64) -> bool {
        self.objects[slot_of(pointer) as usize].id == pointer >> OFFSET_BITS
    }

    /// Forgets the contents of a range.
    pub fn clear(&mut self, base: u32, size: u32) {
        self.shadow[base as usize..(base + size) as usize].fill(UNINIT);
    }

    /// Reserves stack bytes for a frame, aligned to 16.
    pub fn push_frame(&mut self, bytes: u32) -> ExecResult<u32> {
        let base = self.stack_top;
        let top = base.saturating_add(bytes).checked_next_multiple_of(16).unwrap_or(u32::MAX);
        if top > self.stack_end {
            return Err(Stop::OutOfMemory(
                "the stack is exhausted: recursion too deep, or variables too large".into(),
            )
            .into());
        }
        if top as usize > self.bytes.len() {
            self.reserve((top as usize * 2).min(self.stack_end as usize));
        }
        self.stack_top = top;
        Ok(base)
    }

    fn reserve(&mut self, bytes: usize) {
        self.bytes.resize(bytes, 0);
        self.shadow.resize(bytes, 0);
    }

    /// Reserves heap bytes; `None` when the limit is reached, as `malloc` would say.
    pub fn heap_alloc(&mut self, classes: &Classes, size: u32) -> ExecResult<Option<u64>> {
        let room = size.max(1).next_multiple_of(16);
        let base = match self.free_heap.get_mut(&room).and_then(Vec::pop) {
            Some(base) => base,
            None => {
                if room <= self.low_heap.end - self.low_heap.start {
                    self.low_heap.start += room;
                    self.low_heap.start - room
                } else {
                    let base = self.bytes.len().max(self.stack_end as usize);
                    if (base + room as usize - self.stack_end as usize) as u64 > self.limit {
                        return Ok(None);
                    }
                    self.reserve(base + room as usize);
                    base as u32
                }
            }
        };
        self.clear(base, room);
        let new = NewObject { base, size, align: 16, layout: 0, origin: Origin::Heap };
        self.create(classes, new).map(Some)
    }

    /// Ends an allocation.
    pub fn heap_free(&mut self, slot: u32) {
        let object = self.objects[slot as usize];
        self.kill(slot);
        self.free_heap
            .entry(object.size.max(1).next_multiple_of(16))
            .or_default()
            .push(object.base);
    }

    /// The number that stands for a pointer, or for other 64 bits, where memory has 4 bytes for it.
    pub fn narrowed(&mut self, wide: u64) -> u32 {
        let next = self.narrow.len() as u32;
        let index = *self.narrow_index.entry(wide).or_insert(next);
        if index == next {
            self.narrow.push(wide);
        }
        index
    }

    /// What such a number stands for.
    pub fn widened(&self, narrow: u32) -> u64 {
        self.narrow.get(narrow as usize).copied().unwrap_or(0)
    }

    /// The pointer that an integer converts to.
    pub fn pointer_from_int(&mut self, value: u64) -> u64 {
        if value == 0 {
            return 0;
        }
        let index = match self.int_pointers.iter().position(|&v| v == value) {
            Some(index) => index,
            None => {
                self.int_pointers.push(value);
                self.int_pointers.len() - 1
            }
        };
        (u64::from(INT_SLOT) << OFFSET_BITS) | index as u64
    }

    /// Checks an access through a pointer and gives its address. The common case, a live object
    /// whose scalars all have the class asked for, is decided here.
    #[inline(always)]
    pub fn resolve(&self, classes: &Classes, pointer: u64, check: &AccessCheck) -> ExecResult<u32> {
        let object = &self.objects[slot_of(pointer) as usize];
        let offset = offset_of(pointer) + check.offset;
        let class =
            if check.access == Access::Load { object.load_class } else { object.store_class };
        if object.id == pointer >> OFFSET_BITS
            && class == check.class
            && offset + check.size <= object.size
            && (offset | object.align) & check.size.wrapping_sub(1) == 0
        {
            return Ok(object.base + offset);
        }
        self.resolve_slow(classes, pointer, check)
    }

    #[cold]
    #[inline(never)]
    fn resolve_slow(
        &self,
        classes: &Classes,
        pointer: u64,
        check: &AccessCheck,
    ) -> ExecResult<u32> {
        self.check_valid(pointer)?;
        let object = &self.objects[slot_of(pointer) as usize];
        let offset = offset_of(pointer) + check.offset;
        self.check_bounds(object, offset, check.size)?;
        self.check_align(object, offset, check.align)?;
        self.check_class(classes, pointer, object, offset, check)?;
        Ok(object.base + offset)
    }

    /// Null, integer, dead and function pointers designate nothing.
    pub fn check_valid(&self, pointer: u64) -> ExecResult<()> {
        if pointer == 0 {
            return ub(UbKind::NullDeref, "the pointer is null".into());
        }
        let slot = slot_of(pointer);
        if slot == 0 {
            return ub(UbKind::NullDeref, "the pointer is an offset from null".into());
        }
        if slot == INT_SLOT {
            let value = self.int_pointers[offset_of(pointer) as usize];
            return ub(
                UbKind::InvalidPointer,
                format!("the pointer was made from the integer {value:#x}"),
            );
        }
        let object = &self.objects[slot as usize];
        if object.id != pointer >> OFFSET_BITS {
            return ub(UbKind::Dangling, "the object's lifetime has ended".into());
        }
        if let Origin::Func(_) | Origin::LibFunc(_) = object.origin {
            return ub(UbKind::InvalidPointer, "the pointer points to a function".into());
        }
        Ok(())
    }

    /// Whether an offset in an object is aligned.
    pub fn check_align(&self, object: &Object, offset: u32, align: u32) -> ExecResult<()> {
        let known = match self.alignment {
            Alignment::Types => object.align,
            Alignment::Offsets => object.align.max(16),
            Alignment::Any => return Ok(()),
        };
        if align > 1 && (offset | known) & (align - 1) != 0 {
            return ub(
                UbKind::Misaligned,
                format!(
                    "offset {offset} in an object of alignment {}, {align} needed",
                    object.align
                ),
            );
        }
        Ok(())
    }

    fn check_bounds(&self, object: &Object, offset: u32, size: u32) -> ExecResult<()> {
        if offset == object.size && size > 0 {
            return ub(
                UbKind::OnePast,
                format!("{size} bytes at the end of an object of {}", object.size),
            );
        }
        if offset + size > object.size {
            return ub(
                UbKind::OutOfBounds,
                format!("{size} bytes at offset {offset} of an object of {} bytes", object.size),
            );
        }
        Ok(())
    }

    fn check_class(
        &self,
        classes: &Classes,
        pointer: u64,
        object: &Object,
        offset: u32,
        check: &AccessCheck,
    ) -> ExecResult<()> {
        let layout = classes.get(object.layout);
        let LayoutByte { class, mut flags } = leaf(layout, offset, check.size);
        if check.whole {
            flags = (flags & !(classes::CONST | classes::VOLATILE)) | layout.flags;
        }
        if check.access == Access::Store {
            if object.origin == Origin::Str {
                return ub(UbKind::StringWrite, "the object is a string literal".into());
            }
            if flags & classes::CONST != 0 {
                return ub(UbKind::ConstWrite, "the object is defined const".into());
            }
        }
        if flags & classes::VOLATILE != 0 && !check.volatile {
            return ub(
                UbKind::VolatileAccess,
                "the object is defined volatile, the lvalue is not".into(),
            );
        }
        if check.class == classes::CHAR {
            if check.access == Access::Load
                && !check.whole
                && flags & classes::PADDING != 0
                && layout.ty.is_some()
            {
                return unspecified(
                    UnspecKind::Padding,
                    format!("byte {offset} of the object is padding"),
                );
            }
            return Ok(());
        }
        let mismatch = |found: Class| Err(Box::new(Stop::Aliasing { wanted: check.class, found }));
        if layout.ty.is_none() || flags & classes::UNION != 0 {
            // Allocated storage and unions: what was stored last counts (6.5p6).
            if check.access == Access::Load
                && let Some(stored) = self.stored.get(&slot_of(pointer))
            {
                let last = stored[offset as usize];
                if last != 0 && last != check.class && last != classes::CHAR {
                    return mismatch(last);
                }
            }
            if layout.ty.is_none() {
                return Ok(());
            }
        }
        let at = offset % layout.elem_size;
        if class == check.class || layout.also.contains(&(at, check.class)) {
            return Ok(());
        }
        mismatch(class)
    }

    /// Whether a store that is allowed leaves the effective type of the object as it is.
    pub fn keeps_class(&self, classes: &Classes, pointer: u64, check: &AccessCheck) -> bool {
        let object = &self.objects[slot_of(pointer) as usize];
        let layout = classes.get(object.layout);
        let offset = offset_of(pointer) + check.offset;
        if layout.ty.is_some() && leaf(layout, offset, check.size).flags & classes::UNION == 0 {
            return true;
        }
        let range = offset as usize..(offset + check.size) as usize;
        let stored = self.stored.get(&slot_of(pointer)).map(|stored| &stored[range]);
        !check.whole
            && stored.is_some_and(|s| s[0] == check.class && s[1..].iter().all(|&c| c == 0))
    }

    /// Records the class of a store into allocated storage or a union, through any lvalue.
    pub fn note_stored(
        &mut self,
        classes: &Classes,
        pointer: u64,
        offset: u32,
        size: u32,
        class: Class,
    ) {
        let slot = slot_of(pointer);
        let object = &self.objects[slot as usize];
        let layout = classes.get(object.layout);
        let tracked = layout.ty.is_none()
            || (layout.uniform == 0 && leaf(layout, offset, size).flags & classes::UNION != 0);
        if !tracked {
            return;
        }
        let bytes = object.size as usize;
        let stored = self.stored.entry(slot).or_insert_with(|| vec![0; bytes].into());
        for byte in offset..offset + size {
            stored[byte as usize] = 0;
        }
        stored[offset as usize] = class;
    }

    /// The class that each byte of a range begins, as stored last or declared.
    pub fn classes_of(&self, classes: &Classes, pointer: u64, size: u32) -> Vec<Class> {
        let at = offset_of(pointer);
        if let Some(stored) = self.stored.get(&slot_of(pointer)) {
            return stored[at as usize..(at + size) as usize].to_vec();
        }
        let layout = classes.get(self.objects[slot_of(pointer) as usize].layout);
        if layout.ty.is_none() || layout.flags & classes::UNION != 0 {
            return vec![0; size as usize];
        }
        (at..at + size)
            .map(|i| {
                let leaf = leaf(layout, i, 1);
                // The first member of a union need not be the active one.
                if leaf.flags & classes::UNION != 0 || leaf.class == classes::CHAR {
                    0
                } else {
                    leaf.class
                }
            })
            .collect()
    }

    /// Records the classes that a copy or `memset` leaves in a range, if the object tracks them.
    pub fn set_stored(&mut self, classes: &Classes, pointer: u64, new: &[Class]) {
        let slot = slot_of(pointer);
        let object = &self.objects[slot as usize];
        let layout = classes.get(object.layout);
        let keeps =
            layout.ty.is_none() || layout.leaves.iter().any(|l| l.flags & classes::UNION != 0);
        if !keeps || (new.iter().all(|&c| c == 0) && !self.stored.contains_key(&slot)) {
            return;
        }
        let bytes = object.size as usize;
        let stored = self.stored.entry(slot).or_insert_with(|| vec![0; bytes].into());
        let at = offset_of(pointer) as usize;
        stored[at..at + new.len()].copy_from_slice(new);
    }

    /// Whether an object's stores need [`note_stored`](Self::note_stored).
    #[inline(always)]
    pub fn notes_stores(&self, pointer: u64) -> bool {
        self.objects[slot_of(pointer) as usize].store_class == 0
    }
}

/// Set in the id of a dead object: above every bit a pointer has there.
const DEAD: u64 = 1 << 63;

/// An access to check.
#[derive(Clone, Copy, Debug)]
pub struct AccessCheck {
    /// Offset added to the pointer's own.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment that the lvalue's type needs.
    pub align: u32,
    /// Class of the lvalue.
    pub class: Class,
    /// Reading or writing.
    pub access: Access,
    /// The lvalue is volatile-qualified.
    pub volatile: bool,
    /// The lvalue names a member or a whole record: only the qualifiers of the object as a whole
    /// count, those of members are part of the lvalue's type.
    pub whole: bool,
}

/// The leaf at an offset, with the flags of all bytes accessed.
fn leaf(layout: &classes::Layout, offset: u32, size: u32) -> LayoutByte {
    let at = offset % layout.elem_size;
    if layout.leaves.is_empty() {
        let aligned = layout.ty.is_some() && at == 0;
        let padding = if at >= layout.data_size { classes::PADDING } else { 0 };
        return LayoutByte {
            class: if aligned { layout.uniform } else { 0 },
            flags: layout.flags | padding,
        };
    }
    let first = layout.leaves[at as usize];
    let flags = (at..at + size)
        .filter_map(|i| layout.leaves.get(i as usize))
        .fold(0, |flags, leaf| flags | leaf.flags);
    // Padding only counts where the first byte is padding: wider accesses are judged by class.
    let padding = first.flags & classes::PADDING;
    LayoutByte { class: first.class, flags: (flags & !classes::PADDING) | padding }
}
