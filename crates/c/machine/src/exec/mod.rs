//! The interpreter: runs [`crate::code::Code`].
//!
//! The loop below has the common cases; what is rare or long is in the other modules of this folder.
//! Every operation either completes or returns a [`Stop`]. The source location is looked up by code
//! address afterwards, so operations do not carry it.

mod access;
mod arith;
mod calls;
mod float;
mod hooks;
mod pointer;
mod recover;
mod watch;

use crate::code::*;
use crate::kind::ScalarKind;
use crate::memory::{INIT, IO_ADDRESS, Memory, NewObject, Origin};
use crate::outcome::UbKind;
use crate::sequence::Sequence;
use crate::stop::{ExecResult, Stop, ub, unsupported};
use crate::{Hooks, MachineConfig, Profile};
use ctree::{ExprId, Program, Ty};

pub(crate) use hooks::Recorder;
pub use recover::{Fault, FaultCause, FaultHandler, FaultyOp, Operand, Recovery};

/// A call in progress.
#[derive(Debug)]
struct Frame {
    func: u32,
    site: u32,
    return_to: u32,
    window: usize,
    memory: u32,
    objects: usize,
    regions: (usize, usize, usize),
    /// Variable arguments: first register, second register, type.
    varargs: Vec<(u64, u64, Ty)>,
}

/// An execution in progress.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) code: &'a Code,
    pub(crate) memory: Memory,
    regs: Vec<u64>,
    /// First register of the current window.
    window: usize,
    /// Frame memory of the current call.
    frame_memory: u32,
    /// Pointers to the objects of the current frame's variables.
    frame_objects: Vec<u64>,
    objects_base: usize,
    frames: Vec<Frame>,
    pc: u32,
    pub(crate) fuel: u64,
    max_depth: u32,
    pub(crate) stdout: Vec<u8>,
    stdout_limit: usize,
    sequence: Sequence,
    /// A library function is executing.
    pub(crate) in_library: bool,
    pub(crate) recorder: Recorder,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        program: &'a Program,
        code: &'a Code,
        config: &MachineConfig,
        hooks: &Hooks,
    ) -> Machine<'a> {
        let mut memory = Memory::new(code.static_end, config.stack, config.memory);
        memory.alignment = config.alignment;
        Machine {
            program,
            code,
            memory,
            regs: vec![0; 1 << 12],
            window: 0,
            frame_memory: 0,
            frame_objects: Vec::new(),
            objects_base: 0,
            frames: Vec::new(),
            pc: 0,
            fuel: config.fuel,
            max_depth: config.call_depth,
            stdout: Vec::new(),
            stdout_limit: config.output as usize,
            sequence: Sequence::default(),
            in_library: false,
            recorder: Recorder::new(code, hooks),
        }
    }

    /// Sets up static objects, then runs `main`. With a handler, recovers from faults as it says.
    pub(crate) fn run(&mut self, mut handler: Option<&mut dyn FaultHandler>) -> (u32, Stop) {
        if let Err(stop) = self.set_up() {
            return (0, *stop);
        }
        loop {
            let Err(stop) = self.execute() else {
                return (
                    self.pc,
                    Stop::Internal("the interpreter loop ended without a stop".into()),
                );
            };
            if !handler.as_mut().is_some_and(|handler| self.recover(&stop, &mut **handler)) {
                return (self.pc.saturating_sub(1), *stop);
            }
        }
    }

    pub(crate) fn profile(self) -> (Vec<u8>, Profile) {
        (self.stdout, self.recorder.finish(self.code))
    }

    fn set_up(&mut self) -> ExecResult<()> {
        for (number, _) in self.code.funcs.iter().enumerate() {
            let origin = Origin::Func(number as u32);
            let new = NewObject { base: 0, size: 0, align: 1, layout: 0, origin };
            self.memory.create(&self.code.classes, new)?;
        }
        for global in &self.code.globals {
            if global.base == u32::MAX {
                return Err(Box::new(Stop::OutOfMemory(
                    "static objects of more than 256 MiB, or a record of more than 16 MiB".into(),
                )));
            }
            let new = NewObject {
                base: global.base,
                size: global.size,
                align: global.align,
                layout: global.layout,
                origin: global.origin,
            };
            self.memory.create(&self.code.classes, new)?;
            let range = global.base as usize..(global.base + global.size) as usize;
            self.memory.shadow[range.clone()].fill(INIT);
            match &global.bytes {
                // The pointer in `stdout` or `stderr`.
                Some(bytes) if global.origin == Origin::Temp => {
                    let pointer = u64::from_le_bytes(Self::bytes(bytes, 0));
                    self.write_pointer(global.base, pointer);
                }
                Some(bytes) => self.memory.bytes[range].copy_from_slice(bytes),
                None => {}
            }
        }
        self.memory.shadow[IO_ADDRESS as usize] = INIT;
        self.reserve(self.code.start_regs as usize);
        // The initialisers return into `main`.
        self.frames.push(Frame {
            func: u32::MAX,
            site: u32::MAX,
            return_to: u32::MAX,
            window: 0,
            memory: self.memory.stack_top,
            objects: 0,
            regions: (0, 0, 0),
            varargs: Vec::new(),
        });
        self.pc = self.code.start;
        Ok(())
    }

    fn reserve(&mut self, regs: usize) {
        let need = self.window + regs + 8;
        if need > self.regs.len() {
            self.regs.resize(need * 2, 0);
        }
    }

    #[inline(always)]
    fn r(&self, reg: Reg) -> u64 {
        self.regs[self.window + reg as usize]
    }

    #[inline(always)]
    fn set(&mut self, reg: Reg, value: u64) {
        self.regs[self.window + reg as usize] = value;
    }

    fn wide(&self, reg: Reg) -> u128 {
        u128::from(self.r(reg)) | (u128::from(self.r(reg + 1)) << 64)
    }

    fn set_wide(&mut self, reg: Reg, value: u128) {
        self.set(reg, value as u64);
        self.set(reg + 1, (value >> 64) as u64);
    }

    /// Depth of calls; inside a library function one more.
    fn depth(&self) -> u32 {
        self.frames.len() as u32 + u32::from(self.in_library)
    }

    #[inline(always)]
    fn spend(&mut self, steps: u64) -> ExecResult<()> {
        if self.fuel < steps {
            return Err(Box::new(Stop::OutOfFuel));
        }
        self.fuel -= steps;
        Ok(())
    }

    pub(crate) fn func_name(&self, number: u32) -> &'a str {
        let func = self.program.func(self.code.funcs[number as usize].id);
        self.program.name(func.name)
    }

    #[inline(always)]
    fn base(&self, base: AddressBase) -> u32 {
        match base {
            AddressBase::Static | AddressBase::StaticVolatile => 0,
            AddressBase::Frame | AddressBase::FrameVolatile => self.frame_memory,
        }
    }

    /// The address of a known object.
    #[inline(always)]
    fn direct(&self, base: AddressBase, x: Reg, at: u32) -> u32 {
        let offset = if x == NO_REG { 0 } else { self.r(x) as u32 };
        self.base(base) + at + offset
    }

    fn enter(&mut self, local: u32) -> ExecResult<()> {
        let func = self.frames.last().map_or(0, |f| f.func);
        let info = &self.code.funcs[func as usize].locals[local as usize];
        let base = self.frame_memory + info.at;
        self.memory.clear(base, info.size);
        let new = NewObject {
            base,
            size: info.size,
            align: info.align,
            layout: info.layout,
            origin: info.origin,
        };
        let pointer = self.memory.create(&self.code.classes, new)?;
        self.frame_objects[self.objects_base + local as usize] = pointer;
        Ok(())
    }

    fn leave(&mut self, local: u32) {
        let at = self.objects_base + local as usize;
        let pointer = std::mem::take(&mut self.frame_objects[at]);
        if pointer != 0 {
            self.memory.kill(crate::memory::slot_of(pointer));
        }
    }

    fn forget(&mut self, local: u32) {
        let func = self.frames.last().map_or(0, |f| f.func);
        let info = &self.code.funcs[func as usize].locals[local as usize];
        self.memory.clear(self.frame_memory + info.at, info.size);
    }

    fn switch(&self, table: u32, value: u64) -> u32 {
        let table = &self.code.tables[table as usize];
        let key = |v: i64| if table.unsigned { i128::from(v as u64) } else { i128::from(v) };
        let value = key(value as i64);
        let i = table.cases.partition_point(|&(lo, _, _)| key(lo) <= value);
        match i.checked_sub(1).map(|i| table.cases[i]) {
            Some((_, hi, to)) if value <= key(hi) => to,
            _ => table.default,
        }
    }

    fn execute(&mut self) -> ExecResult<()> {
        let ops: &'a [Op] = &self.code.ops;
        // The address of the next operation is kept in a local; `self.pc` is updated from it for
        // reports, and it is reloaded from `self.pc` after calls and returns.
        let mut pc = self.pc as usize;
        loop {
            // Matched by reference: each arm reads only the fields it needs.
            let op = &ops[pc];
            pc += 1;
            self.pc = pc as u32;
            match *op {
                Op::Imm { d, v } => self.set(d, v as i64 as u64),
                Op::Const { d, i } => self.set(d, self.code.consts[i as usize]),
                Op::Mov { d, a } => self.set(d, self.r(a)),
                Op::MovWide { d, a } => {
                    let (lo, hi) = (self.r(a), self.r(a + 1));
                    self.set(d, lo);
                    self.set(d + 1, hi);
                }
                Op::AddI32 { d, a, b } => {
                    let v = (self.r(a) as i64).wrapping_add(self.r(b) as i64);
                    if v != i64::from(v as i32) {
                        return self.overflow("+", a, b);
                    }
                    self.set(d, v as u64);
                }
                Op::AddI32Imm { d, a, v } => {
                    let sum = (self.r(a) as i64).wrapping_add(i64::from(v));
                    if sum != i64::from(sum as i32) {
                        return self.step_overflow(ScalarKind::I32, self.r(a), v);
                    }
                    self.set(d, sum as u64);
                }
                Op::AddU32Imm { d, a, v } => {
                    self.set(d, u64::from((self.r(a) as u32).wrapping_add(v as u32)))
                }
                Op::AddU32 { d, a, b } => {
                    self.set(d, u64::from((self.r(a) as u32).wrapping_add(self.r(b) as u32)));
                }
                Op::AddI64 { d, a, b } => match (self.r(a) as i64).checked_add(self.r(b) as i64) {
                    Some(v) => self.set(d, v as u64),
                    None => return self.overflow("+", a, b),
                },
                Op::AddU64 { d, a, b } => self.set(d, self.r(a).wrapping_add(self.r(b))),
                Op::SubI32 { d, a, b } => {
                    let v = (self.r(a) as i64).wrapping_sub(self.r(b) as i64);
                    if v != i64::from(v as i32) {
                        return self.overflow("-", a, b);
                    }
                    self.set(d, v as u64);
                }
                Op::SubU32 { d, a, b } => {
                    self.set(d, u64::from((self.r(a) as u32).wrapping_sub(self.r(b) as u32)));
                }
                Op::SubI64 { d, a, b } => match (self.r(a) as i64).checked_sub(self.r(b) as i64) {
                    Some(v) => self.set(d, v as u64),
                    None => return self.overflow("-", a, b),
                },
                Op::SubU64 { d, a, b } => self.set(d, self.r(a).wrapping_sub(self.r(b))),
                Op::MulI32 { d, a, b } => {
                    let v = (self.r(a) as i64).wrapping_mul(self.r(b) as i64);
                    if v != i64::from(v as i32) {
                        return self.overflow("*", a, b);
                    }
                    self.set(d, v as u64);
                }
                Op::MulU32 { d, a, b } => {
                    self.set(d, u64::from((self.r(a) as u32).wrapping_mul(self.r(b) as u32)));
                }
                Op::MulI64 { d, a, b } => match (self.r(a) as i64).checked_mul(self.r(b) as i64) {
                    Some(v) => self.set(d, v as u64),
                    None => return self.overflow("*", a, b),
                },
                Op::MulU64 { d, a, b } => self.set(d, self.r(a).wrapping_mul(self.r(b))),
                Op::Div { d, a, b, kind } => self.divide(d, a, b, kind, false)?,
                Op::Rem { d, a, b, kind } => self.divide(d, a, b, kind, true)?,
                Op::Shl { d, a, b, kind, count } => self.shift_left(d, a, b, kind, count)?,
                Op::Shr { d, a, b, kind, count } => self.shift_right(d, a, b, kind, count)?,
                Op::And { d, a, b } => self.set(d, self.r(a) & self.r(b)),
                Op::Or { d, a, b } => self.set(d, self.r(a) | self.r(b)),
                Op::Xor { d, a, b } => self.set(d, self.r(a) ^ self.r(b)),
                Op::Neg { d, a, kind } => self.negate(d, a, kind)?,
                Op::Not { d, a, kind } => self.set(d, kind.wrap(!self.r(a))),
                Op::LogNot { d, a } => self.set(d, u64::from(self.r(a) == 0)),
                Op::LtS { d, a, b } => {
                    self.set(d, u64::from((self.r(a) as i64) < self.r(b) as i64))
                }
                Op::LtU { d, a, b } => self.set(d, u64::from(self.r(a) < self.r(b))),
                Op::LeS { d, a, b } => self.set(d, u64::from(self.r(a) as i64 <= self.r(b) as i64)),
                Op::LeU { d, a, b } => self.set(d, u64::from(self.r(a) <= self.r(b))),
                Op::Eq { d, a, b } => self.set(d, u64::from(self.r(a) == self.r(b))),
                Op::Ne { d, a, b } => self.set(d, u64::from(self.r(a) != self.r(b))),
                Op::Step { d, a, kind, by } => self.step(d, a, kind, by)?,
                Op::Wrap { d, a, kind } => self.set(d, kind.wrap(self.r(a))),
                Op::Convert { d, a, from, to } => self.convert(d, a, from, to)?,
                Op::Truth { d, a, kind } => self.truth(d, a, kind),
                Op::Float { d, a, b, op, kind } => self.float(d, a, b, op, kind),
                Op::Wide { d, a, b, op, signed } => self.wide_op(d, a, b, op, signed)?,
                Op::Load { d, x, kind, base, at } => {
                    let address = self.direct(base, x, at);
                    self.load(
                        d,
                        address,
                        kind,
                        matches!(base, AddressBase::StaticVolatile | AddressBase::FrameVolatile),
                    )?;
                }
                Op::Store { s, x, kind, base, at } => {
                    let address = self.direct(base, x, at);
                    self.store(
                        s,
                        address,
                        kind,
                        matches!(base, AddressBase::StaticVolatile | AddressBase::FrameVolatile),
                    )?;
                }
                Op::LoadPtr { d, p, access } => self.load_pointer(d, p, access)?,
                Op::StorePtr { s, p, access } => self.store_pointer(s, p, access)?,
                Op::LoadBits { d, p, access } => self.load_bits(d, p, access)?,
                Op::StoreBits { s, p, access } => self.store_bits(s, p, access)?,
                Op::FrameAddr { d, local, x, at } => {
                    let mut pointer =
                        self.frame_objects[self.objects_base + local as usize] + u64::from(at);
                    if x != NO_REG {
                        pointer += self.r(x);
                    }
                    self.set(d, pointer);
                }
                Op::Offset { d, p, x, at } => self.offset(d, p, x, at)?,
                Op::Index { d, i, kind, bound } => self.index(d, i, kind, bound)?,
                Op::PtrAdd { d, p, by, kind, elem } => {
                    self.pointer_add(d, p, (by, kind, 1), elem)?
                }
                Op::PtrIndex { d, p, by, kind, elem } => {
                    if self.r(p) == 0 {
                        return ub(UbKind::NullDeref, "the pointer is null".into());
                    }
                    self.pointer_add(d, p, (by, kind, 1), elem)?;
                }
                Op::PtrSubInt { d, p, by, kind, elem } => {
                    self.pointer_add(d, p, (by, kind, -1), elem)?
                }
                Op::PtrDiff { d, a, b, elem } => self.pointer_difference(d, a, b, elem)?,
                Op::PtrLess { d, a, b, or_equal } => self.pointer_less(d, a, b, or_equal)?,
                Op::PtrEq { d, a, b, negate } => self.pointer_equal(d, a, b, negate)?,
                Op::UsePtr { p } => self.use_pointer(self.r(p))?,
                Op::CheckAlign { p, align } => self.check_align(self.r(p), align)?,
                Op::CheckRecord { p, elem } => self.check_record(self.r(p), elem)?,
                Op::IntToPtr { d, a, kind } => {
                    let value =
                        if kind.is_wide() { self.r(a) } else { kind.value(self.r(a)) as u64 };
                    let bits = self.program.types.model.pointer_size * 8;
                    let value = ScalarKind::int(bits, false).wrap(value);
                    let pointer = self.memory.pointer_from_int(value);
                    self.set(d, pointer);
                }
                Op::PtrToInt { d, a, kind } => self.pointer_to_int(d, a, kind)?,
                Op::Copy { d, s, copy } => self.copy(self.r(d), self.r(s), copy)?,
                Op::CopyChar { d, s } => self.copy_char(self.r(d), self.r(s))?,
                Op::CheckOverlap { a, b, size_a, size_b } => {
                    self.check_overlap(self.r(a), self.r(b), (size_a, size_b))?;
                }
                Op::Zero { base, at, size } => {
                    let address = self.direct(base, NO_REG, at);
                    self.fill(address, size, 0)?;
                }
                Op::Unset { base, at, size } => {
                    let address = self.direct(base, NO_REG, at);
                    self.memory.clear(address, size);
                }
                Op::Bytes { base, at, bytes } => {
                    let address = self.direct(base, NO_REG, at);
                    self.write_bytes(address, &self.code.byte_strings[bytes as usize])?;
                }
                Op::Enter { local } => self.enter(local)?,
                Op::Leave { local } => self.leave(local),
                Op::Forget { local } => self.forget(local),
                Op::CheckSet { flag, .. } => {
                    if self.r(flag) == 0 {
                        return ub(UbKind::Indeterminate, "the variable has not been set".into());
                    }
                }
                Op::Jump { to } => pc = to as usize,
                Op::Loop { to } => {
                    self.spend(1)?;
                    pc = to as usize;
                }
                Op::JumpZero { r, to } => {
                    if self.r(r) == 0 {
                        pc = to as usize;
                    }
                }
                Op::JumpNot { r, to } => {
                    if self.r(r) != 0 {
                        pc = to as usize;
                    }
                }
                Op::JumpUnless { cmp, a, b, to } => {
                    if !holds(cmp, self.r(a), self.r(b)) {
                        pc = to as usize;
                    }
                }
                Op::JumpUnlessImm { cmp, a, v, to } => {
                    if !holds(cmp, self.r(a), i64::from(v) as u64) {
                        pc = to as usize;
                    }
                }
                Op::Switch { r, table } => pc = self.switch(table, self.r(r)) as usize,
                Op::Call { func, base, site } => {
                    self.push_call(func, base, site, self.pc)?;
                    pc = self.pc as usize;
                }
                Op::CallPtr { p, base, site } => {
                    self.call_pointer(self.r(p), base, site)?;
                    pc = self.pc as usize;
                }
                Op::CallLib { lib, base, site } => self.call_library(lib, base, site)?,
                Op::Ret => {
                    self.pop_call(false)?;
                    pc = self.pc as usize;
                }
                Op::RetMissing => {
                    self.pop_call(true)?;
                    pc = self.pc as usize;
                }
                Op::RegionBegin { initialiser } => {
                    self.sequence.begin(self.frames.len() as u32, initialiser, self.pc - 1)
                }
                Op::LogOn => self.sequence.log_on(&mut self.memory),
                Op::LogOff => self.sequence.log_off(&mut self.memory),
                Op::RegionEnd => self.sequence.end(&mut self.memory),
                Op::PendBegin => self.sequence.pend_begin(),
                Op::PendLog { base, x, at, bit, bits } => {
                    let address = self.direct(base, x, at);
                    self.sequence.pend_log(bit_range(address, bit, bits), self.pc - 1);
                }
                Op::PendLogPtr { p, at, bit, bits } => {
                    let address = self.raw_address(self.r(p)) + at;
                    self.sequence.pend_log(bit_range(address, bit, bits), self.pc - 1);
                }
                Op::PendCheck { base, x, at, bit, bits } => {
                    let address = self.direct(base, x, at);
                    self.sequence.pend_check(bit_range(address, bit, bits))?;
                }
                Op::PendCheckPtr { p, at, bit, bits } => {
                    let address = self.raw_address(self.r(p)) + at;
                    self.sequence.pend_check(bit_range(address, bit, bits))?;
                }
                Op::PendEnd { keep } => self.sequence.pend_end(keep),
                Op::VaArg { d, p, ty } => {
                    self.va_arg(d, self.r(p), self.code.types[ty as usize])?
                }
                Op::Undefined { kind, text } => {
                    return ub(kind, self.code.texts[text as usize].clone());
                }
                Op::Unsupported { text } => {
                    return unsupported(self.code.texts[text as usize].clone());
                }
                Op::Cover { point } => self.recorder.cover(point),
                Op::Note { r, e } => self.note(r, ExprId(e)),
                Op::Probe { point } => self.probe(point),
                Op::Branch { point, taken } => {
                    let site = self.frames.last().map_or(u32::MAX, |f| f.site);
                    let caller = self.code.sites.get(site as usize).map(|s| s.node);
                    self.recorder.branch(caller, point, taken);
                }
            }
        }
    }

    /// Writes to standard output, in order with other effects on it.
    pub(crate) fn print(&mut self, bytes: &[u8]) -> ExecResult<()> {
        self.touch_io()?;
        if self.stdout.len() + bytes.len() > self.stdout_limit {
            return Err(Box::new(Stop::OutOfMemory("the limit on output was reached".into())));
        }
        self.stdout.extend_from_slice(bytes);
        Ok(())
    }

    /// Orders an effect on the environment.
    pub(crate) fn touch_io(&mut self) -> ExecResult<()> {
        let depth = self.depth();
        let range = (u64::from(IO_ADDRESS) * 8, 8);
        self.sequence.access(&self.memory, range, true, depth, self.pc - 1)
    }

    pub(crate) fn argument(&self, base: Reg, site: u32, i: usize) -> u64 {
        let info = &self.code.sites[site as usize];
        info.regs.get(i).map_or(0, |&reg| self.r(base + reg))
    }

    pub(crate) fn wide_argument(&self, base: Reg, site: u32, i: usize) -> u128 {
        let info = &self.code.sites[site as usize];
        info.regs.get(i).map_or(0, |&reg| self.wide(base + reg))
    }

    pub(crate) fn spend_call(&mut self) -> ExecResult<()> {
        self.spend(1)
    }

    pub(crate) fn spend_bytes(&mut self, bytes: u32) -> ExecResult<()> {
        self.spend(u64::from(bytes) / 64)
    }

    pub(crate) fn set_result(&mut self, base: Reg, value: u64) {
        self.set(base, value);
    }

    pub(crate) fn set_wide_result(&mut self, base: Reg, value: u128) {
        self.set_wide(base, value);
    }

    fn kind(&self, ty: Ty) -> Option<ScalarKind> {
        ScalarKind::of(&self.program.types, ty)
    }
}

#[inline(always)]
fn holds(cmp: Cmp, a: u64, b: u64) -> bool {
    match cmp {
        Cmp::LtS => (a as i64) < b as i64,
        Cmp::LeS => a as i64 <= b as i64,
        Cmp::LtU => a < b,
        Cmp::LeU => a <= b,
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
    }
}

/// A range of bits of memory.
fn bit_range(address: u32, bit: u8, bits: u16) -> (u64, u64) {
    (u64::from(address) * 8 + u64::from(bit), u64::from(bits))
}
