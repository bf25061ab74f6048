//! Accesses to memory, allocas, and what attributes and metadata say of values.

use irtext::{
    Attribute, Attributes, Bits, Constant, Instruction, Metadata, Op, Type, Typed, Value,
};

use crate::memory::{
    self, BLOCK, Known, OFFSET, PRIVATE, SEEN, Step, block_of, byte_poison, byte_value,
    number_byte, offset_of, pointer_byte, pointer_of, step_by,
};
use crate::side::Side;
use crate::term::{Origin, Role, Sort, Term};
use crate::value::{Kind, Lane, shape};
use crate::{Approximation, Unsupported, unsupported};

impl Side<'_> {
    /// Undefined behaviour unless bytes at a pointer may be accessed.
    pub(crate) fn must_be_accessible(
        &mut self,
        pointer: Lane,
        bytes: u64,
        align: u64,
        write: bool,
    ) {
        if self.has_claims {
            self.shared.approximate(Approximation::MemoryAttributes);
        }
        let terms = &mut self.shared.terms;
        let (block, offset) = (block_of(terms, pointer.bits), offset_of(terms, pointer.bits));
        let defined = terms.not(pointer.poison);
        let memory = &mut self.shared.memory;
        let inside = memory.within(terms, block, offset, bytes);
        let alive = memory.alive(terms, self.state, block);
        let aligned = memory.aligned(terms, pointer.bits, align);
        let writable = if write { memory.writable(terms, block) } else { terms.bool(true) };
        let fine = terms.all(&[defined, inside, alive, aligned, writable]);
        let bad = terms.not(fine);
        self.undefined_if(bad);
    }

    /// Where an access goes: undefined bits of a pointer are chosen when it is made.
    pub(crate) fn place(&mut self, pointer: &Typed) -> Result<Lane, Unsupported> {
        let mut lane = self.scalar(pointer)?;
        // An undefined pointer might be null.
        while let Some((condition, holds, rest)) = self.shared.block_undef_if(lane) {
            let undef = if holds { condition } else { self.shared.terms.not(condition) };
            self.undefined_if(undef);
            lane = rest;
        }
        Ok(self.shared.refreshed(&[lane], self.target, true)[0])
    }

    pub(crate) fn must_be_dereferenceable(&mut self, lanes: &[Lane], bytes: u64) {
        for lane in lanes {
            self.must_be_accessible(*lane, bytes, 1, false);
        }
    }

    /// Bytes from a pointer on.
    pub(crate) fn read_bytes(&mut self, pointer: Term, count: u64) -> Vec<Term> {
        (0..count)
            .map(|index| {
                let address = step_by(&mut self.shared.terms, pointer, index);
                let shared = &mut *self.shared;
                shared.memory.read(&mut shared.terms, self.state, address, self.target)
            })
            .collect()
    }

    pub(crate) fn write_bytes(&mut self, pointer: Term, bytes: Vec<Term>) {
        if !bytes.is_empty() {
            let step = Step::Write { before: self.state, address: pointer, bytes: bytes.into() };
            self.state = self.shared.memory.step(step);
        }
    }

    /// Bytes as lanes of a type.
    fn lanes_of(&mut self, ty: &Type, bytes: &[Term]) -> Result<Vec<Lane>, Unsupported> {
        let shape = shape(self.module, &self.layout, ty, self.shared.limits.lanes)?;
        if !shape.whole {
            return unsupported(Unsupported::BitsInMemory);
        }
        let big = self.layout.is_big_endian();
        let mut lanes = Vec::new();
        for (kind, at) in shape.lanes {
            let Some(part) = bytes.get(at as usize..(at + kind.bytes()) as usize) else {
                return unsupported(Unsupported::UnknownLayout);
            };
            let terms = &mut self.shared.terms;
            let poison: Vec<Term> = part.iter().map(|byte| byte_poison(terms, *byte)).collect();
            let poison = terms.any(&poison);
            let bits = if kind == Kind::Pointer {
                if big {
                    return unsupported(Unsupported::BigEndianPointers);
                }
                pointer_of(terms, &mut self.shared.memory.twins, part, self.target)
            } else {
                let mut part = part.to_vec();
                if big {
                    part.reverse();
                }
                let mut bits = byte_value(terms, part[0]);
                for byte in &part[1..] {
                    let value = byte_value(terms, *byte);
                    bits = terms.concat(value, bits);
                }
                if terms.width(bits) != kind.width() {
                    self.shared.approximate(Approximation::BitsInMemory);
                }
                self.shared.terms.truncate(kind.width(), bits)
            };
            lanes.push(self.shared.unless(poison, bits));
        }
        Ok(lanes)
    }

    /// Lanes of a type as bytes; those between the lanes are undefined.
    fn bytes_of(&mut self, ty: &Type, lanes: &[Lane], size: u64) -> Result<Vec<Term>, Unsupported> {
        let shape = shape(self.module, &self.layout, ty, self.shared.limits.lanes)?;
        if !shape.whole {
            return unsupported(Unsupported::BitsInMemory);
        }
        let big = self.layout.is_big_endian();
        let mut bytes: Vec<Option<Term>> = vec![None; size as usize];
        for ((kind, at), lane) in shape.lanes.iter().zip(lanes) {
            let terms = &mut self.shared.terms;
            let count = kind.bytes();
            let wide = if *kind == Kind::Pointer {
                lane.bits
            } else {
                terms.zero_extend(count as u32 * 8, lane.bits)
            };
            if big && *kind == Kind::Pointer {
                return unsupported(Unsupported::BigEndianPointers);
            }
            for index in 0..count {
                let byte = if *kind == Kind::Pointer {
                    pointer_byte(terms, wide, index as u32, lane.poison)
                } else {
                    let part = if big { count - 1 - index } else { index } as u32;
                    let value = terms.extract(part * 8 + 7, part * 8, wide);
                    number_byte(terms, value, lane.poison)
                };
                match bytes.get_mut((at + index) as usize) {
                    Some(place) => *place = Some(byte),
                    None => return unsupported(Unsupported::UnknownLayout),
                }
            }
        }
        let mut all = Vec::new();
        for byte in bytes {
            all.push(match byte {
                Some(byte) => byte,
                None => {
                    let role = Role::Undef(Origin::Own);
                    let value = self.shared.terms.choice(Sort::Bits(8), role, self.target);
                    let no = self.shared.terms.bool(false);
                    number_byte(&mut self.shared.terms, value, no)
                }
            });
        }
        Ok(all)
    }

    /// What a constant global holds, as far as that is known.
    pub(crate) fn initial_bytes(
        &mut self,
        value: &Constant,
        ty: &Type,
        size: u64,
    ) -> Option<std::rc::Rc<[Option<Term>]>> {
        let before = self.shared.limits.lanes;
        self.shared.limits.lanes = before.max(4096);
        let bytes = match self.constant(value, ty) {
            Ok(lanes) => self.bytes_of(ty, &lanes, size),
            Err(why) => Err(why),
        };
        self.shared.limits.lanes = before;
        // Undefined bytes would be chosen by one side only.
        let fixed = |byte: Term| self.shared.terms.choices(byte).is_empty().then_some(byte);
        Some(bytes.ok()?.into_iter().map(fixed).collect())
    }

    fn access_size(&self, ty: &Type, align: Option<u64>) -> Result<(u64, u64), Unsupported> {
        let size = self.layout.store_size(self.module, ty);
        let natural = self.layout.align(self.module, ty);
        match (size, align.or(natural)) {
            (Some(size), Some(align)) if size <= self.shared.limits.bytes => Ok((size, align)),
            (Some(_), Some(_)) => unsupported(Unsupported::LargeAccess),
            _ => unsupported(Unsupported::AccessOfUnknownSize),
        }
    }

    /// Memory of other kinds follows rules of its targets.
    pub(crate) fn plain_space(&self, ty: &Type) -> Result<(), Unsupported> {
        match ty {
            Type::Pointer(0) => Ok(()),
            _ => unsupported(Unsupported::AddressSpace),
        }
    }

    pub(crate) fn load(&mut self, instruction: &Instruction) -> Result<Vec<Lane>, Unsupported> {
        let Op::Load { volatile, atomic, ty, from, align } = &instruction.op else {
            return unsupported(Unsupported::NoAccess);
        };
        if *volatile || atomic.is_some() {
            return self.unusual(instruction);
        }
        self.plain_space(&from.ty)?;
        let pointer = self.place(from)?;
        let (size, align) = self.access_size(ty, *align)?;
        self.must_be_accessible(pointer, size, align, false);
        let bytes = self.read_bytes(pointer.bits, size);
        let lanes = self.lanes_of(ty, &bytes)?;
        let kinds = self.kinds(ty)?;
        self.with_metadata(lanes, &kinds, instruction)
    }

    pub(crate) fn store(&mut self, instruction: &Instruction) -> Result<(), Unsupported> {
        let Op::Store { volatile, atomic, value, to, align } = &instruction.op else {
            return unsupported(Unsupported::NoAccess);
        };
        if *volatile || atomic.is_some() {
            self.unusual(instruction)?;
            return Ok(());
        }
        self.plain_space(&to.ty)?;
        let lanes = self.typed(value)?;
        for lane in &lanes {
            if self.is_undef(*lane)? {
                return unsupported(Unsupported::UndefInLoop);
            }
        }
        let pointer = self.place(to)?;
        let (size, align) = self.access_size(&value.ty, *align)?;
        self.must_be_accessible(pointer, size, align, true);
        let bytes = self.bytes_of(&value.ty, &lanes, size)?;
        self.write_bytes(pointer.bits, bytes);
        self.with_metadata(Vec::new(), &[], instruction)?;
        Ok(())
    }

    pub(crate) fn alloca(&mut self, instruction: &Instruction) -> Result<Vec<Lane>, Unsupported> {
        let Op::Alloca { words, ty, count, align, space } = &instruction.op else {
            return unsupported(Unsupported::NoAccess);
        };
        let Some(local) = instruction.result else { return unsupported(Unsupported::NoAccess) };
        if !words.is_empty() || *space != 0 {
            return unsupported(Unsupported::AllocaWords);
        }
        let count = match count {
            None => 1,
            Some(count) => {
                let lane = self.scalar(count)?;
                let number = self.shared.terms.as_number(lane.bits);
                match number.and_then(|n| u64::try_from(n).ok()) {
                    Some(number) => number,
                    None => return unsupported(Unsupported::AllocaOfUnknownSize),
                }
            }
        };
        let size = self.layout.size(self.module, ty).and_then(|size| size.checked_mul(count));
        let natural = self.layout.align(self.module, ty);
        let (Some(size), Some(align)) = (size, align.or(natural)) else {
            return unsupported(Unsupported::AllocaOfUnknownSize);
        };
        let is_seen = self.seen.contains(&local);
        if self.target && !is_seen && !self.loops.headers.is_empty() {
            // What it holds at a cut might be undefined.
            return unsupported(Unsupported::AllocaWithLoop);
        }
        let (prefix, first) = if is_seen { ("seen", SEEN) } else { ("private", PRIVATE) };
        let name = self.function.locals[local.0 as usize].name.clone();
        let name = match (name, is_seen) {
            (Some(name), true) => format!("{prefix} %{name} {size}"),
            (None, true) => {
                let order = self.seen.iter().position(|l| *l == local).unwrap_or(0);
                format!("{prefix} #{order} {size}")
            }
            (_, false) => format!("{prefix} {} {}", self.target, local.0),
        };
        let block = match self.shared.blocks.get(&name) {
            Some(block) => *block,
            None => {
                let taken = self.shared.blocks.keys().filter(|k| k.starts_with(prefix)).count();
                let block = self.shared.terms.number(BLOCK, first + taken as u128);
                self.shared.blocks.insert(name, block);
                self.shared.memory.blocks.push(Known {
                    block,
                    size,
                    larger: false,
                    align,
                    constant: false,
                    maybe_null: false,
                    bytes: None,
                });
                block
            }
        };
        if let Some(known) = self.shared.memory.blocks.iter_mut().find(|k| k.block == block) {
            // The source may put it where the target wants it.
            known.align = known.align.max(align);
        }
        let alive = !self.has_start(local);
        self.state = self.shared.memory.step(Step::Life { before: self.state, block, alive });
        let zero = self.shared.terms.number(OFFSET, 0);
        let bits = self.shared.terms.concat(block, zero);
        Ok(vec![self.shared.lane(bits)])
    }

    /// Whether the life of an alloca is marked.
    fn has_start(&self, local: irtext::Local) -> bool {
        let all = self.function.blocks.iter().flat_map(|b| &b.instructions);
        all.into_iter().any(|i| match &i.op {
            Op::Call(call) => {
                crate::call::callee_name(call).is_some_and(|n| n.starts_with("llvm.lifetime.start"))
                    && call.arguments.iter().any(|a| a.value.value == Value::Local(local))
            }
            _ => false,
        })
    }

    /// A block begins or ceases to live.
    pub(crate) fn life(&mut self, pointer: Lane, alive: bool) -> Result<(), Unsupported> {
        let terms = &mut self.shared.terms;
        let (block, offset) = (block_of(terms, pointer.bits), offset_of(terms, pointer.bits));
        let is_alloca = terms.as_number(block).is_some_and(|number| number >= SEEN);
        if !is_alloca || terms.as_number(offset) != Some(0) {
            return unsupported(Unsupported::LifetimeOfOther);
        }
        self.state = self.shared.memory.step(Step::Life { before: self.state, block, alive });
        Ok(())
    }

    /// What attributes of a parameter or a result say: lanes that break it are poison.
    pub(crate) fn with_attributes(
        &mut self,
        lanes: Vec<Lane>,
        kinds: &[Kind],
        attributes: &Attributes,
    ) -> Result<Vec<Lane>, Unsupported> {
        let mut lanes = lanes;
        for attribute in &attributes.0 {
            match attribute {
                Attribute::Flag(name) if &**name == "nonnull" => {
                    lanes = self.poisoned(lanes, kinds, Self::is_null);
                }
                Attribute::Number(name, align) if &**name == "align" => {
                    let align = *align;
                    lanes =
                        self.poisoned(lanes, kinds, |side, lane| side.is_unaligned(lane, align));
                }
                Attribute::Range(_, low, high) => lanes = self.in_range(lanes, &[(low, high)]),
                Attribute::Words(name, _) if &**name == "nofpclass" => {
                    return unsupported(Unsupported::NoFpClass);
                }
                _ => {}
            }
        }
        if attributes.has("noundef") {
            lanes = self.must_be_defined(&lanes);
        }
        Ok(lanes)
    }

    fn poisoned(
        &mut self,
        lanes: Vec<Lane>,
        kinds: &[Kind],
        wrong: impl Fn(&mut Self, Lane) -> Term,
    ) -> Vec<Lane> {
        lanes
            .into_iter()
            .zip(kinds)
            .map(|(lane, kind)| {
                if *kind != Kind::Pointer {
                    return lane;
                }
                let wrong = wrong(self, lane);
                let poison = self.shared.terms.or(lane.poison, wrong);
                self.shared.unless(poison, lane.bits)
            })
            .collect()
    }

    fn is_null(&mut self, lane: Lane) -> Term {
        let terms = &mut self.shared.terms;
        let (block, offset) = (block_of(terms, lane.bits), offset_of(terms, lane.bits));
        let known = self.shared.memory.known(block).is_some_and(|k| !k.maybe_null);
        if known && terms.as_number(offset) == Some(0) {
            return terms.bool(false);
        }
        let address = self.shared.memory.address(terms, lane.bits);
        let zero = terms.number(OFFSET, 0);
        terms.equal(address, zero)
    }

    fn is_unaligned(&mut self, lane: Lane, align: u64) -> Term {
        let terms = &mut self.shared.terms;
        let aligned = self.shared.memory.aligned(terms, lane.bits, align);
        terms.not(aligned)
    }

    /// Poison unless within one of some ranges, the ends excluded.
    fn in_range(&mut self, lanes: Vec<Lane>, ranges: &[(&Bits, &Bits)]) -> Vec<Lane> {
        let mut result = Vec::new();
        for lane in lanes {
            let terms = &mut self.shared.terms;
            let mut inside = Vec::new();
            for (low, high) in ranges {
                let (low, high) = (terms.bits((*low).clone()), terms.bits((*high).clone()));
                // Wrapped around, and the same way for both ends.
                let from = terms.arithmetic(crate::term::Arithmetic::Sub, lane.bits, low);
                let size = terms.arithmetic(crate::term::Arithmetic::Sub, high, low);
                inside.push(terms.less(false, from, size));
            }
            let inside = terms.any(&inside);
            let outside = terms.not(inside);
            let poison = terms.or(lane.poison, outside);
            result.push(self.shared.unless(poison, lane.bits));
        }
        result
    }

    /// What metadata of a load or a call says.
    pub(crate) fn with_metadata(
        &mut self,
        lanes: Vec<Lane>,
        kinds: &[Kind],
        instruction: &Instruction,
    ) -> Result<Vec<Lane>, Unsupported> {
        let mut lanes = lanes;
        for (name, metadata) in &instruction.attachments {
            match &**name {
                "range" => {
                    let Some(ends) = self.numbers(metadata) else {
                        return unsupported(Unsupported::RangeMetadata);
                    };
                    let ranges: Vec<(&Bits, &Bits)> =
                        ends.chunks(2).filter(|c| c.len() == 2).map(|c| (&c[0], &c[1])).collect();
                    lanes = self.in_range(lanes, &ranges);
                }
                "nonnull" => lanes = self.poisoned(lanes, kinds, Self::is_null),
                "tbaa"
                | "alias.scope"
                | "noalias"
                | "invariant.load"
                | "invariant.group"
                | "dereferenceable"
                | "dereferenceable_or_null" => {
                    self.shared.approximate(Approximation::MemoryMetadata);
                }
                "align" => {
                    let align = self.numbers(metadata).and_then(|n| n.first()?.small());
                    let Some(align) = align.and_then(|a| u64::try_from(a).ok()) else {
                        return unsupported(Unsupported::AlignMetadata);
                    };
                    lanes =
                        self.poisoned(lanes, kinds, |side, lane| side.is_unaligned(lane, align));
                }
                _ => {}
            }
        }
        if instruction.attachments.iter().any(|(name, _)| &**name == "noundef") {
            lanes = self.must_be_defined(&lanes);
        }
        Ok(lanes)
    }

    /// The integers of a node of metadata.
    fn numbers(&self, metadata: &Metadata) -> Option<Vec<Bits>> {
        let node = match metadata {
            Metadata::Number(number) => self.module.metadata(*number)?,
            other => other,
        };
        let Metadata::Tuple(parts) = node else { return None };
        parts
            .iter()
            .map(|part| match part {
                Metadata::Value(typed) => match &typed.value {
                    Value::Constant(Constant::Integer(bits)) => Some(bits.clone()),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// `memcpy` and `memmove` of a known length.
    pub(crate) fn copy(&mut self, to: Lane, from: Lane, count: u64, aligns: (u64, u64)) {
        self.must_be_accessible(from, count, aligns.1, false);
        self.must_be_accessible(to, count, aligns.0, true);
        let bytes = self.read_bytes(from.bits, count);
        self.write_bytes(to.bits, bytes);
    }

    /// What `memcpy` asks for: its operands are one, or apart.
    pub(crate) fn must_not_overlap(&mut self, to: Lane, from: Lane, count: u64) {
        let terms = &mut self.shared.terms;
        let (a, b) = (block_of(terms, to.bits), block_of(terms, from.bits));
        let same_block = terms.equal(a, b);
        let (x, y) = (offset_of(terms, to.bits), offset_of(terms, from.bits));
        let count = terms.number(OFFSET, count.into());
        let (up, down) = (terms.subtract(x, y), terms.subtract(y, x));
        let (close, close_too) = (terms.less(false, up, count), terms.less(false, down, count));
        let close = terms.or(close, close_too);
        let apart = terms.differ(x, y);
        let bad = terms.all(&[same_block, close, apart]);
        self.undefined_if(bad);
    }

    /// `memset` of a known length.
    pub(crate) fn fill(&mut self, to: Lane, value: Lane, count: u64, align: u64) {
        self.must_be_accessible(to, count, align, true);
        let byte = number_byte(&mut self.shared.terms, value.bits, value.poison);
        self.write_bytes(to.bits, vec![byte; count as usize]);
    }

    /// Whether a pointer is certainly not into a private alloca.
    pub(crate) fn is_public(&mut self, pointer: Term) -> bool {
        let terms = &mut self.shared.terms;
        let top = terms.extract(memory::POINTER - 1, memory::POINTER - 1, pointer);
        terms.as_number(top) == Some(0)
    }
}
